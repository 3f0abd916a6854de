"""Where does a link lead, and is it there at all?

A folder does not change when what one of its links leads to does, so a survey notes it.
"""

from __future__ import annotations

import os.path

from memidx import files
from memidx.errors import FileError
from memidx.values import NamedTuple


class Led(NamedTuple):
    """Where a path leads over links.

    Attributes:
        real: The path with all links resolved.
        kind: `folder`, `file`, `other` or `nothing`.
        inode: Of a folder: the path may lead to another one of the same name later.
    """

    real: str
    kind: str
    inode: int = 0


def follow(path: str) -> Led:
    """Where a path leads, all links resolved, and to what.

    Raises:
        FileError: The system did not say.
    """
    real = files.realpath(path)
    if files.is_dir(path):
        seen = files.signature(path)
        return Led(real, "folder", seen.inode if seen else 0)
    if files.is_file(path):
        return Led(real, "file")
    return Led(real, "other" if files.exists(path) else "nothing")


def is_gone(path: str, name: str, real: str) -> bool:
    """Whether a link that leads nowhere is not even there itself any more."""
    try:
        # A link that is there resolves to something else, or for ever to itself.
        itself = real == os.path.join(files.realpath(os.path.dirname(path)), name)
        return itself and files.signature(path) is None
    except FileError:
        return False
