"""Which commit does a revision name, without asking git?

A search asks this of every repository, so it reads the few small files that say it: `.git`, `HEAD`,
one reference, at worst `packed-refs`. What only git itself can tell is left to it.
"""

from __future__ import annotations

import os.path
from typing import NamedTuple

from memidx import files
from memidx.errors import FileError

_SMALL = 4096
_MOST_LINKS = 5
# What each working tree has of its own, beside names without a slash such as HEAD.
_PER_WORKTREE = ("refs/bisect/", "refs/worktree/", "refs/rewritten/")
# Where git looks for a short name, in its order.
_SPELLINGS = (
    "{}",
    "refs/{}",
    "refs/tags/{}",
    "refs/heads/{}",
    "refs/remotes/{}",
    "refs/remotes/{}/HEAD",
)
_HEX = frozenset("0123456789abcdef")


class Repository(NamedTuple):
    """Where a repository keeps itself; all absolute.

    Attributes:
        folder: The working tree, or the repository itself where it is bare.
        git_dir: What belongs to this working tree, `HEAD` above all.
        common_dir: What all working trees share.
    """

    folder: str
    git_dir: str
    common_dir: str


class State(NamedTuple):
    """What a repository stands at.

    Attributes:
        word: `at` (revision names commits), `ask` (only git can tell which), `empty` (there is no
            commit), `refused` (it cannot be read; revision says why).
        revision: As git takes it; with `at`, it begins with an object's full name.
    """

    word: str
    revision: str = ""


class _Damaged(Exception):  # noqa: N818 - never leaves this module
    """A file of the repository does not say what such a file says."""


def find_repository(folder: str, *, upward: bool) -> Repository | None:
    """The repository of a folder.

    Args:
        folder: Absolute path.
        upward: Whether a folder above may be the repository's, as git itself has it.
    """
    while True:
        for git_dir in (_linked(os.path.join(folder, ".git")), folder):
            if git_dir is not None and files.is_file(os.path.join(git_dir, "HEAD")):
                common = _common_dir(git_dir)
                if files.is_dir(os.path.join(common, "objects")):
                    return Repository(folder, git_dir, common)
        parent = os.path.dirname(folder)
        if not upward or parent == folder:
            return None
        folder = parent


def state_of(repository: Repository, revision: str | None) -> State:
    """What a revision of a repository stands for now; None for HEAD."""
    try:
        shallow = files.signature(os.path.join(repository.common_dir, "shallow"))
        if shallow is not None and shallow.size:
            return State(
                "refused",
                "a shallow clone, its history is cut off (git fetch --unshallow mends it)",
            )
        base, steps = _parts(revision or "HEAD")
        if _is_full_name(base):
            return State("at", base + steps)
        table = _reftable(repository)
        if table is not None:
            return State("ask", f"{revision or 'HEAD'} {table}")
        if base == "HEAD":
            found = _value(repository, "HEAD")
            return State("at", found + steps) if found else State("empty")
        for spelling in _SPELLINGS:
            found = _value(repository, spelling.format(base))
            if found:
                return State("at", found + steps)
    except _Damaged as error:
        return State("refused", f"{error} is damaged")
    except FileError as error:
        return State("refused", error.what)
    return State("ask", f"{base}{steps} ")


def _parts(revision: str) -> tuple[str, str]:
    """A name and the steps back from it: `v1.2~3` gives `v1.2` and `~3`."""
    at = min((n for n in (revision.find("~"), revision.find("^")) if n > 0), default=len(revision))
    base = revision[:at]
    return "HEAD" if base == "@" else base, revision[at:]


def _value(repository: Repository, name: str) -> str | None:
    """The object a reference leads to; None when there is no such reference."""
    for _ in range(_MOST_LINKS):
        shared = "/" in name and not name.startswith(_PER_WORKTREE)
        folder = repository.common_dir if shared else repository.git_dir
        path = os.path.join(folder, name)
        text = _read(path)
        if text is None:
            return _packed(repository, name) if "/" in name else None
        if _is_full_name(text):
            return text
        if not text.startswith("ref:"):
            if name == "HEAD" or name.startswith("refs/"):
                raise _Damaged(name)
            return None  # some other file of the folder, such as `description`
        name = text[4:].strip()
        if not name.startswith("refs/") or ".." in name:
            raise _Damaged(name or "HEAD")
    raise _Damaged(name)


def _packed(repository: Repository, name: str) -> str | None:
    path = os.path.join(repository.common_dir, "packed-refs")
    try:
        data = b"\n" + files.read_bytes(path)
    except FileError as error:
        if files.is_missing(error):
            return None
        raise
    end = data.find(b" " + os.fsencode(name) + b"\n")
    if end < 0:
        return None
    text = data[data.rfind(b"\n", 0, end) + 1 : end].decode("latin-1")
    if not _is_full_name(text):
        raise _Damaged("packed-refs")
    return text


def _reftable(repository: Repository) -> str | None:
    """What stands for all references of a repository that keeps them in tables."""
    tables = [
        _read(os.path.join(folder, "reftable", "tables.list"))
        for folder in dict.fromkeys((repository.common_dir, repository.git_dir))
    ]
    if not any(tables):
        return None
    # A name of a table is never used twice; the list is as good as its content.
    return " ".join(" ".join((table or "").split()) for table in tables)


def _linked(path: str) -> str | None:
    """The folder that `.git` is, or that it names where it is a file."""
    if files.is_dir(path):
        return path
    if not files.is_file(path):
        return None
    try:
        text = _read(path) or ""
    except FileError:
        return None
    if not text.startswith("gitdir:"):
        return None
    return os.path.normpath(os.path.join(os.path.dirname(path), text[7:].strip()))


def _common_dir(git_dir: str) -> str:
    try:
        text = _read(os.path.join(git_dir, "commondir"))
    except FileError:
        return git_dir
    return os.path.normpath(os.path.join(git_dir, text)) if text else git_dir


def _read(path: str) -> str | None:
    """A small file's text without blanks at its ends; None when there is no such file."""
    if not files.is_file(path):
        return None
    try:
        return os.fsdecode(files.read_bytes(path, _SMALL)).strip()
    except FileError as error:
        if files.is_missing(error):
            return None
        raise


def _is_full_name(text: str) -> bool:
    return len(text) in (40, 64) and _HEX.issuperset(text)
