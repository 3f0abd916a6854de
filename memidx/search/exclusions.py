"""What else may a document not be, beside holding a word?

`-title:word` looks at titles and paths alone, `-source:name` at where a document comes from. Each
is a test of one document, as an excluded phrase is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from memidx.analysis.base import Analyzer
from memidx.search.parse import ParsedQuery
from memidx.search.phrases import Wording
from memidx.snapshot.parts import Numbers
from memidx.snapshot.snapshot import Snapshot


class Exclusion(Protocol):
    """Something that takes documents out."""

    def stands_in(self, doc: int) -> bool:
        """Whether it is true of a document."""
        ...


class TitleExclusion:
    """A word, or an exact phrase, that a title or path may not hold.

    Args:
        snapshot: Where to look.
        analyzer: What counts as a word.
        text: What the caller wrote behind `-title:`.
    """

    def __init__(self, snapshot: Snapshot, analyzer: Analyzer, text: str) -> None:
        words = analyzer.query(text)
        self._snapshot = snapshot
        self._wholes = [snapshot.term(word.whole) for word in words]
        self._wording = Wording(analyzer, text) if len(words) != 1 else None

    def stands_in(self, doc: int) -> bool:
        """Whether the title or path holds it: a word by its term, a phrase to the letter."""
        if not all(self._is_in_title(numbers, doc) for numbers in self._wholes):
            return False
        if self._wording is None:
            return True
        places = (self._snapshot.card(doc).title, self._snapshot.path(doc))
        return any(map(self._wording.stands_in, places))

    def _is_in_title(self, numbers: Numbers | None, doc: int) -> bool:
        if numbers is None:
            return False
        # An analyzer with one field has no other place for a title.
        positions = range(1, len(self._snapshot.fields)) or range(1)
        return any(self._snapshot.frequency(n, numbers, doc) for n in positions)


class SourceExclusion:
    """A source that is left out.

    Args:
        snapshot: Where to look.
        name: Its name; one that does not exist leaves nothing out.
    """

    def __init__(self, snapshot: Snapshot, name: str) -> None:
        self._source_of = snapshot.source_of
        self._numbers = {n for n, known in enumerate(snapshot.sources) if known == name}

    def stands_in(self, doc: int) -> bool:
        """Whether a document comes from it."""
        return self._source_of[doc] in self._numbers


def exclusions_of_fields(
    snapshot: Snapshot, analyzer: Analyzer, parsed: ParsedQuery
) -> Sequence[Exclusion]:
    """The tests that `-title:` and `-source:` of a query ask for."""
    return (
        *(SourceExclusion(snapshot, name) for name in parsed.excluded_sources),
        *(TitleExclusion(snapshot, analyzer, text) for text in parsed.excluded_titles),
    )
