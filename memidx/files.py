"""What is on disk, and how do new bytes get there whole?

The only module that touches the file system. Everything else hands it paths and bytes, and
meets `FileError`, never `OSError`. A file is replaced by writing its bytes aside, syncing
them, renaming them into place and syncing the folder, so that after a kill at any instant a
reader finds the old bytes or the new ones.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import mmap
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import NamedTuple

from memidx.errors import FileError

_CHUNK_BYTES = 1 << 20
_TEMPORARY_SUFFIX = ".tmp"
_FLAGS = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
# Opening a pipe or a device must not wait for somebody to write into it.
_READ_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | _FLAGS
_NEW_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FLAGS
_MISSING = frozenset({errno.ENOENT, errno.ENOTDIR})
# A folder that cannot be synced (network and FUSE file systems) is not a failed write.
_NO_FOLDER_SYNC = frozenset({errno.EINVAL, errno.ENOTSUP, errno.EBADF, errno.ENOSYS})
_HINTS = {
    errno.ENOSPC: "free some space and run it again; the old files are as they were",
    errno.EDQUOT: "free some of the quota and run it again; the old files are as they were",
    errno.EROFS: "the file system is read-only; nothing was changed",
    errno.EACCES: "check the permissions of the file and its folder",
    errno.EXDEV: "the folder for temporary files must be on the same file system as the target",
}
# `next` on it is atomic, so threads of one process never share a name.
_counter = itertools.count(1)

# Every system call that changes something goes through one of these or `_open_new`, so that
# the crash tests can stop a writer before, in the middle of, or after each of them.
_write = os.write
_fsync = os.fsync
_rename = os.replace
_unlink = os.unlink
_mkdir = os.mkdir
_chmod = os.chmod


class Signature(NamedTuple):
    """What tells a changed file from an unchanged one without reading it."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


class Entry(NamedTuple):
    """One name of a folder; `is_dir` is about the entry itself, so never true for a link.

    A name that is not UTF-8 holds lone surrogates, as `os.fsdecode` makes them.
    """

    name: str
    is_dir: bool
    is_symlink: bool


def read_bytes(path: str, limit: int | None = None) -> bytes:
    """The bytes of a regular file, at most `limit` of them.

    Raises:
        FileError: When it is not there, not readable, or not a regular file.
    """
    return read_signed(path, limit)[0]


def read_signed(path: str, limit: int | None = None) -> tuple[bytes, Signature]:
    """The bytes of a regular file and the signature it had when it was opened.

    A write during the read changes the signature on disk, so a caller that keeps the one
    returned here sees at the next comparison that its bytes may be torn.
    """
    try:
        descriptor = os.open(path, _READ_FLAGS)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise FileError("cannot read: not a regular file", path=path)
            data = _read_all(descriptor, status.st_size, limit)
        finally:
            os.close(descriptor)
    except (OSError, ValueError) as error:
        raise failed("read", path, error) from error
    return data, _signature(status)


def read_lines(path: str) -> Iterator[bytes]:
    """Lines of a file without holding it whole, split at LF only, each with its LF."""
    try:
        with open(path, "rb", buffering=_CHUNK_BYTES) as handle:
            yield from handle
    except (OSError, ValueError) as error:
        raise failed("read", path, error) from error


def map_file(path: str) -> memoryview:
    """A file's bytes as a read-only view that the system pages in as they are touched.

    The view stays valid when the file is replaced or removed; it still shows the old bytes.
    """
    try:
        descriptor = os.open(path, _READ_FLAGS)
        try:
            if os.fstat(descriptor).st_size == 0:
                return memoryview(b"")
            return memoryview(mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ))
        finally:
            os.close(descriptor)
    except (OSError, ValueError) as error:
        raise failed("map", path, error) from error


def exists(path: str) -> bool:
    """Whether something is there; False too for a dangling link and an impossible name."""
    return os.path.exists(path)


def is_dir(path: str) -> bool:
    """Whether it is a folder or a link to one."""
    return os.path.isdir(path)


def is_file(path: str) -> bool:
    """Whether it is a regular file or a link to one."""
    return os.path.isfile(path)


def signature(path: str) -> Signature | None:
    """The signature of what the path leads to; None when nothing is there.

    Raises:
        FileError: When the file system does not say (permissions, a loop of links).
    """
    try:
        return _signature(os.stat(path))
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno in _MISSING:
            return None
        raise failed("look at", path, error) from error


def scan_dir(path: str) -> list[os.DirEntry[str]]:
    """The folder's entries as the system hands them out, sorted by name.

    `entry.is_dir(follow_symlinks=False)` and `entry.is_symlink()` cost no system call;
    for anything that does, use `entry_signature`.
    """
    try:
        with os.scandir(path) as entries:
            return sorted(entries, key=attrgetter("name"))
    except (OSError, ValueError) as error:
        raise failed("list", path, error) from error


def list_dir(path: str) -> list[Entry]:
    """The folder's entries as plain values, sorted by name."""
    return [
        Entry(entry.name, entry.is_dir(follow_symlinks=False), entry.is_symlink())
        for entry in scan_dir(path)
    ]


def entry_signature(entry: os.DirEntry[str]) -> Signature:
    """The signature of a scanned entry, links followed.

    Raises:
        FileError: When it vanished since, dangles, loops or must not be looked at.
    """
    try:
        return _signature(entry.stat())
    except (OSError, ValueError) as error:
        raise failed("look at", entry.path, error) from error


def realpath(path: str) -> str:
    """The absolute path with every link resolved as far as it goes."""
    try:
        return os.path.realpath(path)
    except (OSError, ValueError) as error:
        raise failed("resolve", path, error) from error


def working_folder() -> str:
    """The absolute path of the process's working folder."""
    try:
        return os.getcwd()
    except OSError as error:
        raise failed("find the working folder", ".", error) from error


def is_writable_dir(path: str) -> bool:
    """Whether a file can be made in the folder: permissions alone do not tell, so it tries."""
    try:
        probe = _temporary_name(path, ".memidx-probe")
        os.close(_open_new(probe))
        _unlink(probe)
    except (OSError, ValueError):
        return False
    return True


def is_missing(error: FileError) -> bool:
    """Whether a `FileError` says that the file, or a folder on the way to it, is not there."""
    return isinstance(error.__cause__, OSError) and error.__cause__.errno in _MISSING


def failed(action: str, path: str, error: OSError | ValueError) -> FileError:
    """The `FileError` for an `OSError`; public for the library that opens the lock's file."""
    if isinstance(error, OSError):
        reason = error.strerror or str(error)
        hint = _HINTS.get(error.errno) if error.errno is not None else None
        return FileError(f"cannot {action}: {reason}", path=path, hint=hint)
    # NUL, or characters the file system encoding does not have, in the path.
    return FileError(f"cannot {action}: not a possible path ({error})", path=path)


def write_atomic(
    path: str, data: bytes | Iterable[bytes], *, scratch_dir: str, durable: bool = True
) -> int:
    """Replaces a file, or makes it, so that it is never seen half written.

    An existing file's permission bits are kept, a new one's follow the umask. Where `path`
    is a link, the file it leads to is replaced and the link stays.

    Args:
        path: The file; its folder must exist.
        data: The bytes, whole or in pieces.
        scratch_dir: Where the temporary file goes: on the file system of `path`; made when
            absent. After a kill a file `NAME.PID-N.tmp` may stay there, see
            `remove_temporaries`.
        durable: Wait until the disk has it. Without, a power failure may leave any bytes: only
            for what carries its own checksum and can be made again.

    Returns:
        How many bytes were written.

    Raises:
        FileError: The file at `path` is then as it was, and no temporary file is left.
    """
    target = os.path.realpath(path) if os.path.islink(path) else path
    temporary = _temporary_name(scratch_dir, os.path.basename(target))
    written = 0
    try:
        descriptor = _open_scratch(temporary, scratch_dir)
        try:
            try:
                _keep_mode(descriptor, temporary, target)
                for chunk in _chunks(data):
                    written += len(chunk)
                    _write_all(descriptor, chunk)
                if durable:
                    _fsync(descriptor)
            finally:
                os.close(descriptor)
            _rename(temporary, target)
        except BaseException:
            with contextlib.suppress(OSError):
                _unlink(temporary)
            raise
        if durable:
            fsync_dir(os.path.dirname(target) or ".")
    except (OSError, ValueError) as error:
        raise failed("write", path, error) from error
    return written


def make_dir(path: str) -> None:
    """Makes a folder and what is missing above it, durably; one that is there is fine."""
    if os.path.isdir(path):
        return
    parent = os.path.dirname(path.rstrip(os.sep)) or "."
    if parent != path:
        make_dir(parent)
    try:
        _mkdir(path)
        fsync_dir(parent)
    except (OSError, ValueError) as error:
        # Another process may have made it between the look and the call.
        if isinstance(error, FileExistsError) and os.path.isdir(path):
            return
        raise failed("make the folder", path, error) from error


def remove(path: str) -> None:
    """Removes a file or a link; one that is not there is fine."""
    try:
        _unlink(path)
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno in _MISSING:
            return
        raise failed("remove", path, error) from error


def remove_temporaries(scratch_dir: str, wanted: Callable[[str], bool]) -> int:
    """Removes what killed writes left of the targets whose base name is `wanted`; counts it.

    The caller holds the lock those targets are written under, or a live writer loses its file.
    """
    if not os.path.isdir(scratch_dir):
        return 0
    removed = 0
    for entry in scan_dir(scratch_dir):
        if entry.name.endswith(_TEMPORARY_SUFFIX) and wanted(entry.name.rsplit(".", 2)[0]):
            remove(entry.path)
            removed += 1
    return removed


def fsync_dir(path: str) -> None:
    """Makes renames and removals in a folder durable, where the system can."""
    if os.name == "nt":
        return
    try:
        descriptor = os.open(path, os.O_RDONLY | _FLAGS)
        try:
            _fsync(descriptor)
        finally:
            os.close(descriptor)
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno in _NO_FOLDER_SYNC:
            return
        raise failed("sync the folder", path, error) from error


def _signature(status: os.stat_result) -> Signature:
    return Signature(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def _read_all(descriptor: int, size: int, limit: int | None) -> bytes:
    """Reads to the end; a file that grows meanwhile is read as far as it is by then."""
    if limit is None:
        # One more than its size, so that the usual file takes one call and one to see the end.
        pieces = [os.read(descriptor, size + 1)]
        while pieces[-1]:
            pieces.append(os.read(descriptor, _CHUNK_BYTES))
        return pieces[0] if len(pieces) <= 2 else b"".join(pieces)
    pieces, left = [], limit
    while left > 0 and (piece := os.read(descriptor, min(left, _CHUNK_BYTES))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def _chunks(data: bytes | Iterable[bytes]) -> Iterator[bytes]:
    """Small pieces gathered into large ones: a system call for each document is slow."""
    if isinstance(data, bytes | bytearray | memoryview):
        yield bytes(data)
        return
    pending: list[bytes] = []
    size = 0
    for piece in data:
        pending.append(piece)
        size += len(piece)
        if size >= _CHUNK_BYTES:
            yield b"".join(pending)
            pending, size = [], 0
    yield b"".join(pending)


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[_write(descriptor, view) :]


def _keep_mode(descriptor: int, temporary: str, target: str) -> None:
    """Gives the temporary file the permission bits of the file it will replace."""
    try:
        wanted = stat.S_IMODE(os.stat(target).st_mode)
    except FileNotFoundError:
        return
    if stat.S_IMODE(os.fstat(descriptor).st_mode) != wanted:
        _chmod(temporary, wanted)


def _temporary_name(folder: str, name: str) -> str:
    """A name no other process or thread of this one uses; cut so that long names fit."""
    return os.path.join(folder, f"{name[:60]}.{os.getpid()}-{next(_counter)}{_TEMPORARY_SUFFIX}")


def _open_scratch(temporary: str, scratch_dir: str) -> int:
    try:
        return _open_new(temporary)
    except FileExistsError:
        _unlink(temporary)  # Left by a killed process that had the same number.
    except FileNotFoundError:
        make_dir(scratch_dir)
    return _open_new(temporary)


def _open_new(path: str) -> int:
    return os.open(path, _NEW_FLAGS, 0o666)
