"""Who may write?

One writer at a time, across processes and threads; readers never ask. The system frees the
lock when its holder ends, however it ends, so there is nothing to clean after a kill.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from memidx import files
from memidx.errors import FileError, StoreLocked
from memidx.store.folders import CACHE_NAME, prepare_store, scratch_dir

LOCK_NAME = "lock"
_POLL_S = 0.01


@contextmanager
def store_lock(path: str, timeout_s: float) -> Iterator[str]:
    """Holds the store's lock; makes the store's folders when they are absent.

    Not re-entrant: a second call in the same thread waits for itself, and times out.

    Args:
        path: The store's folder.
        timeout_s: How long to wait for another holder; 0 tries once.

    Yields:
        The path of the lock file.

    Raises:
        StoreLocked: Somebody else held it the whole time.
        FileError: The store cannot be written to.
    """
    # Only a writer needs it: a search on a ready snapshot does without.
    import filelock

    files.make_dir(scratch_dir(path))
    file = os.path.join(path, CACHE_NAME, LOCK_NAME)
    options: dict[str, Any] = {"timeout": timeout_s, "poll_interval": _POLL_S}
    try:
        # A file that is there or not would stay behind a killed process, and lock for ever.
        lock = filelock.FileLock(file, fallback_to_soft=False, **options)
    except TypeError:
        # The library's versions without this option never take such a file.
        lock = filelock.FileLock(file, **options)
    try:
        lock.acquire()
    except filelock.Timeout as error:
        raise StoreLocked(
            f"another process is writing the store: its lock was not free within {timeout_s:g} s",
            path=file,
            hint="try again; the lock frees itself when the process that holds it ends",
        ) from error
    except OSError as error:
        raise files.failed("lock", file, error) from error
    except NotImplementedError as error:
        raise FileError("cannot lock: the file system has no locks", path=file) from error
    try:
        prepare_store(path)
        yield file
    finally:
        lock.release()
