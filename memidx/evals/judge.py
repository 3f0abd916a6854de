"""Did this query find what it must, and which relevant item did each hit take?

Pure: a query, the documents its patterns mean, and a ranking give a judgement.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from memidx.evals.patterns import Resolver
from memidx.evals.report import Found
from memidx.evals.suite import GoldenQuery


class Ranked(Protocol):
    """One place of a ranking (`Ranked` of `memidx.index`)."""

    @property
    def doc_id(self) -> str: ...  # noqa: D102
    @property
    def source(self) -> str: ...  # noqa: D102
    @property
    def confidence(self) -> str: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the pass rule says of one ranking.

    Attributes:
        failures: Why it does not pass, a phrase each; empty when it passes.
        false_positive: For a query that should find nothing, whether it did; else None.
    """

    failures: tuple[str, ...]
    expected: tuple[Found, ...]
    sources_found: tuple[str, ...]
    false_positive: bool | None


def judge(query: GoldenQuery, ranking: Sequence[Ranked], resolver: Resolver) -> Judgement:
    """Apply the pass rule.

    Args:
        query: What is expected.
        ranking: In served order; the first `query.k` places are the answer.
        resolver: Looks patterns up among the indexed documents.
    """
    ranks = {hit.doc_id: rank for rank, hit in reversed(list(enumerate(ranking, 1)))}
    shown = ranking[: query.k]
    failures: list[str] = []
    expected: list[Found] = []
    for entry in query.expectations:
        places = [(ranks[d], d) for d in resolver.any_of(entry.any_of) if d in ranks]
        rank, doc_id = min(places, default=(None, None))
        expected.append(Found(entry.label, entry.grade, rank, doc_id))
        if entry in query.expect_paths and (rank is None or rank > query.k):
            where = "not found" if rank is None else f"at rank {rank}"
            failures.append(f"{entry.label} {where} (expected in the first {query.k})")
    sources = {hit.source for hit in shown}
    sources_found = tuple(name for name in query.expect_sources if name in sources)
    for name in query.expect_sources:
        if name not in sources:
            failures.append(f"no hit of source {name} in the first {query.k}")
    banned = resolver.any_of(query.must_not)
    for rank, hit in enumerate(shown, 1):
        if hit.doc_id in banned:
            failures.append(f"{hit.doc_id} at rank {rank} (must not be in the first {query.k})")
    if query.top1 is not None:
        first = ranking[0].doc_id if ranking else None
        if first not in resolver.documents(query.top1):
            failures.append(f"{first or 'nothing'} is first (expected {query.top1})")
    false_positive = None
    if query.expect_empty:
        strong = next((hit for hit in ranking if hit.confidence != "weak"), None)
        false_positive = strong is not None
        if strong is not None:
            failures.append(f"{strong.doc_id} is {strong.confidence} (expected nothing above weak)")
    return Judgement(tuple(failures), tuple(expected), sources_found, false_positive)


def relevant_items(
    query: GoldenQuery, ranking: Sequence[str], resolver: Resolver
) -> tuple[dict[str, int], list[str]]:
    """Grades and ranking of one query in the form the measures take.

    One expectation is one relevant item: its first hit takes the grade, further hits take none
    (they are judged, with grade 0). A document that fits several expectations takes one of
    them, the one that the fewest documents fit, then the best graded; the others stay open for
    the hits below.

    Args:
        query: What is expected.
        ranking: `doc_id`s in served order.
        resolver: Looks patterns up among the indexed documents.

    Returns:
        Grades by name, and the ranking with each hit that took an item under the item's name.
        An item that no hit took keeps its grade, so it counts as not found.
    """
    documents = [resolver.any_of(entry.any_of) for entry in query.expectations]
    order = sorted(
        range(len(documents)),
        key=lambda i: (len(documents[i]), -query.expectations[i].grade, i),
    )
    items = {i: f"expectation {i}" for i in order}
    grades = {items[i]: query.expectations[i].grade for i in items}
    judged = frozenset().union(*documents, resolver.any_of(query.must_not))
    names: list[str] = []
    for doc_id in ranking:
        taken = next((i for i in order if doc_id in documents[i]), None)
        if taken is None:
            # "document …" cannot be the name of an item.
            names.append(f"document {doc_id}")
            if doc_id in judged:
                grades[names[-1]] = 0
        else:
            order.remove(taken)
            names.append(items[taken])
    return grades, names
