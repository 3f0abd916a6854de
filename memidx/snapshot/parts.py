"""How do segments count together?

A part is a segment and what of it does not count any more. Postings, totals and the order of
documents are given part by part; `memidx.snapshot.snapshot` adds them up.
"""

from __future__ import annotations

from memidx.light import TYPE_CHECKING, bisect_left
from memidx.values import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from memidx.snapshot.segment import Field, Segment

Numbers = tuple[int, ...]
"""A term: its number in the vocabulary of each segment, -1 where it is in none of the segment."""


class Part(NamedTuple):
    """One segment of a snapshot.

    Attributes:
        segment: The file.
        dead: `doc_ord`s that do not count: replaced or removed since, or masked by a nearer store.
        moved: `doc_ord` -> the line where the document begins by now.
        store: Which store it belongs to, nearest first: breaks ties.
    """

    segment: Segment
    dead: frozenset[int] = frozenset()
    moved: Mapping[int, int] = {}
    store: int = 0


class Postings(NamedTuple):
    """Postings of one term in one field of one segment: `ord[begin:end]`, `tf[begin:end]`."""

    field: Field
    begin: int
    end: int
    part: Part
    offset: int

    def columns(self) -> tuple[list[int], Sequence[int]]:
        """Every live document, ascending, and beside it its `tf`."""
        field, begin, end, part, offset = self
        docs: list[int] = field.ord[begin:end].tolist()
        tfs: Sequence[int] = field.tf[begin:end]
        if part.dead:
            dead = part.dead
            tfs = [tf for doc_ord, tf in zip(docs, tfs, strict=True) if doc_ord not in dead]
            docs = [doc_ord for doc_ord in docs if doc_ord not in dead]
        return [doc_ord + offset for doc_ord in docs] if offset else docs, tfs

    def pairs(self) -> Iterator[tuple[int, int]]:
        """`(doc, tf)` of every live document, ascending."""
        docs, tfs = self.columns()
        # A list of a map's numbers takes half as long to go through as the map does.
        return zip(docs, tfs.tolist() if isinstance(tfs, memoryview) else tfs, strict=True)

    def n_live(self) -> int:
        """Live documents among them."""
        field, begin, end, part, _ = self
        n_dead = 0
        if part.dead:
            if len(part.dead) * 16 < end - begin:
                for doc_ord in part.dead:
                    place = bisect_left(field.ord, doc_ord, begin, end)
                    n_dead += place < end and field.ord[place] == doc_ord
            else:
                n_dead = len(part.dead.intersection(field.ord[begin:end]))
        return end - begin - n_dead


def orders_of(parts: Sequence[Part]) -> list[Callable[[int], int]]:
    """Per part: `doc_ord` -> a number that ascends by store, and by `doc_id` within one.

    Between two documents of a base there is room for all of its overlay, whose documents are
    placed by their ids.
    """
    room = 1 + max((part.segment.n_docs for part in parts if is_overlay(part)), default=0)
    orders: list[Callable[[int], int]] = []
    base = parts[0].segment
    start = 0
    for part in parts:
        if is_overlay(part):
            orders.append(_overlaid(start, room, _places(part.segment, base)))
        else:
            # Each store begins behind the last document of the one before it.
            start = 0 if part is parts[0] else start + (base.n_docs + 1) * room
            base = part.segment
            orders.append(_spread(start, room))
    return orders


def _spread(start: int, room: int) -> Callable[[int], int]:
    return lambda doc_ord: start + doc_ord * room + room - 1


def _overlaid(start: int, room: int, places: Sequence[int]) -> Callable[[int], int]:
    return lambda doc_ord: start + places[doc_ord] * room + doc_ord


def is_overlay(part: Part) -> bool:
    """Whether a part holds what changed since the part before it."""
    return part.segment.base is not None


def _places(overlay: Segment, base: Segment) -> list[int]:
    """How many documents of the base stand before each of the overlay's."""
    ids = base.doc_ids
    places = []
    for doc_ord in range(overlay.n_docs):
        wanted = overlay.doc_ids.raw(doc_ord)
        low, high = 0, len(ids)
        while low < high:
            middle = (low + high) >> 1
            if ids.raw(middle) < wanted:
                low = middle + 1
            else:
                high = middle
        places.append(low)
    return places


def n_searchable(part: Part) -> int:
    """Live documents with at least one term."""
    n_terms = part.segment.n_terms
    return part.segment.n_searchable - sum(n_terms[doc_ord] > 0 for doc_ord in part.dead)


def total_of(part: Part, position: int) -> tuple[int, int]:
    """Live documents that have a field, and the sum of their lengths in it."""
    field = part.segment.fields[position]
    dead = [field.lengths[doc_ord] for doc_ord in part.dead]
    return field.n_filled - sum(length > 0 for length in dead), field.total - sum(dead)
