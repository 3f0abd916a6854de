"""Does a text hold an exact phrase?

Both sides are folded the same way: compatibility forms, case, accents, and every run of
punctuation or space to one space. No stemming: a phrase is exact in its words, not in how they
are set, so that `"grade 4 week 1"` finds `Grade 4: Week 1`.
"""

from __future__ import annotations

import re
import unicodedata

_GAP = re.compile(r"[\W_]+")


def fold(text: str) -> str:
    """Words of a text, lower case, without accents, with single spaces between and around."""
    if text.isascii():
        folded = text.lower()
    else:
        decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
        folded = "".join(c for c in decomposed if unicodedata.category(c)[0] != "M")
    return f" {_GAP.sub(' ', folded).strip()} "


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
