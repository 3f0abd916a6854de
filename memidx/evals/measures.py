"""How good is a ranking, in the field's own measures?

The figures come from ir-measures. trec_eval, which it calls, ignores the rank of a hit: it sorts
by score, in single precision, and breaks ties by document name. So it is given scores made from
the served rank, and names made here, which also keeps spaces, control characters and lone
surrogates of real names away from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

SUITE_MEASURES = (
    "nDCG@10",
    "RR@10",
    "AP",
    "R@10",
    "P@5",
    "Success@1",
    "Success@3",
    "Success@5",
    "Judged@10",
)
COLLECTION_MEASURES = ("nDCG@10", "RR@10", "AP", "R@100", "Success@1", "Success@3")
DEPTH = 1000

Qrels = Mapping[str, Mapping[str, int]]
Rankings = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Measured:
    """Values of some measures.

    Attributes:
        by_query: `by_query[query_id][measure]`, for every query of the qrels.
        missing: Queries of the qrels without a result; they count 0.
        unjudged: Queries of the run without qrels; they do not count.
    """

    measures: tuple[str, ...]
    by_query: Mapping[str, Mapping[str, float]]
    missing: tuple[str, ...]
    unjudged: tuple[str, ...]

    def means(self, query_ids: Iterable[str] | None = None) -> dict[str, float]:
        """Means over some queries, over all by default; empty when there are none."""
        chosen = list(self.by_query if query_ids is None else query_ids)
        return mean_values([self.by_query[query_id] for query_id in chosen], self.measures)


def measure(qrels: Qrels, rankings: Rankings, measures: Sequence[str]) -> Measured:
    """Measure rankings against relevance grades.

    Args:
        qrels: `qrels[query_id][doc_id]` is the grade; below 1 is judged and not relevant.
        rankings: `rankings[query_id]` is the `doc_id`s in served order; a repeat takes no place.
        measures: Names in the spelling of ir-measures.

    Returns:
        A value for every query of the qrels and every measure, whatever the run holds.
    """
    # ir-measures takes 70 ms to import and brings numpy and scipy.
    import ir_measures

    names = _Names()
    judged = {query_id: grades for query_id, grades in qrels.items() if grades}
    # trec_eval has no negative grades; they mean the same as 0.
    pool = [
        ir_measures.Qrel(names[query_id], names[doc_id], max(grade, 0))
        for query_id, grades in judged.items()
        for doc_id, grade in grades.items()
    ]
    run = [
        ir_measures.ScoredDoc(names[query_id], names[doc_id], float(len(ranking) - position))
        for query_id, ranking in rankings.items()
        if query_id in judged
        for position, doc_id in enumerate(dict.fromkeys(ranking))
    ]
    parsed = {ir_measures.parse_measure(name): name for name in measures}
    by_query = {query_id: dict.fromkeys(measures, 0.0) for query_id in judged}
    if run:
        for metric in ir_measures.iter_calc(list(parsed), pool, run):
            query_id = names.original(metric.query_id)
            by_query[query_id][parsed[metric.measure]] = float(metric.value)
    return Measured(
        measures=tuple(measures),
        by_query=by_query,
        missing=tuple(query_id for query_id in judged if not rankings.get(query_id)),
        unjudged=tuple(query_id for query_id in rankings if query_id not in judged),
    )


def mean_values(values: Sequence[Mapping[str, float]], measures: Sequence[str]) -> dict[str, float]:
    """Mean of each measure over queries; empty when there are none."""
    # `fsum`, so that the order of the queries cannot move the last digit.
    import math

    if not values:
        return {}
    return {name: math.fsum(value[name] for value in values) / len(values) for name in measures}


class _Names:
    """Names that any tool takes, one for each name of ours."""

    def __init__(self) -> None:
        self._numbers: dict[str, str] = {}
        self._names: list[str] = []

    def __getitem__(self, name: str) -> str:
        number = self._numbers.get(name)
        if number is None:
            number = self._numbers[name] = str(len(self._names))
            self._names.append(name)
        return number

    def original(self, number: Any) -> str:
        return self._names[int(number)]
