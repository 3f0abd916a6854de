"""Do the same letters make the same words?

Two stretches of text that have the same letters hold the same words when words end at the same
places. The analyzer's leaves say where: between `parse`, `HTML` and `Response`, inside `RFC2119`,
but not inside `don't`. docs/decisions/0006 has the rules.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from memidx.analysis.base import Analyzer, Span
from memidx.analysis.entities import unescape
from memidx.analysis.inner import joined_words
from memidx.light import bisect_left
from memidx.search.folding import FOLDING, is_edge, is_unspaced

NOTHING = "\0"
"""What a character becomes that is compared as nothing, such as an accent."""

_LOWER = bytes(range(256)).lower()
_NO_LETTERS = bytes(code for code in range(128) if not chr(code).isalnum())

# What no reader of the rendered text sees: tags that stand in lines, and targets of links.
_TAG = (
    r"</?(?:a|abbr|b|big|br|cite|code|del|em|font|i|ins|kbd|mark|q|s|samp|small|span|strong|sub"
    r"|sup|tt|u|var)(?:\s[^<>]*)?/?>"
)
_TARGET = r"""\]\([^()\s]*(?:\s+"[^"\n]*")?\)"""


class _Letters(dict[int, str]):
    """Code point -> the one character it is compared as, so that places stay the same."""

    def __missing__(self, code: int) -> str:
        folded = FOLDING[code]
        # A syllable of Hangul folds to several letters; both sides have it whole.
        self[code] = letter = chr(code) if len(folded) > 1 else folded or NOTHING
        return letter


LETTERS = _Letters()


class Plain(NamedTuple):
    """A text as it is read: without character references and the markup that hides words.

    Attributes:
        text: What is left; a space stands for a tag or the target of a link.
        seams: Where markup stood inside a word.
    """

    text: str
    seams: frozenset[int]


class Reading(NamedTuple):
    """How a stretch of letters is divided. Edge n is before letter n, counted from 0.

    Attributes:
        ends: Edges at which one word ends and the next begins.
        may_end: These, and others at which a word may end: the apostrophe of `don't`.
        leaves: First edge of each leaf -> its last edge, and its terms.
        is_whole: Whether a word begins where the stretch does, and one ends where it ends.
    """

    ends: set[int]
    may_end: set[int]
    leaves: dict[int, tuple[int, tuple[str, ...]]]
    is_whole: bool


def plain_text(text: str) -> Plain:
    """What a reader sees of a text."""
    if "&" in text:
        text = unescape(text)
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).replace("ß", "ss")
    text, seams = _without_inner_markup(text)
    # Seams are places in the text, so that its length has to stay where there are some.
    blank = _blank if seams else " "
    if "<" in text:
        text = _pattern(_TAG).sub(blank, text)
    if "](" in text:
        text = _pattern(_TARGET).sub(blank, text)
    return Plain(text, frozenset(seams))


def has_letters(text: str, letters: str) -> bool:
    """Whether a text has folded letters in a row, whatever else stands between them."""
    if text.isascii():
        squeezed = text.encode().translate(_LOWER, _NO_LETTERS)
        return letters.isascii() and letters.encode() in squeezed
    return letters in squeeze(text.translate(LETTERS))


def squeeze(letters: str) -> str:
    """Letters and digits of what was folded by `LETTERS`."""
    return letters.replace(" ", "").replace(NOTHING, "")


def agree(phrase: Reading, text: Reading, letters: str) -> bool:
    """Whether two readings of the same letters are the same words."""
    if not text.is_whole:
        return False
    unlike = phrase.ends - text.may_end - _as_one(text, phrase)
    unlike |= text.ends - phrase.may_end - _as_one(phrase, text)
    return all(is_unspaced(letters[edge - 1]) or is_unspaced(letters[edge]) for edge in unlike)


class Reader:
    """Reads stretches of one text, from left to right.

    Attributes:
        letters: The text, folded one to one: letters and digits, spaces, `NOTHING`.
    """

    def __init__(self, analyzer: Analyzer, plain: Plain) -> None:
        self._analyzer = analyzer
        self._text = plain.text
        self._seams = plain.seams
        self._chunks: list[_Chunk] = []
        self.letters = plain.text.translate(LETTERS)

    def may_hold(self, start: int, end: int) -> bool:
        """Whether a stretch is worth reading: it may begin and end as words do."""
        return self._may_end(start) and self._may_end(end)

    def _may_end(self, at: int) -> bool:
        # Nothing ends between two small letters or two digits. Most places fall here.
        pair = self._text[at - 1 : at + 1]
        if len(pair) < 2 or not pair.isascii() or at in self._seams:
            return True
        return not (pair.isdigit() or (pair.isalpha() and pair.islower()))

    def read(self, start: int, end: int) -> Reading:
        """How a stretch is divided, whose first and last characters are letters or digits."""
        letters, seams = self.letters, self._seams
        before, behind = start - 1, end
        while before >= 0 and letters[before] == NOTHING:
            before -= 1
        while letters[behind : behind + 1] == NOTHING:
            behind += 1
        places = [at for at in range(start, end) if letters[at] not in (" ", NOTHING)]
        ends: set[int] = set()
        inside: set[int] = set()
        leaves: dict[int, tuple[int, tuple[str, ...]]] = {}
        begins = is_edge(letters[before] if before >= 0 else " ", letters[start])
        finishes = is_edge(letters[end - 1], letters[behind : behind + 1] or " ")
        for leaf in self._leaves(start, end):
            first, last = bisect_left(places, leaf.start), bisect_left(places, leaf.end)
            ends.update((first, last))
            inside.update(range(first + 1, last))
            begins = begins or leaf.start == start
            finishes = finishes or end <= leaf.end <= behind
            if leaf.start >= start and leaf.end <= behind:
                leaves[first] = (last, leaf.terms)
        gaps = {
            edge
            for edge in range(1, len(places))
            if " " in letters[places[edge - 1] : places[edge]]
        }
        near = seams.intersection(range(start, end + 1))
        loose = {bisect_left(places, seam) for seam in near}
        return Reading(
            ends=(ends | (gaps - inside)) - loose - {0, len(places)},
            may_end=ends | gaps | loose,
            leaves=leaves,
            is_whole=(begins or start in near) and (finishes or end in near),
        )

    def _leaves(self, start: int, end: int) -> Iterator[Span]:
        """Leaves that reach into a stretch."""
        self._chunks = self._chunks_between(start, end)
        for chunk in self._chunks:
            leaves = chunk.leaves
            for n in range(bisect_left(leaves, start + 1, key=_leaf_end), len(leaves)):
                if leaves[n].start >= end:
                    break
                yield leaves[n]

    def _chunks_between(self, start: int, end: int) -> list[_Chunk]:
        # No token reaches across white space, so a chunk is all that has to be analysed. What
        # was read for the stretch before is kept: many may stand in one long chunk.
        text = self._text
        found = [chunk for chunk in self._chunks if chunk.start <= start < chunk.end]
        at = found[0].end if found else start
        while not found and at and not text[at - 1].isspace():
            at -= 1
        while at < end and (match := _pattern(r"\S+").search(text, at)) and match.start() < end:
            at = match.start()
            spans = self._analyzer.spans(match[0])
            leaves = [Span(at + span.start, at + span.end, span.terms) for span in spans]
            at = match.end()
            found.append(_Chunk(match.start(), at, leaves))
        return found


class _Chunk(NamedTuple):
    """What stands between white space: `text[start:end]`, and its leaves with their places."""

    start: int
    end: int
    leaves: list[Span]


def _without_inner_markup(text: str) -> tuple[str, list[int]]:
    """A text without the markup that stands inside words, and where it stood."""
    made: list[str] = []
    seams: list[int] = []
    at = length = 0
    for word in joined_words(text):
        made += (text[at : word.start], word.text)
        length += word.start - at
        at = word.start + len(word.pieces[0])
        length += len(word.pieces[0])
        for piece in word.pieces[1:]:
            seams.append(length)
            length += len(piece)
            at = text.index(piece, _markup_end(text, at)) + len(piece)
    return ("".join((*made, text[at:])) if made else text), seams


def _as_one(one: Reading, other: Reading) -> set[int]:
    """Edges inside leaves of one reading that the other has too, as a compound: `PhD`, `Ph.D.`."""
    edges: set[int] = set()
    for first, (last, terms) in one.leaves.items():
        if first in other.leaves and terms[0] in other.leaves[first][1][1:]:
            edges.update(range(first + 1, last))
    return edges


def _markup_end(text: str, at: int) -> int:
    """Where the marks and tags end that stand in a word."""
    match = _pattern("(?:[*~=`]+|</?[a-z]+>)*").match(text, at)
    return match.end() if match else at


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _leaf_end(leaf: Span) -> int:
    return leaf.end


@cache
def _pattern(source: str) -> re.Pattern[str]:
    # Compiled when first needed: most phrases stand in their texts as written.
    return re.compile(source)
