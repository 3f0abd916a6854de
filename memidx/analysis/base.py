"""What does an analyzer promise?

One analyzer serves documents, queries and passages: whatever it does to a word of a document
it does to the same word of a query. Its fingerprint is part of a snapshot's key.
"""

from __future__ import annotations

from memidx.light import TYPE_CHECKING, Protocol
from memidx.values import NamedTuple, Value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memidx.analysis.pieces import FieldTerms


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


if TYPE_CHECKING:

    class Analyzer(Protocol):
        """Text to terms, for documents, queries and passages alike."""

        name: str
        fields: tuple[str, ...]

        def fingerprint(self) -> str:
            """Changes whenever any text could give other terms: version, Unicode, stemmer."""

        def document(self, *, title: str, path: str, text: str) -> tuple[FieldTerms, ...]:
            """Terms per field, in the order of `fields`."""

        def query(self, text: str) -> tuple[QueryWord, ...]:
            """Words of a query in their order, repeats kept; empty when there are none."""

        def spans(self, text: str) -> Iterator[Span]:
            """Words of a text in their order, with positions in the original string."""
else:  # a promise that nothing is asked for at run time
    Analyzer = object


NOT_COUNTED = ""
"""Stands among terms for each that makes a field no longer; never a term itself. Counting the
terms of a document then counts these too, without a step of its own."""
