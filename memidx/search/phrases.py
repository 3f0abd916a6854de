"""Does a text hold an exact phrase?

Both sides are folded the same way: compatibility forms, case, accents, and every run of
punctuation or space to one space. No stemming: a phrase is exact in its words, not in how they
are set, so that `"grade 4 week 1"` finds `Grade 4: Week 1`.
"""

from __future__ import annotations

import unicodedata

from memidx.analysis.base import Analyzer
from memidx.search.kernels import term_frequency
from memidx.snapshot.snapshot import Snapshot


class _Folding(dict[int, str]):
    """Code point -> what it is compared as, worked out when first met.

    Character by character, so that one C-speed `translate` folds a long text.
    """

    def __missing__(self, code: int) -> str:
        folded = ""
        for character in unicodedata.normalize("NFKD", chr(code).casefold()).casefold():
            category = unicodedata.category(character)
            if category == "Nd":
                folded += str(unicodedata.decimal(character))
            elif character.isalnum():
                folded += character
            elif category[0] != "M" and category != "Cf":
                folded += " "
        self[code] = folded
        return folded


_FOLDING = _Folding()


def fold(text: str) -> str:
    """Words of a text, lower case, without accents, with single spaces between and around."""
    return f" {' '.join(text.translate(_FOLDING).split())} "


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
        if _is_edge(folded_text[at - 1], phrase[0]) and _is_edge(phrase[-1], folded_text[end]):
            return True
        at = folded_text.find(phrase, at + 1)
    return False


class Phrase:
    """An exact phrase of a query, looked up in one snapshot.

    Args:
        snapshot: Where to look.
        analyzer: What counts as a term.
        text: The phrase as the caller wrote it.
    """

    def __init__(self, snapshot: Snapshot, analyzer: Analyzer, text: str) -> None:
        self._snapshot = snapshot
        self._folded = fold(text)
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
        places = (snapshot.texts[doc], snapshot.card(doc).title, snapshot.path(doc))
        return any(holds_phrase(fold(place), self._folded) for place in places)

    def _has_any(self, numbers: list[int], doc: int) -> bool:
        return any(
            term_frequency(field, number, doc)
            for field in self._snapshot.fields
            for number in numbers
        )


def _is_edge(left: str, right: str) -> bool:
    return (
        left == " "
        or right == " "
        or left.isdigit() != right.isdigit()
        or _is_unspaced(left)
        or _is_unspaced(right)
    )


def _is_unspaced(character: str) -> bool:
    """Whether a character belongs to a script written without spaces between words."""
    code = ord(character)
    return (
        0x0E00 <= code <= 0x0EFF
        or 0x1780 <= code <= 0x17FF
        or 0x3040 <= code <= 0x9FFF
        or (0x1000 <= code <= 0x109F or 0x20000 <= code <= 0x3FFFF)
    )
