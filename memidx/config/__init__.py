"""Which settings are in force, and where did each come from?

`memidx.toml`, else `[tool.memidx]` of `pyproject.toml`, in one folder; over it the environment
(`MEMIDX_K1=1.2`). Here is what can be told, with its defaults, which is all that a project without
a file and without variables needs. What a value may be is in `memidx.config.schema`; what a file or
a variable says is read by `memidx.config.parsing`.
"""

from __future__ import annotations

import os.path

from memidx import files
from memidx.errors import ConfigError, FileError
from memidx.light import TYPE_CHECKING
from memidx.values import Value, field

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Protocol

    from memidx.config.repos import Repo
    from memidx.config.schema import Place

    class Notes(Protocol):
        """Remembers what configuration files say."""

        def find(self, name: str, data: bytes) -> tuple[dict[str, Any] | None] | None:
            """What a file of these bytes says (None: not about memidx); None where unknown."""

        def keep(self, name: str, data: bytes, values: dict[str, Any] | None) -> None:
            """Remember it."""


__all__ = [
    "CONFIG_FILES",
    "DEFAULT_INCLUDE",
    "DEFAULT_SOURCE",
    "AnalysisConfig",
    "Config",
    "LogConfig",
    "SearchConfig",
    "SourceConfig",
    "effective_sources",
    "find_config_root",
    "load_config",
    "source_from_dict",
    "source_to_dict",
]

CONFIG_FILES = ("memidx.toml", "pyproject.toml")
# Which files a source takes that is not told; every one that its kind reads, where it is not here.
DEFAULT_INCLUDE: Mapping[str, tuple[str, ...]] = {
    # Most JSON and YAML files are something else, and each would be reported as such.
    "openapi": (
        *("openapi.*", "openapi[-_.]*", "*[-_.]openapi.*"),
        *("swagger.*", "swagger[-_.]*", "*[-_.]swagger.*"),
    ),
    # Not `**`: who names folders means the programs without a suffix in them, too.
    "code": ("*.py", "*.pyi", "*.sh", "*.bash"),
}


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


def load_config(
    root: str,
    *,
    env: Mapping[str, str],
    explicit: bool = False,
    notes: Callable[[], Notes] | None = None,
) -> Config:
    """The settings of one folder.

    Args:
        root: The folder whose `memidx.toml` or `pyproject.toml` counts.
        env: The environment; `MEMIDX_` and the upper-case name of a single-valued key overrides it.
        explicit: The caller named this folder, so that it has to exist.
        notes: Gives what remembers what files say.

    Raises:
        ConfigError: Not TOML, an unknown key, a value that a key cannot have, a source given twice.
    """
    if explicit and not files.is_dir(root):
        raise ConfigError("is not a folder", path=root)
    return settled(_read(root, notes), root, env)


def settled(
    found: tuple[Place, dict[str, Any]] | None, root: str, env: Mapping[str, str]
) -> Config:
    """The settings that a file's values and the environment make; raises as `load_config`."""
    config = Config()
    if found:
        from memidx.config.parsing import build  # a project without a file does without

        config = build(found, root)
    if any(name.startswith("MEMIDX_") for name in env):
        from memidx.config.schema import override  # few variables are set

        config = override(config, env)
    if config.search.lexical_weight + config.search.vector_weight == 0:
        from memidx.config.schema import Place  # only on the way to an error

        place = found[0]._replace(table="search") if found else Place(None, "")
        raise place.refuse("lexical_weight", "lexical_weight and vector_weight are both 0")
    return config


# Sources in a manifest


def source_to_dict(source: SourceConfig) -> dict[str, Any]:
    """A source for the manifest: every key that differs from its default, in a fixed order."""
    values: dict[str, Any] = {"name": source.name, "kind": source.kind}
    for key in SourceConfig.__match_args__:
        value = getattr(source, key)
        # Which files are meant is always said; repositories have none.
        if value != getattr(DEFAULT_SOURCE, key) or (key == "include" and source.kind != "git"):
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
    if values == _DEFAULT_DEFINITION:
        return DEFAULT_SOURCE
    from memidx.config.schema import stored_source  # most stores have but the built-in source

    return stored_source(values)


_DEFAULT_DEFINITION = source_to_dict(DEFAULT_SOURCE)


# From file to settings


def find_config_root(
    start: str, notes_of: Callable[[str], Callable[[], Notes]] | None = None
) -> str | None:
    """The nearest folder at or above `start` with a configuration, not above a repository's.

    Args:
        start: A folder.
        notes_of: Folder -> what gives what remembers what its files say.
    """
    folder = os.path.abspath(start)
    while True:
        if _read(folder, notes_of(folder) if notes_of else None) is not None:
            return folder
        parent = os.path.dirname(folder)
        if parent == folder or files.exists(os.path.join(folder, ".git")):
            return None
        folder = parent


def _read(
    folder: str, notes: Callable[[], Notes] | None = None
) -> tuple[Place, dict[str, Any]] | None:
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
        if not may_be_ours(name, data):
            continue
        from memidx.config.parsing import read  # see `settled`

        if found := read(path, name, data, notes() if notes else None):
            return found
    return None


def may_be_ours(name: str, data: bytes) -> bool:
    """Whether a configuration file may be about memidx: not one of another tool that never says so.

    Most projects of Python have one, and nothing is loaded, parsed or noted for it.
    """
    return name != "pyproject.toml" or b"memidx" in data
