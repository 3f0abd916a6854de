"""What is there, without reading it?"""

from __future__ import annotations

import os
import stat

from memidx.errors import FileError
from memidx.files.refusals import MISSING, failed, is_missing, may_pass
from memidx.light import TYPE_CHECKING
from memidx.values import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


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


def exists(path: str) -> bool:
    """Whether something is there; False too for a dangling link and an impossible name.

    Raises:
        FileError: The system did not say; likewise for `is_dir` and `is_file`. To take that for a
            no would be to take what is there for deleted.
    """
    return _mode(path) is not None


def is_dir(path: str) -> bool:
    """Whether it is a folder or a link to one."""
    mode = _mode(path)
    return mode is not None and stat.S_ISDIR(mode)


def is_file(path: str) -> bool:
    """Whether it is a regular file or a link to one."""
    mode = _mode(path)
    return mode is not None and stat.S_ISREG(mode)


def signature(path: str) -> Signature | None:
    """The signature of what the path leads to; None when nothing is there.

    Raises:
        FileError: When the file system does not say (permissions, a loop of links).
    """
    try:
        return signature_of(os.stat(path))
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno in MISSING:
            return None
        raise failed("look at", path, error) from error


def has_other_names(path: str) -> bool:
    """Whether a file may be written under another name too: a hard link.

    Raises:
        FileError: It cannot be looked at.
    """
    try:
        return os.stat(path).st_nlink > 1
    except (OSError, ValueError) as error:
        raise failed("look at", path, error) from error


def scan_dir(path: str) -> list[os.DirEntry[str]]:
    """The folder's entries as the system hands them out, in an order of its own.

    `entry.is_dir(follow_symlinks=False)` and `entry.is_symlink()` cost no system call;
    for anything that does, use `entry_signature`.
    """
    try:
        with os.scandir(path) as entries:
            return list(entries)
    except (OSError, ValueError) as error:
        raise failed("list", path, error) from error


def names(path: str) -> list[str]:
    """Names in a folder, sorted; none where there is no folder."""
    try:
        return sorted(entry.name for entry in scan_dir(path))
    except FileError as error:
        if is_missing(error):
            return []
        raise


def list_dir(path: str) -> list[Entry]:
    """The folder's entries as plain values, sorted by name."""
    return sorted(
        Entry(entry.name, entry.is_dir(follow_symlinks=False), entry.is_symlink())
        for entry in scan_dir(path)
    )


def entry_signature(entry: os.DirEntry[str]) -> Signature:
    """The signature of a scanned entry, links followed.

    Raises:
        FileError: When it vanished since, dangles, loops or must not be looked at.
    """
    try:
        return signature_of(entry.stat())
    except (OSError, ValueError) as error:
        raise failed("look at", entry.path, error) from error


def entry_signatures(
    entries: Sequence[os.DirEntry[str]], before: Sequence[Signature] = ()
) -> Sequence[Signature]:
    """The signature of each of some scanned entries, as `entry_signature` gives it.

    Args:
        before: What they were at an earlier look: if they are still, it is given back itself.

    Raises:
        FileError: When one of them cannot be looked at.
    """
    from itertools import repeat  # only who looks at the sources
    from operator import attrgetter

    # No line of Python for each of them: that is a third of the time.
    numbers_of = attrgetter("st_size", "st_mtime_ns", "st_ctime_ns", "st_ino")
    try:
        numbers = [*map(numbers_of, map(os.DirEntry.stat, entries))]
    except (OSError, ValueError) as error:
        path = getattr(error, "filename", None) or entries[0].path
        raise failed("look at", path, error) from error
    return before if before == numbers else [*map(tuple.__new__, repeat(Signature), numbers)]


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


def signature_of(status: os.stat_result) -> Signature:
    """The signature in what the system says of a file."""
    return Signature(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def _mode(path: str) -> int | None:
    try:
        return os.stat(path).st_mode
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and may_pass(error):
            raise failed("look at", path, error) from error
        return None
