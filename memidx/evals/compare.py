"""Is one ranking better than another, or is it chance?

Statistics over paired values: one value a query for each of two rankings, of the same queries in
the same order. Pure and deterministic: the same values give the same figures on every machine.

[SAC07] Smucker, Allan, Carterette: A comparison of statistical significance tests for
information retrieval evaluation. CIKM 2007.
[PS10] Phipson, Smyth: Permutation p-values should never be zero. Statistical Applications in
Genetics and Molecular Biology 9(1), 2010.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

# Measures are quotients of small whole numbers and logarithms: what is nearer than this is equal.
TOLERANCE = 1e-9
# Assignments that are looked at in one go; bounds memory, not the result.
_CHUNK = 1024


class WinTieLoss(NamedTuple):
    """On how many queries the first of two rankings is better, equal, worse."""

    wins: int
    ties: int
    losses: int


def win_tie_loss(
    a: Sequence[float], b: Sequence[float], *, tolerance: float = TOLERANCE
) -> WinTieLoss:
    """Count the queries on which `a` is better than `b`, equal and worse.

    Args:
        a: A value for each query.
        b: Values of the other ranking, of the same queries in the same order.
        tolerance: Differences up to this are ties.

    Raises:
        ValueError: The two are not equally long.
    """
    differences = _differences(a, b)
    wins = sum(difference > tolerance for difference in differences)
    losses = sum(difference < -tolerance for difference in differences)
    return WinTieLoss(wins, len(differences) - wins - losses, losses)


def paired_randomization(
    a: Sequence[float], b: Sequence[float], *, n: int = 10_000, seed: int = 0
) -> float:
    """Two-sided p-value of Fisher's randomization test on the difference of means [SAC07].

    If the rankings were equally good, each query's two values could as well stand the other way
    round. `p` is the share of these assignments whose means differ at least as much as those
    that were observed. Where there are no more than `n` assignments every one is counted; else
    `n` are drawn, and the observed one is counted among them [PS10], so `p` is never 0.

    Args:
        a: A value for each query.
        b: Values of the other ranking, of the same queries in the same order.
        n: Assignments to look at, >= 1.
        seed: Which ones are drawn.

    Returns:
        0 < p <= 1; 1 where nothing differs, or nothing is compared.

    Raises:
        ValueError: The two are not equally long, or `n` is below 1.
    """
    if n < 1:
        raise ValueError(f"n must be at least 1, not {n}")
    # Turning a tie around changes nothing, so ties take no part.
    differences = [d for d in _differences(a, b) if abs(d) > TOLERANCE]
    if not differences:
        return 1.0
    observed = abs(math.fsum(differences))
    n_all = 1 << len(differences)
    if n_all <= n:
        return _count_all(differences, observed) / n_all
    return (_count_drawn(differences, observed, n, seed) + 1) / (n + 1)


def _differences(a: Sequence[float], b: Sequence[float]) -> list[float]:
    if len(a) != len(b):
        raise ValueError(f"values of the same queries are needed, not {len(a)} and {len(b)}")
    return [x - y for x, y in zip(a, b, strict=True)]


def _count_all(differences: Sequence[float], observed: float) -> int:
    """How many of all assignments differ at least as much."""
    sums = [0.0]
    for difference in differences:
        sums = [total + sign for total in sums for sign in (difference, -difference)]
    return sum(_reaches(total, observed) for total in sums)


def _count_drawn(differences: Sequence[float], observed: float, n: int, seed: int) -> int:
    """How many of `n` drawn assignments differ at least as much."""
    import random

    # Only needed where there are too many assignments to count: a dozen queries that differ.
    import numpy

    values = numpy.asarray(differences, dtype=numpy.float64)
    # Python's generator gives the same bits in every version; numpy's does not promise to.
    draw = random.Random(seed)
    n_bytes = -(-len(differences) // 8)
    count = 0
    for start in range(0, n, _CHUNK):
        rows = min(_CHUNK, n - start)
        drawn = numpy.frombuffer(draw.randbytes(rows * n_bytes), dtype=numpy.uint8)
        bits = numpy.unpackbits(drawn.reshape(rows, n_bytes), axis=1)[:, : len(differences)]
        sums = (1.0 - 2.0 * bits) @ values
        count += int(numpy.count_nonzero(numpy.abs(sums) >= observed - TOLERANCE))
    return count


def _reaches(total: float, observed: float) -> bool:
    # A sum in another order may be off in its last digit.
    return abs(total) >= observed - TOLERANCE
