"""Which character does `&eacute;` stand for?

Only references that are part of words, or that part them, are resolved: numbers, punctuation,
white space and accented Latin letters. HTML has names for 2,000 more, among them `&image;`,
`&part;` and `&sum;`, which in C are the address of something at the end of a statement.
"""

from __future__ import annotations

from memidx.analysis.normalise import aligned_characters
from memidx.light import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memidx.analysis.normalise import Aligned

_LONGEST = 10  # characters: `&#1114111;`
_NAMED = {
    "amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'",
    "lsquo": "'", "rsquo": "'", "ldquo": '"', "rdquo": '"', "laquo": '"', "raquo": '"',
    "nbsp": " ", "ensp": " ", "emsp": " ", "thinsp": " ",
    "ndash": "\u2013", "mdash": "\u2014", "hellip": "\u2026",
    "shy": "\u00ad", "zwj": "\u200d", "zwnj": "\u200c", "lrm": "\u200e", "rlm": "\u200f",
    "szlig": "ß", "aelig": "æ", "AElig": "Æ", "oelig": "œ", "OElig": "Œ", "inodot": "ı",
    "oslash": "ø", "Oslash": "Ø", "lstrok": "ł", "Lstrok": "Ł", "dstrok": "đ", "Dstrok": "Đ",
    "eth": "ð", "ETH": "Ð", "thorn": "þ", "THORN": "Þ",
}  # fmt: skip
_ACCENTS = {
    "acute": "\u0301", "grave": "\u0300", "circ": "\u0302", "tilde": "\u0303", "uml": "\u0308",
    "cedil": "\u0327", "ring": "\u030a", "caron": "\u030c", "breve": "\u0306", "macr": "\u0304",
    "ogon": "\u0328", "dblac": "\u030b",
}  # fmt: skip


def unescape(text: str) -> str:
    """A text with its character references resolved."""
    pieces: list[str] = []
    at = 0
    for begin, end, character in entities(text):
        pieces += (text[at:begin], character)
        at = end
    return "".join((*pieces, text[at:])) if pieces else text


def aligned_without(text: str) -> Aligned:
    """`memidx.analysis.normalise.aligned`, by way of the text with its references resolved."""
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    at = 0
    for begin, end, character in entities(text):
        pieces += (text[at:begin], character)
        starts.extend(range(at, begin))
        ends.extend(range(at + 1, begin + 1))
        starts.extend([begin] * len(character))
        ends.extend([end] * len(character))
        at = end
    if not pieces:
        return aligned_characters(text)
    pieces.append(text[at:])
    starts.extend(range(at, len(text)))
    ends.extend(range(at + 1, len(text) + 1))
    normal, places, stops = aligned_characters("".join(pieces))
    if places is None or stops is None:
        return normal, starts, ends
    return normal, [starts[place] for place in places], [ends[stop - 1] for stop in stops]


def entities(text: str) -> Iterator[tuple[int, int, str]]:
    """Character references of a text: (begin, end, what it stands for)."""
    at = text.find("&")
    while at >= 0:
        behind = at + 1
        end = text.find(";", at + 2, at + _LONGEST)
        if end >= 0 and (character := _character(text[behind:end])):
            behind = end + 1
            yield at, behind, character
        at = text.find("&", behind)


def _character(name: str) -> str | None:
    """What a name stands for; None where it is none."""
    if name[0] == "#":
        is_hex = name[1:2] in ("x", "X")
        digits = name[2:] if is_hex else name[1:]
        try:
            code = (
                int(digits, 16 if is_hex else 10) if digits.isalnum() and digits.isascii() else -1
            )
        except ValueError:
            return None
        # What no text can hold becomes a space: it parts words as a reader sees it.
        return None if code < 0 else chr(code) if _is_character(code) else " "
    letter, accent = name[0], _ACCENTS.get(name[1:])
    return letter + accent if accent and letter.isascii() and letter.isalpha() else _NAMED.get(name)


def _is_character(code: int) -> bool:
    return 0 < code < 0xD800 or 0xDFFF < code < 0x110000
