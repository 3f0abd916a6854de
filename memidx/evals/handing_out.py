"""What does a suite look like to other tools?

The ranking of a run, judgements of documents, and the whole as a collection in BEIR layout.
Other tools know documents and grades, and no more: an expectation that several documents fulfil
becomes one judgement each, and what a query must not find, or that it must find nothing, is not
theirs to judge. docs/reports.md, "For other tools".
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from memidx.errors import InputError
from memidx.evals.judge import Ranked
from memidx.evals.measures import DEPTH
from memidx.evals.output import write_text
from memidx.evals.patterns import Resolver, Row
from memidx.evals.report import Report
from memidx.evals.run import NO_TIMES
from memidx.evals.suite import Suite
from memidx.evals.trec import spaceless

Qrels = Mapping[str, Mapping[str, int]]


class ServingIndex(Protocol):
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
    ) -> Sequence[Sequence[Ranked]]: ...


def served_run(suite: Suite, index: ServingIndex, report: Report) -> dict[str, list[str]]:
    """What a run ranked, to the depth that was measured: `doc_id`s by query_id.

    Args:
        suite: The suite that was run.
        index: The index it was run against, not refreshed since.
        report: What came of it.

    Raises:
        InputError: Two queries have one id.
    """
    check_ids(suite)
    rankings = index.rank(
        [query.text for query in suite.queries],
        DEPTH,
        strategy=str(report.facts["strategy"]),
        as_of=str(report.facts["as_of"] or NO_TIMES),
    )
    return {
        query.query_id: [hit.doc_id for hit in ranking]
        for query, ranking in zip(suite.queries, rankings, strict=True)
    }


def suite_qrels(suite: Suite, catalog: Iterable[Row]) -> tuple[dict[str, dict[str, int]], int]:
    """Judgements of documents, and how many expectations became more than one of them.

    A document has the best grade of the expectations it fulfils, and 0 where it must not come.
    Queries that judge no document are left out.

    Raises:
        InputError: Two queries have one id.
    """
    check_ids(suite)
    resolver = Resolver(catalog)
    qrels: dict[str, dict[str, int]] = {}
    n_several = 0
    for query in suite.queries:
        grades: dict[str, int] = {}
        for entry in query.expectations:
            documents = resolver.any_of(entry.any_of)
            n_several += len(documents) > 1
            for doc_id in documents:
                grades[doc_id] = max(entry.grade, grades.get(doc_id, 0))
        for doc_id in resolver.any_of(query.must_not):
            grades.setdefault(doc_id, 0)
        if grades:
            qrels[query.query_id] = dict(sorted(grades.items()))
    return qrels, n_several


def write_beir(suite: Suite, index: ServingIndex, folder: str) -> tuple[int, int]:
    """Write `corpus.jsonl`, `queries.jsonl` and `qrels.tsv`.

    Ids are written as in a run file, so that they mean the same in all of them.

    Returns:
        Documents, and queries.

    Raises:
        InputError: Two queries have one id, or no query judges a document.
        FileError: When a file cannot be written.
    """
    qrels, _ = suite_qrels(suite, index.catalog())
    if not qrels:
        raise InputError("no query judges a document", path=suite.file, expected="expect_paths")
    titles = {row.doc_id: row.title for row in index.catalog()}
    corpus = [
        _record(_id=spaceless(doc_id), title=titles[doc_id], text=text)
        for doc_id, text in index.texts()
    ]
    queries = [_record(_id=spaceless(q.query_id), text=q.text) for q in suite.queries]
    judgements = [
        f"{spaceless(query_id)}\t{spaceless(doc_id)}\t{grade}\n"
        for query_id, grades in qrels.items()
        for doc_id, grade in grades.items()
    ]
    write_text(f"{folder}/corpus.jsonl", "".join(corpus))
    write_text(f"{folder}/queries.jsonl", "".join(queries))
    write_text(f"{folder}/qrels.tsv", "".join(["query-id\tcorpus-id\tscore\n", *judgements]))
    return len(corpus), len(queries)


def check_ids(suite: Suite) -> None:
    """Refuse a suite in which an id says nothing.

    Raises:
        InputError: Two queries have one id, with the line of the second.
    """
    seen: set[str] = set()
    for query in suite.queries:
        if query.query_id in seen:
            raise InputError(
                f"the id {query.query_id!r} is there twice",
                path=suite.file,
                line=query.line,
                hint="other tools tell queries apart by their ids",
            )
        seen.add(query.query_id)


def _record(**values: str) -> str:
    return json.dumps(values, ensure_ascii=True) + "\n"
