"""Where in a text do the words of a query stand?

Analysing a whole document to show three snippets of it would cost more than the search did. So
places are guessed by plain substring search, with needles that any spelling of a term begins
with; then only the words of the passages worth showing are analysed, by the analyzer that
indexed them. Where substring search cannot see through a text (combining marks, invisible
characters, Arabic prefixes), each such word is analysed at once.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Container, Iterable
from functools import lru_cache
from typing import NamedTuple

from memidx.analysis.base import Analyzer
from memidx.analysis.normalise import fold, normalise

MAX_FINDS = 300
"""Occurrences of one needle that are looked at; a document that repeats a word more often is
shown by one of the first."""
MAX_UNSEEN = 5000
"""How many words that substring search cannot see through are analysed."""
MAX_WORD = 400
"""How far around a find its word may reach, in characters."""

_UNSEEN = "\x00"


class Place(NamedTuple):
    """`text[start:end]` holds these query terms."""

    start: int
    end: int
    terms: tuple[str, ...]


class Finder:
    """One text, and the terms that are looked for in it."""

    __slots__ = ("_analyzer", "_known", "_text", "_wanted")

    def __init__(self, text: str, analyzer: Analyzer, wanted: Container[str]) -> None:
        self._text = text
        self._analyzer = analyzer
        self._wanted = wanted
        self._known: dict[str, list[Place]] = {}

    def guesses(self, terms: Iterable[str]) -> list[tuple[int, str]]:
        """Where words may stand that were indexed under the terms: (position, term)."""
        text = self._text
        plain = _plain(text)
        found: list[tuple[int, str]] = []
        for term in terms:
            for needle in _needles(term):
                at = plain.find(needle)
                n_finds = 0
                while at >= 0 and n_finds < MAX_FINDS:
                    if _may_begin(plain, text, at):
                        found.append((at, term))
                        n_finds += 1
                    at = plain.find(needle, at + 1)
        at = plain.find(_UNSEEN) if not text.isascii() else -1
        n_looked = 0
        while at >= 0 and n_looked < MAX_UNSEEN:
            start, end = _word_around(text, at)
            for place in self._in_word(text[start:end]):
                found.extend((start + place.start, term) for term in place.terms)
            at = plain.find(_UNSEEN, end)
            n_looked += 1
        return found

    def places(self, positions: Iterable[int]) -> list[Place]:
        """The places among the guesses, in order of their beginning."""
        found: set[Place] = set()
        looked: set[int] = set()
        for at in positions:
            start, end = _word_around(self._text, at)
            if start not in looked:
                looked.add(start)
                for place in self._in_word(self._text[start:end]):
                    found.add(Place(start + place.start, start + place.end, place.terms))
        return sorted(found)

    def all_places(self) -> list[Place]:
        """By analysing everything, for spellings that no guess foresees."""
        words = self._analyzer.document(title="", path="", text=self._text)[0].tf
        if not any(term in self._wanted for term in words):
            return []
        return self._in_word(self._text)

    def _in_word(self, word: str) -> list[Place]:
        known = self._known.get(word)
        if known is None:
            wanted = self._wanted
            known = self._known[word] = [
                Place(start, end, held)
                for start, end, terms in self._analyzer.spans(word)
                if (held := tuple(term for term in terms if term in wanted))
            ]
        return known


@lru_cache(maxsize=4096)
def _needles(term: str) -> tuple[str, ...]:
    """What the surface of a term begins with, in plain characters; one of them is enough."""
    if term.isalpha() and not _is_unspaced(term[0]):
        # Stemmers change the last letter (`retry` is `retri`, `using` is `use`), some the last
        # two; `dying` is `die`.
        cut = 1 if term.isascii() else 2
        needles = [term[: max(2, len(term) - cut)]]
        if term.isascii() and len(term) > 1:
            needles.append(f"{term[0]}'{term[1]}")
            if len(term) <= 6:
                needles.append(f"{term[0]}.{term[1]}")
            if len(term) == 3 and term.endswith("ie"):
                needles.append(f"{term[0]}y")
        return tuple(needles)
    if term.isdecimal() and len(term) > 3:
        return (term, f"{int(term):,}")
    if "_" in term:
        return (term, term.replace("_", "\\_"))
    return (term,)


def _may_begin(plain: str, text: str, at: int) -> bool:
    """Whether a word or a part of a compound can begin here."""
    if at == 0:
        return True
    before, first = plain[at - 1], plain[at]
    if not before.isalnum() or text[at].isupper() or before.isalpha() != first.isalpha():
        return True
    return _is_unspaced(first) or _is_unspaced(before)


def _is_unspaced(character: str) -> bool:
    """CJK and the scripts of South-East Asia, whose terms begin anywhere."""
    code = ord(character)
    return code >= 0x0E00 and (
        code <= 0x0EFF or 0x1000 <= code <= 0x11FF or 0x1780 <= code <= 0x1AAF or code >= 0x2E80
    )


# White space and what never joins the parts of a token (`<` and `>` may be a placeholder's).
_JOINING = "*~=`;<"
MAX_JOINED = 40
_EDGES = frozenset(' \t\n\r\f\v()[]{};"*=|`!?~^%$\u3000\u00a0\u3001\u3002\uff0c')


def _word_around(text: str, at: int) -> tuple[int, int]:
    """Bounds of what is analysed to know the word at `at`: it, and perhaps what stands before."""
    first = max(0, at - MAX_WORD)
    start = max(text.rfind(" ", first, at), text.rfind("\n", first, at)) + 1
    if at - max(start, first) > 40:  # no spaces here: look for other edges
        start = at
        while start > first and text[start - 1] not in _EDGES:
            start -= 1
    end = at + 1
    last = min(len(text), at + MAX_WORD)
    while end < last and text[end] not in _EDGES:
        end += 1
    # Markup and character references may join what follows to the word: `**b**old`, `caf&eacute;`.
    if end < last and text[end] in _JOINING:
        last = min(last, end + MAX_JOINED)
        while end < last and not text[end].isspace():
            end += 1
    return max(start, first), end


class _Plain(dict[int, str]):
    """Code point -> the one character it is compared as, or `_UNSEEN`."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        folded = character.lower() if code < 128 else fold(normalise(character))
        if len(folded) != 1 or _interacts(code):
            folded = _UNSEEN if unicodedata.category(character)[0] in "LMNC" else " "
        self[code] = folded
        return folded


_PLAIN = _Plain()


def _plain(text: str) -> str:
    return text.lower() if text.isascii() else text.translate(_PLAIN)


def _interacts(code: int) -> bool:
    """Characters that change with their neighbours, or stand before a stem (Arabic prefixes)."""
    return (
        0x0300 <= code <= 0x036F
        or 0x0600 <= code <= 0x08FF
        or 0x1100 <= code <= 0x11FF
        or code in (0x3099, 0x309A, 0xFF9E, 0xFF9F)
    )
