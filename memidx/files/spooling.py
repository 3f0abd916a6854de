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

from memidx.files.looking import signature_of
from memidx.files.refusals import failed

_PIECE_BYTES = 1 << 20
# A file without a name; where the system has none, one that goes when it is closed, or whose name
# is taken away as soon as it is there.
_UNNAMED = getattr(os, "O_TMPFILE", None)
_GONE_WHEN_CLOSED = getattr(os, "O_TEMPORARY", 0)
_BINARY = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_FLAGS = os.O_RDWR | _BINARY
_READ_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | _BINARY
_counter = itertools.count(1)

Data = bytes | bytearray | memoryview


class Scratch:
    """Makes spools.

    Args:
        folder: Where their files go, a folder that is there; None keeps all of them in memory.
    """

    def __init__(self, folder: str | None = None) -> None:
        self._folder = folder

    def spool(self, in_memory: int | None = None) -> Spool:
        """A new spool of which so many bytes may be in memory; a mebibyte, if nobody says."""
        return Spool(self._folder, _PIECE_BYTES if in_memory is None else in_memory)


IN_MEMORY = Scratch()
"""Keeps everything in memory: for what is small, and where no folder can be written."""


class Spool:
    """Bytes that are put aside one after another, and read back in any order.

    Args:
        folder: See `Scratch`.
        in_memory: Bytes that are kept in memory before there is a file.

    Attributes:
        size: How many there are.

    A disk that takes no more leaves the rest in memory: whoever writes the bytes in their place
    will be told, and an answer that needs no disk is not lost for it.
    """

    def __init__(self, folder: str | None, in_memory: int) -> None:
        self.size = 0
        self._folder = folder or ""
        self._is_full = folder is None
        self._in_memory = in_memory
        self._last = bytearray()  # what the file does not have yet
        self._on_disk = 0
        self._descriptor: int | None = None

    @property
    def is_on_disk(self) -> bool:
        """Whether there is a file by now."""
        return self._on_disk > 0

    def append(self, data: Data) -> int:
        """Put bytes aside, and say where they begin."""
        place = self.size
        self._last += data
        self.size = self._on_disk + len(self._last)
        if len(self._last) > self._in_memory and not self._is_full:
            self._flush()
        return place

    def read(self, place: int, size: int) -> bytes:
        """`size` bytes, or as many as there are, from `place` on.

        Raises:
            FileError: The disk does not give them.
        """
        begin = place - self._on_disk
        if begin >= 0:
            # Copied twice, which takes half as long for a line as a view of all of them.
            return bytes(self._last[begin : begin + size])
        end = min(place + size, self.size)
        found = self._from_disk(place, min(end, self._on_disk) - place)
        if end > self._on_disk:
            found += self._last[: end - self._on_disk]
        return found

    def pieces(self) -> Iterator[bytes]:
        """All of them, some at a time."""
        for place in range(0, self.size, _PIECE_BYTES):
            yield self.read(place, _PIECE_BYTES)

    def _flush(self) -> None:
        data, self._last = self._last, bytearray()
        try:
            if self._descriptor is None:
                self._descriptor = _open_unnamed(self._folder)
                finalize(self, _close, self._descriptor)
            os.lseek(self._descriptor, self._on_disk, os.SEEK_SET)
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        except (OSError, ValueError):
            # What was written of them does no harm: nobody asks for it.
            self._is_full = True
            # A copy: what somebody else still looks at cannot grow.
            self._last = bytearray(data)
            return
        self._on_disk += len(data)
        self._in_memory = _PIECE_BYTES

    def _from_disk(self, place: int, size: int) -> bytes:
        if self._descriptor is None:
            return b""
        try:
            return _read_at(self._descriptor, place, size)
        except OSError as error:
            raise failed("read what was put aside", self._folder, error) from error


class OpenFile:
    """A file of which parts are read now and then; it stays the same one when it is replaced.

    Args:
        path: A regular file.

    Attributes:
        signature: The file's, when it was opened.

    Raises:
        FileError: It cannot be opened.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            self._descriptor = os.open(path, _READ_FLAGS)
            finalize(self, _close, self._descriptor)
            self.signature = signature_of(os.fstat(self._descriptor))
        except (OSError, ValueError) as error:
            raise failed("read", path, error) from error

    def read(self, place: int, size: int) -> bytes:
        """`size` bytes from `place` on, or as many as there are.

        Raises:
            FileError: The disk does not give them.
        """
        try:
            return _read_at(self._descriptor, place, size)
        except OSError as error:
            raise failed("read", self.path, error) from error


def _read_at(descriptor: int, place: int, size: int) -> bytes:
    os.lseek(descriptor, place, os.SEEK_SET)
    found = os.read(descriptor, size)
    while len(found) < size and (more := os.read(descriptor, size - len(found))):
        found += more
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
