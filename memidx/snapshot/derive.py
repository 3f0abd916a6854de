"""How does a snapshot follow an edit?

A delta says which documents are other than in a snapshot that is there. What it names is analysed
into an overlay over that snapshot's base; documents that already stood in the overlay keep the
terms they have. When the overlay has grown, base and overlay are folded into a new base.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from hashlib import blake2b
from typing import Any, NamedTuple

from memidx.analysis.base import Analyzer
from memidx.analysis.pieces import FieldTerms
from memidx.files.spooling import IN_MEMORY, Scratch
from memidx.snapshot import analyzer_key
from memidx.snapshot.builder import build_overlay, fold
from memidx.snapshot.rows import Placed, Row, row_in, row_of
from memidx.snapshot.segment import Segment
from memidx.snapshot.snapshot import Snapshot
from memidx.values import Value, field

# An overlay of more documents than this, and than this share of its base, is folded into it: every
# edit writes the overlay anew, and every search looks at both.
MIN_FOLDED = 64
FOLDED_SHARE = 0.02


class Content(NamedTuple):
    """What of a document decides whether a snapshot has it as it is."""

    sum: str
    line: int


class Delta(Value):
    """Documents that differ from those of a snapshot.

    Attributes:
        placed: `doc_id` -> the document as it is now: new ones and changed ones.
        gone: `doc_id`s that are no more.
        moved: `doc_id` -> line where an unchanged document begins by now.
    """

    placed: Mapping[str, Placed] = field(default_factory=dict)
    gone: Collection[str] = ()
    moved: Mapping[str, int] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Documents it names."""
        return len(self.placed) + len(self.gone) + len(self.moved)


class Derived(NamedTuple):
    """Bytes of a new segment.

    Attributes:
        pieces: To be written one after another.
        base: Key of the base it is an overlay of; None for a base.
        n_analysed: Documents whose text is tokenized while the pieces are made.
    """

    pieces: Iterator[bytes]
    base: str | None
    n_analysed: int


def contents(snapshot: Snapshot) -> dict[str, Content]:
    """Every live document of a snapshot of one store, in ascending order of `doc_id`."""
    found = {}
    lines = snapshot.line_of
    for doc in snapshot.docs():
        which, doc_ord = snapshot.locate(doc)
        segment = snapshot.parts[which].segment
        found[segment.doc_ids[doc_ord]] = Content(segment.sums[doc_ord], lines[doc])
    return found


def key_of(build_id: str, begins: Iterable[tuple[str, int]], analyzer: Analyzer) -> str:
    """Key of the snapshot of documents under an analyzer.

    Args:
        begins: `doc_id` and line where each document begins, in ascending order of `doc_id`.
    """
    digest = blake2b(build_id.encode(), digest_size=12)
    text = "".join([f"{doc_id}\0{line}\n" for doc_id, line in begins if line != 1])
    digest.update(text.encode())
    return f"{digest.hexdigest()}-{analyzer_key(analyzer)}"


def facts_of(build_id: str, analyzer: Analyzer) -> dict[str, Any]:
    """What a segment's header says of the documents it completes and of its analyzer."""
    return {
        "build_id": build_id,
        "analyzer": analyzer.fingerprint(),
        "analyzer_name": analyzer.name,
    }


def derive(
    snapshot: Snapshot,
    key: str,
    delta: Delta,
    analyzer: Analyzer,
    facts: Mapping[str, Any],
    *,
    has: Callable[[str], bool],
    scratch: Scratch = IN_MEMORY,
) -> Derived:
    """The segment that makes a snapshot hold what a delta says.

    Args:
        snapshot: Of one store.
        key: Key of its newest segment.
        delta: What it lacks; not empty.
        analyzer: The one that made the snapshot.
        facts: What the header shall say besides the statistics.
        has: Whether the base with this key is where its overlay would look for it; another
            process may have removed it since it was opened.
        scratch: Where a base that is too much for memory is put aside until it is written.
    """
    base = snapshot.parts[0].segment
    overlay = snapshot.parts[1] if len(snapshot.parts) > 1 else None
    base_key = str(overlay.segment.base) if overlay else key
    rows: dict[str, Row] = {}
    dead = set(snapshot.parts[0].dead)
    moved = dict(snapshot.parts[0].moved)
    if overlay is not None:
        for doc_id, row in _known_rows(overlay.segment, delta):
            rows[doc_id] = row
    for doc_id in (*delta.gone, *delta.placed):
        doc_ord = base.find(doc_id)
        if doc_ord is not None:
            dead.add(doc_ord)
            moved.pop(doc_ord, None)
    n_analysed = 0
    for doc_id, placed in delta.placed.items():
        doc_ord = base.find(doc_id)
        if doc_ord is not None and base.sums[doc_ord] == placed.sum:
            # It is again what it was when the base was made.
            dead.discard(doc_ord)
            if base.line_of[doc_ord] != placed.line:
                moved[doc_ord] = placed.line
            continue
        rows[doc_id] = row_of(placed)
        n_analysed += 1
    for doc_id, line in delta.moved.items():
        doc_ord = base.find(doc_id)
        if doc_id not in rows and doc_ord is not None:
            moved[doc_ord] = line
    pieces = build_overlay(
        (rows[doc_id] for doc_id in sorted(rows)),
        analyzer,
        base=base_key,
        dead=dead,
        moved=moved,
        facts=facts,
    )
    is_small = max(len(rows), len(dead)) <= max(MIN_FOLDED, FOLDED_SHARE * base.n_docs)
    if is_small and has(base_key):
        return Derived(pieces, base_key, n_analysed)
    joined = Snapshot.overlaid(base, Segment(memoryview(b"".join(pieces)), "overlay"))
    return Derived(fold(joined, facts, scratch), None, n_analysed)


def _known_rows(overlay: Segment, delta: Delta) -> Iterator[tuple[str, Row]]:
    """Rows of an overlay that a delta leaves as they are, with the terms they have."""
    found = overlay.terms_of()
    for doc_ord in range(overlay.n_docs):
        doc_id = overlay.doc_ids[doc_ord]
        if doc_id in delta.placed or doc_id in delta.gone:
            continue
        line = delta.moved.get(doc_id, overlay.line_of[doc_ord])
        fields = [
            FieldTerms(tf, field.lengths[doc_ord])
            for tf, field in zip(found[doc_ord], overlay.fields, strict=True)
        ]
        yield doc_id, row_in(overlay, doc_ord, line, fields)
