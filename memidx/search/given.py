"""What does a term give to every document?

BM25 of a term in each of its fields does not depend on the rest of the query, so an open index
remembers it: as a whole row where many documents hold the term, as a list where few do. Rows and
lists are added up in the order of the query's terms, and adding 0.0 changes no bit, so scores are
those of the plain kernel. Needs numpy.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memidx.search.kept import Kept
from memidx.search.kernels import ScoredTerm
from memidx.snapshot.parts import Numbers
from memidx.snapshot.snapshot import Snapshot

MAX_REMEMBERED_BYTES = 64 * 2**20
"""Memory for what terms give to the documents of one snapshot, exactly and as sketches."""
_MAX_REMEMBERED_BYTES_PER_DOC = 1024
"""The same in a large snapshot, where 64 MiB are the rows of a few words; about half of what the
documents themselves take in it."""
N_CHAMPIONS = 64
"""Documents a term gives most to, which are remembered to know early what the best score at
least."""
# A term that more than this share of the documents holds is added as a whole row: as many
# documents of a list take as long (measured at 4,728 and at 100,000).
_DENSE_SHARE = 1 / 16
# Values that numbers stand for.
_MAX_NUMBERS = 100
# Ids that are remembered.
_MAX_IDS = 10_000
# A key, a tuple and two headers of arrays.
_OVERHEAD_BYTES = 600

Floats = NDArray[np.float64]
Docs = NDArray[np.intp]
Flags = NDArray[np.bool_]
Ordinals = NDArray[np.uint32]
"""Documents, or anything else, as a snapshot's file has it."""


class Piece(NamedTuple):
    """What a term gives in one field: to `docs`, or (None) to every document in order."""

    docs: Docs | None
    values: Floats


class Given(NamedTuple):
    """What a term gives.

    Attributes:
        pieces: Field by field, those where it gives anything.
        champions: Documents that get most in one of the fields, ascending.
        most: The largest value of a piece.
        is_whole: Whether each field where it stands has a piece; one without weight has none.
    """

    pieces: tuple[Piece, ...]
    champions: Docs
    most: float
    is_whole: bool


_NOTHING = Given((), np.empty(0, np.intp), 0.0, True)


class Memory:
    """What terms give to the documents of one snapshot, as far as it was asked for.

    It holds no reference to the snapshot, which holds the memory: both go when nobody has the
    snapshot any more.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        max_bytes = max(MAX_REMEMBERED_BYTES, snapshot.size * _MAX_REMEMBERED_BYTES_PER_DOC)
        # What is given exactly and the sketches of `memidx.search.sketch`, by keys of other kinds.
        self.kept: Kept[Any, Any] = Kept(max_bytes)
        self._columns: dict[int, tuple[memoryview[int], Ordinals, Ordinals]] = {}
        self._ids: dict[int, str] = {}
        self._doc_ids = snapshot.parts[0].segment.doc_ids if snapshot.is_one else None
        self._numbers: dict[object, int] = {}
        self._next = count()
        self._factors: tuple[Any, Floats | None] = (None, None)
        self._live = _live(snapshot)

    def given(self, snapshot: Snapshot, term: ScoredTerm, parameters: tuple[float, float]) -> Given:
        """BM25 of a term of a query, times its weights, for every document that holds it.

        Args:
            snapshot: The memory's.
            term: Of a query.
            parameters: k1 and b.
        """
        numbers = term.numbers
        if numbers is None:
            return _NOTHING
        key = (numbers, term.fields, term.weight, term.idf, parameters)
        found: Given | None = self.kept.get(key)
        if found is None:
            found = self._work_out(snapshot, term, parameters)
            arrays = [array for piece in found.pieces for array in piece if array is not None]
            size_bytes = sum(array.nbytes for array in (*arrays, found.champions))
            self.kept.put(key, found, size_bytes + _OVERHEAD_BYTES)
        return found

    def holders(self, snapshot: Snapshot, position: int, numbers: Numbers) -> Docs:
        """Live documents that hold a term in one field, ascending within a segment."""
        return self.frequencies(snapshot, position, numbers)[0]

    def frequencies(
        self, snapshot: Snapshot, position: int, numbers: Numbers
    ) -> tuple[Docs, NDArray[np.uint32]]:
        """The same, and how often each holds it."""
        docs, tf = self.ordinals(snapshot, position, numbers)
        # As an index, these take a third of the time that the short ones take.
        return docs.astype(np.intp), tf

    def factors(self, settings: object, make: Callable[[], Floats | None]) -> Floats | None:
        """Weight times decay per document, made once for the same settings; None when it is 1."""
        known = self._factors[0]
        if known is not settings and known != settings:
            self._factors = (settings, make())
        return self._factors[1]

    def number_of(self, value: object) -> int:
        """A number that stands for a value in keys."""
        if len(self._numbers) >= _MAX_NUMBERS:
            # Numbers go on, so that none ever stands for two values.
            self._numbers = {}
        return self._numbers.setdefault(value, next(self._next))

    def doc_ids(self, snapshot: Snapshot, docs: list[int]) -> list[str]:
        """Ids of documents; those asked for before are not decoded again."""
        known = self._ids
        found = []
        for doc in docs:
            doc_id = known.get(doc)
            if doc_id is None:
                if len(known) >= _MAX_IDS:
                    known.clear()
                # Of one segment without a step between: new questions find new documents.
                ids = self._doc_ids
                doc_id = known[doc] = snapshot.doc_id(doc) if ids is None else ids[doc]
            found.append(doc_id)
        return found

    def pieces(
        self, snapshot: Snapshot, term: ScoredTerm, at: tuple[float, float]
    ) -> list[tuple[Docs, Floats]]:
        """Who gets what of a term, field by field; a field without weight is left out."""
        numbers = term.numbers
        if numbers is None:
            return []
        gain = at[0] + 1.0
        found = []
        for position, field_weight in term.fields:
            factor = term.weight * field_weight * term.idf
            if factor > 0.0:
                docs, tf = self.frequencies(snapshot, position, numbers)
                norms = self.norms(snapshot, position, at)[docs]
                found.append((docs, factor * (tf * gain) / (tf + norms)))
        return found

    def ordinals(
        self, snapshot: Snapshot, position: int, numbers: Numbers
    ) -> tuple[Ordinals, Ordinals]:
        """As `frequencies`, with the documents as the file has them, where it has just these."""
        if snapshot.is_one:
            columns = self._columns.get(position)
            if columns is None:
                field = snapshot.parts[0].segment.fields[position]
                ords, tf = (np.frombuffer(column, np.uint32) for column in (field.ord, field.tf))
                columns = self._columns[position] = field.at, ords, tf
            at, ords, tf = columns
            begin, end = at[numbers[0]], at[numbers[0] + 1]
            return ords[begin:end], tf[begin:end]
        pieces = []
        for field, begin, end, part, offset in snapshot.postings(position, numbers):
            docs = np.frombuffer(field.ord, np.uint32)[begin:end] + np.uint32(offset)
            tf = np.frombuffer(field.tf, np.uint32)[begin:end]
            if part.dead and self._live is not None:
                live = self._live[docs]
                docs, tf = docs[live], tf[live]
            pieces.append((docs, tf))
        if not pieces:
            return np.empty(0, np.uint32), np.empty(0, np.uint32)
        docs, tf = (np.concatenate(column) for column in zip(*pieces, strict=True))
        return docs, tf

    def _work_out(self, snapshot: Snapshot, term: ScoredTerm, at: tuple[float, float]) -> Given:
        pieces = self.pieces(snapshot, term, at)
        champions, most, n_most = _NOTHING.champions, 0.0, 0
        given = []
        for docs, values in pieces:
            if not len(docs):
                continue
            most = max(most, float(values.max()))
            if len(docs) > n_most:
                n_most = len(docs)
                champions = _champions(docs, values)
            if len(docs) <= snapshot.size * _DENSE_SHARE:
                given.append(Piece(docs, values))
            else:
                row = np.zeros(snapshot.size)
                row[docs] = values
                given.append(Piece(None, row))
        return Given(tuple(given), champions, most, len(pieces) == len(term.fields))

    def norms(self, snapshot: Snapshot, position: int, at: tuple[float, float]) -> Floats:
        """BM25's `k1 * (1 - b + b * dl / avgdl)` of every document in one field."""
        key = (position, at)
        found: Floats | None = self.kept.get(key)
        if found is None:
            k1, b = at
            base = 1.0 - b
            lengths = np.asarray(snapshot.lengths[position])
            found = k1 * (base + b * lengths / snapshot.avgdl[position])
            self.kept.put(key, found, found.nbytes)
        return found


def memory_of(snapshot: Snapshot) -> Memory:
    """The snapshot's memory; it lives as long as the snapshot."""
    found: Memory | None = snapshot.remembered.get(Memory)
    if found is None:
        found = snapshot.remembered[Memory] = Memory(snapshot)
    return found


def _champions(docs: Docs, values: Floats) -> Docs:
    """Documents of the largest values."""
    if len(docs) <= N_CHAMPIONS:
        return docs
    places = np.argpartition(values, len(docs) - N_CHAMPIONS)[-N_CHAMPIONS:]
    places.sort()
    return docs[places]


def _live(snapshot: Snapshot) -> Flags | None:
    """Which documents count; None when all of them do."""
    if not any(part.dead for part in snapshot.parts):
        return None
    live = np.ones(snapshot.size, dtype=np.bool_)
    for part, offset in zip(snapshot.parts, snapshot.offsets, strict=True):
        live[[offset + doc_ord for doc_ord in part.dead]] = False
    return live
