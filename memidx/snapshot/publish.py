"""How do the sources become a committed store, with a snapshot ready to query?

Under the lock: compare, write the shards that changed, derive the snapshot, record the look. With
`check` nothing is written: the answer is whether anything would be.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache as cache_result
from typing import TYPE_CHECKING

from memidx.analysis.base import Analyzer
from memidx.aside import Aside
from memidx.errors import StoreMissing
from memidx.indexing.state import State
from memidx.snapshot import Workspace, analyzer_key
from memidx.snapshot.cache import Cache
from memidx.snapshot.look import (
    Look,
    is_kept,
    look_at_sources,
    read_content,
    record,
    without_newest,
)
from memidx.snapshot.observing import Observations
from memidx.snapshot.snapshot import Snapshot
from memidx.snapshot.taking import derive_look
from memidx.snapshot.workers import MakeAnalyzer
from memidx.store import MANIFEST_NAME, store_signature
from memidx.store.layout import SHARD_CAP_BYTES, layout
from memidx.store.lines import ChosenLines, sizes
from memidx.store.manifest import Manifest
from memidx.store.reader import Damage
from memidx.store.writer import Written, write_store
from memidx.values import Value, replace

if TYPE_CHECKING:
    from memidx.store.patch import Decline, Patch

# A build waits for the builders before it; a lock held longer than this is named in an error.
BUILD_LOCK_WAIT_S = 60.0


class Built(Value):
    """What one build did, or would do.

    Attributes:
        look: Store and sources as they were compared.
        written: What changed on disk; None with `check`.
        behind: Whether the store lacked anything the sources or the configuration hold; with
            `check`, anything but `pending`.
        manifest_differs: Whether the configuration part of the manifest was behind.
        n_analysed: Documents whose text was tokenized for the snapshot.
        patch: What was patched, or why nothing was; None where that was not asked for.
    """

    look: Look
    written: Written | None
    behind: bool
    manifest_differs: bool
    pending: tuple[str, ...] = ()
    n_analysed: int = 0
    patch: Patch | Decline | None = None


def check_store(workspace: Workspace, root: str, cache: Cache, manifest: Manifest) -> Built:
    """Whether the store is behind its sources; writes nothing."""
    lines, damage, current = _content(workspace.store)
    known = _known(cache, workspace, root)
    look = look_at_sources(workspace, root, lines, damage, known)
    look, pending = without_newest(look, workspace, root, lines, damage, known)
    differs = current is None or replace(manifest, shards=current.shards) != current
    misplaced = current is not None and layout_differs(
        workspace.store, look.lines, current, pending
    )
    behind = bool(look.plan.size > len(pending) or differs or damage or misplaced)
    return Built(look, None, behind, differs, pending)


def layout_differs(
    store: str, lines: Mapping[str, bytes], manifest: Manifest, pending: Collection[str]
) -> bool:
    """Whether a build would lay the same lines out otherwise, or remove a shard file.

    A merge can make a shard pass the cap; a branch switch can leave a file nobody names. What is
    pending is not in the store and need not be.
    """
    newer = frozenset(pending)
    counted = (row for row in sizes(lines) if row[0] not in newer)
    wanted = set(layout(counted, SHARD_CAP_BYTES))
    there = {name for name in store_signature(store) if name != MANIFEST_NAME}
    return not wanted == there == set(manifest.shards)


def build_store(
    workspace: Workspace,
    root: str,
    make_analyzer: MakeAnalyzer,
    cache: Cache,
    manifest: Manifest,
    *,
    jobs: int,
    full: bool,
    shard: bool | None,
    now_ns: int,
    patch: bool = False,
) -> Built:
    """Make the store hold what the sources hold, and derive its snapshot.

    Args:
        make_analyzer: Makes the analyzer of the snapshot, here or in another process.
        jobs: Processes that analyse documents.
        manifest: Names and source definitions; the shards are the writer's to say.
        full: Read every file anew and take no line from the store, but for the documents of a
            failed source. The bytes are the same as without.
        shard: False refuses more than one shard file.
        patch: Try to patch a single changed line first; not with `full`. The bytes are the same.

    Raises:
        StoreLocked: Another process kept the lock too long.
        InputError: One shard was asked for and does not hold the documents.
        FileError: The store cannot be written; it is as it was.
    """
    analyzer = make_analyzer()
    with cache.writer.lock_store(BUILD_LOCK_WAIT_S):
        stored, damage, current = _content(workspace.store)
        known = None if full else _known(cache, workspace, root)
        before = _before(cache, analyzer)
        scratch = cache.writer.scratch()
        observed = None
        if before is None:
            # With nothing to go on from, every document is analysed: best where it is read.
            observed = Observations(analyzer, make_analyzer, scratch, workspace.env)
        look = look_at_sources(workspace, root, stored, damage, known, scratch, observed)
        if full:
            look = _afresh(stored, look)
        differs = current is None or replace(manifest, shards=current.shards) != current
        if observed is not None:
            observed.choose(look.lines)

        def write() -> tuple[Written, Patch | Decline | None, str]:
            store, patched = workspace.store, None
            if patch and not full:
                from memidx.snapshot.patching import patch_or_write  # few builds are asked to

                written, patched = patch_or_write(
                    store, manifest, look, stored, damage, known, shard=shard, cap=SHARD_CAP_BYTES
                )
            else:
                written = write_store(store, manifest, look.lines, shard=shard, cap=SHARD_CAP_BYTES)
            cache.writer.write_root(root)
            return written, patched, look.key(analyzer)

        if observed is not None and jobs > 1:
            # Writing waits for the disk; sorting takes longer, and is quicker in this thread,
            # where the memory is at hand.
            with Aside(write) as writing:
                observed.invert()
            written, patched, key = writing.result
        else:
            written, patched, key = write()
        settled = replace(look, plan=look.plan.done(), damage=())
        signatures = store_signature(workspace.store)

        @cache_result
        def recorded() -> tuple[State, list[bytes] | None]:
            state = record(settled, workspace, key=key, store=signatures, recorded_ns=now_ns)
            # After an edit, a record of that alone may do.
            return state, None if observed is None else state.pieces()

        snapshot, n_analysed = derive_look(
            look,
            key,
            analyzer,
            cache,
            before,
            jobs=jobs,
            make_analyzer=make_analyzer,
            observed=observed,
            meanwhile=recorded,
        )
        cache.writer.write_state(*recorded())
        cache.writer.prune(*snapshot.keys(key))
        cache.writer.write_note()
    behind = bool(look.plan.size or differs or damage)
    return Built(look, written, behind, differs, n_analysed=n_analysed, patch=patched)


def _content(
    store: str,
) -> tuple[Mapping[str, bytes], tuple[Damage, ...], Manifest | None]:
    """Lines, damage and manifest; nothing of a store that is not there yet."""
    try:
        stored = read_content(store)
    except StoreMissing:
        return {}, (), None
    return stored.lines, stored.damage, stored.manifest if stored.manifest_sound else None


def _afresh(stored: Mapping[str, bytes], look: Look) -> Look:
    """The same look with every line taken from the sources, where they did not fail.

    It knew of no earlier one, so it read every source whole.
    """
    scan = look.scan
    if scan is None:
        return look
    kept = [
        doc_id for doc_id in stored if doc_id not in scan.lines and is_kept(scan, stored, doc_id)
    ]
    order = sorted([*scan.lines, *kept])
    return replace(look, lines=ChosenLines(order, scan.lines, scan.lines, stored), damage=())


def _before(cache: Cache, analyzer: Analyzer) -> tuple[str, Snapshot] | None:
    """Key and snapshot of the last look, where the same analyzer made it."""
    state = cache.read_state()
    if state is None or not state.snapshot.endswith(analyzer_key(analyzer)):
        return None
    snapshot = cache.open_snapshot(state.snapshot)
    return None if snapshot is None else (state.snapshot, snapshot)


def _known(cache: Cache, workspace: Workspace, root: str) -> State | None:
    state = cache.read_state()
    if state is None or state.settings != workspace.settings or state.root != root:
        return None
    return state
