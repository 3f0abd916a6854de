"""How do changed shards replace the old ones?

Each shard whose bytes changed is replaced whole. Where the set of shards changes, the new
ones are written beside the old ones, the manifest that names them is renamed into place
(that commits), and the old ones are removed. A kill at any instant leaves every document as
it was or as it shall be; the next write finds what is not yet right and does the rest.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Mapping, Sequence

from memidx import files
from memidx.errors import FileError, StoreCorrupt
from memidx.store import MANIFEST_NAME, shard_prefix
from memidx.store.folders import content_of, prepare_store, scratch_dir
from memidx.store.layout import SHARD_CAP_BYTES, layout
from memidx.store.lines import sizes
from memidx.store.manifest import Manifest, manifest_bytes, parse_manifest
from memidx.store.reader import refuse_file
from memidx.values import Value, replace

SCRIPT_NAME = "incremental-update.sed"


class Written(Value):
    """What one write did.

    Attributes:
        shards_written: Shard files that were replaced or made.
        lines_changed: Lines now in the store that were not in it before.
        bytes_written: Bytes of shards and manifest written.
        shards: Names of all shards of the store as it is now.
        manifest_written: Whether the manifest changed.
    """

    shards_written: int
    lines_changed: int
    bytes_written: int
    shards: tuple[str, ...]
    manifest_written: bool


def write_store(
    path: str,
    manifest: Manifest,
    lines: Mapping[str, bytes],
    *,
    shard: bool | None = None,
    cap: int = SHARD_CAP_BYTES,
) -> Written:
    """Makes the store hold exactly `lines`. The caller holds the store's lock.

    Afterwards the store's bytes are a pure function of the arguments, whatever was there
    before. A write that changes nothing touches no file.

    Args:
        path: The store's folder; made when absent.
        manifest: Its `shards` are ignored: the layout says what they are.
        lines: doc_id -> its line, as `encode_line` makes it.
        shard: False refuses to make more than one shard file.
        cap: What no shard's size may pass, in bytes.

    Raises:
        InputError: The documents do not fit (see `layout`); nothing was written.
        FileError: Disk full, read-only and the like. No document is lost: each is as before,
            or, where its shard had already been replaced, as in `lines`.
    """
    plan = layout(sizes(lines), cap, shard=shard)
    data = manifest_bytes(replace(manifest, shards=tuple(plan)))
    old_data, old_names = _current(path)
    prepare_store(path)
    scratch = scratch_dir(path)
    clear_scratch(path)

    present, old_lines = _compare(path, plan, lines, old_names)
    made: list[str] = []
    committing = False
    n_shards = n_changed = n_bytes = 0
    try:
        # New files first: while the old manifest stands, nobody reads them.
        for name in sorted(plan, key=lambda name: name in old_names):
            if present.get(name) is True:
                continue
            file = os.path.join(path, name)
            if name not in present:
                made.append(file)
            content = map(lines.__getitem__, plan[name])
            n_bytes += files.write_atomic(file, content, scratch_dir=scratch)
            n_shards += 1
            n_changed += _n_new(plan[name], lines, old_lines)
        if data != old_data:
            committing = True
            file = os.path.join(path, MANIFEST_NAME)
            n_bytes += files.write_atomic(file, data, scratch_dir=scratch)
    except FileError:
        _take_back(path, made, data if committing else None)
        raise
    _remove_leftovers(path, plan)
    return Written(n_shards, n_changed, n_bytes, tuple(plan), data != old_data)


def clear_scratch(path: str) -> None:
    """Removes what killed writers of the store left aside. The caller holds the store's lock."""
    files.remove_temporaries(scratch_dir(path))


def _current(path: str) -> tuple[bytes | None, tuple[str, ...]]:
    """Manifest bytes and shard names as they are; no names where the manifest is damaged.

    Raises:
        StoreVersion: A newer version wrote the store: it is not ours to overwrite.
        InputError: There is a file where the folder should be.
    """
    if files.is_file(path):
        raise refuse_file(path)
    file = os.path.join(path, MANIFEST_NAME)
    data = content_of(file)
    if data is None:
        return None, ()
    try:
        return data, parse_manifest(data, file).shards
    except StoreCorrupt:
        return data, ()


def _compare(
    path: str,
    plan: Mapping[str, list[str]],
    lines: Mapping[str, bytes],
    old_names: tuple[str, ...],
) -> tuple[dict[str, bool], set[int]]:
    """Which shard files are there, and is each as planned? And what did the others hold?

    Returns:
        File name -> whether its bytes are the planned ones, for every file that is there;
        and hashes of the lines of those old shards whose bytes are not.
    """
    present: dict[str, bool] = {}
    old_lines: set[int] = set()
    for name in {*plan, *old_names}:
        content = content_of(os.path.join(path, name))
        if content is None:
            continue
        present[name] = name in plan and _is_made_of(content, map(lines.__getitem__, plan[name]))
        if name in old_names and not present[name]:
            old_lines.update(hash(line + b"\n") for line in content.split(b"\n"))
    return present, old_lines


def _is_made_of(content: bytes, lines: Iterable[bytes]) -> bool:
    """Whether the lines, one after another, are the content."""
    place = 0
    for line in lines:
        if not content.startswith(line, place):
            return False
        place += len(line)
    return place == len(content)


def _n_new(doc_ids: Sequence[str], lines: Mapping[str, bytes], old_lines: set[int]) -> int:
    """How many of the lines are none of the old ones, which are known by hash."""
    if not old_lines:
        return len(doc_ids)
    return sum(hash(lines[doc_id]) not in old_lines for doc_id in doc_ids)


def _take_back(path: str, made: list[str], data: bytes | None) -> None:
    """Removes files that a failed write added, unless its manifest got into place.

    Args:
        data: The manifest's bytes, if the failure was in writing it.
    """
    with contextlib.suppress(FileError):
        if data is not None and content_of(os.path.join(path, MANIFEST_NAME)) == data:
            return
        for name in made:
            files.remove(name)


def _remove_leftovers(path: str, plan: Mapping[str, list[str]]) -> None:
    """Removes shards the manifest no longer names, also those an earlier kill left."""
    stale = [
        name for name in files.names(path) if shard_prefix(name) is not None and name not in plan
    ]
    for name in stale:
        files.remove(os.path.join(path, name))
    if stale:
        files.fsync_dir(path)
