"""Which hits, and in what order?

A query is prepared once (words, distinct terms, what a document must and must not hold), scored
by its channels, narrowed by its filters, turned into relevance and composite, and ordered totally:
`(-composite, doc_id by code point)` on unrounded values.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from memidx.analysis.base import Analyzer, QueryWord
from memidx.config import SearchConfig
from memidx.errors import ConfigError
from memidx.scoring import LEXICAL_THRESHOLDS, RRF_K, VECTOR_THRESHOLDS, decay, vector_norm
from memidx.search import kernels
from memidx.search.answer import Confidence, Ranked
from memidx.search.filters import Filters, predicate
from memidx.search.kernels import LexicalParameters, ScoredTerm
from memidx.search.labels import Coverage, better, label
from memidx.search.parse import ParsedQuery, parse
from memidx.search.phrases import fold, holds_phrase
from memidx.snapshot.snapshot import Snapshot

STRATEGIES = ("lexical", "vector", "hybrid")


@dataclass(frozen=True, slots=True)
class SourceFactors:
    """What a source does to the composite of its documents."""

    weight: float = 1.0
    decay: float = 0.0
    decay_floor: float = 0.3


@dataclass(frozen=True, slots=True)
class RankSettings:
    """What turns matches into an order.

    Attributes:
        search: Strategy, k1, b, weights, fusion, threshold.
        factors: Source name -> weight and decay; a source not named has the defaults.
        as_of_day: Days since 1970-01-01 that ages are counted from.
    """

    search: SearchConfig
    factors: Mapping[str, SourceFactors] = field(default_factory=dict)
    as_of_day: float = 0.0


@dataclass(frozen=True, slots=True)
class Prepared:
    """A query, looked up in one snapshot."""

    parsed: ParsedQuery
    words: tuple[QueryWord, ...]
    terms: tuple[ScoredTerm, ...]
    excluded: tuple[ScoredTerm, ...]
    coverage: Coverage

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to search for."""
        return not self.terms

    @property
    def repeats(self) -> bool:
        """Whether a term occurs more than once."""
        return any(term.weight != term.weight_once for term in self.terms)


@dataclass(frozen=True, slots=True)
class Scored:
    """A document's place: `score` raw, `relevance` 0..1, `composite` the order."""

    doc: int
    score: float
    relevance: float
    composite: float
    confidence: Confidence


@dataclass(frozen=True, slots=True)
class Ranking:
    """The best hits, and how many documents were left at each step.

    Attributes:
        strategy: The channel that ranked (the fallback's, where it was taken).
        best: In order.
        n_before_filters: Documents that match the words and phrases.
        n_after_filters: Of those, documents the filters and exclusions let through.
        matched: `doc_ord` of those that reach `min_score`: the answer's whole extent.
    """

    strategy: str
    best: tuple[Scored, ...]
    n_before_filters: int
    n_after_filters: int
    matched: tuple[int, ...]


def prepare(snapshot: Snapshot, analyzer: Analyzer, text: str, search: SearchConfig) -> Prepared:
    """Take a query apart and look its terms up."""
    parsed = parse(text)
    everywhere = tuple(
        (position, 1.0 if position == 0 else search.title_weight)
        for position in range(len(snapshot.fields))
    )
    title_only = everywhere[1:] or everywhere
    words = analyzer.query(parsed.words)
    title_words = analyzer.query(parsed.title_words)
    occurrences = [
        (term, weight, fields)
        for group, fields in ((words, everywhere), (title_words, title_only))
        for word in group
        for term, weight in word.terms
    ]
    terms = kernels.look_up(snapshot, occurrences)
    excluded = kernels.look_up(
        snapshot,
        [
            (word.whole, 1.0, everywhere)
            for phrase in parsed.excluded
            if _is_word(phrase)
            for word in analyzer.query(phrase)
        ],
    )
    numbers = {term.term: term.number for term in terms}
    every_word = (*words, *title_words)
    numbers.update(
        (word.whole, snapshot.term(word.whole)) for word in every_word if word.whole not in numbers
    )
    coverage = Coverage(snapshot, every_word, numbers)
    return Prepared(parsed, every_word, terms, excluded, coverage)


def rank(
    snapshot: Snapshot,
    prepared: Prepared,
    settings: RankSettings,
    *,
    k: int,
    strategy: str | None = None,
    filters: Filters | None = None,
    min_score: float | None = None,
    batch: bool = False,
    fallback: bool = True,
) -> Ranking:
    """The best `k` hits of a prepared query.

    Args:
        k: How many, >= 0. The first k of a longer ranking are the same k.
        strategy: `lexical`, `vector` or `hybrid`; None takes the configured one.
        filters: Applied to every match before the best are chosen.
        min_score: Smallest relevance of a hit; None takes the configured one.
        batch: Use the numpy kernels; the result is the same.
        fallback: Rank by vector when no lexical hit is above `weak`.
    """
    search = settings.search
    channels = _Channels(snapshot, prepared, search, batch=batch)
    wanted = strategy or search.strategy
    matching = channels.matching(wanted)
    matching = _holding_phrases(snapshot, prepared, matching)
    n_before = len(matching)
    matching = _allowed(snapshot, prepared, matching, filters or Filters())
    if wanted == "lexical" and fallback and not channels.any_above_weak(matching):
        vector = channels.vector
        if any(doc in vector for doc in matching):
            wanted = "vector"
    threshold = search.min_score if min_score is None else min_score
    relevance = channels.relevance(wanted, matching)
    if threshold > 0.0:
        relevance = {doc: value for doc, value in relevance.items() if value >= threshold}
    factor = _factors(snapshot, settings)
    composite = ((-value * factor(doc), doc) for doc, value in relevance.items())
    best = tuple(
        Scored(
            doc=doc,
            score=channels.score(wanted, doc, relevance[doc]),
            relevance=relevance[doc],
            composite=-negative,
            confidence=channels.label(wanted, doc),
        )
        for negative, doc in heapq.nsmallest(k, composite)
    )
    return Ranking(wanted, best, n_before, len(matching), tuple(relevance))


def rank_many(
    snapshot: Snapshot,
    analyzer: Analyzer,
    settings: RankSettings,
    queries: Iterable[str],
    *,
    k: int,
    strategy: str | None = None,
) -> list[list[Ranked]]:
    """Rankings of many queries with the batch kernels."""
    rankings = []
    for query in queries:
        prepared = prepare(snapshot, analyzer, query, settings.search)
        ranking = rank(snapshot, prepared, settings, k=k, strategy=strategy, batch=True)
        rankings.append(
            [
                Ranked(
                    doc_id=snapshot.doc_ids[scored.doc],
                    source=snapshot.sources[snapshot.source_of[scored.doc]],
                    path=snapshot.path(scored.doc),
                    score=scored.score,
                    relevance=scored.relevance,
                    composite=scored.composite,
                    confidence=scored.confidence,
                )
                for scored in ranking.best
            ]
        )
    return rankings


def check_threshold(search: SearchConfig) -> None:
    """Refuse a `min_score` that hides hits a label calls at least `candidate`.

    A cosine is its own relevance, so a vector hit of the candidate threshold has that relevance;
    a lexical hit can reach 1. Under weighted fusion a channel gives its share of the weights.

    Raises:
        ConfigError: With the inequality that does not hold.
    """
    _, candidate = VECTOR_THRESHOLDS
    total = search.lexical_weight + search.vector_weight
    reachable = {"lexical": ("1", 1.0), "vector": (f"{candidate}", candidate)}
    bounds = [("lexical", *reachable["lexical"])]
    if search.strategy == "vector":
        bounds = [("vector", *reachable["vector"])]
    elif search.strategy == "hybrid" and search.fusion == "weighted":
        bounds = [
            (
                channel,
                f"{weight} * {reachable[channel][0]} / {total}",
                weight * reachable[channel][1] / total,
            )
            for channel, weight in (
                ("lexical", search.lexical_weight),
                ("vector", search.vector_weight),
            )
            if weight > 0.0
        ]
    for channel, formula, bound in bounds:
        if bound < search.min_score:
            raise ConfigError(
                f"min_score hides {channel} hits that are at least candidate: "
                f"{formula} < {search.min_score}",
                expected=f"min_score <= {bound:.6g}",
                found=str(search.min_score),
                hint="lower search.min_score",
            )


class _Channels:
    """Scores of one query, computed once and only where they are needed."""

    def __init__(
        self, snapshot: Snapshot, prepared: Prepared, search: SearchConfig, *, batch: bool
    ) -> None:
        self._snapshot = snapshot
        self._prepared = prepared
        self._search = search
        self._batch = batch
        self._parameters = LexicalParameters(search.k1, search.b)
        self._lexical: dict[int, float] | None = None
        self._vector: dict[int, float] | None = None

    @property
    def lexical(self) -> dict[int, float]:
        if self._lexical is None:
            kernel = kernels.score_lexical_batch if self._batch else kernels.score_lexical
            self._lexical = kernel(self._snapshot, self._prepared.terms, self._parameters)
        return self._lexical

    @property
    def vector(self) -> dict[int, float]:
        if self._vector is None:
            terms = [t for t in self._prepared.terms if any(p == 0 for p, _ in t.fields)]
            vector = kernels.query_vector(terms)
            idfs = {term.number: term.idf for term in terms if term.number is not None}
            kernel = kernels.score_vector_batch if self._batch else kernels.score_vector
            norm = vector_norm(list(vector.values()))
            self._vector = kernel(self._snapshot, vector, norm, idfs)
        return self._vector

    def matching(self, strategy: str) -> Collection[int]:
        if strategy == "lexical":
            return self.lexical
        if strategy == "vector":
            return self.vector
        return self.lexical | self.vector

    def relevance(self, strategy: str, docs: Iterable[int]) -> dict[int, float]:
        if strategy == "vector":
            return {doc: min(1.0, self.vector[doc]) for doc in docs if doc in self.vector}
        if strategy == "lexical":
            bound = kernels.lexical_bound(self._prepared.terms, self._parameters)
            scores = self.lexical
            return {doc: min(1.0, scores[doc] / bound) if bound else 0.0 for doc in docs}
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
            taking_part = [(weight, _reciprocal_ranks(values)) for weight, values in taking_part]
        fused = dict.fromkeys(docs, 0.0)
        for weight, values in taking_part:
            for doc, value in values.items():
                fused[doc] += weight * value / total
        return fused

    def score(self, strategy: str, doc: int, relevance: float) -> float:
        if strategy == "hybrid":
            return relevance
        return self.lexical[doc] if strategy == "lexical" else self.vector[doc]

    def label(self, strategy: str, doc: int) -> Confidence:
        found: Confidence = "weak"
        if strategy != "vector" and doc in self.lexical:
            found = label(self._score_once(doc), LEXICAL_THRESHOLDS)
        if strategy != "lexical" and doc in self.vector:
            found = better(found, label(self.vector[doc], VECTOR_THRESHOLDS))
        if found != "weak" and not self._prepared.coverage.suffices(doc):
            return "weak"
        return found

    def any_above_weak(self, docs: Iterable[int]) -> bool:
        scores = self.lexical
        _, candidate = LEXICAL_THRESHOLDS
        # A score with repeats counted once is never above the score, so the rest cannot pass.
        hopeful = sorted((-scores[doc], doc) for doc in docs if scores[doc] >= candidate)
        return any(self.label("lexical", doc) != "weak" for _, doc in hopeful)

    def _score_once(self, doc: int) -> float:
        if not self._prepared.repeats:
            return self.lexical[doc]
        return kernels.score_document(self._snapshot, self._prepared.terms, self._parameters, doc)


def _reciprocal_ranks(values: Mapping[int, float]) -> dict[int, float]:
    """Reciprocal rank fusion's share of one channel [CCB09], scaled so that rank 1 gives 1."""
    ordered = sorted(values, key=lambda doc: (-values[doc], doc))
    return {doc: (RRF_K + 1) / (RRF_K + rank) for rank, doc in enumerate(ordered, start=1)}


def _factors(snapshot: Snapshot, settings: RankSettings) -> Callable[[int], float]:
    by_number = [settings.factors.get(name, SourceFactors()) for name in snapshot.sources]
    source_of, day_of, as_of = snapshot.source_of, snapshot.day_of, settings.as_of_day

    def factor(doc: int) -> float:
        source = by_number[source_of[doc]]
        if source.decay == 0.0:
            return source.weight
        day = day_of[doc]
        age = None if day == float("-inf") else as_of - day
        return source.weight * decay(age, rate=source.decay, floor=source.decay_floor)

    return factor


def _allowed(
    snapshot: Snapshot, prepared: Prepared, docs: Iterable[int], filters: Filters
) -> list[int]:
    wanted = set(filters.sources)
    if prepared.parsed.sources:
        named = set(prepared.parsed.sources)
        # A flag and a word of the query both narrow: what neither allows is not searched.
        both = named & wanted if wanted else named
        filters = _with_sources(filters, tuple(sorted(both)) or ("",))
    test = predicate(snapshot, filters)
    kept = list(docs) if test is None else [doc for doc in docs if test(doc)]
    numbers = [term.number for term in prepared.excluded if term.number is not None]
    if numbers:
        gone: set[int] = set()
        for field_view in snapshot.fields:
            for number in numbers:
                gone.update(field_view.ord[field_view.at[number] : field_view.at[number + 1]])
        kept = [doc for doc in kept if doc not in gone]
    phrases = [fold(text) for text in prepared.parsed.excluded if not _is_word(text)]
    return [doc for doc in kept if not _holds_any(snapshot, doc, phrases)] if phrases else kept


def _with_sources(filters: Filters, sources: tuple[str, ...]) -> Filters:
    # dataclasses.replace would do, but costs the import of nothing else here: spelled out.
    return Filters(
        sources,
        filters.kinds,
        filters.tags,
        filters.path_globs,
        filters.since_day,
        filters.until_day,
    )


def _is_word(text: str) -> bool:
    return not any(character.isspace() for character in text)


def _holding_phrases(
    snapshot: Snapshot, prepared: Prepared, docs: Collection[int]
) -> Collection[int]:
    phrases = [fold(phrase) for phrase in prepared.parsed.phrases]
    if not phrases:
        return docs
    return [doc for doc in docs if all(_holds_any(snapshot, doc, [p]) for p in phrases)]


def _holds_any(snapshot: Snapshot, doc: int, phrases: Sequence[str]) -> bool:
    title, text = fold(snapshot.card(doc).title), fold(snapshot.texts[doc])
    return any(holds_phrase(text, p) or holds_phrase(title, p) for p in phrases)
