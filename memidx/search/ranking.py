"""Which hits, and in what order?

A query is prepared once (words, distinct terms, what a document must and must not hold), scored
by its channels, narrowed by its filters, turned into relevance and composite, and ordered totally:
`(-composite, nearer store, doc_id by code point)` on unrounded values.
"""

from __future__ import annotations

from memidx.analysis.base import Analyzer
from memidx.config import SearchConfig
from memidx.errors import ConfigError
from memidx.light import TYPE_CHECKING
from memidx.scoring import VECTOR_THRESHOLDS, decay
from memidx.search.answer import Confidence, Ranked
from memidx.search.channels import Channels
from memidx.search.filters import Filters, predicate
from memidx.search.prepared import Prepared, prepare
from memidx.snapshot.snapshot import Snapshot
from memidx.values import NamedTuple, dataclass, field, replace

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

STRATEGIES = ("lexical", "vector", "hybrid")


@dataclass(frozen=True, slots=True)
class SourceFactors:
    """What a source does to the composite of its documents."""

    weight: float = 1.0
    decay: float = 0.0
    decay_floor: float = 0.3

    @property
    def is_neutral(self) -> bool:
        """Whether composite is relevance."""
        return self.weight == 1.0 and self.decay == 0.0


@dataclass(frozen=True, slots=True)
class RankSettings:
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
        filters: Applied to every match before the best are chosen.
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

        filters = filters or Filters()
        found = rank_lexical(
            snapshot, prepared, settings, k=k, filters=filters, least=threshold, fallback=fallback
        )
        if found is not None:
            return found
    channels = Channels(snapshot, prepared, search, batch=batch, thresholds=settings.thresholds)
    matching = channels.matching(wanted)
    if prepared.phrases:
        matching = [doc for doc in matching if all(p.stands_in(doc) for p in prepared.phrases)]
    n_before = len(matching)
    matching = allowed(snapshot, prepared, matching, filters or Filters())
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
    composites = _composites(snapshot, settings, relevance)
    best = tuple(
        Scored(
            doc=doc,
            score=channels.score(wanted, doc, relevance[doc]),
            relevance=relevance[doc],
            composite=composites[doc],
            confidence=channels.label(wanted, doc, relevance[doc]),
        )
        for doc in _best(composites, k, snapshot.order)
    )
    by_source = count_by_source(snapshot.source_of, relevance)
    return Ranking(wanted, best, n_before, len(matching), len(relevance), by_source)


def _composites(
    snapshot: Snapshot, settings: RankSettings, relevance: Mapping[int, float]
) -> dict[int, float]:
    """Document -> its relevance times what its source does to it."""
    factor = factor_of(snapshot, settings)
    every = (settings.factors, *settings.farther)
    if all(source.is_neutral for factors in every for source in factors.values()):
        return dict(relevance)  # times 1.0, without a call for each of thousands
    return {doc: value * factor(doc) for doc, value in relevance.items()}


def _best(composites: Mapping[int, float], k: int, order: Callable[[int], int]) -> list[int]:
    """The `k` documents of the largest composites, in their total order."""
    docs: Iterable[int] = composites
    if 0 < k < len(composites):
        # Numbers alone are sorted quickly; then only what may be among the first has to be ordered.
        least = sorted(composites.values(), reverse=True)[k - 1]
        docs = [doc for doc, value in composites.items() if value >= least]
    return [doc for _, _, doc in sorted([(-composites[doc], order(doc), doc) for doc in docs])[:k]]


def count_by_source(source_of: Sequence[int], docs: Collection[int]) -> dict[int, int]:
    """Number of a source -> how many of some documents it has, in ascending order."""
    numbers = set(map(source_of.__getitem__, docs))
    if len(numbers) == 1:
        return {numbers.pop(): len(docs)}
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
    filters: Filters | None = None,
) -> list[list[Ranked]]:
    """Rankings of many queries with the batch kernels; `plain` as in `prepare`."""
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


def check_threshold(search: SearchConfig) -> None:
    """Refuse a `min_score` that hides hits a label calls at least `candidate`.

    A cosine is its own relevance, so a vector hit of the candidate threshold has that relevance;
    a lexical hit can reach 1. Under weighted fusion a channel gives its share of the weights;
    under reciprocal ranks a hit far down the list gives nearly nothing, and is kept by what its
    channel gives it alone. A channel without weight takes no part.

    Raises:
        ConfigError: With the inequality that does not hold.
    """
    _, candidate = VECTOR_THRESHOLDS
    total = search.lexical_weight + search.vector_weight
    bounds: list[tuple[str, str, float]] = []
    for channel, weight, reachable in (
        ("lexical", search.lexical_weight, 1.0),
        ("vector", search.vector_weight, candidate),
    ):
        if search.strategy == channel or (
            search.strategy == "hybrid" and search.fusion == "rrf" and weight > 0.0
        ):
            bounds.append((channel, f"{reachable:g}", reachable))
        elif search.strategy == "hybrid" and weight > 0.0:
            formula = f"{weight} * {reachable:g} / {total}"
            bounds.append((channel, formula, weight * reachable / total))
    for channel, formula, bound in bounds:
        if bound < search.min_score:
            raise ConfigError(
                f"min_score hides {channel} hits that are at least candidate: "
                f"{formula} < {search.min_score}",
                expected=f"min_score <= {bound:.6g}",
                found=str(search.min_score),
                hint="lower search.min_score",
            )


def factor_of(snapshot: Snapshot, settings: RankSettings) -> Callable[[int], float]:
    """Weight of a document's source times its decay: what turns relevance into composite."""
    by_store = dict(enumerate((settings.factors, *settings.farther)))
    by_number = [
        by_store.get(store, {}).get(name, SourceFactors())
        for store, name in zip(snapshot.store_of_source, snapshot.sources, strict=True)
    ]
    source_of, day_of, as_of = snapshot.source_of, snapshot.day_of, settings.as_of_day

    def factor(doc: int) -> float:
        source = by_number[source_of[doc]]
        if source.decay == 0.0:
            return source.weight
        day = day_of[doc]
        age = None if day == float("-inf") else as_of - day
        return source.weight * decay(age, rate=source.decay, floor=source.decay_floor)

    return factor


def allowed(
    snapshot: Snapshot, prepared: Prepared, docs: Iterable[int], filters: Filters
) -> list[int]:
    """Those of `docs` that the filters and the query's exclusions let through, in their order."""
    wanted = set(filters.sources)
    if prepared.parsed.sources:
        named = set(prepared.parsed.sources)
        # A flag and a word of the query both narrow: what neither allows is not searched.
        both = named & wanted if wanted else named
        filters = replace(filters, sources=tuple(sorted(both)) or ("",))
    test = predicate(snapshot, filters)
    kept = list(docs) if test is None else [doc for doc in docs if test(doc)]
    excluded = [term.numbers for term in prepared.excluded if term.numbers is not None]
    if excluded:
        gone = set().union(*map(snapshot.documents, excluded))
        kept = [doc for doc in kept if doc not in gone]
    unwanted = prepared.excluded_phrases
    if not unwanted:
        return kept
    return [doc for doc in kept if not any(phrase.stands_in(doc) for phrase in unwanted)]
