"""What does one snapshot file hold?

An immutable view: vocabulary, postings, field lengths, document facts and texts, all read in
place. Opening costs a header; a query touches the pages it needs. What a query reads is made of
one segment or several (`memidx.snapshot.snapshot`).
"""

from __future__ import annotations

from memidx import files
from memidx.light import TYPE_CHECKING, bisect_left, parse_json
from memidx.snapshot.format import Blobs, Sections
from memidx.values import NamedTuple

if TYPE_CHECKING:
    from typing import Any


class Card(NamedTuple):
    """Facts of one document that only a shown hit needs."""

    title: str
    time: str | None
    tags: tuple[str, ...]
    source_hash: str
    sum: str


class Field:
    """One field: postings by term, and lengths by document.

    Attributes:
        at: Offsets into `ord` and `tf`, one more than there are terms.
        ord: `doc_ord` of each posting, ascending within a term.
        tf: Occurrences of the term, parallel to `ord`.
        lengths: Field length per `doc_ord`.
        n_filled: Documents that have the field, whose lengths add up to `total`.
    """

    __slots__ = ("at", "lengths", "n_filled", "name", "ord", "tf", "total")

    def __init__(self, sections: Sections, name: str) -> None:
        self.name = name
        self.at: memoryview[int] = sections.array(f"{name}.at")
        self.ord: memoryview[int] = sections.array(f"{name}.ord")
        self.tf: memoryview[int] = sections.array(f"{name}.tf")
        self.lengths: memoryview[int] = sections.array(f"{name}.len")
        self.n_filled: int
        self.total: int
        self.n_filled, self.total = sections.facts["totals"][name]

    def frequency(self, number: int, doc_ord: int) -> int:
        """`tf` of a term in one document, 0 when it does not occur."""
        end = self.at[number + 1]
        place = bisect_left(self.ord, doc_ord, self.at[number], end)
        return self.tf[place] if place < end and self.ord[place] == doc_ord else 0


class Segment:
    """Documents and their postings, as one file holds them.

    Args:
        data: The file's bytes, usually a memory map.
        name: What to call it in an error.
    """

    def __init__(self, data: memoryview, name: str) -> None:
        sections = Sections(data, name)
        facts = sections.facts
        self.is_sound = sections.is_sound
        self._data = data
        # What others work out of it again and again, by the type of what they keep.
        self.remembered: dict[Any, Any] = {}
        self.facts: dict[str, Any] = facts
        self.n_docs: int = facts["n_docs"]
        self.n_searchable: int = facts["n_searchable"]
        self.sources: list[str] = facts["sources"]
        self.kinds: list[str] = facts["kinds"]
        self.terms = Blobs(sections, "term")
        self.df: memoryview[int] = sections.array("df")
        self.norm: memoryview[float] = sections.array("norm")
        self.fields = tuple(Field(sections, field) for field in facts["fields"])
        self.doc_ids = Blobs(sections, "doc.id")
        self.sums = Blobs(sections, "doc.sum")
        self.source_of: memoryview[int] = sections.array("doc.source")
        self.kind_of: memoryview[int] = sections.array("doc.kind")
        self.day_of: memoryview[float] = sections.array("doc.day")
        self.line_of: memoryview[int] = sections.array("doc.line")
        self.n_terms: memoryview[int] = sections.array("doc.n_terms")
        self.texts = Blobs(sections, "doc.text")
        self.cards = Blobs(sections, "doc.card")
        self.path_bytes: memoryview[int] = sections.array("doc.path_bytes")
        # Of the few documents that say something of their standing, in ascending order.
        self.standing_docs: memoryview[int] = sections.array("standing.doc")
        self.standings = Blobs(sections, "standing")
        self.dead: memoryview[int] = sections.array("base.dead")
        self.moved: memoryview[int] = sections.array("base.moved")
        self.moved_to: memoryview[int] = sections.array("base.moved_to")

    def is_whole(self) -> bool:
        """Whether nobody cut its file: to read on in one that was cut ends the process."""
        return files.is_whole(self._data)

    @property
    def base(self) -> str | None:
        """Key of the segment this one is an overlay of, or None."""
        key = self.facts.get("base")
        return None if key is None else str(key)

    def find_term(self, term: str) -> int:
        """Number of a term in the vocabulary, or -1 when no document holds it."""
        number = self.terms.find(term.encode("utf-8", "replace"))
        return -1 if number is None else number

    def path(self, doc_ord: int) -> str:
        """Path of a document."""
        return self.doc_ids.raw(doc_ord)[: self.path_bytes[doc_ord]].decode()

    def card(self, doc_ord: int) -> Card:
        """Facts of a document that are shown with it."""
        title, time, tags, source_hash = parse_json(self.cards.raw(doc_ord))
        return Card(title, time, tuple(tags), source_hash, self.sums[doc_ord])

    def standing(self, doc_ord: int) -> bytes:
        """What a document says of its standing, as `memidx.snapshot.standing` wrote it."""
        place = bisect_left(self.standing_docs, doc_ord)
        docs = self.standing_docs
        is_there = place < len(docs) and docs[place] == doc_ord
        return self.standings.raw(place) if is_there else b""

    def find(self, doc_id: str) -> int | None:
        """`doc_ord` of a document, or None. Ids are sorted by code point, as UTF-8 bytes are."""
        return self.doc_ids.find(doc_id.encode("utf-8", "replace"))

    def terms_of(self) -> list[list[dict[str, int]]]:
        """What each document holds, `[doc_ord][field]` -> `{term: tf}`; reads every posting."""
        found: list[list[dict[str, int]]] = [[{} for _ in self.fields] for _ in range(self.n_docs)]
        for position, field in enumerate(self.fields):
            for number in range(len(self.terms)):
                begin, end = field.at[number], field.at[number + 1]
                if begin == end:
                    continue
                term = self.terms[number]
                for place in range(begin, end):
                    found[field.ord[place]][position][term] = field.tf[place]
        return found
