"""Which characters beyond ASCII are the same, and where did each one stand?

What `normalise` says of texts in which there are others than ASCII's: invisible characters, forms
of one letter, accents, vowel points, foreign digits.
"""

from __future__ import annotations

import unicodedata
from itertools import pairwise

from memidx.light import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memidx.analysis.normalise import Aligned

_ASCII = bytes(range(128))
_APOSTROPHES = "\u2019\u2018\u02bb\u02bc\u201b\u02b9\u2032\u05f3"
_HYPHENS = "\u2010\u2012\u2013\u2212"
_LATIN_EXTRA = str.maketrans(
    {"ø": "o", "đ": "d", "ð": "d", "ł": "l", "ı": "i", "ħ": "h", "ŧ": "t", "ŋ": "n", "ß": "ss"}
    | {"æ": "ae", "œ": "oe", "þ": "th", "ƒ": "f", "ĸ": "k"}
)
# Letters that differ by keyboard or habit, not by word: Arabic script as Persian and Urdu
# keyboards type it, and Hindi chandrabindu beside anusvara.
_VARIANTS = str.maketrans({"ک": "ك", "ی": "ي", "ہ": "ه", "\u0901": "\u0902"})


# Marks that a writer may leave out: Hebrew points, Arabic vowel signs and the stretching
# tatweel, the nukta of borrowed sounds in Indic scripts, enclosing circles.
_DROPPED_MARKS = (
    ("\u0591", "\u05bd"), ("\u05bf", "\u05bf"), ("\u05c1", "\u05c2"), ("\u05c4", "\u05c5"),
    ("\u05c7", "\u05c7"), ("\u0640", "\u0640"), ("\u064b", "\u0652"), ("\u0656", "\u065f"),
    ("\u0670", "\u0670"), ("\u06d6", "\u06ed"), ("\u093c", "\u093c"), ("\u09bc", "\u09bc"),
    ("\u0a3c", "\u0a3c"), ("\u0abc", "\u0abc"), ("\u0b3c", "\u0b3c"), ("\u20d0", "\u20f0"),
)  # fmt: skip
# Letters that are compared without their accents: Latin and Greek.
_WITHOUT_ACCENTS = (("a", "z"), ("\u00df", "\u02af"), ("\u0370", "\u03ff"), ("\u1e00", "\u1fff"))
# Invisible: soft hyphen, joiners, zero-width spaces, direction marks, variation selectors, tags.
_RANGES = ((0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0xFE00, 0xFE0F))
_INVISIBLES = frozenset("\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u3164\ufeff\uffa0").union(
    chr(code) for first, last in _RANGES for code in range(first, last + 1)
)
_TAGS = ("\U000e0000", "\U000e0fff")
_SHORT = 200
# Replacing one character after another beats a table for so many different ones.
_FEW = 16


def normalised(text: str) -> str:
    """One spelling for characters that a reader takes for the same."""
    invisible = _invisible(text)
    if len(invisible) > _FEW:
        text = text.translate(dict.fromkeys(map(ord, invisible)))
    else:
        for character in invisible:
            text = text.replace(character, "")
    text = unicodedata.normalize("NFKC", text)
    for apostrophe in _APOSTROPHES:
        text = text.replace(apostrophe, "'")
    for hyphen in _HYPHENS:
        text = text.replace(hyphen, "-")
    return text.replace("\u266f", "#")  # as in C♯


def _invisible(text: str) -> set[str] | frozenset[str]:
    """The invisible characters of a text."""
    if len(text) > _SHORT:
        # Most texts have few characters that are not ASCII.
        text = (
            text.encode("utf-8", "surrogatepass")
            .translate(None, _ASCII)
            .decode("utf-8", "surrogatepass")
        )
    found = _INVISIBLES.intersection(text)
    if text and max(text) >= _TAGS[0]:
        found = found.union(filter(_is_tag, text))
    return found


def _is_tag(character: str) -> bool:
    return _TAGS[0] <= character <= _TAGS[1]


def folded(word: str) -> str:
    """The form of a normalised word that is compared: case, accents, points, digits."""
    word = word.casefold().translate(_VARIANTS)
    word = unicodedata.normalize("NFD", word)
    # All of the marks that are dropped lie here; dashes, quotation marks and bullets do not.
    if any("\u0300" <= c <= "\u0b3c" or "\u20d0" <= c <= "\u20f0" for c in word):
        word = _without_marks(word)
    word = unicodedata.normalize("NFC", word).translate(_LATIN_EXTRA)
    if not word.isascii() and any(map(str.isdigit, word)):
        word = "".join(_digit(character) for character in word)
    return word


def _without_marks(word: str) -> str:
    """A decomposed word without the marks that a writer may leave out."""
    kept: list[str] = []
    before = ""
    for character in word:
        if "\u0300" <= character <= "\u036f":
            if _within(before, _WITHOUT_ACCENTS):
                continue
            # Stress marks only: й and ї are letters of their own.
            if character <= "\u0301" and "\u0400" <= before <= "\u052f":
                continue
        elif _within(character, _DROPPED_MARKS):
            continue
        kept.append(character)
        before = character
    return "".join(kept).replace("е\u0308", "е")


def _within(character: str, ranges: tuple[tuple[str, str], ...]) -> bool:
    return any(first <= character <= last for first, last in ranges)


def _digit(character: str) -> str:
    value = unicodedata.decimal(character, None)
    return character if value is None else str(value)


def aligned_beyond(text: str) -> Aligned:
    """`normalised(text)` with the original place of every character."""
    wanted = normalised(text)
    if len(wanted) == len(text) and _same_places(text):
        return wanted, None, None
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    at = 0
    # Nothing composes across the left side of an ASCII character, so pieces that begin with
    # one normalise independently of their neighbours.
    for begin, end in _runs(text):
        pieces.append(text[at:begin])
        starts.extend(range(at, begin))
        ends.extend(range(at + 1, begin + 1))
        for cluster_begin, cluster_end, normal in _clusters(text, begin, end):
            pieces.append(normal)
            starts.extend([cluster_begin] * len(normal))
            ends.extend([cluster_end] * len(normal))
        at = end
    pieces.append(text[at:])
    starts.extend(range(at, len(text)))
    ends.extend(range(at + 1, len(text) + 1))
    return "".join(pieces), starts, ends


def _runs(text: str) -> Iterator[tuple[int, int]]:
    """Bounds of what is not ASCII, the character before it included."""
    at, size = 0, len(text)
    while at < size:
        if text[at].isascii():
            at += 1
            continue
        begin = at
        while at < size and not text[at].isascii():
            at += 1
        yield max(0, begin - 1), at


def _same_places(text: str) -> bool:
    return unicodedata.is_normalized("NFKC", text) and not _invisible(text)


def _clusters(text: str, begin: int, end: int) -> list[tuple[int, int, str]]:
    """Parts of `text[begin:end]` that normalise on their own: (begin, end, normalised)."""
    piece = text[begin:end]
    whole = normalised(piece)
    cuts = [begin]
    cuts += [at for at in range(begin + 1, end) if not _joins_previous(text[at])]
    cuts.append(end)
    clusters = [(a, b, normalised(text[a:b])) for a, b in pairwise(cuts)]
    if "".join(normal for _, _, normal in clusters) == whole:
        return clusters
    return [(begin, end, whole)]


def _joins_previous(character: str) -> bool:
    """Whether a character may compose with, or be reordered against, the one before it."""
    if unicodedata.combining(character) or _invisible(character):
        return True
    first = unicodedata.normalize("NFKD", character)[0]
    return bool(unicodedata.combining(first)) or not _starts_alone(first)


def _starts_alone(character: str) -> bool:
    # Vowel and final jamo compose with the syllable before them; a few Indic vowel signs with
    # combining class 0 are second halves of a composed sign.
    code = ord(character)
    if 0x1161 <= code <= 0x11FF:
        return False
    return unicodedata.category(character) not in ("Mc", "Mn")
