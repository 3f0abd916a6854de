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
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from memidx.evals.statistics import (
    ALPHA,
    DRAWS,
    Interval,
    PairedTest,
    bootstrap_interval,
    max_randomization,
    paired_randomization,
    queries_needed,
)
from memidx.search.points import Point, show_value

# Means that differ less than this are equal: sums of the same numbers differ in the last digits.
_DIGITS = 12
# Of the tests inside a nested cross-validation, which are made once a fold.
_NESTED_DRAWS = 2000


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
        nested: What following the verdict gains: each fold is scored at the point that tests and
            a cross-validation on the other folds would have changed the setting to, if any.
            None with fewer than four queries.
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
    nested: CrossValidation | None
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
    points: Sequence[Point],
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
        nested=_nest(points, query_ids, values, current, n_folds, seed),
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


def mean_of(row: Sequence[float]) -> float:
    """Mean of a measure over queries, rounded so that equal sums are equal means."""
    return _mean(row, range(len(row)))


def region_of(points: Sequence[Point], chosen: Iterable[int]) -> str:
    """Some points of a grid in words: `k1 0.9, 1.2: b 0.55-0.85; k1 1.5: b 0.65`.

    A range means every point of the grid from one end to the other. With more than two axes, or
    with names for values, it is what the points have on each axis.
    """
    wanted = set(chosen)
    if len(wanted) == len(points):
        return "the whole grid"
    axes = points[0].axes
    if len(axes) == 2 and all(isinstance(v, float) for p in points for _, v in p.values):
        return _rows(points, wanted)
    said = []
    for axis in axes:
        every = dict.fromkeys(sorted({points[n][axis] for n in range(len(points))}, key=str))
        here = {points[n][axis] for n in wanted}
        if all(isinstance(value, float) for value in every):
            cells = sorted((float(value), value in here) for value in every)
            said.append(f"{axis} {_ranges(cells)}")
        else:
            said.append(f"{axis} {', '.join(show_value(v) for v in every if v in here)}")
    return "; ".join(said)


def _rows(points: Sequence[Point], wanted: Collection[int]) -> str:
    down, across = points[0].axes
    rows: dict[float, list[tuple[float, bool]]] = {}
    for number, point in enumerate(points):
        rows.setdefault(float(point[down]), []).append((float(point[across]), number in wanted))
    by_range: dict[str, list[str]] = {}
    for value in sorted(rows):
        if ranges := _ranges(sorted(rows[value])):
            by_range.setdefault(ranges, []).append(show_value(value))
    return "; ".join(f"{down} {', '.join(v)}: {across} {r}" for r, v in by_range.items())


def _ranges(cells: Sequence[tuple[float, bool]]) -> str:
    runs: list[list[float]] = []
    before = False
    for value, is_in in cells:
        if is_in and before:
            runs[-1].append(value)
        elif is_in:
            runs.append([value])
        before = is_in
    ends = ([show_value(run[0]), show_value(run[-1])] for run in runs)
    return ", ".join(low if low == high else f"{low}–{high}" for low, high in ends)


def _cross_validate(
    points: Sequence[Point],
    query_ids: Sequence[str],
    values: Sequence[Sequence[float]],
    current: int,
    n_folds: int,
    seed: int,
    draws: int = DRAWS,
) -> CrossValidation | None:
    """What the best point of the other folds gives."""

    def take_best(training: Sequence[int]) -> int:
        return _best(points, [_mean(row, training) for row in values], current)

    return _fold(query_ids, values, current, n_folds, seed, take_best, draws)


def _nest(
    points: Sequence[Point],
    query_ids: Sequence[str],
    values: Sequence[Sequence[float]],
    current: int,
    n_folds: int,
    seed: int,
) -> CrossValidation | None:
    """What the verdict on the other folds gives: the best point where it is supported there."""

    def follow(training: Sequence[int]) -> int:
        inner = [[row[q] for q in training] for row in values]
        best = _best(points, [_mean(row, training) for row in values], current)
        if best == current:
            return current
        against_best = [[row[q] - inner[best][q] for row in inner] for q in range(len(training))]
        p_values, _, _ = max_randomization(against_best, seed=seed, draws=_NESTED_DRAWS)
        if p_values[current] > ALPHA:
            return current
        ids = [query_ids[q] for q in training]
        checked = _cross_validate(points, ids, inner, current, n_folds, seed, _NESTED_DRAWS)
        return best if checked is not None and checked.interval.low > 0 else current

    if len(query_ids) < 4:
        return None
    return _fold(query_ids, values, current, n_folds, seed, follow, DRAWS)


def _fold(
    query_ids: Sequence[str],
    values: Sequence[Sequence[float]],
    current: int,
    n_folds: int,
    seed: int,
    choose_on: Callable[[Sequence[int]], int],
    draws: int,
) -> CrossValidation | None:
    """Every query at the point that `choose_on` takes for the queries of the other folds."""
    n_folds = min(n_folds, len(query_ids))
    if n_folds < 2:
        return None
    fold_of = folds_of(query_ids, n_folds, seed)
    every = range(len(query_ids))
    folds = []
    for fold in range(n_folds):
        training = [q for q in every if fold_of[q] != fold]
        folds.append(Fold(len(query_ids) - len(training), choose_on(training)))
    held_out = [values[folds[fold_of[q]].point][q] for q in every]
    gains = [value - values[current][q] for q, value in enumerate(held_out)]
    return CrossValidation(
        folds=tuple(folds),
        mean=_mean(held_out, every),
        gain=_mean(gains, every),
        interval=bootstrap_interval(gains, seed=seed, draws=draws),
    )


def _best(points: Sequence[Point], means: Sequence[float], current: int) -> int:
    """The point with the largest mean; of equals the current one, else the nearest to it."""
    here = points[current]

    def key(n: int) -> tuple[float, bool, float, int]:
        return -means[n], n != current, _distance(points[n], here), n

    return min(range(len(points)), key=key)


def _distance(first: Point, second: Point) -> float:
    """The sum over axes; names are 1 apart."""
    pairs = zip(first.values, second.values, strict=True)
    return sum(
        abs(a - b) if isinstance(a, float) and isinstance(b, float) else float(a != b)
        for (_, a), (_, b) in pairs
    )


def _mean(row: Sequence[float], queries: Sequence[int]) -> float:
    return round(math.fsum(row[q] for q in queries) / len(queries), _DIGITS)


def _digest(query_id: str, seed: int) -> bytes:
    return hashlib.sha256(f"{seed}\0{query_id}".encode("utf-8", "replace")).digest()
