"""Which settings are in force, and where did each come from?

`memidx.toml`, else `[tool.memidx]` of `pyproject.toml`, in one folder; over it the environment
(`MEMIDX_K1=1.2`). The schema is `_SCHEMA`: a key that is not in it is an error, because a setting
that silently does nothing is worse than none.
"""

from __future__ import annotations

import os.path
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from memidx import files
from memidx.errors import ConfigError

CONFIG_FILES = ("memidx.toml", "pyproject.toml")


@dataclass(frozen=True, slots=True)
class SourceConfig:
    """One `[[sources]]` table.

    Attributes:
        name: Unique.
        kind: `markdown` or `records` (others come later).
        include: Globs relative to root, gitignore syntax; a file must match one.
        exclude: Globs that take files out again.
        weight: Multiplies relevance; > 0.
        decay: Rate per day of the age penalty; 0 = evergreen.
        decay_floor: What the penalty never falls below, 0..1.
        fields: For `records`: which key holds id, title, text, time, tags.
    """

    name: str
    kind: str = "markdown"
    include: tuple[str, ...] = ("**",)
    exclude: tuple[str, ...] = ()
    weight: float = 1.0
    decay: float = 0.0
    decay_floor: float = 0.3
    fields: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AnalysisConfig:
    """`[analysis]`."""

    analyzer: str = "default"
    aliases: str | None = None


@dataclass(frozen=True, slots=True)
class SearchConfig:
    """`[search]`: what turns matches into an order."""

    strategy: str = "lexical"
    k1: float = 1.5
    b: float = 0.75
    title_weight: float = 0.8
    lexical_weight: float = 0.7
    vector_weight: float = 0.3
    fusion: str = "weighted"
    min_score: float = 0.0


@dataclass(frozen=True, slots=True)
class Config:
    """Everything memidx can be told, after defaults.

    Attributes:
        sources: In the order of the file; a file of the tree belongs to the first that takes it.
            Empty means "not configured": the built-in `docs` source over every markdown file.
        file: Absolute path of the file it was read from, or None.
    """

    project_name: str = ""
    framework: str = ""
    store: str = "store"
    max_document_bytes: int = 2**20
    analysis: AnalysisConfig = AnalysisConfig()
    search: SearchConfig = SearchConfig()
    sources: tuple[SourceConfig, ...] = ()
    file: str | None = None


DEFAULT_SOURCE = SourceConfig(name="docs", include=("**",))


def effective_sources(config: Config) -> tuple[SourceConfig, ...]:
    """The configured sources, or the built-in one over every markdown file."""
    return config.sources or (DEFAULT_SOURCE,)


def load_config(root: str, *, env: Mapping[str, str], explicit: bool = False) -> Config:
    """The settings of one folder.

    Args:
        root: The folder whose `memidx.toml` or `pyproject.toml` counts.
        env: The environment; `MEMIDX_` and the upper-case name of a single-valued key overrides it.
        explicit: The caller named this folder, so that it has to exist.

    Raises:
        ConfigError: Not TOML, an unknown key, a value that a key cannot have, a source given twice.
    """
    if explicit and not files.is_dir(root):
        raise ConfigError("is not a folder", path=root)
    found = _read(root)
    config = _override(_build(found, root) if found else Config(), env)
    if config.search.lexical_weight + config.search.vector_weight == 0:
        place = found[0]._replace(table="search") if found else _Place(None, "")
        raise place.refuse("lexical_weight", "lexical_weight and vector_weight are both 0")
    return config


def find_config_root(start: str) -> str | None:
    """The nearest folder at or above `start` with a configuration, not above a repository's."""
    folder = os.path.abspath(start)
    while True:
        if _read(folder) is not None:
            return folder
        parent = os.path.dirname(folder)
        if parent == folder or files.exists(os.path.join(folder, ".git")):
            return None
        folder = parent


def source_to_dict(source: SourceConfig) -> dict[str, Any]:
    """A source for the manifest: every key that differs from its default, in a fixed order."""
    values: dict[str, Any] = {"name": source.name, "kind": source.kind}
    for key in _SCHEMA["sources"]:
        value = getattr(source, key)
        if key == "include" or value != getattr(DEFAULT_SOURCE, key):
            values[key] = list(value) if isinstance(value, tuple) else value
    if source.fields:
        values["fields"] = dict(sorted(source.fields.items()))
    return values


def source_from_dict(values: Mapping[str, Any]) -> SourceConfig:
    """The source that `source_to_dict` wrote; keys of a later version are left aside.

    Raises:
        ConfigError: A value that no source can have.
    """
    known = {key: value for key, value in values.items() if key in _SCHEMA["sources"]}
    return _source(_Place(None, "", "sources", 0), known, None)


# The schema


class _Rule(NamedTuple):
    """What a key takes: a check that is only called with the right type, and how to say it."""

    types: tuple[type, ...]
    expected: str
    valid: Callable[[Any], bool] = lambda value: True


_TEXT = _Rule((str,), "text")
_NAME = _Rule(
    (str,),
    "a name of letters, digits, `_`, `-` and `.`",
    lambda value: re.fullmatch(r"\w[\w.-]{0,63}", value) is not None,
)
_POSITIVE = _Rule((int, float), "a number above 0", lambda value: 0 < value < 1e300)
_NOT_NEGATIVE = _Rule((int, float), "a number of 0 or more", lambda value: 0 <= value < 1e300)
_SHARE = _Rule((int, float), "a number from 0 to 1", lambda value: 0 <= value <= 1)


def _path_rule(expected: str) -> _Rule:
    return _Rule((str,), expected, lambda value: bool(value.strip()) and "\0" not in value)


def _choice(*names: str) -> _Rule:
    return _Rule((str,), "one of " + ", ".join(names), lambda value: value in names)


_PATTERNS = _Rule(
    (list,),
    "a list of globs relative to root",
    lambda value: all(isinstance(glob, str) and glob.strip() for glob in value),
)
_KINDS = ("markdown", "records")
_KIND_NAMES = " or ".join(_KINDS)
_LATER_KINDS = ("changelog", "git", "openapi", "code", "sql")
_FIELDS = ("id", "title", "text", "time", "tags")
_SCHEMA: dict[str, dict[str, _Rule]] = {
    "": {
        "project_name": _TEXT,
        "framework": _TEXT,
        "store": _path_rule("a path"),
        "max_document_bytes": _Rule((int,), "a whole number above 0", lambda value: value > 0),
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
    },
    "sources": {
        "name": _NAME,
        "kind": _TEXT,
        "include": _PATTERNS,
        "exclude": _PATTERNS,
        "weight": _POSITIVE,
        "decay": _NOT_NEGATIVE,
        "decay_floor": _SHARE,
        "fields": _Rule(
            (dict,),
            "a table of " + ", ".join(_FIELDS) + " to the names of a record's fields",
            lambda value: all(isinstance(name, str) and name for name in value.values()),
        ),
    },
}
_TABLES = ("analysis", "search", "sources")


# From file to settings


class _Place(NamedTuple):
    """Where a value was written, for messages: file, its text, table, and which of several."""

    file: str | None
    text: str
    table: str = ""
    nth: int = 0

    def refuse(self, key: str, what: str, **details: str | None) -> ConfigError:
        from memidx.text.toml_lines import line_of_key  # only on the way to an error

        prefix = "tool.memidx" if self.file and self.file.endswith("pyproject.toml") else ""
        line = line_of_key(self.text, key, table=self.table, nth=self.nth, prefix=prefix)
        return ConfigError(what, path=self.file, line=line, **details)


def _read(folder: str) -> tuple[_Place, dict[str, Any]] | None:
    """The first of the two files that holds a configuration, and what it says."""
    for name in CONFIG_FILES:
        path = os.path.join(folder, name)
        if not files.is_file(path):
            continue
        data = files.read_bytes(path)
        if name == "pyproject.toml" and b"memidx" not in data:
            continue
        # Loaded only when there is a file to read: a query without one never needs them.
        import tomllib

        from memidx.text.decode import Undecodable, decode

        try:
            text = decode(data)
            values = tomllib.loads(text)
        except Undecodable as error:
            raise ConfigError(f"cannot be read: {error.reason}", path=path) from error
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            reason = str(error) or "nested too deep"
            at = re.search(r"at line (\d+)", reason)
            raise ConfigError(
                f"is not TOML: {reason}", path=path, line=int(at[1]) if at else None
            ) from error
        if name == "memidx.toml":
            return _Place(path, text), values
        tool = values.get("tool")
        section = tool.get("memidx") if isinstance(tool, dict) else None
        if section is not None:
            place = _Place(path, text)
            if not isinstance(section, dict):
                raise place.refuse("memidx", "[tool.memidx] is not a table")
            return place, section
    return None


def _build(found: tuple[_Place, dict[str, Any]], root: str) -> Config:
    place, values = found
    plain = _checked(place, {key: values[key] for key in values if key not in _TABLES})
    analysis = AnalysisConfig(
        **_checked(place._replace(table="analysis"), values.get("analysis", {}))
    )
    search = SearchConfig(**_checked(place._replace(table="search"), values.get("search", {})))
    tables = values.get("sources", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise place.refuse("sources", "sources is not a list of tables", expected="[[sources]]")
    sources: list[SourceConfig] = []
    for nth, table in enumerate(tables):
        here = place._replace(table="sources", nth=nth)
        source = _source(here, table, root)
        if any(other.name == source.name for other in sources):
            raise here.refuse("name", f"there are two sources named {source.name!r}")
        sources.append(source)
    return Config(
        **plain, analysis=analysis, search=search, sources=tuple(sources), file=place.file
    )


def _source(place: _Place, table: Mapping[str, Any], root: str | None) -> SourceConfig:
    values = _checked(place, table)
    if "name" not in values:
        raise place.refuse("", "a source has no name", expected='name = "…"')
    kind = values.get("kind", "markdown")
    if kind in _LATER_KINDS:
        raise place.refuse("kind", f"sources of kind {kind!r} come later", expected=_KIND_NAMES)
    if kind not in _KINDS:
        raise place.refuse("kind", "unknown kind of source", expected=_KIND_NAMES, found=repr(kind))
    if kind != "records" and values.get("fields"):
        raise place.refuse("fields", "only sources of kind 'records' have fields")
    for key in set(values.get("fields", ())).difference(_FIELDS):
        raise _unknown(place._replace(table="sources.fields"), key, _FIELDS)
    for key in ("include", "exclude"):
        if key in values:
            patterns = tuple(_relative(place, key, glob, root) for glob in values[key])
            values[key] = patterns
            if key == "include" and not patterns:
                raise place.refuse(key, "include is empty", expected="at least one glob")
    return SourceConfig(**values)


def _relative(place: _Place, key: str, glob: str, root: str | None) -> str:
    """The glob below root: absolute paths have no place in a store that others check out."""
    if re.match(r"[A-Za-z]:[\\/]", glob):
        raise place.refuse(key, f"{key} has an absolute path", expected="a glob relative to root")
    if root is not None and os.path.isabs(glob):
        for base in (os.path.abspath(root), files.realpath(root)):
            if base != os.sep and glob.startswith(base + os.sep):
                return glob[len(base) :]
    return glob


def _checked(place: _Place, values: Any) -> dict[str, Any]:
    """The values of one table, each against its rule."""
    rules = _SCHEMA[place.table]
    if not isinstance(values, dict):
        above = place._replace(table="")
        raise above.refuse(place.table, f"{place.table} is not a table", found=repr(values)[:80])
    for key, value in values.items():
        rule = rules.get(key)
        if rule is None:
            raise _unknown(place, key, (*rules, *(() if place.table else _TABLES)))
        right = isinstance(value, rule.types) and not isinstance(value, bool)
        if not right or not rule.valid(value):
            what = f"{key} cannot have this value"
            raise place.refuse(key, what, expected=rule.expected, found=repr(value)[:80])
    return {key: float(v) if float in rules[key].types else v for key, v in values.items()}


def _unknown(place: _Place, key: str, known: tuple[str, ...]) -> ConfigError:
    # Loaded only on the way to an error.
    import difflib

    home = {name: f" in [{table}]" for table in ("search", "analysis") for name in _SCHEMA[table]}
    home.update((name, "") for name in known)
    near = difflib.get_close_matches(key, home, n=1, cutoff=0.6)
    return place.refuse(
        key,
        f"unknown key {key!r}" + (f" in [{place.table}]" if place.table else ""),
        expected="one of " + ", ".join(known),
        hint=f"did you mean {near[0]!r}{home[near[0]]}?" if near else None,
    )


def _override(config: Config, env: Mapping[str, str]) -> Config:
    """The settings with those of the environment over them; sources are not set there."""
    for table in ("", "analysis", "search"):
        changed: dict[str, Any] = {}
        for key, rule in _SCHEMA[table].items():
            text = env.get(f"MEMIDX_{key.upper()}")
            if text:
                changed[key] = _from_text(f"MEMIDX_{key.upper()}", text, rule)
        if changed and table:
            config = replace(config, **{table: replace(getattr(config, table), **changed)})
        elif changed:
            config = replace(config, **changed)
    return config


def _from_text(name: str, text: str, rule: _Rule) -> Any:
    value: Any = text
    try:
        if float in rule.types:
            value = float(text)
        elif int in rule.types:
            value = int(text)
    except ValueError:
        value = None
    if value is None or not rule.valid(value):
        what = f"{name} cannot have this value"
        raise ConfigError(what, expected=rule.expected, found=repr(text))
    return value
