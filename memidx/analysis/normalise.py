"""Which characters are the same, and where did each one stand?

`normalise` is what every word goes through first: character references (`&eacute;`) are
resolved, invisible characters are dropped, NFKC makes full-width forms, ligatures, mathematical
letters and decomposed accents one, and the many apostrophes and hyphens become the ASCII ones.
`fold` is what turns a normalised word into the form that is compared: case, accents, vowel
points and foreign digits.

All of this changes lengths, so `aligned` also says where each normalised character came from: a
snippet shows the original. Plain text of ASCII characters is returned untouched at once.
"""

from __future__ import annotations

import unicodedata
from itertools import chain, pairwise

from memidx.analysis.entities import entities, has_entities, unescape
from memidx.light import pattern
from memidx.values import NamedTuple

PLACEHOLDERS = ("<path>", "<secret>")
"""What redaction leaves behind; no term may come from it."""

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


class Aligned(NamedTuple):
    """A normalised text and its way back.

    Attributes:
        text: Normalised.
        starts: For each normalised character where its original begins; None = same places.
        ends: For each normalised character where its original ends; None = same places.
    """

    text: str
    starts: list[int] | None
    ends: list[int] | None


def normalise(text: str) -> str:
    """One spelling for characters that a reader takes for the same."""
    if "<" in text:
        text = _without_placeholders(text)
    if "&" in text:
        text = unescape(text)
    return text if text.isascii() else _normalise(text)


def normalise_apart(text: str) -> bytes:
    """`normalise(text)` in UTF-8, white space of other kinds than ASCII's and zeros as blanks.

    No word goes on over one of them, nor over a placeholder, which leaves one blank.
    """
    if "\0" in text:
        text = text.replace("\0", " ")
    if "<" in text:
        for placeholder in PLACEHOLDERS:
            text = text.replace(placeholder, " ")
    if "&" in text:
        text = unescape(text)
    if not text.isascii():
        text = pattern(_SPACES).sub(" ", _normalise(text))
    return text.encode("utf-8", "surrogatepass")


def aligned(text: str) -> Aligned:
    """`normalise(text)` with the original place of every character."""
    if "<" in text:
        text = _without_placeholders(text)  # keeps length
    return _without_entities(text) if has_entities(text) else _aligned(text)


def _aligned(text: str) -> Aligned:
    if text.isascii():
        return Aligned(text, None, None)
    wanted = _normalise(text)
    if len(wanted) == len(text) and _same_places(text):
        return Aligned(wanted, None, None)
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    at = 0
    # Nothing composes across the left side of an ASCII character, so pieces that begin with
    # one normalise independently of their neighbours.
    for match in pattern(r"[\x00-\x7f]?[^\x00-\x7f]+").finditer(text):
        begin, end = match.span()
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
    return Aligned("".join(pieces), starts, ends)


def fold(word: str) -> str:
    """The form of a normalised word that is compared: case, accents, points, digits."""
    if word.isascii():
        return word.lower()
    word = word.casefold().translate(_VARIANTS)
    word = unicodedata.normalize("NFD", word)
    # All of the marks that are dropped lie here; dashes, quotation marks and bullets do not.
    if any("\u0300" <= c <= "\u0b3c" or "\u20d0" <= c <= "\u20f0" for c in word):
        word = pattern(_DROPPED_MARKS).sub("", word)
        word = pattern(_LATIN_ACCENTS).sub(r"\1", word)
        word = pattern(_CYRILLIC_ACCENTS).sub(r"\1", word).replace("е\u0308", "е")
    word = unicodedata.normalize("NFC", word).translate(_LATIN_EXTRA)
    if not word.isascii() and any(map(str.isdigit, word)):
        word = "".join(_digit(character) for character in word)
    return word


# Marks that a writer may leave out: Hebrew points, Arabic vowel signs and the stretching
# tatweel, the nukta of borrowed sounds in Indic scripts, enclosing circles.
_DROPPED_MARKS = (
    "[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u0652\u0656-\u065f\u0670"
    "\u06d6-\u06ed\u093c\u09bc\u0a3c\u0abc\u0b3c\u20d0-\u20f0]"
)
_LATIN_ACCENTS = "([a-z\u00df-\u02af\u0370-\u03ff\u1e00-\u1fff])[\u0300-\u036f]+"  # and Greek
# Stress marks only: й and ї are letters of their own.
_CYRILLIC_ACCENTS = "([\u0400-\u052f])[\u0300\u0301]+"
# Invisible: soft hyphen, joiners, zero-width spaces, direction marks, variation selectors, tags.
_INVISIBLE = (
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]+"
)
# The same but for the last range. (To load `re` for a dash in one word takes too long.)
_RANGES = ((0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0xFE00, 0xFE0F))
_INVISIBLES = frozenset("\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u3164\ufeff\uffa0").union(
    chr(code) for first, last in _RANGES for code in range(first, last + 1)
)
_SHORT = 200


# White space that is not ASCII's and that NFKC leaves.
_SPACES = "[\x85\u1680\u2028\u2029]"


def _without_placeholders(text: str) -> str:
    for placeholder in PLACEHOLDERS:
        text = text.replace(placeholder, " " * len(placeholder))
    return text


def _without_entities(text: str) -> Aligned:
    """`aligned(text)`, by way of the text with its character references resolved."""
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    at = 0
    for begin, end, character in chain(entities(text), [(len(text), len(text), "")]):
        pieces += (text[at:begin], character)
        starts.extend(range(at, begin))
        ends.extend(range(at + 1, begin + 1))
        starts.extend([begin] * len(character))
        ends.extend([end] * len(character))
        at = end
    resolved = _aligned("".join(pieces))
    if resolved.starts is None or resolved.ends is None:
        return Aligned(resolved.text, starts, ends)
    return Aligned(
        resolved.text,
        [starts[place] for place in resolved.starts],
        [ends[place - 1] for place in resolved.ends],
    )


def _normalise(text: str) -> str:
    if _has_invisible(text):
        text = pattern(_INVISIBLE).sub("", text)
    return _one_to_one(unicodedata.normalize("NFKC", text))


def _one_to_one(text: str) -> str:
    for apostrophe in _APOSTROPHES:
        text = text.replace(apostrophe, "'")
    for hyphen in _HYPHENS:
        text = text.replace(hyphen, "-")
    return text.replace("\u266f", "#")  # as in C♯


def _same_places(text: str) -> bool:
    return unicodedata.is_normalized("NFKC", text) and not _has_invisible(text)


def _has_invisible(text: str) -> bool:
    """Whether an invisible character stands in a text; a short one is looked at by hand."""
    if len(text) > _SHORT:
        # The pattern looks at each character, and most texts have few that are not ASCII.
        rare = text.encode("utf-8", "surrogatepass").translate(None, _ASCII)
        return pattern(_INVISIBLE).search(rare.decode("utf-8", "surrogatepass")) is not None
    return not _INVISIBLES.isdisjoint(text) or any("\U000e0000" <= c <= "\U000e0fff" for c in text)


def _clusters(text: str, begin: int, end: int) -> list[tuple[int, int, str]]:
    """Parts of `text[begin:end]` that normalise on their own: (begin, end, normalised)."""
    piece = text[begin:end]
    whole = _normalise(piece)
    cuts = [begin]
    cuts += [at for at in range(begin + 1, end) if not _joins_previous(text[at])]
    cuts.append(end)
    clusters = [(a, b, _normalise(text[a:b])) for a, b in pairwise(cuts)]
    if "".join(normal for _, _, normal in clusters) == whole:
        return clusters
    return [(begin, end, whole)]


def _joins_previous(character: str) -> bool:
    """Whether a character may compose with, or be reordered against, the one before it."""
    if unicodedata.combining(character) or _has_invisible(character):
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


def _digit(character: str) -> str:
    value = unicodedata.decimal(character, None)
    return character if value is None else str(value)
