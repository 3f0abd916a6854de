"""Why is a document where it is in an answer, or why is it not there?

The question is ranked as a search ranks it, over every document; then the place, the first thing
that kept the document out, and the numbers behind both are put together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from memidx.excerpts import find_document, near_names
from memidx.layers import Layers
from memidx.results import Explanation
from memidx.scoring import RRF_K, decay
from memidx.search.explaining import explain_label, explain_lexical, explain_vector, threshold_rule
from memidx.search.filters import Filters, predicate
from memidx.search.fusing import ORIGINAL_SHARE
from memidx.search.kernels import LexicalParameters
from memidx.search.listing import listed
from memidx.search.prepared import Prepared, prepare
from memidx.search.ranking import (
    Ranking,
    RankSettings,
    Scored,
    SourceFactors,
    factor_of,
    rank,
)
from memidx.searching import Question, ranked, settings_of
from memidx.snapshot.refresh import Ready
from memidx.snapshot.snapshot import Snapshot

MAX_ABOVE = 5
MAX_TERMS = 3


def explain(layers: Layers, ready: Ready, question: Question, day: str, name: str) -> Explanation:
    """Where a document stands in the answer to a question, and why.

    Args:
        layers: The stores.
        ready: Their documents.
        question: What is asked; checked.
        day: ISO date that ages are counted from.
        name: `doc_id` or path of the document.
    """
    snapshot = ready.snapshot
    empty = Explanation(
        doc_id=name,
        query=question.text,
        as_of=day,
        k=question.k,
        strategy=question.strategy or layers.nearest.config.search.strategy,
    )
    doc = find_document(snapshot, name)
    if doc is None:
        return replace(
            empty,
            status="not_indexed",
            why=_why_not_indexed(ready, name),
            near=near_names(snapshot, name),
        )
    empty = replace(empty, doc_id=snapshot.doc_id(doc), store=layers.stores[snapshot.store_of(doc)])
    settings, filters = settings_of(layers, snapshot, day), question.filters(day)
    prepared, ranking = ranked(layers, snapshot, question, settings, filters, snapshot.n_docs)
    if prepared.is_empty:
        why = "the query holds nothing to search for"
        return replace(empty, status="empty_query", why=why)
    one = _Case(layers, snapshot, question, settings, filters, prepared, ranking, doc)
    return one.explained(empty)


def _why_not_indexed(ready: Ready, name: str) -> str:
    path = name.partition("#")[0]
    for skip in ready.skips():
        if skip.path == path:
            return f"the file is skipped: {skip.reason}"
    return "no document of this id or path is in the index"


class _Case:
    """One document in one whole ranking."""

    def __init__(
        self,
        layers: Layers,
        snapshot: Snapshot,
        question: Question,
        settings: RankSettings,
        filters: Filters | None,
        prepared: Prepared,
        ranking: Ranking,
        doc: int,
    ) -> None:
        self._layers = layers
        self._snapshot = snapshot
        self._question = question
        self._settings = settings
        self._filters = filters
        self._prepared = prepared
        self._ranking = ranking
        self._doc = doc
        search = settings.search
        self._parameters = LexicalParameters(search.k1, search.b)
        self._asked = (
            prepare(snapshot, layers.analyzer, question.text, search) if question.also else prepared
        )

    def explained(self, empty: Explanation) -> Explanation:
        """The whole explanation."""
        snapshot, doc, search = self._snapshot, self._doc, self._settings.search
        score, bound, parts = explain_lexical(snapshot, self._asked, doc, k1=search.k1, b=search.b)
        _, vector_parts = explain_vector(snapshot, self._asked, doc)
        matched = self._scored()
        listing = listed(snapshot, self._ranking.best, self._question.caps)
        place = next((n for n, hit in enumerate(listing, start=1) if hit.doc == doc), None)
        status, why = self._status(place, matched)
        factors, age = self._factors()
        channels = self._channels()
        confidence: str | None = None
        rules: tuple[str, ...] = ()
        fitted = self._settings.thresholds.get(self._ranking.strategy)
        if matched is not None and fitted is not None:
            confidence = matched.confidence
            rules = (threshold_rule("relevance, by fitted thresholds,", matched.relevance, fitted),)
        elif matched is not None:
            label, rules = explain_label(
                snapshot, self._asked, doc, self._ranking.strategy, self._parameters
            )
            confidence = matched.confidence
            if label != confidence:
                rules = (*rules, f"another phrasing holds more of it: {confidence}")
        decayed = decay(age, rate=factors.decay, floor=factors.decay_floor)
        return replace(
            empty,
            score=score,
            bound=bound,
            coverage=self._asked.coverage.share(doc),
            parts=parts,
            status=status,
            why=why,
            strategy=self._ranking.strategy,
            rank=place,
            n_matched=self._ranking.n_matched,
            channels=channels,
            fusion=self._fusion(channels),
            vector_parts=vector_parts,
            relevance=matched.relevance if matched else None,
            source=snapshot.sources[snapshot.source_of[doc]],
            source_weight=factors.weight,
            age_days=age,
            decay=decayed,
            composite=matched.composite if matched else None,
            confidence=confidence,
            label_rules=rules,
            above=self._above(listing, place, parts),
        )

    def _scored(self) -> Scored | None:
        """The document's place in the ranking, or the one it would have without a threshold."""
        found = _of(self._ranking, self._doc)
        if found is None and self._kept_out() is None:
            free = replace(self._question, min_score=0.0)
            settings = replace(self._settings, search=replace(self._settings.search, min_score=0.0))
            _, ranking = ranked(
                self._layers,
                self._snapshot,
                free,
                settings,
                self._filters,
                self._snapshot.n_docs,
            )
            found = _of(ranking, self._doc)
        return found

    def _status(self, place: int | None, matched: Scored | None) -> tuple[str, str]:
        question = self._question
        if place is not None:
            last = question.offset + question.k
            if place <= last:
                return "shown", f"place {place} of {self._ranking.n_matched} that match"
            return "beyond_k", f"place {place} is behind the {last} that are shown"
        if _of(self._ranking, self._doc) is not None:
            return "left_out", "a hit before it took the place that dedupe or a cap allows"
        kept_out = self._kept_out()
        if kept_out is not None:
            return kept_out
        least = (
            self._settings.search.min_score if question.min_score is None else question.min_score
        )
        if matched is not None:
            return (
                "below_threshold",
                f"its relevance {matched.relevance:.4g} is below the minimum {least:g}",
            )
        return "no_term", "it holds the words in its title alone, where the vector does not look"

    def _kept_out(self) -> tuple[str, str] | None:
        """The first thing that keeps the document out, in the order in which a search goes."""
        snapshot, doc, prepared = self._snapshot, self._doc, self._prepared
        held = any(
            term.numbers is not None
            and any(snapshot.frequency(position, term.numbers, doc) for position, _ in term.fields)
            for term in prepared.terms
        )
        if not held:
            return "no_term", "it holds no word of the query where the query looks for it"
        if not self._question.also:
            for phrase, text in zip(prepared.phrases, prepared.parsed.phrases, strict=True):
                if not phrase.stands_in(doc):
                    return "no_phrase", f'it does not hold the exact phrase "{text}"'
        if (narrow := self._filtered()) is not None:
            return "filtered_out", narrow
        for term in prepared.excluded:
            if term.numbers is not None and snapshot.holds(term.numbers, doc):
                return "excluded", f"it holds the excluded word -{term.term}"
        if any(exclusion.stands_in(doc) for exclusion in prepared.excluded_phrases):
            return "excluded", "the query excludes it: " + ", ".join(
                f"-{text}" for text in prepared.parsed.exclusions
            )
        return None

    def _filtered(self) -> str | None:
        """Which filter takes the document out."""
        filters, named = self._filters or Filters(), self._prepared.parsed.sources
        single = {
            "source": Filters(sources=filters.sources),
            "source: in the query": Filters(sources=named),
            "kind": Filters(kinds=filters.kinds),
            "tag": Filters(tags=filters.tags),
            "path": Filters(path_globs=filters.path_globs),
            "since": Filters(since_day=filters.since_day),
            "until": Filters(until_day=filters.until_day),
        }
        for name, narrow in single.items():
            test = predicate(self._snapshot, narrow)
            if test is not None and not test(self._doc):
                return f"the filter {name} takes it out"
        return None

    def _factors(self) -> tuple[SourceFactors, float | None]:
        """What its source does to it, and its age in days."""
        snapshot, doc = self._snapshot, self._doc
        tables = (self._settings.factors, *self._settings.farther)
        store, name = snapshot.store_of(doc), snapshot.sources[snapshot.source_of[doc]]
        factors = tables[store].get(name) if store < len(tables) else None
        day = snapshot.day_of[doc]
        age = None if day == float("-inf") else self._settings.as_of_day - day
        return factors or SourceFactors(), age

    def _channels(self) -> dict[str, dict[str, Any]]:
        """What each channel by itself makes of the document, among those that may match."""
        found = {}
        for channel in ("lexical", "vector"):
            ranking = rank(
                self._snapshot,
                self._asked,
                # Its own place in a channel is by relevance, before weight and age.
                RankSettings(self._settings.search, as_of_day=self._settings.as_of_day),
                k=self._snapshot.n_docs,
                strategy=channel,
                filters=self._filters,
                min_score=0.0,
                fallback=False,
            )
            for place, hit in enumerate(ranking.best, start=1):
                if hit.doc == self._doc:
                    found[channel] = {
                        "score": hit.score,
                        "relevance": hit.relevance,
                        "rank": place,
                    }
        return found

    def _fusion(self, channels: Mapping[str, Mapping[str, Any]]) -> dict[str, Any] | None:
        search = self._settings.search
        if self._question.also:
            return {
                "kind": "phrasings",
                "formula": "the largest best relevance * sum(share * relevance / best relevance)",
                "parts": self._phrasings(),
            }
        if self._ranking.strategy != "hybrid":
            return None
        weights = {"lexical": search.lexical_weight, "vector": search.vector_weight}
        if search.fusion == "rrf":
            formula = f"sum(weight * {RRF_K + 1} / ({RRF_K} + rank)) / sum(weights)"
        else:
            formula = "sum(weight * relevance) / sum(weights of channels with a match)"
        return {
            "kind": search.fusion,
            "formula": formula,
            "parts": [
                {"channel": channel, "weight": weights[channel], **values}
                for channel, values in channels.items()
            ],
        }

    def _phrasings(self) -> list[dict[str, Any]]:
        """What each phrasing by itself makes of the document."""
        parts = []
        texts = dict.fromkeys((self._question.text, *self._question.also))
        others = max(1, len(texts) - 1)
        for n, text in enumerate(texts):
            own = prepare(self._snapshot, self._layers.analyzer, text, self._settings.search)
            if own.is_empty:
                continue
            ranking = rank(
                self._snapshot,
                own,
                self._settings,
                k=self._snapshot.n_docs,
                strategy=self._ranking.strategy,
                filters=self._filters,
                fallback=False,
            )
            hit = _of(ranking, self._doc)
            parts.append(
                {
                    "phrasing": text,
                    "share": ORIGINAL_SHARE if n == 0 else (1.0 - ORIGINAL_SHARE) / others,
                    "relevance": hit.relevance if hit else 0.0,
                    "best_relevance": max((h.relevance for h in ranking.best), default=0.0),
                }
            )
        return parts

    def _above(
        self,
        listing: Sequence[Scored],
        place: int | None,
        own_parts: Sequence[Mapping[str, Any]],
    ) -> tuple[Mapping[str, Any], ...]:
        """The first hits before the document, and the terms that give them more."""
        search, factor = self._settings.search, factor_of(self._snapshot, self._settings)
        own = _by_term(own_parts)
        found = []
        before = listing if place is None else listing[: place - 1]
        for n, hit in enumerate(before[:MAX_ABOVE], start=1):
            _, _, parts = explain_lexical(
                self._snapshot, self._asked, hit.doc, k1=search.k1, b=search.b
            )
            gains = sorted(
                (
                    (own.get(term, 0.0) - score, term, score)
                    for term, score in _by_term(parts).items()
                )
            )
            found.append(
                {
                    "doc_id": self._snapshot.doc_id(hit.doc),
                    "rank": n,
                    "composite": hit.composite,
                    "relevance": hit.relevance,
                    "factor": factor(hit.doc),
                    "terms": [
                        {"term": term, "score": score, "own_score": own.get(term, 0.0)}
                        for gain, term, score in gains[:MAX_TERMS]
                        if gain < 0.0
                    ],
                }
            )
        return tuple(found)


def _of(ranking: Ranking, doc: int) -> Scored | None:
    return next((hit for hit in ranking.best if hit.doc == doc), None)


def _by_term(parts: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    scores: dict[str, float] = {}
    for part in parts:
        scores[part["term"]] = scores.get(part["term"], 0.0) + part["score"]
    return scores
