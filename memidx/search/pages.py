"""What of a document is worked out once, however many questions find it?

Dividing a text into blocks and lower-casing it takes longer than looking for the words of a
question in it. An index that stays open keeps both of the documents that it showed last, and what
it showed to the last questions.
"""

from __future__ import annotations

import sys

from memidx.light import TYPE_CHECKING, cached_property
from memidx.search.answer import Snippet
from memidx.search.blocks import Outline
from memidx.search.lowered import lowered
from memidx.snapshot.snapshot import Snapshot

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_ANSWERS = 4
"""Questions whose snippets of one page are remembered."""
MAX_REMEMBERED_BYTES = 64 * 2**20
"""Memory for pages of one snapshot, roughly; those not asked for longest go first."""


class Page:
    """A document's text, made ready for snippets of it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._answers: dict[tuple[tuple[str, float], ...], tuple[Snippet, ...]] = {}

    @cached_property
    def outline(self) -> Outline:
        """The text and its blocks."""
        return Outline(self.text)

    @cached_property
    def plain(self) -> str:
        """The text as words are looked for in it."""
        return lowered(self.text)

    @cached_property
    def inner_marks(self) -> frozenset[str]:
        """Apostrophes and full stops of the plain text before a letter, with their neighbours."""
        found: set[str] = set()
        for mark in ("'", "."):
            first, *others = self.plain.split(mark)
            before = first[-1:]
            for piece in others:
                if before and "a" <= piece[:1] <= "z":
                    found.add(before + mark + piece[0])
                before = piece[-1:] or mark
        return frozenset(found)

    def answer(
        self, question: tuple[tuple[str, float], ...], find: Callable[[], tuple[Snippet, ...]]
    ) -> tuple[Snippet, ...]:
        """What `find` gives for a question (terms and their weights), found once."""
        found = self._answers.get(question)
        if found is None:
            if len(self._answers) >= MAX_ANSWERS:
                del self._answers[next(iter(self._answers))]
            found = self._answers[question] = find()
        return found

    def size_bytes(self) -> int:
        """What the page takes, roughly: text, plain text, blocks of a few lines, snippets."""
        return 7 * sys.getsizeof(self.text) // 2 + 1500 * MAX_ANSWERS


class Pages:
    """Pages of one snapshot, as far as they were asked for."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._pages: dict[int, Page] = {}
        self._size_bytes = 0

    def page(self, doc: int) -> Page:
        """The page of a document."""
        page = self._pages.pop(doc, None)
        if page is None:
            page = Page(self._snapshot.text(doc))
            self._size_bytes += page.size_bytes()
        self._pages[doc] = page  # now the last
        while self._size_bytes > MAX_REMEMBERED_BYTES:
            first = next(iter(self._pages))
            self._size_bytes -= self._pages.pop(first).size_bytes()
        return page


def pages_of(snapshot: Snapshot) -> Pages:
    """The snapshot's pages; they live as long as the snapshot."""
    found: Pages | None = snapshot.remembered.get(Pages)
    if found is None:
        found = snapshot.remembered[Pages] = Pages(snapshot)
    return found
