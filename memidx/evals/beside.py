"""Would something plainer do?

Two baselines beside every run: plain `grep` over the indexed texts, and the index narrowed to
each single source. They gate nothing; they say what the ranking, and searching all sources at
once, are worth on this suite.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from memidx.evals.compared import Beside
from memidx.evals.gate import is_measured
from memidx.evals.judge import Ranked, judge, relevant_items
from memidx.evals.measures import DEPTH, mean_values, measure
from memidx.evals.patterns import Resolver, Row
from memidx.evals.report import Report
from memidx.evals.run import NO_TIMES
from memidx.evals.suite import GoldenQuery, Suite

MEASURES = ("nDCG@10", "RR@10", "Success@1")


class ReadableIndex(Protocol):
    """What is asked of an index (`memidx.index.Index` has it)."""

    def catalog(self) -> Sequence[Row]: ...  # noqa: D102
    def texts(self) -> Iterable[tuple[str, str]]: ...  # noqa: D102
    def rank(  # noqa: D102
        self,
        queries: Sequence[str],
        k: int,
        *,
        strategy: str | None = None,
        as_of: str | None = None,
        sources: Sequence[str] = (),
    ) -> Sequence[Sequence[Ranked]]: ...


@dataclass(frozen=True, slots=True)
class Match:
    """A document that grep found; it has no doubts."""

    doc_id: str
    source: str
    confidence: str = "reliable"


def measure_beside(suite: Suite, index: ReadableIndex, report: Report) -> tuple[Beside, ...]:
    """The run itself, grep, and each source alone, over the queries that could be judged.

    Args:
        suite: The suite that was run.
        index: The index it was run against, not refreshed since.
        report: What came of it.
    """
    judged = [
        query
        for query, result in zip(suite.queries, report.queries, strict=True)
        if result.status != "inconclusive"
    ]
    texts = [query.text for query in judged]
    resolver = Resolver(index.catalog())
    options = {
        "strategy": str(report.facts["strategy"]),
        "as_of": str(report.facts["as_of"] or NO_TIMES),
    }
    rows: list[tuple[str, Sequence[Sequence[Ranked]]]] = [("grep", _grep(texts, index))]
    if len(resolver.sources) > 1:
        rows += [
            (f"source {name}", index.rank(texts, DEPTH, **options, sources=[name]))
            for name in sorted(resolver.sources)
        ]
    others = (_row(name, judged, rankings, resolver) for name, rankings in rows)
    return (_own_row(report), *others)


def grep_words(query: str) -> tuple[str, ...]:
    """The words a person would grep for: as written, without the punctuation around them.

    A word that the query excludes is not looked for.
    """
    words = []
    for part in query.split():
        if part.startswith("-") and part[1:2].isalpha():
            continue
        start, end = 0, len(part)
        while start < end and not part[start].isalnum():
            start += 1
        while end > start and not part[end - 1].isalnum():
            end -= 1
        words.append(part[start:end].casefold())
    return tuple(dict.fromkeys(word for word in words if word))


def grep(
    queries: Sequence[str], texts: Iterable[tuple[str, str]], depth: int = DEPTH
) -> list[list[str]]:
    """What a case-insensitive grep for any word of a query gives.

    Documents that hold a word anywhere, inside another word too; those with more of the
    query's words first, then those with more occurrences, then by `doc_id`.
    """
    asked = [grep_words(query) for query in queries]
    folded = [(doc_id, text.casefold()) for doc_id, text in texts]
    # A word holds no space, so it can only stand inside one of the runs between spaces; there are
    # far fewer different ones than there is text.
    runs = {run for _, text in folded for run in text.split()}
    holders = _holders({word for words in asked for word in words}, runs)
    queries_of: dict[str, list[int]] = {}
    for i, words in enumerate(asked):
        for word in words:
            queries_of.setdefault(word, []).append(i)
    found: list[dict[str, tuple[int, int]]] = [{} for _ in asked]
    for doc_id, text in folded:
        for word, n_times in _counts(text, holders).items():
            for i in queries_of[word]:
                n_words, n_before = found[i].get(doc_id, (0, 0))
                found[i][doc_id] = n_words + 1, n_before + n_times
    return [_best_first(hits)[:depth] for hits in found]


def _holders(words: Iterable[str], runs: Iterable[str]) -> dict[str, list[tuple[str, int]]]:
    """The words that a run holds and how often, for the runs that hold any."""
    joined = "\n".join(runs)
    holders: dict[str, list[tuple[str, int]]] = {}
    for word in words:
        at = joined.find(word)
        while at >= 0:
            end = joined.find("\n", at)
            end = len(joined) if end < 0 else end
            run = joined[joined.rfind("\n", 0, at) + 1 : end]
            holders.setdefault(run, []).append((word, run.count(word)))
            at = joined.find(word, end)
    return holders


def _counts(text: str, holders: Mapping[str, Sequence[tuple[str, int]]]) -> dict[str, int]:
    """How often each word stands in a text."""
    counts: dict[str, int] = {}
    for run in text.split():
        for word, n in holders.get(run, ()):
            counts[word] = counts.get(word, 0) + n
    return counts


def _best_first(hits: Mapping[str, tuple[int, int]]) -> list[str]:
    return sorted(hits, key=lambda doc_id: (-hits[doc_id][0], -hits[doc_id][1], doc_id))


def _grep(queries: Sequence[str], index: ReadableIndex) -> list[list[Match]]:
    source = {row.doc_id: row.source for row in index.catalog()}
    rankings = grep(queries, index.texts())
    return [[Match(doc_id, source[doc_id]) for doc_id in ranking] for ranking in rankings]


def _own_row(report: Report) -> Beside:
    """What the run itself found, from its report."""
    results = [result for result in report.queries if result.status != "inconclusive"]
    ranks = [(found.rank, result.k) for result in results for found in result.expected]
    means = report.overall.measures
    return Beside(
        name="memidx",
        n_queries=len(results),
        n_passed=report.overall.n_passed,
        n_expected=len(ranks),
        n_found=sum(rank is not None and rank <= k for rank, k in ranks),
        n_sources_expected=report.overall.n_sources_expected,
        n_sources_found=report.overall.n_sources_found,
        n_matched=sum(result.n_hits for result in results),
        measures={name: means[name] for name in MEASURES if name in means},
    )


def _row(
    name: str,
    queries: Sequence[GoldenQuery],
    rankings: Sequence[Sequence[Ranked]],
    resolver: Resolver,
) -> Beside:
    judgements = [judge(q, r, resolver) for q, r in zip(queries, rankings, strict=True)]
    expected = [
        (found.rank, query.k)
        for query, judgement in zip(queries, judgements, strict=True)
        for found in judgement.expected
    ]
    items = {
        str(i): relevant_items(query, [hit.doc_id for hit in ranking], resolver)
        for i, (query, ranking) in enumerate(zip(queries, rankings, strict=True))
        if is_measured(query)
    }
    measured = measure(
        {i: grades for i, (grades, _) in items.items()},
        {i: ranking for i, (_, ranking) in items.items()},
        MEASURES,
    )
    return Beside(
        name=name,
        n_queries=len(queries),
        n_passed=sum(not judgement.failures for judgement in judgements),
        n_expected=len(expected),
        n_found=sum(rank is not None and rank <= k for rank, k in expected),
        n_sources_expected=sum(len(query.expect_sources) for query in queries),
        n_sources_found=sum(len(judgement.sources_found) for judgement in judgements),
        n_matched=sum(len(ranking) for ranking in rankings),
        measures=mean_values(list(measured.by_query.values()), MEASURES),
    )
