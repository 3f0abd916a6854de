"""Which settings are in force, and where did each come from?

`memidx.toml`, else `[tool.memidx]` of `pyproject.toml`, in one folder; over it the environment
(`MEMIDX_K1=1.2`). Which keys there are is in `memidx.config.schema`; what a file or a variable says
is read by `memidx.config.parsing`.
"""

from __future__ import annotations

import os.path

from memidx import files
from memidx.config.schema import (
    DEFAULT_INCLUDE,
    DEFAULT_SOURCE,
    ENV_NAMES,
    SCHEMA,
    TABLES,
    Place,
    Repo,
    SourceConfig,
    source_from_dict,
    source_to_dict,
)
from memidx.errors import ConfigError, FileError
from memidx.light import TYPE_CHECKING
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
    "source_from_dict",
    "source_to_dict",
]

CONFIG_FILES = ("memidx.toml", "pyproject.toml")


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
    return settled(_read(root), root, env)


def settled(
    found: tuple[Place, dict[str, Any]] | None, root: str, env: Mapping[str, str]
) -> Config:
    """The settings that a file's values and the environment make; raises as `load_config`."""
    config = Config()
    if found:
        from memidx.config.parsing import build  # a project without a file does without

        config = build(found, root)
    config = _override(config, env)
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
        from memidx.config.parsing import parse  # see `settled`

        if found := parse(path, name, data):
            return found
    return None


def _override(config: Config, env: Mapping[str, str]) -> Config:
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
