"""How does git merge one file of a store?

The merge driver: three versions of one file, no source at hand, the result in place of ours. What
it cannot decide it leaves between conflict markers, as git does; `memidx merge` decides it later.
"""

from __future__ import annotations

import os.path

from memidx import files
from memidx.errors import InputError, StoreError
from memidx.store import MANIFEST_NAME, shard_prefix
from memidx.store.manifest import manifest_bytes, parse_manifest
from memidx.store.merge import MergedShard, merge_manifests, merge_shard


def merge_file(
    base: str, ours: str, theirs: str, name: str, *, marker_size: int
) -> MergedShard | None:
    """Merge one file of a store, into `ours`.

    Args:
        base: Path of a file with the ancestor's bytes, none where it had no such file.
        ours: Path of a file with the bytes of the branch that is merged into.
        theirs: Path of a file with the bytes of the branch that is merged.
        name: The file's path in the repository.
        marker_size: Characters of a conflict marker.

    Returns:
        What became of a shard; None for a manifest that was merged.

    Raises:
        InputError: The file is no store's.
        StoreError: It cannot be merged by document; `ours` is as it was.
    """
    file_name = name.replace(os.sep, "/").rpartition("/")[2]
    old, mine, other = (files.read_bytes(path) for path in (base, ours, theirs))
    if file_name == MANIFEST_NAME:
        _replace(ours, _merged_manifest(old, mine, other, name))
        return None
    if shard_prefix(file_name) is None:
        what = "a manifest.json or a docs*.jsonl"
        raise InputError("is no file of a store", path=name, expected=what)
    merged = merge_shard(file_name, old, mine, other, marker_size=marker_size)
    _replace(ours, merged.data)
    return merged


def _merged_manifest(base: bytes, ours: bytes, theirs: bytes, name: str) -> bytes:
    old = parse_manifest(base, f"{name} (base)") if base else None
    mine, other = parse_manifest(ours, f"{name} (ours)"), parse_manifest(theirs, f"{name} (theirs)")
    merged = merge_manifests(old, mine, other)
    if merged is None:
        raise StoreError(
            "both sides changed the same setting of the store",
            path=name,
            hint="merge the configuration, then run `memidx merge`",
        )
    # A side's own bytes where nothing has to be mixed: a newer version may have written more.
    same = [data for data, side in ((ours, mine), (theirs, other)) if side == merged]
    return same[0] if same else manifest_bytes(merged)


def _replace(path: str, data: bytes) -> None:
    files.write_atomic(path, data, scratch_dir=os.path.dirname(path) or ".")
