"""How is a lexical ranking made over whole arrays?

The same steps as `memidx.search.ranking.rank` takes document by document: match, narrow, look for
a hit above `weak`, threshold, order. Needs numpy.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from memidx.scoring import LEXICAL_THRESHOLDS
from memidx.search import kernels
from memidx.search.answer import Confidence
from memidx.search.arrays import Best, Floats, best_of, memory_of, score_all
from memidx.search.filters import Filters
from memidx.search.kernels import LexicalParameters
from memidx.search.labels import label
from memidx.search.prepared import Prepared
from memidx.search.ranking import Ranking, RankSettings, Scored, allowed, factor_of
from memidx.snapshot.snapshot import Snapshot


def rank_lexical(
    snapshot: Snapshot,
    prepared: Prepared,
    settings: RankSettings,
    *,
    k: int,
    filters: Filters,
    least: float,
    fallback: bool,
) -> Ranking | None:
    """The best `k` hits by the lexical strategy.

    Args:
        least: Smallest relevance of a hit.
        fallback: Whether another strategy is wanted when no hit is above `weak`.

    Returns:
        None where this way does not serve: no hit is above `weak` and that matters, or a match
        may have the score 0.
    """
    asked = _Asked(snapshot, prepared, settings)
    if asked.may_be_zero:
        return None
    n_before = n_after = int(np.count_nonzero(asked.scores))
    if prepared.narrows or filters != Filters():
        n_before, n_after = asked.narrow(filters)
    if fallback and not asked.is_any_above_weak():
        return None
    if least > 0.0:
        asked.drop_below(least)
    best = asked.best(k)
    scored = tuple(
        Scored(doc, score, relevance, composite, asked.label(doc, score))
        for doc, score, relevance, composite in zip(
            best.docs.tolist(),
            asked.scores[best.docs].tolist(),
            best.relevance.tolist(),
            best.composite.tolist(),
            strict=True,
        )
    )
    matched = np.flatnonzero(asked.scores)
    counts = np.bincount(np.asarray(snapshot.source_of)[matched]).tolist()
    by_source = {number: count for number, count in enumerate(counts) if count}
    return Ranking("lexical", scored, n_before, n_after, len(matched), by_source)


def best_ids(
    snapshot: Snapshot, prepared: Prepared, settings: RankSettings, k: int
) -> list[str] | None:
    """`doc_id`s of the best `k` hits, without labels; None as in `rank_lexical`."""
    asked = _Asked(snapshot, prepared, settings)
    if prepared.narrows or settings.search.min_score > 0.0:
        return None
    if asked.may_be_zero and np.count_nonzero(asked.scores) < k:
        return None
    if not asked.is_any_above_weak():
        return None
    return list(map(snapshot.doc_id, asked.best(k).docs.tolist()))


class _Asked:
    """One query over one snapshot; `may_be_zero` where a match may score 0."""

    def __init__(self, snapshot: Snapshot, prepared: Prepared, settings: RankSettings) -> None:
        self._snapshot = snapshot
        self._prepared = prepared
        self._settings = settings
        search = settings.search
        self._parameters = LexicalParameters(search.k1, search.b)
        self._bound = kernels.lexical_bound(prepared.terms, self._parameters)
        scores, may_be_zero = score_all(snapshot, prepared.terms, self._parameters)
        self.scores: Any = scores
        self.may_be_zero = may_be_zero or self._bound <= 0.0

    def narrow(self, filters: Filters) -> tuple[int, int]:
        """Leave what phrases, filters and exclusions allow; counts before and after filters."""
        matching = np.flatnonzero(self.scores).tolist()
        phrases = self._prepared.phrases
        if phrases:
            matching = [doc for doc in matching if all(p.stands_in(doc) for p in phrases)]
        kept = allowed(self._snapshot, self._prepared, matching, filters)
        scores: Floats = np.zeros(len(self.scores))
        scores[kept] = self.scores[kept]
        self.scores = scores
        return len(matching), len(kept)

    def drop_below(self, least: float) -> None:
        """Leave hits of at least this relevance."""
        relevance = np.minimum(1.0, self.scores / self._bound)
        self.scores = np.where(relevance >= least, self.scores, 0.0)

    def is_any_above_weak(self) -> bool:
        """Whether any document left is more than `weak`; as `Channels.any_above_weak` has it."""
        _, candidate = LEXICAL_THRESHOLDS
        scores = self.scores
        best = int(scores.argmax()) if len(scores) else 0
        if not len(scores) or scores[best] < candidate:
            return False
        if self.label(best, float(scores[best])) != "weak":
            return True
        hopeful = np.flatnonzero(scores >= candidate)
        self._prepared.coverage.gather()
        return any(self.label(doc, float(scores[doc])) != "weak" for doc in hopeful.tolist())

    def best(self, k: int) -> Best:
        settings, snapshot = self._settings, self._snapshot
        by_store = (settings.factors, *settings.farther)
        if all(one.is_neutral for factors in by_store for one in factors.values()):
            return best_of(snapshot, self.scores, self._bound, None, k)
        key = (tuple(tuple(factors.items()) for factors in by_store), settings.as_of_day)
        factors = memory_of(snapshot).factors(key, factor_of(snapshot, settings))
        return best_of(snapshot, self.scores, self._bound, factors, k)

    def label(self, doc: int, score: float) -> Confidence:
        """How far a hit can be trusted."""
        if self._prepared.repeats:
            terms = self._prepared.terms
            score = kernels.score_document(self._snapshot, terms, self._parameters, doc)
        found = label(score, LEXICAL_THRESHOLDS)
        return found if found == "weak" or self._prepared.coverage.suffices(doc) else "weak"
