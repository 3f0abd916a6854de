"""Why did queries come out otherwise: corpus, configuration, analyzer or labels?

Runs between the two are made again: with the corpus of then and the configuration of now, and so
on, every combination of what differs. A query's cause is the smallest set of factors that gives
today's result when it alone is changed; a mean's change is shared out over all orders of changing
(Shapley values [S53]), so that the shares add up to it. Why it is done so: decision 0021.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from memidx.evals.again import FACTORS, Again, Factors, differing, subsets
from memidx.evals.against import SEEN
from memidx.evals.baseline import Baseline, rounded
from memidx.evals.changes import factor_changes
from memidx.evals.compared import Cause, Comparison, Share, Why
from memidx.evals.past import Side
from memidx.evals.report import QueryResult, Report
from memidx.evals.stale import stale_cause

# The means whose change is shared out.
SHARED = ("nDCG@10", "RR@10")
CODE = "code"
UNKNOWN = "unknown"

# Status, and the rank of each expectation that anybody sees.
Result = tuple[str, tuple[int | None, ...]]


def find_why(
    comparison: Comparison, report: Report, baseline: Baseline, before: Side, after: Side
) -> Why:
    """Make the runs between again, and say what did it.

    Args:
        comparison: Of the two runs.
        report: The later run.
        baseline: The earlier one, as recorded.
        before: What the earlier run was made of, as it was found.
        after: What the later run was made of.
    """
    again = Again(before, after)
    factors = differing(before, after)
    everything = frozenset(factors)
    reports: dict[Factors, Report] = {everything: report}
    for chosen in subsets(factors):
        if chosen not in reports:
            reports[chosen] = again.run(chosen)
    by_id = {
        chosen: {result.query_id: result for result in run.queries}
        for chosen, run in reports.items()
    }
    residual = _residual(before, baseline)
    causes = [
        _cause(query_id, by_id, everything, baseline, residual)
        for query_id in (move.query_id for move in comparison.moves)
    ]
    causes += [
        stale_cause(result, again, everything)
        for result in report.queries
        if result.query_id in comparison.unjudged
    ]
    causes += [
        _relabelled(query_id, by_id, everything, baseline) for query_id in comparison.changed
    ]
    return Why(
        state=before.name,
        n_runs=again.n_runs,
        changes=tuple(factor_changes(before, after, factors)),
        causes=tuple(causes),
        shares=tuple(_shares(by_id, factors, baseline, residual)),
        problem=_doubt(before, baseline),
    )


def shapley(values: Mapping[Factors, float], factors: Sequence[str]) -> dict[str, float]:
    """Share of each factor in the way from no factor changed to all of them.

    Args:
        values: For every subset of the factors.
        factors: Names.
    """
    n = len(factors)
    shares = {}
    for factor in factors:
        others = tuple(name for name in factors if name != factor)
        shares[factor] = math.fsum(
            (values[chosen | {factor}] - values[chosen])
            * math.factorial(len(chosen))
            * math.factorial(n - len(chosen) - 1)
            / math.factorial(n)
            for chosen in subsets(others)
        )
    return shares


def smallest(results: Mapping[Factors, object], everything: Factors) -> tuple[tuple[str, ...], ...]:
    """The smallest sets of factors that alone give the result of all; `((),)` when none is needed.

    Args:
        results: For every subset.
        everything: The set of all factors.
    """
    goal = results[everything]
    found: list[tuple[str, ...]] = []
    for chosen in subsets(tuple(name for name in FACTORS if name in everything)):
        if found and len(chosen) > len(found[0]):
            break
        if results[chosen] == goal:
            found.append(tuple(name for name in FACTORS if name in chosen))
    return tuple(found)


def _cause(
    query_id: str,
    by_id: Mapping[Factors, Mapping[str, QueryResult]],
    everything: Factors,
    baseline: Baseline,
    residual: str,
) -> Cause:
    now = by_id[everything][query_id]
    results = {
        # A suite of then need not have the query, or asked something else under its name.
        chosen: _result(found[query_id]) if query_id in found else None
        for chosen, found in by_id.items()
    }
    recorded = baseline.queries[query_id]
    then: Result = (recorded.status, _seen(recorded.ranks, now.k))
    sets = smallest(results, everything)
    if results[frozenset()] == then:
        return Cause(query_id, sets)
    # Made again of all that was then, the query does not give what was recorded.
    return Cause(query_id, tuple((residual, *together) for together in sets))


def _relabelled(
    query_id: str,
    by_id: Mapping[Factors, Mapping[str, QueryResult]],
    everything: Factors,
    baseline: Baseline,
) -> Cause:
    """A query that expects something else now: what the old labels would say today."""
    now = by_id[everything][query_id]
    was = baseline.queries[query_id].status
    detail = f"it asks or expects something else now: {was} then, {now.status} now"
    old = by_id.get(everything - {"labels"}, {}).get(query_id)
    if "labels" in everything and old is not None:
        detail += f"; by the labels of then it is {old.status} now"
    return Cause(query_id, (("labels",),), detail)


def _result(result: QueryResult) -> Result:
    return result.status, _seen([found.rank for found in result.expected], result.k)


def _seen(ranks: Sequence[int | None], k: int) -> tuple[int | None, ...]:
    """Ranks, those that nobody sees all alike."""
    return tuple(rank if rank is not None and rank <= max(k, SEEN) else None for rank in ranks)


def _shares(
    by_id: Mapping[Factors, Mapping[str, QueryResult]],
    factors: tuple[str, ...],
    baseline: Baseline,
    residual: str,
) -> Iterator[Share]:
    """What each factor did to the means, over the queries that every run could measure."""
    runs = list(by_id.values())
    now = by_id[frozenset(factors)]
    chosen = [
        query_id
        for query_id, recorded in baseline.queries.items()
        if recorded.measures
        and all(query_id in run and run[query_id].measures for run in runs)
        and now[query_id].question == recorded.question
    ]
    if not chosen:
        return
    for measure in SHARED:
        values = {
            subset: _mean([rounded(run[query_id].measures)[measure] for query_id in chosen])
            for subset, run in by_id.items()
        }
        then = _mean([baseline.queries[query_id].measures[measure] for query_id in chosen])
        left = values[frozenset()] - then
        if abs(left) > 1e-9:
            yield Share(measure, residual, left)
        for factor, change in shapley(values, factors).items():
            yield Share(measure, factor, change)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _residual(before: Side, baseline: Baseline) -> str:
    """What a difference is put down to that no factor explains.

    The code, where all that was then is what was recorded; an analyzer whose version changed has
    another fingerprint and is code too. Else nobody knows.
    """
    same_corpus = baseline.facts.get("corpus_fingerprint") == before.corpus.build_id
    same_labels = baseline.facts.get("suite_hash") == before.suite.digest
    return CODE if same_corpus and same_labels else UNKNOWN


def _doubt(before: Side, baseline: Baseline) -> str:
    """What of the earlier state is not what was recorded; empty where all is."""
    doubts = []
    if baseline.facts.get("corpus_fingerprint") != before.corpus.build_id:
        doubts.append("the recorded corpus was not committed")
    if baseline.facts.get("suite_hash") != before.suite.digest:
        doubts.append("the recorded suite was not committed")
    said = " and ".join(doubts)
    return f"{said}; the nearest state, {before.name}, stands for it" if said else ""
