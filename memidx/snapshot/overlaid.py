"""How are several stores one, the nearest first?

Statistics are global, and of two documents with one `doc_id` the nearer masks the farther.
"""

from __future__ import annotations

from memidx.light import TYPE_CHECKING
from memidx.snapshot.snapshot import Snapshot
from memidx.values import replace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memidx.indexing.state import Freshness
    from memidx.snapshot.parts import Part
    from memidx.snapshot.refresh import Ready

# From the best to the worst: an answer is as fresh as the least fresh of its stores.
_FRESHNESS: tuple[Freshness, ...] = ("fresh", "refreshed", "unchecked", "stale")


def together(readies: Sequence[Ready], snapshot: Snapshot) -> Ready:
    """All stores as one.

    Args:
        readies: The nearest first.
        snapshot: Theirs, laid over one another.
    """
    freshness = max((ready.freshness for ready in readies), key=_FRESHNESS.index)
    return replace(
        readies[0],
        snapshot=snapshot,
        freshness=freshness,
        n_added=sum(ready.n_added for ready in readies),
        n_changed=sum(ready.n_changed for ready in readies),
        n_removed=sum(ready.n_removed for ready in readies),
        n_read=sum(ready.n_read for ready in readies),
        n_parsed=sum(ready.n_parsed for ready in readies),
        n_analysed=sum(ready.n_analysed for ready in readies),
        notes=tuple(dict.fromkeys(note for ready in readies for note in ready.notes)),
        farther=tuple(readies[1:]),
    )


def lay_over(snapshots: Sequence[Snapshot]) -> Snapshot:
    """One snapshot of several stores, the nearest first.

    A document of a farther store is dead where a nearer one has its `doc_id`.
    """
    parts: list[Part] = []
    seen: set[bytes] = set()
    for store, snapshot in enumerate(snapshots):
        own: set[bytes] = set()
        for part in snapshot.parts:
            ids = part.segment.doc_ids
            live = {
                doc_ord: ids.raw(doc_ord)
                for doc_ord in range(part.segment.n_docs)
                if doc_ord not in part.dead
            }
            masked = {doc_ord for doc_ord, doc_id in live.items() if doc_id in seen}
            parts.append(part._replace(dead=part.dead | masked, store=store))
            own.update(live.values())
        seen |= own
    return Snapshot(parts)
