"""How is a text compared in which words are guessed by substring search?

Character by character, so that a position in the one is a position in the other.
"""

from __future__ import annotations

import unicodedata

from memidx.analysis.normalise import fold, normalise
from memidx.search.pages import UNSEEN

_ASCII = bytes(range(128))
# Replacing one character after another beats a table for so many different ones.
_FEW = 16


def lowered(text: str) -> str:
    """A text as it is compared, where words are guessed by substring search.

    Character by character, so that a position in the one is a position in the other: letters are
    lower-cased and without accents, widths and ligatures, where that is one character; what
    substring search cannot see through is marked.
    """
    if text.isascii():
        return text.lower()
    data = text.encode("utf-8", "surrogatepass")
    others = set(data.translate(None, _ASCII).decode("utf-8", "surrogatepass"))
    # One after another, so none may become what another of them is.
    if len(others) > _FEW or any(
        _TABLE[ord(one)] != one and _TABLE[ord(one)] in others for one in others
    ):
        return text.translate(_TABLE)
    plain = data.lower().decode("utf-8", "surrogatepass")  # of bytes, only ASCII is changed
    for one in others:
        plain = plain.replace(one, _TABLE[ord(one)])
    return plain


class _Table(dict[int, str]):
    """Code point -> the one character it is compared as, or `UNSEEN`."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        folded = character.lower() if code < 128 else fold(normalise(character))
        if len(folded) != 1 or _interacts(code):
            folded = UNSEEN if unicodedata.category(character)[0] in "LMNC" else " "
        self[code] = folded
        return folded


_TABLE = _Table()


def _interacts(code: int) -> bool:
    """Characters that change with their neighbours, or stand before a stem (Arabic prefixes)."""
    return (
        0x0300 <= code <= 0x036F
        or 0x0600 <= code <= 0x08FF
        or 0x1100 <= code <= 0x11FF
        or code in (0x3099, 0x309A, 0xFF9E, 0xFF9F)
    )
