"""Which documents changed, when all that is compared is the last look and a new one?

The store need not be read for it: the last look says what each file became, and which documents
are other than in the store. Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from memidx.indexing.scan import Scan
from memidx.indexing.state import State
from memidx.snapshot.derive import Delta
from memidx.snapshot.held import Held
from memidx.snapshot.rows import Placed
from memidx.sources.survey import IGNORE_FILE


class Edit(NamedTuple):
    """A file that is known and may be another by now: identity path, and path as on disk."""

    path: str
    disk_path: str


def edits_in(state: State, suspects: Collection[str]) -> list[Edit] | None:
    """The known files among those whose signature does not prove them unchanged.

    Args:
        suspects: Root-relative paths as on disk, of the same set of files as the last look's.

    Returns:
        None when a file counts that no source took: then which file belongs to which source has to
        be found out again.
    """
    edits = []
    for disk_path in sorted(suspects):
        known = state.known_at(disk_path)
        if known is None or disk_path.rpartition("/")[2] == IGNORE_FILE:
            return None
        edits.append(Edit(known[0], disk_path))
    return edits


def delta_of(state: State, scan: Scan) -> Delta:
    """What a scan of edits found to be other than at the last look."""
    placed: dict[str, Placed] = {}
    moved: dict[str, int] = {}
    gone: set[str] = set()
    kept: set[str] = set()
    for path, after in scan.files.items():
        before = state.files[path]
        if after is before:
            continue
        old = {ref.doc_id: ref for ref in before.docs}
        for ref in after.docs:
            kept.add(ref.doc_id)
            was = old.get(ref.doc_id)
            if was is None or was.sum != ref.sum:
                placed[ref.doc_id] = Placed(scan.documents[ref.doc_id], ref.sum, ref.line)
            elif was.line != ref.line:
                moved[ref.doc_id] = ref.line
        gone.update(old)
    return Delta(placed, gone - kept, moved)


def unlike_after(
    unlike: Mapping[str, str | None], held: Held, delta: Delta
) -> dict[str, str | None]:
    """What is other than in the store after a delta; as `State.unlike` has it.

    Args:
        unlike: Before it.
        held: What the snapshot before it holds.
        delta: What changed.
    """
    after = dict(unlike)
    for doc_id in (*delta.gone, *delta.placed):
        stored = unlike[doc_id] if doc_id in unlike else held.sum_of(doc_id)
        now = delta.placed[doc_id].sum if doc_id in delta.placed else None
        if stored == now:
            after.pop(doc_id, None)
        else:
            after[doc_id] = stored
    return after
