"""How is one question answered, from what the caller asked to what the answer says?

Arguments are checked, words looked up, documents ranked and listed, and where that led to nothing
to rely on, the answer is given what the question could be rephrased by.
"""

from __future__ import annotations

from memidx.arguments import check_arguments, check_caps, check_names, day_of
from memidx.config import SearchConfig
from memidx.layers import Layers
from memidx.light import TYPE_CHECKING
from memidx.search.answer import Answer, failed_sources
from memidx.search.answering import Circumstances, answer
from memidx.search.cursor import Cursor, Cursors, check_cursor, cursor_of, read_cursor
from memidx.search.labels import check_threshold
from memidx.search.listing import Caps, listed
from memidx.search.prepared import Prepared, prepare
from memidx.search.ranking import Ranking, RankSettings, rank
from memidx.snapshot.refresh import Ready
from memidx.snapshot.snapshot import Snapshot
from memidx.values import Value, replace

if TYPE_CHECKING:
    from memidx.search.filters import Filters


class Question(Value):
    """What a caller asks; `memidx.index.Index.search` says what each part means."""

    text: str
    k: int = 5
    offset: int = 0
    cursor: str | None = None
    also: tuple[str, ...] = ()
    strategy: str | None = None
    sources: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    path_globs: tuple[str, ...] = ()
    since: str | None = None
    until: str | None = None
    min_score: float | None = None
    dedupe: str | None = None
    per_source: int | None = None
    per_path: int | None = None
    exclude_invalidated: bool = False

    @property
    def caps(self) -> Caps:
        """What of the ranking is listed."""
        return Caps(self.dedupe, self.per_source, self.per_path)

    def filters(self, day: str) -> Filters | None:
        """What may match, with relative dates counted from `day`; None where anything may."""
        if not (
            self.sources
            or self.kinds
            or self.tags
            or self.path_globs
            or self.exclude_invalidated
            or (self.since, self.until) != (None, None)
        ):
            return None
        from memidx.search.filters import make_filters  # few questions have any
        from memidx.text.dates import days_since_epoch

        return make_filters(
            sources=self.sources,
            kinds=self.kinds,
            tags=self.tags,
            path_globs=self.path_globs,
            since=self.since,
            until=self.until,
            exclude_invalidated=self.exclude_invalidated,
            as_of_day=days_since_epoch(day),
        )


def check_question(question: Question, search: SearchConfig) -> None:
    """Refuse what cannot be asked, before anything is read.

    Raises:
        InputError: An argument out of range, a cursor that is none, or a `min_score` that would
            hide hits of the strategy that are at least `candidate`.
    """
    check_arguments(
        question.k, question.offset, question.strategy, question.min_score, question.dedupe
    )
    check_caps(question.per_source, question.per_path)
    if question.also:
        from memidx.search.fusing import check_phrasings  # few questions have several phrasings

        check_phrasings(question.also)
    if question.strategy is not None or question.min_score is not None:
        check_threshold(
            replace(
                search,
                strategy=question.strategy or search.strategy,
                min_score=search.min_score if question.min_score is None else question.min_score,
            )
        )


def day_of_question(question: Question, as_of: str | None, today: str) -> tuple[str, Cursor | None]:
    """The day ages count from, and the question's cursor, which holds on to the day it began.

    Raises:
        InputError: A date or a cursor that cannot be read.
    """
    cursor = None if question.cursor is None else read_cursor(question.cursor)
    if as_of is None and cursor is not None:
        as_of = cursor.as_of
    return (today if as_of is None else day_of(as_of)), cursor


def search(
    layers: Layers,
    ready: Ready,
    question: Question,
    day: str,
    cursor: Cursor | None,
    *,
    batch: bool = False,
) -> Answer:
    """The answer to a question that was checked.

    Args:
        layers: The stores.
        ready: Their documents.
        question: What is asked.
        day: ISO date that ages are counted from.
        cursor: Where to go on; None begins at the question's offset.
        batch: Use the numpy kernels; the answer is the same.

    Raises:
        InputError: A source or kind the index does not have; a cursor of another question.
    """
    snapshot, analyzer = ready.snapshot, layers.analyzer
    filters = question.filters(day)
    check_names(filters, layers.sources, snapshot)
    settings = settings_of(layers, snapshot, day)
    page = _page(layers, snapshot, question, settings, day)
    offset = question.offset
    if cursor is not None:
        check_cursor(cursor, page.at(cursor.offset))
        offset = cursor.offset
    caps, n_listed = question.caps, None
    # What caps leave out makes room for what comes behind it, however far.
    k = snapshot.n_docs if caps.any else offset + question.k
    prepared, ranking = ranked(layers, snapshot, question, settings, filters, k, batch=batch)
    if caps.any:
        ranking = replace(ranking, best=listed(snapshot, ranking.best, caps))
        n_listed = len(ranking.best)
    strategy = question.strategy or settings.search.strategy
    found = answer(
        snapshot,
        analyzer,
        prepared,
        ranking,
        circumstances_of(layers, ready, day, strategy),
        k=question.k,
        offset=offset,
        requested=strategy,
        also=question.also,
        n_listed=n_listed,
        page=Cursors(offset, lambda: page.at(offset)),
    )
    if _needs_help(found):
        found = _with_help(layers, snapshot, prepared, settings, found, batch=batch)
    elif any(term.numbers is None for term in prepared.terms):
        found = _with_suggestions(layers, snapshot, prepared, found)
    return found


def ranked(
    layers: Layers,
    snapshot: Snapshot,
    question: Question,
    settings: RankSettings,
    filters: Filters | None,
    k: int,
    *,
    batch: bool = False,
) -> tuple[Prepared, Ranking]:
    """The question, looked up with all its phrasings, and its best `k` hits."""
    prepared = prepare(snapshot, layers.analyzer, question.text, settings.search)
    if not question.also or prepared.is_empty:
        return prepared, rank(
            snapshot,
            prepared,
            settings,
            k=k,
            strategy=question.strategy,
            filters=filters,
            min_score=question.min_score,
            batch=batch,
        )
    from memidx.search.fusing import rank_phrasings  # few questions have several phrasings

    return rank_phrasings(
        snapshot,
        layers.analyzer,
        prepared,
        question.also,
        settings,
        k=k,
        strategy=question.strategy,
        filters=filters,
        min_score=question.min_score,
    )


def settings_of(layers: Layers, snapshot: Snapshot, day: str) -> RankSettings:
    """What turns matches into an order, with ages counted from `day`, and labels."""
    return layers.settings(day, lambda: snapshot)


def circumstances_of(layers: Layers, ready: Ready, day: str, strategy: str) -> Circumstances:
    """What is true of every answer from these documents by a strategy."""
    return Circumstances(
        stores=layers.stores,
        freshness=ready.freshness,
        as_of=day,
        sources_failed=failed_sources(ready.failed()),
        skipped=ready.skips(),
        notes=(*ready.notes, *layers.labels.notes(strategy)),
        sources=lambda: {source.name for source in layers.sources}.union(ready.snapshot.sources),
    )


def _page(
    layers: Layers, snapshot: Snapshot, question: Question, settings: RankSettings, day: str
) -> Cursors:
    """Where the question begins, and all that decides what its pages are pages of."""
    # An answer may outlive the snapshot: it must not keep the files open.
    build_id, analyzer = snapshot.build_id, layers.analyzer

    def first() -> Cursor:
        decisive = (
            replace(question, k=1, offset=0, cursor=None),
            settings.search,
            [sorted(factors.items()) for factors in (settings.factors, *settings.farther)],
            analyzer.fingerprint(),
        )
        return cursor_of(build_id, decisive, question.offset, day)

    return Cursors(question.offset, first)


def _needs_help(found: Answer) -> bool:
    """Whether there is nothing to rely on, but something to rephrase by."""
    if found.verdict in ("empty_query", "empty_index"):
        return False
    # A page behind the last hit says nothing of the hits before it.
    is_behind_the_end = found.verdict == "hits" and not found.hits
    return not is_behind_the_end and all(hit.confidence == "weak" for hit in found.hits)


def _with_help(
    layers: Layers,
    snapshot: Snapshot,
    prepared: Prepared,
    settings: RankSettings,
    found: Answer,
    *,
    batch: bool,
) -> Answer:
    """An answer nobody can rely on, with what to rephrase the question by."""
    from memidx.search.nearest import nearest_documents  # good answers need none

    found = _with_suggestions(layers, snapshot, prepared, found)
    shown = {hit.doc_id for hit in found.hits}
    return replace(
        found,
        nearest=nearest_documents(
            snapshot,
            layers.analyzer,
            prepared,
            settings,
            found.suggestions,
            shown,
            batch=batch,
        ),
    )


def _with_suggestions(
    layers: Layers, snapshot: Snapshot, prepared: Prepared, found: Answer
) -> Answer:
    """An answer with words that documents hold, for those that none does."""
    from memidx.search.suggestions import suggest, unknown_words  # only unknown words need it

    suggestions = suggest(snapshot, layers.analyzer, unknown_words(prepared.words, snapshot))
    notes = [f"near {near.word}: {', '.join(near.near)}" for near in suggestions]
    return replace(found, suggestions=suggestions, notes=(*found.notes, *notes))
