"""What did a merge of the store do, in words?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memidx.cli.answer_words import plural
from memidx.cli.build_text import build_problems, build_text, first_few
from memidx.cli.terminal import printable

if TYPE_CHECKING:
    from memidx.merging import MergeReport


def merge_text(report: MergeReport) -> str:
    """What was undecided, what decided it, and what is left to do."""
    lines = [
        *_listed("Was unmerged", report.unmerged),
        *_listed("Held a conflict marker", report.markers),
        *_listed("Taken from its source", report.from_sources),
        *_listed("Gone, as its source is", report.removed),
        *_listed("Not decided, because its source failed", report.undecided),
        build_text(report.build, check=False),
    ]
    if not report.unmerged and not report.markers:
        lines.append("Nothing of the store was undecided.")
    if report.undecided:
        lines.append("Not staged: run `memidx merge` again when the source can be read.")
    elif report.staged:
        then = {"merge": "git commit", "rebase": "git rebase --continue"}.get(
            report.operation or "", f"git {report.operation} --continue"
        )
        lines.append("Staged." + (f" `{then}` goes on." if report.operation else ""))
    return "\n".join(lines)


def merge_problems(report: MergeReport) -> str:
    """What was not taken in and why, for stderr."""
    return build_problems(report.build)


def driver_text(name: str, doc_ids: Sequence[str], *, too_large: bool) -> str:
    """Why the merge driver leaves a conflict, for stderr."""
    what = (
        f"{plural(len(doc_ids), 'document')} changed on both sides ({_some(doc_ids)})"
        if doc_ids
        else "more than one file has to hold by now"
    )
    also = ", and more than one file has to hold by now" if doc_ids and too_large else ""
    return f"{printable(name)}: {what}{also}; merge the sources, then run `memidx merge`"


def _listed(what: str, names: Sequence[str]) -> list[str]:
    return first_few([f"{what}: {printable(name)}" for name in names])


def _some(names: Sequence[str], most: int = 3) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(printable(name) for name in names[:most]) + more
