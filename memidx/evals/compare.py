"""Is one ranking better than another, query by query?

Two rankings are given by a value for each query, of the same queries in the same order. Pure and
deterministic. The test itself, and its references: `memidx.evals.statistics`, docs/tuning.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from memidx.evals.statistics import DRAWS
from memidx.evals.statistics import paired_randomization as _test

# Measures are quotients of small whole numbers and logarithms: what is nearer than this is equal.
TOLERANCE = 1e-9


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
    a: Sequence[float], b: Sequence[float], *, n: int = DRAWS, seed: int = 0
) -> float:
    """Two-sided p-value of the paired randomization test on the difference of means.

    Args:
        a: A value for each query.
        b: Values of the other ranking, of the same queries in the same order.
        n: Ways to turn pairs around that are looked at, >= 1: all of them where there are no
            more than that, else so many are drawn.
        seed: Which ones are drawn.

    Returns:
        0 < p <= 1; 1 where nothing differs, or nothing is compared.

    Raises:
        ValueError: The two are not equally long, or `n` is below 1.
    """
    if n < 1:
        raise ValueError(f"n must be at least 1, not {n}")
    # Rounding is no difference.
    differences = [d for d in _differences(a, b) if abs(d) > TOLERANCE]
    return _test(differences, seed=seed, draws=n).p


def _differences(a: Sequence[float], b: Sequence[float]) -> list[float]:
    if len(a) != len(b):
        raise ValueError(f"values of the same queries are needed, not {len(a)} and {len(b)}")
    return [x - y for x, y in zip(a, b, strict=True)]
