"""How does a part of a report in Markdown stay readable, and short?

Tables and lists of bounded size: what is left out is said. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memidx.evals.cells import count, cut, escape

# No single text makes a table unreadable, or uses up the report.
CELL = 160


def section(head: str, heads: Sequence[str], rows: Sequence[Sequence[str]], cap: int) -> list[str]:
    """A heading and a table of no more than `cap` bytes; nothing without rows."""
    if not rows:
        return []
    title = f"## {head}\n\n{row(heads)}\n{row(['---'] * len(heads))}"
    return [_fill(title, map(row, rows), len(rows), cap, "row", "\n\n")]


def bullets(head: str | None, lines: Sequence[str], cap: int) -> list[str]:
    """A heading and a list of no more than `cap` bytes; nothing without lines."""
    if not lines:
        return []
    title = f"## {head}\n" if head else ""
    items = (f"- {escape(cut(line, 2 * CELL))}" for line in lines)
    return [_fill(title, items, len(lines), cap, "line", "\n").lstrip("\n")]


def _fill(title: str, lines: Iterable[str], n: int, cap: int, noun: str, gap: str) -> str:
    """As many lines as there is room for, and what is left out."""
    parts, used = [title], len(title.encode()) + _LAST_BYTES
    for i, line in enumerate(lines):
        used += len(line.encode()) + 1
        if used > cap:
            left_out = f"_{count(n - i, noun)} left out here; report.json has all {n:,}._"
            return "\n".join(parts) + gap + left_out
        parts.append(line)
    return "\n".join(parts)


# Room for the sentence about what is left out, and the blank line below a part.
_LAST_BYTES = 80


def row(cells: Iterable[str]) -> str:
    """One row of a table."""
    return f"| {' | '.join(cells)} |"


def cell(text: str) -> str:
    """A text that no table is broken by."""
    return escape(cut(text, CELL))
