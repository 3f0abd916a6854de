"""What does a configuration file say, or a variable of the environment?"""

from __future__ import annotations

import os.path

from memidx.config import (
    CONFIG_FILES,
    AnalysisConfig,
    Config,
    LogConfig,
    SearchConfig,
    SourceConfig,
    may_be_ours,
    settled,
)
from memidx.config.repos import repo_names_twice
from memidx.config.schema import TABLES, Place, Rule, checked, read_source
from memidx.errors import ConfigError
from memidx.light import TYPE_CHECKING, pattern

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from memidx.config import Notes

# What a variable may say instead of `true` and `false`.
_SWITCHES = {"1": True, "true": True, "0": False, "false": False}


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
        if data is None or not may_be_ours(name, data):
            continue
        if found := parse(os.path.join(root, name), name, data):
            return settled(found, root, env)
    return settled(None, root, env)


def read(
    path: str, name: str, data: bytes, notes: Notes | None
) -> tuple[Place, dict[str, Any]] | None:
    """`parse`, or what is remembered of the very bytes.

    To load `tomllib` takes a process that asks one question longer than the search.
    """
    if notes is None:
        return parse(path, name, data)
    noted = notes.find(name, data)
    if noted is None:
        found = parse(path, name, data)
        notes.keep(name, data, found and found[1])
        return found
    (values,) = noted
    return None if values is None else (Place(path, data.decode("utf-8", "replace")), values)


def parse(path: str, name: str, data: bytes) -> tuple[Place, dict[str, Any]] | None:
    """What one of the two files says; None where it is not about memidx."""
    # Not for a variable, and not for the files of others.
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


def build(found: tuple[Place, dict[str, Any]], root: str) -> Config:
    """The settings that a file's values make, each held against its rule."""
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


def from_text(name: str, text: str, rule: Rule) -> Any:
    """The value that a variable's text stands for."""
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
