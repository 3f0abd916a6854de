"""Which point of a grid is best, and is that more than chance?

Pure: values of one measure by point and query in, a choice out. The best point of many is best
partly by luck, so three things are said about it: how it tests against the current setting and
against every other point (adjusted for how many there are), what choosing like this gains on
queries that had no part in the choice, and how many queries it would take to see the difference.
Rules and sources: docs/tuning.md.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from memidx.evals.statistics import (
    ALPHA,
    Interval,
    PairedTest,
    bootstrap_interval,
    max_randomization,
    paired_randomization,
    queries_needed,
)
from memidx.search.kernels import LexicalParameters

# Means that differ less than this are equal: sums of the same numbers differ in the last digits.
_DIGITS = 12


@dataclass(frozen=True, slots=True)
class Fold:
    """One fold of a cross-validation: the point that the other queries choose."""

    n_queries: int
    point: int


@dataclass(frozen=True, slots=True)
class CrossValidation:
    """What choosing gains on queries that had no part in the choice.

    Attributes:
        mean: Of the measure, each query at the point chosen without its fold.
        gain: Against the current setting; `interval` is its 95 % bootstrap interval.
    """

    folds: tuple[Fold, ...]
    mean: float
    gain: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class Needed:
    """A difference, and the queries it would take to see it.

    Attributes:
        of: Number of the point that is ahead; `against` of the one behind.
        test: Paired randomization test of the two.
        n_queries: At 80 % power; None where there is no difference to see.
    """

    of: int
    against: int
    test: PairedTest
    n_queries: int | None


@dataclass(frozen=True, slots=True)
class Choice:
    """What a grid says about one measure; points are told by their number.

    Attributes:
        means: By point.
        p_values: By point, against the best, adjusted for the number of points.
        plateau: Points that do not differ significantly from the best, which is one of them.
        cross_validation: None with fewer than two queries.
        gain: The best against the current setting.
        span: The best against the worst.
    """

    current: int
    best: int
    worst: int
    means: tuple[float, ...]
    p_values: tuple[float, ...]
    plateau: tuple[int, ...]
    cross_validation: CrossValidation | None
    gain: Needed
    span: Needed

    @property
    def is_flat(self) -> bool:
        """Whether no point differs significantly from the best."""
        return len(self.plateau) == len(self.means)

    @property
    def is_supported(self) -> bool:
        """Whether a change is more than chance, here and on queries that did not choose it."""
        checked = self.cross_validation
        return self.current not in self.plateau and checked is not None and checked.interval.low > 0


def choose(
    points: Sequence[LexicalParameters],
    query_ids: Sequence[str],
    values: Sequence[Sequence[float]],
    *,
    current: int,
    n_folds: int,
    seed: int,
) -> Choice:
    """Judge a grid.

    Args:
        points: The grid.
        query_ids: Decide the folds.
        values: `[point][query]` of the measure, with at least one query.
        current: Number of the point that is the current setting.
        n_folds: >= 2; at most one a query is made.
        seed: Of folds and draws.
    """
    every = range(len(query_ids))
    means = tuple(_mean(row, every) for row in values)
    best = _best(points, means, current)
    worst = min(range(len(points)), key=lambda n: (means[n], n))
    against_best = [[row[q] - values[best][q] for row in values] for q in every]
    p_values, _, _ = max_randomization(against_best, seed=seed)

    def needed(of: int, against: int) -> Needed:
        differences = [a - b for a, b in zip(values[of], values[against], strict=True)]
        test = paired_randomization(differences, seed=seed)
        return Needed(of, against, test, queries_needed(differences))

    return Choice(
        current=current,
        best=best,
        worst=worst,
        means=means,
        p_values=tuple(p_values),
        plateau=tuple(n for n, p in enumerate(p_values) if p > ALPHA),
        cross_validation=_cross_validate(points, query_ids, values, current, n_folds, seed),
        gain=needed(best, current),
        span=needed(best, worst),
    )


def equal_measures(means: Mapping[str, Sequence[float]], names: Iterable[str]) -> tuple[str, ...]:
    """Which of some measures have one mean at all points."""
    return tuple(name for name in names if max(means[name]) - min(means[name]) < 10**-_DIGITS)


def folds_of(query_ids: Sequence[str], n_folds: int, seed: int) -> list[int]:
    """The fold of each query: dealt out in order of a hash of seed and id, so sizes differ by 1.

    The order of the suite has no say, and neither has Python's hash seed.
    """
    order = sorted(range(len(query_ids)), key=lambda n: _digest(query_ids[n], seed))
    folds = [0] * len(query_ids)
    for place, query in enumerate(order):
        folds[query] = place % n_folds
    return folds


def region_of(points: Sequence[LexicalParameters], chosen: Iterable[int]) -> str:
    """Some points of a grid in words: `k1 0.9, 1.2: b 0.55-0.85; k1 1.5: b 0.65`.

    A range means every point of the grid from one end to the other.
    """
    wanted = set(chosen)
    if len(wanted) == len(points):
        return "the whole grid"
    axis: dict[float, list[tuple[float, bool]]] = {}
    for number, point in enumerate(points):
        axis.setdefault(point.k1, []).append((point.b, number in wanted))
    by_range: dict[str, list[str]] = {}
    for k1 in sorted(axis):
        if ranges := _ranges(sorted(axis[k1])):
            by_range.setdefault(ranges, []).append(f"{k1:g}")
    return "; ".join(f"k1 {', '.join(k1s)}: b {ranges}" for ranges, k1s in by_range.items())


def _ranges(cells: Sequence[tuple[float, bool]]) -> str:
    runs: list[list[float]] = []
    before = False
    for value, is_in in cells:
        if is_in and before:
            runs[-1].append(value)
        elif is_in:
            runs.append([value])
        before = is_in
    return ", ".join(f"{r[0]:g}" if len(r) == 1 else f"{r[0]:g}–{r[-1]:g}" for r in runs)


def _cross_validate(
    points: Sequence[LexicalParameters],
    query_ids: Sequence[str],
    values: Sequence[Sequence[float]],
    current: int,
    n_folds: int,
    seed: int,
) -> CrossValidation | None:
    n_folds = min(n_folds, len(query_ids))
    if n_folds < 2:
        return None
    fold_of = folds_of(query_ids, n_folds, seed)
    every = range(len(query_ids))
    folds = []
    for fold in range(n_folds):
        training = [q for q in every if fold_of[q] != fold]
        means = [_mean(row, training) for row in values]
        folds.append(Fold(len(query_ids) - len(training), _best(points, means, current)))
    held_out = [values[folds[fold_of[q]].point][q] for q in every]
    gains = [value - values[current][q] for q, value in enumerate(held_out)]
    return CrossValidation(
        folds=tuple(folds),
        mean=_mean(held_out, every),
        gain=_mean(gains, every),
        interval=bootstrap_interval(gains, seed=seed),
    )


def _best(points: Sequence[LexicalParameters], means: Sequence[float], current: int) -> int:
    """The point with the largest mean; of equals the current one, else the nearest to it."""
    here = points[current]

    def key(n: int) -> tuple[float, bool, float, int]:
        distance = abs(points[n].k1 - here.k1) + abs(points[n].b - here.b)
        return -means[n], n != current, distance, n

    return min(range(len(points)), key=key)


def _mean(row: Sequence[float], queries: Sequence[int]) -> float:
    return round(math.fsum(row[q] for q in queries) / len(queries), _DIGITS)


def _digest(query_id: str, seed: int) -> bytes:
    return hashlib.sha256(f"{seed}\0{query_id}".encode("utf-8", "replace")).digest()
