"""What does a segment keep of each document besides its postings?"""

from __future__ import annotations

import json
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from memidx.analysis.pieces import FieldTerms
from memidx.documents import Document
from memidx.files.spooling import Scratch
from memidx.snapshot.segment import Segment
from memidx.snapshot.standing import standing_of
from memidx.snapshot.writing import LongBlobs, Section, blob_sections
from memidx.store.line import compact
from memidx.text import days_since_epoch

NO_DAY = float("-inf")  # an undated document is older than any date


class Placed(NamedTuple):
    """A document, the checksum of its line, and where it begins in its file."""

    document: Document
    sum: str
    line: int


class Row(NamedTuple):
    """One document as a segment keeps it.

    Attributes:
        doc_id: UTF-8.
        path_bytes: How much of `doc_id` is the path.
        card: What only a shown hit needs, as JSON: title, time, tags, source hash.
        day: Days since 1970-01-01, `NO_DAY` for an undated document.
        line: Where it begins in its file.
        sum: Checksum of its line in the store.
        fields: Its terms, where they are known already; else the text is analysed.
        standing: What it says of its standing (`memidx.snapshot.standing`); mostly nothing.
    """

    doc_id: bytes
    path_bytes: int
    card: bytes
    text: bytes
    source: str
    kind: str
    day: float
    line: int
    sum: str
    fields: Sequence[FieldTerms] | None = None
    standing: bytes = b""

    @property
    def title(self) -> str:
        """The document's title."""
        return str(json.loads(self.card)[0])

    @property
    def path(self) -> str:
        """The document's path."""
        return self.doc_id[: self.path_bytes].decode()


def row_of(placed: Placed) -> Row:
    """A document whose text is still to be analysed."""
    document = placed.document
    card = (document.title, document.time, document.tags, document.source_hash)
    return Row(
        document.doc_id.encode(),
        len(document.path.encode()),
        compact(card).encode(),
        document.text.encode(),
        document.source,
        document.kind,
        _day(document.time),
        placed.line,
        placed.sum,
        standing=standing_of(document),
    )


def row_in(
    segment: Segment, doc_ord: int, line: int, fields: Sequence[FieldTerms] | None = None
) -> Row:
    """A document as another segment keeps it, beginning at `line` by now."""
    return Row(
        segment.doc_ids.raw(doc_ord),
        segment.path_bytes[doc_ord],
        segment.cards.raw(doc_ord),
        segment.texts.raw(doc_ord),
        segment.sources[segment.source_of[doc_ord]],
        segment.kinds[segment.kind_of[doc_ord]],
        segment.day_of[doc_ord],
        line,
        segment.sums[doc_ord],
        fields,
        segment.standing(doc_ord),
    )


class Rows:
    """Collects rows into the sections of a segment.

    Who gets them in another order than that of `doc_id` puts them in order at the end.

    Args:
        scratch: Where sections are put aside that are too much for memory.
    """

    def __init__(self, scratch: Scratch) -> None:
        self._scratch = scratch
        self._ids = LongBlobs(scratch.spool())
        self._cards = LongBlobs(scratch.spool())
        self._texts = LongBlobs(scratch.spool())
        self._sums = LongBlobs(scratch.spool())
        self._path_bytes = array("I")
        self._source = array("H")
        self._kind = array("H")
        self._day = array("d")
        self._line = array("I")
        self._standing_docs = array("I")
        self._standings: list[bytes] = []
        self._sources = _Names()
        self._kinds = _Names()

    def __len__(self) -> int:
        return len(self._ids)

    def add(self, row: Row) -> None:
        """Take in the next document."""
        if row.standing:
            self._standing_docs.append(len(self._ids))
            self._standings.append(row.standing)
        self._ids.add(row.doc_id)
        self._cards.add(row.card)
        self._texts.add(row.text)
        self._sums.add(row.sum.encode())
        self._path_bytes.append(row.path_bytes)
        self._source.append(self._sources.number(row.source))
        self._kind.append(self._kinds.number(row.kind))
        self._day.append(row.day)
        self._line.append(row.line)

    def sum(self, number: int) -> str:
        """Checksum of the line of one of them."""
        return self._sums[number].decode()

    def row(self, number: int) -> Row:
        """The row that was taken in as number so many, from 0 on."""
        place = bisect_left(self._standing_docs, number)
        has_standing = self._standing_docs[place : place + 1] == array("I", [number])
        return Row(
            self._ids[number],
            self._path_bytes[number],
            self._cards[number],
            self._texts[number],
            self._sources.name(self._source[number]),
            self._kinds.name(self._kind[number]),
            self._day[number],
            self._line[number],
            self.sum(number),
            standing=self._standings[place] if has_standing else b"",
        )

    def ordered(self, numbers: array[int]) -> Rows:
        """Those of these numbers, in this order."""
        if numbers == array(numbers.typecode, range(len(self))):
            return self
        rows = Rows(self._scratch)
        for number in numbers:
            rows.add(self.row(number))
        return rows

    def facts(self) -> dict[str, object]:
        """What the header says of them."""
        return {
            "n_docs": len(self._ids),
            "sources": self._sources.names(),
            "kinds": self._kinds.names(),
        }

    def sections(self, n_terms: Iterable[int]) -> dict[str, Section]:
        """Their sections; `n_terms` are the distinct terms of each document, over all fields."""
        return {
            **self._ids.sections("doc.id"),
            **self._cards.sections("doc.card"),
            **self._sums.sections("doc.sum"),
            "doc.path_bytes": ("I", self._path_bytes.tobytes()),
            "doc.source": ("H", self._source.tobytes()),
            "doc.kind": ("H", self._kind.tobytes()),
            "doc.day": ("d", self._day.tobytes()),
            "doc.line": ("I", self._line.tobytes()),
            "doc.n_terms": ("I", array("I", n_terms).tobytes()),
            "standing.doc": ("I", self._standing_docs.tobytes()),
            **blob_sections("standing", self._standings),
            **self._texts.sections("doc.text"),
        }


def _day(time: str | None) -> float:
    """The day of a document; a time that another program wrote and nobody can read is none."""
    try:
        return NO_DAY if time is None else days_since_epoch(time)
    except ValueError:
        return NO_DAY


class _Names:
    """Small table of repeated names."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._names: list[str] = []

    def number(self, name: str) -> int:
        if name not in self._numbers:
            self._numbers[name] = len(self._names)
            self._names.append(name)
        return self._numbers[name]

    def name(self, number: int) -> str:
        return self._names[number]

    def names(self) -> list[str]:
        return self._names
