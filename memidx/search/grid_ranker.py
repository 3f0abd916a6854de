"""How does a query rank at every point of a grid of settings?

A query is prepared and scored once (`memidx.search.grid`); points that differ in something else
than the lexical channel share its scores. Scores, order and labels are those of
`memidx.search.ranking.rank` with the point's settings and the published thresholds, to the bit.
Needs numpy, so no search imports it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from memidx.scoring import LEXICAL_THRESHOLDS
from memidx.search.answer import Confidence, Ranked
from memidx.search.channels import Channels
from memidx.search.grid import (
    Asked,
    Floats,
    Lexical,
    Places,
    Scored,
    lexical_of,
    with_title_weight,
)
from memidx.search.kernels import score_document
from memidx.search.labels import label, relevance_once
from memidx.search.points import Point, settings_at
from memidx.search.prepared import Prepared, prepare
from memidx.search.ranking import RankInputs, RankSettings, factor_of

# Scores that are held at once, as 8-byte numbers: what bounds the memory on a large corpus.
_MAX_SCORES = 4_000_000


@dataclass(frozen=True, slots=True)
class PointRanking:
    """The best hits of one query at one point.

    Attributes:
        strategy: The channel that ranked (the fallback's, where it was taken).
        docs: `doc_ord` in served order.
        scores: Raw, parallel to `docs`; likewise `relevance` and `composite`.
    """

    strategy: str
    docs: Places
    scores: Floats
    relevance: Floats
    composite: Floats


class GridRanker:
    """Ranks queries at many points over one snapshot.

    Args:
        inputs: Snapshot, analyzer and settings; a point's values go before those of the settings.
        points: Where to rank.
        strategy: `lexical`, `vector` or `hybrid`; None takes the configured one. The values of an
            axis `strategy` go before it.
        plain: As in `memidx.search.prepared.prepare`.
        fallback: As in `memidx.search.ranking.rank`.

    Raises:
        InputError: A point is about a source that there is not.
    """

    def __init__(
        self,
        inputs: RankInputs,
        points: Sequence[Point],
        *,
        strategy: str | None = None,
        plain: bool = False,
        fallback: bool = True,
    ) -> None:
        self.strategy = strategy or inputs.settings.search.strategy
        search = replace(inputs.settings.search, strategy=self.strategy)
        self.inputs = inputs._replace(settings=replace(inputs.settings, search=search))
        self.points = tuple(points)
        self.settings = tuple(settings_at(at, self.inputs.settings) for at in self.points)
        self.lexical = tuple(lexical_of(settings.search) for settings in self.settings)
        self._plain = plain
        self._fallback = fallback
        self._factors = _Factors(self.inputs, self.settings)

    def rank(self, query: str, k: int) -> QueryGrid:
        """The best `k` hits of a query at each point."""
        snapshot, analyzer, settings = self.inputs
        prepared = prepare(snapshot, analyzer, query, settings.search, plain=self._plain)
        asked = Asked(self.inputs, prepared)
        users: dict[Lexical, list[int]] = {}
        rankings: dict[int, PointRanking] = {}
        for number, at in enumerate(self.settings):
            if at.search.strategy == "vector":
                rankings[number] = self._best(asked, number, "vector", *asked.vector_relevance(), k)
            else:
                users.setdefault(self.lexical[number], []).append(number)
        lexical = list(users)
        size = max(1, _MAX_SCORES // max(1, len(asked.docs)))
        for begin in range(0, len(lexical), size):
            block = lexical[begin : begin + size]
            for at_lexical, scores in zip(block, asked.score(block), strict=True):
                scored = Scored(asked, at_lexical, scores)
                for number in users[at_lexical]:
                    rankings[number] = self._rank_at(asked, scored, number, k)
        ordered = tuple(rankings[number] for number in range(len(self.points)))
        return QueryGrid(self, prepared, ordered)

    def _rank_at(self, asked: Asked, scored: Scored, number: int, k: int) -> PointRanking:
        search = self.settings[number].search
        every = np.arange(len(asked.docs))
        if search.strategy == "hybrid":
            relevance = asked.fused(search, scored.relevance)
            return self._best(asked, number, "hybrid", every, relevance, relevance, k)
        if self._fallback and not scored.any_above_weak:
            positions, relevance, cosine = asked.vector_relevance()
            if len(positions):
                # A match the vector does not see (in a title only) stays, behind the others.
                whole, raw = np.zeros(len(every)), np.zeros(len(every))
                whole[positions], raw[positions] = relevance, cosine
                return self._best(asked, number, "vector", every, whole, raw, k)
        return self._best(asked, number, "lexical", every, scored.relevance, scored.scores, k)

    def _best(
        self,
        asked: Asked,
        number: int,
        strategy: str,
        positions: Places,
        relevance: Floats,
        scores: Floats,
        k: int,
    ) -> PointRanking:
        """The best of some of the query's documents; `positions` ascend, and so do documents."""
        min_score = self.settings[number].search.min_score
        if min_score > 0.0:
            kept = relevance >= min_score
            positions, relevance, scores = positions[kept], relevance[kept], scores[kept]
        docs = asked.docs[positions]
        composite = relevance * self._factors.at(number, docs)
        order = _first(composite, k)
        return PointRanking(
            strategy, docs[order], scores[order], relevance[order], composite[order]
        )


class _Factors:
    """Weight times decay of every document at every point, by documents that always share it."""

    def __init__(self, inputs: RankInputs, settings: Sequence[RankSettings]) -> None:
        snapshot = inputs.snapshot
        first: dict[tuple[int, float], int] = {}
        numbers: dict[tuple[int, float], int] = {}
        of_doc = []
        for doc in range(snapshot.size):
            shared = (snapshot.source_of[doc], snapshot.day_of[doc])
            first.setdefault(shared, doc)
            of_doc.append(numbers.setdefault(shared, len(numbers)))
        self._of_doc: Places = np.array(of_doc, dtype=np.intp)
        tables: dict[Any, Floats] = {}
        self._tables: list[Floats] = []
        for at in settings:
            key = tuple(sorted(at.factors.items()))
            if key not in tables:
                factor = factor_of(snapshot, at)
                tables[key] = np.array([factor(doc) for doc in first.values()], dtype=np.float64)
            self._tables.append(tables[key])

    def at(self, number: int, docs: Places) -> Floats:
        return self._tables[number][self._of_doc[docs]]


class QueryGrid:
    """What one query finds at each point; `rankings` is parallel to the points."""

    def __init__(
        self, ranker: GridRanker, prepared: Prepared, rankings: tuple[PointRanking, ...]
    ) -> None:
        self._ranker = ranker
        self._prepared = prepared
        self.rankings = rankings

    def doc_ids(self, point: int) -> tuple[str, ...]:
        """`doc_id`s at the point of that number, in served order."""
        doc_id = self._ranker.inputs.snapshot.doc_id
        return tuple(map(doc_id, self.rankings[point].docs.tolist()))

    def ranked(self, point: int, k: int | None = None) -> list[Ranked]:
        """The first `k` hits at the point of that number, as `rank_many` gives them."""
        snapshot = self._ranker.inputs.snapshot
        found = self.rankings[point]
        columns = (found.docs, found.scores, found.relevance, found.composite)
        rows = list(zip(*(column[:k].tolist() for column in columns), strict=True))
        return [
            Ranked(
                doc_id=snapshot.doc_id(doc),
                source=snapshot.sources[snapshot.source_of[doc]],
                path=snapshot.path(doc),
                score=score,
                relevance=relevance,
                composite=composite,
                confidence=confidence,
            )
            for (doc, score, relevance, composite), confidence in zip(
                rows, self._labels(point, rows), strict=True
            )
        ]

    def trust(self, point: int) -> float | None:
        """The relevance that a calibrated label of the first hit looks at.

        None where there is no hit, or where it covers too little of the query: it is weak then,
        whatever its relevance.
        """
        found, prepared = self.rankings[point], self._prepared
        if not len(found.docs) or not prepared.coverage.suffices(int(found.docs[0])):
            return None
        if found.strategy != "lexical" or not prepared.repeats:
            return float(found.relevance[0])
        at = self._ranker.lexical[point]
        terms = with_title_weight(prepared, at.title_weight).terms
        snapshot = self._ranker.inputs.snapshot
        score = score_document(snapshot, terms, at.parameters, int(found.docs[0]))
        return relevance_once(terms, at.parameters, score)

    def _labels(
        self, point: int, rows: Sequence[tuple[int, float, float, float]]
    ) -> list[Confidence]:
        ranker, strategy = self._ranker, self.rankings[point].strategy
        snapshot, prepared = ranker.inputs.snapshot, self._prepared
        if strategy == "lexical" and not prepared.repeats:
            # The score is what the label looks at; the channel need not be scored again.
            found = [label(score, LEXICAL_THRESHOLDS) for _, score, _, _ in rows]
            return [
                name if name == "weak" or prepared.coverage.suffices(row[0]) else "weak"
                for name, row in zip(found, rows, strict=True)
            ]
        search = ranker.settings[point].search
        weighted = with_title_weight(prepared, search.title_weight)
        channels = Channels(snapshot, weighted, search, batch=True)
        return [channels.label(strategy, row[0]) for row in rows]


def _first(composite: Floats, k: int) -> Places:
    """Positions of the `k` largest, largest first; equal ones stay in the order of documents."""
    negative = -composite
    if 0 < k < len(negative):
        last = np.partition(negative, k - 1)[k - 1]
        among = np.flatnonzero(negative <= last)
        return among[np.argsort(negative[among], kind="stable")[:k]]
    return np.argsort(negative, kind="stable")[:k]
