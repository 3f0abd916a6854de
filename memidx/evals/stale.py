"""Where did the target of a label go?

A label that matches nothing is stale. With the corpus of then at hand, its document can be
followed by its text; the query is then asked again with the label mended, to see that this is all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from memidx.evals.again import Again, Factors
from memidx.evals.compared import Cause
from memidx.evals.judge import Ranked, judge
from memidx.evals.measures import DEPTH
from memidx.evals.patterns import Resolver
from memidx.evals.report import QueryResult
from memidx.evals.run import NO_TIMES, newest_time
from memidx.evals.suite import Expectation, GoldenQuery

STALE_RULES = ("dangling", "unwinnable")


def stale_cause(result: QueryResult, again: Again, everything: Factors) -> Cause:
    """Why a query that was judged then cannot be judged now."""
    if not result.reasons[0].startswith(STALE_RULES):
        return Cause(result.query_id, (), "; ".join(result.reasons))
    suite = again.after.suite
    query = next(query for query in suite.queries if query.query_id == result.query_id)
    index = again.index(everything)
    resolver = Resolver(index.catalog())
    moved = _moved(query, again, resolver)
    detail = "; ".join(
        f"{old} is {new} now, with the same text" if new else f"{old} is gone"
        for old, new in moved.items()
    )
    mended = mend(query, {old: new for old, new in moved.items() if new})
    if mended != query:
        as_of = suite.as_of or newest_time(row.time for row in resolver.rows.values()) or NO_TIMES
        (ranking,) = index.rank([query.text], DEPTH, strategy=again.after.strategy, as_of=as_of)
        detail += f"; {said_of(mended, ranking, resolver)}"
    return Cause(result.query_id, (("labels",),), detail or "; ".join(result.reasons))


def mend(query: GoldenQuery, moved: Mapping[str, str]) -> GoldenQuery:
    """The query with other documents named in place of those that moved."""

    def named(pattern: str) -> str:
        return moved.get(pattern, pattern)

    return replace(
        query,
        expect_paths=tuple(
            Expectation(tuple(map(named, entry.any_of)), entry.grade, entry.line)
            for entry in query.expect_paths
        ),
        must_not=tuple(map(named, query.must_not)),
        top1=None if query.top1 is None else named(query.top1),
    )


def said_of(query: GoldenQuery, ranking: Sequence[Ranked], resolver: Resolver) -> str:
    """What a query with a mended label gives."""
    judgement = judge(query, ranking, resolver)
    if judgement.failures:
        return f"with the label mended it fails all the same: {'; '.join(judgement.failures)}"
    ranks = ", ".join(str(found.rank) for found in judgement.expected)
    return f"with the label mended it passes (rank {ranks})"


def patterns_of(query: GoldenQuery) -> Iterator[str]:
    """Every pattern that names what is expected, once."""
    yield from dict.fromkeys(name for entry in query.expectations for name in entry.any_of)


def _moved(query: GoldenQuery, again: Again, resolver: Resolver) -> dict[str, str | None]:
    """Patterns that match nothing now, and where their document is."""
    before = {document.doc_id: document for document in again.before.corpus.documents}
    earlier = Resolver(before.values())
    new = {
        document.text: document.doc_id
        for document in again.after.corpus.documents
        if document.doc_id not in before
    }
    moved: dict[str, str | None] = {}
    for pattern in patterns_of(query):
        if resolver.documents(pattern):
            continue
        for doc_id in sorted(earlier.documents(pattern)):
            moved[pattern] = new.get(before[doc_id].text)
    return moved
