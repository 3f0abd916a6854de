"""How do snapshots and local state get into the cache?

Into the first folder that takes files, found when something is written; else they are kept in
memory. What is there is read by `memidx.snapshot.cache`.
"""

from __future__ import annotations

import os.path
from itertools import chain

from memidx import files
from memidx.errors import FileError, StoreCorrupt
from memidx.indexing.state import State
from memidx.light import TYPE_CHECKING, suppress
from memidx.snapshot.cache import (
    EDIT_NAME,
    NOTE_NAME,
    ROOT_NAME,
    SCRATCH_NAME,
    SMALL_BYTES,
    STAMP_SUFFIX,
    STATE_NAME,
    Cache,
    digest,
    note_of,
    snapshot_name,
)
from memidx.snapshot.segment import Segment
from memidx.store.folders import prepare_store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from memidx.files.spooling import Scratch


class CacheWriter:
    """Writes derived files of one store.

    Args:
        cache: Where they are read; it is told where they are from now on.
    """

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self._writable: bool | None = None

    def write_state(self, state: State, packed: Sequence[bytes] | None = None) -> State:
        """Record a look; the last writer wins, and each record counts whole or not at all.

        A record carries its checksum, and without one the next search looks at everything: nobody
        waits for the disk.

        Args:
            state: The look.
            packed: Its `pieces`, where they were made already.

        Returns:
            The same look, sharing with the one that is recorded whole what it has in common with
            it, so that the next record is made without comparing them.
        """
        from memidx.indexing.state_edit import aligned, encode_edit  # late: others write no look

        whole = self._cache.whole
        later = None if whole is None else aligned(whole, state)
        edit = None if whole is None or later is None else encode_edit(whole, later)
        if later is not None and edit is not None:
            if self._is_writable() and self._cache.folder is not None:
                # A file that takes another's place is first written to the disk by some systems
                # (ext4: 4 ms). Who meets neither finds out about the edit once more.
                files.remove(os.path.join(self._cache.folder, EDIT_NAME))
            self._write(EDIT_NAME, [edit], durable=False)
            return later
        self._write(STATE_NAME, packed or state.pieces(), durable=False)
        self._cache.whole = state
        self._cache.memory.pop(EDIT_NAME, None)
        if self._cache.folder is not None:
            # It was of another look, and says nothing any more.
            files.remove(os.path.join(self._cache.folder, EDIT_NAME))
        return state

    def write_root(self, root: str) -> None:
        """Record where the sources are, and where the store was then.

        Root is written relative to the store where it holds the store, so that a copied checkout
        does not look at the original's files.
        """
        inside = os.path.commonpath([root, self._cache.store]) == root
        text = os.path.relpath(root, self._cache.store) if inside else root
        body = f"{text}\n{self._cache.store}".encode("utf-8", "surrogateescape")
        data = body + b"\n" + digest(body)
        if self._recorded_root() != data:
            self._write(ROOT_NAME, [data], durable=True)

    def write_note(self) -> None:
        """Note what the configuration says, where no note tells it and JSON can say the same.

        Nothing private is written, nor dates, and numbers that are none. Without a note the file
        is read again.
        """
        if self._cache.unnoted is None:
            return
        import json

        from memidx.text.redact import redact  # late, both: there is something to note seldom

        name, data, values = self._cache.unnoted
        self._cache.unnoted = None
        try:
            text = json.dumps([note_of(name, data), values], ensure_ascii=False)
            body = text.encode()
        except (TypeError, ValueError):
            return
        if json.loads(text)[1] == values and all(redact(s) == s for s in (text, *_strings(values))):
            with suppress(FileError):
                self._write(NOTE_NAME, [body, b"\n", digest(body)], durable=False)

    def _recorded_root(self) -> bytes | None:
        try:
            return files.read_bytes(
                os.path.join(self._cache.folder or self._cache.store, ROOT_NAME)
            )
        except FileError:
            return None

    def has_segment(self, key: str) -> bool:
        """Whether the segment with this key is where the next one would be written."""
        name = snapshot_name(key)
        if name in self._cache.memory:
            return True
        folder = self._cache.folder if self._is_writable() else None
        return folder is not None and files.exists(os.path.join(folder, name))

    def scratch(self) -> Scratch:
        """Where what is too much for memory is put aside: in memory too, if nowhere else."""
        from memidx.files.spooling import Scratch  # late: only who builds puts anything aside

        if not self._is_writable() or self._cache.folder is None:
            return Scratch()
        folder = os.path.join(self._cache.folder, SCRATCH_NAME)
        try:
            files.make_dir(folder)
        except FileError:
            return Scratch()
        return Scratch(folder)

    def write_snapshot(
        self, key: str, pieces: Iterable[bytes], meanwhile: Callable[[], object] | None = None
    ) -> None:
        """Keep a snapshot's bytes.

        Args:
            key: The snapshot's.
            pieces: The bytes.
            meanwhile: What may be done while the disk takes them.

        Raises:
            FileError: The disk is full, or the like.
        """
        rest = iter(pieces)
        head = _head(rest)
        # Who opens a small one checks it, so that nobody need wait for the disk.
        is_small = sum(map(len, head)) <= SMALL_BYTES
        self._write(
            snapshot_name(key), chain(head, rest), durable=not is_small, meanwhile=meanwhile
        )
        if not is_small and self._cache.folder is not None and self._is_writable():
            self.write_stamp(os.path.join(self._cache.folder, snapshot_name(key)))

    def keep_in_memory(self, key: str, pieces: Iterable[bytes], why: str) -> None:
        """Keep a snapshot's bytes for this process alone."""
        self._cache.memory[snapshot_name(key)] = b"".join(pieces)
        self._cache.note = f"the cache cannot be written ({why}); this process keeps it in memory"

    def write_stamp(self, path: str) -> None:
        """Note the signature of a snapshot that was written or checked."""
        with suppress(FileError):
            numbers = files.signature(path) or ()
            data = " ".join(map(str, numbers)).encode()
            scratch = os.path.join(os.path.dirname(path), SCRATCH_NAME)
            # Bytes that a power failure spoils are no signature, and the snapshot is checked.
            files.write_atomic(path + STAMP_SUFFIX, data, scratch_dir=scratch, durable=False)

    def drop_damaged(self) -> list[str]:
        """Remove every snapshot that is not as it was written; gives their paths.

        A search believes the stamp, for it has no time to read all of a snapshot.
        """
        dropped = []
        for folder in self._cache.folders():
            for name in files.names(folder):
                path = os.path.join(folder, name)
                if not _is_snapshot(name) or name.endswith(STAMP_SUFFIX):
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
        keep = tuple(map(snapshot_name, keys))
        for name in [
            name for name in self._cache.memory if _is_snapshot(name) and name not in keep
        ]:
            del self._cache.memory[name]
        if not self._is_writable() or self._cache.folder is None:
            return
        for entry in files.list_dir(self._cache.folder):
            if _is_snapshot(entry.name) and not entry.name.startswith(keep):
                files.remove(os.path.join(self._cache.folder, entry.name))
        files.remove_temporaries(os.path.join(self._cache.folder, SCRATCH_NAME))

    def lock(self, timeout_s: float) -> AbstractContextManager[None]:
        """The lock under which snapshots are built, where there is a folder to share.

        Raises:
            StoreLocked: Another process held it for longer than `timeout_s` seconds.
        """
        from contextlib import contextmanager  # late: to note a look takes no lock

        return contextmanager(self._locked)(timeout_s)

    def _locked(self, timeout_s: float) -> Iterator[None]:
        from contextlib import ExitStack

        with ExitStack() as stack:
            if self._is_writable() and self._cache.folder is not None:
                from memidx.store.lock import store_lock  # see `lock`

                own = self._cache.folder == os.path.join(self._cache.store, ".cache")
                try:
                    stack.enter_context(
                        store_lock(self._cache.store if own else self._cache.folder, timeout_s)
                    )
                except FileError as error:
                    # A lock nobody can take excludes nobody: what follows is kept in memory.
                    self._writable = False
                    self._cache.note = (
                        f"the cache cannot be locked ({error.what}); it is kept in memory"
                    )
            yield

    def lock_store(self, timeout_s: float) -> AbstractContextManager[object]:
        """The lock under which the store itself is written.

        Raises:
            StoreLocked: Another process held it for longer than `timeout_s` seconds.
            FileError: The store cannot be written.
        """
        from memidx.store.lock import store_lock  # see `lock`

        prepare_store(self._cache.store)
        return store_lock(self._cache.store, timeout_s)

    def _write(
        self,
        name: str,
        pieces: Iterable[bytes],
        *,
        durable: bool,
        meanwhile: Callable[[], object] | None = None,
    ) -> None:
        if self._is_writable() and self._cache.folder is not None:
            path = os.path.join(self._cache.folder, name)
            scratch = os.path.join(self._cache.folder, SCRATCH_NAME)
            files.write_atomic(
                path, pieces, scratch_dir=scratch, durable=durable, meanwhile=meanwhile
            )
        else:
            self._cache.memory[name] = b"".join(pieces)

    def _is_writable(self) -> bool:
        """Find the first folder that takes files, once, and only when something is written."""
        if self._writable is None:
            self._writable = self._choose()
        return self._writable

    def _choose(self) -> bool:
        own = os.path.join(self._cache.store, ".cache")
        try:
            prepare_store(self._cache.store)
            if files.is_writable_dir(own):
                self._cache.folder = own
                return True
        except FileError:
            pass
        for folder in self._cache.elsewhere():
            try:
                files.make_dir(folder)
            except FileError:
                continue
            if files.is_writable_dir(folder):
                self._cache.folder = folder
                self._cache.note = f"the store cannot be written; its cache is in {folder}"
                return True
        self._cache.folder = None
        self._cache.note = (
            "the store cannot be written; its cache is kept in memory for this process"
        )
        return False


def _head(pieces: Iterator[bytes]) -> list[bytes]:
    """The first pieces: all of them, or more than a small file has."""
    taken, size = [], 0
    for piece in pieces:
        taken.append(piece)
        size += len(piece)
        if size > SMALL_BYTES:
            break
    return taken


def _strings(value: object) -> Iterator[str]:
    """Every text in a value as JSON has them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)


def _is_snapshot(name: str) -> bool:
    return name.startswith("snapshot-")
