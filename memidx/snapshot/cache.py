"""Where do snapshots and local state live?

In `store/.cache`; where the store cannot be written, in `MEMIDX_CACHE_DIR`, then the user's cache
folder, then in memory. Everything here can be deleted at any time: it is derived again.
"""

from __future__ import annotations

import os.path

from memidx import files
from memidx.errors import FileError, StoreCorrupt
from memidx.hashing import blake2b
from memidx.indexing.state import State
from memidx.light import TYPE_CHECKING, suppress
from memidx.snapshot.records import EDIT_NAME, STATE_NAME, Records, recorded
from memidx.snapshot.segment import Segment
from memidx.snapshot.snapshot import Snapshot

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from contextlib import AbstractContextManager

    from memidx.files.spooling import Scratch

_ROOT = "root"
_SCRATCH = "tmp"
_STAMP_SUFFIX = ".ok"
# A snapshot file up to this size, as the overlay of an edit is, is checked each time it is opened:
# that takes 0.1 ms, and waiting for the disk when it is written took more.
SMALL_BYTES = 1 << 18


class Cache:
    """Derived files of one store.

    Args:
        store: Absolute path of the store's folder.
        env: Environment, for `MEMIDX_CACHE_DIR`, `XDG_CACHE_HOME` and `HOME`.

    Attributes:
        folder: Where the files are; None when they are kept in memory.
        note: A sentence for the caller when it is not the store's own cache, else None.
    """

    def __init__(self, store: str, env: Mapping[str, str]) -> None:
        self._store = store
        self._env = env
        self._memory: dict[str, bytes] = {}
        self.folder: str | None = os.path.join(store, ".cache")
        self.note: str | None = None
        self._writable: bool | None = None
        # The look that is recorded whole, as far as this process knows.
        self._whole: State | None = None
        self._records = Records()

    def read_state(self, *, whole: bool = True) -> State | None:
        """The last recorded look, or None; the very one as long as nobody recorded another.

        A store that became read-only has an old record beside it and newer ones elsewhere: the
        newest counts.

        Args:
            whole: False is content with what `memidx.indexing.state.read_summary` gives.
        """
        base = newest = None
        if STATE_NAME in self._memory:
            base, newest = recorded(self._memory[STATE_NAME], self._memory.get(EDIT_NAME))
        for folder in self._readable():
            record = self._records.read(folder, whole=whole)
            state = record.state if record else None
            if record and state and (newest is None or state.recorded_ns > newest.recorded_ns):
                base, newest = record.whole, state
                self._adopt(folder)
        if whole and newest is not None:
            self._whole = base
        return newest

    def write_state(self, state: State) -> State:
        """Record a look; the last writer wins, and each record counts whole or not at all.

        A record carries its checksum, and without one the next search looks at everything: nobody
        waits for the disk.

        Returns:
            The same look, sharing with the one that is recorded whole what it has in common with
            it, so that the next record is made without comparing them.
        """
        from memidx.indexing.state_edit import aligned, encode_edit  # late: only who writes

        whole = self._whole
        later = None if whole is None else aligned(whole, state)
        edit = None if whole is None or later is None else encode_edit(whole, later)
        if later is not None and edit is not None:
            if self._is_writable() and self.folder is not None:
                # A file that takes another's place is first written to the disk by some systems
                # (ext4: 4 ms). Who meets neither finds out about the edit once more.
                files.remove(os.path.join(self.folder, EDIT_NAME))
            self._write(EDIT_NAME, [edit], durable=False)
            return later
        self._write(STATE_NAME, state.pieces(), durable=False)
        self._whole = state
        self._memory.pop(EDIT_NAME, None)
        if self.folder is not None:
            # It was of another look, and says nothing any more.
            files.remove(os.path.join(self.folder, EDIT_NAME))
        return state

    def read_root(self) -> tuple[str, bool] | None:
        """The recorded root, absolute, and whether the store is still where it was recorded."""
        for folder in self._readable():
            try:
                data = files.read_bytes(os.path.join(folder, _ROOT))
            except FileError:
                continue
            body, _, found = data.rpartition(b"\n")
            if found != _digest(body):
                # Another folder that happens to be there would pass for one without documents.
                continue
            root, _, store = body.decode("utf-8", "surrogateescape").partition("\n")
            if root:
                return os.path.normpath(os.path.join(self._store, root)), store == self._store
        return None

    def write_root(self, root: str) -> None:
        """Record where the sources are, and where the store was then.

        Root is written relative to the store where it holds the store, so that a copied checkout
        does not look at the original's files.
        """
        inside = os.path.commonpath([root, self._store]) == root
        text = os.path.relpath(root, self._store) if inside else root
        body = f"{text}\n{self._store}".encode("utf-8", "surrogateescape")
        data = body + b"\n" + _digest(body)
        if self._recorded_root() != data:
            self._write(_ROOT, [data], durable=True)

    def _recorded_root(self) -> bytes | None:
        try:
            return files.read_bytes(os.path.join(self.folder or self._store, _ROOT))
        except FileError:
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
        name = _snapshot_name(key)
        if name in self._memory:
            return Segment(memoryview(self._memory[name]), name)
        for folder in self._readable():
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
                        self._write_stamp(path)
            except (FileError, StoreCorrupt):
                continue
            return segment
        return None

    def has_segment(self, key: str) -> bool:
        """Whether the segment with this key is where the next one would be written."""
        name = _snapshot_name(key)
        if name in self._memory:
            return True
        folder = self.folder if self._is_writable() else None
        return folder is not None and files.exists(os.path.join(folder, name))

    def scratch(self) -> Scratch:
        """Where what is too much for memory is put aside: in memory too, if nowhere else."""
        from memidx.files.spooling import Scratch  # late: only who builds puts anything aside

        if not self._is_writable() or self.folder is None:
            return Scratch()
        folder = os.path.join(self.folder, _SCRATCH)
        try:
            files.make_dir(folder)
        except FileError:
            return Scratch()
        return Scratch(folder)

    def write_snapshot(self, key: str, pieces: Iterable[bytes]) -> None:
        """Keep a snapshot's bytes.

        Raises:
            FileError: The disk is full, or the like.
        """
        from itertools import chain  # late: only who writes

        rest = iter(pieces)
        head = _head(rest)
        # Who opens a small one checks it, so that nobody need wait for the disk.
        is_small = sum(map(len, head)) <= SMALL_BYTES
        self._write(_snapshot_name(key), chain(head, rest), durable=not is_small)
        if not is_small and self.folder is not None and self._is_writable():
            self._write_stamp(os.path.join(self.folder, _snapshot_name(key)))

    def keep_in_memory(self, key: str, pieces: Iterable[bytes], why: str) -> None:
        """Keep a snapshot's bytes for this process alone."""
        self._memory[_snapshot_name(key)] = b"".join(pieces)
        self.note = f"the cache cannot be written ({why}); this process keeps it in memory"

    def _stamp(self, path: str) -> files.Signature | None:
        """The signature a snapshot had when it was written or checked last."""
        try:
            numbers = files.read_bytes(path + _STAMP_SUFFIX).split()
            return files.Signature(*map(int, numbers))
        except (FileError, ValueError, TypeError):
            return None

    def _write_stamp(self, path: str) -> None:
        with suppress(FileError):
            numbers = files.signature(path) or ()
            data = " ".join(map(str, numbers)).encode()
            scratch = os.path.join(os.path.dirname(path), _SCRATCH)
            # Bytes that a power failure spoils are no signature, and the snapshot is checked.
            files.write_atomic(path + _STAMP_SUFFIX, data, scratch_dir=scratch, durable=False)

    def drop_damaged(self) -> list[str]:
        """Remove every snapshot that is not as it was written; gives their paths.

        A search believes the stamp, for it has no time to read all of a snapshot.
        """
        dropped = []
        for folder in self._readable():
            for name in files.names(folder):
                path = os.path.join(folder, name)
                if not _is_snapshot(name) or name.endswith(_STAMP_SUFFIX):
                    continue
                try:
                    if Segment(files.map_file(path), path).is_sound():
                        continue
                except StoreCorrupt:
                    pass
                except FileError:
                    continue  # it vanished, or nobody can read it
                dropped.append(path)
                with suppress(FileError):
                    files.remove(path)
        return dropped

    def prune(self, *keys: str) -> None:
        """Remove every segment but these, and what killed builders left; under the lock.

        Open maps of removed segments stay valid.
        """
        keep = tuple(map(_snapshot_name, keys))
        for name in [name for name in self._memory if _is_snapshot(name) and name not in keep]:
            del self._memory[name]
        if not self._is_writable() or self.folder is None:
            return
        for entry in files.list_dir(self.folder):
            if _is_snapshot(entry.name) and not entry.name.startswith(keep):
                files.remove(os.path.join(self.folder, entry.name))
        files.remove_temporaries(os.path.join(self.folder, _SCRATCH))

    def lock(self, timeout_s: float) -> AbstractContextManager[None]:
        """The lock under which snapshots are built, where there is a folder to share.

        Raises:
            StoreLocked: Another process held it for longer than `timeout_s` seconds.
        """
        from contextlib import contextmanager  # late: only who writes takes it

        return contextmanager(self._locked)(timeout_s)

    def _locked(self, timeout_s: float) -> Iterator[None]:
        from contextlib import ExitStack

        with ExitStack() as stack:
            if self._is_writable() and self.folder is not None:
                from memidx.store.lock import store_lock  # late: only who writes takes it

                own = self.folder == os.path.join(self._store, ".cache")
                try:
                    stack.enter_context(store_lock(self._store if own else self.folder, timeout_s))
                except FileError as error:
                    # A lock nobody can take excludes nobody: what follows is kept in memory.
                    self._writable = False
                    self.note = f"the cache cannot be locked ({error.what}); it is kept in memory"
            yield

    def lock_store(self, timeout_s: float) -> AbstractContextManager[object]:
        """The lock under which the store itself is written.

        Raises:
            StoreLocked: Another process held it for longer than `timeout_s` seconds.
            FileError: The store cannot be written.
        """
        from memidx.store.folders import prepare_store
        from memidx.store.lock import store_lock  # late: only who writes takes it

        prepare_store(self._store)
        return store_lock(self._store, timeout_s)

    def _write(self, name: str, pieces: Iterable[bytes], *, durable: bool) -> None:
        if self._is_writable() and self.folder is not None:
            path = os.path.join(self.folder, name)
            scratch = os.path.join(self.folder, _SCRATCH)
            files.write_atomic(path, pieces, scratch_dir=scratch, durable=durable)
        else:
            self._memory[name] = b"".join(pieces)

    def _is_writable(self) -> bool:
        """Find the first folder that takes files, once, and only when something is written."""
        if self._writable is None:
            self._writable = self._choose()
        return self._writable

    def _choose(self) -> bool:
        from memidx.store.folders import prepare_store  # late: only who writes prepares

        own = os.path.join(self._store, ".cache")
        try:
            prepare_store(self._store)
            if files.is_writable_dir(own):
                self.folder = own
                return True
        except FileError:
            pass
        for folder in self._elsewhere():
            try:
                files.make_dir(folder)
            except FileError:
                continue
            if files.is_writable_dir(folder):
                self.folder = folder
                self.note = f"the store cannot be written; its cache is in {folder}"
                return True
        self.folder = None
        self.note = "the store cannot be written; its cache is kept in memory for this process"
        return False

    def _adopt(self, folder: str) -> None:
        self.folder = folder
        own = os.path.join(self._store, ".cache")
        # An older cache may lie elsewhere though the store can be written by now.
        if folder != own and not any(map(files.is_writable_dir, (own, self._store))):
            self.note = f"the store cannot be written; its cache is in {folder}"

    def _readable(self) -> list[str]:
        return [os.path.join(self._store, ".cache"), *self._elsewhere()]

    def _elsewhere(self) -> list[str]:
        """Cache folders outside the store, one per store: its path is hashed into the name."""
        name = blake2b(self._store.encode("utf-8", "replace"), digest_size=8).hexdigest()
        bases = [self._env.get("MEMIDX_CACHE_DIR")]
        if cache_home := self._env.get("XDG_CACHE_HOME"):
            bases.append(os.path.join(cache_home, "memidx"))
        elif home := self._env.get("HOME"):
            bases.append(os.path.join(home, ".cache", "memidx"))
        return [os.path.join(base, name) for base in bases if base]


def _head(pieces: Iterator[bytes]) -> list[bytes]:
    """The first pieces: all of them, or more than a small file has."""
    taken, size = [], 0
    for piece in pieces:
        taken.append(piece)
        size += len(piece)
        if size > SMALL_BYTES:
            break
    return taken


def _digest(body: bytes) -> bytes:
    return blake2b(body, digest_size=8).hexdigest().encode("ascii")


def _snapshot_name(key: str) -> str:
    return f"snapshot-{key}.bin"


def _is_snapshot(name: str) -> bool:
    return name.startswith("snapshot-")
