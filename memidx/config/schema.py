"""What may be set, and to what?

A rule a key, and how a table of values is held against its rules. A key without a rule is an error,
because a setting that silently does nothing is worse than none. What one source may be told is
here in full: the keys of its kind, globs and folders below root. A search in a project that says
nothing loads none of this.
"""

from __future__ import annotations

import os.path

from memidx import files
from memidx.config import DEFAULT_INCLUDE, Config, SourceConfig
from memidx.errors import ConfigError
from memidx.light import TYPE_CHECKING, pattern
from memidx.values import NamedTuple, replace

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


class Rule(NamedTuple):
    """What a key takes: a check that is only called with the right type, and how to say it."""

    types: tuple[type, ...]
    expected: str
    valid: Callable[[Any], bool] = lambda value: True


class Place(NamedTuple):
    """Where a value was written, for messages: file, its text, table, and which of several."""

    file: str | None
    text: str
    table: str = ""
    nth: int = 0

    def refuse(self, key: str, what: str, **details: str | None) -> ConfigError:
        """The error about a key of this place, with its line where that can be found."""
        from memidx.text.toml_lines import line_of_key  # only on the way to an error

        prefix = "tool.memidx" if self.file and self.file.endswith("pyproject.toml") else ""
        line = line_of_key(self.text, key, table=self.table, nth=self.nth, prefix=prefix)
        return ConfigError(what, path=self.file, line=line, **details)


def _path_rule(expected: str) -> Rule:
    return Rule((str,), expected, lambda value: bool(value.strip()) and "\0" not in value)


def _choice(*names: str) -> Rule:
    return Rule((str,), "one of " + ", ".join(names), lambda value: value in names)


FIELDS = ("id", "title", "text", "time", "tags")
TABLES = ("analysis", "search", "log", "sources")
# Variables that are not named after the key alone.
ENV_NAMES = {("log", "queries"): "MEMIDX_QUERY_LOG"}

_TEXT = Rule((str,), "text")
_NAME = Rule(
    (str,),
    "a name of letters, digits, `_`, `-` and `.`",
    lambda value: (
        0 < len(value) <= 64
        and value[0] not in ".-"
        and all(character.isalnum() or character in "_.-" for character in value)
    ),
)
_SWITCH = Rule((bool,), "true or false")
_POSITIVE = Rule((int, float), "a number above 0", lambda value: 0 < value < 1e300)
_NOT_NEGATIVE = Rule((int, float), "a number of 0 or more", lambda value: 0 <= value < 1e300)
_SHARE = Rule((int, float), "a number from 0 to 1", lambda value: 0 <= value <= 1)
_PATTERNS = Rule(
    (list,),
    "a list of globs relative to root",
    lambda value: all(isinstance(glob, str) and glob.strip() for glob in value),
)
# No range, no path in a tree, no search, no place of a reflog: one commit, the same everywhere.
_REVISION = Rule(
    (str,),
    "one revision: a commit, a tag or a branch, without blanks, `..`, `:` and `@{`",
    lambda value: (
        pattern(r"(?![-/^~])[^\s\0-\x1f\x7f:?*\[\\]{1,250}").fullmatch(value) is not None
        and ".." not in value
        and "@{" not in value
    ),
)
SCHEMA: Mapping[str, Mapping[str, Rule]] = {
    "": {
        "project_name": _TEXT,
        "framework": _TEXT,
        "store": _path_rule("a path"),
        "max_document_bytes": Rule((int,), "a whole number above 0", lambda value: value > 0),
        "incremental_sed": _SWITCH,
    },
    "analysis": {
        "analyzer": _choice("default", "ascii-compat"),
        "aliases": _path_rule("a path"),
    },
    "search": {
        "strategy": _choice("lexical", "vector", "hybrid"),
        "k1": _NOT_NEGATIVE,
        "b": _SHARE,
        "title_weight": _NOT_NEGATIVE,
        "lexical_weight": _NOT_NEGATIVE,
        "vector_weight": _NOT_NEGATIVE,
        "fusion": _choice("weighted", "rrf"),
        "min_score": _SHARE,
        "calibration": _path_rule("a path"),
        "calibration_drift": _SHARE,
    },
    "log": {"queries": _SWITCH},
    "sources": {
        "name": _NAME,
        "kind": _TEXT,
        "include": _PATTERNS,
        "exclude": _PATTERNS,
        "weight": _POSITIVE,
        "decay": _NOT_NEGATIVE,
        "decay_floor": _SHARE,
        "fields": Rule(
            (dict,),
            "a table of " + ", ".join(FIELDS) + " to the names of a record's fields",
            lambda value: all(isinstance(name, str) and name for name in value.values()),
        ),
        "repos": Rule(
            (list,),
            "a list of folders relative to root, each a path or {name = …, path = …}",
            lambda value: all(isinstance(repo, str | dict) for repo in value),
        ),
        "until": _REVISION,
    },
}
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
_SHORTEST_SECRET = 20


def checked(place: Place, values: Any) -> dict[str, Any]:
    """The values of one table, each against its rule.

    Raises:
        ConfigError: No table, an unknown key, or a value that a key cannot have.
    """
    rules = SCHEMA[place.table]
    if not isinstance(values, dict):
        above = place._replace(table="")
        raise above.refuse(place.table, f"{place.table} is not a table", found=repr(values)[:80])
    for key, value in values.items():
        rule = rules.get(key)
        if rule is None:
            raise unknown(place, key, (*rules, *(() if place.table else TABLES)))
        # A bool is an int, but no number.
        right = isinstance(value, rule.types) and isinstance(value, bool) == (bool in rule.types)
        if not right or not rule.valid(value):
            what = f"{key} cannot have this value"
            raise place.refuse(key, what, expected=rule.expected, found=repr(value)[:80])
    return {key: float(v) if float in rules[key].types else v for key, v in values.items()}


def override(config: Config, env: Mapping[str, str]) -> Config:
    """The settings with those of the environment over them; sources are not set there."""
    for table in ("", *TABLES[:-1]):
        changed: dict[str, Any] = {}
        for key, rule in SCHEMA[table].items():
            name = ENV_NAMES.get((table, key), f"MEMIDX_{key.upper()}")
            text = env.get(name)
            if text:
                from memidx.config.parsing import from_text  # few variables are set

                changed[key] = from_text(name, text, rule)
        if changed and table:
            config = replace(config, **{table: replace(getattr(config, table), **changed)})
        elif changed:
            config = replace(config, **changed)
    return config


def unknown(place: Place, key: str, known: tuple[str, ...]) -> ConfigError:
    """The error about a key that is none of the known ones, with the nearest of them."""
    # Loaded only on the way to an error.
    import difflib

    home = {name: f" in [{table}]" for table in TABLES[:-1] for name in SCHEMA[table]}
    home.update((name, "") for name in known)
    near = difflib.get_close_matches(key, home, n=1, cutoff=0.6)
    return place.refuse(
        key,
        f"unknown key {key!r}" + (f" in [{place.table}]" if place.table else ""),
        expected="one of " + ", ".join(known),
        hint=f"did you mean {near[0]!r}{home[near[0]]}?" if near else None,
    )


def stored_source(values: Mapping[str, Any]) -> SourceConfig:
    """The source that `memidx.config.source_to_dict` wrote; keys of a later version are left aside.

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
        from memidx.config.repos import read_repos  # few sources are repositories

        values["repos"] = tuple(read_repos(place, values.get("repos", ["."]), root))
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
    if has_drive(glob):
        raise place.refuse(key, f"{key} has an absolute path", expected="a glob relative to root")
    if root is not None and os.path.isabs(glob):
        for base in (os.path.abspath(root), files.realpath(root)):
            if base != os.sep and glob.startswith(base + os.sep):
                return glob[len(base) :]
    return glob


def has_drive(path: str) -> bool:
    """Whether a path is an absolute one of Windows, wherever this runs."""
    return path[1:3] in (":/", ":\\") and path[0].isascii() and path[0].isalpha()
