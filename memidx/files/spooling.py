"""Where do bytes go that are too many for memory, until they are written in their place?

Into a file without a name: nothing of it is left whenever the process ends, and nobody else ever
sees it. What is put aside is no longer than its owner, so nothing waits for the disk.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from contextlib import suppress
from weakref import finalize

from memidx.files.refusals import failed

_PIECE_BYTES = 1 << 20
# A file without a name; where the system has none, one that goes when it is closed, or whose name
# is taken away as soon as it is there.
_UNNAMED = getattr(os, "O_TMPFILE", None)
_GONE_WHEN_CLOSED = getattr(os, "O_TEMPORARY", 0)
_FLAGS = os.O_RDWR | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_counter = itertools.count(1)

Data = bytes | bytearray | memoryview


class Scratch:
    """Makes spools.

    Args:
        folder: Where their files go, a folder that is there; None keeps all of them in memory.
    """

    def __init__(self, folder: str | None = None) -> None:
        self._folder = folder

    def spool(self, in_memory: int = _PIECE_BYTES) -> Spool:
        """A new spool of which so many bytes may be in memory."""
        return Spool(self._folder, in_memory)


IN_MEMORY = Scratch()
"""Keeps everything in memory: for what is small, and where no folder can be written."""


class Spool:
    """Bytes that are put aside one after another, and read back in any order.

    Args:
        folder: See `Scratch`.
        in_memory: Bytes that are kept in memory before they go to the file.

    Attributes:
        size: How many there are.
    """

    def __init__(self, folder: str | None, in_memory: int) -> None:
        self.size = 0
        self._folder = folder
        self._in_memory = in_memory
        self._last = bytearray()  # what the file does not have yet
        self._on_disk = 0
        self._descriptor: int | None = None

    def append(self, data: Data) -> int:
        """Put bytes aside, and say where they begin.

        Raises:
            FileError: The disk is full, or the like.
        """
        place = self.size
        self._last += data
        self.size = self._on_disk + len(self._last)
        if self._folder is not None and len(self._last) > self._in_memory:
            self._flush(self._folder)
        return place

    def read(self, place: int, size: int) -> bytes:
        """`size` bytes, or as many as there are, from `place` on.

        Raises:
            FileError: The disk does not give them.
        """
        end = min(place + size, self.size)
        found = b""
        if place < self._on_disk:
            found = self._from_disk(place, min(end, self._on_disk) - place)
        if end > self._on_disk:
            begin = max(place - self._on_disk, 0)
            with memoryview(self._last) as view:
                found += view[begin : end - self._on_disk]
        return found

    def pieces(self) -> Iterator[bytes]:
        """All of them, some at a time."""
        for place in range(0, self.size, _PIECE_BYTES):
            yield self.read(place, _PIECE_BYTES)

    def _flush(self, folder: str) -> None:
        try:
            if self._descriptor is None:
                self._descriptor = _open_unnamed(folder)
                finalize(self, _close, self._descriptor)
            with memoryview(self._last) as view:
                rest = view
                while rest:
                    rest = rest[os.write(self._descriptor, rest) :]
        except (OSError, ValueError) as error:
            raise failed("put something aside", folder, error) from error
        self._on_disk += len(self._last)
        self._last = bytearray()

    def _from_disk(self, place: int, size: int) -> bytes:
        descriptor = self._descriptor
        if descriptor is None:
            return b""
        try:
            os.lseek(descriptor, place, os.SEEK_SET)
            found = os.read(descriptor, size)
            while len(found) < size and (more := os.read(descriptor, size - len(found))):
                found += more
            os.lseek(descriptor, 0, os.SEEK_END)
        except OSError as error:
            raise failed("read what was put aside", str(self._folder), error) from error
        return found


def _open_unnamed(folder: str) -> int:
    if _UNNAMED is not None:
        # Some file systems have only files with names.
        with suppress(OSError):
            return os.open(folder, _UNNAMED | _FLAGS, 0o600)
    name = os.path.join(folder, f"spool.{os.getpid()}-{next(_counter)}.tmp")
    flags = _FLAGS | os.O_CREAT | os.O_EXCL | _GONE_WHEN_CLOSED
    descriptor = os.open(name, flags, 0o600)
    if not _GONE_WHEN_CLOSED:
        os.unlink(name)
    return descriptor


def _close(descriptor: int) -> None:
    with suppress(OSError):
        os.close(descriptor)
