"""Which hits, and in what order?

A query is prepared once (words, distinct terms, what a document must and must not hold), scored
by its channels, narrowed by its filters, turned into relevance and composite, and ordered totally:
`(-composite, nearer store, doc_id by code point)` on unrounded values.
"""

from __future__ import annotations

from memidx.light import TYPE_CHECKING
from memidx.scoring import decay
from memidx.search.answer import Confidence, Ranked
from memidx.search.channels import Channels
from memidx.search.kernels import LexicalParameters, score_leading
from memidx.search.prepared import Prepared, prepare
from memidx.values import NamedTuple, Value, field

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from memidx.analysis.base import Analyzer
    from memidx.config import SearchConfig
    from memidx.search.filters import Filters
    from memidx.snapshot.snapshot import Snapshot

STRATEGIES = ("lexical", "vector", "hybrid")


class SourceFactors(Value):
    """What a source does to the composite of its documents."""

    weight: float = 1.0
    decay: float = 0.0
    decay_floor: float = 0.3

    @property
    def is_neutral(self) -> bool:
        """Whether composite is relevance."""
        return self.weight == 1.0 and self.decay == 0.0


class RankSettings(Value):
    """What turns matches into an order.

    Attributes:
        search: Strategy, k1, b, weights, fusion, threshold.
        factors: Source name -> weight and decay; a source not named has the defaults.
        as_of_day: Days since 1970-01-01 that ages are counted from.
        farther: `factors` of the other stores of the query, in their order.
        thresholds: Calibrated ones, by strategy (`memidx.search.calibrated`).
    """

    search: SearchConfig
    factors: Mapping[str, SourceFactors] = field(default_factory=dict)
    as_of_day: float = 0.0
    farther: tuple[Mapping[str, SourceFactors], ...] = ()
    thresholds: Mapping[str, tuple[float, float]] = field(default_factory=dict)


class RankInputs(NamedTuple):
    """What every ranking is made from, beside the query."""

    snapshot: Snapshot
    analyzer: Analyzer
    settings: RankSettings


class Scored(Value):
    """A document's place: `score` raw, `relevance` 0..1, `composite` the order."""

    doc: int
    score: float
    relevance: float
    composite: float
    confidence: Confidence


class Ranking(Value):
    """The best hits, and how many documents were left at each step.

    Attributes:
        strategy: The channel that ranked (the fallback's, where it was taken).
        best: In order.
        n_before_filters: Documents that match the words and phrases.
        n_after_filters: Of those, documents the filters and exclusions let through.
        n_matched: Of those, documents that reach `min_score`: the answer's whole extent.
        n_by_source: Number of a source -> how many of them it has, in ascending order.
    """

    strategy: str
    best: tuple[Scored, ...]
    n_before_filters: int
    n_after_filters: int
    n_matched: int
    n_by_source: Mapping[int, int]


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
        filters: Applied to every match before the best are chosen; None where nothing is.
        min_score: Smallest relevance of a hit; None takes the configured one.
        batch: Use the numpy kernels; the result is the same.
        fallback: Rank by vector when no lexical hit is above `weak`.
    """
    search = settings.search
    threshold = search.min_score if min_score is None else min_score
    wanted = strategy or search.strategy
    # Whole arrays know the published thresholds only.
    if batch and wanted == "lexical" and k and wanted not in settings.thresholds:
        from memidx.search.batch import rank_lexical  # needs numpy, a one-shot query does not

        found = rank_lexical(
            snapshot, prepared, settings, k=k, filters=filters, least=threshold, fallback=fallback
        )
        if found is not None:
            return found
    if (
        wanted == "lexical"
        and not (batch or prepared.narrows or filters or threshold > 0.0)
        and k > 0
        and (led := _rank_leading(snapshot, prepared, settings, k, fallback=fallback))
    ):
        return led
    channels = Channels(snapshot, prepared, search, batch=batch, thresholds=settings.thresholds)
    matching = channels.matching(wanted)
    if prepared.phrases:
        matching = [doc for doc in matching if all(p.stands_in(doc) for p in prepared.phrases)]
    n_before = len(matching)
    matching = allowed(snapshot, prepared, matching, filters)
    if wanted == "lexical" and fallback and not channels.any_above_weak(matching):
        vector = channels.vector
        if any(doc in vector for doc in matching):
            wanted = "vector"
            # A match the vector does not see (in a title only) stays, behind the others.
            vector.update((doc, 0.0) for doc in matching if doc not in vector)
    relevance = channels.relevance(wanted, matching)
    if threshold > 0.0:
        own = _own_relevance(channels, wanted, search, relevance)
        relevance = {
            doc: value
            for doc, value in relevance.items()
            if value >= threshold or own.get(doc, 0.0) >= threshold
        }
    best = _best(snapshot, settings, channels, wanted, relevance, k)
    by_source = _by_source(snapshot, relevance)
    return Ranking(wanted, best, n_before, len(matching), len(relevance), by_source)


def _rank_leading(
    snapshot: Snapshot, prepared: Prepared, settings: RankSettings, k: int, *, fallback: bool
) -> Ranking | None:
    """The same of a lexical ranking that nothing narrows, most documents left unscored.

    Returns:
        None where none of the best is above `weak`: then all scores decide what ranks.
    """
    search = settings.search
    scores, matching = score_leading(
        snapshot,
        prepared.terms,
        LexicalParameters(search.k1, search.b),
        k,
        _evenness(snapshot, settings),
    )
    channels = Channels(
        snapshot, prepared, search, batch=False, thresholds=settings.thresholds, lexical=scores
    )
    if fallback and not channels.any_above_weak(scores):
        return None
    relevance = channels.relevance("lexical", scores)
    best = _best(snapshot, settings, channels, "lexical", relevance, k)
    n_matched = len(matching)
    by_source = _by_source(snapshot, matching)
    return Ranking("lexical", best, n_matched, n_matched, n_matched, by_source)


def _evenness(snapshot: Snapshot, settings: RankSettings) -> float:
    """The smallest factor that a source can give a document, divided by the largest."""
    factors = _factors_by_number(snapshot, settings)
    least = min(
        [one.weight * (one.decay_floor if one.decay else 1.0) for one in factors], default=1
    )
    largest = max([one.weight for one in factors], default=1.0)
    return least / largest if largest > 0.0 else 0.0


def _best(
    snapshot: Snapshot,
    settings: RankSettings,
    channels: Channels,
    strategy: str,
    relevance: Mapping[int, float],
    k: int,
) -> tuple[Scored, ...]:
    """The best `k` documents by what a strategy and their sources give them, in their order."""
    composites = _composites(snapshot, settings, relevance)
    return tuple(
        [
            Scored(
                doc,
                channels.score(strategy, doc, relevance[doc]),
                relevance[doc],
                composites[doc],
                channels.label(strategy, doc, relevance[doc]),
            )
            for doc in _first(composites, k, snapshot.order)
        ]
    )


def _composites(
    snapshot: Snapshot, settings: RankSettings, relevance: Mapping[int, float]
) -> Mapping[int, float]:
    """Document -> its relevance times what its source does to it."""
    if all(source.is_neutral for source in _factors_by_number(snapshot, settings)):
        return relevance  # times 1.0, without a call for each of thousands
    factor = factor_of(snapshot, settings)
    return {doc: value * factor(doc) for doc, value in relevance.items()}


def _first(composites: Mapping[int, float], k: int, order: Callable[[int], int]) -> list[int]:
    """The `k` documents of the largest composites, in their total order."""
    docs: Iterable[int] = composites
    if 0 < k < len(composites):
        # Numbers alone are sorted quickly; then only what may be among the first has to be ordered.
        least = sorted(composites.values(), reverse=True)[k - 1]
        docs = [doc for doc, value in composites.items() if value >= least]
    return [doc for _, _, doc in sorted([(-composites[doc], order(doc), doc) for doc in docs])[:k]]


def _by_source(snapshot: Snapshot, docs: Collection[int]) -> dict[int, int]:
    if len(snapshot.sources) == 1:
        return {0: len(docs)} if docs else {}
    return count_by_source(snapshot.source_of, docs)


def count_by_source(source_of: Sequence[int], docs: Collection[int]) -> dict[int, int]:
    """Number of a source -> how many of some documents it has, in ascending order."""
    counts: dict[int, int] = {}
    count = counts.get
    for number in map(source_of.__getitem__, docs):
        counts[number] = count(number, 0) + 1
    return {number: counts[number] for number in sorted(counts)}


def _own_relevance(
    channels: Channels, strategy: str, search: SearchConfig, docs: Collection[int]
) -> dict[int, float]:
    """What the best channel of a fused ranking gives each document by itself.

    Fusing reorders, like weight and decay: what a channel would return alone is returned.
    """
    if strategy != "hybrid":
        return {}
    best: dict[int, float] = {}
    for channel, weight in (("lexical", search.lexical_weight), ("vector", search.vector_weight)):
        if weight > 0.0:
            held = channels.matching(channel)
            own = channels.relevance(channel, [doc for doc in docs if doc in held])
            for doc, value in own.items():
                best[doc] = max(best.get(doc, 0.0), value)
    return best


def rank_many(
    snapshot: Snapshot,
    analyzer: Analyzer,
    settings: RankSettings,
    queries: Iterable[str],
    *,
    k: int,
    strategy: str | None = None,
    plain: bool = False,
    sources: Sequence[str] = (),
) -> list[list[Ranked]]:
    """Rankings of many queries with the batch kernels; `plain` as in `prepare`.

    Args:
        sources: Names of those that may answer; empty means all.
    """
    from memidx.search.filters import Filters  # most searches have none

    filters = Filters(sources=tuple(sources)) if sources else None
    rankings = []
    for query in queries:
        prepared = prepare(snapshot, analyzer, query, settings.search, plain=plain)
        ranking = rank(
            snapshot, prepared, settings, k=k, strategy=strategy, filters=filters, batch=True
        )
        rankings.append(
            [
                Ranked(
                    doc_id=snapshot.doc_id(scored.doc),
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


def rank_ids(
    snapshot: Snapshot,
    analyzer: Analyzer,
    settings: RankSettings,
    queries: Iterable[str],
    *,
    k: int,
    strategy: str | None = None,
) -> list[list[str]]:
    """`doc_id`s of the best `k` hits of many queries, in the order `rank` gives them."""
    wanted = strategy or settings.search.strategy
    published = wanted == "lexical" and wanted not in settings.thresholds
    quick = snapshot.remembered.get("ids") if published else None
    if published and (quick is None or not quick.serves(analyzer, settings)):
        from memidx.search.ids import Ids  # needs numpy, a one-shot query does not

        quick = snapshot.remembered["ids"] = Ids(snapshot, analyzer, settings)
    found = []
    for query in queries:
        ids = None if quick is None else quick.best(snapshot, query, k)
        if ids is None:
            from memidx.search.batch import best_ids  # few queries come here

            prepared = prepare(snapshot, analyzer, query, settings.search)
            ids = best_ids(snapshot, prepared, settings, k) if published else None
            if ids is None:
                ranking = rank(snapshot, prepared, settings, k=k, strategy=strategy, batch=True)
                ids = [snapshot.doc_id(scored.doc) for scored in ranking.best]
        found.append(ids)
    return found


def factor_of(snapshot: Snapshot, settings: RankSettings) -> Callable[[int], float]:
    """Weight of a document's source times its decay: what turns relevance into composite."""
    by_number = _factors_by_number(snapshot, settings)
    source_of, day_of, as_of = snapshot.source_of, snapshot.day_of, settings.as_of_day

    def factor(doc: int) -> float:
        source = by_number[source_of[doc]]
        if source.decay == 0.0:
            return source.weight
        day = day_of[doc]
        age = None if day == float("-inf") else as_of - day
        return source.weight * decay(age, rate=source.decay, floor=source.decay_floor)

    return factor


def _factors_by_number(snapshot: Snapshot, settings: RankSettings) -> list[SourceFactors]:
    """What each source does, by its number."""
    by_store = dict(enumerate((settings.factors, *settings.farther)))
    return [
        by_store.get(store, {}).get(name, SourceFactors())
        for store, name in zip(snapshot.store_of_source, snapshot.sources, strict=True)
    ]


def allowed(
    snapshot: Snapshot, prepared: Prepared, docs: Iterable[int], filters: Filters | None
) -> list[int]:
    """Those of `docs` that the filters and the query's exclusions let through, in their order."""
    test = None
    if filters or prepared.parsed.sources:
        from memidx.search.filters import named_too, predicate  # few questions have any

        test = predicate(snapshot, named_too(filters, prepared.parsed.sources))
    kept = list(docs) if test is None else [doc for doc in docs if test(doc)]
    excluded = [term.numbers for term in prepared.excluded if term.numbers is not None]
    if excluded:
        gone = set().union(*map(snapshot.documents, excluded))
        kept = [doc for doc in kept if doc not in gone]
    unwanted = prepared.excluded_phrases
    if not unwanted:
        return kept
    return [doc for doc in kept if not any(phrase.stands_in(doc) for phrase in unwanted)]
