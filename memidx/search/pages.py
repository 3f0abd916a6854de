"""What of a document is worked out once, however many questions find it?

Dividing a text into blocks and lower-casing it takes longer than looking for the words of a
question in it. An index that stays open keeps both of the documents that it showed last, and what
it showed to the last questions. They are kept with the file a document lies in, so that after an
edit, which leaves the base as it is, they are still there.
"""

from __future__ import annotations

import sys
import unicodedata
from itertools import pairwise

from memidx.analysis.inner import blanked
from memidx.analysis.normalise import fold, normalise
from memidx.light import TYPE_CHECKING, cached_property
from memidx.search.answer import Shown, Snippet
from memidx.search.blocks import Outline
from memidx.snapshot.segment import Segment
from memidx.values import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Question = tuple[tuple[str, float], ...]  # terms and their weights

MAX_ANSWERS = 4
"""Questions whose snippets of one page are remembered."""
MAX_REMEMBERED_BYTES = 64 * 2**20
"""Memory for pages of one segment, roughly; those not asked for longest go first."""
MAX_STRETCH = 400
"""How far around a place its word may reach, in characters."""
UNSEEN = "\x00"
"""Stands for a character that cannot be compared alone."""

_ASCII = bytes(range(128))
# Replacing one character after another beats a table for so many different ones.
_FEW = 16


class Page:
    """A document's text, made ready for snippets of it."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def outline(self) -> Outline:
        """The text and its blocks."""
        return Outline(self.text)

    @cached_property
    def plain(self) -> str:
        """The text as words are looked for in it."""
        return lowered(self.text)

    @cached_property
    def _pieces(self) -> str | None:
        return blanked(self.text)

    def stretch(self, at: int) -> tuple[int, int]:
        """Bounds of what is analysed to know the word at `at`: it, and perhaps its neighbours.

        Two of them are one, or have nothing in common, but where hundreds of characters stand
        without a space.
        """
        pieces = self._pieces
        if pieces is not None:
            start = pieces.rfind(" ", 0, at) + 1
            end = pieces.find(" ", at)
            if end < 0:
                end = len(pieces)
            if end - start <= MAX_STRETCH:
                return start, end
        return _stretch(self.text, at)

    @cached_property
    def inner_marks(self) -> frozenset[str]:
        """Apostrophes and full stops of the plain text, each with its neighbours.

        To search the text for each one that a question may mean takes longer.
        """
        return frozenset(
            [
                before[-1:] + mark + behind[:1]
                for mark in ("'", ".")
                for before, behind in pairwise(self.plain.split(mark))
            ]
        )

    def size_bytes(self) -> int:
        """What the page takes, roughly: text, plain text, blocks of a few lines, snippets."""
        return 9 * sys.getsizeof(self.text) // 2 + 1500 * MAX_ANSWERS


# White space and what never joins the parts of a token (`<` and `>` may be a placeholder's).
_EDGES = frozenset(' \t\n\r\f\v()[]{};"*=|`!?~^%$\u3000\u00a0\u3001\u3002\uff0c')
_LONG_RUN = 40


def _stretch(text: str, at: int) -> tuple[int, int]:
    """`Page.stretch` of any text.

    From space to space, as markup and character references may join what stands in between:
    `**b**old`, `caf&eacute;`; where spaces are rare, from and to other edges.
    """
    first, last = max(0, at - MAX_STRETCH), min(len(text), at + MAX_STRETCH)
    start = max(text.rfind(" ", first, at), text.rfind("\n", first, at)) + 1
    if at - max(start, first) > _LONG_RUN:
        start = at
        while start > first and text[start - 1] not in _EDGES:
            start -= 1
    ends = [end for mark in " \n" if (end := text.find(mark, at, last)) >= 0]
    end = min(ends, default=last)
    if end - at > _LONG_RUN:
        end = at + 1
        while end < last and text[end] not in _EDGES:
            end += 1
    return max(start, first), end


class Facts(NamedTuple):
    """What a hit says of its document, whatever was asked."""

    doc_id: str
    path: str
    title: str
    time: str | None
    tags: tuple[str, ...]


class Kept:
    """A page that is remembered, what is said of its document, and what it showed."""

    __slots__ = ("_shown", "facts", "page")

    def __init__(self, page: Page, facts: Facts) -> None:
        self.page = page
        self.facts = facts
        # Not the page's own: what is still looked for keeps the page.
        self._shown: dict[tuple[Question, int], Shown] = {}

    def shown(
        self, question: Question, begin: int, find: Callable[[], Callable[[], Iterator[Snippet]]]
    ) -> Shown:
        """What is shown to a question, found once.

        Args:
            question: Terms and their weights.
            begin: Line of the file where the document begins by now.
            find: Prepares the search for the snippets, if it has to be made.
        """
        asked = question, begin
        found = self._shown.get(asked)
        if found is None:
            if len(self._shown) >= MAX_ANSWERS:
                del self._shown[next(iter(self._shown))]
            found = self._shown[asked] = Shown(find())
        return found


class Pages:
    """Pages of one segment, which remembers them, as far as they were asked for."""

    def __init__(self) -> None:
        self._pages: dict[int, Kept] = {}
        self._size_bytes = 0

    def page(self, segment: Segment, doc_ord: int) -> Kept:
        """The page of a document, and what is said of it."""
        found = self._pages.pop(doc_ord, None)
        if found is None:
            found = Kept(Page(segment.texts[doc_ord]), _facts(segment, doc_ord))
            self._size_bytes += found.page.size_bytes()
        self._pages[doc_ord] = found  # now the last
        while self._size_bytes > MAX_REMEMBERED_BYTES:
            first = next(iter(self._pages))
            self._size_bytes -= self._pages.pop(first).page.size_bytes()
        return found


def pages_of(segment: Segment) -> Pages:
    """The segment's pages; they live as long as the segment is open."""
    found: Pages | None = segment.remembered.get(Pages)
    if found is None:
        found = segment.remembered[Pages] = Pages()
    return found


def _facts(segment: Segment, doc_ord: int) -> Facts:
    card = segment.card(doc_ord)
    return Facts(segment.doc_ids[doc_ord], segment.path(doc_ord), card.title, card.time, card.tags)


def lowered(text: str) -> str:
    """A text as it is compared, where words are guessed by substring search.

    Character by character, so that a position in the one is a position in the other: letters are
    lower-cased and without accents, widths and ligatures, where that is one character; what
    substring search cannot see through is marked.
    """
    if text.isascii():
        return text.lower()
    data = text.encode("utf-8", "surrogatepass")
    others = set(data.translate(None, _ASCII).decode("utf-8", "surrogatepass"))
    # One after another, so none may become what another of them is.
    if len(others) > _FEW or any(
        _TABLE[ord(one)] != one and _TABLE[ord(one)] in others for one in others
    ):
        return text.translate(_TABLE)
    plain = data.lower().decode("utf-8", "surrogatepass")  # of bytes, only ASCII is changed
    for one in others:
        plain = plain.replace(one, _TABLE[ord(one)])
    return plain


class _Table(dict[int, str]):
    """Code point -> the one character it is compared as, or `UNSEEN`."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        folded = character.lower() if code < 128 else fold(normalise(character))
        if len(folded) != 1 or _interacts(code):
            folded = UNSEEN if unicodedata.category(character)[0] in "LMNC" else " "
        self[code] = folded
        return folded


_TABLE = _Table()


def _interacts(code: int) -> bool:
    """Characters that change with their neighbours, or stand before a stem (Arabic prefixes)."""
    return (
        0x0300 <= code <= 0x036F
        or 0x0600 <= code <= 0x08FF
        or 0x1100 <= code <= 0x11FF
        or code in (0x3099, 0x309A, 0xFF9E, 0xFF9F)
    )
