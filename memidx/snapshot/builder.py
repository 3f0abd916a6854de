"""How do documents become the segments a query reads?

A base is made of every document; an overlay of those that changed since; and a fold turns a base
with its overlay into the base that would be made of the same documents, to the byte, without
analysing any of them again. Each is a pure function of the documents, the analyzer and the lines
where records begin.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from memidx.analysis.base import Analyzer
from memidx.analysis.pieces import FieldTerms
from memidx.files.spooling import IN_MEMORY, Scratch
from memidx.garbage import collector_paused
from memidx.snapshot.inversion import Inverted, invert, invert_few
from memidx.snapshot.joining import Joined
from memidx.snapshot.observing import Observations
from memidx.snapshot.rows import Placed, Row, Rows, row_in
from memidx.snapshot.runs import SegmentRun
from memidx.snapshot.segment import Segment
from memidx.snapshot.snapshot import Snapshot
from memidx.snapshot.workers import MakeAnalyzer, analyse, forget_counters
from memidx.snapshot.writing import Section, serialise


def build_snapshot(
    placed: Iterable[Placed | int],
    analyzer: Analyzer,
    *,
    facts: Mapping[str, Any],
    jobs: int = 1,
    make_analyzer: MakeAnalyzer | None = None,
    scratch: Scratch = IN_MEMORY,
    observed: Observations | None = None,
) -> Iterator[bytes]:
    """Bytes of a base of `placed`.

    Args:
        placed: Every document, in ascending order of `doc_id` (code points), without repeats; where
            it was observed, its number there.
        analyzer: What counts as a term.
        facts: What the header shall say besides the statistics.
        jobs: Processes that analyse; the bytes are the same for any number.
        make_analyzer: Makes the analyzer in another process; needed for more than one.
        scratch: Where what is too much for memory is put aside until it is written.
        observed: What was counted of documents already; it is used up.

    Returns:
        Pieces of the file, to be written one after another.
    """
    found = observed or Observations(analyzer, make_analyzer, scratch)
    order = array("L")
    with collector_paused():
        texts = found.rest(placed, order)
        for counted in analyse(texts, analyzer, jobs=jobs, make_analyzer=make_analyzer):
            found.postings.add(counted)
        forget_counters()
        inverted = found.inverted(order)
        return _file(found.rows.ordered(order), inverted, analyzer.fields, facts)


def snapshot_in_memory(
    placed: Iterable[Placed], analyzer: Analyzer, facts: Mapping[str, Any], name: str = "memory"
) -> Snapshot:
    """A snapshot that no file holds; arguments as of `build_snapshot`."""
    data = b"".join(build_snapshot(placed, analyzer, facts=facts))
    return Snapshot.of(Segment(memoryview(data), name))


def build_overlay(
    rows: Iterable[Row],
    analyzer: Analyzer,
    *,
    base: str,
    dead: Collection[int],
    moved: Mapping[int, int],
    facts: Mapping[str, Any],
) -> Iterator[bytes]:
    """Bytes of an overlay.

    Args:
        rows: Documents that are new or other than in the base, in ascending order of `doc_id`.
        analyzer: What counts as a term.
        base: Key of the base.
        dead: `doc_ord`s of the base that are replaced or gone.
        moved: `doc_ord` of the base -> line where the document begins by now.
        facts: What the header shall say besides the statistics.
    """
    kept = Rows(IN_MEMORY)
    documents: list[tuple[FieldTerms, ...]] = []
    for row in rows:
        kept.add(row)
        fields = row.fields or analyzer.document(
            title=row.title, path=row.path, text=row.text.decode()
        )
        documents.append(tuple(fields))
    inverted = invert_few(documents, analyzer.fields)
    return _file(
        kept, inverted, analyzer.fields, {**facts, "base": base}, _base_sections(dead, moved)
    )


def fold(
    snapshot: Snapshot, facts: Mapping[str, Any], scratch: Scratch = IN_MEMORY
) -> Iterator[bytes]:
    """Bytes of a base of a snapshot's live documents: those `build_snapshot` would give.

    Args:
        snapshot: Of one store.
        facts: What the header shall say besides the statistics.
        scratch: As of `build_snapshot`.
    """
    import numpy as np  # only who builds a snapshot pays for it

    rows = Rows(scratch)
    docs = snapshot.docs()
    n_terms = array("I")
    # Old document number -> new one, -1 for dead documents.
    placed = np.full(snapshot.size, -1, dtype=np.int64)
    placed[docs] = np.arange(len(docs))
    for doc in docs:
        which, doc_ord = snapshot.locate(doc)
        segment = snapshot.parts[which].segment
        rows.add(row_in(segment, doc_ord, snapshot.line_of[doc]))
        n_terms.append(segment.n_terms[doc_ord])
    joined = Joined([part.segment.terms for part in snapshot.parts])
    runs = []
    for part, offset, places in zip(snapshot.parts, snapshot.offsets, joined.places, strict=True):
        segment = part.segment
        runs.append(SegmentRun(segment, placed[offset : offset + segment.n_docs], places))
    # Words of dead documents alone are no part of the vocabulary.
    used = np.zeros(joined.size, dtype=bool)
    for run in runs:
        used[run.terms] = True
    compact = np.cumsum(used) - 1
    inverted = invert(
        joined.terms(np.flatnonzero(used)),
        runs,
        [compact[run.terms] for run in runs],
        [np.array(lengths, dtype=np.uint32)[docs] for lengths in snapshot.lengths],
        n_terms,
        snapshot.fields,
        scratch,
    )
    return _file(rows, inverted, snapshot.fields, facts)


def _file(
    rows: Rows,
    inverted: Inverted,
    fields: tuple[str, ...],
    facts: Mapping[str, Any],
    base: Mapping[str, Section] | None = None,
) -> Iterator[bytes]:
    return serialise(
        {**facts, **inverted.facts, **rows.facts(), "fields": list(fields)},
        {
            **inverted.sections,
            **rows.sections(inverted.n_terms),
            **(base or _base_sections((), {})),
        },
    )


def _base_sections(dead: Collection[int], moved: Mapping[int, int]) -> dict[str, Section]:
    """What an overlay says of its base; empty in a base."""
    places = sorted(moved)
    return {
        "base.dead": ("I", array("I", sorted(dead)).tobytes()),
        "base.moved": ("I", array("I", places).tobytes()),
        "base.moved_to": ("I", array("I", (moved[place] for place in places)).tobytes()),
    }
