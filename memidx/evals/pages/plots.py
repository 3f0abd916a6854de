"""How is a figure drawn?

As SVG that stands in the page and takes the page's colours, so that it can be read in light and
dark. Every plot has a title and a description, and beside each stands a table of what it shows.
Coordinates have two digits, so that the same figures give the same bytes. Pure.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from memidx.evals.pages.parts import NOTHING, Html, element, joined, text
from memidx.evals.pages.style import HEAT

_WIDTH = 380
# Room for the names on the left, and for the axis below.
_LEFT, _RIGHT, _TOP, _BOTTOM = 42, 14, 12, 36


class Bar(NamedTuple):
    """One row of `stacked_bars`: parts are (class, how many)."""

    name: str
    parts: tuple[tuple[str, int], ...]
    label: str


class Cell(NamedTuple):
    """One cell of a heat map; `marks` are words below the value."""

    value: float
    marks: tuple[str, ...]
    is_best: bool
    is_current: bool


class Spot(NamedTuple):
    """A value with its interval at a place of the x axis."""

    x: float
    y: float
    low: float
    high: float
    name: str = ""


def stacked_bars(title: str, bars: Sequence[Bar]) -> Html:
    """Bars of counts, all on one scale; empty without bars."""
    most = max((sum(n for _, n in bar.parts) for bar in bars), default=0)
    if not most:
        return NOTHING
    left, height = 92, 24
    room = _WIDTH - left - 70
    drawn = []
    for at, bar in enumerate(bars):
        y = at * height
        drawn.append(_label(left - 8, y + 16, bar.name, "end"))
        x = float(left)
        for class_, n in bar.parts:
            width = room * n / most
            if n:
                drawn.append(_rect(x, y + 4, width, 16, class_))
            x += width
        drawn.append(_label(x + 6, y + 16, bar.label, quiet=True))
    said = "; ".join(f"{bar.name} {bar.label}" for bar in bars)
    return _svg(title, said, _WIDTH, len(bars) * height + 4, drawn)


def trend(title: str, names: Sequence[str], values: Sequence[float | None]) -> Html:
    """Values between 0 and 1 from run to run; empty with fewer than two.

    Args:
        title: What it shows.
        names: Of the runs, the oldest first.
        values: One a run; None leaves a gap.
    """
    known = [(at, value) for at, value in enumerate(values) if value is not None]
    if len(known) < 2:
        return NOTHING
    low, high = _limits([value for _, value in known])
    drawn = [*_frame(low, high, 200)]
    spots = [(_x(at / (len(values) - 1)), _y((v - low) / (high - low), 200)) for at, v in known]
    drawn.append(_line(spots, "curve"))
    drawn += [_dot(*spot) for spot in spots]
    drawn.append(_label(spots[0][0], 192, names[known[0][0]]))
    drawn.append(_label(spots[-1][0], 192, names[known[-1][0]], "end"))
    (_, first), (_, last) = known[0], known[-1]
    said = f"{len(known)} runs, from {first:.4f} to {last:.4f}"
    return _svg(title, said, _WIDTH, 200, drawn)


def heat_map(
    title: str,
    down: tuple[str, Sequence[str]],
    across: tuple[str, Sequence[str]],
    cells: Sequence[Sequence[Cell | None]],
) -> Html:
    """A grid of values: the larger, the stronger the colour; each value stands in its cell.

    Args:
        title: What it shows.
        down: Name and values of the axis that goes down, `across` likewise.
        across: Name and values of the axis that goes to the right.
        cells: `[down][across]`; None where there is no such point.
    """
    values = [cell.value for row in cells for cell in row if cell is not None]
    if not values:
        return NOTHING
    low, high = min(values), max(values)
    side, height, left, top = 48, 34, 52, 30
    drawn = [
        _label(left, 11, f"{across[0]} →"),
        _label(4, 26, f"{down[0]} ↓"),
        *(_label(left + n * side + side / 2, 26, v, "middle") for n, v in enumerate(across[1])),
    ]
    for i, row in enumerate(cells):
        y = top + i * height
        drawn.append(_label(left - 8, y + 20, down[1][i], "end"))
        for j, cell in enumerate(row):
            if cell is None:
                continue
            x = left + j * side
            # All the same: no colour says more than another.
            share = (cell.value - low) / (high - low) if high > low else 0.0
            strength = round(0.04 + (HEAT - 0.04) * share, 3)
            drawn.append(_rect(x + 1, y + 1, side - 2, height - 2, "heat", strength))
            if cell.is_best:
                drawn.append(_rect(x + 2, y + 2, side - 4, height - 4, "chosen"))
            elif cell.is_current:
                drawn.append(_rect(x + 2, y + 2, side - 4, height - 4, "in-force"))
            middle = y + (16 if cell.marks else 21)
            drawn.append(_label(x + side / 2, middle, f"{cell.value:.4f}", "middle"))
            if cell.marks:
                drawn.append(_label(x + side / 2, y + 27, " ".join(cell.marks), "middle", size=9))
    said = f"from {low:.4f} to {high:.4f} at {len(values)} points"
    width = left + len(across[1]) * side + 4
    return _svg(title, said, max(width, 200), top + len(cells) * height + 4, drawn)


def precision_curve(
    title: str, curve: Sequence[Spot], wanted: Sequence[tuple[str, float, float | None]]
) -> Html:
    """Precision of what lies at or above a threshold, with its interval, and what was wanted.

    Args:
        title: What it shows.
        curve: By threshold, ascending.
        wanted: (label, precision, threshold or None where it is out of reach).
    """
    if not curve:
        return NOTHING
    height = 240
    drawn = [*_frame(0.0, 1.0, height), *_x_axis(height, "relevance of the first hit, at or above")]
    points = [(_x(spot.x), spot) for spot in curve]
    if len(curve) > 1:
        over = [(x, _y(spot.high, height)) for x, spot in points]
        under = [(x, _y(spot.low, height)) for x, spot in reversed(points)]
        drawn.append(element("polygon", NOTHING, points=_points([*over, *under]), class_="band"))
        drawn.append(_line([(x, _y(spot.y, height)) for x, spot in points], "curve"))
    drawn += [_dot(x, _y(spot.y, height), 2.5) for x, spot in points]
    for label, precision, threshold in wanted:
        y = _y(precision, height)
        drawn.append(_line([(_x(0.0), y), (_x(1.0), y)], "wanted"))
        where = "out of reach" if threshold is None else f"from {threshold:.2f}"
        drawn.append(_label(_x(1.0) - 3, y - 4, f"{label} {precision:g}, {where}", "end"))
        if threshold is not None:
            drawn.append(_line([(_x(threshold), y), (_x(threshold), _y(0.0, height))], "wanted"))
    said = "; ".join(f"at {spot.x:.2f}: {spot.y:.3f}" for spot in curve)
    return _svg(title, said, _WIDTH, height, drawn)


def promises(title: str, spots: Sequence[Spot]) -> Html:
    """What was promised against what was observed: on the diagonal or above, it was kept."""
    if not spots:
        return NOTHING
    height = 240
    drawn = [*_frame(0.0, 1.0, height), *_x_axis(height, "promised precision")]
    drawn.append(_line([(_x(0.0), _y(0.0, height)), (_x(1.0), _y(1.0, height))], "wanted"))
    for spot in spots:
        x = _x(spot.x)
        drawn.append(_line([(x, _y(spot.low, height)), (x, _y(spot.high, height))], "bar"))
        drawn.append(_dot(x, _y(spot.y, height), 4))
        drawn.append(_label(x - 8, _y(spot.y, height) + 4, spot.name, "end"))
    said = "; ".join(f"{s.name}: promised {s.x:g}, observed {s.y:.3f}" for s in spots)
    return _svg(title, said, _WIDTH, height, drawn)


def _svg(title: str, said: str, width: float, height: float, drawn: Sequence[Html]) -> Html:
    # The name stands in the label: a title element would be shown over every part of the plot.
    inside = joined([element("desc", text(said)), *drawn], "")
    return element(
        "svg",
        inside,
        viewBox=f"0 0 {_number(width)} {_number(height)}",
        role="img",
        aria_label=f"{title}: {said}",
    )


def _limits(values: Sequence[float]) -> tuple[float, float]:
    """The tenths below and above all values, at least two of them apart, within 0 and 1."""
    low = max(math.floor(min(values) * 10 + 1e-9), 0)
    high = min(math.ceil(max(values) * 10 - 1e-9), 10)
    if high - low < 2:
        low, high = (low, low + 2) if low + 2 <= 10 else (8, 10)
    return low / 10, high / 10


def _frame(low: float, high: float, height: float) -> list[Html]:
    """Lines across and their values."""
    drawn = []
    n_steps = 5 if high - low > 0.5 else max(round((high - low) * 10), 1)
    for n in range(n_steps + 1):
        share = n / n_steps
        y = _y(share, height)
        drawn.append(_line([(_LEFT, y), (_WIDTH - _RIGHT, y)], "axis" if n == 0 else "grid"))
        value = low + (high - low) * share
        drawn.append(_label(_LEFT - 6, y + 4, f"{value:.1f}", "end", quiet=True))
    return drawn


def _x_axis(height: float, name: str) -> list[Html]:
    y = height - _BOTTOM + 14
    marks = [_label(_x(n / 5), y, f"{n / 5:.1f}", "middle", quiet=True) for n in range(6)]
    return [*marks, _label(_x(0.5), y + 16, name, "middle", quiet=True)]


def _x(share: float) -> float:
    return _LEFT + (_WIDTH - _LEFT - _RIGHT) * share


def _y(share: float, height: float) -> float:
    return height - _BOTTOM - (height - _BOTTOM - _TOP) * share


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _points(spots: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{_number(x)},{_number(y)}" for x, y in spots)


def _line(spots: Sequence[tuple[float, float]], class_: str) -> Html:
    return element("polyline", NOTHING, points=_points(spots), class_=class_)


def _dot(x: float, y: float, radius: float = 3) -> Html:
    return element("circle", NOTHING, cx=_number(x), cy=_number(y), r=_number(radius), class_="dot")


def _rect(
    x: float, y: float, width: float, height: float, class_: str, strength: float | None = None
) -> Html:
    return element(
        "rect",
        NOTHING,
        x=_number(x),
        y=_number(y),
        width=_number(width),
        height=_number(height),
        class_=class_,
        fill_opacity=strength,
    )


def _label(
    x: float, y: float, words: str, anchor: str | None = None, *, quiet: bool = False, size: int = 0
) -> Html:
    return element(
        "text",
        text(words),
        x=_number(x),
        y=_number(y),
        text_anchor=anchor,
        class_="quiet" if quiet else None,
        font_size=size or None,
    )
