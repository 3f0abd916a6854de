"""Which character does `&eacute;` stand for?

Only references that are part of words, or that part them, are resolved: numbers, punctuation,
white space and accented Latin letters. HTML has names for 2,000 more, among them `&image;`,
`&part;` and `&sum;`, which in C are the address of something at the end of a statement.
"""

from __future__ import annotations

from memidx.light import TYPE_CHECKING, pattern

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

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


def has_entities(text: str) -> bool:
    """Whether a character reference stands in a text."""
    # An ampersand by itself is no reason to load `re`.
    return may_refer(text) and pattern(_REFERENCE).search(text) is not None


def may_refer(text: str) -> bool:
    """Whether a character reference may stand in a text: a cheap look, never wrongly no."""
    at = text.find("&")
    while at >= 0:
        end = text.find(";", at + 2, at + _LONGEST)
        if end >= 0 and (text[at + 1] == "#" or text[at + 1 : end].isalpha()):
            return True
        at = text.find("&", at + 1)
    return False


def unescape(text: str) -> str:
    """A text with its character references resolved."""
    return pattern(_REFERENCE).sub(_character, text)


def entities(text: str) -> Iterator[tuple[int, int, str]]:
    """Character references of a text: (begin, end, what it stands for)."""
    for match in pattern(_REFERENCE).finditer(text):
        yield match.start(), match.end(), _character(match)


def _character(match: re.Match[str]) -> str:
    name = match[1]
    if name[0] == "#":
        code = int(name[2:], 16) if name[1] in "xX" else int(name[1:])
        # What no text can hold becomes a space: it parts words as a reader sees it.
        return chr(code) if 0 < code < 0xD800 or 0xDFFF < code < 0x110000 else " "
    return _NAMED.get(name) or name[0] + _ACCENTS[name[1:]]


_LONGEST = 10  # characters: `&#1114111;`
_REFERENCE = (
    f"&(#[0-9]{{1,7}}|#[xX][0-9A-Fa-f]{{1,6}}|{'|'.join(_NAMED)}|[A-Za-z](?:{'|'.join(_ACCENTS)}));"
)
