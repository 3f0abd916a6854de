"""Which documents answer, when only their ids are wanted?

For queries of words alone, as most are, over sketches (`memidx.search.sketch`); whatever these do
not settle is left to the exact ranking. Nothing of a query is made that its ids do not need.
Needs numpy.
"""

from __future__ import annotations

from memidx.analysis.base import Analyzer
from memidx.scoring import LEXICAL_THRESHOLDS
from memidx.search.batch import factors_of
from memidx.search.given import memory_of
from memidx.search.kernels import (
    LexicalParameters,
    ScoredTerm,
    lexical_bound,
    look_up,
    score_document,
)
from memidx.search.labels import Coverage
from memidx.search.parse import plain_words
from memidx.search.prepared import every_field, occurrences
from memidx.search.ranking import RankSettings
from memidx.search.sketch import Sketches, best_docs
from memidx.snapshot.snapshot import Snapshot

# A sketched score that is so much above a threshold is above it.
_SURELY = 1.001
# Beyond these, weights and parameters could make scores, or what becomes of them, too small or too
# large for numbers that are compared by their ratio.
_MAX_PARAMETER = 1e30
_FACTORS = (1e-100, 1e100)


class Ids:
    """Answers queries by the lexical strategy, under one set of settings."""

    def __init__(self, snapshot: Snapshot, analyzer: Analyzer, settings: RankSettings) -> None:
        # Without the snapshot, which may remember this: each would keep the other.
        self._analyzer = analyzer
        self._settings = settings
        self._at = LexicalParameters(settings.search.k1, settings.search.b)
        self._fields = every_field(snapshot, settings.search)
        memory = memory_of(snapshot)
        self._sketches = Sketches(memory, self._fields, (self._at.k1, self._at.b))
        self._factors = factors_of(snapshot, settings)
        self._is_usual = self._at.k1 <= _MAX_PARAMETER
        self._is_usual &= all(weight <= _MAX_PARAMETER for _, weight in self._fields)
        if self._factors is not None and len(self._factors):
            # One of 0 is an undated document's where nothing is left of what is old.
            least, most = _FACTORS
            self._is_usual &= bool(self._factors.min() >= least and self._factors.max() <= most)

    def serves(self, analyzer: Analyzer, settings: RankSettings) -> bool:
        """Whether it was made for these."""
        return self._settings is settings and self._analyzer is analyzer

    def best(self, snapshot: Snapshot, query: str, k: int) -> list[str] | None:
        """`doc_id`s of the best `k` hits; None where the exact ranking has to say."""
        text = plain_words(query) if self._is_usual else None
        if text is None or self._settings.search.min_score > 0.0:
            return None
        words = self._analyzer.query(text)
        terms = look_up(snapshot, occurrences(words), self._fields)
        sketch_of = self._sketches.of
        sketches = []
        for term in terms:
            if term.numbers is not None:
                sketch = sketch_of(snapshot, term)
                if sketch is None:
                    return None
                sketches.append(sketch)
        found = best_docs(
            snapshot, sketches, self._factors, lambda doc: self._composite(snapshot, terms, doc), k
        )
        if found is None:
            return None
        docs, scores = found
        if len(docs) < k and not all(one.is_whole for one in sketches):
            return None  # documents that match and score 0 come behind
        coverage = Coverage(snapshot, words)
        for doc in docs:
            if self._is_above_weak(snapshot, terms, coverage, doc, scores.item(doc)):
                return memory_of(snapshot).doc_ids(snapshot, docs)
        return None  # the vector may have to rank

    def _is_above_weak(
        self,
        snapshot: Snapshot,
        terms: tuple[ScoredTerm, ...],
        coverage: Coverage,
        doc: int,
        score: float,
    ) -> bool:
        """Whether a hit is surely more than `weak`."""
        _, candidate = LEXICAL_THRESHOLDS
        if score < candidate * _SURELY:
            return False
        if any(term.weight != term.weight_once for term in terms):
            score = score_document(snapshot, terms, self._at, doc)
        return score >= candidate and coverage.suffices(doc)

    def _composite(self, snapshot: Snapshot, terms: tuple[ScoredTerm, ...], doc: int) -> float:
        """What orders a document, to the bit."""
        bound = lexical_bound(terms, self._at)
        score = score_document(snapshot, terms, self._at, doc, once=False)
        relevance = min(1.0, score / bound) if bound else 0.0
        return relevance if self._factors is None else relevance * self._factors.item(doc)


def ids_of(snapshot: Snapshot, analyzer: Analyzer, settings: RankSettings) -> Ids:
    """What answers under these settings; kept from call to call, as they seldom change."""
    found: Ids | None = snapshot.remembered.get(Ids)
    if found is None or not found.serves(analyzer, settings):
        found = snapshot.remembered[Ids] = Ids(snapshot, analyzer, settings)
    return found
