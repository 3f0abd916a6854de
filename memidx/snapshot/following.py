"""Which documents changed, when all that is compared is the last look and a new one?

The store need not be read for it: the last look says what each file became, and which documents
are other than in the store. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from memidx.indexing.packing import DocRef, KnownFile
from memidx.indexing.scan import Scan
from memidx.indexing.state import State
from memidx.snapshot.derive import Content, Delta
from memidx.snapshot.rows import Placed
from memidx.sources.survey import IGNORE_FILE, Survey


class Edit(NamedTuple):
    """A file that is known and may be another by now: identity path, and path as on disk."""

    path: str
    disk_path: str


def edits_in(state: State, seen: Survey) -> list[Edit] | None:
    """Files whose signature does not prove them unchanged, when nothing but files' bytes changed.

    Returns:
        None when the set of files is another one, a folder failed, or a file counts that no
        source took: then which file belongs to which source has to be found out again.
    """
    if state.bases_failed or seen.failed or seen.files.keys() != state.watched.keys():
        return None
    changed = {path for path, signature in seen.files.items() if state.watched[path] != signature}
    changed.update(state.racy())
    if any(path.rpartition("/")[2] == IGNORE_FILE for path in changed):
        return None
    known = {file.disk_path: path for path, file in state.files.items()}
    edits = [Edit(known[path], path) for path in sorted(changed) if path in known]
    return edits if len(edits) == len(changed) else None


def delta_of(state: State, scan: Scan) -> Delta:
    """What a scan found to be other than at the last look."""
    placed: dict[str, Placed] = {}
    moved: dict[str, int] = {}
    gone: set[str] = set()
    kept: set[str] = set()
    for before, after in _changed(state.files, scan.files):
        old = {ref.doc_id: ref for ref in before}
        for ref in after:
            kept.add(ref.doc_id)
            was = old.get(ref.doc_id)
            if was is None or was.sum != ref.sum:
                placed[ref.doc_id] = Placed(scan.documents[ref.doc_id], ref.sum, ref.line)
            elif was.line != ref.line:
                moved[ref.doc_id] = ref.line
        gone.update(old)
    return Delta(placed, gone - kept, moved)


def unlike_after(
    unlike: Mapping[str, str | None], held: Mapping[str, Content], delta: Delta
) -> dict[str, str | None]:
    """What is other than in the store after a delta; as `State.unlike` has it.

    Args:
        unlike: Before it.
        held: Contents of the snapshot before it.
        delta: What changed.
    """
    after = dict(unlike)
    for doc_id in (*delta.gone, *delta.placed):
        if doc_id in unlike:
            stored = unlike[doc_id]
        else:
            stored = held[doc_id].sum if doc_id in held else None
        now = delta.placed[doc_id].sum if doc_id in delta.placed else None
        if stored == now:
            after.pop(doc_id, None)
        else:
            after[doc_id] = stored
    return after


def _changed(
    before: Mapping[str, KnownFile], after: Mapping[str, KnownFile]
) -> Iterator[tuple[tuple[DocRef, ...], tuple[DocRef, ...]]]:
    """Documents before and after, of every file that is not the very one of the last look."""
    for path, known in after.items():
        old = before.get(path)
        if old is not known:
            yield tuple(old.docs) if old else (), tuple(known.docs)
    for path, old in before.items():
        if path not in after:
            yield tuple(old.docs), ()
