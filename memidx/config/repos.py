"""Which repositories does a source of kind `git` name?

Folders below root, each under a name that no other of the project has.
"""

from __future__ import annotations

import os.path
import posixpath

from memidx import files
from memidx.config import SourceConfig
from memidx.config.schema import Place, has_drive, unknown
from memidx.light import TYPE_CHECKING
from memidx.values import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_LONGEST_REPO_NAME = 100


class Repo(NamedTuple):
    """One git repository: what documents call it, and its folder relative to root."""

    name: str
    path: str


def read_repos(place: Place, listed: list[Any], root: str | None) -> Iterator[Repo]:
    """The repositories of a table, each in its one spelling.

    Raises:
        ConfigError: None, one without a path below root, or a name that is none or not its own.
    """
    if not listed:
        raise place.refuse("repos", "repos is empty", expected='at least one folder, such as "."')
    names: set[str] = set()
    for entry in listed:
        given = {"path": entry} if isinstance(entry, str) else entry
        for key in given:
            if key not in Repo._fields:
                raise unknown(place._replace(table="sources.repos"), key, ("name", "path"))
        path = given.get("path", ".")
        if not isinstance(path, str) or not path.strip() or "\0" in path:
            raise place.refuse("repos", "a repository has no path", found=repr(entry)[:80])
        path = _folder(place, path, root)
        name = given.get("name", path)
        if not isinstance(name, str) or not _is_repo_name(name):
            raise place.refuse(
                "repos",
                "a repository cannot have this name",
                expected=f"1 to {_LONGEST_REPO_NAME} printable characters without `#`, "
                "and no blank at either end",
                found=repr(name)[:80],
                hint=None if "name" in given else "give it one: {name = …, path = …}",
            )
        if name in names:
            raise place.refuse("repos", f"there are two repositories named {name!r}")
        names.add(name)
        yield Repo(name, path)


def _folder(place: Place, path: str, root: str | None) -> str:
    """A repository's folder below root, in its one spelling."""
    if root is not None and os.path.isabs(path):
        for base in (os.path.abspath(root), files.realpath(root)):
            if path == base or path.startswith(base.rstrip(os.sep) + os.sep):
                path = path[len(base) :].lstrip(os.sep) or "."
                break
    if os.path.isabs(path) or has_drive(path):
        what = "repos has an absolute path out of root"
        raise place.refuse("repos", what, expected="a folder relative to root", found=repr(path))
    plain = posixpath.normpath(path)
    if plain.split("/")[0] == "..":
        what = "repos leads out of root: only what lies below root is read"
        raise place.refuse("repos", what, expected="a folder below root", found=repr(path))
    return plain


def _is_repo_name(name: str) -> bool:
    return (
        0 < len(name) <= _LONGEST_REPO_NAME
        and name.isprintable()
        and name == name.strip()
        and "#" not in name
    )


def repo_names_twice(sources: tuple[SourceConfig, ...]) -> str | None:
    """A repository's name that two tables give: its commits would be documents twice."""
    names = [repo.name for source in sources for repo in source.repos]
    return next((name for n, name in enumerate(names) if name in names[:n]), None)
