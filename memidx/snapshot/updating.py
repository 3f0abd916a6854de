"""What becomes of a snapshot that store or sources have changed under?

When files the last look knows have other bytes, these alone are read and taken into the overlay
(`memidx.snapshot.taking`). When anything else differs, store and sources are compared
(`memidx.snapshot.look`). All under the lock; no committed byte is written here.
"""

from __future__ import annotations

from memidx.errors import FileError, StoreLocked
from memidx.indexing.state import State
from memidx.light import TYPE_CHECKING, suppress
from memidx.snapshot.refresh import Ready, Refresher, unless_untold
from memidx.snapshot.snapshot import Snapshot

if TYPE_CHECKING:
    from memidx.snapshot.held import Held

# How long a query waits for another process before it answers from the last snapshot.
LOCK_WAIT_S = 2.0
_ATTEMPTS = 3


class Update:
    """Brings the snapshot in step that a refresher keeps."""

    def __init__(self, kept: Refresher) -> None:
        self._kept = kept
        # Key of the snapshot that took in the last edit, and what it holds.
        self._held: tuple[str, Held] | None = None

    def thorough(self, now_ns: int, *, checked: bool) -> Ready:
        """Compare and derive under the lock: no writer can be half way while the store is read."""
        try:
            with self._kept.cache.writer.lock(LOCK_WAIT_S):
                return self._look(now_ns, checked=checked)
        except StoreLocked:
            return self._last()

    def _look(self, now_ns: int, *, checked: bool) -> Ready:
        previous = self._kept.mine(whole=checked) or self._kept.cache.read_state()
        if checked and previous is not None:
            edited = self._kept.sources.edited
            if edited is not None and edited.state is not previous:
                # Whoever held the lock recorded a look, and may have taken in the same edit.
                found = self._kept.quick(self._kept.signatures(), now_ns, checked=checked)
                if found is not None:
                    return found
            found = self._follow(previous, now_ns)
            if found is not None:
                return found
        # Loaded only when something changed: a search on an unchanged project needs none of it.
        from memidx.snapshot.look import look_at_sources, look_at_store, read_content, record
        from memidx.snapshot.taking import derive_look

        stored = read_content(self._kept.workspace.store)
        root = self._kept.workspace.root
        if checked and root is not None:
            usable = (
                previous is not None
                and previous.settings == self._kept.workspace.settings
                and previous.root == root
            )
            known = previous if usable else None
            scratch = self._kept.cache.writer.scratch()
            look = look_at_sources(
                self._kept.workspace, root, stored.lines, stored.damage, known, scratch
            )
        else:
            look = look_at_store(stored.lines, stored.damage)
        key = look.key(self._kept.analyzer)
        state = record(
            look, self._kept.workspace, key=key, store=stored.signatures, recorded_ns=now_ns
        )
        snapshot, n_analysed = derive_look(
            look, key, self._kept.analyzer, self._kept.cache, self._last_of(previous)
        )
        # An unchecked look must not be taken for a comparison with the sources later.
        if checked or root is None:
            state = self.remember(state)
            self._kept.cache.writer.prune(*snapshot.keys(key))
        if previous is None:
            news = look.plan.size > 0
        else:
            # Another analyzer makes another snapshot of the same content: that is no news.
            news = _content(previous.snapshot) != _content(key)
        scan = look.scan
        return Ready(
            snapshot,
            unless_untold("refreshed" if news else "fresh", state, checked),
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
        edited = self._kept.sources.edited
        if edited is None or edited.state is not state or state.damage or state.failed:
            return None
        before = self._last_of(state)
        if before is None or before[0] != state.snapshot:
            return None
        from memidx.snapshot.taking import take_in  # see `_look`

        taken = take_in(
            self._kept.workspace,
            edited,
            before[1],
            self._kept.analyzer,
            self._kept.cache,
            now_ns,
            held=self._held[1] if self._held and self._held[0] == state.snapshot else None,
        )
        if taken is None:
            return None
        later = self.remember(taken.state)
        self._kept.sources.took_in(edited, later)
        key = later.snapshot
        self._held = (key, taken.held)
        self._kept.cache.writer.prune(*taken.snapshot.keys(key))
        news = _content(key) != _content(state.snapshot)
        freshness = unless_untold("refreshed" if news else "fresh", later, checked=True)
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
        if state is None or not state.snapshot.endswith(self._kept.analyzer_key):
            return None
        snapshot = self._kept.open(state.snapshot)
        return None if snapshot is None else (state.snapshot, snapshot)

    def _last(self) -> Ready:
        """The last snapshot, when a newer one cannot be built now.

        Its own state is not believed for long: whoever holds the lock may have replaced it.
        """
        for _ in range(_ATTEMPTS):
            mine = self._kept.mine(whole=False)
            for state in (self._kept.cache.read_state(), mine):
                snapshot = None if state is None else self._kept.open(state.snapshot)
                if state is not None and snapshot is not None:
                    note = (
                        "another process is writing the index: this answer is the last snapshot's"
                    )
                    return Ready(snapshot, "stale", state, notes=(note,))
        raise StoreLocked(
            "another process is writing the index, and there is no earlier snapshot",
            path=self._kept.workspace.store,
            hint="try again in a moment",
        )

    def remember(self, state: State) -> State:
        """Record a look; the state that was recorded."""
        # Without a record the next search looks at everything again; it is not wrong.
        with suppress(FileError):
            return self._kept.cache.writer.write_state(state)
        return state


def _content(key: str) -> str:
    """The part of a snapshot's key that names the documents."""
    return key.rpartition("-")[0]
