"""How do the terms of documents become postings by term?

Two ways that give the same bytes: sorting flat arrays with numpy, for many documents, run by run
(`memidx.snapshot.runs`), and plain dicts, for the few of an overlay, so that an edit does not cost
the import of numpy. Postings come out by term (in order of UTF-8 bytes), then by `doc_ord`.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from memidx.analysis.pieces import FieldTerms
from memidx.files.spooling import Scratch
from memidx.scoring import idf
from memidx.snapshot.counting import Columns, Counted, Counter
from memidx.snapshot.runs import Run, SortedRun, merge
from memidx.snapshot.writing import Long, LongBlobs, Section, blob_sections

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memidx.analysis.numbering import Numbers, Words

# So many postings are sorted at once: those of some 10 MB of text.
_RUN = 1 << 19
# So many terms of the vocabulary are put together at once.
_WORDS = 1 << 14


class Inverted(NamedTuple):
    """Sections of the postings, what the header says of them, and distinct terms per document."""

    sections: dict[str, Section]
    facts: dict[str, Any]
    n_terms: array[int]


class Postings:
    """Takes in the terms of documents, however many there are.

    Args:
        names: Of the fields.
        scratch: Where what is too much for memory is put aside.
        own: The counter of most of what is taken in here, whose numbers of terms are kept.
    """

    def __init__(self, names: Sequence[str], scratch: Scratch, own: Counter | None = None) -> None:
        self._names = names
        self._scratch = scratch
        self._aside = scratch.spool()
        # The terms, and for each other counter the number here of each of its terms.
        self._own = None if own is None else own.name
        self._terms: Numbers | None = None if own is None else own.vocabulary
        self._known: dict[tuple[int, int], NDArray[Any]] = {}
        self._runs: list[SortedRun] = []
        self._n_terms = array("I")
        self._lengths = [array("I") for _ in names]
        # What is not in a run yet: per field the columns, and how many postings these have.
        self._pieces: list[list[Columns]] = [[] for _ in names]
        self._n_waiting = 0
        self._n_sorted = 0

    def add(self, counted: Counted) -> None:
        """Take in the next documents."""
        import numpy as np  # only who builds a snapshot pays for it

        self._number(counted)
        for pieces, lengths, column in zip(
            self._pieces, self._lengths, counted.columns, strict=True
        ):
            pieces.append(column)
            lengths.extend(column.lengths)
            self._n_waiting += len(column.terms)
        counts = [np.frombuffer(column.counts, dtype=np.uint32) for column in counted.columns]
        self._n_terms.frombytes(np.sum(counts, axis=0, dtype=np.uint32).tobytes())
        if self._n_waiting >= _RUN:
            self._sort()

    def _number(self, counted: Counted) -> None:
        """Give the terms of each counter's documents the numbers they have here."""
        import numpy as np  # see `add`

        if counted.counter == self._own:
            return
        here = self._vocabulary().of_words(counted.terms).astype(np.uint32)
        known = self._known.get(counted.counter)
        table = here if known is None else np.concatenate((known, here))
        self._known[counted.counter] = table
        for column in counted.columns:
            column.renumber(table)

    def _vocabulary(self) -> Numbers:
        from memidx.analysis.numbering import Numbers  # see `add`

        if self._terms is None:
            self._terms = Numbers()
        return self._terms

    def inverted(self, numbers: Sequence[int] | None = None) -> Inverted:
        """The postings of all of them, or of some.

        Args:
            numbers: For each `doc_ord`, which of the documents that were taken in it is; None
                where they came in this order.
        """
        import numpy as np  # see `add`

        vocabulary = self._vocabulary()
        in_order = vocabulary.in_order(np.arange(vocabulary.size))
        if self._n_waiting or not self._runs:
            self._sort(in_order)
        runs, n_terms = self._runs, self._n_terms
        lengths = [np.frombuffer(column, dtype=np.uint32) for column in self._lengths]
        if numbers is not None and not np.array_equal(numbers, np.arange(len(n_terms))):
            order = np.array(numbers, dtype=np.int64)
            placed = np.full(len(n_terms), -1, dtype=np.int64)
            placed[order] = np.arange(len(order))
            runs = [run.placed(placed, self._aside) for run in runs]
            lengths = [column[order] for column in lengths]
            n_terms = array("I", np.frombuffer(n_terms, dtype=np.uint32)[order].tobytes())
        used = np.zeros(vocabulary.size, dtype=bool)
        for run in runs:
            used[run.terms] = True
        terms = in_order[used[in_order]]
        rank = np.zeros(vocabulary.size, dtype=np.uint32)
        rank[terms] = np.arange(len(terms), dtype=np.uint32)
        places = [rank[run.terms] for run in runs]
        blocks = range(0, len(terms), _WORDS)
        words = (vocabulary.words(terms[at : at + _WORDS]) for at in blocks)
        return invert(words, runs, places, lengths, n_terms, self._names, self._scratch)

    def _sort(self, in_order: NDArray[Any] | None = None) -> None:
        """Make a run of the documents since the last one.

        Args:
            in_order: Numbers of all terms, in the order of the terms' bytes, where that is known.
        """
        import numpy as np  # see `add`

        vocabulary = self._vocabulary()
        used = np.zeros(vocabulary.size, dtype=bool)
        for pieces in self._pieces:
            for piece in pieces:
                used[np.frombuffer(piece.terms, dtype=np.uint32)] = True
        terms = (
            vocabulary.in_order(np.flatnonzero(used))
            if in_order is None
            else in_order[used[in_order]]
        )
        rank = np.zeros(vocabulary.size, dtype=np.uint32)
        rank[terms] = np.arange(len(terms), dtype=np.uint32)
        run = SortedRun.of(self._pieces, rank, terms, self._n_sorted, self._aside)
        self._runs.append(run)
        self._n_sorted = len(self._n_terms)
        self._pieces = [[] for _ in self._names]
        self._n_waiting = 0


def invert(
    terms: Iterable[Words],
    runs: Sequence[Run],
    places: Sequence[NDArray[Any]],
    lengths: Sequence[NDArray[Any]],
    n_terms: array[int],
    names: Sequence[str],
    scratch: Scratch,
) -> Inverted:
    """Postings by term, with numpy.

    Args:
        terms: Ascending, some at a time; each occurs in at least one posting.
        runs: All postings.
        places: For each run, the place of each of its terms among all; ascending.
        lengths: Per field, its length in each document; uint32.
        n_terms: Distinct terms of each document, over all fields.
        names: Of the fields.
        scratch: Where sections are put aside that are too much for memory.
    """
    import numpy as np  # only who builds a snapshot pays for it

    vocabulary = LongBlobs(scratch.spool())
    for words in terms:
        vocabulary.add_many(words.data, words.lengths)
    sections = vocabulary.sections("term")
    frequencies = []
    for position in range(len(names)):
        df = np.zeros(len(vocabulary), dtype=np.uint32)
        for run, own in zip(runs, places, strict=True):
            df[own] += run.df(position).astype(np.uint32)
        frequencies.append(df)
    largest = np.maximum.reduce(frequencies)
    n_searchable = int(np.count_nonzero(np.frombuffer(n_terms, dtype=np.uint32)))
    table = np.zeros(n_searchable + 1)
    for count in np.flatnonzero(np.bincount(largest)).tolist():
        table[count] = idf(n_searchable, count)
    squares = np.zeros(len(n_terms))
    totals: dict[str, list[int]] = {}
    for position, (name, df, length) in enumerate(zip(names, frequencies, lengths, strict=True)):
        totals[name] = [int(np.count_nonzero(length)), int(length.sum(dtype=np.int64))]
        at = np.zeros(len(df) + 1, dtype=np.uint64)
        np.cumsum(df, dtype=np.uint64, out=at[1:])
        ords, tfs = Long("I", scratch.spool()), Long("I", scratch.spool())
        for merged, docs, tf in merge(runs, places, position, at):
            ords.add(docs.tobytes())
            tfs.add(tf.tobytes())
            if position == 0:
                add_squares(squares, table[largest[merged]], df[merged], docs, tf)
        sections[f"{name}.at"] = ("Q", at.tobytes())
        sections[f"{name}.ord"] = ords
        sections[f"{name}.tf"] = tfs
        sections[f"{name}.len"] = ("I", length.tobytes())
    sections["df"] = ("I", largest.tobytes())
    sections["norm"] = ("d", np.sqrt(squares).tobytes())
    return Inverted(sections, _facts(n_searchable, totals), n_terms)


def add_squares(
    squares: NDArray[Any],
    term_idf: NDArray[Any],
    df: NDArray[Any],
    docs: NDArray[Any],
    tf: NDArray[Any],
) -> None:
    """Add the squares of `tf * idf` to those of each document, in the order of the postings."""
    import numpy as np  # see `invert`

    weights = tf * np.repeat(term_idf, df)
    weights *= weights
    np.add.at(squares, docs, weights)


def norms_by_idf(
    term_idf: NDArray[Any], df: NDArray[Any], docs: NDArray[Any], tf: NDArray[Any], n_docs: int
) -> NDArray[Any]:
    """Euclidean length of each document's `tf * idf`, summed in the order of its terms."""
    import numpy as np  # see `invert`

    squares = np.zeros(n_docs)
    add_squares(squares, term_idf, df, docs, tf)
    norms: NDArray[Any] = np.sqrt(squares)
    return norms


def invert_few(documents: Sequence[Sequence[FieldTerms]], names: Sequence[str]) -> Inverted:
    """What `invert` gives, in plain Python.

    Args:
        documents: `[doc_ord][field]`.
        names: Of the fields.
    """
    postings: list[dict[str, list[tuple[int, int]]]] = [{} for _ in names]
    vocabulary: set[str] = set()
    for doc_ord, fields in enumerate(documents):
        for found, field in zip(postings, fields, strict=True):
            vocabulary.update(field.tf)
            for term, tf in field.tf.items():
                found.setdefault(term, []).append((doc_ord, tf))
    # Code points order as their UTF-8 bytes do; no term holds a lone surrogate.
    terms = sorted(vocabulary)
    sections = blob_sections("term", (term.encode() for term in terms))
    totals: dict[str, list[int]] = {}
    for position, (name, found) in enumerate(zip(names, postings, strict=True)):
        at = array("Q", [0])
        ords, tfs = array("I"), array("I")
        for term in terms:
            for doc_ord, tf in found.get(term, ()):
                ords.append(doc_ord)
                tfs.append(tf)
            at.append(len(ords))
        lengths = array("I", (fields[position].length for fields in documents))
        totals[name] = [sum(length > 0 for length in lengths), sum(lengths)]
        sections[f"{name}.at"] = ("Q", at.tobytes())
        sections[f"{name}.ord"] = ("I", ords.tobytes())
        sections[f"{name}.tf"] = ("I", tfs.tobytes())
        sections[f"{name}.len"] = ("I", lengths.tobytes())
    n_terms = array("I", (sum(len(field.tf) for field in fields) for fields in documents))
    n_searchable = sum(count > 0 for count in n_terms)
    df = [max(len(found.get(term, ())) for found in postings) for term in terms]
    sections["df"] = ("I", array("I", df).tobytes())
    squares = [0.0] * len(documents)
    for term, count in zip(terms, df, strict=True):
        term_idf = idf(n_searchable, count)
        for doc_ord, tf in postings[0].get(term, ()):
            weight = tf * term_idf
            squares[doc_ord] += weight * weight
    sections["norm"] = ("d", array("d", map(math.sqrt, squares)).tobytes())
    return Inverted(sections, _facts(n_searchable, totals), n_terms)


def _facts(n_searchable: int, totals: dict[str, list[int]]) -> dict[str, Any]:
    return {"n_searchable": n_searchable, "totals": totals}
