"""What did a build do, in words?"""

from __future__ import annotations

import os.path
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from memidx.cli.answer_words import plural
from memidx.cli.terminal import printable

if TYPE_CHECKING:
    from memidx.results import BuildReport, PatchReport
    from memidx.search.answer import Problem

# A person reads the first few; --format json holds all.
_MOST_LISTED = 20


def build_text(report: BuildReport, *, check: bool) -> str:
    """What is in the store, by source, and what changed; with `check`, what would."""
    lines: list[str] = []
    if check:
        lines += first_few(
            [
                *(f"+ {printable(doc_id)}" for doc_id in report.added),
                *(f"~ {printable(doc_id)}" for doc_id in report.changed),
                *(f"- {printable(doc_id)}" for doc_id in report.removed),
            ]
        )
    lines += [
        f"{printable(name)}: {plural(n_docs, 'document')}"
        for name, n_docs in report.sources.items()
        if not check
    ]
    if check and report.manifest_differs:
        lines.append("~ the settings of the sources")
    changes = (
        f"{report.n_added:,} added, {report.n_changed:,} changed, "
        f"{report.n_removed:,} removed, {report.n_unchanged:,} unchanged"
    )
    where = printable(_as_seen_from_here(report.store))
    if check:
        state = "is behind its sources" if report.behind else "is up to date"
        lines.append(f"{where} {state}: {changes}")
        if report.behind:
            lines.append("memidx build brings it up to date.")
    else:
        lines.append(
            f"{where}: {plural(report.n_docs, 'document')} in {plural(report.n_shards, 'file')}; "
            f"{changes}; {report.elapsed_ms / 1000:.1f} s"
        )
    if report.patch is not None:
        lines.append(_patch_text(report.patch))
    return "\n".join(lines)


def build_problems(report: BuildReport) -> str:
    """What was not taken in and why, for stderr; empty when there is nothing to say."""
    lines = [f"Note: {printable(note)}" for note in report.notes]
    if report.unsupported:
        counts = sorted(report.unsupported.items(), key=lambda item: (-item[1], item[0]))
        lines.append(
            "Not read by any configured kind: "
            + ", ".join(
                f"{n:,} {printable(suffix) or 'without suffix'}" for suffix, n in counts[:8]
            )
            + (f" and {len(counts) - 8} kinds more" if len(counts) > 8 else "")
        )
    lines += problem_lines("Skipped", report.skips)
    lines += problem_lines("Damaged", report.damage)
    lines += problem_lines("Source failed", report.sources_failed)
    if report.sources_failed:
        lines.append(
            "Documents of a failed source stay in the store; "
            "a source that is meant to be gone is removed from the configuration."
        )
    return "\n".join(lines)


def _patch_text(patch: PatchReport) -> str:
    if patch.applied:
        return f"patched {patch.shard}:{patch.line}: {printable(patch.doc_id or '')}"
    return f"not patched: {patch.declined} ({printable(patch.detail)})"


def problem_lines(what: str, problems: Iterable[Problem]) -> list[str]:
    """`what: path:line: reason`, the first few of them."""
    return first_few([f"{what}: {problem_text(problem)}" for problem in problems])


def problem_text(problem: Problem) -> str:
    """`source: path:line: reason` with the parts that are known."""
    where = problem.path if problem.line is None else f"{problem.path}:{problem.line}"
    parts = dict.fromkeys(
        (problem.source, where, problem.reason)
    )  # a source may be named as its path
    return printable(": ".join(part for part in parts if part))


def first_few(lines: Sequence[str]) -> list[str]:
    """As many lines as a person reads, and how many more there are."""
    if len(lines) <= _MOST_LISTED:
        return list(lines)
    return [*lines[:_MOST_LISTED], f"... and {len(lines) - _MOST_LISTED:,} more (--format json)"]


def _as_seen_from_here(path: str) -> str:
    """A path below the working folder without the part that leads there."""
    relative = os.path.relpath(path)
    return path if relative.startswith(os.pardir) else relative
