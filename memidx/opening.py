"""Which store, which root and which configuration does a call mean?

Root is the folder documents' paths are relative to. A store does not say where it is: a caller
does, or `.cache/root`, or the store's place beside its documents.
"""

from __future__ import annotations

import contextlib
import os.path
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memidx import files
from memidx.analysis import get_analyzer
from memidx.analysis.base import Analyzer
from memidx.config import (
    DEFAULT_SOURCE,
    Config,
    SourceConfig,
    find_config_root,
    load_config,
    source_from_dict,
    source_to_dict,
)
from memidx.errors import ConfigError, FileError, InputError, MemidxError
from memidx.snapshot.cache import Cache
from memidx.snapshot.workspace import Workspace, settings_key

if TYPE_CHECKING:
    from memidx.store.manifest import Manifest


@dataclass(frozen=True, slots=True)
class Opened:
    """A store, and everything that was decided about it.

    Attributes:
        workspace: Store, root, sources.
        config: Settings in force.
        cache: Where derived files live.
        home: Folder the configuration was looked for in.
        watch: Configuration file -> its signature when it was read, to see when it changes.
    """

    workspace: Workspace
    config: Config
    cache: Cache
    home: str
    watch: Mapping[str, files.Signature | None]


def open_store(store: str | None, root: str | None, env: Mapping[str, str]) -> Opened:
    """Resolve a call that reads a store.

    Args:
        store: Path; None takes the configured store of root, or of the nearest configuration at
            or above the working folder.
        root: Path; None lets the store say.
        env: The environment.

    Raises:
        InputError: Root is not a folder.
        ConfigError: The configuration cannot be used.
    """
    if store is None:
        base = root or find_config_root(files.working_folder()) or files.working_folder()
        store = os.path.join(base, load_config(base, env=env).store)
    place = _absolute(store)
    cache = Cache(place, env)
    known = _folder(root) if root is not None else _root_of(place, cache, env)
    home = known or os.path.dirname(place)
    config = load_config(home, env=env)
    sources = config.sources or _stored_sources(place) or (DEFAULT_SOURCE,)
    workspace = make_workspace(place, known, sources, config, env)
    return Opened(workspace, config, cache, home, watch_config(home))


def open_for_build(
    paths: Sequence[str], root: str | None, store: str | None, env: Mapping[str, str]
) -> Opened:
    """Resolve a call that writes a store.

    Args:
        paths: Files and folders to index; empty takes everything the sources take.
        root: Path; None takes the one folder of `paths` or the parent they share, else the
            configuration's folder, else the working folder.
        store: Path; None takes the configured one.

    Raises:
        InputError: A path is not there or lies outside root, or paths and configured sources
            are both given.
    """
    given = [_existing(path) for path in paths]
    if root is not None:
        base = _folder(root)
    elif given:
        base = _shared_folder(given)
    elif store is not None:
        # With --store the working folder's configuration has no say.
        beside = os.path.dirname(_absolute(store))
        base = beside if _has_config(beside, env) else _absolute(files.working_folder())
    else:
        here = files.working_folder()
        base = _absolute(find_config_root(here) or here)
    config = load_config(base, env=env)
    place = _absolute(store if store is not None else os.path.join(base, config.store))
    narrowed = [path for path in given if path != base]
    if narrowed and config.sources:
        raise ConfigError(
            "paths are given, but the sources are configured",
            path=config.file,
            hint="leave the paths out, or give the folder that holds the configuration",
        )
    if narrowed:
        include = tuple(_include(path, base) for path in narrowed)
        sources: tuple[SourceConfig, ...] = (SourceConfig(DEFAULT_SOURCE.name, include=include),)
    else:
        sources = config.sources or (DEFAULT_SOURCE,)
    workspace = make_workspace(place, base, sources, config, env)
    return Opened(workspace, config, Cache(place, env), base, watch_config(base))


def make_workspace(
    store: str,
    root: str | None,
    sources: tuple[SourceConfig, ...],
    config: Config,
    env: Mapping[str, str],
) -> Workspace:
    """A workspace with the key of its settings."""
    definitions = [source_to_dict(source) for source in sources]
    return Workspace(
        store=store,
        root=root,
        sources=sources,
        settings=settings_key(definitions, config.max_document_bytes),
        max_bytes=config.max_document_bytes,
        own=(store,),
        env=env,
    )


def analyzer_for(opened: Opened, name: str | None = None) -> Analyzer:
    """The analyzer a caller named, else the configured one."""
    return get_analyzer(name or opened.config.analysis.analyzer)


def manifest_of(opened: Opened) -> Manifest:
    """The manifest a build of this workspace writes, but for the shards."""
    from memidx.store.manifest import Manifest  # a search writes none

    return Manifest(
        project_name=opened.config.project_name,
        framework=opened.config.framework,
        sources=tuple(source_to_dict(source) for source in opened.workspace.sources),
    )


def watch_config(folder: str) -> dict[str, files.Signature | None]:
    """Signatures of the files a configuration in `folder` can come from."""
    paths = (os.path.join(folder, name) for name in ("memidx.toml", "pyproject.toml"))
    return {path: files.signature(path) for path in paths}


def _root_of(store: str, cache: Cache, env: Mapping[str, str]) -> str | None:
    """Root of a store whose caller named none, or None when it cannot be told.

    A root that was recorded while the store was where it is now is believed, even when nothing is
    left below it. A store that was moved or cloned is believed to lie among its documents only if
    at least one of them is there: else an empty folder would empty the index.
    """
    recorded = cache.read_root()
    if recorded is not None and recorded[1]:
        return recorded[0]
    candidates = [os.path.dirname(store)]
    if recorded is not None:
        candidates.insert(0, recorded[0])
    # Root is recorded as a rule; only a clone's or a moved store's first search gets here.
    from memidx.snapshot.look import read_content

    try:
        lines = read_content(store).lines
    except MemidxError:
        return None
    for candidate in candidates:
        if (
            not lines
            or any(_is_below(candidate, line) for line in lines.values())
            or _feeds(candidate, store, lines, env)
        ):
            # Where it cannot be recorded, the next call has to find out again.
            with contextlib.suppress(FileError):
                cache.write_root(candidate)
            return candidate
    return None


def _is_below(root: str, line: bytes) -> bool:
    from memidx.store.line import DamagedLine, decode_line  # see _root_of

    try:
        return files.exists(os.path.join(root, decode_line(line).path))
    except DamagedLine:
        return False


def _feeds(root: str, store: str, doc_ids: Collection[str], env: Mapping[str, str]) -> bool:
    """Whether a feed of the stored sources, read from root, knows one of the documents."""
    from memidx.sources import FEED_KINDS  # see _root_of

    return any(
        FEED_KINDS[source.kind].is_at_home(source, root, doc_ids, env)
        for source in _stored_sources(store)
        if source.kind in FEED_KINDS
    )


def _stored_sources(store: str) -> tuple[SourceConfig, ...]:
    from memidx.store.reader import read_manifest  # not where the sources are configured

    try:
        definitions = read_manifest(store).sources
    except MemidxError:
        # Whoever reads the store next says what is wrong with it.
        return ()
    return tuple(source_from_dict(definition) for definition in definitions)


def _has_config(folder: str, env: Mapping[str, str]) -> bool:
    return load_config(folder, env=env).file is not None


def _include(path: str, root: str) -> str:
    """A glob that takes exactly one file or one folder; what is special in it is escaped."""
    relative = os.path.relpath(path, root).replace(os.sep, "/")
    escaped = "".join(f"\\{c}" if c in "*?[]!#\\ " else c for c in relative)
    return f"/{escaped}/**" if files.is_dir(path) else f"/{escaped}"


def _shared_folder(paths: Sequence[str]) -> str:
    folders = [path if files.is_dir(path) else os.path.dirname(path) for path in paths]
    return os.path.commonpath(folders)


def _existing(path: str) -> str:
    place = _absolute(path)
    if not files.exists(place):
        raise InputError(
            "there is no such file or folder", path=path, hint="check the path to build from"
        )
    return place


def _folder(path: str) -> str:
    place = _absolute(path)
    if not files.is_dir(place):
        raise InputError(
            "root is not a folder", path=path, hint="give an existing folder to --root"
        )
    return place


def _absolute(path: str) -> str:
    """Absolute path with links resolved: containment is judged by where things really are."""
    return files.realpath(path)
