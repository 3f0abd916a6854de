"""What kind of character is one beyond ASCII?

The kinds are those of `shapes`.
"""

from __future__ import annotations

import unicodedata

from memidx.analysis.shapes import ASCII_KINDS

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


class _Kinds(dict[int, str]):
    """Code point -> kind, filled as characters are met."""

    def __missing__(self, code: int) -> str:
        kind = self[code] = _kind(code)
        return kind


KINDS = _Kinds()


def _kind(code: int) -> str:
    if code < 128:
        return chr(ASCII_KINDS[code])
    category = unicodedata.category(chr(code))
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
