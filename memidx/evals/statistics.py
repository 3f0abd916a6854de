"""How far does a difference between two settings stand out from chance?

Tests and intervals over queries, each value of one setting paired with the value of the other for
the same query. Deterministic: the same values and seed give the same figures, on every machine
and with every numpy (`RandomState` is the generator whose stream is promised not to change).
References: docs/tuning.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, NamedTuple

DRAWS = 10_000
ALPHA = 0.05
POWER = 0.80

# Sums of the same numbers in another order differ in the last digits; they count as equal.
_TOLERANCE = 1e-9
_CHUNK = 1000


class Interval(NamedTuple):
    """Two ends of a confidence interval."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class PairedTest:
    """A paired randomization test.

    Attributes:
        n_queries: Pairs; `n_differing` of them have a difference.
        gain: Mean of the differences.
        p: Two-sided.
        exact: All sign patterns were counted; else `n_draws` were drawn.
    """

    n_queries: int
    n_differing: int
    gain: float
    p: float
    exact: bool
    n_draws: int


def paired_randomization(
    differences: Sequence[float], *, seed: int = 0, draws: int = DRAWS
) -> PairedTest:
    """Could the mean difference come from chance? Two-sided, over sign patterns [SAC07].

    Without an effect, the sign of each query's difference is a coin's. All patterns are counted
    where there are at most `draws`; else that many are drawn, and p = (1 + n) / (1 + draws), so
    that it is never 0 [PS10].

    Args:
        differences: One a query; queries without a difference have no say in p.
        seed: Of the draws.
        draws: How many, >= 1.
    """
    values = [value for value in differences if value]
    p, n_draws, exact = max_randomization([[value] for value in values], seed=seed, draws=draws)
    return PairedTest(
        n_queries=len(differences),
        n_differing=len(values),
        gain=math.fsum(values) / len(differences) if differences else 0.0,
        p=p[0] if p else 1.0,
        exact=exact,
        n_draws=n_draws,
    )


def max_randomization(
    differences: Sequence[Sequence[float]], *, seed: int = 0, draws: int = DRAWS
) -> tuple[list[float], int, bool]:
    """p of each of several paired differences, adjusted for how many are looked at.

    One pattern of signs turns a query's differences in all columns at once, which keeps how the
    columns hang together; a column's figure is |sum| / sqrt(sum of squares), which orders as its
    |t| does; p is the share of patterns in which the largest figure of any column reaches the
    column's own (single-step maxT [WY93]). The chance that any true null is rejected is at most
    the level, however many columns there are.

    Args:
        differences: `[query][column]`.
        seed: Of the draws.
        draws: How many, >= 1, where there are more sign patterns than that.

    Returns:
        p by column, how many patterns were looked at, and whether these were all.
    """
    import numpy as np

    matrix = np.array([row for row in differences if any(row)], dtype=np.float64)
    n_columns = len(differences[0]) if differences else 0
    if not len(matrix):
        return [1.0] * n_columns, 1, True
    size = np.sqrt((matrix**2).sum(axis=0))
    unit = np.divide(matrix, size, out=np.zeros_like(matrix), where=size > 0.0)
    observed = np.abs(unit.sum(axis=0)) * (1.0 - _TOLERANCE)
    reached = np.zeros(n_columns, dtype=np.int64)
    n_queries = len(matrix)
    exact = n_queries < 64 and 2**n_queries <= draws
    n_patterns = 2**n_queries if exact else draws
    random = np.random.RandomState(seed)
    for begin in range(0, n_patterns, _CHUNK):
        end = min(begin + _CHUNK, n_patterns)
        if exact:
            bits = np.arange(begin, end)[:, np.newaxis] >> np.arange(n_queries) & 1
        else:
            bits = random.randint(0, 2, size=(end - begin, n_queries))
        largest = np.abs((2.0 * bits - 1.0) @ unit).max(axis=1)
        reached += (largest[:, np.newaxis] >= observed).sum(axis=0)
    extra = 0 if exact else 1
    p = [(int(n) + extra) / (n_patterns + extra) for n in reached]
    return [value if size[i] else 1.0 for i, value in enumerate(p)], n_patterns, exact


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values adjusted for how many are looked at, by Holm's step-down [H79].

    The smallest is multiplied by their number, the next by one less, and so on; none comes out
    below one before it, or above 1. Whatever hangs together, the chance that any true null is
    rejected is at most the level.
    """
    adjusted = list(p_values)
    largest = 0.0
    order = sorted(range(len(adjusted)), key=adjusted.__getitem__)
    for place, i in enumerate(order):
        largest = max(largest, min(1.0, (len(order) - place) * p_values[i]))
        adjusted[i] = largest
    return adjusted


def bootstrap_interval(
    values: Sequence[float], *, seed: int = 0, draws: int = DRAWS, level: float = 1.0 - ALPHA
) -> Interval:
    """Percentile interval of a mean: queries are drawn with replacement [ET93].

    Args:
        values: One a query, at least one.
        seed: Of the draws.
        draws: How many means, >= 1.
        level: Share of the means between the ends, 0..1.
    """
    import numpy as np

    sample = np.array(values, dtype=np.float64)
    random = np.random.RandomState(seed)
    means: list[Any] = []
    for begin in range(0, draws, _CHUNK):
        drawn = random.randint(0, len(sample), size=(min(_CHUNK, draws - begin), len(sample)))
        means.append(sample[drawn].mean(axis=1))
    tail = 100.0 * (1.0 - level) / 2.0
    low, high = np.percentile(np.concatenate(means), [tail, 100.0 - tail])
    return Interval(float(low), float(high))


def wilson_interval(n_right: int, n: int, level: float = 1.0 - ALPHA) -> Interval:
    """Interval of a share, good for few and for extreme counts too [W27].

    Args:
        n_right: Successes, 0..n.
        n: Trials; without any, nothing is known: 0..1.
        level: Confidence, 0..1.
    """
    if n == 0:
        return Interval(0.0, 1.0)
    z = NormalDist().inv_cdf(0.5 + level / 2.0)
    share, spread = n_right / n, z * z / n
    middle = (share + spread / 2.0) / (1.0 + spread)
    half = z * math.sqrt(share * (1.0 - share) / n + spread / (4.0 * n)) / (1.0 + spread)
    # At 0 and n one end is exact; rounding must not put it outside.
    low = 0.0 if n_right == 0 else middle - half
    return Interval(low, 1.0 if n_right == n else middle + half)


def queries_needed(
    differences: Sequence[float], *, power: float = POWER, alpha: float = ALPHA
) -> int | None:
    """How many queries a paired two-sided test needs to see this mean difference.

    n = ((z(1 - alpha/2) + z(power)) * s / d)^2 + z(1 - alpha/2)^2 / 2, with the mean d and the
    standard deviation s of the differences seen: the sample size of the paired t test in
    Guenther's form [G81], for topics as in [S16].

    Returns:
        At least 2; None where the mean difference is 0 or there are fewer than two queries: no
        number of queries can be told.
    """
    n = len(differences)
    if n < 2:
        return None
    mean = math.fsum(differences) / n
    if abs(mean) < 1e-12:
        return None
    variance = math.fsum((value - mean) ** 2 for value in differences) / (n - 1)
    z, z_power = NormalDist().inv_cdf(1.0 - alpha / 2.0), NormalDist().inv_cdf(power)
    needed = (z + z_power) ** 2 * variance / mean**2 + z * z / 2.0
    return max(2, math.ceil(needed))


def fewest_differing(alpha: float = ALPHA) -> int:
    """The fewest queries that must differ, all one way, for p <= alpha: 2 / 2^n <= alpha."""
    return math.ceil(1.0 - math.log2(alpha))


def largest_unseen_share(n: int, alpha: float = ALPHA) -> float:
    """The largest share of queries that may differ though none of `n` did.

    The exact one-sided bound 1 - alpha^(1/n), near 3/n ("rule of three").
    """
    return 1.0 if n == 0 else 1.0 - alpha ** (1.0 / n)
