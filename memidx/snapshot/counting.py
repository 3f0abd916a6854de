"""How often does each term occur in each of many documents?

One document after another costs a look-up and an addition for each of its pieces. Here pieces get
numbers, each distinct piece is analysed once, and the additions are made for many documents
together, in numpy. The counts are those of `Analyzer.document`, to the last one.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from itertools import accumulate, chain, islice
from typing import Any, NamedTuple

from memidx.analysis.base import NOT_COUNTED, Analyzer, PieceAnalyzer

Text = tuple[str, str, str]  # title, path, text

# Beyond this many distinct pieces the numbers begin anew, so that memory stays bounded.
_MAX_PIECES = 1 << 18
# Characters of text whose pieces are added up together: enough to make numpy worth its calls.
_BATCH_CHARACTERS = 1 << 22
_OVERHEAD = 64  # so that documents without text make no endless batch


class Numbers(dict[str, int]):
    """Text -> number, handed out in order of first sight."""

    def __missing__(self, text: str) -> int:
        number = self[text] = len(self)
        return number


class _TermNumbers(dict[str, int]):
    """Term -> number, likewise; `NOT_COUNTED` has -1.

    Attributes:
        new: Terms that got a number since somebody emptied the list.
    """

    def __init__(self) -> None:
        self.new: list[str] = []
        self[NOT_COUNTED] = -1

    def __missing__(self, term: str) -> int:
        number = self[term] = len(self) - 1
        self.new.append(term)
        return number


class Columns:
    """Postings of one field: by document in order of arrival, in any order within one."""

    def __init__(self) -> None:
        self.terms = array("I")
        self.tf = array("I")
        self.counts = array("I")
        self.lengths = array("I")

    def renumber(self, numbers: array[int]) -> None:
        """Give the terms of another process the numbers they have here."""
        import numpy as np  # only who builds a snapshot pays for numpy

        here = np.frombuffer(numbers, dtype=np.uint32)
        terms = here[np.frombuffer(self.terms, dtype=np.uint32)]
        self.terms = array("I", terms.tobytes())


class Counted(NamedTuple):
    """Documents whose terms were counted.

    Attributes:
        terms: Those that were not met before; they go on where the earlier ones' numbers end.
        columns: Per field; terms by number.
    """

    terms: list[str]
    columns: list[Columns]


class Counter:
    """Counts terms batch by batch; terms keep their numbers from one batch to the next."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._analyzer = analyzer
        self._pieces = _Pieces(analyzer) if _has_pieces(analyzer) else None
        self._vocabulary = _TermNumbers()

    def count(self, texts: Iterable[Text]) -> Counted:
        """Terms of documents, in their order."""
        columns = [Columns() for _ in self._analyzer.fields]
        if self._pieces is None:
            self._one_by_one(texts, columns)
        else:
            rest = iter(texts)
            while batch := _some(rest):
                self._pieces.count(batch, self._vocabulary, columns)
        new, self._vocabulary.new = self._vocabulary.new, []
        return Counted(new, columns)

    def _one_by_one(self, texts: Iterable[Text], columns: list[Columns]) -> None:
        number = self._vocabulary.__getitem__
        for title, path, text in texts:
            fields = self._analyzer.document(title=title, path=path, text=text)
            for column, field in zip(columns, fields, strict=True):
                column.terms.extend(map(number, field.tf))
                column.tf.extend(field.tf.values())
                column.counts.append(len(field.tf))
                column.lengths.append(field.length)


def _has_pieces(analyzer: Analyzer) -> bool:
    return hasattr(analyzer, "pieces")


def _some(texts: Iterable[Text]) -> list[Text]:
    batch: list[Text] = []
    size = 0
    for text in texts:
        batch.append(text)
        size += len(text[2]) + _OVERHEAD
        if size >= _BATCH_CHARACTERS:
            break
    return batch


class _Pieces:
    """Numbers of pieces, and the terms of each as rows of one flat array."""

    def __init__(self, analyzer: Any) -> None:
        self._analyzer: PieceAnalyzer = analyzer
        self._forget()

    def _forget(self) -> None:
        self._numbers = Numbers()
        self._terms = array("q")  # numbers of terms, -1 for NOT_COUNTED
        self._ends = array("q", [0])  # where each piece's terms end; one more than there are pieces

    def count(self, texts: list[Text], vocabulary: _TermNumbers, columns: list[Columns]) -> None:
        """Append the counts of some documents to the columns."""
        if len(self._numbers) > _MAX_PIECES:
            self._forget()
        analyzer, number = self._analyzer, self._numbers.__getitem__
        fields = [_Occurrences() for _ in columns]
        for title, path, text in texts:
            of_fields = analyzer.field_texts(title=title, path=path, text=text)
            for field, of_field in zip(fields, of_fields, strict=True):
                pieces = analyzer.pieces(of_field)
                field.pieces.extend(map(number, pieces))
                field.times.extend(pieces.values())
                field.counts.append(len(pieces))
        self._learn(vocabulary)
        for field, column in zip(fields, columns, strict=True):
            self._add_up(field, vocabulary, column)

    def _learn(self, vocabulary: _TermNumbers) -> None:
        """Take in the terms of the pieces that are new."""
        terms_of = self._analyzer.terms_of
        new = islice(self._numbers, len(self._ends) - 1, None)
        found = list(map(terms_of.__getitem__, new))
        self._terms.extend(map(vocabulary.__getitem__, chain.from_iterable(found)))
        self._ends.extend(accumulate(map(len, found), initial=self._ends.pop()))

    def _add_up(self, field: _Occurrences, vocabulary: _TermNumbers, column: Columns) -> None:
        # Only who builds a snapshot pays for numpy.
        import numpy as np

        ends = np.frombuffer(self._ends, dtype=np.int64)
        pieces = np.frombuffer(field.pieces, dtype=np.uint32).astype(np.int64)
        times = np.frombuffer(field.times, dtype=np.uint32).astype(np.int64)
        n_pieces = np.frombuffer(field.counts, dtype=np.uint32)
        n_docs = len(n_pieces)
        # Each occurrence of a piece becomes one of each of its terms.
        sizes = ends[pieces + 1] - ends[pieces]
        places = np.repeat(ends[pieces + 1] - np.cumsum(sizes), sizes) + np.arange(sizes.sum())
        terms = np.frombuffer(self._terms, dtype=np.int64)[places]
        docs = np.repeat(np.repeat(np.arange(n_docs, dtype=np.int64), n_pieces), sizes)
        times = np.repeat(times, sizes)
        real = terms >= 0
        gains = np.where(real, 1, -1)
        stops = [vocabulary[term] for term in self._analyzer.lengthless if term in vocabulary]
        gains[np.isin(terms, stops)] = 0
        lengths = np.bincount(docs, weights=times * gains, minlength=n_docs)
        # One posting for each document and term.
        width = len(vocabulary)
        keys = docs[real] * width + terms[real]
        order = np.argsort(keys)
        keys = keys[order]
        first = np.flatnonzero(np.diff(keys, prepend=-1))
        tf = np.add.reduceat(times[real][order], first) if len(first) else first
        docs, terms = np.divmod(keys[first], width)
        counts = np.bincount(docs, minlength=n_docs)
        filled = (column.terms, terms), (column.tf, tf), (column.counts, counts)
        for numbers, values in (*filled, (column.lengths, lengths)):
            numbers.frombytes(values.astype(np.uint32).tobytes())


class _Occurrences:
    """Pieces of one field: by document, how often each occurs."""

    def __init__(self) -> None:
        self.pieces = array("I")
        self.times = array("I")
        self.counts = array("I")
