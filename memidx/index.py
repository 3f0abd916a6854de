"""What can a program ask of memidx?

The API boundary: a thin facade over opening, snapshot and search. Defaults that come from the
environment and the clock are taken here (and in `memidx.cli`) and nowhere below.
"""

from __future__ import annotations

import os
import time

from memidx.arguments import check_arguments, check_names, day_of
from memidx.layers import Layers
from memidx.light import TYPE_CHECKING
from memidx.search.ranking import RankInputs, rank_ids, rank_many
from memidx.searching import Question, check_question, day_of_question, search, settings_of
from memidx.values import asdict, replace

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any, Self

    from memidx.results import (
        BuildReport,
        CatalogRow,
        Excerpt,
        Explanation,
        RefreshReport,
        VerifyReport,
    )
    from memidx.search.answer import Answer, Ranked
    from memidx.snapshot.refresh import Ready


def open(
    store: str | Sequence[str] | None = None,
    *,
    root: str | None = None,
    env: Mapping[str, str] | None = None,
    analyzer: str | None = None,
    watch: bool = False,
) -> Index:
    """Open a store, or a published JSON index, for searching.

    Args:
        store: Path of the store's folder, of a published index's file, or of several stores that
            are searched as one, the nearest first; None takes the configured one.
        root: Folder that documents' paths are relative to; None lets the store say.
        env: Environment for `MEMIDX_*` settings; None takes the process's.
        analyzer: Name of the analyzer; None takes the configured one.
        watch: Let the system say in which folders something changed, and look at those alone; for
            an index that stays open, on Linux.

    Raises:
        StoreMissing: There is no store.
        InputError: Root or configuration cannot be used, or nothing can be watched here.
    """
    stores = [store] if store is None or isinstance(store, str) else [*store] or (None,)
    env = os.environ if env is None else env
    return Index(Layers(stores, root, env, analyzer, watch=watch))


def build(
    paths: Sequence[str] = (),
    *,
    root: str | None = None,
    store: str | None = None,
    full: bool = False,
    check: bool = False,
    shard: bool | None = None,
    jobs: int = 1,
    env: Mapping[str, str] | None = None,
) -> BuildReport:
    """Bring a store up to date with its sources; the committed bytes are all that it depends on.

    Args:
        paths: Files and folders; empty takes what the sources take.
        root: Folder that documents' paths are relative to.
        store: Path of the store's folder; None takes the configured one.
        full: Read every source anew; the bytes are the same as without.
        check: Write nothing and say whether the store is behind.
        shard: False refuses more than one shard file.
        jobs: Processes that analyse documents, >= 1.
        env: Environment for `MEMIDX_*` settings; None takes the process's.

    Raises:
        InputError: Arguments or configuration that cannot be used.
        StoreError: The store cannot be read or written; it is as it was.
    """
    from memidx.building import run_build  # a search does not pay for the import
    from memidx.opening_builds import open_for_build

    started = time.perf_counter()
    opened = open_for_build(paths, root, store, os.environ if env is None else env)
    report = run_build(
        opened, full=full, check=check, shard=shard, jobs=jobs, now_ns=time.time_ns()
    )
    return replace(report, elapsed_ms=round(1000 * (time.perf_counter() - started), 1))


class Index:
    """An open store: search it, ask it about itself. Use `memidx.open` to make one.

    A search looks at the sources first and takes in what changed, in memory and in the cache; the
    store's committed files are written by `memidx.build` alone. An index may be kept open for the
    life of a process, in one thread at a time.
    """

    def __init__(self, layers: Layers) -> None:
        self._layers = layers
        self._current: Ready | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the snapshot's memory map."""
        self._layers.close()

    def search(
        self,
        query: str,
        k: int = 5,
        *,
        offset: int = 0,
        cursor: str | None = None,
        also: Sequence[str] = (),
        strategy: str | None = None,
        refresh: bool = True,
        as_of: str | None = None,
        sources: Sequence[str] = (),
        kinds: Sequence[str] = (),
        tags: Sequence[str] = (),
        path_globs: Sequence[str] = (),
        since: str | None = None,
        until: str | None = None,
        min_score: float | None = None,
        dedupe: str | None = None,
        per_source: int | None = None,
        per_path: int | None = None,
        exclude_invalidated: bool = False,
    ) -> Answer:
        """The best documents for a query, and what their absence would mean.

        Args:
            query: Words (OR-ed), `"exact phrase"`, `-excluded`, `title:word`, `source:name`; no
                text raises.
            k: Hits wanted, >= 1.
            offset: Hits to leave out at the front, >= 0.
            cursor: `Answer.cursor` of the page before this one, instead of an offset.
            also: Other phrasings of the question, at most 8; together they count as much as it.
            strategy: `lexical`, `vector` or `hybrid`; None takes the configured one.
            refresh: False answers from the last snapshot without looking at the sources.
            as_of: ISO date that ages count from; None takes today (UTC).
            sources: Names of sources to search; empty means all. Likewise `kinds` and `tags`.
            path_globs: Globs over the path, any of them.
            since: ISO date or `30d`, inclusive; `until` alike.
            min_score: Smallest relevance of a hit, 0..1; None takes the configured one.
            dedupe: `content` or `title`: show one of several hits that share it.
            per_source: Hits of one source at most, >= 1; `per_path` likewise of one file.
            exclude_invalidated: Leave out what is superseded or invalidated.

        Raises:
            InputError: An argument that cannot be used; a source or kind the index does not have;
                a cursor of another index or question.
            StoreError: The index could not be read.
        """
        started = time.perf_counter()
        question = Question(
            text=query,
            k=k,
            offset=offset,
            cursor=cursor,
            also=tuple(also),
            strategy=strategy,
            sources=tuple(sources),
            kinds=tuple(kinds),
            tags=tuple(tags),
            path_globs=tuple(path_globs),
            since=since,
            until=until,
            min_score=min_score,
            dedupe=dedupe,
            per_source=per_source,
            per_path=per_path,
            exclude_invalidated=exclude_invalidated,
        )
        check_question(question, self._layers.nearest.config.search)
        day, place = day_of_question(question, as_of, _today())
        ready = self._ready(refresh=refresh)
        refreshed = time.perf_counter()
        found = search(self._layers, ready, question, day, place, batch=self._layers.stay_open())
        ended = time.perf_counter()
        timing = {
            "refresh_ms": round(1000 * (refreshed - started), 3),
            "search_ms": round(1000 * (ended - refreshed), 3),
        }
        return replace(found, timing=timing)

    def rank(
        self,
        queries: Sequence[str],
        k: int = 10,
        *,
        strategy: str | None = None,
        as_of: str | None = None,
        sources: Sequence[str] = (),
    ) -> list[list[Ranked]]:
        """Rankings of many queries over the last snapshot, with labels and without passages.

        Scores and order are those of `search`, to the bit; call `refresh` first.
        """
        from memidx.search.filters import Filters  # most searches have none

        check_arguments(k, 0, strategy, None, None)
        inputs = self.rank_inputs(as_of)
        filters = Filters(sources=tuple(sources))
        check_names(filters, self._layers.sources, inputs.snapshot)
        return rank_many(*inputs, queries, k=k, strategy=strategy, filters=filters)

    def rank_inputs(self, as_of: str | None = None) -> RankInputs:
        """What `rank` ranks from, for those that rank in other ways."""
        snapshot = self._last().snapshot
        settings = settings_of(self._layers, snapshot, _today() if as_of is None else day_of(as_of))
        return RankInputs(snapshot, self._layers.analyzer, settings)

    def search_ids(
        self,
        queries: Sequence[str],
        k: int = 10,
        *,
        strategy: str | None = None,
        as_of: str | None = None,
    ) -> list[list[str]]:
        """`doc_id`s of the best `k` documents, for many queries."""
        check_arguments(k, 0, strategy, None, None)
        return rank_ids(*self.rank_inputs(as_of), queries, k=k, strategy=strategy)

    def refresh(self) -> RefreshReport:
        """Compare with the sources now, and take in what changed."""
        from memidx.inspecting import refresh_report  # a search does not pay for the import

        return refresh_report(self._ready(refresh=True))

    def explain(
        self,
        query: str,
        doc_id: str,
        k: int = 5,
        *,
        refresh: bool = True,
        as_of: str | None = None,
        **options: Any,
    ) -> Explanation:
        """Why a document is where it is in an answer, or why it is not in it.

        Args:
            query: As in `search`.
            doc_id: Id or path of the document; one the index does not have is explained, too.
            k: Hits the answer would show.
            refresh: As in `search`, and so are `as_of` and all other options.

        Raises:
            InputError: An argument that cannot be used.
            StoreError: The index could not be read.
        """
        from memidx.reasons import explain  # a search does not pay for the import

        for name in ("also", "sources", "kinds", "tags", "path_globs"):
            options[name] = tuple(options.get(name, ()))
        question = Question(text=query, k=k, **options)
        check_question(question, self._layers.nearest.config.search)
        day, _ = day_of_question(question, as_of, _today())
        ready = self._ready(refresh=refresh)
        check_names(question.filters(day), self._layers.sources, ready.snapshot)
        return explain(self._layers, ready, question, day, doc_id)

    def get(
        self,
        place: str,
        *,
        line: int | None = None,
        count: int | None = None,
        max_bytes: int = 32 * 1024,
        refresh: bool = True,
    ) -> Excerpt:
        """The indexed text of a document: `doc_id` or path, and perhaps `:LINE[:COUNT]` behind it.

        Args:
            place: What a hit gives as `doc_id` or `path`; of several stores the nearest's.
            line: First line, in the file.
            count: Lines wanted; None takes all that fit.
            max_bytes: Bytes of text at most.
            refresh: False reads the last snapshot without looking at the sources.

        Raises:
            InputError: A number out of range.
            StoreError: The index could not be read.
        """
        from memidx.excerpts import excerpt  # a search does not pay for the import

        snapshot = self._ready(refresh=refresh).snapshot
        return excerpt(
            snapshot, self._layers.stores, place, line=line, count=count, max_bytes=max_bytes
        )

    def catalog(self) -> list[CatalogRow]:
        """Every indexed document in order of `doc_id`, without its text."""
        from memidx.inspecting import catalog  # a search does not pay for the import

        return catalog(self._last().snapshot)

    def doc_ids(self) -> list[str]:
        """Every `doc_id`, in ascending order of code points."""
        snapshot = self._last().snapshot
        return [snapshot.doc_id(doc) for doc in snapshot.docs()]

    def texts(self) -> Iterator[tuple[str, str]]:
        """`doc_id` and text of every indexed document, in order of `doc_id`."""
        snapshot = self._last().snapshot
        return ((snapshot.doc_id(doc), snapshot.text(doc)) for doc in snapshot.docs())

    def status(self) -> dict[str, Any]:
        """What the index holds, where it comes from and how fresh it is."""
        from memidx.inspecting import status  # a search does not pay for the import

        return status(self._layers.nearest, self._ready(refresh=True))

    def verify(self) -> VerifyReport:
        """Check every line of the store, and compare it with the content of every source file."""
        from memidx.inspecting import verify  # only who asks pays for the import

        return verify(self._layers.nearest)

    @property
    def store(self) -> str:
        """Absolute path of the store's folder."""
        return self._layers.nearest.workspace.store

    @property
    def root(self) -> str | None:
        """Absolute path of the sources' root, or None when it is not known."""
        return self._layers.nearest.workspace.root

    @property
    def calibration_file(self) -> str:
        """Where fitted thresholds are read from, whether or not there are any."""
        return self._layers.labels.path

    @property
    def logs_queries(self) -> bool:
        """Whether the command line notes queries beside the store (`memidx.querylog`)."""
        nearest = self._layers.nearest
        return nearest.config.log.queries and not nearest.is_published

    @property
    def strategy(self) -> str:
        """The configured strategy."""
        return self._layers.nearest.config.search.strategy

    @property
    def n_docs(self) -> int:
        """Documents in the last snapshot."""
        return self._last().snapshot.n_docs

    @property
    def build_id(self) -> str:
        """Names the documents of the last snapshot, whatever the analyzer."""
        return self._last().snapshot.build_id

    @property
    def fingerprint(self) -> str:
        """Fingerprint of the analyzer."""
        return self._layers.analyzer.fingerprint()

    @property
    def configuration(self) -> Mapping[str, Any]:
        """The settings a ranking depends on, as JSON values."""
        return asdict(settings_of(self._layers, self._last().snapshot, "1970-01-01"))

    def _ready(self, *, refresh: bool) -> Ready:
        self._current = self._layers.ready(refresh=refresh, now_ns=time.time_ns())
        return self._current

    def _last(self) -> Ready:
        return self._current or self._ready(refresh=True)


def _today() -> str:
    """The clock's day, in UTC."""
    year, month, day = time.gmtime()[:3]  # `strftime` takes as long as finding a word
    return f"{year}-{month:02}-{day:02}"
