"""Does a text hold an exact phrase?

A phrase is exact in its letters and in where its words end, not in how it is set. Two readings of
a text are tried, neither of them stemmed:

- as written, but for case, accents and punctuation: `"grade 4 week 1"` finds `Grade 4: Week 1`.
  This is quick, and answers nearly always;
- as the analyzer divides it, without the markup and character references that stand in words:
  `"html response"` finds `parseHTMLResponse`, and `"H2O"` finds `H<sub>2</sub>O` (`readings`).
"""

from __future__ import annotations

import re
from functools import cached_property

from memidx.analysis.base import Analyzer
from memidx.search.folding import fold, is_edge
from memidx.search.readings import (
    LETTERS,
    NOTHING,
    Plain,
    Reader,
    Reading,
    agree,
    has_letters,
    plain_text,
    squeeze,
)
from memidx.snapshot.parts import Numbers
from memidx.snapshot.snapshot import Snapshot


class Phrase:
    """An exact phrase of a query, looked up in one snapshot.

    Args:
        snapshot: Where to look.
        analyzer: What counts as a term.
        text: The phrase as the caller wrote it.
    """

    def __init__(self, snapshot: Snapshot, analyzer: Analyzer, text: str) -> None:
        self._snapshot = snapshot
        self._wording = Wording(analyzer, text)
        words = [
            [n for n in map(snapshot.term, (term for term, _ in word.terms)) if n is not None]
            for word in analyzer.query(text)
        ]
        # A word without a known term says nothing: stop words may not be indexed.
        self._words = [numbers for numbers in words if numbers]

    def stands_in(self, doc: int) -> bool:
        """Whether a document's text, title or path holds the phrase."""
        # Postings are quick and rule most documents out before any text is folded.
        if not all(self._has_any(numbers, doc) for numbers in self._words):
            return False
        snapshot = self._snapshot
        places = (snapshot.text(doc), snapshot.card(doc).title, snapshot.path(doc))
        return any(map(self._wording.stands_in, places))

    def _has_any(self, terms: list[Numbers], doc: int) -> bool:
        return any(self._snapshot.holds(numbers, doc) for numbers in terms)


class Wording:
    """The words of a phrase, to be found in texts.

    Args:
        analyzer: What divides texts into words.
        text: The phrase as the caller wrote it.
    """

    def __init__(self, analyzer: Analyzer, text: str) -> None:
        self._analyzer = analyzer
        self._text = text
        self._folded = fold(text)
        self._folded_letters = self._folded.replace(" ", "")

    def stands_in(self, text: str) -> bool:
        """Whether a text holds the phrase, in either reading."""
        # Few texts have even the letters in a row, and nearly all are ASCII: that is quick.
        is_likely = not text.isascii() or has_letters(text, self._folded_letters)
        if is_likely and holds_phrase(fold(text), self._folded):
            return True
        plain = plain_text(text)
        return has_letters(plain.text, self._letters) and self._is_read_in(plain)

    def _is_read_in(self, plain: Plain) -> bool:
        """Whether the letters of the phrase make its words, at one of the places they stand."""
        if not self._letters:
            return False
        reader = Reader(self._analyzer, plain)
        match = self._pattern.search(reader.letters)
        while match:
            if reader.may_hold(*match.span()) and agree(
                self._reading, reader.read(*match.span()), self._letters
            ):
                return True
            match = self._pattern.search(reader.letters, match.start() + 1)
        return False

    @cached_property
    def _plain(self) -> Plain:
        return plain_text(self._text)

    @cached_property
    def _letters(self) -> str:
        return squeeze(self._plain.text.translate(LETTERS))

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(f"[ {NOTHING}]*".join(map(re.escape, self._letters)))

    @cached_property
    def _reading(self) -> Reading:
        reader = Reader(self._analyzer, self._plain)
        letters = reader.letters.rstrip(f" {NOTHING}")
        start = len(letters) - len(letters.lstrip(f" {NOTHING}"))
        return reader.read(start, len(letters))


def holds_phrase(folded_text: str, folded_phrase: str) -> bool:
    """Whether a folded phrase stands in a folded text as whole words.

    A change between letters and digits is a word's edge too (`2.1.9` stands in `v2.1.9`), and so
    is any edge of a script written without spaces.
    """
    phrase = folded_phrase.strip()
    if not phrase:
        return True
    at = folded_text.find(phrase)
    while at >= 0:
        end = at + len(phrase)
        if is_edge(folded_text[at - 1], phrase[0]) and is_edge(phrase[-1], folded_text[end]):
            return True
        at = folded_text.find(phrase, at + 1)
    return False
