"""Which snapshot answers now, and how fresh is it?

The quick way compares signatures of store and sources with the recorded state and opens the
snapshot it names. Where something changed, `memidx.snapshot.updating` brings it in step.
"""

from __future__ import annotations

from memidx.errors import StoreMissing
from memidx.light import TYPE_CHECKING, cached_property
from memidx.snapshot import Workspace, analyzer_key
from memidx.store import StoreFolder, has_store, store_signature
from memidx.values import Value, replace

if TYPE_CHECKING:
    from memidx.analysis.base import Analyzer
    from memidx.files import Signature
    from memidx.indexing.state import Freshness, State
    from memidx.snapshot.cache import Cache
    from memidx.snapshot.snapshot import Snapshot
    from memidx.snapshot.updating import Update
    from memidx.snapshot.watching import WatchedSources
    from memidx.sources.base import Skip


class Ready(Value):
    """A snapshot to search, and what is known about it.

    Attributes:
        snapshot: Immutable.
        freshness: `fresh` (checked, nothing new), `refreshed` (checked, and something new was
            taken in), `unchecked` (not compared with the sources), `stale` (something is new and
            could not be taken in).
        state: The look the snapshot comes from.
        n_added: Documents this call found to be new beside the store, and so on.
        n_analysed: Documents whose text was tokenized for it.
        notes: Sentences for a person.
        skipped: What is not in the index, or not whole, and what of the store is damaged.
        farther: The other stores of the query, as each of them is.
    """

    snapshot: Snapshot
    freshness: Freshness
    state: State
    n_added: int = 0
    n_changed: int = 0
    n_removed: int = 0
    n_read: int = 0
    n_parsed: int = 0
    n_analysed: int = 0
    notes: tuple[str, ...] = ()
    skipped: tuple[Skip, ...] = ()
    farther: tuple[Ready, ...] = ()

    def skips(self) -> tuple[Skip, ...]:
        """What is skipped or damaged, in any of the stores."""
        return (*self.skipped, *(skip for ready in self.farther for skip in ready.skipped))

    def failed(self) -> tuple[tuple[str, str], ...]:
        """Name of each source that failed, in any of the stores, and why."""
        farther = (failed for ready in self.farther for failed in ready.failed())
        return (*sorted(self.state.failed.items()), *farther)


class Refresher:
    """Keeps the snapshot of one store in step with store and sources.

    Args:
        workspace: The store and its sources.
        analyzer: What counts as a term.
        cache: Where snapshots and state live.
        watch: Whether the system shall say in which folders something changed.

    Attributes:
        analyzer_key: What of a snapshot's key says which analyzer made it.
    """

    def __init__(
        self, workspace: Workspace, analyzer: Analyzer, cache: Cache, *, watch: bool = False
    ) -> None:
        self.workspace = workspace
        self._is_watch_wanted = watch
        self.analyzer = analyzer
        self.analyzer_key = analyzer_key(analyzer)
        self.cache = cache
        self._ready: Ready | None = None
        # What a search got that did not look at the sources, if it was the last one.
        self._unchecked: Ready | None = None
        self._folder = StoreFolder(workspace.store)

    def ready(self, *, refresh: bool, now_ns: int) -> Ready:
        """The snapshot to search now.

        Args:
            refresh: Whether to compare with the sources.
            now_ns: The clock, nanoseconds since the epoch.

        Raises:
            StoreMissing: There is no store.
            StoreCorrupt: Lines are damaged and the sources cannot heal them.
            StoreLocked: Another process builds, and there is no earlier snapshot.
        """
        if not refresh and (as_before := self._as_before()):
            return as_before
        self._folder.look(now_ns)
        store = self.signatures()
        checked = refresh and self.workspace.root is not None
        found = quick = self.quick(store, now_ns, checked=checked)
        if found is None:
            found = self._update.thorough(now_ns, checked=checked)
        last = self._ready
        # Thousands of files are not gone through again for each search.
        same = last is not None and last.state is found.state
        skipped = last.skipped if last and same else skips_of(found.state)
        notes = (*found.notes, *self._notes(found.state))
        self._ready = replace(found, notes=notes, skipped=skipped)
        self._unchecked = None if refresh or quick is None else self._ready
        if refresh and self.cache.unnoted:
            self.cache.writer.write_note()
        return self._ready

    def _as_before(self) -> Ready | None:
        """What the last search got that did not look either, if no file of the store is new."""
        last = self._unchecked
        if last is None or not self._folder.is_as_seen() or not last.snapshot.is_whole():
            return None
        return last

    def require_store(self) -> None:
        """Make sure that there is a store.

        Raises:
            StoreMissing: There is none.
        """
        if not has_store(self.workspace.store):
            raise self._missing()

    def signatures(self) -> dict[str, Signature]:
        """Signatures of the store's files; raises as `require_store` does."""
        store = store_signature(self.workspace.store)
        if not store:
            raise self._missing()
        return store

    def _missing(self) -> StoreMissing:
        return StoreMissing(
            "there is no store here",
            path=self.workspace.store,
            hint="run `memidx build`, or name the store with --store",
        )

    def forget(self) -> None:
        """Let go of the snapshot and of the state."""
        self._ready = self._unchecked = None
        vars(self).pop("_update", None)
        sources = vars(self).pop("sources", None)
        if sources is not None:
            sources.forget()

    def quick(self, store: dict[str, Signature], now_ns: int, *, checked: bool) -> Ready | None:
        """The snapshot of a recorded look, if nothing is other than it was then.

        Args:
            store: Signatures of the store's files.
            now_ns: As in `ready`.
            checked: Whether the sources count.
        """
        if checked:
            # What an earlier search saw says nothing of now, where no state is compared below.
            self.sources.edited = None
        for state in self._states(store, whole=checked):
            if state.settings != self.workspace.settings or state.store != store:
                continue
            if not state.snapshot.endswith(self.analyzer_key):
                continue
            if checked and not self.sources.are_as_in(state, now_ns):
                continue
            snapshot = self.open(state.snapshot)
            if snapshot is not None:
                if checked:
                    state, is_news = self.sources.settled(state, now_ns)
                    state = self._update.remember(state) if is_news else state
                return Ready(snapshot, unless_untold("fresh", state, checked), state)
        return None

    def _states(self, store: dict[str, Signature], *, whole: bool) -> list[State]:
        """The state of this process first, then the recorded one if another process wrote it."""
        mine = self.mine(whole=whole)
        if mine is not None and mine.store == store:
            return [mine]
        theirs = self.cache.read_state(whole=whole)
        return [state for state in (mine, theirs) if state is not None]

    def mine(self, *, whole: bool) -> State | None:
        """The state of this process; to compare with the sources takes one that was read whole."""
        mine = self._ready.state if self._ready else None
        return mine if mine is not None and (mine.is_whole or not whole) else None

    @cached_property
    def sources(self) -> WatchedSources:
        """The sources, and what of them was seen."""
        from memidx.snapshot.watching import WatchedSources  # only who compares knows the sources

        return WatchedSources(self.workspace, watch=self._is_watch_wanted)

    @cached_property
    def _update(self) -> Update:
        from memidx.snapshot.updating import Update  # only where something changed

        return Update(self)

    def _notes(self, state: State) -> tuple[str, ...]:
        """What a person should know about the store and its cache, whatever was asked."""
        notes = []
        if state.damage:
            path, line, reason = state.damage[0]
            place = path if line is None else f"{path}:{line}"
            more = f" and {len(state.damage) - 1} more" if len(state.damage) > 1 else ""
            notes.append(
                f"the store is damaged: {place}: {reason}{more}; what is found is whole, from the "
                "sources, and `memidx build` mends the store"
            )
        if self.cache.note:
            notes.append(self.cache.note)
        if self._is_watch_wanted and self.sources.note:
            notes.append(self.sources.note)
        return tuple(notes)

    def open(self, key: str) -> Snapshot | None:
        """The snapshot with this key, the one that is open already where it is that."""
        mine = self._ready
        if mine is not None and mine.state.snapshot == key and mine.snapshot.is_whole():
            return mine.snapshot
        return self.cache.open_snapshot(key)


def skips_of(state: State) -> tuple[Skip, ...]:
    """What a look could not index, or not whole, and what of the store is damaged."""
    skips = (*state.skips, *state.file_skips())
    if not state.damage:
        return skips
    from memidx.sources.base import Skip  # hardly any store is damaged

    return (*(Skip(path, reason, line) for path, line, reason in state.damage), *skips)


def unless_untold(freshness: Freshness, state: State, checked: bool) -> Freshness:
    """The freshness of a look, but for what no token tells: a feed may hold something new."""
    untold = any(token is None and part in state.files for part, token in state.tokens.items())
    return freshness if checked and not untold else "unchecked"
