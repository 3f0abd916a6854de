"""Can the one line that changed be patched into its shard?

What speaks against it has a name, and then the ordinary writer does the work: the bytes are the
same either way. How a patch is applied is in `memidx.store.patcher`.

Pure: the store as it is and as it shall be in, a patch or a name out. The names:
docs/store-format.md, section "One line by sed".
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from memidx.errors import InputError, StoreCorrupt, StoreVersion
from memidx.store import MANIFEST_NAME
from memidx.store.layout import SHARD_CAP_BYTES, layout
from memidx.store.lines import sizes
from memidx.store.manifest import Manifest, manifest_bytes, parse_manifest
from memidx.store.reader import Damage
from memidx.store.sed import find_line, write_script

DeclineReason = Literal[
    "missing_index_file",
    "invalid_index_shape",
    "source_set_changed",
    "missing_doc_entry",
    "eligible_only_single_changed_doc",
    "changed_doc_unreadable_or_empty",
    "doc_anchor_not_found",
    "sed_failed",
    "mutated_invalid",
    "post_patch_mismatch",
    "layout_would_change",
]


class Decline(NamedTuple):
    """Why the store was, or has to be, written the ordinary way.

    Attributes:
        reason: One of a closed list of names; what each means is in docs/store-format.md.
        detail: For a person to read.
    """

    reason: DeclineReason
    detail: str


@dataclass(frozen=True, slots=True)
class Patch:
    """One line of one shard, changed.

    Attributes:
        shard: Name of the shard.
        number: The line's, 1-based.
        doc_id: The document's.
        shards: All shards of the store, which stay.
        script: What makes `after` of `before`, for sed.
        before: The shard's bytes as they are.
        after: The shard's bytes as an ordinary write makes them.
    """

    shard: str
    number: int
    doc_id: str
    shards: tuple[str, ...]
    script: bytes = field(repr=False)
    before: bytes = field(repr=False)
    after: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Current:
    """The store as it is.

    Attributes:
        manifest: The manifest file's bytes; None when there is none.
        sizes: Shard file that is in the folder -> its bytes.
        lines: `doc_id` -> its line; sound lines only.
        damage: What is not as it was written.
    """

    manifest: bytes | None
    sizes: Mapping[str, int]
    lines: Mapping[str, bytes]
    damage: tuple[Damage, ...] = ()


@dataclass(frozen=True, slots=True)
class Wanted:
    """The store as it shall be.

    Attributes:
        manifest: Its `shards` are ignored, as `write_store` does.
        lines: `doc_id` -> its line.
        known: Documents the sources had before the store was changed by somebody else; one of
            them that is not in the store is missing from it, and not new.
        unusable: `doc_id` -> why, for documents whose file is there and gives none.
        shard: As in `write_store`.
        cap: As in `write_store`.
    """

    manifest: Manifest
    lines: Mapping[str, bytes]
    known: Collection[str] = ()
    unusable: Mapping[str, str] = field(default_factory=dict)
    shard: bool | None = None
    cap: int = SHARD_CAP_BYTES


def decide_patch(
    current: Current, wanted: Wanted, read_shard: Callable[[str], bytes]
) -> Patch | Decline:
    """The patch that takes the store from what it is to what it shall be, or why there is none.

    Args:
        read_shard: Gives the bytes of a shard by name; asked once at most.
    """
    found = _read_index(current)
    if isinstance(found, Decline):
        return found
    declined = _compare_manifest(current, found, wanted) or _compare_set(current, wanted)
    if declined is not None:
        return declined
    changed = [doc_id for doc_id, line in wanted.lines.items() if current.lines[doc_id] != line]
    if not changed and wanted.unusable:
        (what, reason), *_ = wanted.unusable.items()
        return Decline("changed_doc_unreadable_or_empty", f"{what}: {reason}")
    if len(changed) != 1:
        how_many = f"{len(changed):,} documents" if changed else "no document"
        return Decline("eligible_only_single_changed_doc", f"{how_many} changed")
    try:
        plan = layout(sizes(wanted.lines), wanted.cap, shard=wanted.shard)
    except InputError as error:
        # The ordinary writer refuses it too, and says so to the person.
        return Decline("layout_would_change", error.what)
    if tuple(plan) != found.shards:
        what = f"{len(found.shards):,} shards would become {len(plan):,}"
        return Decline("layout_would_change", what)
    return _make_patch(changed[0], plan, current, wanted, read_shard)


def _read_index(current: Current) -> Manifest | Decline:
    """The manifest of a store that is there and sound."""
    if current.manifest is None:
        return Decline("missing_index_file", f"there is no {MANIFEST_NAME}")
    try:
        manifest = parse_manifest(current.manifest, MANIFEST_NAME)
    except (StoreCorrupt, StoreVersion) as error:
        return Decline("invalid_index_shape", error.what)
    missing = [name for name in manifest.shards if name not in current.sizes]
    if missing:
        return Decline("missing_index_file", f"there is no {missing[0]}")
    extra = sorted(current.sizes.keys() - {*manifest.shards})
    if extra:
        return Decline("invalid_index_shape", f"the manifest does not name {extra[0]}")
    if current.damage:
        first = current.damage[0]
        name = os.path.basename(first.path)
        place = name if first.line is None else f"{name}:{first.line}"
        return Decline("invalid_index_shape", f"{place}: {first.reason}")
    return manifest


def _compare_manifest(current: Current, found: Manifest, wanted: Wanted) -> Decline | None:
    if found.sources != wanted.manifest.sources:
        return Decline("source_set_changed", "the definitions of the sources changed")
    if current.manifest != manifest_bytes(replace(wanted.manifest, shards=found.shards)):
        return Decline("invalid_index_shape", "the manifest is not the one a build writes")
    return None


def _compare_set(current: Current, wanted: Wanted) -> Decline | None:
    """Whether the documents are the same ones; if not, what happened to them."""
    added = wanted.lines.keys() - current.lines.keys()
    removed = current.lines.keys() - wanted.lines.keys()
    if not added and not removed:
        return None
    if not added and len(removed) == 1:
        (doc_id,) = removed
        if doc_id in wanted.unusable and _n_changed(current, wanted) == 0:
            reason = f"{doc_id}: {wanted.unusable[doc_id]}"
            return Decline("changed_doc_unreadable_or_empty", reason)
    if not removed and added <= {*wanted.known}:
        return Decline("missing_doc_entry", f"the store has no line of {min(added)}")
    return Decline("source_set_changed", f"{len(added):,} added, {len(removed):,} removed")


def _n_changed(current: Current, wanted: Wanted) -> int:
    both = current.lines.keys() & wanted.lines.keys()
    return sum(current.lines[doc_id] != wanted.lines[doc_id] for doc_id in both)


def _make_patch(
    doc_id: str,
    plan: Mapping[str, Sequence[str]],
    current: Current,
    wanted: Wanted,
    read_shard: Callable[[str], bytes],
) -> Patch | Decline:
    """The patch, where every shard still is what it was when its lines were read."""
    shard = next(name for name, doc_ids in plan.items() if doc_id in doc_ids)
    for name, doc_ids in plan.items():
        as_read = sum(len(current.lines[other]) for other in doc_ids)
        if name != shard and current.sizes[name] != as_read:
            return Decline("invalid_index_shape", f"{name} changed while it was read")
    number = plan[shard].index(doc_id) + 1
    before = read_shard(shard)
    span = find_line(before, number)
    if span is None or before[slice(*span)] != current.lines[doc_id]:
        return Decline("doc_anchor_not_found", f"{shard}:{number} is not the line of {doc_id}")
    if before != b"".join(map(current.lines.__getitem__, plan[shard])):
        return Decline("invalid_index_shape", f"{shard} changed while it was read")
    return Patch(
        shard=shard,
        number=number,
        doc_id=doc_id,
        shards=tuple(plan),
        script=write_script(shard, number, wanted.lines[doc_id]),
        before=before,
        after=b"".join(map(wanted.lines.__getitem__, plan[shard])),
    )
