"""What did a verification find, in words?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memidx.cli import exit_codes
from memidx.cli.answer_words import plural
from memidx.cli.build_text import first_few, problem_lines
from memidx.cli.terminal import printable

if TYPE_CHECKING:
    from memidx.results import VerifyReport


def verify_text(report: VerifyReport) -> str:
    """Every finding with its file and line; the last line is the verdict."""
    lines = [
        *problem_lines("Damaged", report.damage),
        *first_few([f"Behind: {printable(doc_id)}" for doc_id in report.behind]),
        *problem_lines("Source failed", report.sources_failed),
        *problem_lines("Skipped", report.skipped),
    ]
    if report.manifest_differs:
        lines.append("Behind: the settings of the sources")
    if report.unchecked:
        lines.append("The sources could not be compared: where they are is not known (--root).")
    verdict = {
        exit_codes.YES: "sound",
        exit_codes.NO: "NOT SOUND",
        exit_codes.UNFINISHED: "inconclusive",
    }[exit_codes.for_verify(report)]
    lines.append(
        f"{verdict}: {plural(report.n_lines, 'line')}, {plural(report.n_docs, 'document')}, "
        f"{plural(len(report.damage), 'damaged place')}, {len(report.behind):,} behind"
    )
    return "\n".join(lines)
