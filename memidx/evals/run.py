"""Does this index pass this suite?

Refreshes the index, asks every query in one batch, applies the pass rule, measures, and decides
the outcome once. A query whose label went stale, or whose source could not be read, is
inconclusive: it neither passes nor fails, and it is not measured.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from memidx.evals.gate import decide, group_of, hold_floor, is_measured
from memidx.evals.judge import Judgement, Ranked, judge, relevant_items
from memidx.evals.lint import LintFinding, OnDisk, lint_resolved
from memidx.evals.measures import DEPTH, SUITE_MEASURES, measure
from memidx.evals.patterns import Resolver, Row
from memidx.evals.report import QueryResult, Report, Status
from memidx.evals.suite import CATEGORIES, OVERALL, GoldenQuery, Suite
from memidx.version import VERSION

RUN_FACTS = (
    "corpus_fingerprint",
    "n_docs",
    "suite_hash",
    "configuration_hash",
    "analyzer_fingerprint",
    "strategy",
    "as_of",
    "version",
    "freshness",
)
# Where no document has a time, ages do not matter; any fixed day will do, the clock's would not.
NO_TIMES = "1970-01-01"


class FailedSource(Protocol):
    """A source that could not be read (`Problem` of `memidx.search.answer`)."""

    @property
    def source(self) -> str | None: ...  # noqa: D102
    @property
    def reason(self) -> str: ...  # noqa: D102


class Refreshed(Protocol):
    """What a refresh reports."""

    @property
    def freshness(self) -> str: ...  # noqa: D102
    @property
    def sources_failed(self) -> Sequence[FailedSource]: ...  # noqa: D102


class Searchable(Protocol):
    """What an evaluation asks of an index (`memidx.index.Index` has it)."""

    @property
    def build_id(self) -> str: ...  # noqa: D102
    @property
    def fingerprint(self) -> str: ...  # noqa: D102
    @property
    def configuration(self) -> Mapping[str, Any]: ...  # noqa: D102
    def refresh(self) -> Refreshed: ...  # noqa: D102
    def catalog(self) -> Sequence[Row]: ...  # noqa: D102
    def rank(  # noqa: D102
        self,
        queries: Sequence[str],
        k: int,
        *,
        strategy: str | None = None,
        as_of: str | None = None,
    ) -> Sequence[Sequence[Ranked]]: ...


def evaluate(
    suite: Suite,
    index: Searchable,
    *,
    strategy: str | None = None,
    on_disk: OnDisk | None = None,
) -> Report:
    """Run a suite against an index.

    Args:
        suite: As read.
        index: An open index; it is refreshed first, in memory only.
        strategy: None for the index's own.
        on_disk: As in `lint_suite`.
    """
    refreshed = index.refresh()
    catalog = index.catalog()
    resolver = Resolver(catalog)
    lints = lint_resolved(suite, resolver, on_disk)
    as_of = suite.as_of or newest_time(row.time for row in catalog)
    rankings = index.rank(
        [query.text for query in suite.queries], DEPTH, strategy=strategy, as_of=as_of or NO_TIMES
    )
    doubts = _doubts(suite, lints, refreshed, resolver)
    measures = _measures(suite)
    values = _measured(suite, rankings, resolver, measures)
    results = tuple(
        _result(query, judge(query, ranking, resolver), ranking, doubts[i], values.get(str(i), {}))
        for i, (query, ranking) in enumerate(zip(suite.queries, rankings, strict=True))
    )
    floors = tuple(hold_floor(floor, suite.queries, results) for floor in suite.floors)
    problems = _problems(refreshed)
    return Report(
        suite=suite.file,
        outcome=decide(results, floors, problems),
        facts={
            "corpus_fingerprint": index.build_id,
            "n_docs": len(catalog),
            "suite_hash": suite.digest,
            "configuration_hash": hash_of(index.configuration),
            "analyzer_fingerprint": index.fingerprint,
            "strategy": strategy or index.configuration["search"]["strategy"],
            "as_of": as_of,
            "version": VERSION,
            "freshness": _freshness(refreshed),
        },
        measures=measures,
        overall=group_of(OVERALL, results, measures),
        categories=tuple(
            group_of(name, chosen, measures)
            for name in CATEGORIES
            if (chosen := [result for result in results if result.category == name])
        ),
        queries=results,
        floors=floors,
        lints=tuple(lints),
        problems=problems,
        notes=_notes(suite, rankings, results, resolver),
    )


def newest_time(times: Iterable[str | None]) -> str | None:
    """The latest of some document times, as it is written; None when there is none."""
    from memidx.text import days_since_epoch

    return max(
        (time for time in times if time), key=lambda t: (days_since_epoch(t), t), default=None
    )


def _doubts(
    suite: Suite, lints: Sequence[LintFinding], refreshed: Refreshed, resolver: Resolver
) -> list[tuple[str, ...]]:
    """For each query, why its answer says nothing about the index; empty where it does."""
    # Queries that share an id share their errors; a repeated id is one itself.
    errors: dict[str, list[LintFinding]] = {}
    for finding in lints:
        if finding.severity == "error" and finding.query_id:
            errors.setdefault(finding.query_id, []).append(finding)
    failed = {problem.source for problem in refreshed.sources_failed}
    doubts = []
    for query in suite.queries:
        reasons = [f"{e.rule} (line {e.line}): {e.message}" for e in errors.get(query.query_id, ())]
        if refreshed.freshness == "stale":
            reasons.append("the index is stale")
        touched = failed if query.expect_empty else failed & _sources(query, resolver)
        reasons.extend(f"source {name} failed" for name in sorted(map(str, touched)))
        doubts.append(tuple(reasons))
    return doubts


def _sources(query: GoldenQuery, resolver: Resolver) -> set[str | None]:
    """Sources that the query's labels are about."""
    patterns = [pattern for entry in query.expectations for pattern in entry.any_of]
    documents = resolver.any_of([*patterns, *query.must_not])
    return {*query.expect_sources, *(resolver.rows[doc_id].source for doc_id in documents)}


def _freshness(refreshed: Refreshed) -> str:
    """`fresh` where the sources were searched as they are.

    A second run finds nothing left to take in, and must not differ from the first.
    """
    return "fresh" if refreshed.freshness == "refreshed" else refreshed.freshness


def _problems(refreshed: Refreshed) -> tuple[str, ...]:
    problems = ["the index is stale"] if refreshed.freshness == "stale" else []
    problems.extend(
        f"source {problem.source} failed: {problem.reason}" for problem in refreshed.sources_failed
    )
    return tuple(problems)


def _measures(suite: Suite) -> tuple[str, ...]:
    """The usual measures, and those that only a floor names."""
    return tuple(dict.fromkeys([*SUITE_MEASURES, *(floor.measure for floor in suite.floors)]))


def _measured(
    suite: Suite,
    rankings: Sequence[Sequence[Ranked]],
    resolver: Resolver,
    measures: Sequence[str],
) -> Mapping[str, Mapping[str, float]]:
    qrels: dict[str, Mapping[str, int]] = {}
    run: dict[str, list[str]] = {}
    for i, (query, ranking) in enumerate(zip(suite.queries, rankings, strict=True)):
        if is_measured(query):
            served = [hit.doc_id for hit in ranking]
            qrels[str(i)], run[str(i)] = relevant_items(query, served, resolver)
    return measure(qrels, run, measures).by_query


def _result(
    query: GoldenQuery,
    judgement: Judgement,
    ranking: Sequence[Ranked],
    doubts: tuple[str, ...],
    values: Mapping[str, float],
) -> QueryResult:
    status: Status = "passed"
    if doubts:
        status = "inconclusive"
    elif judgement.failures:
        status = "failed"
    return QueryResult(
        query_id=query.query_id,
        question=query.question,
        text=query.text,
        category=query.category,
        severity=query.severity,
        k=query.k,
        line=query.line,
        status=status,
        reasons=doubts or judgement.failures,
        expected=judgement.expected,
        sources_found=judgement.sources_found,
        sources_expected=query.expect_sources,
        false_positive=judgement.false_positive,
        measures={} if doubts else values,
        hits=tuple(hit.doc_id for hit in ranking[: query.k]),
        n_hits=len(ranking),
        why=query.why,
    )


def _notes(
    suite: Suite,
    rankings: Sequence[Sequence[Ranked]],
    results: Sequence[QueryResult],
    resolver: Resolver,
) -> tuple[str, ...]:
    notes = []
    if not any(query.severity == "must" for query in suite.queries) and not suite.floors:
        notes.append("No must query and no floor: nothing in this suite can fail.")
    unanswered = [result.query_id for result in results if result.measures and not result.n_hits]
    if unanswered:
        notes.append(f"Without any hit, counted as 0: {', '.join(unanswered)}.")
    strange = sorted({hit.doc_id for ranking in rankings for hit in ranking} - resolver.rows.keys())
    if strange:
        notes.append(f"Returned but not in the catalogue: {', '.join(strange[:5])}.")
    return tuple(notes)


def hash_of(settings: Mapping[str, Any]) -> str:
    """Names some settings."""
    canonical = json.dumps(settings, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()
