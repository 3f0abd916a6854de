"""How well does memidx rank a public test collection?

Indexes a collection in BEIR layout in memory, asks every judged query in one batch, and
measures the served order. Nothing gates: figures are for comparing and for choosing defaults.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from memidx.evals.beir import Collection, load_collection
from memidx.evals.judge import Ranked
from memidx.evals.measures import COLLECTION_MEASURES, DEPTH, measure
from memidx.evals.outcome import Outcome, verdict_line
from memidx.evals.render import render_measures
from memidx.evals.report import ARTIFACT_TYPE
from memidx.version import VERSION

COLLECTION_SCHEMA = "memidx.collection-report/1"
_SHOWN = 10


class RanksBatches(Protocol):
    """An index over a collection (`memidx.collection.index_collection` makes one)."""

    @property
    def fingerprint(self) -> str: ...  # noqa: D102
    def rank(  # noqa: D102
        self, queries: Sequence[str], k: int, /, *, strategy: str | None = None
    ) -> Sequence[Sequence[Ranked]]: ...


class IndexesCollections(Protocol):
    """The function that indexes `(doc_id, title, text)` triples in memory."""

    def __call__(  # noqa: D102
        self, documents: Iterable[tuple[str, str, str]], *, analyzer: str, k1: float, b: float
    ) -> RanksBatches: ...


@dataclass(frozen=True, slots=True)
class CollectionReport:
    """What one run over a collection says.

    Attributes:
        means: Over the judged queries; those without a result, or without a text, count 0.
        by_query: `by_query[query_id][measure]`.
        run: `doc_id`s in served order; not part of `to_dict`.
        n_queries: Queries in the collection; `n_judged` of them are measured.
        missing: Judged queries without a result.
        unknown_queries: Judged, but not in `queries.jsonl`; they count 0.
        unknown_documents: Judged, but not in `corpus.jsonl`; nothing can find them.
    """

    folder: str
    facts: Mapping[str, Any]
    means: Mapping[str, float]
    by_query: Mapping[str, Mapping[str, float]]
    run: Mapping[str, Sequence[str]]
    n_docs: int
    n_queries: int
    n_judged: int
    n_unjudged: int
    missing: tuple[str, ...]
    unknown_queries: tuple[str, ...]
    unknown_documents: tuple[str, ...]

    @property
    def outcome(self) -> Outcome:
        """Always `PASSED`: a collection has no gate."""
        return Outcome.PASSED

    @property
    def exit_code(self) -> int:
        """The outcome's exit code."""
        return self.outcome.exit_code

    @property
    def verdict(self) -> str:
        """The last line of the table."""
        return verdict_line(self.outcome, f"{self.n_judged} judged queries measured, no gate")

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the figures should know."""
        named = (
            ("queries without judgements, left out", self.n_unjudged, ()),
            ("judged queries without a result, counted as 0", len(self.missing), self.missing),
            (
                "judged queries that are not in queries.jsonl, counted as 0",
                len(self.unknown_queries),
                self.unknown_queries,
            ),
            (
                "judged documents that are not in corpus.jsonl",
                len(self.unknown_documents),
                self.unknown_documents,
            ),
        )
        return tuple(f"{n} {what}{_named(names)}" for what, n, names in named if n)

    def to_dict(self) -> dict[str, Any]:
        """The report in its published JSON shape."""
        return {
            "artifact_type": ARTIFACT_TYPE,
            "schema": COLLECTION_SCHEMA,
            "collection": self.folder,
            "outcome": self.outcome.value,
            "exit_code": self.exit_code,
            "verdict": self.verdict,
            "facts": dict(self.facts),
            "n_docs": self.n_docs,
            "n_queries": self.n_queries,
            "n_judged": self.n_judged,
            "n_unjudged": self.n_unjudged,
            "missing": list(self.missing),
            "unknown_queries": list(self.unknown_queries),
            "unknown_documents": list(self.unknown_documents),
            "means": dict(self.means),
            "by_query": {query_id: dict(values) for query_id, values in self.by_query.items()},
        }


def evaluate_collection(
    folder: str,
    *,
    analyzer: str = "default",
    strategy: str | None = None,
    k1: float | None = None,
    b: float | None = None,
    index_with: IndexesCollections | None = None,
) -> CollectionReport:
    """Rank a collection's queries and measure the rankings.

    Args:
        folder: A collection in BEIR layout.
        analyzer: Name of an analyzer.
        strategy: None for the default.
        k1: BM25's term saturation; None for the default.
        b: BM25's length normalisation; None for the default.
        index_with: What indexes the documents; `memidx.collection.index_collection` by default.

    Raises:
        SuiteError: When the collection cannot be used.
    """
    from memidx.config import SearchConfig

    search = SearchConfig()
    collection = load_collection(folder)
    index = (index_with or _index_collection())(
        collection.documents,
        analyzer=analyzer,
        k1=search.k1 if k1 is None else k1,
        b=search.b if b is None else b,
    )
    asked = [query_id for query_id in collection.queries if query_id in collection.qrels]
    rankings = index.rank([collection.queries[q] for q in asked], DEPTH, strategy=strategy)
    run = {q: [hit.doc_id for hit in hits] for q, hits in zip(asked, rankings, strict=True)}
    measured = measure(collection.qrels, run, COLLECTION_MEASURES)
    known = {doc_id for doc_id, _, _ in collection.documents}
    judged = {doc_id for grades in collection.qrels.values() for doc_id in grades}
    unknown = tuple(q for q in collection.qrels if q not in collection.queries)
    return CollectionReport(
        folder=folder,
        facts={
            "collection_hash": collection_hash(collection),
            "analyzer": analyzer,
            "analyzer_fingerprint": index.fingerprint,
            "strategy": strategy or search.strategy,
            "k1": search.k1 if k1 is None else k1,
            "b": search.b if b is None else b,
            "depth": DEPTH,
            "version": VERSION,
        },
        means=measured.means(),
        by_query=measured.by_query,
        run=run,
        n_docs=len(collection.documents),
        n_queries=len(collection.queries),
        n_judged=len(measured.by_query),
        n_unjudged=len(collection.queries) - len(asked),
        missing=tuple(q for q in measured.missing if q in collection.queries),
        unknown_queries=unknown,
        unknown_documents=tuple(sorted(judged - known)),
    )


def render_collection(report: CollectionReport, style: str = "simple") -> str:
    """A collection's figures for a terminal, the verdict last."""
    counts = {"documents": report.n_docs, "queries": report.n_judged}
    facts = "  ".join(
        f"{name} {report.facts[name]}" for name in ("analyzer", "strategy", "k1", "b")
    )
    blocks = [
        f"{report.folder}: {facts}",
        render_measures(report.means, counts, style),
        *(["\n".join(report.notes)] if report.notes else []),
        report.verdict,
    ]
    return "\n\n".join(blocks) + "\n"


def _index_collection() -> IndexesCollections:
    # The index pulls in everything a search needs; reading a collection does not.
    from memidx.collection import index_collection

    return index_collection


def _named(names: Sequence[str]) -> str:
    if not names:
        return ""
    more = ", …" if len(names) > _SHOWN else ""
    return f": {', '.join(names[:_SHOWN])}{more}"


def collection_hash(collection: Collection) -> str:
    """Names a collection: what it holds, whatever folder it lies in."""
    digest = hashlib.sha256()
    for part in (*collection.documents, collection.queries, collection.qrels):
        digest.update(json.dumps(part, sort_keys=True).encode())
        digest.update(b"\n")
    return digest.hexdigest()
