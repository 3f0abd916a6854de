"""Which folders has a store, beside its files?

Apart from what writes lines, so that a search that notes a look loads no more.
"""

from __future__ import annotations

import os.path

from memidx import files
from memidx.errors import FileError

CACHE_NAME = ".cache"
SCRATCH_NAME = "tmp"
IGNORE_NAME = ".gitignore"
_IGNORE_ALL = b"# Made again from the store when it is gone.\n*\n"


def prepare_store(path: str) -> None:
    """Makes the store's folder and its cache folder, which keeps itself out of git.

    Raises:
        FileError: Not allowed, or something else is in the way.
    """
    cache = os.path.join(path, CACHE_NAME)
    scratch = scratch_dir(path)
    files.make_dir(scratch)
    ignore = os.path.join(cache, IGNORE_NAME)
    if content_of(ignore) == _IGNORE_ALL:
        return
    try:
        files.write_atomic(ignore, _IGNORE_ALL, scratch_dir=scratch)
    except FileError:
        # A writer that holds the lock may have removed our temporary file, after it had
        # put the same bytes into place.
        if content_of(ignore) != _IGNORE_ALL:
            raise


def scratch_dir(path: str) -> str:
    """Where temporary files of the store at `path` go."""
    return os.path.join(path, CACHE_NAME, SCRATCH_NAME)


def content_of(file: str) -> bytes | None:
    """The file's bytes; None when it is not there."""
    try:
        return files.read_bytes(file)
    except FileError as error:
        if files.is_missing(error):
            return None
        raise
