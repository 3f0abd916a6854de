"""Where do snapshots and local state live, and what is there?

In `store/.cache`; where the store cannot be written, in `MEMIDX_CACHE_DIR`, then the user's cache
folder, then in memory. Everything there can be deleted at any time: it is derived again. It is
written by `memidx.snapshot.caching`.

Of the last look a whole one is recorded, and beside it what was edited since.
"""

from __future__ import annotations

import os.path

from memidx import files
from memidx.errors import FileError, StoreCorrupt
from memidx.hashing import blake2b
from memidx.indexing.state import SUMMARY_BYTES, State, read_state, read_summary
from memidx.light import TYPE_CHECKING, cached_property, suppress
from memidx.snapshot.segment import Segment
from memidx.snapshot.snapshot import Snapshot
from memidx.values import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from memidx.snapshot.caching import CacheWriter

    # A configuration file's name and bytes, and what they say.
    Said = tuple[str, bytes, dict[str, Any] | None]

STATE_NAME = "state.json"
EDIT_NAME = "state-edit.json"
ROOT_NAME = "root"
NOTE_NAME = "settings.json"
STAMP_SUFFIX = ".ok"
SCRATCH_NAME = "tmp"
# A snapshot file up to this size, as the overlay of an edit is, is checked each time it is opened:
# that takes 0.1 ms, and waiting for the disk when it is written took more.
SMALL_BYTES = 1 << 18


class _Record(NamedTuple):
    """A record as it was read.

    Attributes:
        signatures: Of the whole record's file, and of the edit's.
        whole: The whole record; None where it is damaged, or not all of it was read.
        state: The look it makes together with the edit.
    """

    signatures: tuple[files.Signature | None, files.Signature | None]
    whole: State | None
    state: State | None


class Cache:
    """Derived files of one store.

    Args:
        store: Absolute path of the store's folder.
        env: Environment, for `MEMIDX_CACHE_DIR`, `XDG_CACHE_HOME` and `HOME`.

    Attributes:
        store: Absolute path of the store's folder.
        folder: Where the files are; None when they are kept in memory.
        memory: Name -> bytes of files that are kept there.
        note: A sentence for the caller when it is not the store's own cache, else None.
        whole: The look that is recorded whole, as far as this process knows.
        unnoted: What the configuration says, where no note tells it (`memidx.snapshot.noted`).
    """

    def __init__(self, store: str, env: Mapping[str, str]) -> None:
        self.store = store
        self._env = env
        self.memory: dict[str, bytes] = {}
        self.folder: str | None = os.path.join(store, ".cache")
        self.note: str | None = None
        self.whole: State | None = None
        self.unnoted: Said | None = None
        # What was read last in each folder: a process asks more than once.
        self._records: dict[str, _Record] = {}

    @cached_property
    def writer(self) -> CacheWriter:
        """What writes here; most searches do not."""
        from memidx.snapshot.caching import CacheWriter

        return CacheWriter(self)

    def read_state(self, *, whole: bool = True) -> State | None:
        """The last recorded look, or None; the very one as long as nobody recorded another.

        A store that became read-only has an old record beside it and newer ones elsewhere: the
        newest counts.

        Args:
            whole: False is content with what `memidx.indexing.state.read_summary` gives.
        """
        base = newest = None
        if STATE_NAME in self.memory:
            base, newest = _recorded(self.memory[STATE_NAME], self.memory.get(EDIT_NAME))
        for folder in self.folders():
            record = self._read_record(folder, whole=whole)
            state = record.state if record else None
            if record and state and (newest is None or state.recorded_ns > newest.recorded_ns):
                base, newest = record.whole, state
                self._adopt(folder)
        if whole and newest is not None:
            self.whole = base
        return newest

    def _read_record(self, folder: str, *, whole: bool) -> _Record | None:
        """The record in a folder; None where there is none.

        Args:
            whole: False is content with what `memidx.indexing.state.read_summary` gives.
        """
        path, edit_path = os.path.join(folder, STATE_NAME), os.path.join(folder, EDIT_NAME)
        edit = None
        try:
            # Each record is a new file: another one has another signature.
            signatures = files.signature(path), files.signature(edit_path)
            last = self._records.get(folder)
            if last is not None and last.signatures == signatures:
                return last
            if signatures[1] is not None:
                with suppress(FileError):
                    edit = files.read_bytes(edit_path)
            if not whole:
                summary = _edited(read_summary(files.read_bytes(path, SUMMARY_BYTES)), edit)
                if summary is not None:
                    return _Record(signatures, None, summary)
            data = files.read_bytes(path)
        except FileError:
            return None
        record = self._records[folder] = _Record(signatures, *_recorded(data, edit))
        return record

    def read_root(self) -> tuple[str, bool] | None:
        """The recorded root, absolute, and whether the store is still where it was recorded."""
        for folder in self.folders():
            try:
                data = files.read_bytes(os.path.join(folder, ROOT_NAME))
            except FileError:
                continue
            body, _, found = data.rpartition(b"\n")
            if found != digest(body):
                # Another folder that happens to be there would pass for one without documents.
                continue
            root, _, store = body.decode("utf-8", "surrogateescape").partition("\n")
            if root:
                return os.path.normpath(os.path.join(self.store, root)), store == self.store
        return None

    def open_snapshot(
        self, key: str, opened: Mapping[str, Segment] | None = None
    ) -> Snapshot | None:
        """The snapshot with this key, mapped, its base included; None when it is not whole.

        A small file is read whole and checked, and so is one that is not, by its signature, the one
        that was written.

        Args:
            opened: Key -> segment, of bases that are open already.
        """
        segment = self._open_segment(key)
        if segment is None or segment.base is None:
            return None if segment is None else Snapshot.of(segment)
        base = (opened or {}).get(segment.base) or self._open_segment(segment.base)
        return None if base is None else Snapshot.overlaid(base, segment)

    def _open_segment(self, key: str) -> Segment | None:
        name = snapshot_name(key)
        if name in self.memory:
            return Segment(memoryview(self.memory[name]), name)
        for folder in self.folders():
            path = os.path.join(folder, name)
            try:
                signature = files.signature(path)
                if signature is None:
                    continue
                segment = Segment(files.map_file(path), path)
                is_small = signature.size <= SMALL_BYTES
                if is_small or self._stamp(path) != signature:
                    if not segment.is_sound():
                        continue
                    if not is_small:
                        self.writer.write_stamp(path)
            except (FileError, StoreCorrupt):
                continue
            return segment
        return None

    def _stamp(self, path: str) -> files.Signature | None:
        """The signature a snapshot had when it was written or checked last."""
        try:
            numbers = files.read_bytes(path + STAMP_SUFFIX).split()
            return files.Signature(*map(int, numbers))
        except (FileError, ValueError, TypeError):
            return None

    def _adopt(self, folder: str) -> None:
        self.folder = folder
        own = os.path.join(self.store, ".cache")
        # An older cache may lie elsewhere though the store can be written by now.
        if folder != own and not any(map(files.is_writable_dir, (own, self.store))):
            self.note = f"the store cannot be written; its cache is in {folder}"

    def folders(self) -> list[str]:
        """Where files may be found, the store's own first."""
        return [os.path.join(self.store, ".cache"), *self.elsewhere()]

    def elsewhere(self) -> list[str]:
        """Cache folders outside the store, one per store: its path is hashed into the name."""
        name = blake2b(self.store.encode("utf-8", "replace"), digest_size=8).hexdigest()
        bases = [self._env.get("MEMIDX_CACHE_DIR")]
        if cache_home := self._env.get("XDG_CACHE_HOME"):
            bases.append(os.path.join(cache_home, "memidx"))
        elif home := self._env.get("HOME"):
            bases.append(os.path.join(home, ".cache", "memidx"))
        return [os.path.join(base, name) for base in bases if base]


def note_of(name: str, data: bytes) -> str:
    """What a note is about: a configuration file of that name and these bytes."""
    return blake2b(name.encode() + b"\0" + data, digest_size=16).hexdigest()


def digest(body: bytes) -> bytes:
    """Checksum of what root's file says, or a note."""
    return blake2b(body, digest_size=8).hexdigest().encode("ascii")


def snapshot_name(key: str) -> str:
    """The file of the segment with this key."""
    return f"snapshot-{key}.bin"


def _recorded(data: bytes, edit: bytes | None) -> tuple[State | None, State | None]:
    """A whole record, and the look it makes together with what was edited since."""
    whole = read_state(data)
    return whole, _edited(whole, edit) or whole


def _edited(state: State | None, edit: bytes | None) -> State | None:
    """The look that an edit makes; None where the edit is of another one, or damaged."""
    if state is None or edit is None:
        return state
    from memidx.indexing.state_edit import apply_edit  # late: there are edits seldom

    return apply_edit(state, edit)
