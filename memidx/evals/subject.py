"""What are settings tried on?

A suite over its index, or a public test collection, in one form: questions and what their answers
are held against, what a ranking is made from, and the documents, so that a corpus with more or
fewer of them can be made. Queries that cannot be judged are left out and named.
"""

from __future__ import annotations

import os.path
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from memidx.documents import Document
from memidx.errors import SuiteError
from memidx.evals.beir import Collection, load_collection
from memidx.evals.collection import collection_hash
from memidx.evals.disk import on_disk
from memidx.evals.gate import is_measured
from memidx.evals.grid_values import Judges, Question
from memidx.evals.judge import judge, relevant_items
from memidx.evals.measures import DEPTH
from memidx.evals.patterns import Resolver, Row
from memidx.evals.run import NO_TIMES, Searchable, evaluate
from memidx.evals.suite import GoldenQuery, Suite
from memidx.search.ranking import RankInputs


class Tunable(Searchable, Protocol):
    """What trying settings asks of an index, beside what an evaluation does."""

    @property
    def root(self) -> str | None: ...  # noqa: D102
    def rank_inputs(self, as_of: str | None = None) -> RankInputs: ...  # noqa: D102
    def texts(self) -> Iterable[tuple[str, str]]: ...  # noqa: D102


@dataclass(frozen=True)
class Subject:
    """What settings are tried on.

    Attributes:
        name: Of the suite or the collection, without its folder.
        facts: What it is made of.
        inputs: What a ranking is made from, with the settings in force.
        plain: The queries are words and nothing else.
        questions: Of queries that can be judged.
        categories: Of the questions, by `query_id`; empty for a collection.
        is_right: Says whether a first hit is right.
        documents: Makes all documents.
        judged: `doc_id`s that a label is about: they are never taken for unrelated.
        problems: Each makes what comes of it inconclusive.
    """

    name: str
    facts: Mapping[str, Any]
    inputs: RankInputs
    plain: bool
    questions: tuple[Question, ...]
    categories: Mapping[str, str]
    is_right: Judges
    documents: Callable[[], Iterable[Document]]
    judged: frozenset[str]
    problems: tuple[str, ...] = ()


def subject_of_collection(folder: str, *, analyzer: str = "default") -> Subject:
    """A collection in BEIR layout, with memidx's defaults.

    Args:
        folder: The collection.
        analyzer: Name of an analyzer.

    Raises:
        InputError: There is no such analyzer.
        SuiteError: The collection cannot be used.
    """
    # Indexing pulls in all that a search needs; reading a collection does not.
    from memidx.collection import CollectionIndex, collection_document

    collection = load_collection(folder)
    index = CollectionIndex(collection.documents, analyzer=analyzer)
    qrels = collection.qrels
    return Subject(
        name=os.path.basename(os.path.abspath(folder)),
        facts={
            "corpus": collection_hash(collection),
            "n_docs": len(collection.documents),
            "analyzer": analyzer,
            "analyzer_fingerprint": index.fingerprint,
        },
        inputs=index.rank_inputs(),
        plain=True,
        questions=tuple(_collection_questions(collection)),
        categories={},
        is_right=lambda query_id, doc_id: qrels[query_id].get(doc_id, 0) > 0,
        documents=lambda: (collection_document(*row) for row in collection.documents),
        judged=frozenset(doc_id for grades in qrels.values() for doc_id in grades),
    )


def subject_of_suite(suite: Suite, index: Tunable, *, strategy: str | None = None) -> Subject:
    """A suite over an index, with the index's own configuration.

    The suite is evaluated first: queries that are inconclusive there say nothing here either.

    Args:
        suite: As read.
        index: An open index; it is refreshed first, in memory only.
        strategy: None for the index's own.

    Raises:
        SuiteError: No query has relevant items, so that no measure is defined.
    """
    before = evaluate(
        suite,
        index,
        strategy=strategy,
        on_disk=None if index.root is None else on_disk(index.root),
    )
    doubtful = [result.query_id for result in before.queries if result.status == "inconclusive"]
    queries = {
        query.query_id: query
        for query, result in zip(suite.queries, before.queries, strict=True)
        if result.status != "inconclusive"
    }
    if not any(map(is_measured, queries.values())):
        raise SuiteError(
            "no query that can be judged has relevant items: there is nothing to tune on",
            path=suite.file,
            expected="expect_paths or top1",
            hint=f"memidx eval {suite.file} --lint",
        )
    catalog = index.catalog()
    resolver = Resolver(catalog)
    problems = [*before.problems]
    if doubtful:
        problems.append(f"queries that cannot be judged, left out: {', '.join(doubtful[:10])}")
    return Subject(
        name=os.path.splitext(os.path.basename(suite.file))[0],
        facts={
            "corpus": before.facts["corpus_fingerprint"],
            "n_docs": before.facts["n_docs"],
            "suite_hash": before.facts["suite_hash"],
            "configuration_hash": before.facts["configuration_hash"],
            "analyzer_fingerprint": before.facts["analyzer_fingerprint"],
            "as_of": before.facts["as_of"],
        },
        inputs=index.rank_inputs(before.facts["as_of"] or NO_TIMES),
        plain=False,
        questions=tuple(_suite_question(query, resolver) for query in queries.values()),
        categories={query_id: query.category for query_id, query in queries.items()},
        is_right=lambda query_id, doc_id: _is_right(queries[query_id], doc_id, resolver),
        documents=lambda: suite_documents(catalog, index.texts()),
        judged=frozenset().union(
            *(resolver.any_of([*_wanted(query), *query.must_not]) for query in suite.queries)
        ),
        problems=tuple(problems),
    )


def suite_documents(catalog: Sequence[Row], texts: Iterable[tuple[str, str]]) -> Iterable[Document]:
    """The indexed documents, with what an analyzer and a ranking look at."""
    text_of = dict(texts)
    for row in catalog:
        yield Document(
            doc_id=row.doc_id,
            source=row.source,
            kind="",
            path=row.path,
            title=row.title,
            time=row.time,
            tags=(),
            meta={},
            source_hash="",
            text=text_of[row.doc_id],
        )


def _collection_questions(collection: Collection) -> list[Question]:
    """Every judged query; one without a text finds nothing and counts 0, as in an evaluation."""

    def question(query_id: str, grades: Mapping[str, int]) -> Question:
        text = collection.queries.get(query_id, "")
        return Question(query_id, text, lambda ranking: (grades, ranking))

    return [question(query_id, grades) for query_id, grades in collection.qrels.items()]


def _suite_question(query: GoldenQuery, resolver: Resolver) -> Question:
    return Question(
        query_id=query.query_id,
        text=query.text,
        relevant=(lambda ranking: relevant_items(query, ranking, resolver))
        if is_measured(query)
        else None,
        passes=lambda hits: not judge(query, hits, resolver).failures,
        n_hits=DEPTH if query.expect_empty else query.k,
        k=query.k,
    )


def _wanted(query: GoldenQuery) -> list[str]:
    return [pattern for entry in query.expectations for pattern in entry.any_of]


def _is_right(query: GoldenQuery, doc_id: str, resolver: Resolver) -> bool | None:
    if query.expect_empty:
        return False
    wanted = _wanted(query)
    return doc_id in resolver.any_of(wanted) if wanted else None
