"""What can a program ask of memidx?

The API boundary: a thin facade over opening, snapshot and search. Defaults that come from the
environment and the clock are taken here (and in `memidx.cli`) and nowhere below.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from memidx.arguments import check_arguments, check_names, day_of
from memidx.errors import InputError
from memidx.layers import Layers
from memidx.opening import open_for_build
from memidx.search.answer import Answer, Ranked, failed_sources, problems
from memidx.search.answering import Circumstances, answer
from memidx.search.filters import Filters, make_filters
from memidx.search.prepared import prepare
from memidx.search.ranking import (
    RankInputs,
    RankSettings,
    rank,
    rank_ids,
    rank_many,
)
from memidx.snapshot.refresh import Ready
from memidx.text.dates import days_since_epoch
from memidx.values import asdict, replace

if TYPE_CHECKING:
    from memidx.collection import CollectionIndex
    from memidx.results import BuildReport, CatalogRow, Explanation, RefreshReport, VerifyReport

# A process that asks one question ends before numpy would be loaded; one that asks more gains.
SEARCHES_WITHOUT_NUMPY = 3


def open(
    store: str | Sequence[str] | None = None,
    *,
    root: str | None = None,
    env: Mapping[str, str] | None = None,
    analyzer: str | None = None,
) -> Index:
    """Open a store, or a published JSON index, for searching.

    Args:
        store: Path of the store's folder, of a published index's file, or of several stores that
            are searched as one, the nearest first; None takes the configured one.
        root: Folder that documents' paths are relative to; None lets the store say.
        env: Environment for `MEMIDX_*` settings; None takes the process's.
        analyzer: Name of the analyzer; None takes the configured one.

    Raises:
        StoreMissing: There is no store.
        InputError: Root or configuration cannot be used.
    """
    return Index(store, root=root, env=os.environ if env is None else env, analyzer=analyzer)


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

    started = time.perf_counter()
    opened = open_for_build(paths, root, store, os.environ if env is None else env)
    report = run_build(
        opened, full=full, check=check, shard=shard, jobs=jobs, now_ns=time.time_ns()
    )
    return replace(report, elapsed_ms=round(1000 * (time.perf_counter() - started), 1))


def index_collection(
    documents: Iterable[tuple[str, str, str]],
    *,
    analyzer: str = "default",
    k1: float | None = None,
    b: float | None = None,
) -> CollectionIndex:
    """An index in memory over `(id, title, text)`, for test collections.

    Args:
        documents: Ids must be unique; order does not matter.
        analyzer: Name of the analyzer.
        k1: BM25's saturation; None takes the default.
        b: BM25's length normalisation; None takes the default.
    """
    from memidx.collection import CollectionIndex  # needs numpy, a search does not

    return CollectionIndex(documents, analyzer=analyzer, k1=k1, b=b)


class Index:
    """An open store: search it, ask it about itself. Use `memidx.open` to make one.

    A search looks at the sources first and takes in what changed, in memory and in the cache; the
    store's committed files are written by `memidx.build` alone. An index may be kept open for the
    life of a process, in one thread at a time.
    """

    def __init__(
        self,
        store: str | Sequence[str] | None,
        *,
        root: str | None,
        env: Mapping[str, str],
        analyzer: str | None,
    ) -> None:
        stores = [store] if store is None or isinstance(store, str) else list(store)
        self._layers = Layers(stores or [None], root, env, analyzer)
        self._current: Ready | None = None
        self._n_searches = 0

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
        exclude_invalidated: bool = False,
    ) -> Answer:
        """The best documents for a query, and what their absence would mean.

        Args:
            query: Words (OR-ed), `"exact phrase"`, `-excluded`, `title:word`, `source:name`; no
                text raises.
            k: Hits wanted, >= 1.
            offset: Hits to leave out at the front, >= 0.
            strategy: `lexical`, `vector` or `hybrid`; None takes the configured one.
            refresh: False answers from the last snapshot without looking at the sources.
            as_of: ISO date that ages count from; None takes today (UTC).
            sources: Names of sources to search; empty means all. Likewise `kinds` and `tags`.
            path_globs: Globs over the path, any of them.
            since: ISO date or `30d`, inclusive; `until` alike.
            min_score: Smallest relevance of a hit, 0..1; None takes the configured one.
            dedupe: `content` or `title`: show one of several hits that share it.
            exclude_invalidated: Leave out what is superseded or invalidated.

        Raises:
            InputError: An argument that cannot be used; a source or kind the index does not have.
            StoreError: The index could not be read.
        """
        started = time.perf_counter()
        check_arguments(k, offset, strategy, min_score, dedupe)
        ready = self._ready(refresh=refresh)
        refreshed = time.perf_counter()
        snapshot = ready.snapshot
        day = _today() if as_of is None else day_of(as_of)
        filters = make_filters(
            sources=sources,
            kinds=kinds,
            tags=tags,
            path_globs=path_globs,
            since=since,
            until=until,
            exclude_invalidated=exclude_invalidated,
            as_of_day=days_since_epoch(day),
        )
        check_names(filters, self._layers.sources, snapshot)
        settings = self._settings(day)
        prepared = prepare(snapshot, self._layers.analyzer, query, settings.search)
        ranking = rank(
            snapshot,
            prepared,
            settings,
            k=offset + k if dedupe is None else snapshot.n_docs,
            strategy=strategy,
            filters=filters,
            min_score=min_score,
            batch=self._stays_open(),
        )
        found = answer(
            snapshot,
            self._layers.analyzer,
            prepared,
            ranking,
            self._circumstances(ready, day, strategy or settings.search.strategy),
            k=k,
            offset=offset,
            dedupe=dedupe,
            requested=strategy or settings.search.strategy,
        )
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
        check_arguments(k, 0, strategy, None, None)
        inputs = self.rank_inputs(as_of)
        filters = Filters(sources=tuple(sources))
        check_names(filters, self._layers.sources, inputs.snapshot)
        return rank_many(*inputs, queries, k=k, strategy=strategy, filters=filters)

    def rank_inputs(self, as_of: str | None = None) -> RankInputs:
        """What `rank` ranks from, for those that rank in other ways."""
        snapshot = self._last().snapshot
        settings = self._settings(_today() if as_of is None else day_of(as_of))
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

    def explain(self, query: str, doc_id: str) -> Explanation:
        """Where a document's lexical score for a query comes from.

        Raises:
            InputError: The index has no such document.
        """
        from memidx.results import Explanation  # a search does not pay for the import
        from memidx.search.explaining import explain_lexical

        snapshot = self._last().snapshot
        doc = snapshot.find(doc_id)
        if doc is None:
            raise InputError("no such document in the index", found=doc_id)
        search = self._layers.nearest.config.search
        prepared = prepare(snapshot, self._layers.analyzer, query, search)
        score, bound, parts = explain_lexical(snapshot, prepared, doc, k1=search.k1, b=search.b)
        return Explanation(doc_id, score, bound, prepared.coverage.share(doc), parts)

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
        return asdict(self._settings("1970-01-01"))

    def _ready(self, *, refresh: bool) -> Ready:
        self._current = self._layers.ready(refresh=refresh, now_ns=time.time_ns())
        return self._current

    def _last(self) -> Ready:
        return self._current or self._ready(refresh=True)

    def _stays_open(self) -> bool:
        """Whether numpy pays: it takes longer to load than a few searches without it do."""
        self._n_searches += 1
        return self._n_searches > SEARCHES_WITHOUT_NUMPY or "numpy" in sys.modules

    def _settings(self, day: str) -> RankSettings:
        return self._layers.settings(days_since_epoch(day), lambda: self._last().snapshot)

    def _circumstances(self, ready: Ready, day: str, strategy: str) -> Circumstances:
        return Circumstances(
            stores=self._layers.stores,
            freshness=ready.freshness,
            as_of=day,
            sources_failed=failed_sources(ready.failed()),
            skipped=problems(ready.skips()),
            notes=(*ready.notes, *self._layers.labels.notes(strategy)),
            sources=frozenset(s.name for s in self._layers.sources).union(ready.snapshot.sources),
        )


def _today() -> str:
    """The clock's day, in UTC."""
    return time.strftime("%Y-%m-%d", time.gmtime())
