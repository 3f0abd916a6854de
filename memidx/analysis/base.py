"""What does an analyzer promise?

One analyzer serves documents, queries and passages: whatever it does to a word of a document
it does to the same word of a query. Its fingerprint is part of a snapshot's key.
"""

from __future__ import annotations

from memidx.light import TYPE_CHECKING, Protocol
from memidx.values import NamedTuple, Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from memidx.analysis.numbering import Numbers, Words

    # Pieces in UTF-8, as `Spread` has them -> numbers of the terms of all, one after another, and
    # how many each has.
    TermsInBulk = Callable[[Words], tuple[NDArray[Any], NDArray[Any]]]


class FieldTerms(NamedTuple):
    """Terms of one field of one document.

    Attributes:
        tf: Term -> how often it occurs (positive).
        length: Field length that BM25 normalises by; not always `sum(tf.values())`, because
            a term that is indexed in addition (a CJK unigram beside its bigrams) does not count.
    """

    tf: Mapping[str, int]
    length: int


class QueryWord(Value):
    """One word of a query, as scored.

    Attributes:
        surface: The word as the caller wrote it.
        terms: `(term, weight)` in a fixed order; weights multiply the term's score.
        whole: The term that stands for the whole word (exclusion and coverage look at it first).
        content: False for a function word: it does not count in "how much of the query matched".
    """

    surface: str
    terms: tuple[tuple[str, float], ...]
    whole: str
    content: bool


class Span(NamedTuple):
    """Where a word stands in a text: `text[start:end]`, and the terms it was indexed under."""

    start: int
    end: int
    terms: tuple[str, ...]


class Analyzer(Protocol):
    """Text to terms, for documents, queries and passages alike."""

    name: str
    fields: tuple[str, ...]

    def fingerprint(self) -> str:
        """Changes whenever any text could give other terms (version, options, Unicode, stemmer)."""

    def document(self, *, title: str, path: str, text: str) -> tuple[FieldTerms, ...]:
        """Terms per field, in the order of `fields`."""

    def query(self, text: str) -> tuple[QueryWord, ...]:
        """Words of a query in their order, repeats kept; empty when there is nothing to search."""

    def spans(self, text: str) -> Iterator[Span]:
        """Words of a text in their order, with positions in the original string."""


NOT_COUNTED = ""
"""Stands among terms for each that makes a field no longer; never a term itself. Counting the
terms of a document then counts these too, without a step of its own."""


class PieceAnalyzer(Analyzer, Protocol):
    """An analyzer whose fields are made of pieces that each have their terms wherever they stand.

    Most pieces of a corpus are repeats, so whoever analyses many documents looks each piece up
    once and adds up the rest in bulk (`memidx.snapshot.counting`).
    """

    @property
    def terms_of(self) -> Mapping[str, tuple[str, ...]]:
        """Piece -> its terms with repeats, and `NOT_COUNTED` for each that adds no length.

        Made when first asked for, and perhaps forgotten again.
        """

    @property
    def lengthless(self) -> frozenset[str]:
        """Terms that add no length wherever they occur, without a `NOT_COUNTED`."""

    def field_texts(self, *, title: str, path: str, text: str) -> tuple[str, ...]:
        """The text of each field, in the order of `fields`."""

    def pieces(self, text: str) -> Mapping[str, int]:
        """Pieces of a field's text, and how often each occurs."""

    def spread(self, texts: Sequence[str]) -> Spread:
        """Pieces of the texts of many fields, in their order."""

    def terms_in_bulk(self, vocabulary: Numbers) -> TermsInBulk:
        """Makes what gives for many pieces what `terms_of` gives for each, in numbers.

        Args:
            vocabulary: Numbers the terms; `NOT_COUNTED` has -1.
        """


class Spread(NamedTuple):
    """Pieces of many texts.

    Attributes:
        data: The pieces in UTF-8 (a lone surrogate as three bytes), each between bytes of 32 or
            less; a zero byte ends each text.
        more: Further pieces, and the place of the text they are from.
    """

    data: bytes
    more: list[tuple[int, str]]


def count_terms(analyzer: PieceAnalyzer, text: str) -> FieldTerms:
    """Terms of one field's text, one document at a time."""
    tf: dict[str, int] = {}
    count = tf.get
    known = analyzer.terms_of
    for piece, n in analyzer.pieces(text).items():
        for term in known[piece]:
            tf[term] = count(term, 0) + n
    lengthless = tf.pop(NOT_COUNTED, 0)
    lengthless += sum(tf[word] for word in analyzer.lengthless if word in tf)
    return FieldTerms(tf, sum(tf.values()) - lengthless)
