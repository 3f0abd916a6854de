"""What is on disk, and how do new bytes get there whole?

The only module that touches the file system. Everything else hands it paths and bytes, and
meets `FileError`, never `OSError`. A file is replaced by writing its bytes aside, syncing
them, renaming them into place and syncing the folder, so that after a kill at any instant a
reader finds the old bytes or the new ones. No file is ever cut or written in place, so a map of
one stays valid.

    looking    what is there, without reading it?
    appending  how does one more line get to the end of a log?
    refusals   what does it mean when the system refuses a file?
    spooling   where do bytes go that are too many for memory? (who builds imports it by itself)
"""

from __future__ import annotations

import errno
import mmap
import os
import stat
from itertools import count

from memidx.errors import FileError
from memidx.files.looking import (
    Entry,
    Signature,
    entry_signature,
    entry_signatures,
    exists,
    has_other_names,
    is_dir,
    is_file,
    list_dir,
    names,
    realpath,
    scan_dir,
    signature,
    signature_of,
    working_folder,
)
from memidx.files.refusals import MISSING, failed, is_missing, may_pass
from memidx.light import TYPE_CHECKING, suppress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = [
    "Entry",
    "Signature",
    "entry_signature",
    "entry_signatures",
    "exists",
    "failed",
    "fsync_dir",
    "has_other_names",
    "is_dir",
    "is_file",
    "is_missing",
    "is_whole",
    "is_writable_dir",
    "list_dir",
    "make_dir",
    "map_file",
    "may_pass",
    "names",
    "read_bytes",
    "read_lines",
    "read_signed",
    "realpath",
    "remove",
    "remove_temporaries",
    "scan_dir",
    "signature",
    "working_folder",
    "write_atomic",
]

_Map = mmap.mmap
_CHUNK_BYTES = 1 << 20
_TEMPORARY_SUFFIX = ".tmp"
_PROBE = ".memidx-probe"
# A file without a name: nothing is left of it, whenever the process ends.
_UNNAMED = getattr(os, "O_TMPFILE", None)
_FLAGS = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
# Opening a pipe or a device must not wait for somebody to write into it.
_READ_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | _FLAGS
_NEW_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FLAGS
# A folder that cannot be synced (network and FUSE file systems) is not a failed write.
_NO_FOLDER_SYNC = frozenset({errno.EINVAL, errno.ENOTSUP, errno.EBADF, errno.ENOSYS})
# `next` on it is atomic, so threads of one process never share a name.
_counter = count(1)

# Every system call that changes something goes through one of these or `_open_new`, so that
# the crash tests can stop a writer before, in the middle of, or after each of them.
_write = os.write
_fsync = os.fsync
_rename = os.replace
_unlink = os.unlink
_mkdir = os.mkdir
_chmod = os.chmod


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
    return data, signature_of(status)


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


def is_whole(view: memoryview) -> bool:
    """Whether the file behind a map still has all the bytes that were mapped; costs one call.

    To touch a page that another program has cut off ends the process (SIGBUS): ask before.
    """
    return not isinstance(view.obj, _Map) or view.obj.size() >= len(view.obj)


def is_writable_dir(path: str) -> bool:
    """Whether a file can be made in the folder: permissions alone do not tell, so it tries."""
    if _UNNAMED is not None:
        with suppress(OSError, ValueError):
            os.close(os.open(path, _UNNAMED | os.O_WRONLY | _FLAGS, 0o600))
            return True
    # Refused, or a file system that has only files with names.
    try:
        probe = _temporary_name(path, _PROBE)
        os.close(_open_new(probe))
        for entry in scan_dir(path):
            # Those of killed processes too; who is alive does not miss his.
            if entry.name.startswith(_PROBE):
                remove(entry.path)
    except (OSError, ValueError, FileError):
        return False
    return True


def write_atomic(
    path: str,
    data: bytes | Iterable[bytes],
    *,
    scratch_dir: str,
    durable: bool = True,
    meanwhile: Callable[[], object] | None = None,
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
        meanwhile: What may be done while the disk takes it; it is not, where nobody waits.

    Returns:
        How many bytes were written.

    Raises:
        FileError: No temporary file is left. The file at `path` is as it was, or whole and new
            where only its folder could not be synced.
    """
    written = 0
    try:
        target = os.path.realpath(path) if os.path.islink(path) else path
        temporary = _temporary_name(scratch_dir, os.path.basename(target))
        descriptor = _open_scratch(temporary, scratch_dir)
        try:
            try:
                _keep_mode(descriptor, temporary, target)
                for chunk in _chunks(data):
                    written += len(chunk)
                    _write_all(descriptor, chunk)
                if durable and meanwhile is not None:
                    _fsync_aside(descriptor, meanwhile)
                elif durable:
                    _fsync(descriptor)
            finally:
                os.close(descriptor)
            _rename(temporary, target)
        except BaseException:
            with suppress(OSError):
                _unlink(temporary)
            raise
        if durable:
            fsync_dir(os.path.dirname(target) or ".")
    except (OSError, ValueError) as error:
        raise failed("write", path, error) from error
    return written


def make_dir(path: str) -> None:
    """Makes a folder and what is missing above it, durably; one that is there is fine."""
    if is_dir(path):
        return
    parent = os.path.dirname(path.rstrip(os.sep)) or "."
    if parent != path:
        make_dir(parent)
    try:
        _mkdir(path)
        fsync_dir(parent)
    except (OSError, ValueError) as error:
        # Another process may have made it between the look and the call.
        if isinstance(error, FileExistsError) and is_dir(path):
            return
        raise failed("make the folder", path, error) from error


def remove(path: str) -> None:
    """Removes a file or a link; one that is not there is fine."""
    try:
        _unlink(path)
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno in MISSING:
            return
        raise failed("remove", path, error) from error


def remove_temporaries(scratch_dir: str, wanted: Callable[[str], bool] | None = None) -> int:
    """Removes what killed writes left, of all targets or those whose name is `wanted`; counts it.

    The caller holds the lock those targets are written under, or a live writer loses its file.
    """
    removed = 0
    try:
        entries = sorted(scan_dir(scratch_dir), key=lambda entry: entry.name)
    except FileError as error:
        if is_missing(error):
            return 0
        raise
    for entry in entries:
        if not entry.name.endswith(_TEMPORARY_SUFFIX):
            continue
        if wanted is None or wanted(entry.name.rsplit(".", 2)[0]):
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


def _fsync_aside(descriptor: int, meanwhile: Callable[[], object]) -> None:
    """Do something else while the disk takes a file."""
    from memidx.aside import Aside  # few files take long enough

    with Aside(lambda: _fsync(descriptor)):
        meanwhile()


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
