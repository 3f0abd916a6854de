"""How often does each term occur in each of many documents?

One document after another costs a look-up and an addition for each of its pieces. Here pieces get
numbers, each distinct piece is analysed once, and the additions are made for many documents
together, in numpy. The counts are those of `Analyzer.document`, to the last one.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterable
from itertools import chain, count
from typing import TYPE_CHECKING, Any, NamedTuple

from memidx.analysis.base import Analyzer
from memidx.analysis.pieces import PieceAnalyzer, Spread

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memidx.analysis.numbering import Numbers, Words

Text = tuple[str, str, str]  # title, path, text

# Beyond this many distinct pieces the numbers begin anew, so that memory stays bounded: 15 MB.
# 20 MB of documents have some 140,000.
_MAX_PIECES = 9 << 14
# Characters of text whose pieces are added up together: enough to make numpy worth its calls.
_BATCH_CHARACTERS = 1 << 20
_SHORT_BITS, _NUMBER_BITS = 32, 63
_counters = count()
_OVERHEAD = 64  # so that documents without text make no endless batch


class Columns:
    """Postings of one field: by document in order of arrival, in any order within one."""

    def __init__(self) -> None:
        self.terms = array("I")
        self.tf = array("I")
        self.counts = array("I")
        self.lengths = array("I")

    def renumber(self, numbers: NDArray[Any]) -> None:
        """Give the terms other numbers; uint32."""
        import numpy as np  # only who builds a snapshot pays for numpy

        terms = numbers[np.frombuffer(self.terms, dtype=np.uint32)]
        self.terms = array("I", terms.tobytes())


class Counted(NamedTuple):
    """Documents whose terms were counted.

    Attributes:
        terms: Those that were not met before; they go on where the earlier ones' numbers end. Some
            may be terms of none of the documents.
        columns: Per field; terms by number.
        counter: Whose numbers these are.
    """

    terms: Words
    columns: list[Columns]
    counter: tuple[int, int] = (0, 0)


class Counter:
    """Counts terms batch by batch; terms keep their numbers from one batch to the next.

    Attributes:
        vocabulary: The terms.
        name: Tells it from all other counters, those of other processes too.
    """

    def __init__(self, analyzer: Analyzer) -> None:
        # Only who builds a snapshot pays for numpy.
        from memidx.analysis.numbering import Numbers

        self._analyzer = analyzer
        self.vocabulary = Numbers()
        self._n_told = 0
        self.name = os.getpid(), next(_counters)
        self._pieces = _Pieces(analyzer, self.vocabulary) if _has_pieces(analyzer) else None

    def count(self, texts: Iterable[Text]) -> Counted:
        """Terms of documents, in their order."""
        columns = [Columns() for _ in self._analyzer.fields]
        if self._pieces is None:
            self._one_by_one(texts, columns)
        else:
            rest = iter(texts)
            while batch := _some(rest):
                self._pieces.count(batch, columns)
        new = self.vocabulary.since(self._n_told)
        self._n_told = self.vocabulary.size
        return Counted(new, columns, self.name)

    def _one_by_one(self, texts: Iterable[Text], columns: list[Columns]) -> None:
        from memidx.analysis.bulk import term_numbers

        for title, path, text in texts:
            fields = self._analyzer.document(title=title, path=path, text=text)
            for column, field in zip(columns, fields, strict=True):
                column.terms.extend(term_numbers(self.vocabulary, field.tf).tolist())
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

    def __init__(self, analyzer: Any, vocabulary: Numbers) -> None:
        from memidx.analysis.numbering import Words

        self._analyzer: PieceAnalyzer = analyzer
        self._vocabulary = vocabulary
        # Before all others, so that they are told by their numbers.
        lengthless = [term.encode() for term in sorted(self._analyzer.lengthless)]
        vocabulary.of_words(Words.of(lengthless))
        self._n_lengthless = vocabulary.size
        self._forget()

    def _forget(self) -> None:
        # Only who builds a snapshot pays for numpy.
        import numpy as np

        from memidx.analysis.bulk import TermLists
        from memidx.analysis.numbering import Numbers

        self._numbers = Numbers()
        self._terms_of = self._analyzer.terms_in_bulk(self._vocabulary)
        # Numbers of the terms of each piece, and how much longer it makes a field.
        self._terms = TermLists()
        self._lengths = np.zeros(1 << 12, dtype=np.int32)

    def count(self, texts: list[Text], columns: list[Columns]) -> None:
        """Append the counts of some documents to the columns."""
        if self._numbers.size > _MAX_PIECES:
            self._forget()
        of_fields = [
            self._analyzer.field_texts(title=title, path=path, text=text)
            for title, path, text in texts
        ]
        # All fields of all documents together, field by field: half as many calls of numpy.
        spread = self._analyzer.spread([*chain.from_iterable(zip(*of_fields, strict=True))])
        self._add_up(*self._occurrences(spread), len(texts), columns)

    def _occurrences(self, spread: Spread) -> tuple[NDArray[Any], NDArray[Any]]:
        """Text and number of each piece."""
        import numpy as np

        from memidx.analysis.numbering import Words

        n_known = self._numbers.size
        starts = spread.starts
        n_pieces = np.diff(np.searchsorted(starts, spread.text_ends), prepend=0)
        texts = np.repeat(np.arange(len(n_pieces)), n_pieces)
        pieces = self._numbers.of(spread.data, starts, spread.ends - starts)
        if spread.more:
            more = Words.of([piece.encode("utf-8", "surrogatepass") for _, piece in spread.more])
            texts = np.concatenate((texts, [text for text, _ in spread.more]))
            pieces = np.concatenate((pieces, self._numbers.of_words(more)))
        self._learn(n_known)
        return texts, pieces

    def _learn(self, first: int) -> None:
        """Take in the terms of the pieces from this number on."""
        import numpy as np

        from memidx.analysis.numbering import grown

        terms, sizes = self._terms_of(self._numbers.since(first))
        every_piece = _sums_before(sizes)
        is_term = terms >= 0  # the others are NOT_COUNTED
        n_terms = np.diff(_sums_before(is_term)[every_piece])
        self._terms.add(terms[is_term], n_terms)
        n_long = np.diff(_sums_before(terms >= self._n_lengthless)[every_piece])
        self._lengths = grown(self._lengths, self._numbers.size)
        self._lengths[first : self._numbers.size] = n_long - (sizes - n_terms)

    def _add_up(
        self, texts: NDArray[Any], pieces: NDArray[Any], n_docs: int, columns: list[Columns]
    ) -> None:
        """Append the counts of the terms of pieces; texts are numbered field by field."""
        import numpy as np

        every_text = np.arange(n_docs * len(columns) + 1)
        texts, pieces, times = _counted(texts, pieces)
        sums = _sums_before(times * self._lengths.take(pieces))
        lengths = np.diff(sums[np.searchsorted(texts, every_text)])
        # Each occurrence of a piece becomes one of each of its terms.
        places, terms = self._terms.of(pieces)
        texts, terms, tf = _counted(texts.take(places), terms, times.take(places))
        first = np.searchsorted(texts, every_text)
        counts = np.diff(first)
        for number, column in enumerate(columns):
            docs = slice(number * n_docs, (number + 1) * n_docs)
            of_field = slice(first[docs.start], first[docs.stop])
            filled = (column.terms, terms[of_field]), (column.tf, tf[of_field])
            told = (column.counts, counts[docs]), (column.lengths, lengths[docs])
            for numbers, values in (*filled, *told):
                numbers.frombytes(values.astype(np.uint32).tobytes())


def _counted(
    docs: NDArray[Any], numbers: NDArray[Any], times: NDArray[Any] | None = None
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """How often each number occurs in each document, ordered by both.

    Args:
        docs: Of each occurrence.
        numbers: Below 2**32.
        times: How often it counts, > 0; None for once.
    """
    import numpy as np

    n_bits = int(numbers.max(initial=0)).bit_length()
    is_short = int(docs.max(initial=0)).bit_length() + n_bits <= _SHORT_BITS
    # Most are short, and sorted twice as fast.
    keys: NDArray[Any] = docs.astype(np.uint32 if is_short and times is None else np.int64)
    keys <<= n_bits
    keys |= numbers.astype(keys.dtype, copy=False)
    if times is None:
        keys.sort()
    else:
        keys, times = _sorted_together(keys, times)
    is_first = np.ones(len(keys), dtype=bool)
    np.not_equal(keys[1:], keys[:-1], out=is_first[1:])
    first = np.flatnonzero(is_first)
    behind = np.append(first, len(keys))[1:]
    # Differences of sums take less time than a sum of each.
    times = behind - first if times is None else np.diff(_sums_before(times)[behind], prepend=0)
    keys = keys[first].astype(np.int64)
    return keys >> n_bits, keys & ((1 << n_bits) - 1), times


def _sums_before(values: NDArray[Any]) -> NDArray[Any]:
    """The sum of the values before each place, and of all."""
    import numpy as np

    sums = np.zeros(len(values) + 1, dtype=np.int64)
    np.cumsum(values, out=sums[1:])
    return sums


def _sorted_together(keys: NDArray[Any], times: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Keys in order, and the times of each: in one number where both fit, sorted thrice as fast.

    The keys are used up.
    """
    import numpy as np

    n_bits = int(times.max(initial=0)).bit_length()
    if int(keys.max(initial=0)).bit_length() + n_bits > _NUMBER_BITS:
        order = np.argsort(keys)
        return keys[order], times[order]
    keys <<= n_bits
    keys |= times
    keys.sort()
    times = keys & ((1 << n_bits) - 1)
    keys >>= n_bits
    return keys, times
