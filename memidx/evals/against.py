"""What is different from the baseline, and is it a regression?

A query is compared when suite and baseline have it under the same id, it asks and expects the
same, and both runs could judge it. A corpus, configuration or analyzer that changed is named and
does not stop the comparison: such changes are what the gate is for.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from memidx.evals.baseline import Baseline, BaselineQuery, Unusable, rounded
from memidx.evals.compare import TOLERANCE, paired_randomization, win_tie_loss
from memidx.evals.compared import (
    CHANGES,
    Change,
    Comparison,
    Difference,
    Move,
    RankMove,
    Tally,
)
from memidx.evals.measures import mean_values
from memidx.evals.outcome import Outcome, combine
from memidx.evals.report import QueryResult, Report
from memidx.evals.statistics import Interval, bootstrap_interval, holm
from memidx.evals.suite import CATEGORIES, OVERALL

# A rank that moves below this place and the query's k is not news: whatever is added to a corpus
# moves those.
SEEN = 10
_SHOWN_ABOVE = 3
# The one measure that is tested in each category: more would drown in the correction.
CATEGORY_MEASURE = "nDCG@10"
# Which of several things that changed comes first.
_WORST_FIRST = {change: position for position, change in enumerate(CHANGES)}


def hold_against(
    report: Report, baseline: Baseline | Unusable | None, *, replacing: bool = False
) -> Report:
    """The report with its comparison, and the outcome that follows from both.

    Args:
        report: A run.
        baseline: As `find_baseline` gives it; None changes nothing.
        replacing: The run is to become the baseline, so one that cannot be used is no matter.
    """
    if baseline is None:
        return report
    if isinstance(baseline, Baseline):
        if _has_common_query(report, baseline):
            return _with_comparison(report, compare_runs(report, baseline))
        baseline = Unusable(
            baseline.path,
            f"it is not comparable: no query of {os.path.basename(report.suite)} is in it",
        )
    said = f"baseline {baseline.path}: {baseline.reason}"
    if replacing or not baseline.gates:
        return replace(report, notes=(*report.notes, f"Not compared: {said}."))
    return replace(
        report,
        problems=(*report.problems, said),
        outcome=combine([report.outcome, Outcome.INCONCLUSIVE]),
    )


def compare_runs(report: Report, baseline: Baseline) -> Comparison:
    """Compare what can be compared."""
    results = {result.query_id: result for result in report.queries}
    both = [
        (result, before)
        for query_id, result in results.items()
        if (before := baseline.queries.get(query_id)) is not None
    ]
    same = [(result, before) for result, before in both if result.question == before.question]
    judged = [
        (result, before)
        for result, before in same
        if "inconclusive" not in (result.status, before.status)
    ]
    unjudged = tuple(
        result.query_id
        for result, before in same
        if result.status == "inconclusive" != before.status
    )
    moves = [move for result, before in judged if (move := _move(result, before)) is not None]
    return Comparison(
        baseline=baseline.path,
        n_compared=len(judged),
        differs=_differences(baseline.facts, report.facts),
        added=tuple(name for name in results if name not in baseline.queries),
        removed=tuple(name for name in baseline.queries if name not in results),
        changed=tuple(r.query_id for r, before in both if r.question != before.question),
        relaxed=tuple(
            result.query_id
            for result, before in both
            if before.severity == "must" != result.severity
        ),
        unjudged=unjudged,
        # Sorting is stable: within a change, the suite's order.
        moves=tuple(sorted(moves, key=lambda move: _WORST_FIRST[move.change])),
        tallies=tuple(_tallies(judged, report.measures)),
    )


def _has_common_query(report: Report, baseline: Baseline) -> bool:
    """Whether at least one query of the suite asks what it asked in the baseline, judged or not."""
    return any(
        (before := baseline.queries.get(result.query_id)) is not None
        and before.question == result.question
        for result in report.queries
    )


def _with_comparison(report: Report, comparison: Comparison) -> Report:
    outcomes = [report.outcome, *(Outcome.REGRESSED for _ in comparison.regressed)]
    return replace(report, comparison=comparison, outcome=combine(outcomes))


def _differences(
    before: Mapping[str, object], after: Mapping[str, object]
) -> tuple[Difference, ...]:
    """Facts that both runs have, and have otherwise; one that only one has is not known."""
    return tuple(
        Difference(fact, value, after[fact])
        for fact, value in before.items()
        if fact in after and value != after[fact]
    )


def _move(result: QueryResult, before: BaselineQuery) -> Move | None:
    """How a query moved; None when nothing that anybody sees did."""
    ranks = tuple(
        RankMove(found.label, rank, found.rank)
        for found, rank in zip(result.expected, before.ranks, strict=True)
    )
    change = _change(result, before, ranks)
    if change is None:
        return None
    return Move(
        query_id=result.query_id,
        text=result.text,
        category=result.category,
        severity=result.severity,
        change=change,
        before=before.status,
        after=result.status,
        ranks=ranks,
        now_above=_now_above(result, before, ranks),
    )


def _change(result: QueryResult, before: BaselineQuery, ranks: Sequence[RankMove]) -> Change | None:
    if before.status != result.status:
        if result.status == "passed":
            return "won"
        return "regressed" if result.severity == "must" else "lost"
    seen = max(result.k, SEEN)
    down = any(_falls(rank.before, rank.after, seen) for rank in ranks)
    up = any(_falls(rank.after, rank.before, seen) for rank in ranks)
    if down and up:
        return "mixed"
    if down:
        return "worse"
    return "better" if up else None


def _falls(before: int | None, after: int | None, seen: int) -> bool:
    """Whether a rank got worse, from a place that somebody sees."""
    return before is not None and before <= seen and (after is None or after > before)


def _now_above(
    result: QueryResult, before: BaselineQuery, ranks: Iterable[RankMove]
) -> tuple[str, ...]:
    """What pushed an expected document down: hits above it now that were not above it then."""
    expected = {found.doc_id for found in result.expected}
    above: dict[str, None] = {}
    for rank in ranks:
        if rank.before is None or (rank.after is not None and rank.after <= rank.before):
            continue
        earlier = before.hits[: rank.before - 1]
        shown = result.hits if rank.after is None else result.hits[: rank.after - 1]
        above.update(dict.fromkeys(h for h in shown if h not in earlier and h not in expected))
    return tuple(above)[:_SHOWN_ABOVE]


def _tallies(
    judged: Sequence[tuple[QueryResult, BaselineQuery]], measures: Sequence[str]
) -> list[Tally]:
    measured = [
        (result, before) for result, before in judged if result.measures and before.measures
    ]
    tallies: list[Tally] = []
    for scope in (OVERALL, *CATEGORIES):
        chosen = [pair for pair in measured if scope in (OVERALL, pair[0].category)]
        if not chosen:
            continue
        # A measure that a floor names today need not have been measured then.
        names = [m for m in measures if all(m in before.measures for _, before in chosen)]
        now = [rounded(result.measures) for result, _ in chosen]
        then = [before.measures for _, before in chosen]
        means_now, means_then = mean_values(now, names), mean_values(then, names)
        for name in names:
            a, b = [values[name] for values in now], [values[name] for values in then]
            is_tested = scope == OVERALL or name == CATEGORY_MEASURE
            interval = _interval(a, b) if is_tested else None
            tallies.append(
                Tally(
                    scope,
                    name,
                    len(chosen),
                    means_then[name],
                    means_now[name],
                    *win_tie_loss(a, b),
                    p=paired_randomization(a, b) if is_tested else None,
                    low=None if interval is None else interval.low,
                    high=None if interval is None else interval.high,
                )
            )
    return _adjusted(tallies)


def _interval(a: Sequence[float], b: Sequence[float]) -> Interval:
    """Of the mean difference; where nothing differs there is nothing to draw."""
    differences = [x - y for x, y in zip(a, b, strict=True)]
    if not any(abs(difference) > TOLERANCE for difference in differences):
        return Interval(0.0, 0.0)
    return bootstrap_interval(differences)


def _adjusted(tallies: Sequence[Tally]) -> list[Tally]:
    """The same, with the p of each category adjusted for looking at all of them."""
    tested = [t for t in tallies if t.scope != OVERALL and t.p is not None]
    by_scope = dict(
        zip(
            (t.scope for t in tested),
            holm([1.0 if t.p is None else t.p for t in tested]),
            strict=True,
        )
    )
    return [
        replace(t, p_holm=by_scope[t.scope]) if t.scope != OVERALL and t.p is not None else t
        for t in tallies
    ]
