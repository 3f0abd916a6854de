"""How does one query score at every point of a grid of settings?

Its postings are read once, and each gives its part of the score at all points together. Scores and
relevance are those of `memidx.search.channels` with the point's settings and the published
thresholds, to the bit: every element of an array is the same sequence of additions,
multiplications and divisions (see `memidx.search.kernels`). Needs numpy, so no search imports it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memidx.config import SearchConfig
from memidx.scoring import LEXICAL_THRESHOLDS, RRF_K
from memidx.search import kernels
from memidx.search.channels import Channels
from memidx.search.filters import Filters
from memidx.search.kernels import LexicalParameters, ScoredTerm
from memidx.search.kernels_batch import postings_arrays
from memidx.search.labels import label
from memidx.search.prepared import Prepared
from memidx.search.ranking import RankInputs, allowed

Floats = NDArray[np.float64]
Places = NDArray[np.intp]


class Lexical(NamedTuple):
    """What the scores of the lexical channel depend on."""

    parameters: LexicalParameters
    title_weight: float


class Scored:
    """The lexical channel of one query at one point, and what follows from it alone."""

    def __init__(self, asked: Asked, at: Lexical, scores: Floats) -> None:
        self.scores = scores
        self.relevance = asked.lexical_relevance(at, scores)
        self.any_above_weak = asked.any_above_weak(at, scores)


class Asked:
    """One query over one snapshot: the documents it can find, and what they score."""

    def __init__(self, inputs: RankInputs, prepared: Prepared) -> None:
        self._snapshot, _, settings = inputs
        self._prepared = prepared
        self._search = settings.search
        self._weighted: dict[float, Prepared] = {}
        self._postings = list(_postings(inputs, prepared))
        size = self._snapshot.size
        matched = np.zeros(size, dtype=bool)
        for _, _, docs, _, _, _ in self._postings:
            matched[docs] = True
        self.docs: Places = np.flatnonzero(matched)
        # Which documents match does not depend on k1 and b, so this is settled once.
        if prepared.narrows:
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

    def score(self, points: Sequence[Lexical]) -> Floats:
        """BM25 of each document at each point, `[point, document]`."""
        k1 = np.array([point.parameters.k1 for point in points])
        b = np.array([point.parameters.b for point in points])
        title_weight = np.array([point.title_weight for point in points])
        base, gain = 1.0 - b, k1 + 1.0
        scores = np.zeros((len(self.docs), len(points)))
        for term, is_title, docs, tf, lengths, avgdl in self._postings:
            factor = term.weight * (title_weight if is_title else 1.0) * term.idf
            positions = self._position[docs]
            if len(self.docs) < self._snapshot.size:
                kept = positions >= 0
                positions, tf, lengths = positions[kept], tf[kept], lengths[kept]
            tf, lengths = tf[:, np.newaxis], lengths[:, np.newaxis]
            norm = k1 * (base + b * lengths / avgdl)
            scores[positions] += factor * (tf * gain) / (tf + norm)
        return np.ascontiguousarray(scores.T)

    def lexical_relevance(self, point: Lexical, scores: Floats) -> Floats:
        """Score as a share of the query's upper bound at this point."""
        bound = kernels.lexical_bound(self._at(point).terms, point.parameters)
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

    def fused(self, search: SearchConfig, lexical: Floats) -> Floats:
        """Relevance of the hybrid strategy; a channel without a match takes no part."""
        positions, vector, _ = self.vector_relevance()
        every = np.arange(len(self.docs))
        channels = [
            (search.lexical_weight, every, lexical),
            (search.vector_weight, positions, vector),
        ]
        channels = [channel for channel in channels if channel[0] > 0.0 and len(channel[1])]
        total = sum(weight for weight, _, _ in channels)
        fused = np.zeros(len(self.docs))
        for weight, places, values in channels:
            shares = _reciprocal_ranks(values) if search.fusion == "rrf" else values
            fused[places] += weight * shares / total
        return fused

    def any_above_weak(self, point: Lexical, scores: Floats) -> bool:
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

    def _is_above_weak(self, point: Lexical, position: int, scores: Floats) -> bool:
        doc = int(self.docs[position])
        if not self._covered(doc):
            return False
        score = float(scores[position])
        if self._prepared.repeats:
            terms = self._at(point).terms
            score = kernels.score_document(self._snapshot, terms, point.parameters, doc)
        return label(score, LEXICAL_THRESHOLDS) != "weak"

    def _at(self, point: Lexical) -> Prepared:
        weight = point.title_weight
        if weight not in self._weighted:
            self._weighted[weight] = with_title_weight(self._prepared, weight)
        return self._weighted[weight]

    def _covered(self, doc: int) -> bool:
        if doc not in self._suffices:
            self._suffices[doc] = self._prepared.coverage.suffices(doc)
        return self._suffices[doc]


def lexical_of(search: SearchConfig) -> Lexical:
    """The part of some settings that the lexical channel's scores depend on."""
    return Lexical(LexicalParameters(search.k1, search.b), search.title_weight)


def with_title_weight(prepared: Prepared, weight: float) -> Prepared:
    """The query as `prepare` makes it with another weight of the fields behind the first."""
    terms = (
        replace(term, fields=tuple((at, weight if at else 1.0) for at, _ in term.fields))
        for term in prepared.terms
    )
    return replace(prepared, terms=tuple(terms))


def _postings(
    inputs: RankInputs, prepared: Prepared
) -> Iterator[tuple[ScoredTerm, bool, Places, Any, Any, float]]:
    """Term, whether it is of the title, documents, `tf`, lengths and avgdl, in kernels' order."""
    snapshot = inputs.snapshot
    for term in prepared.terms:
        if term.numbers is None:
            continue
        for position, _ in term.fields:
            docs, tf, lengths = postings_arrays(snapshot, position, term.numbers)
            at = docs.astype(np.intp)
            yield term, position > 0, at, tf, lengths, snapshot.avgdl[position]


def _reciprocal_ranks(values: Floats) -> Floats:
    """As in `memidx.search.channels`: rank 1 gives 1, equal values in the order of documents."""
    ranks = np.empty(len(values))
    ranks[np.argsort(-values, kind="stable")] = np.arange(1, len(values) + 1)
    return (RRF_K + 1) / (RRF_K + ranks)
