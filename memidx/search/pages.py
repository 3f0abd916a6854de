"""What of a document is worked out once, however many questions find it?

Dividing a text into blocks and lower-casing it takes longer than looking for the words of a
question in it. An index that stays open keeps what it divided, within a bound, the documents that
were shown last.
"""

from __future__ import annotations

import sys
from functools import cached_property
from itertools import pairwise

from memidx.search.blocks import Outline
from memidx.search.lowered import lowered
from memidx.snapshot.snapshot import Snapshot

MAX_REMEMBERED_BYTES = 32 * 2**20
"""Memory for pages of one snapshot, roughly; those not asked for longest go first."""


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
    def inner_marks(self) -> frozenset[str]:
        """Every apostrophe and full stop of the plain text with the characters around it."""
        found: set[str] = set()
        for mark in "'.":
            pieces = self.plain.split(mark)
            found.update([f"{left[-1:]}{mark}{right[:1]}" for left, right in pairwise(pieces)])
        return frozenset(found)

    def size_bytes(self) -> int:
        """What the page takes at most, roughly: text, plain text and blocks of a few lines."""
        return 3 * sys.getsizeof(self.text) + 1000


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
