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
_ASCII = bytes.maketrans(
    _CAPITALS + _CAPITALS.lower() + b"0123456789", b"A" * 26 + b"a" * 26 + b"0" * 10
)

_CJK = (
    (0x1100, 0x11FF),  # Hangul jamo
    (0x2E80, 0x2FDF),  # radicals
    (0x3005, 0x3007),  # iteration and closing marks, ideographic zero
    (0x3021, 0x3029),
    (0x3031, 0x303C),
    (0x3041, 0x31FF),  # kana, bopomofo, compatibility jamo
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xA960, 0xA97F),
    (0xAC00, 0xD7FF),  # Hangul syllables
    (0xF900, 0xFAFF),
    (0xFF66, 0xFFDC),  # half-width kana and jamo
    (0x16FE0, 0x18DFF),
    (0x1AFF0, 0x1B2FF),
    (0x20000, 0x3FFFF),
)
_UNSPACED = (
    (0x0E01, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Burmese
    (0x1780, 0x17FF),  # Khmer
    (0x1950, 0x19DF),  # Tai Le, New Tai Lue
    (0x1A20, 0x1AAF),  # Tai Tham
    (0xA9E0, 0xA9FF),
    (0xAA60, 0xAADF),
)


def shape(text: str) -> str:
    """The kinds of a text's characters, one for one."""
    if text.isascii():
        return text.encode("ascii").translate(_ASCII).decode("ascii")
    return text.translate(_KINDS)


class _Kinds(dict[int, str]):
    """Code point -> kind, filled as characters are met."""

    def __missing__(self, code: int) -> str:
        kind = self[code] = _kind(code)
        return kind


_KINDS = _Kinds()


def _kind(code: int) -> str:
    if code < 128:
        return chr(_ASCII[code])
    from unicodedata import category as category_of  # most texts are plain ASCII

    category = category_of(chr(code))
    if category == "Nd":
        return "0"
    if category[0] in "LM" or category == "Nl":
        if _within(code, _CJK):
            return "C"
        if _within(code, _UNSPACED):
            return "T"
    if category in ("Lu", "Lt"):
        return "A"
    if category[0] == "L":
        return "a"
    if category[0] == "M":
        return "m"
    return "0" if category[0] == "N" else " "


def _within(code: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(first <= code <= last for first, last in ranges)
