"""How does every query fare at every point of a grid?

Each query is ranked at all points at once (`memidx.search.grid_ranker`), and rankings that hold
the judged documents at the same ranks are measured once. The figures are ir-measures', as in any
other run.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from memidx.errors import InputError
from memidx.evals.judge import Ranked
from memidx.evals.measures import DEPTH, measure
from memidx.evals.validate import is_measure
from memidx.search.grid_ranker import GridRanker, QueryGrid
from memidx.search.points import Point

# `progress(done, of)`, called once a query.
Progress = Callable[[int, int], None]
# Grades and ranking in the form the measures take, made from `doc_id`s in served order.
Relevant = Callable[[Sequence[str]], tuple[Mapping[str, int], Sequence[str]]]

# Hits that wait to be measured together: what bounds the memory.
_MAX_WAITING = 500_000


@dataclass(frozen=True, slots=True)
class Question:
    """One query, and what its answers are held against.

    Attributes:
        relevant: None for a query without relevant items: no measure is defined for it.
        passes: Whether an answer passes; None where there is no pass rule.
        n_hits: How many hits `passes` looks at.
        k: How many hits a reader is shown.
    """

    query_id: str
    text: str
    relevant: Relevant | None
    passes: Callable[[Sequence[Ranked]], bool] | None = None
    n_hits: int = 0
    k: int = 10


@dataclass(frozen=True, slots=True)
class TopAnswer:
    """The first hit of one query at the current setting: its relevance, and whether it is right.

    Attributes:
        strategy: The channel that ranked (the fallback's, where it was taken).
        label: Its published label.
    """

    query_id: str
    strategy: str
    relevance: float
    label: str
    is_right: bool


@dataclass(frozen=True, slots=True)
class GridValues:
    """Values of the measures at every point.

    Attributes:
        points: The grid.
        query_ids: Queries that the measures are defined for.
        values: `values[measure][point][query]`.
        n_passed: Queries that pass, by point; empty where there is no pass rule.
        n_asked_to_pass: Of so many.
        top: First hits at the current setting, of queries that have one and that can be judged.
    """

    points: tuple[Point, ...]
    query_ids: tuple[str, ...]
    values: Mapping[str, tuple[tuple[float, ...], ...]]
    n_passed: tuple[int, ...]
    n_asked_to_pass: int
    top: tuple[TopAnswer, ...]


class Judges(Protocol):
    """Says whether the first hit of a query is right; None where nobody knows."""

    def __call__(self, query_id: str, doc_id: str, /) -> bool | None: ...  # noqa: D102


def grid_values(
    ranker: GridRanker,
    questions: Sequence[Question],
    measures: Sequence[str],
    *,
    current: int,
    is_right: Judges,
    progress: Progress | None = None,
) -> GridValues:
    """Rank, and measure.

    Args:
        ranker: Has the points.
        questions: Distinct `query_id`s.
        measures: Names.
        current: Number of the point whose first hits are looked at.
        is_right: Judges those.
        progress: Told after each query.
    """
    depth = max(map(depth_of, measures))
    measured = [question.query_id for question in questions if question.relevant]
    collected = _Collected(measures, len(ranker.points))
    n_passed = [0] * len(ranker.points)
    top: list[TopAnswer] = []
    for n_done, question in enumerate(questions, 1):
        found = ranker.rank(question.text, max(depth, question.n_hits))
        if question.relevant:
            collected.add(question.query_id, question.relevant, found, depth)
        if question.passes:
            for point in range(len(ranker.points)):
                n_passed[point] += question.passes(found.ranked(point, question.n_hits))
        top.extend(_top(question, found, current, is_right))
        if progress:
            progress(n_done, len(questions))
    by_query = collected.finish()
    return GridValues(
        points=ranker.points,
        query_ids=tuple(measured),
        values={
            name: tuple(
                tuple(by_query[query_id][name][point] for query_id in measured)
                for point in range(len(ranker.points))
            )
            for name in measures
        },
        n_passed=tuple(n_passed) if any(q.passes for q in questions) else (),
        n_asked_to_pass=sum(q.passes is not None for q in questions),
        top=tuple(top),
    )


def depth_of(name: str) -> int:
    """How many hits a measure looks at.

    Raises:
        InputError: For a name that is no measure's.
    """
    if not is_measure(name):
        expected = "nDCG@k, RR@k, AP, R@k, P@k, Success@k or Judged@k"
        raise InputError("unknown measure", expected=expected, found=name)
    _, _, cutoff = name.partition("@")
    return int(cutoff) if cutoff else DEPTH


def _top(
    question: Question, found: QueryGrid, current: int, is_right: Judges
) -> Sequence[TopAnswer]:
    hits = found.ranked(current, 1)
    right = is_right(question.query_id, hits[0].doc_id) if hits else None
    if right is None:
        return ()
    strategy = found.rankings[current].strategy
    return (TopAnswer(question.query_id, strategy, hits[0].relevance, hits[0].confidence, right),)


class _Collected:
    """Rankings on their way to the measures; equal ones of a query are measured once."""

    def __init__(self, measures: Sequence[str], n_points: int) -> None:
        self._measures = measures
        self._n_points = n_points
        self._qrels: dict[str, Mapping[str, int]] = {}
        self._run: dict[str, Sequence[str]] = {}
        self._used: dict[str, list[str]] = {}
        self._n_waiting = 0
        self._values: dict[str, dict[str, list[float]]] = {}

    def add(self, query_id: str, relevant: Relevant, found: QueryGrid, depth: int) -> None:
        """Take the rankings of a query in."""
        names: dict[tuple[str, ...], str] = {}
        alike: dict[Hashable, str] = {}
        used = []
        for point in range(self._n_points):
            ranking = found.doc_ids(point)[:depth]
            if ranking not in names:
                grades, served = relevant(ranking)
                # No measure tells one document without a judgement from another.
                pattern = (tuple(grades.items()), tuple(d if d in grades else "" for d in served))
                if pattern not in alike:
                    # A query of its own for each: in a suite, grades depend on the ranking.
                    name = alike[pattern] = f"{len(alike)} {query_id}"
                    self._qrels[name], self._run[name] = grades, served
                    self._n_waiting += len(served)
                names[ranking] = alike[pattern]
            used.append(names[ranking])
        self._used[query_id] = used
        if self._n_waiting > _MAX_WAITING:
            self._measure()

    def finish(self) -> Mapping[str, Mapping[str, Sequence[float]]]:
        """`[query_id][measure][point]` of everything that was added."""
        self._measure()
        return self._values

    def _measure(self) -> None:
        by_name = measure(self._qrels, self._run, self._measures).by_query
        for query_id, used in self._used.items():
            self._values[query_id] = {
                measure_name: [by_name[name][measure_name] for name in used]
                for measure_name in self._measures
            }
        self._qrels, self._run, self._used = {}, {}, {}
        self._n_waiting = 0
