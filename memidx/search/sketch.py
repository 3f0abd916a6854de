"""What does a term give to every document, roughly?

Ids alone need no exact scores, so for them an open index remembers a term as one row or one list
in single precision, all its fields together. Every value is right but for a few roundings, which
whoever compares sums of them has to allow for (`memidx.search.choosing`). Needs numpy.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memidx.scoring import idf
from memidx.search.given import Docs, Memory, Ordinals
from memidx.snapshot.snapshot import Snapshot

ROUNDING = 2.0**-23
"""Twice what one rounding in single precision does to a value, in proportion."""
# In a snapshot of up to so many documents every term is a row, of 8 KB at most; among more, those
# that this share of the further ones hold. In time rows are worth it from fewer on (at 4,728
# documents a list of 90 takes as long to add as a row, at 100,000 one of 7,000), but they take
# several times the memory.
_ROWS_ONLY = 2000
_ROW_SHARE = 1 / 8
# Documents a term gives most to, which say early what the k-th best score at least.
_N_CHAMPIONS = 64
# What a term gives is added up in single precision from the first of these to the second: there
# each number carries an error in proportion, and the terms of no query reach the end of the range.
_LEAST, _MOST = 1e-30, 1e30
# Objects, a key and headers of arrays.
_OVERHEAD_BYTES = 700

Singles = NDArray[np.float32]

Key = tuple[str, float, int]
"""A term, what its occurrence in a query weighs, and a number for fields and parameters."""


class Sketch:
    """What a term gives in all its fields together, roughly.

    Attributes:
        docs: Who gets it; None for every document in order.
        values: What each gets.
        n_docs: How many get something (at least so many).
        weight: The more, the more the term gives to the documents it gives most to.
        is_whole: Whether no document that holds the term gets nothing, in a field without weight.
        n_champions: How many champions there are.
    """

    __slots__ = ("_champions", "docs", "is_whole", "n_champions", "n_docs", "values", "weight")

    def __init__(
        self, docs: Ordinals | None, values: Singles, n_docs: int, weight: float, is_whole: bool
    ) -> None:
        self.docs = docs
        self.values = values
        self.n_docs = n_docs
        self.weight = weight
        self.is_whole = is_whole
        self.n_champions = min(n_docs, _N_CHAMPIONS)
        self._champions: Docs | None = None

    @property
    def champions(self) -> Docs:
        """Documents that get most; of most terms nobody asks for them."""
        found = self._champions
        if found is None:
            found = self._champions = _champions(self.docs, self.values)
        return found

    def value_of(self, doc: int) -> float:
        """What one document gets."""
        if self.docs is None:
            return self.values.item(doc)
        place = int(self.docs.searchsorted(np.uint32(doc)))
        is_there = place < len(self.docs) and self.docs.item(place) == doc
        return self.values.item(place) if is_there else 0.0

    @property
    def size_bytes(self) -> int:
        """What it takes, champions included."""
        # Documents that are read in place are the file's.
        n_docs = 0 if self.docs is None or self.docs.base is not None else self.docs.nbytes
        return self.values.nbytes + n_docs + 8 * self.n_champions + _OVERHEAD_BYTES


class Sketches:
    """Sketches of terms that are looked for in the same fields, under the same parameters.

    Args:
        memory: The snapshot's.
        fields: As in `ScoredTerm`.
        at: k1 and b.
    """

    def __init__(
        self, memory: Memory, fields: tuple[tuple[int, float], ...], at: tuple[float, float]
    ) -> None:
        self._memory = memory
        self._fields = fields
        self._at = at
        self._gain = at[0] + 1.0
        # By position, 4 bytes a document each.
        self._norms: dict[int, tuple[Singles, float]] = {}
        # A number, because hashing what it stands for takes as long as finding a sketch.
        self._number = memory.number_of((fields, at))

    def key(self, term: str, weight: float) -> Key:
        """What the sketch of a term is asked for by, where its occurrence weighs so much."""
        return term, weight, self._number

    def of(self, snapshot: Snapshot, key: Key) -> Sketch | None:
        """The sketch of a term that occurs; None where single precision does not hold it."""
        kept = self._memory.kept
        found: Sketch | None = kept.get(key)
        if found is None:
            found = self._make(snapshot, key[0], key[1])
            if found is not None:
                kept.put(key, found, found.size_bytes)
        return found

    def _make(self, snapshot: Snapshot, term: str, weight: float) -> Sketch | None:
        numbers, df = snapshot.look_up(term)
        value = weight * idf(snapshot.n_searchable, df)
        pieces = []
        is_whole = True
        for position, field_weight in self._fields:
            factor = value * field_weight
            if factor <= 0.0:
                is_whole = False
            elif numbers is not None:
                docs, tf = self._memory.ordinals(snapshot, position, numbers)
                if len(docs):
                    norms, largest = self._norms_of(snapshot, position)
                    factor *= self._gain
                    if factor > _MOST or factor / (1.0 + largest) < _LEAST:
                        return None
                    # Seven roundings, those of the factor and of the norm included.
                    share = tf.astype(np.float32)
                    share /= share + norms.take(docs)
                    share *= factor
                    pieces.append((docs, share))
        return _joined(snapshot.size, pieces, value, is_whole)

    def _norms_of(self, snapshot: Snapshot, position: int) -> tuple[Singles, float]:
        """BM25's `k1 * (1 - b + b * dl / avgdl)` of every document, and the largest of them."""
        found = self._norms.get(position)
        if found is None:
            norms = self._memory.norms(snapshot, position, self._at).astype(np.float32)
            found = self._norms[position] = norms, float(norms.max(initial=0.0))
        return found


def _joined(
    size: int, pieces: Sequence[tuple[Ordinals, Singles]], weight: float, is_whole: bool
) -> Sketch:
    """One sketch of what a term gives field by field."""
    n_docs = max([0, *[len(docs) for docs, _ in pieces]])
    if n_docs > (size - _ROWS_ONLY) * _ROW_SHARE:
        row = np.zeros(size, np.float32)
        for docs, values in pieces:
            np.add.at(row, docs, values)
        return Sketch(None, row, n_docs, weight, is_whole)
    if not pieces:
        return Sketch(np.empty(0, np.uint32), np.empty(0, np.float32), 0, weight, is_whole)
    docs, values = pieces[0]
    for more, theirs in pieces[1:]:
        places = docs.searchsorted(more)
        if np.count_nonzero(docs.take(places, mode="clip") == more) < len(more):
            every = _distinct(np.concatenate((docs, more)))
            total = np.zeros(len(every), np.float32)
            total[every.searchsorted(docs)] = values
            docs, values, places = every, total, every.searchsorted(more)
        values[places] += theirs
    return Sketch(docs, values, len(docs), weight, is_whole)


def _distinct(docs: Ordinals) -> Ordinals:
    """`np.unique` without what that asks first, which takes longer than a short list."""
    docs.sort()
    is_first = np.empty(len(docs), np.bool_)
    is_first[0] = True
    np.not_equal(docs[1:], docs[:-1], is_first[1:])
    return docs[is_first]


def _champions(docs: Ordinals | None, values: Singles) -> Docs:
    """Documents of the largest values, ascending."""
    if docs is None:
        # Among those that hold it: over all, nine times as long, for most are equal, at zero.
        holders = (values > 0.0).nonzero()[0]
        values = values[holders]
    else:
        holders = docs.astype(np.intp)
    if len(holders) > _N_CHAMPIONS:
        best = values.argpartition(len(values) - _N_CHAMPIONS)[-_N_CHAMPIONS:]
        holders = holders[best]
        holders.sort()
    return holders
