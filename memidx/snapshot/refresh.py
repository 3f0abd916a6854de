"""Which snapshot answers now, and how fresh is it?

The quick way compares signatures of store and sources with the recorded state and opens the
snapshot it names. When files the last look knows have other bytes, these alone are read and taken
into the overlay (`memidx.snapshot.taking`). When anything else differs, store and sources are
compared (`memidx.snapshot.look`). All under the lock; no committed byte is written here.
"""

from __future__ import annotations

from memidx.analysis.base import Analyzer
from memidx.errors import FileError, StoreLocked, StoreMissing
from memidx.files import Signature
from memidx.indexing.state import Freshness, State
from memidx.light import TYPE_CHECKING, cached_property, suppress
from memidx.snapshot.cache import Cache
from memidx.snapshot.snapshot import Snapshot
from memidx.snapshot.workspace import Workspace, analyzer_key
from memidx.store.signature import StoreFolder, store_signature
from memidx.values import dataclass, replace

if TYPE_CHECKING:
    from memidx.snapshot.held import Held
    from memidx.snapshot.watching import WatchedSources
    from memidx.sources.base import Skip

# How long a query waits for another process before it answers from the last snapshot.
LOCK_WAIT_S = 2.0
_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class Ready:
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
    """

    def __init__(
        self, workspace: Workspace, analyzer: Analyzer, cache: Cache, *, watch: bool = False
    ) -> None:
        self.workspace = workspace
        self._is_watch_wanted = watch
        self._analyzer = analyzer
        self._analyzer_key = analyzer_key(analyzer)
        self._cache = cache
        self._ready: Ready | None = None
        # What a search got that did not look at the sources, if it was the last one.
        self._unchecked: Ready | None = None
        self._folder = StoreFolder(workspace.store)
        # Key of the snapshot that took in the last edit, and what it holds.
        self._held: tuple[str, Held] | None = None

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
        store = self.require_store()
        checked = refresh and self.workspace.root is not None
        found = quick = self._quick(store, now_ns, checked=checked)
        if found is None:
            found = self._thorough(now_ns, checked=checked)
        last = self._ready
        # Thousands of files are not gone through again for each search.
        same = last is not None and last.state is found.state
        skipped = last.skipped if last and same else skips_of(found.state)
        notes = (*found.notes, *self._notes(found.state))
        self._ready = replace(found, notes=notes, skipped=skipped)
        self._unchecked = None if refresh or quick is None else self._ready
        return self._ready

    def _as_before(self) -> Ready | None:
        """What the last search got that did not look either, if no file of the store is new."""
        last = self._unchecked
        if last is None or not self._folder.is_as_seen() or not last.snapshot.is_whole():
            return None
        return last

    def require_store(self) -> dict[str, Signature]:
        """Signatures of the store's files.

        Raises:
            StoreMissing: There is none.
        """
        store = store_signature(self.workspace.store)
        if not store:
            raise StoreMissing(
                "there is no store here",
                path=self.workspace.store,
                hint="run `memidx build`, or name the store with --store",
            )
        return store

    def forget(self) -> None:
        """Let go of the snapshot and of the state."""
        self._ready = self._unchecked = self._held = None
        sources = vars(self).pop("_sources", None)
        if sources is not None:
            sources.forget()

    def _quick(self, store: dict[str, Signature], now_ns: int, *, checked: bool) -> Ready | None:
        if checked:
            # What an earlier search saw says nothing of now, where no state is compared below.
            self._sources.edited = None
        for state in self._states(store, whole=checked):
            if state.settings != self.workspace.settings or state.store != store:
                continue
            if not state.snapshot.endswith(self._analyzer_key):
                continue
            if checked and not self._sources.are_as_in(state, now_ns):
                continue
            snapshot = self._open(state.snapshot)
            if snapshot is not None:
                if checked:
                    state, is_news = self._sources.settled(state, now_ns)
                    state = self._remember(state) if is_news else state
                return Ready(snapshot, _unless_untold("fresh", state, checked), state)
        return None

    def _states(self, store: dict[str, Signature], *, whole: bool) -> list[State]:
        """The state of this process first, then the recorded one if another process wrote it."""
        mine = self._mine(whole=whole)
        if mine is not None and mine.store == store:
            return [mine]
        theirs = self._cache.read_state(whole=whole)
        return [state for state in (mine, theirs) if state is not None]

    def _mine(self, *, whole: bool) -> State | None:
        """The state of this process; to compare with the sources takes one that was read whole."""
        mine = self._ready.state if self._ready else None
        return mine if mine is not None and (mine.is_whole or not whole) else None

    @cached_property
    def _sources(self) -> WatchedSources:
        from memidx.snapshot.watching import WatchedSources  # only who compares knows the sources

        return WatchedSources(self.workspace, watch=self._is_watch_wanted)

    def _thorough(self, now_ns: int, *, checked: bool) -> Ready:
        """Compare and derive under the lock: no writer can be half way while the store is read."""
        try:
            with self._cache.lock(LOCK_WAIT_S):
                return self._look(now_ns, checked=checked)
        except StoreLocked:
            return self._last()

    def _look(self, now_ns: int, *, checked: bool) -> Ready:
        previous = self._mine(whole=checked) or self._cache.read_state()
        if checked and previous is not None:
            edited = self._sources.edited
            if edited is not None and edited.state is not previous:
                # Whoever held the lock recorded a look, and may have taken in the same edit.
                found = self._quick(self.require_store(), now_ns, checked=checked)
                if found is not None:
                    return found
            found = self._follow(previous, now_ns)
            if found is not None:
                return found
        # Loaded only when something changed: a search on an unchanged project needs none of it.
        from memidx.snapshot.look import look_at_sources, look_at_store, read_content, record
        from memidx.snapshot.taking import derive_look

        stored = read_content(self.workspace.store)
        root = self.workspace.root
        if checked and root is not None:
            usable = (
                previous is not None
                and previous.settings == self.workspace.settings
                and previous.root == root
            )
            known = previous if usable else None
            scratch = self._cache.scratch()
            look = look_at_sources(
                self.workspace, root, stored.lines, stored.damage, known, scratch
            )
        else:
            look = look_at_store(stored.lines, stored.damage)
        key = look.key(self._analyzer)
        state = record(look, self.workspace, key=key, store=stored.signatures, recorded_ns=now_ns)
        snapshot, n_analysed = derive_look(
            look, key, self._analyzer, self._cache, self._last_of(previous)
        )
        # An unchecked look must not be taken for a comparison with the sources later.
        if checked or root is None:
            state = self._remember(state)
            self._cache.prune(*snapshot.keys(key))
        if previous is None:
            news = look.plan.size > 0
        else:
            # Another analyzer makes another snapshot of the same content: that is no news.
            news = _content(previous.snapshot) != _content(key)
        scan = look.scan
        return Ready(
            snapshot,
            _unless_untold("refreshed" if news else "fresh", state, checked),
            state,
            n_added=len(look.plan.added),
            n_changed=len(look.plan.changed),
            n_removed=len(look.plan.removed),
            n_read=scan.n_read if scan else 0,
            n_parsed=scan.n_parsed if scan else 0,
            n_analysed=n_analysed,
        )

    def _follow(self, state: State, now_ns: int) -> Ready | None:
        """Take in edits of files that the last look knows, without reading the store.

        Returns:
            None where that is not enough: another store, root or settings, a damaged store, a
            failed source, or another set of files.
        """
        edited = self._sources.edited
        if edited is None or edited.state is not state or state.damage or state.failed:
            return None
        before = self._last_of(state)
        if before is None or before[0] != state.snapshot:
            return None
        from memidx.snapshot.taking import take_in  # see `_look`

        taken = take_in(
            self.workspace,
            edited,
            before[1],
            self._analyzer,
            self._cache,
            now_ns,
            held=self._held[1] if self._held and self._held[0] == state.snapshot else None,
        )
        if taken is None:
            return None
        later = self._remember(taken.state)
        self._sources.took_in(edited, later)
        key = later.snapshot
        self._held = (key, taken.held)
        self._cache.prune(*taken.snapshot.keys(key))
        news = _content(key) != _content(state.snapshot)
        freshness = _unless_untold("refreshed" if news else "fresh", later, checked=True)
        return Ready(
            taken.snapshot,
            freshness,
            later,
            n_added=taken.n_added,
            n_changed=taken.n_changed,
            n_removed=taken.n_removed,
            n_read=taken.n_read,
            n_parsed=taken.n_parsed,
            n_analysed=taken.n_analysed,
        )

    def _last_of(self, state: State | None) -> tuple[str, Snapshot] | None:
        """Key and snapshot of a recorded look, if this analyzer made it and it is still there."""
        if state is None or not state.snapshot.endswith(self._analyzer_key):
            return None
        snapshot = self._open(state.snapshot)
        return None if snapshot is None else (state.snapshot, snapshot)

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
        if self._cache.note:
            notes.append(self._cache.note)
        if self._is_watch_wanted and self._sources.note:
            notes.append(self._sources.note)
        return tuple(notes)

    def _open(self, key: str) -> Snapshot | None:
        mine = self._ready
        if mine is not None and mine.state.snapshot == key and mine.snapshot.is_whole():
            return mine.snapshot
        return self._cache.open_snapshot(key)

    def _last(self) -> Ready:
        """The last snapshot, when a newer one cannot be built now.

        Its own state is not believed for long: whoever holds the lock may have replaced it.
        """
        for _ in range(_ATTEMPTS):
            mine = self._ready.state if self._ready else None
            for state in (self._cache.read_state(), mine):
                snapshot = None if state is None else self._open(state.snapshot)
                if state is not None and snapshot is not None:
                    note = (
                        "another process is writing the index: this answer is the last snapshot's"
                    )
                    return Ready(snapshot, "stale", state, notes=(note,))
        raise StoreLocked(
            "another process is writing the index, and there is no earlier snapshot",
            path=self.workspace.store,
            hint="try again in a moment",
        )

    def _remember(self, state: State) -> State:
        # Without a record the next search looks at everything again; it is not wrong.
        with suppress(FileError):
            return self._cache.write_state(state)
        return state


def skips_of(state: State) -> tuple[Skip, ...]:
    """What a look could not index, or not whole, and what of the store is damaged."""
    skips = (*state.skips, *state.file_skips())
    if not state.damage:
        return skips
    from memidx.sources.base import Skip  # hardly any store is damaged

    return (*(Skip(path, reason, line) for path, line, reason in state.damage), *skips)


def _content(key: str) -> str:
    """The part of a snapshot's key that names the documents."""
    return key.rpartition("-")[0]


def _unless_untold(freshness: Freshness, state: State, checked: bool) -> Freshness:
    """The freshness of a look, but for what no token tells: a feed may hold something new."""
    untold = any(token is None and part in state.files for part, token in state.tokens.items())
    return freshness if checked and not untold else "unchecked"
