"""What does an analyzer promise those who analyse many documents?

Terms of documents, and the pieces that they are made of, which repeat from document to document.
A search has no use for it.
"""

from __future__ import annotations

from memidx.analysis.base import NOT_COUNTED, Analyzer
from memidx.light import TYPE_CHECKING, Protocol
from memidx.values import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
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


if TYPE_CHECKING:

    class PieceAnalyzer(Analyzer, Protocol):
        """An analyzer whose fields are made of pieces that have their terms wherever they stand.

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
else:  # as `Analyzer`
    PieceAnalyzer = object


class Spread(NamedTuple):
    """Pieces of many texts.

    Attributes:
        data: Holds the pieces in UTF-8 (a lone surrogate as three bytes), and behind the last one
            `memidx.analysis.numbering.PADDING`.
        starts: Where each begins; int64.
        ends: Where each ends; int64.
        text_ends: Where the texts end.
        more: Further pieces, and the place of the text they are from.
    """

    data: bytes
    starts: NDArray[Any]
    ends: NDArray[Any]
    text_ends: Sequence[int]
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
