"""What does git say of the working tree around a store?

Each method is one call of git, in the caller's environment: the settings, filters and index that
count for the caller count here. Paths are relative to the top of the working tree.
"""

from __future__ import annotations

import os.path
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from memidx import files
from memidx.errors import InputError, ProgramError
from memidx.processes import read_output

# Sequences of git that stop for a conflict: what stands in the git folder meanwhile.
_STOPPED = {
    "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
}


class IndexEntry(NamedTuple):
    """One version of a file in git's index; stage 0 is merged, 1 base, 2 ours, 3 theirs."""

    blob: str
    stage: int
    path: str


class Worktree:
    """A working tree, asked in one environment.

    Args:
        folder: Any folder of it.
        env: The environment git runs in.

    Raises:
        InputError: The folder belongs to no working tree.
        ProgramError: git is not installed, or refuses the repository.
    """

    def __init__(self, folder: str, env: Mapping[str, str]) -> None:
        # Names are meant as they are, without `*` and `:(magic)`; messages are told apart below.
        self._env = {**env, "GIT_LITERAL_PATHSPECS": "1", "LC_ALL": "C"}
        self.top = folder
        try:
            self.top = self._line("rev-parse", "--show-toplevel")
        except ProgramError as error:
            if "not a git repository" not in error.what and "work tree" not in error.what:
                raise
            raise InputError(
                "is in no working tree of git",
                path=folder,
                hint="run it where the store is committed, or name the store with --store",
            ) from error

    def inside(self, path: str) -> str | None:
        """A path below the top, with `/` between its parts; None for one outside."""
        relative = os.path.relpath(files.realpath(path), files.realpath(self.top))
        parts = relative.split(os.sep)
        return None if parts[0] == os.pardir or os.path.isabs(relative) else "/".join(parts)

    def entries(self, folder: str) -> list[IndexEntry]:
        """Every version of every file of a folder that the index holds."""
        return _entries(self._read("ls-files", "--stage", "-z", "--", folder))

    def unmerged(self) -> list[str]:
        """Files whose merge is not decided."""
        found = _entries(self._read("ls-files", "--unmerged", "-z"))
        return sorted({entry.path for entry in found})

    def decided(self) -> list[str]:
        """Files whose conflict was decided since the merge began."""
        found = _entries(self._read("ls-files", "--resolve-undo", "-z"))
        return sorted({entry.path for entry in found})

    def blob(self, name: str) -> bytes:
        """The bytes git keeps under a name."""
        return self._read("cat-file", "blob", name)

    def stopped(self) -> str | None:
        """What waits to be finished: merge, rebase, cherry-pick or revert; None for nothing."""
        for name, word in _STOPPED.items():
            path = self._line("rev-parse", "--git-path", name)
            if files.exists(os.path.join(self.top, path)):
                return word
        return None

    def incoming(self) -> frozenset[str]:
        """Names of the commits that a merge brings and HEAD does not have yet."""
        return frozenset(self._read("rev-list", "HEAD..MERGE_HEAD").decode().split())

    def n_commits(self) -> int | None:
        """Commits that HEAD reaches; None where the clone does not have them all."""
        if self._line("rev-parse", "--is-shallow-repository") == "true":
            return None
        try:
            return int(self._line("rev-list", "--count", "HEAD"))
        except ProgramError:
            return 0  # nothing is committed yet

    def stage(self, paths: Sequence[str]) -> None:
        """Put files as they are on disk into the index, removed ones too."""
        if paths:
            self._read("add", "--all", "--", *paths)

    def setting(self, key: str) -> str | None:
        """A setting of this repository; None when it is not set there."""
        try:
            return self._line("config", "--local", "--get", key)
        except ProgramError:
            return None

    def set(self, key: str, value: str) -> None:
        """Set a setting of this repository."""
        self._read("config", "--local", key, value)

    def _line(self, *arguments: str) -> str:
        return os.fsdecode(self._read(*arguments)).rstrip("\n")

    def _read(self, *arguments: str) -> bytes:
        return b"".join(read_output(["git", "-C", self.top, *arguments], env=self._env))


def _entries(listed: bytes) -> list[IndexEntry]:
    """`MODE BLOB STAGE<tab>PATH`, each ended by NUL."""
    found = []
    for record in listed.split(b"\0"):
        if record:
            head, _, path = record.partition(b"\t")
            _, blob, stage = head.decode("ascii").split(" ")
            found.append(IndexEntry(blob, int(stage), os.fsdecode(path)))
    return found
