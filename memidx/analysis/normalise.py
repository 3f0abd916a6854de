"""Which characters are the same, and where did each one stand?

`normalise` is what every word goes through first: character references (`&eacute;`) are
resolved, invisible characters are dropped, NFKC makes full-width forms, ligatures, mathematical
letters and decomposed accents one, and the many apostrophes and hyphens become the ASCII ones.
`fold` is what turns a normalised word into the form that is compared: case, accents, vowel
points and foreign digits.

All of this changes lengths, so `aligned` also says where each normalised character came from: a
snippet shows the original. Plain text of ASCII characters is returned untouched at once; what
others need (`beyond_ascii`, `entities`) is loaded where there are some, as most questions and most
of the passages shown for them have none.
"""

from __future__ import annotations

import sys

from memidx.light import TYPE_CHECKING, pattern

if TYPE_CHECKING:
    Aligned = tuple[str, list[int] | None, list[int] | None]
    """A normalised text and its way back: for each of its characters where the original begins, and
    where it ends; None = same places."""

PLACEHOLDERS = ("<path>", "<secret>")
"""What redaction leaves behind; no term may come from it."""

_PLACEHOLDER = f"<(?:{'|'.join(mark.strip('<>') for mark in PLACEHOLDERS)})>"

_LONGEST_REFERENCE = 10  # characters: `&#1114111;`

# Of each Python the Unicode it knows: to load `unicodedata`, which says the same, takes a cold
# search 0.3 ms.
_UNICODE = {(3, 11): "14.0.0", (3, 12): "15.0.0", (3, 13): "15.1.0", (3, 14): "16.0.0"}


def unicode_version() -> str:
    """Version of Unicode that characters are compared by."""
    known = _UNICODE.get(sys.version_info[:2]) if sys.implementation.name == "cpython" else None
    if known is None:
        from unicodedata import unidata_version

        return unidata_version
    return known


def normalise(text: str) -> str:
    """One spelling for characters that a reader takes for the same."""
    if "<" in text:
        text = _without_placeholders(text)
    if may_refer(text):
        from memidx.analysis.entities import unescape

        text = unescape(text)
    if text.isascii():
        return text
    from memidx.analysis.beyond_ascii import normalised

    return normalised(text)


def normalise_apart(text: str) -> bytes:
    """`normalise(text)` in UTF-8, white space of other kinds than ASCII's and zeros as blanks.

    No word goes on over one of them, nor over a placeholder, which leaves one blank.
    """
    if "\0" in text:
        text = text.replace("\0", " ")
    # A pattern looks for both at once, in half the time; only who builds comes here.
    text = pattern(_PLACEHOLDER).sub(" ", text)
    if "&" in text:
        from memidx.analysis.entities import unescape

        text = unescape(text)
    if not text.isascii():
        from memidx.analysis.beyond_ascii import normalised

        text = normalised(text)
        for space in _SPACES:
            text = text.replace(space, " ")
    return text.encode("utf-8", "surrogatepass")


def aligned(text: str) -> Aligned:
    """`normalise(text)` with the original place of every character."""
    if "<" in text:
        text = _without_placeholders(text)  # keeps length
    if may_refer(text):
        from memidx.analysis.entities import aligned_without

        return aligned_without(text)
    return aligned_characters(text)


def aligned_characters(text: str) -> Aligned:
    """`aligned` of a text without placeholders and character references."""
    if text.isascii():
        return text, None, None
    from memidx.analysis.beyond_ascii import aligned_beyond

    return aligned_beyond(text)


def fold(word: str) -> str:
    """The form of a normalised word that is compared: case, accents, points, digits."""
    if word.isascii():
        return word.lower()
    from memidx.analysis.beyond_ascii import folded

    return folded(word)


def may_refer(text: str) -> bool:
    """Whether a character reference may stand in a text: a cheap look, never wrongly no."""
    at = text.find("&")
    while at >= 0:
        end = text.find(";", at + 2, at + _LONGEST_REFERENCE)
        if end >= 0 and (text[at + 1] == "#" or text[at + 1 : end].isalpha()):
            return True
        at = text.find("&", at + 1)
    return False


# White space that is not ASCII's and that NFKC leaves.
_SPACES = "\x85\u1680\u2028\u2029"


def _without_placeholders(text: str) -> str:
    for placeholder in PLACEHOLDERS:
        text = text.replace(placeholder, " " * len(placeholder))
    return text
