"""How is one question answered, from what the caller asked to what the answer says?

What is asked is checked before anything is read: a misspelt name must not look like an empty
answer. Words are looked up, documents ranked and listed, and where that led to nothing to rely on,
the answer is given what the question could be rephrased by.
"""

from __future__ import annotations

from memidx.errors import InputError
from memidx.light import TYPE_CHECKING
from memidx.search.answer import Answer, Cursors, failed_sources
from memidx.search.answering import Circumstances, answer
from memidx.search.labels import check_threshold
from memidx.search.prepared import Prepared, prepare
from memidx.search.ranking import STRATEGIES, Ranking, RankSettings, rank
from memidx.values import Value, replace

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from memidx.config import SearchConfig
    from memidx.layers import Layers
    from memidx.search.cursor import Cursor
    from memidx.search.filters import Filters
    from memidx.search.listing import Caps
    from memidx.snapshot.refresh import Ready
    from memidx.snapshot.snapshot import Snapshot


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
    def is_capped(self) -> bool:
        """Whether less than the ranking is listed; few questions ask for that."""
        return (self.dedupe, self.per_source, self.per_path) != (None, None, None)

    @property
    def caps(self) -> Caps:
        """What of the ranking is listed."""
        from memidx.search.listing import Caps  # see `is_capped`

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
        from memidx.text import days_since_epoch

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
    _check_caps(question.per_source, question.per_path)
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


def check_arguments(
    k: int, offset: int, strategy: str | None, min_score: float | None, dedupe: str | None
) -> None:
    """Refuse numbers out of range and unknown choices."""
    if k < 1 or offset < 0:
        raise InputError("k must be at least 1 and offset at least 0", found=f"{k}, {offset}")
    if strategy is not None and strategy not in STRATEGIES:
        raise InputError("unknown strategy", expected=", ".join(STRATEGIES), found=repr(strategy))
    if min_score is not None and not 0.0 <= min_score <= 1.0:
        raise InputError("min_score is out of range", expected="0 to 1", found=str(min_score))
    if dedupe not in (None, "content", "title"):
        raise InputError("unknown dedupe", expected="content or title", found=repr(dedupe))


def _check_caps(per_source: int | None, per_path: int | None) -> None:
    """Refuse a cap that leaves no place."""
    for name, cap in (("per_source", per_source), ("per_path", per_path)):
        if cap is not None and cap < 1:
            raise InputError(f"{name} is out of range", expected="1 or more", found=str(cap))


def check_names(
    sources: Sequence[str], kinds: Sequence[str], layers: Layers, snapshot: Snapshot
) -> None:
    """Refuse a source or kind that is neither configured nor in the index.

    Raises:
        InputError: Naming the ones there are.
    """
    if sources:
        names = {source.name for source in layers.sources}
        _check_known("source", sources, names.union(snapshot.sources))
    if kinds:
        known = {source.kind for source in layers.sources}
        _check_known("kind", kinds, known.union(snapshot.kinds))


def _check_known(what: str, wanted: Sequence[str], known: Collection[str]) -> None:
    for name in wanted:
        if name not in known:
            raise InputError(
                f"no {what} has this name",
                expected="one of " + ", ".join(sorted(known)),
                found=repr(name),
            )


def day_of(given: str | None, today: str) -> str:
    """The day ages count from, in its normal form: today, where none is given."""
    if given is None:
        return today
    from memidx.text.dates import parse_time  # most ages count from today

    parsed = parse_time(str(given))  # a `date` is as good as its text
    if parsed is None:
        raise InputError("as_of is not a date", expected="an ISO date", found=repr(given))
    return parsed


def day_of_question(question: Question, as_of: str | None, today: str) -> tuple[str, Cursor | None]:
    """The day ages count from, and the question's cursor, which holds on to the day it began.

    Raises:
        InputError: A date or a cursor that cannot be read.
    """
    cursor = None
    if question.cursor is not None:
        from memidx.search.cursor import read_cursor  # few questions go on where another ended

        cursor = read_cursor(question.cursor)
        as_of = cursor.as_of if as_of is None else as_of
    return day_of(as_of, today), cursor


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
    check_names(question.sources, question.kinds, layers, snapshot)
    settings = settings_of(layers, snapshot, day)
    page = _page(layers, snapshot, question, settings, day)
    offset = question.offset
    if cursor is not None:
        from memidx.search.cursor import check_cursor  # see `day_of_question`

        check_cursor(cursor, page.at(cursor.offset))
        offset = cursor.offset
    n_listed = None
    # What caps leave out makes room for what comes behind it, however far.
    k = snapshot.n_docs if question.is_capped else offset + question.k
    prepared, ranking = ranked(layers, snapshot, question, settings, filters, k, batch=batch)
    if question.is_capped:
        from memidx.search.listing import listed  # see `Question.is_capped`

        ranking = replace(ranking, best=listed(snapshot, ranking.best, question.caps))
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
    if _is_sure(found) and all(term.numbers is not None for term in prepared.terms):
        return found
    from memidx.search.rephrasing import with_help  # most answers can be relied on

    return with_help(snapshot, analyzer, prepared, settings, found, batch=batch)


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
        from memidx.search.cursor import cursor_of  # who reads an answer asks seldom

        decisive = (
            replace(question, k=1, offset=0, cursor=None),
            settings.search,
            [sorted(factors.items()) for factors in (settings.factors, *settings.farther)],
            analyzer.fingerprint(),
        )
        return cursor_of(build_id, decisive, question.offset, day)

    return Cursors(question.offset, first)


def _is_sure(found: Answer) -> bool:
    """Whether there is a hit that nobody need rephrase the question for."""
    return any(hit.confidence != "weak" for hit in found.hits)
