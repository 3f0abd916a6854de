"""How does a whole index leave a store, and how does one come in?

Export writes the published JSON of schema 1.3; import makes a store of a published file. Neither
takes anything from an existing file without being told: an export replaces indexes alone, and an
import replaces a store only with `replace`.
"""

from __future__ import annotations

import os.path
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from memidx import files
from memidx.errors import InputError, StoreCorrupt
from memidx.jsonindex.exporting import Exported, export_documents
from memidx.jsonindex.importing import import_documents
from memidx.jsonindex.parsing import read_published
from memidx.opening import open_store
from memidx.opening_builds import manifest_of, open_for_build
from memidx.search.answer import Problem, problems
from memidx.snapshot.cache import Cache
from memidx.snapshot.look import read_content
from memidx.sources.artifacts import is_artifact
from memidx.store import store_signature
from memidx.store.line import decode_line
from memidx.store.lock import store_lock
from memidx.store.writer import write_store
from memidx.text.paths import is_within

_LOCK_WAIT_S = 60.0
_HEAD_BYTES = 512
_LAST_SECOND = 253_402_300_799  # of the year 9999


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did.

    Attributes:
        index: Absolute path of the published file.
        version: Its schema version.
        store: Absolute path of the store that was written.
        root: Absolute path below which sources were looked for, or None.
        n_docs: Documents in the store.
        n_whole: Of those, documents with their whole text, from the sources.
        partial: The others, and why.
        skipped: Documents that are not in the store, and why.
        root_recorded: Whether searches of the store look at the sources from now on.
    """

    index: str
    version: str
    store: str
    root: str | None
    n_docs: int
    n_whole: int
    partial: tuple[Problem, ...]
    skipped: tuple[Problem, ...]
    root_recorded: bool

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON values."""
        return {"schema": "memidx.import/1", **asdict(self)}


def export_store(store: str | None, *, root: str | None = None, env: Mapping[str, str]) -> Exported:
    """The published index of a store's committed documents.

    Args:
        store: Path; None takes the configured one.
        root: Folder that documents' paths are relative to; decides the configuration alone.
        env: The environment; `SOURCE_DATE_EPOCH` says when the index counts as built.

    Raises:
        InputError: The store is a published index already, or the environment cannot be used.
        StoreError: The store is missing, or documents in it are damaged.
    """
    opened = open_store(store, root, env)
    path = opened.workspace.store
    if opened.is_published:
        raise InputError(
            "is one file already, and no store",
            path=path,
            expected="a store's folder",
            hint="make a store of it first: `memidx import`",
        )
    content = read_content(path)
    lost = [found for found in content.damage if found.lost]
    if lost:
        raise StoreCorrupt(
            f"{lost[0].reason}; an export would lack documents",
            path=lost[0].path,
            line=lost[0].line,
            hint="run `memidx build` where the sources are, or restore the file from git",
        )
    return export_documents(
        (decode_line(line) for line in content.lines.values()),
        project_name=content.manifest.project_name,
        framework=content.manifest.framework,
        epoch_s=_epoch(env),
    )


def write_export(exported: Exported, out: str, store: str | None, env: Mapping[str, str]) -> int:
    """Write an export to a file, whole or not at all; gives its size in bytes.

    Raises:
        InputError: The file is something other than an index, or part of the store.
        FileError: It cannot be written; what was there is as it was.
    """
    place = files.realpath(out)
    inside = files.realpath(open_store(store, None, env).workspace.store)
    if is_within(place, inside):
        raise InputError(
            "lies in the store, which holds nothing but its own files",
            path=out,
            hint="write it beside the store",
        )
    if files.exists(place):
        there = files.read_bytes(place, _HEAD_BYTES)
        if there.strip() and not is_artifact(there):
            raise InputError(
                "there is a file that is no index, and it is left as it is",
                path=out,
                hint="give another name, or remove the file first",
            )
    return files.write_atomic(place, exported.to_bytes(), scratch_dir=os.path.dirname(place) or ".")


def import_index(
    index: str,
    *,
    store: str | None = None,
    root: str | None = None,
    replace: bool = False,
    env: Mapping[str, str],
) -> ImportReport:
    """Make a store of a published index.

    Root is recorded only when every document came whole: a search that looks at the sources takes
    a document whose file is not there for deleted.

    Args:
        index: Path of the file.
        store: Path of the store; None takes the configured one.
        root: Folder the index's paths are relative to; None takes the configuration's folder,
            else the working folder.
        replace: Replace a store that is there.
        env: The environment.

    Raises:
        InputError: There is a store already, or no such file.
        StoreError: The index cannot be read or the store not be written.
    """
    if not files.exists(index):
        raise InputError("there is no such file", path=index, hint="check the path of the index")
    published = read_published(files.realpath(index))
    if store is not None:
        _refuse_existing(files.realpath(store), replace)
    opened = open_for_build((), root, store, env)
    workspace = opened.workspace
    _refuse_existing(workspace.store, replace)
    base = workspace.root or opened.home
    imported = import_documents(
        published,
        root=base,
        sources=workspace.sources,
        max_bytes=workspace.max_bytes,
        own=(*workspace.own, published.path),
        env=env,
    )
    is_whole = not imported.partial and not imported.skipped
    cache = Cache(workspace.store, env)
    with store_lock(workspace.store, _LOCK_WAIT_S):
        _refuse_existing(workspace.store, replace)
        write_store(workspace.store, manifest_of(opened), imported.lines)
        if is_whole:
            cache.writer.write_root(base)
        is_recorded = cache.read_root() is not None
    return ImportReport(
        index=published.path,
        version=published.version,
        store=workspace.store,
        root=base,
        n_docs=len(imported.lines),
        n_whole=len(imported.lines) - len(imported.partial),
        partial=problems(imported.partial),
        skipped=problems(imported.skipped),
        root_recorded=is_recorded,
    )


def _refuse_existing(store: str, replace: bool) -> None:
    if not replace and not files.is_file(store) and store_signature(store):
        raise InputError(
            "there is a store already, and an import would replace it",
            path=store,
            hint="give another --store, or --replace to lose the documents that are in it",
        )


def _epoch(env: Mapping[str, str]) -> int | None:
    """`SOURCE_DATE_EPOCH`, where it is set."""
    given = env.get("SOURCE_DATE_EPOCH", "").strip()
    if not given:
        return None
    if not (given.isascii() and given.isdecimal() and len(given) < 13) or int(given) > _LAST_SECOND:
        raise InputError(
            "SOURCE_DATE_EPOCH cannot have this value",
            expected="seconds since 1970, up to the year 9999",
            found=repr(given),
        )
    return int(given)
