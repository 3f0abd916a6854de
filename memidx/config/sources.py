"""What may one source be told, and how does the store keep it?

A `[[sources]]` table: which keys its kind has, globs and folders below root, and the canonical form
that the manifest holds.
"""

from __future__ import annotations

import os.path
import posixpath

from memidx import files
from memidx.config.schema import FIELDS, SCHEMA, Place, checked, unknown
from memidx.light import TYPE_CHECKING
from memidx.values import NamedTuple, Value, field

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

# Kind -> the keys that only some kinds have.
_OPTIONS: Mapping[str, tuple[str, ...]] = {
    "markdown": ("include", "exclude"),
    "changelog": ("include", "exclude"),
    "records": ("include", "exclude", "fields"),
    "openapi": ("include", "exclude"),
    "code": ("include", "exclude"),
    "git": ("repos", "until"),
}
_KIND_NAMES = ", ".join(_OPTIONS)
_LATER_KINDS = ("sql",)
# Which files a source takes that is not told; every one that its kind reads, where it is not here.
DEFAULT_INCLUDE: Mapping[str, tuple[str, ...]] = {
    # Most JSON and YAML files are something else, and each would be reported as such.
    "openapi": tuple(
        f"{before}{name}{after}"
        for name in ("openapi", "swagger")
        for before, after in (("", ".*"), ("", "[-_.]*"), ("*[-_.]", ".*"))
    ),
    # Not `**`: who names folders means the programs without a suffix in them, too.
    "code": ("*.py", "*.pyi", "*.sh", "*.bash"),
}
_LONGEST_REPO_NAME = 100
_SHORTEST_SECRET = 20


class Repo(NamedTuple):
    """One git repository: what documents call it, and its folder relative to root."""

    name: str
    path: str


class SourceConfig(Value):
    """One `[[sources]]` table.

    Attributes:
        name: Unique.
        kind: `markdown`, `changelog`, `records`, `openapi`, `code` or `git`.
        include: Globs relative to root, gitignore syntax; a file must match one.
        exclude: Globs that take files out again.
        weight: Multiplies relevance; > 0.
        decay: Rate per day of the age penalty; 0 = evergreen.
        decay_floor: What the penalty never falls below, 0..1.
        fields: For `records`: which key holds id, title, text, time, tags.
        repos: For `git`: the repositories, at least one.
        until: For `git`: the revision up to which commits count; None follows HEAD.
    """

    name: str
    kind: str = "markdown"
    include: tuple[str, ...] = ("**",)
    exclude: tuple[str, ...] = ()
    weight: float = 1.0
    decay: float = 0.0
    decay_floor: float = 0.3
    fields: Mapping[str, str] = field(default_factory=dict)
    repos: tuple[Repo, ...] = ()
    until: str | None = None


DEFAULT_SOURCE = SourceConfig(name="docs", include=("**",))


def source_to_dict(source: SourceConfig) -> dict[str, Any]:
    """A source for the manifest: every key that differs from its default, in a fixed order."""
    values: dict[str, Any] = {"name": source.name, "kind": source.kind}
    has_globs = "include" in _OPTIONS.get(source.kind, ("include",))
    for key in SCHEMA["sources"]:
        value = getattr(source, key)
        if value != getattr(DEFAULT_SOURCE, key) or (key == "include" and has_globs):
            values[key] = list(value) if isinstance(value, tuple) else value
    if source.fields:
        values["fields"] = dict(sorted(source.fields.items()))
    if source.repos:
        values["repos"] = [
            repo.path if repo.name == repo.path else repo._asdict() for repo in source.repos
        ]
    return values


def source_from_dict(values: Mapping[str, Any]) -> SourceConfig:
    """The source that `source_to_dict` wrote; keys of a later version are left aside.

    Raises:
        ConfigError: A value that no source can have.
    """
    known = {key: value for key, value in values.items() if key in SCHEMA["sources"]}
    return read_source(Place(None, "", "sources", 0), known, None)


def read_source(place: Place, table: Mapping[str, Any], root: str | None) -> SourceConfig:
    """The source of one table.

    Args:
        place: Where the table was written.
        table: Its values.
        root: Absolute path that absolute globs and folders are taken relative to, if known.

    Raises:
        ConfigError: A key or a value that a source of its kind cannot have.
    """
    values = checked(place, table)
    if "name" not in values:
        raise place.refuse("", "a source has no name", expected='name = "…"')
    kind = values.get("kind", "markdown")
    if kind in _LATER_KINDS:
        raise place.refuse("kind", f"sources of kind {kind!r} come later", expected=_KIND_NAMES)
    if kind not in _OPTIONS:
        raise place.refuse("kind", "unknown kind of source", expected=_KIND_NAMES, found=repr(kind))
    _check_options(place, kind, values)
    for key in set(values.get("fields", ())).difference(FIELDS):
        raise unknown(place._replace(table="sources.fields"), key, FIELDS)
    for key in ("include", "exclude"):
        if key in values:
            patterns = tuple(_relative(place, key, glob, root) for glob in values[key])
            values[key] = patterns
            if key == "include" and not patterns:
                raise place.refuse(key, "include is empty", expected="at least one glob")
    if kind in DEFAULT_INCLUDE:
        values.setdefault("include", DEFAULT_INCLUDE[kind])
    _refuse_secret(place, "name", values["name"])
    if kind == "git":
        values["repos"] = tuple(_repos(place, values.get("repos", ["."]), root))
        for repo in values["repos"]:
            _refuse_secret(place, "repos", f"{repo.name}\n{repo.path}")
    return SourceConfig(**values)


def _refuse_secret(place: Place, key: str, names: str) -> None:
    """Every document of a source bears these names, so none may be a secret."""
    if len(names) < _SHORTEST_SECRET:
        return
    from memidx.text.redact import holds_secret  # hardly any name is as long

    if holds_secret(names):
        # It is not repeated: messages end up in logs.
        what = f"{key} holds a secret, which would stand in every document"
        raise place.refuse(key, what, expected="a name that anybody may read")


def repo_names_twice(sources: tuple[SourceConfig, ...]) -> str | None:
    """A repository's name that two tables give: its commits would be documents twice."""
    names = [repo.name for source in sources for repo in source.repos]
    return next((name for n, name in enumerate(names) if name in names[:n]), None)


def _check_options(place: Place, kind: str, values: Mapping[str, Any]) -> None:
    for key, value in values.items():
        kinds = [name for name, keys in _OPTIONS.items() if key in keys]
        if kinds and kind not in kinds and value:
            what = (
                f"only sources of kind {kinds[0]!r} have {key}"
                if len(kinds) == 1
                else f"sources of kind {kind!r} have no {key}"
            )
            raise place.refuse(key, what, expected="one of " + ", ".join(_OPTIONS[kind]))


def _relative(place: Place, key: str, glob: str, root: str | None) -> str:
    """The glob below root: absolute paths have no place in a store that others check out."""
    if _has_drive(glob):
        raise place.refuse(key, f"{key} has an absolute path", expected="a glob relative to root")
    if root is not None and os.path.isabs(glob):
        for base in (os.path.abspath(root), files.realpath(root)):
            if base != os.sep and glob.startswith(base + os.sep):
                return glob[len(base) :]
    return glob


def _repos(place: Place, listed: list[Any], root: str | None) -> Iterator[Repo]:
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
    if os.path.isabs(path) or _has_drive(path):
        what = "repos has an absolute path out of root"
        raise place.refuse("repos", what, expected="a folder relative to root", found=repr(path))
    plain = posixpath.normpath(path)
    if plain.split("/")[0] == "..":
        what = "repos leads out of root: only what lies below root is read"
        raise place.refuse("repos", what, expected="a folder below root", found=repr(path))
    return plain


def _has_drive(path: str) -> bool:
    """Whether a path is an absolute one of Windows, wherever this runs."""
    return path[1:3] in (":/", ":\\") and path[0].isascii() and path[0].isalpha()


def _is_repo_name(name: str) -> bool:
    return (
        0 < len(name) <= _LONGEST_REPO_NAME
        and name.isprintable()
        and name == name.strip()
        and "#" not in name
    )
