"""How do documents become the segments a query reads?

A base is made of every document; an overlay of those that changed since; and a fold turns a base
with its overlay into the base that would be made of the same documents, to the byte, without
analysing any of them again. Each is a pure function of the documents, the analyzer and the lines
where records begin.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from memidx.analysis.base import Analyzer, FieldTerms
from memidx.garbage import collector_paused
from memidx.snapshot.counting import Text
from memidx.snapshot.format import serialise
from memidx.snapshot.inversion import FlatPostings, Inverted, invert, invert_columns, invert_few
from memidx.snapshot.observing import Observations
from memidx.snapshot.rows import Placed, Row, Rows, row_in, row_of
from memidx.snapshot.segment import Segment
from memidx.snapshot.snapshot import Snapshot
from memidx.snapshot.workers import MakeAnalyzer, analyse

if TYPE_CHECKING:
    from memidx.snapshot.inversion import Section


def build_snapshot(
    placed: Iterable[Placed | Row],
    analyzer: Analyzer,
    *,
    facts: Mapping[str, Any],
    jobs: int = 1,
    make_analyzer: MakeAnalyzer | None = None,
    observed: Observations | None = None,
) -> Iterator[bytes]:
    """Bytes of a base of `placed`.

    Args:
        placed: Every document, in ascending order of `doc_id` (code points), without repeats; its
            row alone, where it was observed.
        analyzer: What counts as a term.
        facts: What the header shall say besides the statistics.
        jobs: Processes that analyse; the bytes are the same for any number.
        make_analyzer: Makes the analyzer in another process; needed for more than one.
        observed: What was counted of documents already.

    Returns:
        Pieces of the file, to be written one after another.
    """
    rows = Rows()
    known: list[str | None] = []
    with collector_paused():
        texts = _gather(placed, rows, known)
        analysed = analyse(texts, analyzer, jobs=jobs, make_analyzer=make_analyzer)
        terms, columns = observed.joined(analysed, known) if observed else analysed
    return _file(rows, invert_columns(terms, columns, analyzer.fields), analyzer.fields, facts)


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
    kept = Rows()
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


def fold(snapshot: Snapshot, facts: Mapping[str, Any]) -> Iterator[bytes]:
    """Bytes of a base of a snapshot's live documents: those `build_snapshot` would give.

    Args:
        snapshot: Of one store.
        facts: What the header shall say besides the statistics.
    """
    import numpy as np  # only who builds a snapshot pays for it

    rows = Rows()
    docs = snapshot.docs()
    # Old document number -> new one, -1 for dead documents.
    placed = np.full(snapshot.size, -1, dtype=np.int64)
    placed[docs] = np.arange(len(docs))
    for doc in docs:
        which, doc_ord = snapshot.locate(doc)
        rows.add(row_in(snapshot.parts[which].segment, doc_ord, snapshot.line_of[doc]))
    every = [
        [part.segment.terms.raw(number) for number in range(len(part.segment.terms))]
        for part in snapshot.parts
    ]
    terms = sorted(set().union(*every))
    numbers = {term: number for number, term in enumerate(terms)}
    renumber = [np.array([numbers[term] for term in own], dtype=np.int64) for own in every]
    used = np.zeros(len(terms), dtype=bool)
    fields: list[FlatPostings] = []
    for position in range(len(snapshot.fields)):
        pieces: list[tuple[Any, Any, Any]] = []
        for part, offset, new in zip(snapshot.parts, snapshot.offsets, renumber, strict=True):
            field = part.segment.fields[position]
            at = np.frombuffer(field.at, dtype=np.uint64).astype(np.int64)
            counts = at[1:] - at[:-1]
            ords = np.frombuffer(field.ord, dtype=np.uint32)
            docs_of = placed[ords.astype(np.int64) + offset]
            live = docs_of >= 0
            pieces.append(
                (
                    np.repeat(new, counts)[live],
                    docs_of[live],
                    np.frombuffer(field.tf, dtype=np.uint32)[live],
                )
            )
        term_of, doc_of, tf = (np.concatenate(column) for column in zip(*pieces, strict=True))
        by_doc = np.argsort(doc_of, kind="stable")
        used[term_of] = True
        lengths = np.array(snapshot.lengths[position], dtype=np.uint32)[docs]
        fields.append(
            FlatPostings(term_of[by_doc], doc_of[by_doc].astype(np.uint32), tf[by_doc], lengths)
        )
    # Words of dead documents alone are no part of the vocabulary.
    compact = np.cumsum(used) - 1
    fields = [field._replace(terms=compact[field.terms]) for field in fields]
    left = [term for term, is_used in zip(terms, used.tolist(), strict=True) if is_used]
    return _file(rows, invert(left, fields, snapshot.fields), snapshot.fields, facts)


def _gather(placed: Iterable[Placed | Row], rows: Rows, known: list[str | None]) -> Iterator[Text]:
    """Take the facts of each document, and hand on what is to be analysed.

    Of a document that needs no analysis its id is added to `known`, else None.
    """
    for entry in placed:
        if isinstance(entry, Row):
            rows.add(entry)
            known.append(entry.doc_id.decode())
        else:
            rows.add(row_of(entry))
            known.append(None)
            document = entry.document
            yield document.title, document.path, document.text


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
