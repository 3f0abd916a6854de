"""How is a lexical ranking made over whole arrays?

The same steps as `memidx.search.ranking.rank` takes document by document: match, narrow, look for
a hit above `weak` and else rank by vector, threshold, order. Needs numpy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from memidx.scoring import LEXICAL_THRESHOLDS, MIN_COVERAGE, VECTOR_THRESHOLDS, vector_norm
from memidx.search import kernels
from memidx.search.answer import Confidence
from memidx.search.arrays import Place, best_of, score_all
from memidx.search.cosine import query_vector
from memidx.search.filters import Filters
from memidx.search.given import Docs, Flags, Floats, Given, memory_of
from memidx.search.kernels import ScoredTerm
from memidx.search.labels import label, once
from memidx.search.prepared import Prepared
from memidx.search.ranking import Ranking, RankSettings, Scored, allowed, factor_of
from memidx.snapshot.parts import Numbers
from memidx.snapshot.snapshot import Snapshot


def rank_lexical(
    snapshot: Snapshot,
    prepared: Prepared,
    settings: RankSettings,
    *,
    k: int,
    filters: Filters | None,
    least: float,
    fallback: bool,
) -> Ranking | None:
    """The best `k` hits by the lexical strategy, or by vector where that is what is left.

    Args:
        least: Smallest relevance of a hit.
        fallback: Whether the vector ranks when no lexical hit is above `weak`.

    Returns:
        None where this way does not serve: there is nothing to search for, or fitted thresholds
        would label.
    """
    if prepared.is_empty:
        return None
    asked = _Asked(snapshot, prepared, settings)
    counts = asked.narrow(filters) if prepared.narrows or filters else None
    found = asked.ranked(k, least, fallback)
    if found is None:
        return None
    scored = tuple(
        [
            Scored(one.doc, one.score, one.relevance, one.composite, found.label(one))
            for one in found.best
        ]
    )
    by_source = _count_by_source(snapshot, found.matched())
    n_matched = sum(by_source.values())
    if counts is None:
        # What matches is counted twice only where a threshold came between.
        n_before = n_after = asked.n_matched() if least > 0.0 else n_matched
    else:
        n_before, n_after = counts
    return Ranking(found.strategy, scored, n_before, n_after, n_matched, by_source)


def best_ids(
    snapshot: Snapshot, prepared: Prepared, settings: RankSettings, k: int
) -> list[str] | None:
    """`doc_id`s of the best `k` hits, without labels and counts; None as in `rank_lexical`."""
    if prepared.is_empty or prepared.narrows:
        return None
    asked = _Asked(snapshot, prepared, settings)
    found = asked.ranked(k, settings.search.min_score, fallback=True)
    return None if found is None else list(map(snapshot.doc_id, (one.doc for one in found.best)))


class _Found(NamedTuple):
    """What a strategy makes of a query.

    Attributes:
        strategy: Its name.
        best: The best hits in served order.
        matched: Which documents match.
        label: How far a hit can be trusted.
    """

    strategy: str
    best: list[Place]
    matched: Callable[[], Flags]
    label: Callable[[Place], Confidence]


class _Asked:
    """One query over one snapshot.

    Attributes:
        scores: BM25 per document, 0 where it does not match.
    """

    def __init__(self, snapshot: Snapshot, prepared: Prepared, settings: RankSettings) -> None:
        self._snapshot = snapshot
        self._prepared = prepared
        self._settings = settings
        self._memory = memory_of(snapshot)
        self._at = kernels.LexicalParameters(settings.search.k1, settings.search.b)
        self._given = self._given_by(prepared.terms)
        self.scores = score_all(self._given, snapshot.size)
        self._matched: Flags | None = None
        for given in self._given:
            if not given.is_whole:  # a field without weight matches and adds nothing
                self._matched = self._matching(prepared.terms)
                break

    def matched(self) -> Flags:
        """Whether each document matches."""
        if self._matched is None:
            self._matched = self.scores > 0.0
        return self._matched

    def n_matched(self) -> int:
        """How many documents match."""
        return int(np.count_nonzero(self.matched()))

    def narrow(self, filters: Filters | None) -> tuple[int, int]:
        """Leave what phrases, filters and exclusions allow; counts before and after filters."""
        matching = self.matched().nonzero()[0].tolist()
        phrases = self._prepared.phrases
        if phrases:
            matching = [doc for doc in matching if all(p.stands_in(doc) for p in phrases)]
        kept = allowed(self._snapshot, self._prepared, matching, filters)
        self._matched = np.zeros(self._snapshot.size, dtype=np.bool_)
        self._matched[kept] = True
        self.scores = np.where(self._matched, self.scores, 0.0)
        return len(matching), len(kept)

    def ranked(self, k: int, least: float, fallback: bool) -> _Found | None:
        """The best `k` hits of at least this relevance, by the strategy that ranks in the end.

        None where the vector would have to, and has fitted thresholds.
        """
        bound = kernels.lexical_bound(self._prepared.terms, self._at)
        found = self._found("lexical", self.scores, bound, k, least)
        if fallback and not self._is_any_above_weak(found.best):
            cosine, seen = self._cosine()
            # A match that the vector does not see (in a title only) stays, behind the others.
            matched = self.matched()
            if (seen & matched).any():
                if "vector" in self._settings.thresholds:
                    return None
                found = self._found("vector", np.where(matched, cosine, 0.0), 1.0, k, least)
        return found

    def _found(self, strategy: str, scores: Floats, bound: float, k: int, least: float) -> _Found:
        """The best by `min(1, score / bound)`, which is 0 for a bound of 0."""
        factors = factors_of(self._snapshot, self._settings)
        matched = self.matched
        values = scores
        if factors is not None or least > 0.0:
            shares = np.minimum(1.0, scores / bound) if bound else np.zeros(len(scores))
            if least > 0.0:
                left = self.matched() & (shares >= least)
                matched = partial(_itself, left)
                values = np.where(left, scores, 0.0)
            if factors is not None:
                values = np.where(matched(), shares * factors, 0.0)
        best = best_of(
            self._snapshot,
            scores,
            bound,
            values,
            factors,
            self._given,
            k,
            matched,
        )
        return _Found(
            strategy, best, matched, self._label if strategy == "lexical" else self._label_by_vector
        )

    def _matching(self, terms: Sequence[ScoredTerm]) -> Flags:
        """Documents that hold any of the terms in any field it is looked for in."""
        matched = np.zeros(self._snapshot.size, dtype=np.bool_)
        for term in terms:
            if term.numbers is not None:
                for position, _ in term.fields:
                    matched[self._memory.holders(self._snapshot, position, term.numbers)] = True
        return matched

    def _cosine(self) -> tuple[Floats, Flags]:
        """Cosine of the query and every document over the first field, and which it sees."""
        snapshot = self._snapshot
        terms = [t for t in self._prepared.terms if any(p == 0 for p, _ in t.fields)]
        vector = query_vector(terms)
        idfs = {term.numbers: term.idf for term in terms}
        norm = vector_norm(list(vector.values()))
        scores = np.zeros(snapshot.size)
        seen = np.zeros(snapshot.size, dtype=np.bool_)
        for numbers, weight in vector.items():
            docs, tf = self._memory.frequencies(snapshot, 0, numbers)
            scores[docs] += (weight * idfs[numbers]) * tf
            seen[docs] = True
        divisor = norm * np.asarray(snapshot.norms)
        cosine = np.divide(scores, divisor, out=np.zeros(snapshot.size), where=divisor != 0.0)
        return cosine, seen

    def _is_any_above_weak(self, best: Sequence[Place]) -> bool:
        """Whether any document that matches is more than `weak`; `best` are asked first."""
        _, candidate = LEXICAL_THRESHOLDS
        for one in best:
            if one.score >= candidate and self._label(one) != "weak":
                return True
        scores = self._scores_once()
        hopeful = ((scores >= candidate) & self.matched()).nonzero()[0]
        return len(hopeful) > 0 and self._any_covered(hopeful)

    def _any_covered(self, docs: Docs) -> bool:
        """Whether any of these documents holds enough of the query (`Coverage.suffices`)."""
        words = self._prepared.coverage.words()
        covered = np.zeros(len(docs))
        for word in words:
            is_whole = self._holding(word.whole)[docs]
            parts = sum(self._holding(term)[docs].astype(np.intp) for term in word.terms)
            covered += np.where(is_whole, 1.0, parts / max(1, len(word.terms)))
        return not words or bool((covered / len(words) >= MIN_COVERAGE).any())

    def _holding(self, numbers: Numbers | None) -> Flags:
        """Which documents hold a term in any field."""
        holding = np.zeros(self._snapshot.size, dtype=np.bool_)
        if numbers is not None:
            for position in range(len(self._snapshot.fields)):
                holding[self._memory.holders(self._snapshot, position, numbers)] = True
        return holding

    def _scores_once(self) -> Floats:
        """Scores with repeated words counted once; of documents that do not match, too."""
        if not self._prepared.repeats:
            return self.scores
        return score_all(self._given_by(list(map(once, self._prepared.terms))), self._snapshot.size)

    def _given_by(self, terms: Sequence[ScoredTerm]) -> list[Given]:
        snapshot, memory, at = self._snapshot, self._memory, (self._at.k1, self._at.b)
        return [memory.given(snapshot, term, at) for term in terms if term.numbers is not None]

    def _label(self, place: Place) -> Confidence:
        score = place.score
        if self._prepared.repeats:
            score = kernels.score_document(
                self._snapshot, self._prepared.terms, self._at, place.doc
            )
        return self._covered(place.doc, label(score, LEXICAL_THRESHOLDS))

    def _label_by_vector(self, place: Place) -> Confidence:
        return self._covered(place.doc, label(place.score, VECTOR_THRESHOLDS))

    def _covered(self, doc: int, found: Confidence) -> Confidence:
        return found if found == "weak" or self._prepared.coverage.suffices(doc) else "weak"


def factors_of(snapshot: Snapshot, settings: RankSettings) -> Floats | None:
    """Weight times decay per document, made once for the same settings; None when it is 1."""

    def make() -> Floats | None:
        by_store = (settings.factors, *settings.farther)
        if all(one.is_neutral for factors in by_store for one in factors.values()):
            return None
        factors = map(factor_of(snapshot, settings), range(snapshot.size))
        return np.fromiter(factors, dtype=np.float64, count=snapshot.size)

    return memory_of(snapshot).factors(settings, make)


def _itself(flags: Flags) -> Flags:
    return flags


def _count_by_source(snapshot: Snapshot, matched: Flags) -> dict[int, int]:
    """Number of a source -> how many documents of it match, in ascending order."""
    if len(snapshot.sources) == 1:
        n_matched = int(np.count_nonzero(matched))
        return {0: n_matched} if n_matched else {}
    counts = np.bincount(np.asarray(snapshot.source_of)[matched]).tolist()
    return {number: count for number, count in enumerate(counts) if count}
