"""How are postings sorted by term that are too many for memory?

Run by run: as many as fit are sorted and put aside, and the runs are merged range by range of
terms. Terms stand in the order of their bytes in every run, so each run is read once, from its
beginning to its end. A snapshot's base and overlay are runs too, when they are folded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from memidx.files.spooling import Spool
from memidx.snapshot.counting import Columns
from memidx.snapshot.segment import Segment

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Postings that are merged at once; one term's are never divided.
_MERGED = 1 << 17
_NUMBER_BYTES = 4


class Run(Protocol):
    """Postings sorted by term."""

    @property
    def terms(self) -> NDArray[Any]:
        """Numbers of its terms, in the order of the terms' bytes."""
        ...

    def df(self, position: int, first: int = 0, last: int | None = None) -> NDArray[Any]:
        """Postings in a field of each of its terms, from `first` to before `last`."""
        ...

    def take(self, position: int, first: int, last: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Documents and occurrences of its terms from `first` to before `last`, term by term.

        Asked for in order: each field from its first term to its last one.
        """
        ...


class SortedRun:
    """Documents that were analysed one after another, put aside.

    Args:
        terms: Numbers of the terms, in the order of the terms' bytes.
        fields: Per field, number of postings of each term, and the postings.
        spool: Where they go.
    """

    def __init__(self, terms: NDArray[Any], fields: Sequence[_RunField], spool: Spool) -> None:
        self._terms = _Numbers.of(terms, spool)
        self._fields = fields
        self._places = [0] * len(fields)

    @classmethod
    def of(
        cls,
        columns: Sequence[Sequence[Columns]],
        rank: NDArray[Any],
        terms: NDArray[Any],
        first: int,
        spool: Spool,
    ) -> SortedRun:
        """A run of documents.

        Args:
            columns: Per field, the documents' counts piece by piece.
            rank: Number of a term -> its place among the terms of these columns.
            terms: Numbers of these terms, by their place.
            first: Number of the first document.
            spool: Where the postings go.
        """
        put_aside = partial(_put_aside, rank=rank, n_terms=len(terms), first=first, spool=spool)
        return cls(terms, [*map(put_aside, columns)], spool)

    def placed(self, placed: NDArray[Any], spool: Spool) -> SortedRun:
        """The run under other numbers of documents.

        Args:
            placed: Number of a document -> its new number, -1 for one that does not count; int64.
            spool: Where the postings go.
        """
        import numpy as np

        moved = [_moved(field, placed) for field in self._fields]
        df = [np.bincount(terms, minlength=len(self.terms)) for terms, _, _ in moved]
        is_used = np.sum(df, axis=0) > 0
        fields = [
            _RunField.of(count[is_used], docs, tf, spool)
            for count, (_, docs, tf) in zip(df, moved, strict=True)
        ]
        return SortedRun(self.terms[is_used], fields, spool)

    @property
    def terms(self) -> NDArray[Any]:
        """See `Run`."""
        return self._terms.read()

    def df(self, position: int, first: int = 0, last: int | None = None) -> NDArray[Any]:
        """See `Run`."""
        return self._fields[position].df.read(first, last)

    def take(self, position: int, first: int, last: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """See `Run`."""
        field, begin = self._fields[position], self._places[position]
        end = begin + int(self.df(position, first, last).sum(dtype="int64"))
        self._places[position] = end
        return field.docs.read(begin, end), field.tf.read(begin, end)


class _Numbers(NamedTuple):
    """Numbers that were put aside, among others."""

    spool: Spool
    place: int
    n_numbers: int

    @classmethod
    def of(cls, values: NDArray[Any], spool: Spool) -> _Numbers:
        return cls(spool, spool.append(values.astype("uint32").tobytes()), len(values))

    def read(self, begin: int = 0, end: int | None = None) -> NDArray[Any]:
        """Those from one place to before another."""
        import numpy as np

        size = (self.n_numbers if end is None else end) - begin
        place = self.place + begin * _NUMBER_BYTES
        return np.frombuffer(self.spool.read(place, size * _NUMBER_BYTES), dtype=np.uint32)


class _RunField(NamedTuple):
    """One field of a run: postings of each term, and all of them one after another."""

    df: _Numbers
    docs: _Numbers
    tf: _Numbers

    @classmethod
    def of(cls, df: NDArray[Any], docs: NDArray[Any], tf: NDArray[Any], spool: Spool) -> _RunField:
        return cls(*(_Numbers.of(values, spool) for values in (df, docs, tf)))

    def whole(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        return self.df.read(), self.docs.read(), self.tf.read()


def _moved(
    field: _RunField, placed: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Term, new number of the document and occurrences of each posting that counts, sorted."""
    import numpy as np

    df, docs, tf = field.whole()
    docs = placed[docs]
    live = docs >= 0
    terms = np.repeat(np.arange(len(df)), df)[live]
    docs, tf = docs[live], tf[live]
    order = np.argsort((terms << 32) | docs)
    return terms[order], docs[order].astype(np.uint32), tf[order]


def _put_aside(
    pieces: Sequence[Columns], rank: NDArray[Any], n_terms: int, first: int, spool: Spool
) -> _RunField:
    """Sort one field's postings by term, and by document within one."""
    import numpy as np

    terms = _joined([piece.terms for piece in pieces])
    counts = _joined([piece.counts for piece in pieces])
    # The place of a posting in the lower half keeps the order of documents, and a plain sort of
    # numbers is several times as quick as a stable one that gives places.
    keys = rank[terms].astype(np.uint64)
    df = np.bincount(keys.view(np.int64), minlength=n_terms)
    keys <<= np.uint64(32)
    keys |= np.arange(len(keys), dtype=np.uint64)
    keys.sort()
    order = keys.astype(np.uint32)
    del keys, terms
    docs = np.repeat(np.arange(first, first + len(counts), dtype=np.uint32), counts)
    tf = _joined([piece.tf for piece in pieces])
    return _RunField.of(df, docs[order], tf[order], spool)


class SegmentRun:
    """The live documents of a segment of a snapshot, under other numbers.

    Args:
        segment: The segment.
        placed: `doc_ord` -> the document's new number, -1 for one that does not count; int64.
        numbers: Number in the segment's vocabulary -> number of the term among all.
    """

    def __init__(self, segment: Segment, placed: NDArray[Any], numbers: NDArray[Any]) -> None:
        import numpy as np

        self._placed = placed
        self._fields = [
            (
                np.frombuffer(field.at, dtype=np.uint64).astype(np.int64),
                np.frombuffer(field.ord, dtype=np.uint32),
                np.frombuffer(field.tf, dtype=np.uint32),
            )
            for field in segment.fields
        ]
        counts = [self._live(position) for position in range(len(self._fields))]
        # Words of dead documents alone are no part of the vocabulary.
        self._own = np.flatnonzero(np.sum(counts, axis=0))
        self._df = [count[self._own] for count in counts]
        self._terms = numbers[self._own]

    @property
    def terms(self) -> NDArray[Any]:
        """See `Run`."""
        return self._terms

    def df(self, position: int, first: int = 0, last: int | None = None) -> NDArray[Any]:
        """See `Run`."""
        return self._df[position][first:last]

    def take(self, position: int, first: int, last: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """See `Run`."""
        import numpy as np

        at, ords, tfs = self._fields[position]
        # Terms in between that are not its own have dead documents only.
        begin, end = at[self._own[first]], at[self._own[last - 1] + 1]
        docs = self._placed[ords[begin:end]]
        live = docs >= 0
        return docs[live].astype(np.uint32), tfs[begin:end][live]

    def _live(self, position: int) -> NDArray[Any]:
        """Live documents of each term of the segment."""
        import numpy as np

        at, ords, _ = self._fields[position]
        live = np.diff(at)
        is_dead = self._placed < 0
        for begin in range(0, len(ords), _MERGED):
            dead = begin + np.flatnonzero(is_dead[ords[begin : begin + _MERGED]])
            np.subtract.at(live, np.searchsorted(at, dead, side="right") - 1, 1)
        return live


def merge(
    runs: Sequence[Run], places: Sequence[NDArray[Any]], position: int, at: NDArray[Any]
) -> Iterator[tuple[slice, NDArray[Any], NDArray[Any]]]:
    """Postings of all runs in a field, by term and within one in ascending order of documents.

    Args:
        places: For each run, the place of each of its terms among all; ascending.
        position: Of the field.
        at: How many postings come before those of each term, and how many there are; uint64.

    Yields:
        Terms (from, to), and the documents and occurrences of all their postings.
    """
    import numpy as np

    cursors = [0] * len(runs)
    n_terms = len(at) - 1
    first = 0
    while first < n_terms:
        most = np.uint64(int(at[first]) + _MERGED)
        last = min(n_terms, max(first + 1, int(np.searchsorted(at, most, side="right")) - 1))
        counts = np.diff(at[first : last + 1].astype(np.int64))
        terms = slice(first, last)
        taken = []
        for which, run in enumerate(runs):
            begin = cursors[which]
            # In the type of the places, or all of them are copied for it.
            behind = places[which].dtype.type(last)
            end = cursors[which] = int(np.searchsorted(places[which], behind))
            if begin < end:
                docs, tf = run.take(position, begin, end)
                taken.append((places[which][begin:end], run.df(position, begin, end), docs, tf))
        yield terms, *_together(taken, first, counts)
        first = last


def _together(
    taken: Sequence[tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]],
    first: int,
    counts: NDArray[Any],
) -> tuple[NDArray[Any], NDArray[Any]]:
    """What each run has of some terms, from the `first` on that have `counts` postings each."""
    import numpy as np

    if len(taken) == 1:
        return taken[0][2:]
    size = int(counts.sum())
    docs, tf = np.empty(size, dtype=np.uint32), np.empty(size, dtype=np.uint32)
    # Where the next posting of each term goes.
    free = np.cumsum(counts) - counts
    for places, df, own_docs, own_tf in taken:
        own = places - first
        df = df.astype(np.int64)
        starts = np.repeat(free[own] - (np.cumsum(df) - df), df)
        starts += np.arange(len(starts))
        docs[starts], tf[starts] = own_docs, own_tf
        free[own] += df
    # Runs of documents that were analysed follow one another; those of a fold are interleaved.
    term_of = np.repeat(np.arange(len(counts), dtype=np.uint64), counts)
    keys = (term_of << np.uint64(32)) | docs
    if (keys[1:] < keys[:-1]).any():
        order = np.argsort(keys)
        docs, tf = docs[order], tf[order]
    return docs, tf


def _joined(arrays: Sequence[Any]) -> NDArray[Any]:
    import numpy as np

    parts = [np.frombuffer(part, dtype=np.uint32) for part in arrays]
    return np.concatenate(parts) if parts else np.empty(0, dtype=np.uint32)
