"""What of a document is worked out once, however many questions find it?

Dividing a text into blocks and lower-casing it takes longer than looking for the words of a
question in it. An index that stays open keeps both of the documents that it showed last, and what
it showed to the last questions.
"""

from __future__ import annotations

import sys

from memidx.light import TYPE_CHECKING, cached_property, pattern
from memidx.search.answer import Snippet
from memidx.search.blocks import Outline
from memidx.search.lowered import lowered
from memidx.snapshot.snapshot import Snapshot
from memidx.values import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_ANSWERS = 4
"""Questions whose snippets of one page are remembered."""
MAX_REMEMBERED_BYTES = 64 * 2**20
"""Memory for pages of one snapshot, roughly; those not asked for longest go first."""

# One at a time: a pattern that begins with a character is found much quicker than with either.
_MARKS = ((r"'", r"'(?=[a-z])"), (".", r"\.(?=[a-z])"))


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
        plain = self.plain
        at = [
            found.start()
            for mark, source in _MARKS
            if mark in plain
            for found in pattern(source).finditer(plain)
        ]
        return frozenset([plain[n - 1 : n + 2] for n in at if n])

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
        return 5 * sys.getsizeof(self.text) // 2 + 1500 * MAX_ANSWERS


class Facts(NamedTuple):
    """What a hit says of its document, whatever was asked; `line` is where it begins."""

    doc_id: str
    path: str
    source: str
    kind: str
    title: str
    line: int
    time: str | None
    tags: tuple[str, ...]
    flags: tuple[str, ...]
    store: int


class Pages:
    """Pages of one snapshot, which remembers them, as far as they were asked for."""

    def __init__(self) -> None:
        self._pages: dict[int, tuple[Page, Facts]] = {}
        self._size_bytes = 0

    def page(self, snapshot: Snapshot, doc: int) -> tuple[Page, Facts]:
        """The page of a document, and what is said of it."""
        found = self._pages.pop(doc, None)
        if found is None:
            page = Page(snapshot.text(doc))
            found = page, _facts(snapshot, doc)
            self._size_bytes += page.size_bytes()
        self._pages[doc] = found  # now the last
        while self._size_bytes > MAX_REMEMBERED_BYTES:
            first = next(iter(self._pages))
            self._size_bytes -= self._pages.pop(first)[0].size_bytes()
        return found


def pages_of(snapshot: Snapshot) -> Pages:
    """The snapshot's pages; they live as long as the snapshot."""
    found: Pages | None = snapshot.remembered.get(Pages)
    if found is None:
        found = snapshot.remembered[Pages] = Pages()
    return found


def _facts(snapshot: Snapshot, doc: int) -> Facts:
    card = snapshot.card(doc)
    return Facts(
        snapshot.doc_id(doc),
        snapshot.path(doc),
        snapshot.sources[snapshot.source_of[doc]],
        snapshot.kinds[snapshot.kind_of[doc]],
        card.title,
        snapshot.line_of[doc],
        card.time,
        card.tags,
        snapshot.flags.get(doc, ()),
        snapshot.store_of(doc),
    )
