"""What does it mean when the system refuses a file?

The one place where an `OSError` becomes a `FileError`. Some refusals say something about the
file: it is not there, it may not be read. Others say something about the moment: the disk did not
answer, too many files were open. From those nothing may be concluded.
"""

from __future__ import annotations

import errno

from memidx.errors import FileError

MISSING = frozenset({errno.ENOENT, errno.ENOTDIR})

# Refusals that are about the moment, by name, for not every system has each of them.
_PASSING_NAMES = """EIO ENXIO EMFILE ENFILE ENOMEM EAGAIN EINTR EBUSY ESTALE ETIMEDOUT ENOLCK
    EHOSTDOWN EHOSTUNREACH ENETDOWN ENETUNREACH ENOTCONN ECONNRESET ECONNABORTED EREMOTEIO
    EUCLEAN""".split()  # noqa: SIM905 - short names, one a word
_PASSING = frozenset(number for number, name in errno.errorcode.items() if name in _PASSING_NAMES)
_HINTS = {
    errno.ENOSPC: "free some space and run it again; the old files are as they were",
    errno.EDQUOT: "free some of the quota and run it again; the old files are as they were",
    errno.EROFS: "the file system is read-only; nothing was changed",
    errno.EACCES: "check the permissions of the file and its folder",
    errno.EXDEV: "the folder for temporary files must be on the same file system as the target",
    errno.EMFILE: "close some files or raise the limit (ulimit -n), and run it again",
    errno.EIO: "the disk did not do its work: check it (and its cable, or the network)",
}


def failed(action: str, path: str, error: OSError | ValueError) -> FileError:
    """The `FileError` for an `OSError`; public for the library that opens the lock's file."""
    if isinstance(error, OSError):
        reason = error.strerror or str(error)
        hint = _HINTS.get(error.errno) if error.errno is not None else None
        return FileError(f"cannot {action}: {reason}", path=path, hint=hint)
    # NUL, or characters the file system encoding does not have, in the path.
    return FileError(f"cannot {action}: not a possible path ({error})", path=path)


def is_missing(error: FileError) -> bool:
    """Whether a `FileError` says that the file, or a folder on the way to it, is not there."""
    return isinstance(error.__cause__, OSError) and error.__cause__.errno in MISSING


def may_pass(error: FileError | OSError) -> bool:
    """Whether a refusal is about the moment, so that it says nothing about the file."""
    cause = error if isinstance(error, OSError) else error.__cause__
    return isinstance(cause, OSError) and cause.errno in _PASSING
