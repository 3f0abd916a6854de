"""What does git have to know of a store?

That its bytes are not to be touched (`-text`), that reviews may fold it (`linguist-generated`), and
that its lines merge by document (`merge=memidx`). The attribute is committed and harmless where
memidx is not installed: git then merges by line. The driver itself is a setting of each clone.
"""

from __future__ import annotations

import re
import shlex
from typing import Literal

from memidx.worktree import Worktree

_DRIVER = "merge.memidx.driver"
_NAME = "merge.memidx.name"
_NAME_VALUE = "memidx: a store's lines by document"
DriverState = Literal["set", "unchanged", "left"]


def attribute_lines(store: str) -> str:
    """Lines for a `.gitattributes` in the folder that `store` is relative to."""
    return "\n".join(
        f"{_quoted(_below(store) + name)} -text merge=memidx linguist-generated"
        for name in ("manifest.json", "docs*.jsonl")
    )


def ignore_lines(store: str) -> str:
    """Lines for a `.gitignore` in the same folder."""
    return f"{_below(store)}.cache/\n/reports/latest/"


def driver_command(python: str) -> str:
    """The merge driver for git's configuration.

    Git's own merge takes over where memidx is gone, too old or fails: a driver that only fails
    would leave our version without a marker, and theirs would be lost unseen.

    Args:
        python: Absolute path of the interpreter memidx is installed in.
    """
    # git reads `%` as the beginning of a placeholder.
    here = shlex.quote(python).replace("%", "%%")
    arguments = "merge-driver --marker-size %L -- %O %A %B %P"
    # Its words count, not its code: a Python without memidx ends with 1, like a conflict.
    answer = "case $word in merged) exit 0;; conflict) exit 1;; esac"
    return (
        f"word=$({here} -P -m memidx {arguments}); {answer}; "
        f"word=$(memidx {arguments} 2>/dev/null); {answer}; "
        "git merge-file --marker-size=%L -L ours -L base -L theirs %A %O %B"
    )


def set_driver(tree: Worktree, python: str, *, write: bool) -> DriverState:
    """Tell this clone's git about the driver; what a user set under its name is left.

    Args:
        tree: The repository.
        python: As for `driver_command`.
        write: False only says what would happen.
    """
    wanted = driver_command(python)
    there = tree.setting(_DRIVER)
    if there is not None and "memidx merge-driver" not in there:
        return "left"
    if there == wanted and tree.setting(_NAME) is not None:
        return "unchanged"
    if write:
        # In this order: git refuses every merge while a driver has a name and no command.
        tree.set(_DRIVER, wanted)
        tree.set(_NAME, _NAME_VALUE)
    return "set"


def _below(folder: str) -> str:
    """The beginning of a pattern that matches in one folder alone; it may be this one."""
    path = folder.strip("/")
    return "/" if path in ("", ".") else re.sub(r"([*?\[\]!#\\])", r"\\\1", f"/{path}/")


def _quoted(pattern: str) -> str:
    """A pattern as `.gitattributes` takes it: quoted where it holds blanks."""
    if not re.search(r"[\s\"]", pattern):
        return pattern
    return '"' + pattern.replace("\\", "\\\\").replace('"', '\\"') + '"'
