"""What did the repository hold at a revision?

Commits, and the bytes of files as they were committed: the store, its configuration, the suite.
Git is asked (`memidx.sources.git_log.run_git`), nothing is checked out and no file is written.
"""

from __future__ import annotations

import os.path
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from memidx import files
from memidx.errors import InputError, ProgramError, StoreError
from memidx.sources.git_log import run_git
from memidx.sources.git_refs import Repository, find_repository

_FORMAT = "%H%x00%cs%x00%s"
_BLOB = b"blob"


class Commit(NamedTuple):
    """One commit: full name, ISO date, first line of its message."""

    sha: str
    date: str
    subject: str

    @property
    def short(self) -> str:
        """Enough of the name for a person."""
        return self.sha[:10]


class Revisions:
    """Asks the git repository around a folder.

    Args:
        folder: A folder in its working tree.
        env: The environment git gets, without what would change its answers.

    Raises:
        InputError: The folder is in no git repository.
    """

    def __init__(self, folder: str, env: Mapping[str, str]) -> None:
        repository = find_repository(files.realpath(folder), upward=True)
        if repository is None:
            raise InputError(
                "not in a git repository, so nothing is known of earlier states", path=folder
            )
        self._repository: Repository = repository
        self._env = env

    def relative(self, path: str) -> str:
        """A path as git has it.

        Raises:
            InputError: It lies outside the repository.
        """
        relative = os.path.relpath(files.realpath(path), self._repository.folder)
        name = relative.replace(os.sep, "/")
        if name.split("/", 1)[0] == "..":
            raise InputError("lies outside the git repository", path=path)
        return name

    def commit(self, revision: str) -> Commit:
        """The commit a revision names.

        Raises:
            InputError: It names none.
        """
        hint = "give a commit, a tag or a branch of this repository"
        if not revision or revision.startswith("-"):
            raise InputError("not a revision", found=repr(revision), hint=hint)
        command = ["log", "-1", "-z", f"--format={_FORMAT}", f"{revision}^{{commit}}", "--"]
        try:
            return _commits(self._said(command))[0]
        except (ProgramError, IndexError) as error:
            raise InputError("git knows no such revision", found=revision, hint=hint) from error

    def touching(
        self, paths: Sequence[str], *, until: str = "HEAD", limit: int | None = None
    ) -> list[Commit]:
        """Commits of the first-parent history that changed one of these paths, newest first.

        Args:
            paths: As git has them.
            until: Where the history ends.
            limit: How many, None for all.

        Raises:
            StoreError: Git fails.
        """
        count = [] if limit is None else [f"--max-count={limit}"]
        command = ["log", "-z", "--first-parent", "--diff-merges=first-parent", *count]
        literal = [f":(top,literal){path}" for path in paths]
        try:
            return _commits(self._said([*command, f"--format={_FORMAT}", until, "--", *literal]))
        except ProgramError as error:
            # The repository was made, but nothing was committed to it yet.
            if error.what == "bad revision 'HEAD'":
                return []
            raise StoreError(f"git cannot list the history: {error.what}") from error

    def is_committed(self, path: str, sha: str, data: bytes) -> bool:
        """Whether a file held these bytes at a commit."""
        return self.read(sha, path) == data

    def names(self, sha: str, folder: str) -> dict[str, str]:
        """Files directly in a folder at a commit: name -> object that holds their bytes."""
        prefix = "" if folder in ("", ".") else f"{folder}/"
        command = ["ls-tree", "-z", "--full-tree", sha, "--", *([prefix] if prefix else [])]
        found = {}
        for entry in self._said(command).split(b"\0"):
            head, _, name = entry.partition(b"\t")
            words = head.split()
            if len(words) == 3 and words[1] == _BLOB:
                found[name.decode("utf-8", "surrogateescape")[len(prefix) :]] = words[2].decode()
        return found

    def blob(self, oid: str) -> bytes:
        """The bytes of an object.

        Raises:
            StoreError: They are not there: a partial clone has not all of them.
        """
        try:
            return self._said(["cat-file", "blob", oid])
        except ProgramError as error:
            raise StoreError(f"git cannot read {oid}: {error.what}") from error

    def read(self, sha: str, path: str) -> bytes | None:
        """A file's bytes at a commit; None where it was not there."""
        folder, _, name = path.rpartition("/")
        oid = self.names(sha, folder).get(name)
        return None if oid is None else self.blob(oid)

    def _said(self, command: Sequence[str]) -> bytes:
        return b"".join(run_git(self._repository, command, self._env))


def _commits(said: bytes) -> list[Commit]:
    # With -z records end as fields do.
    parts = said.decode("utf-8", "replace").split("\0")
    return [
        Commit(*(part.lstrip("\n") for part in parts[at : at + 3]))
        for at in range(0, len(parts) - 2, 3)
    ]
