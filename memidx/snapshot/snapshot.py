"""What does a query read?

An immutable view of one snapshot file: vocabulary, postings, field lengths, document facts and
texts, all read in place. Opening costs a header; a query touches the pages it needs.
"""

from __future__ import annotations

import json
from functools import cached_property
from typing import Any, NamedTuple

from memidx import files
from memidx.snapshot.format import Blobs, Sections


class Card(NamedTuple):
    """Facts of one document that only a shown hit needs."""

    title: str
    time: str | None
    tags: tuple[str, ...]
    source_hash: str
    sum: str


class FieldView:
    """One field: postings by term, and lengths by document.

    Attributes:
        at: Offsets into `ord` and `tf`, one more than there are terms.
        ord: `doc_ord` of each posting, ascending within a term.
        tf: Occurrences of the term, parallel to `ord`.
        lengths: Field length per `doc_ord`.
        avgdl: Mean length over documents that have the field; 1.0 when none has.
    """

    __slots__ = ("at", "avgdl", "lengths", "name", "ord", "tf")

    def __init__(self, sections: Sections, name: str) -> None:
        self.name = name
        self.at: memoryview[int] = sections.array(f"{name}.at")
        self.ord: memoryview[int] = sections.array(f"{name}.ord")
        self.tf: memoryview[int] = sections.array(f"{name}.tf")
        self.lengths: memoryview[int] = sections.array(f"{name}.len")
        n_docs, total = sections.facts["totals"][name]
        self.avgdl: float = total / n_docs if n_docs else 1.0

    def documents(self, number: int) -> memoryview[int]:
        """`doc_ord` of every document that holds a term, ascending."""
        return self.ord[self.at[number] : self.at[number + 1]]


class Snapshot:
    """Documents and statistics of one state of store and sources.

    Args:
        data: The file's bytes, usually a memory map.
        name: What to call it in an error.
    """

    def __init__(self, data: memoryview, name: str) -> None:
        sections = Sections(data, name)
        facts = sections.facts
        self.is_sound = sections.is_sound
        self._data = data
        self.facts: dict[str, Any] = facts
        self.n_docs: int = facts["n_docs"]
        self.n_searchable: int = facts["n_searchable"]
        self.sources: list[str] = facts["sources"]
        self.kinds: list[str] = facts["kinds"]
        self.terms = Blobs(sections, "term")
        self.df: memoryview[int] = sections.array("df")
        self.norm: memoryview[float] = sections.array("norm")
        self.fields = tuple(FieldView(sections, field) for field in facts["fields"])
        self.doc_ids = Blobs(sections, "doc.id")
        self.source_of: memoryview[int] = sections.array("doc.source")
        self.kind_of: memoryview[int] = sections.array("doc.kind")
        self.day_of: memoryview[float] = sections.array("doc.day")
        self.line_of: memoryview[int] = sections.array("doc.line")
        self.texts = Blobs(sections, "doc.text")
        self._cards = Blobs(sections, "doc.card")
        self._path_bytes: memoryview[int] = sections.array("doc.path_bytes")

    def is_whole(self) -> bool:
        """Whether nobody cut its file: to read on in one that was cut ends the process."""
        return files.is_whole(self._data)

    def term(self, term: str) -> int | None:
        """Number of a term in the vocabulary, or None when no document holds it."""
        return self.terms.find(term.encode("utf-8", "replace"))

    def path(self, doc_ord: int) -> str:
        """Path of a document."""
        return self.doc_ids.raw(doc_ord)[: self._path_bytes[doc_ord]].decode()

    def card(self, doc_ord: int) -> Card:
        """Facts of a document that are shown with it."""
        title, time, tags, source_hash, line_sum = json.loads(self._cards.raw(doc_ord))
        return Card(title, time, tuple(tags), source_hash, line_sum)

    def find(self, doc_id: str) -> int | None:
        """`doc_ord` of a document, or None. Ids are sorted by code point, as UTF-8 bytes are."""
        return self.doc_ids.find(doc_id.encode("utf-8", "replace"))

    @cached_property
    def n_docs_by_source(self) -> dict[str, int]:
        """Documents of each source."""
        counts = dict.fromkeys(self.sources, 0)
        for number in self.source_of:
            counts[self.sources[number]] += 1
        return counts
