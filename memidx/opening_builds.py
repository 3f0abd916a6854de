"""Which store, which root and which sources does a build mean?

Apart from `memidx.opening`, so that a search loads none of it.
"""

from __future__ import annotations

import os.path

from memidx import files
from memidx.config import (
    DEFAULT_SOURCE,
    SourceConfig,
    find_config_root,
    load_config,
    source_to_dict,
)
from memidx.errors import ConfigError, InputError
from memidx.light import TYPE_CHECKING
from memidx.opening import (
    Opened,
    absolute,
    existing_folder,
    make_workspace,
    open_store,
    stored_sources,
    watch_config,
)
from memidx.snapshot.cache import Cache
from memidx.snapshot.noted import Heard
from memidx.store import store_signature
from memidx.store.manifest import Manifest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any


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
    if not given and root is None and (again := _open_again(store, env)):
        return again
    if root is not None:
        base = existing_folder(root)
    elif given:
        base = _shared_folder(given)
    elif store is not None:
        # With --store the working folder's configuration has no say.
        beside = os.path.dirname(absolute(store))
        base = beside if _has_config(beside, env) else absolute(files.working_folder())
    else:
        here = files.working_folder()
        base = absolute(find_config_root(here) or here)
    heard = Heard()
    config = load_config(base, env=env, notes=lambda: heard)
    if store is None:
        # Paths alone leave the store where the caller stands, as the next query looks for it.
        stands = bool(given) and root is None and config.file is None
        store = os.path.join(files.working_folder() if stands else base, config.store)
    place = absolute(store)
    if files.is_file(place):
        raise InputError(
            "the store is a file",
            path=place,
            expected="a folder",
            hint="give another --store; `memidx import` makes a store of a published index",
        )
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
    cache = Cache(place, env)
    cache.unnoted = heard.said
    return Opened(workspace, config, cache, base, watch_config(base, config))


def manifest_of(opened: Opened) -> Manifest:
    """The manifest a build of this workspace writes, but for the shards."""
    from memidx.text.redact import redact  # few builds write a manifest

    def _redacted(value: Any) -> Any:
        if isinstance(value, str):
            return redact(value)
        if isinstance(value, list):
            return [_redacted(inner) for inner in value]
        if isinstance(value, dict):
            return {key: _redacted(inner) for key, inner in value.items()}
        return value

    return Manifest(
        project_name=redact(opened.config.project_name),
        framework=redact(opened.config.framework),
        sources=tuple(_redacted(source_to_dict(s)) for s in opened.workspace.sources),
    )


def _open_again(store: str | None, env: Mapping[str, str]) -> Opened | None:
    """A store that is there, when it alone says what it was built from.

    Without paths, root and configuration the working folder would decide, and a build from
    another folder would take every document for deleted.
    """
    place = absolute(store if store is not None else load_config(".", env=env).store)
    if not stored_sources(place) and not store_signature(place):
        return None
    again = open_store(place, None, env)
    if again.config.sources:
        return None
    if again.workspace.root is None:
        raise InputError(
            "the store does not say where its documents are, and none of them is beside it",
            path=place,
            hint="give --root, the folder their paths are relative to",
        )
    return again


def _has_config(folder: str, env: Mapping[str, str]) -> bool:
    return load_config(folder, env=env).file is not None


def _include(path: str, root: str) -> str:
    """A glob that takes exactly one file or one folder; what is special in it is escaped."""
    relative = os.path.relpath(path, root).replace(os.sep, "/")
    if relative.split("/", 1)[0] == "..":
        raise InputError(
            "lies outside root", path=path, expected=f"a path below {root}", hint="check --root"
        )
    escaped = "".join(f"\\{c}" if c in "*?[]!#\\ " else c for c in relative)
    return f"/{escaped}/**" if files.is_dir(path) else f"/{escaped}"


def _shared_folder(paths: Sequence[str]) -> str:
    folders = [path if files.is_dir(path) else os.path.dirname(path) for path in paths]
    return os.path.commonpath(folders)


def _existing(path: str) -> str:
    place = absolute(path)
    if not files.exists(place):
        raise InputError(
            "there is no such file or folder", path=path, hint="check the path to build from"
        )
    return place
