"""What are the terms of many chunks?

Most of a corpus's distinct chunks are compounds, and to take one apart by itself costs dozens of
calls (`memidx.analysis.parts`). Here all chunks that are new are taken apart together, over arrays
of their characters (`memidx.analysis.chunks`): a compound's term is its characters in lower case,
a leaf is a word, a name of several words, or a number. Words are stemmed each once, all new ones of
a batch in one call; no text is made of anything but of those.

Only chunks of the usual shape go this way, one plain ASCII token with perhaps punctuation around
it; what is unusual is handed to the analyzer as it is. A test holds the two together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from memidx.analysis.base import NOT_COUNTED
from memidx.analysis.chunks import Shapes, Spans, divided_chunks, joined
from memidx.analysis.leaves import Leaves, by_shape
from memidx.analysis.names import divided_names
from memidx.analysis.numbering import Numbers, Words, grown
from memidx.analysis.parts import MAX_TERM, Parts
from memidx.analysis.stems import stems
from memidx.analysis.vocabulary import STOP_WORDS

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NOT_COUNTED = -1
"""The number of `NOT_COUNTED`."""

_HALF, _LOWER = 32, (1 << 32) - 1
_STOPS = [word.encode() for word in sorted(STOP_WORDS)]


def term_numbers(vocabulary: Numbers, terms: Iterable[str]) -> NDArray[Any]:
    """Numbers of terms; -1 for `NOT_COUNTED`."""
    words = Words.of([term.encode("utf-8", "surrogatepass") for term in terms])
    is_term = words.lengths > len(NOT_COUNTED)
    numbers = np.full(len(words.lengths), _NOT_COUNTED)
    numbers[is_term] = vocabulary.of_words(Words(words.data, words.lengths[is_term]))
    return numbers


def one_by_one(
    terms_of: Callable[[str], tuple[str, ...]], vocabulary: Numbers, pieces: Words
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Numbers of the terms of all pieces, one after another, and how many each has.

    Args:
        terms_of: The terms of a piece.
        vocabulary: Numbers the terms.
        pieces: In UTF-8.
    """
    found = [terms_of(piece.decode("utf-8", "surrogatepass")) for piece in pieces.split()]
    terms = term_numbers(vocabulary, chain.from_iterable(found))
    return terms, np.fromiter(map(len, found), dtype=np.int64, count=len(found))


class BulkTerms:
    """Chunks -> numbers of their terms, for many at a time.

    Args:
        parts: Says what the terms of a leaf are.
        of_chunk: The terms of any chunk.
        vocabulary: Numbers the terms.
    """

    def __init__(
        self, parts: Parts, of_chunk: Callable[[str], tuple[str, ...]], vocabulary: Numbers
    ) -> None:
        self._parts = parts
        self._of_chunk = of_chunk
        self._vocabulary = vocabulary
        self._words = _WordTerms(vocabulary)
        self._rest = _LeafTerms(parts, vocabulary)

    def of(self, chunks: Words) -> tuple[NDArray[Any], NDArray[Any]]:
        """What `one_by_one` gives of chunks; they hold neither line ends nor zero bytes."""
        text, owner_of = divided_chunks(chunks)
        shapes = Shapes(text, len(owner_of))
        lowered = text.lower()
        compounds = shapes.compounds()
        leaves = by_shape(text, lowered, shapes.leaves())
        # Each table is asked once, for a question costs as much as some thousand answers.
        as_they_are = joined(compounds, leaves.wholes, leaves.numbered, leaves.digits)
        found = [
            (as_they_are.owners, self._vocabulary.of(lowered, *as_they_are.places)),
            *self._of_words(text, lowered, leaves),
            self._rest.of(text, leaves.rest),
            self._of_unusual(text, shapes.unusual()),
            _not_counted(compounds.owners),
            _not_counted(leaves.numbered.owners),
        ]
        owners = owner_of[np.concatenate([of_found for of_found, _ in found])]
        terms = np.concatenate([terms for _, terms in found])
        # In one number, sorted several times as fast; the order of a chunk's terms says nothing.
        both = owners << _HALF | terms - _NOT_COUNTED
        both.sort()
        terms = (both & _LOWER) + _NOT_COUNTED
        return terms, np.bincount(owners, minlength=len(chunks.lengths))

    def _of_words(self, text: bytes, lowered: bytes, leaves: Leaves) -> list[_Found]:
        """Terms of letters alone; those of names as a whole, and of what they are divided into."""
        pieces, is_divided = divided_names(np.frombuffer(text, dtype=np.uint8), leaves.names)
        words = joined(leaves.names, leaves.words, leaves.letters, pieces)
        terms = self._words.of(lowered, words)
        owners, wholes = leaves.names.owners, terms[: len(leaves.names.owners)]
        is_longer = is_divided & ~self._words.are_stops(wholes)
        return [(words.owners, terms), _not_counted(owners[is_longer])]

    def _of_unusual(self, text: bytes, unusual: Spans) -> _Found:
        spans = zip(unusual.starts.tolist(), unusual.lengths.tolist(), strict=True)
        chunks = Words.of([text[start : start + length] for start, length in spans])
        terms, sizes = one_by_one(self._of_chunk, self._vocabulary, chunks)
        return np.repeat(unusual.owners, sizes), terms


class _WordTerms:
    """Words of ASCII letters in lower case -> numbers of their terms (`parts.word_term`)."""

    def __init__(self, vocabulary: Numbers) -> None:
        self._vocabulary = vocabulary
        self._words = Numbers()
        self._terms = np.zeros(1 << 12, dtype=np.int64)
        stops = Words.of(_STOPS)
        terms = vocabulary.of_words(stops)
        self._stops = np.sort(terms)
        self._note(0, terms[np.argsort(self._words.of_words(stops))])

    def of(self, lowered: bytes, words: Spans) -> NDArray[Any]:
        """The numbers of the terms of some words."""
        n_known = self._words.size
        numbers = self._words.of(lowered, *words.places)
        if self._words.size > n_known:
            new = [word[:MAX_TERM] for word in self._words.since(n_known).split()]
            self._note(n_known, self._vocabulary.of_words(Words.of(stems(new))))
        terms: NDArray[Any] = self._terms[numbers]
        return terms

    def are_stops(self, terms: NDArray[Any]) -> NDArray[Any]:
        """Which of some terms are stop words."""
        places = np.searchsorted(self._stops, terms)
        which: NDArray[Any] = self._stops[np.minimum(places, len(self._stops) - 1)] == terms
        return which

    def _note(self, first: int, terms: NDArray[Any]) -> None:
        self._terms = grown(self._terms, first + len(terms))
        self._terms[first : first + len(terms)] = terms


class _LeafTerms:
    """Letters and digits -> numbers of their terms, for those that have to be looked at closely."""

    def __init__(self, parts: Parts, vocabulary: Numbers) -> None:
        self._parts = parts
        self._vocabulary = vocabulary
        self._leaves = Numbers()
        self._terms = TermLists()

    def of(self, text: bytes, leaves: Spans) -> _Found:
        """Owners and terms of some leaves."""
        n_known = self._leaves.size
        numbers = self._leaves.of(text, *leaves.places)
        if self._leaves.size > n_known:
            new = self._leaves.since(n_known)
            self._terms.add(*one_by_one(self._terms_of, self._vocabulary, new))
        places, terms = self._terms.of(numbers)
        return leaves.owners[places], terms

    def _terms_of(self, leaf: str) -> tuple[str, ...]:
        return self._parts.divide(leaf).terms


class TermLists:
    """Number of a piece -> its terms, in one flat array."""

    def __init__(self) -> None:
        self._n_pieces = self._n_terms = 0
        self._terms = np.zeros(1 << 12, dtype=np.int32)
        self._ends = np.zeros(1 << 12, dtype=np.int64)  # one more than there are pieces

    def add(self, terms: NDArray[Any], sizes: NDArray[Any]) -> None:
        """Take in the terms of the next pieces, and how many each has."""
        n_pieces, n_terms = self._n_pieces + len(sizes), self._n_terms + len(terms)
        self._terms = grown(self._terms, n_terms)
        self._ends = grown(self._ends, n_pieces + 1)
        self._terms[self._n_terms : n_terms] = terms
        np.cumsum(sizes, out=self._ends[self._n_pieces + 1 : n_pieces + 1])
        self._ends[self._n_pieces + 1 : n_pieces + 1] += self._n_terms
        self._n_pieces, self._n_terms = n_pieces, n_terms

    def of(self, numbers: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Terms of some pieces, one piece after another: the place of the piece, and the term."""
        starts = self._ends.take(numbers)
        sizes = self._ends.take(numbers + 1) - starts
        places = np.repeat(np.arange(len(sizes)), sizes)
        # How far the first one of each is from where it shall stand.
        starts -= np.cumsum(sizes) - sizes
        wanted = starts.take(places)
        wanted += np.arange(len(wanted))
        return places, self._terms.take(wanted)


def _not_counted(owners: NDArray[Any]) -> _Found:
    return owners, np.full(len(owners), _NOT_COUNTED)


_Found = tuple["NDArray[Any]", "NDArray[Any]"]
"""Places of chunks, and the number of a term of each."""
