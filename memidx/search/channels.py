"""How much does each channel give a document?

Raw scores of the lexical and the vector channel, computed once and only where they are needed;
relevance of a strategy; the label of a hit.
"""

from __future__ import annotations

from memidx.light import TYPE_CHECKING
from memidx.scoring import LEXICAL_THRESHOLDS, RRF_K, VECTOR_THRESHOLDS, vector_norm
from memidx.search import kernels
from memidx.search.kernels import LexicalParameters
from memidx.search.labels import better, label, relevance_once

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from memidx.config import SearchConfig
    from memidx.search.answer import Confidence
    from memidx.search.prepared import Prepared
    from memidx.snapshot.snapshot import Snapshot

# No calibrated thresholds.
_PUBLISHED: Mapping[str, tuple[float, float]] = {}


class Channels:
    """Scores of one query.

    Args:
        snapshot: Where to look.
        prepared: The query.
        search: Parameters and weights.
        batch: Use the numpy kernels.
        thresholds: Calibrated ones, by strategy; the published ones label the others.
        lexical: Scores of the lexical channel, where they are known.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        prepared: Prepared,
        search: SearchConfig,
        *,
        batch: bool,
        thresholds: Mapping[str, tuple[float, float]] = _PUBLISHED,
        lexical: dict[int, float] | None = None,
    ) -> None:
        self._snapshot = snapshot
        self._prepared = prepared
        self._search = search
        self._batch = batch
        self._thresholds = thresholds
        self._parameters = LexicalParameters(search.k1, search.b)
        self._lexical = lexical
        self._vector: dict[int, float] | None = None
        if batch:
            prepared.coverage.gather()

    @property
    def lexical(self) -> dict[int, float]:
        """Document -> BM25, for every document that holds a term."""
        if self._lexical is None:
            kernel = kernels.score_lexical
            if self._batch:
                from memidx.search.kernels_batch import score_lexical_batch as kernel  # by numpy
            self._lexical = kernel(self._snapshot, self._prepared.terms, self._parameters)
        return self._lexical

    @property
    def vector(self) -> dict[int, float]:
        """Document -> cosine, for every document that holds a term in the vector's field."""
        if self._vector is None:
            # Most questions have a lexical hit that is above `weak`.
            from memidx.search.cosine import query_vector, score_vector

            kernel = score_vector
            if self._batch:
                from memidx.search.kernels_batch import score_vector_batch as kernel  # by numpy
            terms = [t for t in self._prepared.terms if any(p == 0 for p, _ in t.fields)]
            vector = query_vector(terms)
            idfs = {term.numbers: term.idf for term in terms if term.numbers is not None}
            norm = vector_norm(list(vector.values()))
            self._vector = kernel(self._snapshot, vector, norm, idfs)
        return self._vector

    def matching(self, strategy: str) -> Collection[int]:
        """Documents a strategy matches."""
        if strategy == "lexical":
            return self.lexical
        if strategy == "vector":
            return self.vector
        return self.lexical | self.vector

    def relevance(self, strategy: str, docs: Iterable[int]) -> dict[int, float]:
        """Document -> relevance, 0..1, of those `docs` the strategy matches."""
        if strategy == "vector":
            return {doc: min(1.0, self.vector[doc]) for doc in docs if doc in self.vector}
        if strategy == "lexical":
            bound = kernels.lexical_bound(self._prepared.terms, self._parameters)
            scores = self.lexical
            if not bound:
                return dict.fromkeys(docs, 0.0)
            shares = {doc: scores[doc] / bound for doc in docs}
            if max(shares.values(), default=0.0) > 1.0:  # by the last bit, if at all
                shares = {doc: min(1.0, share) for doc, share in shares.items()}
            return shares
        return self._fused(list(docs))

    def _fused(self, docs: Sequence[int]) -> dict[int, float]:
        search = self._search
        channels = [
            (
                search.lexical_weight,
                self.relevance("lexical", [d for d in docs if d in self.lexical]),
            ),
            (search.vector_weight, self.relevance("vector", docs)),
        ]
        # A channel without any match took no part: it must not count as a zero.
        taking_part = [(weight, values) for weight, values in channels if values and weight > 0.0]
        total = sum(weight for weight, _ in taking_part)
        if search.fusion == "rrf":
            taking_part = [
                (weight, _reciprocal_ranks(values, self._snapshot))
                for weight, values in taking_part
            ]
        fused = dict.fromkeys(docs, 0.0)
        for weight, values in taking_part:
            for doc, value in values.items():
                fused[doc] += weight * value / total
        return fused

    def score(self, strategy: str, doc: int, relevance: float) -> float:
        """Raw score of a hit; a fused ranking has none but its relevance."""
        if strategy == "hybrid":
            return relevance
        return self.lexical[doc] if strategy == "lexical" else self.vector[doc]

    def label(self, strategy: str, doc: int, relevance: float | None = None) -> Confidence:
        """How far a hit can be trusted.

        Args:
            strategy: What ranked it.
            doc: Its `doc_ord`.
            relevance: Of the hit; None computes it where it is needed (not for a hybrid).
        """
        found: Confidence = "weak"
        if strategy in self._thresholds:
            found = label(self._trust(strategy, doc, relevance), self._thresholds[strategy])
        elif strategy == "hybrid":
            for channel, scores in (("lexical", self.lexical), ("vector", self.vector)):
                found = better(found, self.label(channel, doc)) if doc in scores else found
        elif strategy == "lexical" and doc in self.lexical:
            found = label(self._score_once(doc), LEXICAL_THRESHOLDS)
        elif strategy == "vector" and doc in self.vector:
            found = label(self.vector[doc], VECTOR_THRESHOLDS)
        if found != "weak" and not self._prepared.coverage.suffices(doc):
            return "weak"
        return found

    def _trust(self, strategy: str, doc: int, relevance: float | None) -> float:
        """The relevance that a calibrated label looks at."""
        if strategy == "lexical" and self._prepared.repeats:
            return relevance_once(self._prepared.terms, self._parameters, self._score_once(doc))
        return self.relevance(strategy, [doc]).get(doc, 0.0) if relevance is None else relevance

    def any_above_weak(self, docs: Collection[int]) -> bool:
        """Whether the lexical channel is more than `weak` about any of `docs`."""
        scores = self.lexical
        if "lexical" in self._thresholds:
            ordered = sorted(docs, key=lambda doc: -scores[doc])
            return any(self.label("lexical", doc) != "weak" for doc in ordered)
        _, candidate = LEXICAL_THRESHOLDS
        best = max(docs, key=scores.__getitem__, default=None)
        if best is None or scores[best] < candidate:
            return False
        if self.label("lexical", best) != "weak":
            return True
        # A score with repeats counted once is never above the score, so the rest cannot pass.
        hopeful = sorted((-scores[doc], doc) for doc in docs if scores[doc] >= candidate)
        return any(self.label("lexical", doc) != "weak" for _, doc in hopeful)

    def _score_once(self, doc: int) -> float:
        if not self._prepared.repeats:
            return self.lexical[doc]
        return kernels.score_document(self._snapshot, self._prepared.terms, self._parameters, doc)


def _reciprocal_ranks(values: Mapping[int, float], snapshot: Snapshot) -> dict[int, float]:
    """Reciprocal rank fusion's share of one channel [CCB09], scaled so that rank 1 gives 1."""
    ordered = sorted(values, key=lambda doc: (-values[doc], snapshot.order(doc)))
    return {doc: (RRF_K + 1) / (RRF_K + rank) for rank, doc in enumerate(ordered, start=1)}
