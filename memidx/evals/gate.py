"""What do the results of single queries add up to?

Figures of a category, whether a floor holds, and the outcome of the run. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from memidx.evals.measures import mean_values
from memidx.evals.outcome import Outcome, combine
from memidx.evals.report import FloorResult, Group, QueryResult, Status
from memidx.evals.suite import OVERALL, Floor, GoldenQuery

# A mean is a sum of rounded parts; a floor written with the same digits must hold.
_TOLERANCE = 1e-9


def decide(
    results: Sequence[QueryResult], floors: Sequence[FloorResult], problems: Sequence[str]
) -> Outcome:
    """The outcome of a run: only `must` queries and floors can fail it.

    Whatever could not be judged makes it inconclusive, of any severity: a label that rots
    unseen is worth nothing on the day it is needed.
    """
    outcomes = [Outcome.INCONCLUSIVE] if problems else []
    outcomes += [
        Outcome.FAILED
        for result in results
        if result.status == "failed" and result.severity == "must"
    ]
    outcomes += [Outcome.FAILED for floor in floors if floor.status == "failed"]
    statuses = [*(result.status for result in results), *(floor.status for floor in floors)]
    if "inconclusive" in statuses:
        outcomes.append(Outcome.INCONCLUSIVE)
    return combine(outcomes)


def is_measured(query: GoldenQuery) -> bool:
    """Whether a query has relevant items, so that measures are defined for it."""
    return bool(query.expectations) and not query.expect_empty


def group_of(name: str, results: Sequence[QueryResult], measures: Sequence[str]) -> Group:
    """Figures over some queries; the inconclusive ones are counted and left out of the rest."""
    judged = [result for result in results if result.status != "inconclusive"]
    values = [result.measures for result in judged if result.measures]
    return Group(
        name=name,
        n_queries=len(results),
        n_passed=sum(result.status == "passed" for result in results),
        n_failed=sum(result.status == "failed" for result in results),
        n_inconclusive=len(results) - len(judged),
        n_measured=len(values),
        measures=mean_values(values, measures),
        n_sources_expected=sum(len(result.sources_expected) for result in judged),
        n_sources_found=sum(len(result.sources_found) for result in judged),
        n_empty=sum(result.false_positive is not None for result in judged),
        n_false_positives=sum(result.false_positive is True for result in judged),
    )


def hold_floor(
    floor: Floor, queries: Sequence[GoldenQuery], results: Sequence[QueryResult]
) -> FloorResult:
    """Hold a mean against its floor, whatever the inconclusive queries would have given.

    The floor holds when it holds with 0 for each of them, and is missed when it is missed with
    1 for each; between the two nobody knows.
    """
    chosen = [
        result
        for query, result in zip(queries, results, strict=True)
        if floor.scope in (OVERALL, query.category) and is_measured(query)
    ]
    values = [result.measures[floor.measure] for result in chosen if result.measures]
    total, n_open = sum(values), len(chosen) - len(values)
    status: Status = "inconclusive"
    if chosen and total / len(chosen) >= floor.minimum - _TOLERANCE:
        status = "passed"
    elif chosen and (total + n_open) / len(chosen) < floor.minimum - _TOLERANCE:
        status = "failed"
    value = total / len(values) if values else None
    return FloorResult(floor.scope, floor.measure, floor.minimum, value, status, floor.line)
