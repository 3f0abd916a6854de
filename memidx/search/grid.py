"""How does a query rank at every point of a grid of k1 and b?

A query is prepared once and its postings are read once: each posting gives its part of the score
at all points together. Scores, order and labels are those of `memidx.search.ranking.rank` with
the same k1 and b, to the bit: every element of an array is the same sequence of additions,
multiplications and divisions (see `memidx.search.kernels`). Needs numpy, so no search imports it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memidx.scoring import LEXICAL_THRESHOLDS, RRF_K
from memidx.search import kernels
from memidx.search.answer import Ranked
from memidx.search.channels import Channels
from memidx.search.filters import Filters
from memidx.search.kernels import LexicalParameters
from memidx.search.labels import label
from memidx.search.prepared import Prepared, prepare
from memidx.search.ranking import RankInputs, allowed, factor_of

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

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
        inputs: Snapshot, analyzer and settings; the k1 and b of the settings do not count.
        points: Where to rank.
        strategy: `lexical`, `vector` or `hybrid`; None takes the configured one.
        plain: As in `memidx.search.prepared.prepare`.
    """

    def __init__(
        self,
        inputs: RankInputs,
        points: Sequence[LexicalParameters],
        *,
        strategy: str | None = None,
        plain: bool = False,
    ) -> None:
        self.inputs = inputs
        self.points = tuple(points)
        self.strategy = strategy or inputs.settings.search.strategy
        self._plain = plain
        factor = factor_of(inputs.snapshot, inputs.settings)
        self._factors = np.fromiter(map(factor, range(inputs.snapshot.size)), dtype=np.float64)

    def rank(self, query: str, k: int) -> QueryGrid:
        """The best `k` hits of a query at each point."""
        snapshot, analyzer, settings = self.inputs
        prepared = prepare(snapshot, analyzer, query, settings.search, plain=self._plain)
        asked = _Asked(self.inputs, prepared)
        if self.strategy == "vector":
            # k1 and b are the lexical channel's: one ranking stands for all points.
            ranking = self._best(asked, "vector", *asked.vector_relevance(), k=k)
            return QueryGrid(self, prepared, (ranking,) * len(self.points))
        rankings: list[PointRanking] = []
        size = max(1, _MAX_SCORES // max(1, len(asked.docs)))
        for begin in range(0, len(self.points), size):
            block = self.points[begin : begin + size]
            for point, scores in zip(block, asked.score(block), strict=True):
                rankings.append(self._rank_at(asked, point, scores, k))
        return QueryGrid(self, prepared, tuple(rankings))

    def _rank_at(
        self, asked: _Asked, point: LexicalParameters, scores: Floats, k: int
    ) -> PointRanking:
        every = np.arange(len(asked.docs))
        if self.strategy == "hybrid":
            relevance = asked.fused(point, scores)
            return self._best(asked, "hybrid", every, relevance, relevance, k=k)
        if not asked.any_above_weak(point, scores):
            positions, relevance, cosine = asked.vector_relevance()
            if len(positions):
                return self._best(asked, "vector", positions, relevance, cosine, k=k)
        relevance = asked.lexical_relevance(point, scores)
        return self._best(asked, "lexical", every, relevance, scores, k=k)

    def _best(
        self,
        asked: _Asked,
        strategy: str,
        positions: Places,
        relevance: Floats,
        scores: Floats,
        *,
        k: int,
    ) -> PointRanking:
        """The best of some of the query's documents; `positions` ascend, and so do documents."""
        min_score = self.inputs.settings.search.min_score
        if min_score > 0.0:
            kept = relevance >= min_score
            positions, relevance, scores = positions[kept], relevance[kept], scores[kept]
        docs = asked.docs[positions]
        composite = relevance * self._factors[docs]
        order = _first(composite, k)
        return PointRanking(
            strategy, docs[order], scores[order], relevance[order], composite[order]
        )


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
        snapshot, _, settings = self._ranker.inputs
        at = self._ranker.points[point]
        search = replace(settings.search, k1=at.k1, b=at.b)
        channels = Channels(snapshot, self._prepared, search, batch=True)
        found = self.rankings[point]
        columns = (found.docs, found.scores, found.relevance, found.composite)
        return [
            Ranked(
                doc_id=snapshot.doc_id(doc),
                source=snapshot.sources[snapshot.source_of[doc]],
                path=snapshot.path(doc),
                score=score,
                relevance=relevance,
                composite=composite,
                confidence=channels.label(found.strategy, doc),
            )
            for doc, score, relevance, composite in zip(
                *(column[:k].tolist() for column in columns), strict=True
            )
        ]


class _Asked:
    """One query over one snapshot: the documents it can find, and what they score."""

    def __init__(self, inputs: RankInputs, prepared: Prepared) -> None:
        self._snapshot, _, settings = inputs
        self._prepared = prepared
        self._search = settings.search
        self._postings = list(_postings(inputs, prepared))
        size = self._snapshot.size
        matched = np.zeros(size, dtype=bool)
        for _, docs, _, _, _ in self._postings:
            matched[docs] = True
        self.docs: Places = np.flatnonzero(matched)
        # Which documents match does not depend on k1 and b, so this is settled once.
        if _narrows(prepared):
            matching = self.docs.tolist()
            matching = [d for d in matching if all(p.stands_in(d) for p in prepared.phrases)]
            kept = allowed(self._snapshot, prepared, matching, Filters())
            self.docs = np.array(kept, dtype=np.intp)
        if not self._snapshot.is_one:
            # Positions ascend as answers that tie do, whatever segment a document is in.
            self.docs = self.docs[np.argsort(self._snapshot.order_column[self.docs])]
        self._position = np.full(size, -1, dtype=np.intp)
        self._position[self.docs] = np.arange(len(self.docs))
        self._suffices: dict[int, bool] = {}
        self._vector: tuple[Places, Floats] | None = None

    def score(self, points: Sequence[LexicalParameters]) -> Floats:
        """BM25 of each document at each point, `[point, document]`."""
        k1 = np.array([point.k1 for point in points])
        b = np.array([point.b for point in points])
        base, gain = 1.0 - b, k1 + 1.0
        scores = np.zeros((len(self.docs), len(points)))
        for factor, docs, tf, lengths, avgdl in self._postings:
            positions = self._position[docs]
            if len(self.docs) < self._snapshot.size:
                kept = positions >= 0
                positions, tf, lengths = positions[kept], tf[kept], lengths[kept]
            tf, lengths = tf[:, np.newaxis], lengths[:, np.newaxis]
            norm = k1 * (base + b * lengths / avgdl)
            scores[positions] += factor * (tf * gain) / (tf + norm)
        return np.ascontiguousarray(scores.T)

    def lexical_relevance(self, point: LexicalParameters, scores: Floats) -> Floats:
        """Score as a share of the query's upper bound at this point."""
        bound = kernels.lexical_bound(self._prepared.terms, point)
        return np.minimum(1.0, scores / bound) if bound else np.zeros(len(scores))

    def vector_relevance(self) -> tuple[Places, Floats, Floats]:
        """Positions of the documents the vector channel matches, their relevance and cosine."""
        if self._vector is None:
            channels = Channels(self._snapshot, self._prepared, self._search, batch=True)
            found = channels.vector
            positions = self._position[np.fromiter(found, dtype=np.intp, count=len(found))]
            cosine = np.fromiter(found.values(), dtype=np.float64, count=len(found))
            kept = np.flatnonzero(positions >= 0)
            kept = kept[np.argsort(positions[kept])]
            self._vector = positions[kept], cosine[kept]
        positions, cosine = self._vector
        return positions, np.minimum(1.0, cosine), cosine

    def fused(self, point: LexicalParameters, scores: Floats) -> Floats:
        """Relevance of the hybrid strategy; a channel without a match takes no part."""
        search = self._search
        positions, vector, _ = self.vector_relevance()
        every = np.arange(len(self.docs))
        channels = [
            (search.lexical_weight, every, self.lexical_relevance(point, scores)),
            (search.vector_weight, positions, vector),
        ]
        channels = [channel for channel in channels if channel[0] > 0.0 and len(channel[1])]
        total = sum(weight for weight, _, _ in channels)
        fused = np.zeros(len(self.docs))
        for weight, places, values in channels:
            shares = _reciprocal_ranks(values) if search.fusion == "rrf" else values
            fused[places] += weight * shares / total
        return fused

    def any_above_weak(self, point: LexicalParameters, scores: Floats) -> bool:
        """Whether the lexical channel is more than `weak` about any document."""
        _, candidate = LEXICAL_THRESHOLDS
        if not len(scores):
            return False
        best = int(np.argmax(scores))
        if scores[best] < candidate:
            return False
        if self._is_above_weak(point, best, scores):
            return True
        # The best hit covers too little of the query: the others have to be asked, best first.
        self._prepared.coverage.gather()
        hopeful = np.flatnonzero(scores >= candidate)
        hopeful = hopeful[np.argsort(-scores[hopeful], kind="stable")]
        return any(self._is_above_weak(point, n, scores) for n in hopeful.tolist())

    def _is_above_weak(self, point: LexicalParameters, position: int, scores: Floats) -> bool:
        doc = int(self.docs[position])
        if not self._covered(doc):
            return False
        score = float(scores[position])
        if self._prepared.repeats:
            score = kernels.score_document(self._snapshot, self._prepared.terms, point, doc)
        return label(score, LEXICAL_THRESHOLDS) != "weak"

    def _covered(self, doc: int) -> bool:
        if doc not in self._suffices:
            self._suffices[doc] = self._prepared.coverage.suffices(doc)
        return self._suffices[doc]


def _narrows(prepared: Prepared) -> bool:
    """Whether a query holds more than words that add up."""
    return bool(
        prepared.phrases
        or prepared.excluded
        or prepared.excluded_phrases
        or prepared.parsed.sources
    )


def _postings(
    inputs: RankInputs, prepared: Prepared
) -> Iterator[tuple[float, Places, Any, Any, float]]:
    """Factor, documents, `tf`, lengths and avgdl per term and field, in the kernels' order."""
    snapshot = inputs.snapshot
    for term in prepared.terms:
        if term.numbers is None:
            continue
        for position, field_weight in term.fields:
            docs, tf, lengths = kernels.postings_arrays(snapshot, position, term.numbers)
            factor = term.weight * field_weight * term.idf
            yield factor, docs.astype(np.intp), tf, lengths, snapshot.avgdl[position]


def _first(composite: Floats, k: int) -> Places:
    """Positions of the `k` largest, largest first; equal ones stay in the order of documents."""
    negative = -composite
    if 0 < k < len(negative):
        last = np.partition(negative, k - 1)[k - 1]
        among = np.flatnonzero(negative <= last)
        return among[np.argsort(negative[among], kind="stable")[:k]]
    return np.argsort(negative, kind="stable")[:k]


def _reciprocal_ranks(values: Floats) -> Floats:
    """As in `memidx.search.channels`: rank 1 gives 1, equal values in the order of documents."""
    ranks = np.empty(len(values))
    ranks[np.argsort(-values, kind="stable")] = np.arange(1, len(values) + 1)
    return (RRF_K + 1) / (RRF_K + ranks)
