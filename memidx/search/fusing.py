"""How do other phrasings of a question count beside it?

A caller that knows the answer may be written in other words says so: `also`. Every phrasing is
ranked like a query of its own, then they are fused. The question itself weighs one half, its
rephrasings share the other, each divided by the relevance of its own best hit [docs/scoring.md,
"Other phrasings"].
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence

from memidx.analysis.base import Analyzer
from memidx.errors import InputError
from memidx.search.answer import Confidence
from memidx.search.filters import Filters, named_too
from memidx.search.labels import better
from memidx.search.prepared import Prepared, prepare
from memidx.search.ranking import (
    Ranking,
    RankSettings,
    Scored,
    count_by_source,
    factor_of,
    rank,
)
from memidx.snapshot.snapshot import Snapshot
from memidx.values import replace

MAX_PHRASINGS = 8
ORIGINAL_SHARE = 0.5
"""What the question weighs beside its rephrasings (EVIDENCE: at most half)."""


def check_phrasings(also: Sequence[str]) -> None:
    """Refuse more phrasings than one answer can be made of.

    Raises:
        InputError: More than `MAX_PHRASINGS`.
    """
    if len(also) > MAX_PHRASINGS:
        raise InputError(
            "too many phrasings", expected=f"at most {MAX_PHRASINGS}", found=str(len(also))
        )


def rank_phrasings(
    snapshot: Snapshot,
    analyzer: Analyzer,
    prepared: Prepared,
    also: Sequence[str],
    settings: RankSettings,
    *,
    k: int,
    strategy: str | None = None,
    filters: Filters | None = None,
    min_score: float | None = None,
) -> tuple[Prepared, Ranking]:
    """The best `k` hits of a question and its rephrasings.

    Filters and exclusions of the question hold for all; an exact phrase of it is wording, and
    holds for it alone. `min_score` is what a phrasing has to give a document by itself.

    Returns:
        The question with the words of all phrasings, to choose passages by, and the ranking.
    """
    if filters or prepared.parsed.sources:
        filters = named_too(filters, prepared.parsed.sources)
    others = [
        _under(prepare(snapshot, analyzer, text, settings.search), prepared)
        for text in dict.fromkeys(also)
        if text != prepared.parsed.text
    ]
    phrasings = [prepared, *(other for other in others if not other.is_empty)]
    if len(phrasings) == 1:
        return prepared, rank(
            snapshot,
            prepared,
            settings,
            k=k,
            strategy=strategy,
            filters=filters,
            min_score=min_score,
        )

    def rank_all(*, fallback: bool) -> list[Ranking]:
        return [
            rank(
                snapshot,
                phrasing,
                settings,
                k=snapshot.n_docs,
                strategy=strategy,
                filters=filters,
                min_score=min_score,
                fallback=fallback,
            )
            for phrasing in phrasings
        ]

    # The vector stands in when it is needed for all: a sure hit of one phrasing is enough.
    rankings = rank_all(fallback=False)
    if all(hit.confidence == "weak" for ranking in rankings for hit in ranking.best):
        rankings = rank_all(fallback=True)
    return _together(phrasings), fuse(
        rankings,
        k=k,
        factor=factor_of(snapshot, settings),
        order=snapshot.order,
        source_of=snapshot.source_of,
    )


def fuse(
    rankings: Sequence[Ranking],
    *,
    k: int,
    factor: Callable[[int], float],
    order: Callable[[int], int],
    source_of: Sequence[int],
) -> Ranking:
    """Whole rankings, the question's first, as one.

    Args:
        rankings: With every hit each has.
        k: How many hits to keep.
        factor: Weight and decay of a document.
        order: Where a document stands among those that tie.
        source_of: Number of the source of each document.
    """
    n_others = len(rankings) - 1
    shares = [ORIGINAL_SHARE, *([(1.0 - ORIGINAL_SHARE) / n_others] * n_others if n_others else [])]
    peaks = [max((hit.relevance for hit in ranking.best), default=0.0) for ranking in rankings]
    # A phrasing that matches nothing takes no part: it must not count as a zero.
    total = sum(share for share, peak in zip(shares, peaks, strict=True) if peak > 0.0)
    # Divided by their peaks, every first hit would be 1; the largest peak gives the scale back.
    scale = max(peaks, default=0.0)
    fused: dict[int, float] = {}
    labels: dict[int, Confidence] = {}
    for number, (ranking, share, peak) in enumerate(zip(rankings, shares, peaks, strict=True)):
        for hit in ranking.best:
            value = scale * (share * (hit.relevance / peak) / total) if peak > 0.0 else 0.0
            fused[hit.doc] = fused.get(hit.doc, 0.0) + value
            label = hit.confidence if number == 0 else _at_most_candidate(hit.confidence)
            labels[hit.doc] = better(labels.get(hit.doc, "weak"), label)
    ordered = heapq.nsmallest(
        k, ((-min(1.0, value) * factor(doc), order(doc), doc) for doc, value in fused.items())
    )
    best = tuple(
        Scored(
            doc=doc,
            score=min(1.0, fused[doc]),
            relevance=min(1.0, fused[doc]),
            composite=-negative,
            confidence=labels[doc],
        )
        for negative, _, doc in ordered
    )
    strategies = [ranking.strategy for ranking in rankings if ranking.best]
    return Ranking(
        strategies[0] if strategies else rankings[0].strategy,
        best,
        sum(ranking.n_before_filters for ranking in rankings),
        sum(ranking.n_after_filters for ranking in rankings),
        len(fused),
        count_by_source(source_of, fused),
    )


def _at_most_candidate(label: Confidence) -> Confidence:
    """What a rephrasing can vouch for: whether it asks the same is the caller's word alone."""
    return "candidate" if label == "reliable" else label


def _under(phrasing: Prepared, question: Prepared) -> Prepared:
    """A rephrasing that leaves out what the question leaves out."""
    return replace(
        phrasing,
        excluded=(*phrasing.excluded, *question.excluded),
        excluded_phrases=(*phrasing.excluded_phrases, *question.excluded_phrases),
    )


def _together(phrasings: Sequence[Prepared]) -> Prepared:
    terms = {term.term: term for one in reversed(phrasings) for term in reversed(one.terms)}
    words = {word.surface: word for one in phrasings for word in one.words}
    return replace(
        phrasings[0],
        terms=tuple(reversed(terms.values())),
        words=tuple(words.values()),
    )
