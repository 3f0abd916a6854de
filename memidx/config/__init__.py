"""Which settings are in force, and where did each come from?

`memidx.toml`, else `[tool.memidx]` of `pyproject.toml`, in one folder; over it the environment
(`MEMIDX_K1=1.2`). Which keys there are is in `memidx.config.schema`, what a source may be told in
`memidx.config.sources`.
"""

from __future__ import annotations

import os.path

from memidx import files
from memidx.config.schema import ENV_NAMES, SCHEMA, TABLES, Place, Rule, checked
from memidx.config.sources import (
    DEFAULT_INCLUDE,
    DEFAULT_SOURCE,
    Repo,
    SourceConfig,
    read_source,
    repo_names_twice,
    source_from_dict,
    source_to_dict,
)
from memidx.errors import ConfigError, FileError
from memidx.light import TYPE_CHECKING, pattern
from memidx.values import Value, replace

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

__all__ = [
    "CONFIG_FILES",
    "DEFAULT_INCLUDE",
    "DEFAULT_SOURCE",
    "AnalysisConfig",
    "Config",
    "LogConfig",
    "Repo",
    "SearchConfig",
    "SourceConfig",
    "effective_sources",
    "find_config_root",
    "load_config",
    "parse_config",
    "source_from_dict",
    "source_to_dict",
]

CONFIG_FILES = ("memidx.toml", "pyproject.toml")
# What a variable may say instead of `true` and `false`.
_SWITCHES = {"1": True, "true": True, "0": False, "false": False}


class AnalysisConfig(Value):
    """`[analysis]`."""

    analyzer: str = "default"
    aliases: str | None = None


class SearchConfig(Value):
    """`[search]`: what turns matches into an order."""

    strategy: str = "lexical"
    k1: float = 1.5
    b: float = 0.75
    title_weight: float = 0.8
    lexical_weight: float = 0.7
    vector_weight: float = 0.3
    fusion: str = "weighted"
    min_score: float = 0.0
    calibration: str = "evals/calibration.json"
    calibration_drift: float = 0.0


class LogConfig(Value):
    """`[log]`: what is kept of the use, on this machine alone."""

    queries: bool = False


class Config(Value):
    """Everything memidx can be told, after defaults.

    Attributes:
        sources: In the order of the file; a file of the tree belongs to the first that takes it.
            Empty means "not configured": the built-in `docs` source over every markdown file.
        incremental_sed: Whether a build patches a single changed line by a sed script.
        file: Absolute path of the file it was read from, or None.
    """

    project_name: str = ""
    framework: str = ""
    store: str = "store"
    max_document_bytes: int = 2**20
    incremental_sed: bool = False
    analysis: AnalysisConfig = AnalysisConfig()
    search: SearchConfig = SearchConfig()
    log: LogConfig = LogConfig()
    sources: tuple[SourceConfig, ...] = ()
    file: str | None = None


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
    return _settled(_read(root), root, env)


def parse_config(contents: Mapping[str, bytes], root: str, *, env: Mapping[str, str]) -> Config:
    """The settings of a folder as it was, from the bytes of its configuration files.

    Args:
        contents: Name of a configuration file (`CONFIG_FILES`) -> its bytes.
        root: The folder; named in errors.
        env: As in `load_config`.

    Raises:
        ConfigError: As `load_config`.
    """
    for name in CONFIG_FILES:
        data = contents.get(name)
        if data is not None and (found := _parse(os.path.join(root, name), name, data)):
            return _settled(found, root, env)
    return _settled(None, root, env)


def _settled(
    found: tuple[Place, dict[str, Any]] | None, root: str, env: Mapping[str, str]
) -> Config:
    config = _override(_build(found, root) if found else Config(), env)
    if config.search.lexical_weight + config.search.vector_weight == 0:
        place = found[0]._replace(table="search") if found else Place(None, "")
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


# From file to settings


def _read(folder: str) -> tuple[Place, dict[str, Any]] | None:
    """The first of the two files that holds a configuration, and what it says."""
    for name in CONFIG_FILES:
        path = os.path.join(folder, name)
        try:
            data = files.read_bytes(path)
        except FileError as error:
            # What cannot be read is not absent: other sources must not be taken in its place.
            if files.is_missing(error) or files.is_dir(path):
                continue
            raise
        if found := _parse(path, name, data):
            return found
    return None


def _parse(path: str, name: str, data: bytes) -> tuple[Place, dict[str, Any]] | None:
    """What one of the two files says; None where it is not about memidx."""
    if name == "pyproject.toml" and b"memidx" not in data:
        return None
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
        at = pattern(r"at line (\d+)").search(reason)
        raise ConfigError(
            f"is not TOML: {reason}", path=path, line=int(at[1]) if at else None
        ) from error
    if name == "memidx.toml":
        return Place(path, text), values
    tool = values.get("tool")
    section = tool.get("memidx") if isinstance(tool, dict) else None
    if section is not None:
        place = Place(path, text)
        if not isinstance(section, dict):
            raise place.refuse("memidx", "[tool.memidx] is not a table")
        return place, section
    return None


def _build(found: tuple[Place, dict[str, Any]], root: str) -> Config:
    place, values = found
    plain = checked(place, {key: values[key] for key in values if key not in TABLES})
    analysis = AnalysisConfig(
        **checked(place._replace(table="analysis"), values.get("analysis", {}))
    )
    search = SearchConfig(**checked(place._replace(table="search"), values.get("search", {})))
    log = LogConfig(**checked(place._replace(table="log"), values.get("log", {})))
    tables = values.get("sources", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise place.refuse("sources", "sources is not a list of tables", expected="[[sources]]")
    sources: list[SourceConfig] = []
    for nth, table in enumerate(tables):
        here = place._replace(table="sources", nth=nth)
        source = read_source(here, table, root)
        if any(other.name == source.name for other in sources):
            raise here.refuse("name", f"there are two sources named {source.name!r}")
        sources.append(source)
        twice = repo_names_twice(tuple(sources))
        if twice is not None:
            raise here.refuse("repos", f"there are two repositories named {twice!r}")
    return Config(
        **plain,
        analysis=analysis,
        search=search,
        log=log,
        sources=tuple(sources),
        file=place.file,
    )


def _override(config: Config, env: Mapping[str, str]) -> Config:
    """The settings with those of the environment over them; sources are not set there."""
    for table in ("", *TABLES[:-1]):
        changed: dict[str, Any] = {}
        for key, rule in SCHEMA[table].items():
            name = ENV_NAMES.get((table, key), f"MEMIDX_{key.upper()}")
            text = env.get(name)
            if text:
                changed[key] = _from_text(name, text, rule)
        if changed and table:
            config = replace(config, **{table: replace(getattr(config, table), **changed)})
        elif changed:
            config = replace(config, **changed)
    return config


def _from_text(name: str, text: str, rule: Rule) -> Any:
    value: Any = text
    try:
        if float in rule.types:
            value = float(text)
        elif int in rule.types:
            value = int(text)
        elif bool in rule.types:
            value = _SWITCHES.get(text.strip().lower())
    except ValueError:
        value = None
    if value is None or not rule.valid(value):
        what = f"{name} cannot have this value"
        expected = "1 or 0, true or false" if bool in rule.types else rule.expected
        raise ConfigError(what, expected=expected, found=repr(text))
    return value
