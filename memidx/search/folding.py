"""Which characters are the same in an exact phrase, and where may its words end?

Compatibility forms, case and accents make no difference, and every run of punctuation or space
is one space. Nothing is stemmed.
"""

from __future__ import annotations

import unicodedata


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


FOLDING = _Folding()
"""For `str.translate`: letters and digits folded, marks gone, everything else a space."""


def fold(text: str) -> str:
    """Words of a text, lower case, without accents, with single spaces between and around."""
    return f" {' '.join(text.translate(FOLDING).split())} "


def is_edge(left: str, right: str) -> bool:
    """Whether a word ends between two folded characters, by themselves.

    A change between letters and digits is a word's edge (`2.1.9` stands in `v2.1.9`), and so is
    any edge of a script written without spaces.
    """
    return (
        left == " "
        or right == " "
        or left.isdigit() != right.isdigit()
        or is_unspaced(left)
        or is_unspaced(right)
    )


def is_unspaced(character: str) -> bool:
    """Whether a character belongs to a script written without spaces between words."""
    code = ord(character)
    return (
        0x0E00 <= code <= 0x0EFF
        or 0x1780 <= code <= 0x17FF
        or 0x3040 <= code <= 0x9FFF
        or (0x1000 <= code <= 0x109F or 0x20000 <= code <= 0x3FFFF)
    )
