"""Which documents does a snapshot hold, as far as its names depend on it?

A snapshot is named by the checksum of every document and by the lines where documents begin. An
edit changes one of thousands: what the names are made from is kept, and only its part of it is
replaced.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from hashlib import sha256

from memidx.analysis.base import Analyzer
from memidx.snapshot.derive import Delta, key_of
from memidx.snapshot.snapshot import Snapshot


class Held:
    """The documents of a snapshot of one store; immutable.

    Args:
        ids: Every `doc_id` in UTF-8, ascending.
        rows: What the build id is made from, `doc_id`, NUL, checksum and a line end, in that order.
        begins: `doc_id` -> line where the document begins, where that is not the first.
    """

    __slots__ = ("_begins", "_ids", "_rows")

    def __init__(self, ids: list[bytes], rows: list[bytes], begins: Mapping[str, int]) -> None:
        self._ids = ids
        self._rows = rows
        self._begins = begins

    @classmethod
    def of(cls, snapshot: Snapshot) -> Held:
        """What a snapshot of one store holds."""
        found: list[tuple[bytes, bytes]] = []
        begins: dict[str, int] = {}
        for part in snapshot.parts:
            segment, dead, moved = part.segment, part.dead, part.moved
            id_of, sum_of, line_of = segment.doc_ids.raw, segment.sums.raw, segment.line_of
            for doc_ord in range(segment.n_docs):
                if doc_ord in dead:
                    continue
                doc_id = id_of(doc_ord)
                found.append((doc_id, b"%b\0%b\n" % (doc_id, sum_of(doc_ord))))
                line = moved.get(doc_ord, line_of[doc_ord])
                if line != 1:
                    begins[doc_id.decode()] = line
        found.sort()
        return cls([doc_id for doc_id, _ in found], [row for _, row in found], begins)

    def __contains__(self, doc_id: str) -> bool:
        return self._place(doc_id.encode())[1]

    def sum_of(self, doc_id: str) -> str | None:
        """Checksum of a document's line; None for one that is not held."""
        name = doc_id.encode()
        place, is_there = self._place(name)
        return self._rows[place][len(name) + 1 : -1].decode() if is_there else None

    def after(self, delta: Delta) -> Held:
        """What is held when a delta was taken in."""
        ids, rows, begins = self._ids[:], self._rows[:], dict(self._begins)
        after = Held(ids, rows, begins)
        for doc_id in delta.gone:
            place, is_there = after._place(doc_id.encode())
            if is_there:
                del ids[place], rows[place]
        for doc_id, placed in delta.placed.items():
            name = doc_id.encode()
            place, is_there = after._place(name)
            # Replaced where it stands, or put in between.
            end = place + 1 if is_there else place
            ids[place:end] = [name]
            rows[place:end] = [b"%b\0%b\n" % (name, placed.sum.encode())]
        begins.update(delta.moved)
        begins.update((doc_id, placed.line) for doc_id, placed in delta.placed.items())
        for doc_id in (*delta.gone, *delta.moved, *delta.placed):
            if doc_id in delta.gone or begins[doc_id] == 1:
                begins.pop(doc_id, None)
        return after

    def build_id(self) -> str:
        """Names the documents, whatever the analyzer (`memidx.store.reader.index_build_id`)."""
        return sha256(b"".join(self._rows)).hexdigest()

    def key(self, build_id: str, analyzer: Analyzer) -> str:
        """Key of a snapshot of these documents under an analyzer."""
        return key_of(build_id, sorted(self._begins.items()), analyzer)

    def _place(self, doc_id: bytes) -> tuple[int, bool]:
        """Where a document stands, or would stand, and whether it is there."""
        place = bisect_left(self._ids, doc_id)
        return place, place < len(self._ids) and self._ids[place] == doc_id
