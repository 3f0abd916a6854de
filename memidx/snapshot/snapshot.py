"""What does a query read?

Documents and statistics of one state of the sources: a base segment, an overlay of the documents
that changed since, whose old versions in the base are dead, and so for each store of a query.
Statistics count live documents only, whatever segment they are in, so that scores are those of one
segment made anew, to the bit.

Documents are numbered through the segments (`doc`); dead ones keep their number and match nothing.
"""

from __future__ import annotations

from memidx.light import TYPE_CHECKING, bisect_right, cached_property
from memidx.snapshot.parts import (
    Numbers,
    Part,
    Postings,
    is_overlay,
    n_searchable,
    orders_of,
    total_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from memidx.snapshot.segment import Card, Segment

# Terms that are remembered with what was found of them.
_MAX_REMEMBERED = 20_000


class Snapshot:
    """Documents and statistics, over one or more segments.

    Args:
        parts: For each store its base, then its overlay if there is one; nearest store first.

    Attributes:
        size: Document numbers, dead ones included.
        n_docs: Live documents.
        n_searchable: Live documents with at least one term: N of the formulas.
        fields: Names of the fields.
        avgdl: Mean length per field over the live documents that have it; 1.0 when none has.
        sources: Names of sources; the same name of another store has another number.
        store_of_source: Number of a source -> number of its store.
        facts: What the nearest store's newest segment says of itself.
        remembered: What others work out of it again and again, by the type of what they keep.
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        self.parts = tuple(parts)
        segments = [part.segment for part in parts]
        self.offsets = [0]
        for segment in segments[:-1]:
            self.offsets.append(self.offsets[-1] + segment.n_docs)
        self.size = self.offsets[-1] + segments[-1].n_docs
        self.n_docs = self.size - sum(len(part.dead) for part in parts)
        self.n_searchable = sum(map(n_searchable, parts))
        self.fields: tuple[str, ...] = tuple(segments[0].facts["fields"])
        totals = [
            [total_of(part, position) for part in parts] for position in range(len(self.fields))
        ]
        self.avgdl = tuple(map(_mean, totals))
        self.facts = max((part for part in parts if part.store == 0), key=is_overlay).segment.facts
        self.is_one = len(parts) == 1 and not parts[0].dead
        self._known: dict[str, tuple[Numbers | None, int]] = {}
        self.remembered: dict[Any, Any] = {}

    @classmethod
    def of(cls, segment: Segment) -> Snapshot:
        """The snapshot of one segment."""
        return cls((Part(segment),))

    @classmethod
    def overlaid(cls, base: Segment, overlay: Segment) -> Snapshot:
        """The snapshot of a base and an overlay of it."""
        moved = dict(zip(overlay.moved, overlay.moved_to, strict=True))
        return cls((Part(base, frozenset(overlay.dead), moved), Part(overlay)))

    def is_whole(self) -> bool:
        """Whether nobody cut one of its files while they were open."""
        return all(part.segment.is_whole() for part in self.parts)

    def keys(self, key: str) -> tuple[str, ...]:
        """Keys of its segments, of a snapshot of one store with this key."""
        base = self.parts[-1].segment.base
        return (key,) if base is None else (key, base)

    def base_of(self, key: str) -> dict[str, Segment]:
        """Key and base, of a snapshot of one store with this key; none where its file was cut."""
        base = self.parts[0].segment
        return {self.parts[-1].segment.base or key: base} if base.is_whole() else {}

    @cached_property
    def build_id(self) -> str:
        """Names the documents, whatever the analyzer: of several stores, what each holds."""
        newest = {part.store: str(part.segment.facts["build_id"]) for part in self.parts}
        if len(newest) == 1:
            return newest[0]
        from hashlib import sha256  # loads OpenSSL, and a single store has no use for it

        return sha256("\n".join(newest.values()).encode()).hexdigest()

    def term(self, term: str) -> Numbers | None:
        """A term of the vocabulary, or None when no live document holds it."""
        return self.look_up(term)[0]

    def document_frequency(self, term: str) -> int:
        """Live documents that hold a term in the field where most do (decision 0005)."""
        return self.look_up(term)[1]

    def look_up(self, term: str) -> tuple[Numbers | None, int]:
        """`term` and `document_frequency`, remembered: an open index meets the same words again."""
        found = self._known.get(term)
        if found is None:
            numbers = tuple([part.segment.find_term(term) for part in self.parts])
            df = self._frequency_of(numbers)
            if len(self._known) >= _MAX_REMEMBERED:
                self._known.clear()
            found = self._known[term] = (numbers if df else None, df)
        return found

    def postings(self, position: int, numbers: Numbers) -> Iterator[Postings]:
        """Postings of a term in the field at `position`, segment by segment."""
        for part, number, offset in zip(self.parts, numbers, self.offsets, strict=True):
            if number >= 0:
                field = part.segment.fields[position]
                yield Postings(field, field.at[number], field.at[number + 1], part, offset)

    def columns(self, position: int, numbers: Numbers) -> tuple[list[int], Sequence[int]]:
        """Every live document that holds a term in a field, ascending, and beside it its `tf`."""
        columns = [postings.columns() for postings in self.postings(position, numbers)]
        if len(columns) == 1:
            return columns[0]
        docs: list[int] = []
        tfs: list[int] = []
        for more_docs, more_tfs in columns:
            docs += more_docs
            tfs += more_tfs
        return docs, tfs

    def frequency(self, position: int, numbers: Numbers, doc: int) -> int:
        """`tf` of a term in one document, 0 when it does not occur."""
        which, doc_ord = self.locate(doc)
        number = numbers[which]
        field = self.parts[which].segment.fields[position]
        return field.frequency(number, doc_ord) if number >= 0 else 0

    def holds(self, numbers: Numbers, doc: int) -> bool:
        """Whether a document holds a term in any field."""
        which, doc_ord = self.locate(doc)
        number = numbers[which]
        if number >= 0:
            for field in self.parts[which].segment.fields:
                if field.frequency(number, doc_ord):
                    return True
        return False

    def documents(self, numbers: Numbers) -> set[int]:
        """Every live document that holds a term in any field."""
        found: set[int] = set()
        for position in range(len(self.fields)):
            for postings in self.postings(position, numbers):
                found.update(doc for doc, _ in postings.pairs())
        return found

    def docs(self) -> list[int]:
        """Every live document, in the order of answers that tie."""
        live = [
            offset + doc_ord
            for part, offset in zip(self.parts, self.offsets, strict=True)
            for doc_ord in range(part.segment.n_docs)
            if doc_ord not in part.dead
        ]
        return live if self.is_one else sorted(live, key=self.order)

    def order(self, doc: int) -> int:
        """Where a document stands among those that tie: by nearer store, then by `doc_id`."""
        if self.is_one:
            return doc
        which, doc_ord = self.locate(doc)
        return self._orders[which](doc_ord)

    def locate(self, doc: int) -> tuple[int, int]:
        """Number of the segment a document is in, and its `doc_ord` there."""
        if len(self.offsets) == 1:
            return 0, doc
        which = bisect_right(self.offsets, doc) - 1
        return which, doc - self.offsets[which]

    def doc_id(self, doc: int) -> str:
        """Id of a document."""
        which, doc_ord = self.locate(doc)
        return self.parts[which].segment.doc_ids[doc_ord]

    def text(self, doc: int) -> str:
        """Text of a document."""
        which, doc_ord = self.locate(doc)
        return self.parts[which].segment.texts[doc_ord]

    def path(self, doc: int) -> str:
        """Path of a document."""
        which, doc_ord = self.locate(doc)
        return self.parts[which].segment.path(doc_ord)

    def card(self, doc: int) -> Card:
        """Facts of a document that are shown with it."""
        which, doc_ord = self.locate(doc)
        return self.parts[which].segment.card(doc_ord)

    def store_of(self, doc: int) -> int:
        """Number of the store a document comes from."""
        return self.parts[self.locate(doc)[0]].store

    def find(self, doc_id: str) -> int | None:
        """Number of a live document, or None."""
        for part, offset in zip(self.parts, self.offsets, strict=True):
            doc_ord = part.segment.find(doc_id)
            if doc_ord is not None and doc_ord not in part.dead:
                return offset + doc_ord
        return None

    @cached_property
    def sources(self) -> list[str]:
        """Names of sources, by number."""
        return [name for _, name in self._source_keys]

    @cached_property
    def store_of_source(self) -> list[int]:
        """Number of a source -> number of its store."""
        return [store for store, _ in self._source_keys]

    @cached_property
    def kinds(self) -> list[str]:
        """Names of kinds, by number."""
        return _distinct(name for part in self.parts for name in part.segment.kinds)

    @cached_property
    def source_of(self) -> Sequence[int]:
        """Number of the source of each document."""
        keys = {key: number for number, key in enumerate(self._source_keys)}
        return self._column(
            "H",
            lambda part: part.segment.source_of,
            lambda part: [keys[part.store, name] for name in part.segment.sources],
        )

    @cached_property
    def kind_of(self) -> Sequence[int]:
        """Number of the kind of each document."""
        numbers = {name: number for number, name in enumerate(self.kinds)}
        return self._column(
            "H",
            lambda part: part.segment.kind_of,
            lambda part: [numbers[name] for name in part.segment.kinds],
        )

    @cached_property
    def day_of(self) -> Sequence[float]:
        """Days since 1970-01-01 of each document, minus infinity for an undated one."""
        return self._column("d", lambda part: part.segment.day_of)

    @cached_property
    def line_of(self) -> Sequence[int]:
        """Line where each document begins in its file."""
        lines = self._column("I", lambda part: part.segment.line_of)
        moved = [
            (offset + doc_ord, line)
            for part, offset in zip(self.parts, self.offsets, strict=True)
            for doc_ord, line in part.moved.items()
        ]
        if moved:
            from array import array  # see `_column`

            lines = array("I", lines)
            for doc, line in moved:
                lines[doc] = line
        return lines

    @cached_property
    def flags(self) -> Mapping[int, tuple[str, ...]]:
        """What is true of the standing of the few documents where anything is said of it."""
        if not any(len(part.segment.standing_docs) for part in self.parts):
            return {}
        from memidx.snapshot.superseding import flags_of  # most snapshots need none of it

        return flags_of(self)

    @cached_property
    def lengths(self) -> tuple[Sequence[int], ...]:
        """Per field: its length in each document."""
        return tuple(
            self._column("I", _lengths_in(position)) for position in range(len(self.fields))
        )

    @cached_property
    def norms(self) -> Sequence[float]:
        """Euclidean length of each document's `tf * idf` over the first field."""
        if self.is_one:
            return self.parts[0].segment.norm
        # An edit changes the idf of its words, and with it every length that holds one of them.
        from memidx.snapshot.norms import norms_of  # needs numpy; only cosines over an overlay do

        return norms_of(self)

    @cached_property
    def n_terms(self) -> int:
        """Distinct terms of all segments; of more than one, those of dead documents too."""
        if len(self.parts) == 1:
            return len(self.parts[0].segment.terms)
        every: set[bytes] = set()
        for part in self.parts:
            terms = part.segment.terms
            every.update(terms.raw(number) for number in range(len(terms)))
        return len(every)

    @cached_property
    def n_docs_by_source(self) -> dict[str, int]:
        """Live documents of each source."""
        counts = dict.fromkeys(self.sources, 0)
        for doc in self.docs():
            counts[self.sources[self.source_of[doc]]] += 1
        return counts

    @cached_property
    def order_column(self) -> NDArray[Any]:
        """`order` of every document, as an array for the batch kernels."""
        import numpy as np  # only batches come here

        if self.is_one:
            return np.arange(self.size)
        return np.fromiter(map(self.order, range(self.size)), dtype=np.int64, count=self.size)

    def _frequency_of(self, numbers: Numbers) -> int:
        if self.is_one:
            return 0 if numbers[0] < 0 else self.parts[0].segment.df[numbers[0]]
        return max(
            sum(postings.n_live() for postings in self.postings(position, numbers))
            for position in range(len(self.fields))
        )

    def _column(
        self,
        code: str,
        values: Callable[[Part], Sequence[Any]],
        numbers: Callable[[Part], list[int]] | None = None,
    ) -> Sequence[Any]:
        """One value per document; `numbers` translates those of a segment's own table."""
        if len(self.parts) == 1:
            return values(self.parts[0])
        from array import array  # loads `collections`; a single segment does without

        column = array(code)
        for part in self.parts:
            own = values(part)
            table = numbers(part) if numbers else None
            if table is None or table == list(range(len(table))):
                column.frombytes(bytes(own))
            else:
                column.extend(table[value] for value in own)
        return column

    @cached_property
    def _source_keys(self) -> list[tuple[int, str]]:
        return _distinct((part.store, name) for part in self.parts for name in part.segment.sources)

    @cached_property
    def _orders(self) -> list[Callable[[int], int]]:
        return orders_of(self.parts)


def _lengths_in(position: int) -> Callable[[Part], Sequence[int]]:
    return lambda part: part.segment.fields[position].lengths


def _mean(totals: list[tuple[int, int]]) -> float:
    n_filled = sum(n for n, _ in totals)
    return sum(total for _, total in totals) / n_filled if n_filled else 1.0


def _distinct(values: Any) -> list[Any]:
    return list(dict.fromkeys(values))
