"""Which store, which root and which configuration does a call mean?

Root is the folder documents' paths are relative to. A store does not say where it is: a caller
does, or `.cache/root`, or the store's place beside its documents.
"""

from __future__ import annotations

import os.path

from memidx import files
from memidx.analysis import get_analyzer
from memidx.config import (
    CONFIG_FILES,
    DEFAULT_SOURCE,
    Config,
    SourceConfig,
    find_config_root,
    load_config,
    source_from_dict,
    source_to_dict,
)
from memidx.errors import ConfigError, FileError, InputError, MemidxError
from memidx.light import TYPE_CHECKING, suppress
from memidx.snapshot import Workspace, settings_key
from memidx.snapshot.cache import Cache
from memidx.snapshot.refresh import Refresher
from memidx.store import MANIFEST_NAME
from memidx.store.manifest import parse_manifest
from memidx.values import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from memidx.analysis.base import Analyzer
    from memidx.config import Notes

    _Aliases = Mapping[str, tuple[str, ...]]


class Opened(Value):
    """A store, and everything that was decided about it.

    Attributes:
        workspace: Store, root, sources.
        config: Settings in force.
        cache: Where derived files live.
        home: Folder the configuration was looked for in.
        watch: Configuration file -> its signature when it was read, to see when it changes.
        is_published: Whether the store is one file: a published JSON index.
        manifest: Signature of the manifest that the sources come from; None where they are
            configured.
    """

    workspace: Workspace
    config: Config
    cache: Cache
    home: str
    watch: Mapping[str, files.Signature | None]
    is_published: bool = False
    manifest: files.Signature | None = None

    def config_changed(self) -> bool:
        """Whether a file that settings come from is another one now."""
        return watch_config(self.home, self.config) != self.watch

    def manifest_now(self) -> files.Signature | None:
        """The signature of the manifest, where the sources come from it."""
        if self.config.sources or self.is_published:
            return None
        return _manifest_signature(self.workspace.store)

    def sources_changed(self) -> bool:
        """Whether the store was built from other sources by now."""
        if self.config.sources or self.is_published:
            return False
        stored = stored_sources(self.workspace.store) or (DEFAULT_SOURCE,)
        return stored != self.workspace.sources


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
        here = files.working_folder()
        base = root or find_config_root(here, lambda folder: _notes(folder, env)) or here
        store = os.path.join(base, load_config(base, env=env, notes=_notes(base, env)).store)
    place = absolute(store)
    cache = Cache(place, env)
    if files.is_file(place):
        return _open_file(place, root, cache, env)
    known = existing_folder(root) if root is not None else _root_of(place, cache, env)
    home = known or os.path.dirname(place)
    config = load_config(home, env=env, notes=lambda: _noted(cache))
    manifest = None if config.sources else _manifest_signature(place)
    sources = config.sources or stored_sources(place) or (DEFAULT_SOURCE,)
    workspace = make_workspace(place, known, sources, config, env)
    watch = watch_config(home, config)
    return Opened(workspace, config, cache, home, watch, manifest=manifest)


def _notes(folder: str, env: Mapping[str, str]) -> Callable[[], Notes]:
    """What a folder's configuration says is noted beside its store, if that has the usual name."""
    return lambda: _noted(Cache(os.path.join(folder, Config().store), env))


def _noted(cache: Cache) -> Notes:
    from memidx.snapshot.noted import Noted  # a project without a configuration does without

    return Noted(cache)


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


def refresher_for(opened: Opened, analyzer: Analyzer, *, watch: bool = False) -> Refresher:
    """What keeps a snapshot of the store, or of the published index, in step.

    Args:
        watch: Whether the system shall say in which folders of the sources something changed.
    """
    if opened.is_published:
        from memidx.jsonindex.reader import PublishedReader  # a search in a store does without

        return PublishedReader(opened.workspace)
    return Refresher(opened.workspace, analyzer, opened.cache, watch=watch)


def analyzer_for(opened: Opened, name: str | None = None) -> Analyzer:
    """The analyzer a caller named, else the configured one, with the project's aliases.

    Raises:
        ConfigError: The alias file is missing or cannot be used.
    """
    chosen, aliases = _chosen_analyzer(opened, name)
    return get_analyzer(chosen, aliases=aliases)


def analyzer_maker(opened: Opened, name: str | None = None) -> Callable[[], Analyzer]:
    """What makes that analyzer, here or in another process; raises as `analyzer_for` does."""
    from functools import partial  # only a build asks other processes to help

    chosen, aliases = _chosen_analyzer(opened, name)
    return partial(get_analyzer, chosen, aliases=aliases)


def _chosen_analyzer(opened: Opened, name: str | None) -> tuple[str, _Aliases | None]:
    analysis = opened.config.analysis
    if opened.is_published:
        if name not in (None, "ascii-compat"):
            raise InputError(
                "a published index holds the terms of ascii-compat alone",
                path=opened.workspace.store,
                expected="no other analyzer",
                found=repr(name),
                hint="for another analyzer, make a store of it: `memidx import`",
            )
        return "ascii-compat", None
    if analysis.aliases is None:
        return name or analysis.analyzer, None
    from memidx.analysis.aliases import parse_aliases
    from memidx.text.decode import Undecodable, decode

    path = os.path.join(opened.home, analysis.aliases)
    try:
        text = decode(files.read_bytes(path))
    except (FileError, Undecodable) as error:
        raise ConfigError(
            f"the alias file cannot be read: {error}", path=path, hint="check analysis.aliases"
        ) from error
    return name or analysis.analyzer, parse_aliases(text, path)


def watch_config(folder: str, config: Config) -> dict[str, files.Signature | None]:
    """Signatures of the files that settings come from, so that the next search sees an edit."""
    names = [*CONFIG_FILES, config.search.calibration]
    if config.analysis.aliases is not None:
        names.append(config.analysis.aliases)
    return {name: files.signature(os.path.join(folder, name)) for name in names}


def _open_file(file: str, root: str | None, cache: Cache, env: Mapping[str, str]) -> Opened:
    """A file in place of a store's folder; whether it is an index is seen when it is read."""
    known = None if root is None else existing_folder(root)
    home = known or os.path.dirname(file)
    config = load_config(home, env=env)
    workspace = make_workspace(file, known, (), config, env)
    return Opened(workspace, config, cache, home, watch_config(home, config), is_published=True)


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
    except MemidxError as error:
        _unless_passing(error)
        return None
    for candidate in candidates:
        if (
            not lines
            or any(_is_below(candidate, line) for line in lines.values())
            or _feeds(candidate, store, lines, env)
        ):
            # Where it cannot be recorded, the next call has to find out again.
            with suppress(FileError):
                cache.writer.write_root(candidate)
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
        for source in stored_sources(store)
        if source.kind in FEED_KINDS
    )


def stored_sources(store: str) -> tuple[SourceConfig, ...]:
    """The sources a store was built from, as its manifest has them; none without one."""
    file = os.path.join(store, MANIFEST_NAME)
    try:
        definitions = parse_manifest(files.read_bytes(file), file).sources
    except MemidxError as error:
        # Whoever reads the store next says what is wrong with it.
        _unless_passing(error)
        return ()
    return tuple(source_from_dict(definition) for definition in definitions)


def _manifest_signature(store: str) -> files.Signature | None:
    return files.signature(os.path.join(store, MANIFEST_NAME))


def _unless_passing(error: MemidxError) -> None:
    """Raise what is about the moment: other sources, or no root, must not be taken instead."""
    if isinstance(error, FileError) and files.may_pass(error):
        raise error


def existing_folder(path: str) -> str:
    """Absolute path of a folder a caller named.

    Raises:
        InputError: There is no such folder.
    """
    place = absolute(path)
    if not files.is_dir(place):
        raise InputError(
            "root is not a folder", path=path, hint="give an existing folder to --root"
        )
    return place


def absolute(path: str) -> str:
    """Absolute path with links resolved: containment is judged by where things really are."""
    return files.realpath(path)
