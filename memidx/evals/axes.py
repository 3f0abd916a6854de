"""Which points does a grid have?

A grid is one list of values an axis: given by name (`published`), as lists (`0.9,1.2`), or as
ranges (`0.4:0.9:0.1`, both ends included); pieces mix. Values are decimals: 0.4 and two steps of
0.1 make 0.6, not 0.6000000001. All combinations are looked at, or so many random ones [BB12].
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from itertools import product

from memidx.errors import InputError
from memidx.search.points import Point, Value, axis_order, point, split_axis

# The published finding was made on the first. The second reaches past the values that the
# literature uses (Anserini .9/.4, Lucene 1.2/.75) on every side, so that a best point at its
# edge is a finding too.
GRIDS: Mapping[str, Mapping[str, Sequence[Value]]] = {
    "published": {"k1": (1.2, 1.5, 2.0), "b": (0.75, 0.85, 1.0)},
    "default": {
        "k1": (0.6, 0.9, 1.2, 1.5, 2.0, 2.5),
        "b": (0.25, 0.4, 0.55, 0.65, 0.75, 0.85, 1.0),
    },
}
MAX_POINTS = 1000
_CHOICES = {"strategy": ("lexical", "vector", "hybrid"), "fusion": ("weighted", "rrf")}
_SHARES = ("b", "min_score", "decay_floor")
# Draws that may meet a point a second time before the rest of a small space is listed instead.
_TRIES = 20


def make_points(
    grid: str | None = None,
    *,
    k1: str | None = None,
    b: str | None = None,
    axes: Sequence[str] = (),
    random: int | None = None,
    seed: int = 0,
) -> tuple[Point, ...]:
    """Every combination of the axes' values, or some of them, in order of the axes.

    Args:
        grid: Name of a grid, whose axes count where no others are given; None is `default`, and
            with `axes` none at all.
        k1: Values of k1, as in the header of this module.
        b: Values of b.
        axes: `NAME=VALUES`, each another axis (`memidx.search.points`).
        random: How many points to draw from all combinations, without repeats; None takes all.
        seed: Of the draws.

    Raises:
        InputError: An unknown name, a value that is none or out of range, or too many points.
    """
    values = _values(grid, {"k1": k1, "b": b}, axes)
    names = sorted(values, key=axis_order)
    n_points = math.prod(len(values[name]) for name in names)
    wanted = n_points if random is None else random
    if wanted < 1:
        raise InputError("there is nothing to draw", expected="at least 1", found=str(wanted))
    if wanted > MAX_POINTS:
        raise InputError(
            "the grid has too many points",
            expected=f"at most {MAX_POINTS}",
            found=str(wanted),
            hint="--random N looks at N of them" if random is None else None,
        )
    if wanted < n_points:
        return _draw([values[name] for name in names], names, wanted, seed)
    return tuple(_points(names, values))


def parse_axis(name: str, text: str) -> tuple[Value, ...]:
    """Distinct values of one axis, ascending; names in the order they are given.

    Raises:
        InputError: As `make_points`.
    """
    _, key = split_axis(name)
    if key in _CHOICES:
        return _names(name, text, _CHOICES[key])
    values = {value for piece in text.split(",") for value in _piece(name, piece.strip())}
    low, high = Decimal(0), Decimal(1 if key in _SHARES else 1000)
    for value in sorted(values):
        if not low <= value <= high or (key == "weight" and not value):
            expected = f"{low} to {high}" if key != "weight" else f"above 0, to {high}"
            raise InputError(f"{name} is out of range", expected=expected, found=str(value))
    return tuple(float(value) for value in sorted(values))


def _values(
    grid: str | None, replaced: Mapping[str, str | None], axes: Sequence[str]
) -> dict[str, Sequence[Value]]:
    if grid is not None and grid not in GRIDS:
        raise InputError("unknown grid", expected=", ".join(GRIDS), found=grid)
    given = [name for name, text in replaced.items() if text is not None]
    whole = grid is not None or not axes or given
    values = dict(GRIDS[grid or "default"]) if whole else {}
    if grid is None and axes:
        values = {name: found for name, found in values.items() if name in given}
    for name, text in replaced.items():
        if text is not None:
            values[name] = parse_axis(name, text)
    seen = set(given)
    for axis in axes:
        name, equals, text = (part.strip() for part in axis.partition("="))
        if not equals:
            raise InputError("not an axis", expected="NAME=VALUES", found=axis)
        if name in seen:
            raise InputError("an axis is given twice", found=name)
        seen.add(name)
        values[name] = parse_axis(name, text)
    return values


def _points(names: Sequence[str], values: Mapping[str, Sequence[Value]]) -> Iterator[Point]:
    for combination in product(*(values[name] for name in names)):
        yield point(dict(zip(names, combination, strict=True)))


def _draw(
    values: Sequence[Sequence[Value]], names: Sequence[str], n: int, seed: int
) -> tuple[Point, ...]:
    """Distinct random combinations, each as likely as any other, in the order of the grid."""
    import numpy as np

    random = np.random.RandomState(seed)
    chosen: set[tuple[int, ...]] = set()
    for _ in range(n * _TRIES):
        chosen.add(tuple(int(random.randint(len(axis))) for axis in values))
        if len(chosen) == n:
            break
    else:
        # A space little larger than what is wanted: the rest is taken in a random order.
        rest = [c for c in product(*(range(len(axis)) for axis in values)) if c not in chosen]
        chosen.update(rest[i] for i in random.permutation(len(rest))[: n - len(chosen)].tolist())
    return tuple(
        point({name: axis[i] for name, axis, i in zip(names, values, at, strict=True)})
        for at in sorted(chosen)
    )


def _names(name: str, text: str, known: Sequence[str]) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(piece.strip() for piece in text.split(",")))
    for value in found:
        if value not in known:
            raise InputError(f"no value of {name}", expected=", ".join(known), found=repr(value))
    return found


def _piece(name: str, piece: str) -> Iterator[Decimal]:
    try:
        numbers = [Decimal(part) for part in piece.split(":")]
    except InvalidOperation:
        numbers = []
    if len(numbers) not in (1, 3) or not all(number.is_finite() for number in numbers):
        raise InputError(
            f"no value of {name}", expected="a number, or START:STOP:STEP", found=repr(piece)
        )
    if len(numbers) == 1:
        yield numbers[0]
        return
    start, stop, step = numbers
    if step <= 0 or stop < start:
        raise InputError(
            f"no range of {name}", expected="START <= STOP and STEP > 0", found=repr(piece)
        )
    if (stop - start) / step >= MAX_POINTS:
        raise InputError(
            "the grid has too many points", expected=f"at most {MAX_POINTS}", found=repr(piece)
        )
    for n in range(int((stop - start) / step) + 1):
        yield start + n * step
