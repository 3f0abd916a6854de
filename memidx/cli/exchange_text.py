"""What did an export leave out, and what did an import not get whole, in words?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memidx.cli.answer_words import plural
from memidx.cli.build_text import first_few, problem_lines
from memidx.cli.terminal import printable

if TYPE_CHECKING:
    from memidx.exchange import ImportReport


def left_out_text(doc_ids: Sequence[str]) -> str:
    """Documents that an index of the published format cannot hold."""
    lines = first_few([f"Left out: {printable(doc_id)}" for doc_id in doc_ids])
    reason = "without a term of ascii-compat, so no query of that format finds it"
    return "\n".join([*lines, f"{plural(len(doc_ids), 'document')} left out: {reason}"])


def import_problems(report: ImportReport) -> str:
    """Each document that is not in the store, or not whole."""
    lines = [
        *problem_lines("Not whole", report.partial),
        *problem_lines("Skipped", report.skipped),
    ]
    return "\n".join(lines)


def import_text(report: ImportReport) -> str:
    """What is in the store now."""
    lines = [
        f"Imported schema {report.version}: {plural(report.n_docs, 'document')}, "
        f"{report.n_whole:,} whole, {len(report.partial):,} in part, "
        f"{len(report.skipped):,} skipped",
        f"Store: {printable(report.store)}",
    ]
    if not report.root_recorded:
        lines.append(
            "Root is not recorded: a search that looks at the sources takes a document whose file "
            "is not there for deleted."
        )
    return "\n".join(lines)
