"""Where in a text do given words stand, and what is left when parts are replaced?

Plain `str.find` between matches is what keeps redaction quick: a regular expression that looks at
every character takes fifty times as long.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

_ASCII = bytes(range(128))
# As in `memidx.analysis.normalise`, which lies further up; a test holds the two together.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]+"
    "(?=[!-~])"
)
# Their bytes, whole, or as far as a block of them has its bytes in common: two or three.
INVISIBLE_MARKS = (
    *(mark.encode() for mark in "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u3164\ufeff\uffa0"),
    *(bytes((0xE1, 0xA0, last)) for last in range(0x8B, 0x90)),
    *(bytes((0xE2, 0x80, last)) for last in (*range(0x8B, 0x90), *range(0xAA, 0xAF))),
    *(bytes((0xE2, 0x81, last)) for last in range(0xA0, 0xB0)),
    b"\xef\xb8",
    b"\xf3\xa0",
)


def fold(text: str) -> str:
    """The text in lower case, character by character, so that positions stay the same."""
    folded = text.lower()
    if len(folded) != len(text):
        # U+0130 is the one letter whose lower case is two characters.
        folded = text.replace("\u0130", "i").lower()
    return folded


def occurrences(
    text: str, words: Iterable[str], among: Collection[str] | None = None
) -> Iterator[tuple[int, str]]:
    """`(position, word)` of each word, all positions of a word before those of the next.

    Args:
        text: Where to look.
        words: What to look for.
        among: Words that may stand there; no other is looked for. None where nobody knows.
    """
    for word in words if among is None else [word for word in words if word in among]:
        position = text.find(word)
        while position >= 0:
            yield position, word
            position = text.find(word, position + len(word))


def replace_spans(text: str, spans: Iterable[tuple[int, int]], replacement: str) -> str:
    """The text with each `(start, end)` replaced; spans that overlap are replaced as one."""
    pieces: list[str] = []
    done = 0
    for start, end in sorted(spans):
        if start >= done:
            pieces += (text[done:start], replacement)
            done = end
        elif end > done:
            done = end
    if not pieces:
        return text
    pieces.append(text[done:])
    return "".join(pieces)


def visible(text: str) -> tuple[str, list[int]] | None:
    """The text without the invisible characters that stand inside its ASCII words.

    Soft hyphens, zero-width spaces and the like: analysis drops them, so a token with one inside
    would be found whole. Those beside other letters stay: scripts and emoji need them.

    Returns:
        The text, and for each of its characters the position it had; None when nothing was left
        out.
    """
    if text.isascii():
        return None
    # Few texts hold any, and their bytes tell; the pattern would have to look at each character.
    high = text.encode("utf-8", "surrogatepass").translate(None, _ASCII)
    if not any(mark in high for mark in INVISIBLE_MARKS):
        return None
    pieces: list[str] = []
    places: list[int] = []
    done = 0
    for found in _INVISIBLE.finditer(text):
        if not "!" <= text[found.start() - 1 : found.start()] <= "~":
            continue
        pieces.append(text[done : found.start()])
        places.extend(range(done, found.start()))
        done = found.end()
    if not pieces:
        return None
    places.extend(range(done, len(text)))
    return "".join([*pieces, text[done:]]), places
