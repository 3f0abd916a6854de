"""What kind of character is it?

Tokenising looks at the *shape* of a text: a string of the same length in which every
character is replaced by its kind. So one small ASCII pattern serves every script, and no
table of Unicode ranges has to be kept in step with the Unicode version Python has.

    A upper-case letter   a other letter   0 digit   m combining mark   _ low line
    C Chinese, Japanese, Korean   T scripts without spaces (Thai, Lao, Khmer, Burmese)
    other ASCII characters: themselves   everything else: a space
"""

from __future__ import annotations

WORD = "Aa0m_"
"""Kinds that make up words of spaced scripts."""

_CAPITALS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
ASCII_KINDS = bytes.maketrans(
    _CAPITALS + _CAPITALS.lower() + b"0123456789", b"A" * 26 + b"a" * 26 + b"0" * 10
)


def shape(text: str) -> str:
    """The kinds of a text's characters, one for one."""
    if text.isascii():
        return text.encode("ascii").translate(ASCII_KINDS).decode("ascii")
    from memidx.analysis.kinds import KINDS  # most texts are plain ASCII

    return text.translate(KINDS)
