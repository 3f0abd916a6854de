"""Which points does a grid of k1 and b have?

A grid is two axes, given by name, as lists (`0.9,1.2`), or as ranges (`0.4:0.9:0.1`, both ends
included); pieces mix. Values are decimals: 0.4 and two steps of 0.1 make 0.6, not 0.6000000001.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal, InvalidOperation

from memidx.errors import InputError
from memidx.search.kernels import LexicalParameters

# The published finding was made on the first. The second reaches past the values that the
# literature uses (Anserini .9/.4, Lucene 1.2/.75) on every side, so that a best point at its
# edge is a finding too.
GRIDS: dict[str, tuple[tuple[float, ...], tuple[float, ...]]] = {
    "published": ((1.2, 1.5, 2.0), (0.75, 0.85, 1.0)),
    "default": ((0.6, 0.9, 1.2, 1.5, 2.0, 2.5), (0.25, 0.4, 0.55, 0.65, 0.75, 0.85, 1.0)),
}
MAX_POINTS = 1000
_LIMITS = {"k1": (Decimal(0), Decimal(1000)), "b": (Decimal(0), Decimal(1))}


def make_points(
    grid: str = "default", *, k1: str | None = None, b: str | None = None
) -> tuple[LexicalParameters, ...]:
    """Every pair of the two axes, in order of k1, then b.

    Args:
        grid: Name of a grid, whose axes count where no others are given.
        k1: Values of k1, as in the header of this module.
        b: Values of b.

    Raises:
        InputError: An unknown name, a value that is none or out of range, or too many points.
    """
    if grid not in GRIDS:
        raise InputError("unknown grid", expected=", ".join(GRIDS), found=grid)
    named = dict(zip(("k1", "b"), GRIDS[grid], strict=True))
    axes = {
        name: named[name] if text is None else parse_axis(name, text)
        for name, text in (("k1", k1), ("b", b))
    }
    n_points = len(axes["k1"]) * len(axes["b"])
    if n_points > MAX_POINTS:
        raise InputError(
            "the grid has too many points", expected=f"at most {MAX_POINTS}", found=str(n_points)
        )
    return tuple(LexicalParameters(x, y) for x in axes["k1"] for y in axes["b"])


def parse_axis(name: str, text: str) -> tuple[float, ...]:
    """Distinct values of one axis, ascending.

    Raises:
        InputError: As `make_points`.
    """
    values = {value for piece in text.split(",") for value in _piece(name, piece.strip())}
    low, high = _LIMITS[name]
    for value in sorted(values):
        if not low <= value <= high:
            raise InputError(
                f"{name} is out of range", expected=f"{low} to {high}", found=str(value)
            )
    return tuple(float(value) for value in sorted(values))


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
