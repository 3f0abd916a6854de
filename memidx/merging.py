"""How is a store brought through a merge of two branches?

Git merges the sources, and the store's files as far as it or the merge driver (`store/driver`) can.
This comes after: all versions of the store in git's index are merged by document, the sources
decide the rest, as in a build, and the result is staged.
"""

from __future__ import annotations

import os.path
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from memidx import files
from memidx.building import run_build
from memidx.errors import FileError, InputError, MemidxError, StoreCorrupt, StoreMissing
from memidx.opening import Opened
from memidx.opening_builds import open_for_build
from memidx.results import BuildReport
from memidx.snapshot.look import read_content
from memidx.snapshot.publish import BUILD_LOCK_WAIT_S
from memidx.sources.base import SUFFIXES
from memidx.sources.listing import list_files
from memidx.store import MANIFEST_NAME, shard_prefix, store_signature
from memidx.store.layout import SHARD_CAP_BYTES
from memidx.store.line import decode_line
from memidx.store.manifest import Manifest, parse_manifest
from memidx.store.merge import merge_lines, merge_manifests, parse_shard
from memidx.store.reader import read_store
from memidx.store.writer import write_store
from memidx.worktree import IndexEntry, Worktree

_BASE, _OURS, _THEIRS = 1, 2, 3
_Lines = dict[str, bytes]


@dataclass(frozen=True, slots=True)
class MergeReport:
    """What `memidx merge` did.

    Attributes:
        store: Absolute path.
        root: Absolute path.
        operation: What git waits to finish (`merge`, `rebase`, …); None for nothing.
        unmerged: Files of the store that git had left undecided.
        markers: Places in the store's files that held a conflict marker, `path:line`.
        from_sources: Documents both sides had changed, as their sources now say.
        removed: Those of them that no source holds any more.
        undecided: Those whose source failed: ours, or the one there is, stays until it can be read.
        incoming: Commits that HEAD reaches once the merge is committed; their documents stay.
        staged: Whether the store was put into git's index.
        build: What the build over the merged store did.
    """

    store: str
    root: str
    operation: str | None
    unmerged: tuple[str, ...]
    markers: tuple[str, ...]
    from_sources: tuple[str, ...]
    removed: tuple[str, ...]
    undecided: tuple[str, ...]
    incoming: tuple[str, ...]
    staged: bool
    build: BuildReport

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON values."""
        return {"schema": "memidx.merge/1", **asdict(self), "build": self.build.to_dict()}


def run_merge(
    root: str | None, store: str | None, env: Mapping[str, str], *, now_ns: int
) -> MergeReport:
    """Merge what git left undecided of a store, from the sources as they are merged.

    Args:
        root: Folder that documents' paths are relative to; None as for a build.
        store: Path of the store's folder; None takes the configured one.
        env: The environment, git's too.
        now_ns: The clock, nanoseconds since the epoch.

    Raises:
        InputError: The sources are not merged yet, or there is no git repository.
        StoreError: The store cannot be read or written.
    """
    opened = open_for_build((), root, store, env)
    place = opened.workspace.store
    tree = Worktree(place if files.is_dir(place) else os.path.dirname(place), env)
    folder = tree.inside(place)
    if folder is None:
        raise InputError("the store lies outside the working tree", path=place, expected=tree.top)
    _require_merged_sources(opened, tree, folder)
    operation = tree.stopped()
    unmerged = [path for path in tree.unmerged() if _is_store_file(path, folder)]
    markers = _markers(place)
    merged: _Lines = {}
    clashing: dict[str, bytes] = {}
    damaged: list[StoreCorrupt] = []
    if unmerged:
        merged, clashing = _merge_index(opened, tree, folder, damaged)
        # The definitions of the sources may have come back with the manifest.
        opened = open_for_build((), root, store, env)
    report = run_build(opened, full=False, check=False, shard=None, jobs=1, now_ns=now_ns)
    failed = {problem.source for problem in report.sources_failed}
    kept = [d for d, line in clashing.items() if line and decode_line(line).source in failed]
    if damaged and failed:
        raise StoreCorrupt(
            f"{damaged[0].what}; a source failed that may hold the lost documents: "
            + ", ".join(sorted(str(name) for name in failed)),
            path=damaged[0].path,
            line=damaged[0].line,
            hint="git's index still holds every version; call again when the source can be read",
        )
    incoming: tuple[str, ...] = ()
    if operation == "merge" and unmerged:
        incoming = _keep_incoming(opened, tree, merged, report.removed)
    stage = bool(unmerged or operation) and not kept
    if stage:
        there = {_joined(folder, name) for name in store_signature(place)}
        there.update(entry.path for entry in _entries(tree, folder))
        tree.stage(sorted(there))
    now = read_store(place).lines if clashing else {}
    decided = [doc_id for doc_id in clashing if doc_id not in kept]
    return MergeReport(
        store=place,
        root=report.root,
        operation=operation,
        unmerged=tuple(unmerged),
        markers=markers,
        from_sources=tuple(doc_id for doc_id in decided if doc_id in now),
        removed=tuple(doc_id for doc_id in decided if doc_id not in now),
        undecided=tuple(kept),
        incoming=incoming,
        staged=stage,
        build=report,
    )


# After the sources are merged


def _require_merged_sources(opened: Opened, tree: Worktree, folder: str) -> None:
    """Raise where a source, or the configuration, is not merged or still holds markers."""
    undecided = [path for path in tree.unmerged() if not _is_store_file(path, folder)]
    touched = [path for path in tree.decided() if not _is_store_file(path, folder)]
    if not undecided and not touched:
        return
    root = opened.workspace.root or opened.home
    listing = list_files(root, opened.workspace.sources, opened.workspace.own)
    ours = {
        tree.inside(entry.disk_path) for entries in listing.by_source.values() for entry in entries
    }
    if opened.config.file is not None:
        ours.add(tree.inside(opened.config.file))
    suffixes = tuple(
        suffix for source in opened.workspace.sources for suffix in SUFFIXES.get(source.kind, ())
    )

    def counts(path: str) -> bool:
        # A file that is gone from disk may have been one, and may come back.
        gone = not files.exists(os.path.join(tree.top, path))
        return path in ours or (gone and path.lower().endswith(suffixes))

    wrong = [f"{path}: unmerged" for path in undecided if counts(path)]
    for path in (*undecided, *touched):
        line = _marker_line(os.path.join(tree.top, path)) if path in ours else None
        if line is not None:
            wrong.append(f"{path}:{line}: holds a conflict marker")
    if wrong:
        raise InputError(
            f"the sources are not merged yet: {_few(wrong)}",
            hint="decide these files and `git add` them, then run `memidx merge` again",
        )


def _marker_line(path: str) -> int | None:
    """Where a file holds a whole conflict, start, middle and end; None where it holds none."""
    try:
        data = files.read_bytes(path)
    except FileError:
        return None
    began, parted = None, False
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.startswith(b"<<<<<<< "):
            began, parted = number, False
        elif began is not None and line.rstrip(b"\r") == b"=======":
            parted = True
        elif parted and line.startswith(b">>>>>>> "):
            return began
    return None


def _markers(store: str) -> tuple[str, ...]:
    """Places of the store's files with a conflict marker."""
    try:
        damage = read_content(store).damage
    except StoreMissing:
        return ()
    return tuple(
        f"{os.path.basename(found.path)}:{found.line}"
        for found in damage
        if "conflict marker" in found.reason
    )


def _merge_index(
    opened: Opened, tree: Worktree, folder: str, damaged: list[StoreCorrupt]
) -> tuple[_Lines, dict[str, bytes]]:
    """Write the store that the versions in git's index give.

    Returns:
        The lines, and those of the documents that clash: ours, else theirs, which stand in the
        store until the sources decide.
    """
    entries = _entries(tree, folder)
    manifest = _merged_manifest(opened, tree, entries, _joined(folder, MANIFEST_NAME))
    sides = _sides(tree, entries, damaged)
    merged, clashes = merge_lines(*sides)
    clashing = {clash.doc_id: clash.ours or clash.theirs or b"" for clash in clashes}
    merged.update(clashing)
    with opened.cache.writer.lock_store(BUILD_LOCK_WAIT_S):
        write_store(opened.workspace.store, manifest, merged, cap=SHARD_CAP_BYTES)
    return merged, clashing


def _sides(
    tree: Worktree, entries: Sequence[IndexEntry], damaged: list[StoreCorrupt]
) -> tuple[_Lines, _Lines, _Lines]:
    """`doc_id` -> line of base, ours and theirs, over all shards.

    A file without conflict holds what both sides agreed on. But where one side split a file, its
    new files are without conflict and the old one is there in the other versions alone: then what
    the new files hold is that side's.
    """
    lines: dict[int, _Lines] = {stage: {} for stage in range(4)}
    stages: dict[str, set[int]] = {}
    for entry in entries:
        if shard_prefix(entry.path.rpartition("/")[2]) is not None:
            found = parse_shard(tree.blob(entry.blob), entry.path, damaged=damaged)
            lines[entry.stage].update(found)
            stages.setdefault(entry.path, set()).add(entry.stage)
    split = [side for side in (_OURS, _THEIRS) if any(
        0 not in there and side not in there for there in stages.values()
    )]  # fmt: skip
    disputed = {*lines[_BASE], *lines[_OURS], *lines[_THEIRS]}
    for doc_id, line in lines[0].items():
        whose = split if doc_id in disputed and split else (_BASE, _OURS, _THEIRS)
        for stage in whose:
            lines[stage].setdefault(doc_id, line)
    return lines[_BASE], lines[_OURS], lines[_THEIRS]


def _merged_manifest(
    opened: Opened, tree: Worktree, entries: Iterable[IndexEntry], path: str
) -> Manifest:
    """The manifest as far as it can be merged; the configuration has the last word in the build."""
    versions: dict[int, Manifest] = {}
    for entry in entries:
        if entry.path == path:
            try:
                versions[entry.stage] = parse_manifest(tree.blob(entry.blob), path)
            except StoreCorrupt:
                continue
    if 0 in versions:
        return versions[0]
    ours, theirs = versions.get(_OURS), versions.get(_THEIRS)
    if ours is None or theirs is None:
        return ours or theirs or Manifest()
    # Shards are the writer's to say.
    sides = [replace(side, shards=()) for side in (ours, theirs)]
    base = versions.get(_BASE)
    merged = merge_manifests(replace(base, shards=()) if base else None, *sides)
    if merged is None and not opened.config.sources:
        raise InputError(
            "both sides changed what the sources are, and no configuration says it",
            path=path,
            hint="write the sources into memidx.toml, then run `memidx merge` again",
        )
    return merged or ours


def _keep_incoming(
    opened: Opened, tree: Worktree, merged: Mapping[str, bytes], removed: Iterable[str]
) -> tuple[str, ...]:
    """Keep the lines of commits that HEAD will reach as soon as the merge is committed."""
    commits = [d for d in removed if d in merged and d.startswith("git:")]
    if not commits:
        return ()
    try:
        incoming = tree.incoming()
    except MemidxError:
        return ()
    kept = {d: merged[d] for d in commits if d.rpartition("#")[2] in incoming}
    if kept:
        place = opened.workspace.store
        with opened.cache.writer.lock_store(BUILD_LOCK_WAIT_S):
            stored = read_store(place)
            write_store(place, stored.manifest, {**stored.lines, **kept}, cap=SHARD_CAP_BYTES)
    return tuple(kept)


def _entries(tree: Worktree, folder: str) -> list[IndexEntry]:
    return [entry for entry in tree.entries(folder) if _is_store_file(entry.path, folder)]


def _is_store_file(path: str, folder: str) -> bool:
    """Whether a path of the working tree is one of the store's files, and no neighbour of them."""
    name = path.rpartition("/")[2]
    is_file = name == MANIFEST_NAME or shard_prefix(name) is not None
    return is_file and path == _joined(folder, name)


def _joined(folder: str, name: str) -> str:
    return name if folder == "." else f"{folder}/{name}"


def _few(lines: Sequence[str], most: int = 10) -> str:
    more = f", and {len(lines) - most} more" if len(lines) > most else ""
    return ", ".join(lines[:most]) + more
