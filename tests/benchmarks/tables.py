"""How is a figure put beside a peer's, and beside what was aimed at?

A row compares memidx with one peer. Where something was aimed at, the row has a bar: what must be
reached, and what would be good. A bar is worked out from the peer's figure of the same run, unless
it is a plain number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from tabulate import tabulate


class Bar(NamedTuple):
    """What is aimed at: in words, and the largest figure that reaches it, given the peer's."""

    says: str
    limit: Callable[[float], float]


AHEAD = Bar("< 1", lambda theirs: theirs)


def times(factor: float) -> Bar:
    """At most so many times the peer's figure."""
    return Bar(f"≤ {factor:g}", lambda theirs: factor * theirs)


def plus_ms(milliseconds: float) -> Bar:
    """At most so much above the peer's time."""
    return Bar(f"≤ peer + {milliseconds:g} ms", lambda theirs: theirs + milliseconds / 1000)


def at_most(figure: float, unit: str) -> Bar:
    """At most so much, whatever the peer does."""
    return Bar(f"≤ {show(figure, unit)}", lambda _: figure)


def show(figure: float, unit: str) -> str:
    """A time in seconds (`s`), a size in bytes (`B`) or a count, in a unit that reads well."""
    scales = {
        "s": ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")),
        "B": ((1e6, "MB"), (1e3, "KB"), (1.0, "B")),
    }
    for scale, name in scales.get(unit, ()):
        if figure >= scale * 0.9995 or name in ("µs", "B"):
            return f"{_digits(figure / scale)} {name}"
    return _digits(figure)


def _digits(value: float) -> str:
    """Three digits, or all before the point."""
    return f"{value:,.0f}" if value >= 99.95 else f"{value:.3g}"


class Comparisons:
    """The one table of memidx beside its peers; it remembers which bars were missed."""

    def __init__(self) -> None:
        self._rows: list[list[str]] = []
        self._must: list[tuple[str, bool]] = []
        self._reach: list[tuple[str, bool]] = []

    def add(
        self,
        what: str,
        ours: float,
        peer: str,
        theirs: float,
        unit: str = "s",
        *,
        must: Bar | None = None,
        reach: Bar | None = None,
    ) -> None:
        """One row; `ours` and `theirs` in seconds or bytes."""
        cells = []
        for bar, kept in ((must, self._must), (reach, self._reach)):
            if bar is None:
                cells.append("")
                continue
            limit = bar.limit(theirs)
            held = ours < limit if bar is AHEAD else ours <= limit
            words = f"{what}: {show(ours, unit)} (`{bar.says}`; {peer}: {show(theirs, unit)})"
            kept.append((words, held))
            cells.append(f"{bar.says} {'met' if held else 'MISSED'}")
        figures = [show(ours, unit), peer, show(theirs, unit), f"{ours / theirs:.2f}"]
        self._rows.append([what, *figures, *cells])

    def text(self) -> str:
        """The table, and what became of the bars."""
        heads = ["what", "memidx", "peer", "theirs", "ratio", "must", "reach for"]
        lines = [tabulate(self._rows, heads, "github", disable_numparse=True), ""]
        for name, kept in (("must", self._must), ("reach for", self._reach)):
            if kept:
                missed = [words for words, held in kept if not held]
                lines.append(f"`{name}`: {len(kept) - len(missed)} of {len(kept)} met.")
                lines.extend(f"- missed: {words}" for words in missed)
                lines.append("")
        return "\n".join(lines)

    def __bool__(self) -> bool:
        return bool(self._rows)
