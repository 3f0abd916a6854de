"""How does one holder at a time have a file?

By the system's own lock on an open file, which ends with its holder, however that ends. Only where
there is `fcntl`; `memidx.store.lock` knows another way.
"""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Callable

from memidx.files.refusals import failed

# Written, for some network file systems lock no other; a link could lead anywhere.
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
_MODE = 0o644
_TAKEN = (errno.EACCES, errno.EAGAIN, errno.EWOULDBLOCK)
_held: set[int] = set()


def hold(path: str) -> Callable[[], None] | None:
    """Take a file for this caller alone; it is made when it is not there, and stays.

    Returns:
        What lets go of it; None where somebody else has it, be it a thread of this process.

    Raises:
        FileError: It cannot be opened, or its file system has no locks.
    """
    try:
        descriptor = os.open(path, _FLAGS, _MODE)
        try:
            is_ours = _lock(descriptor) and _is_at(path, descriptor)
        except BaseException:
            os.close(descriptor)
            raise
    except (OSError, ValueError) as error:
        raise failed("lock", path, error) from error
    if not is_ours:
        os.close(descriptor)
        return None
    _held.add(descriptor)

    def let_go() -> None:
        _held.discard(descriptor)
        os.close(descriptor)

    return let_go


def _lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _TAKEN:
            return False
        raise
    return True


def _is_at(path: str, descriptor: int) -> bool:
    """Whether an open file is still the one that others find: its folder may be made anew."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.lstat(path))
    except FileNotFoundError:
        return False


def _close_copies() -> None:
    """In a process that the caller forks meanwhile: it must not hold what its parent let go of."""
    while _held:
        os.close(_held.pop())


os.register_at_fork(after_in_child=_close_copies)
