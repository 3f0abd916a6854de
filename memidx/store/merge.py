"""What becomes of a store that two branches changed?

Lines are compared by `doc_id`, not by their place: documents added side by side are no conflict,
and neither is a document that one side alone changed. What both sides changed differently cannot
be decided here, because a line is made from a source file; it is left between conflict markers.

Pure: bytes in, bytes out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeVar

from memidx.errors import StoreCorrupt
from memidx.store import shard_prefix
from memidx.store.layout import SHARD_CAP_BYTES, sort_key
from memidx.store.line import DamagedLine, check_line, line_doc_id
from memidx.store.manifest import Manifest

_T = TypeVar("_T")
_MARKER_SIZE = 7


@dataclass(frozen=True, slots=True)
class Clash:
    """A document that both sides changed, each in another way; None where a side removed it."""

    doc_id: str
    ours: bytes | None
    theirs: bytes | None


@dataclass(frozen=True, slots=True)
class MergedShard:
    """One shard file after a merge.

    Attributes:
        data: Its bytes; clashes stand between conflict markers, in the place of their document.
        clashes: In the order of the lines.
        too_large: Whether it passes the cap, so that a build has to spread it over more files.
    """

    data: bytes
    clashes: tuple[Clash, ...]
    too_large: bool

    @property
    def clean(self) -> bool:
        """Whether the file can be committed as it is."""
        return not self.clashes and not self.too_large


def parse_shard(
    data: bytes,
    name: str,
    *,
    damaged: list[StoreCorrupt] | None = None,
    markers_only: bool = False,
) -> dict[str, bytes]:
    """`doc_id` -> line of one shard.

    Args:
        data: The file's bytes.
        name: Named in errors.
        damaged: Takes what is wrong, and the line is left out; None raises it. A document that
            is there twice has an empty line then: it is known that it was there, and no more.
        markers_only: Raise for damage that loses a document, and so for all but what a conflict
            left.

    Raises:
        StoreCorrupt: A line is damaged, or a document is there twice.
    """
    lines: dict[str, bytes] = {}
    rest = data.split(b"\n")
    for number, line in enumerate(rest if rest[-1] else rest[:-1], 1):
        try:
            check_line(line + b"\n")
            doc_id = line_doc_id(line)
            if lines.get(doc_id, line + b"\n") != line + b"\n":
                lines[doc_id] = b""
                raise DamagedLine(f"the document is there twice: {doc_id}", lost=False)
        except DamagedLine as error:
            wrong = StoreCorrupt(error.reason, path=name, line=number)
            if damaged is None or (error.lost and markers_only):
                raise wrong from error
            damaged.append(wrong)
            continue
        lines[doc_id] = line + b"\n"
    return lines


def merge_lines(
    base: Mapping[str, bytes], ours: Mapping[str, bytes], theirs: Mapping[str, bytes]
) -> tuple[dict[str, bytes], tuple[Clash, ...]]:
    """The documents after a merge, but for those that clash; and the clashes in line order."""
    merged: dict[str, bytes] = {}
    clashes: list[Clash] = []
    for doc_id in sorted({*base, *ours, *theirs}, key=sort_key):
        was, mine, other = base.get(doc_id), ours.get(doc_id), theirs.get(doc_id)
        if mine != other and was not in (mine, other):
            clashes.append(Clash(doc_id, mine, other))
            continue
        line = other if mine == was else mine
        if line is not None:
            merged[doc_id] = line
    return merged, tuple(clashes)


def merge_shard(
    name: str,
    base: bytes,
    ours: bytes,
    theirs: bytes,
    *,
    marker_size: int = _MARKER_SIZE,
    cap: int = SHARD_CAP_BYTES,
) -> MergedShard:
    """Merge the three versions of one shard file.

    Args:
        name: The file's name; it says which documents belong in it.
        base: Bytes of the common ancestor's file; empty where it had none.
        ours: Bytes of the file on the branch that is merged into.
        theirs: Bytes of the file on the branch that is merged.
        marker_size: Characters of a conflict marker.
        cap: What no shard's size may pass, in bytes.

    Raises:
        StoreCorrupt: One of them is damaged.
    """
    # Where branches were merged crosswise, the ancestor is itself a merge and may hold conflicts.
    old = parse_shard(base, f"{name} (base)", damaged=[], markers_only=True)
    mine, other = parse_shard(ours, f"{name} (ours)"), parse_shard(theirs, f"{name} (theirs)")
    merged, clashes = merge_lines(old, mine, other)
    if not old and mine and other and shard_prefix(name):
        # Both branches split the file that held these: the ancestor's lines are in a file that
        # is not at hand, so a document of one side may be one that the other side removed.
        alone = sorted(mine.keys() ^ other.keys(), key=sort_key)
        clashes = (*clashes, *(Clash(d, mine.get(d), other.get(d)) for d in alone))
    places: dict[str, bytes] = {**merged}
    places.update((clash.doc_id, _marked(clash, marker_size)) for clash in clashes)
    data = b"".join(places[doc_id] for doc_id in sorted(places, key=sort_key))
    in_order = tuple(sorted(clashes, key=lambda clash: sort_key(clash.doc_id)))
    return MergedShard(data, in_order, too_large=sum(map(len, merged.values())) > cap)


def merge_manifests(base: Manifest | None, ours: Manifest, theirs: Manifest) -> Manifest | None:
    """The manifest after a merge; None where both sides changed the same thing differently.

    Shards are merged as a set, so that two branches may each split another file.
    """
    old = base or Manifest()
    merged = {}
    for field in ("project_name", "framework", "sources"):
        was, mine, other = (getattr(side, field) for side in (old, ours, theirs))
        if mine != other and was not in (mine, other):
            return None
        merged[field] = other if mine == was else mine
    shards = _merge_sets(old.shards, ours.shards, theirs.shards)
    prefixes = sorted(shard_prefix(name) or "" for name in shards)
    if any(later.startswith(first) for first, later in pairwise(prefixes)):
        return None
    ordered = tuple(sorted(shards, key=lambda name: shard_prefix(name) or ""))
    return replace(ours, **merged, shards=ordered)


def _merge_sets(base: Iterable[_T], ours: Iterable[_T], theirs: Iterable[_T]) -> set[_T]:
    old, mine, other = set(base), set(ours), set(theirs)
    return (mine & other) | ((mine ^ other) - old)


def _marked(clash: Clash, size: int) -> bytes:
    """Both versions of a document as git shows them."""
    return b"".join(
        (
            b"<" * size + b" ours\n",
            clash.ours or b"",
            b"=" * size + b"\n",
            clash.theirs or b"",
            b">" * size + b" theirs\n",
        )
    )
