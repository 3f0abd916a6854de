"""Where in a text do the words of a query stand?

Analysing a whole document to show three snippets of it would cost more than the search did. So
places are guessed by plain substring search, with needles that any spelling of a term begins
with; then only the words of the passages worth showing are analysed, by the analyzer that
indexed them. Where substring search cannot see through a text (combining marks, invisible
characters, Arabic prefixes), each such word is analysed at once.
"""

from __future__ import annotations

from itertools import chain

from memidx.light import TYPE_CHECKING
from memidx.search.pages import UNSEEN, Page
from memidx.values import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from memidx.analysis.base import Analyzer

MAX_FINDS = 300
"""Occurrences of one needle that are looked at; a document that repeats a word more often is
shown by one of the first."""
MAX_UNSEEN = 5000
"""How many words that substring search cannot see through are analysed."""
MAX_KNOWN = 4096
"""Terms whose needles are remembered."""

Guesses = dict[str, list[int]]
"""Term -> positions where it may stand, in the order in which they are looked at."""


class Place(NamedTuple):
    """`text[start:end]` holds these query terms."""

    start: int
    end: int
    terms: tuple[str, ...]


class WordsOverlapError(Exception):
    """Places cannot be told one after another."""


class Finder:
    """The terms that a query looks for, in whatever texts.

    Args:
        analyzer: What indexed the texts.
        weights: Query term -> what a match is worth.

    Attributes:
        question: The weights in their order, which is what tells one question from another.
    """

    __slots__ = ("_analyzer", "_known", "_wanted", "question", "weights")

    def __init__(self, analyzer: Analyzer, weights: Mapping[str, float]) -> None:
        self.weights = weights
        self.question = tuple(weights.items())
        self._analyzer = analyzer
        self._wanted = frozenset(weights)
        self._known: dict[str, tuple[Place, ...]] = {}

    def guesses(
        self, page: Page, indexed: Collection[str] | None = None
    ) -> tuple[Guesses, frozenset[str]]:
        """Where words may stand that were indexed under the terms; and of which there are more.

        Args:
            indexed: Terms to look for; None for all.
        """
        text, plain = page.text, page.plain
        found: Guesses = {}
        cut: set[str] = set()
        find = plain.find
        for term in self.weights:
            if indexed is not None and term not in indexed:
                continue
            positions: list[int] = []
            needles, marked = _needles_of(term)
            if marked:
                marks = page.inner_marks
                needles = (*needles, *[mark for mark in marked if mark in marks])
            for needle in needles:
                at = find(needle)
                n_finds = 0
                while at >= 0 and n_finds < MAX_FINDS:
                    if not (at and plain[at - 1].isalnum()) or _begins_inside(plain, text, at):
                        positions.append(at)
                        n_finds += 1
                    at = find(needle, at + 1)
                if at >= 0:
                    cut.add(term)
            if positions:
                found[term] = positions
        at = -1 if text.isascii() else find(UNSEEN)
        n_looked = 0
        while at >= 0 and n_looked < MAX_UNSEEN:
            start, end = page.stretch(at)
            for first, _, terms in self._in_word(text[start:end]):
                for term in terms:
                    found.setdefault(term, []).append(start + first)
            at = find(UNSEEN, end)
            n_looked += 1
        return found, frozenset(cut)

    def places(self, page: Page, positions: Iterable[int]) -> list[Place]:
        """The places among the guesses, in order of their beginning."""
        text = page.text
        found: set[Place] = set()
        for start, end in {page.stretch(at) for at in positions}:
            for first, last, terms in self._in_word(text[start:end]):
                found.add(Place(start + first, start + last, terms))
        return sorted(found)

    def terms_at(self, page: Page, guesses: Guesses, cut: Iterable[str] = ()) -> set[str]:
        """Terms that do stand where they are guessed; one place of each is enough.

        Args:
            cut: Terms of which not all guesses are known, so that some may stand beside another
                one's guess.
        """
        text = page.text
        found: set[str] = set()
        looked: set[tuple[int, int]] = set()

        def look(term: str, positions: Iterable[int]) -> None:
            for at in positions:
                if term in found:
                    break
                stretch = page.stretch(at)
                if stretch not in looked:
                    looked.add(stretch)
                    for _, _, terms in self._in_word(text[stretch[0] : stretch[1]]):
                        found.update(terms)

        for term, positions in guesses.items():
            look(term, positions)
        for term in cut:
            look(term, chain.from_iterable(guesses.values()))
        return found

    def places_in_order(self, page: Page, guesses: Guesses) -> Iterator[Place]:
        """`places`, one after another, so that nothing behind the last one wanted is analysed.

        Raises:
            WordsOverlapError: What is analysed for two guesses overlaps, as it may in hundreds of
                characters without a space; `places` sorts that out.
        """
        text = page.text
        behind = 0
        for at in sorted(chain.from_iterable(guesses.values())):
            if at < behind:
                continue
            start, end = page.stretch(at)
            if start < behind:
                raise WordsOverlapError
            behind = end
            for first, last, terms in self._in_word(text[start:end]):
                yield Place(start + first, start + last, terms)

    def all_places(self, text: str) -> list[Place]:
        """By analysing everything, for spellings that no guess foresees."""
        words = self._analyzer.document(title="", path="", text=text)[0].tf
        if self._wanted.isdisjoint(words):
            return []
        return list(self._find_places(text))

    def stand_in(self, text: str) -> bool:
        """Whether any of the terms stands in a text."""
        return not all(self._wanted.isdisjoint(span.terms) for span in self._analyzer.spans(text))

    def _in_word(self, word: str) -> tuple[Place, ...]:
        known = self._known.get(word)
        if known is None:
            known = self._known[word] = self._find_places(word)
        return known

    def _find_places(self, text: str) -> tuple[Place, ...]:
        wanted = self._wanted
        found = [
            Place(start, end, tuple([term for term in terms if term in wanted]))
            for start, end, terms in self._analyzer.spans(text)
            if not wanted.isdisjoint(terms)
        ]
        return tuple(sorted(found))


_Needles = tuple[tuple[str, ...], tuple[str, ...]]


_known_needles: dict[str, _Needles] = {}


def _needles_of(term: str) -> _Needles:
    """The needles of a term, which are remembered."""
    found = _known_needles.get(term)
    if found is None:
        if len(_known_needles) >= MAX_KNOWN:
            _known_needles.clear()
        found = _known_needles[term] = _needles(term)
    return found


def _needles(term: str) -> _Needles:
    """What the surface of a term begins with, in plain characters; one of them is enough.

    The second are three characters around an apostrophe or a full stop: few stand in a text.
    """
    if term.isalpha() and not _is_unspaced(term[0]):
        # Stemmers change the last letter (`retry` is `retri`, `using` is `use`), some the last
        # two; `dying` is `die`.
        cut = 1 if term.isascii() else 2
        needles = [term[: max(2, len(term) - cut)]]
        marked = []
        if term.isascii() and len(term) > 1:
            marked.append(f"{term[0]}'{term[1]}")
            if len(term) <= 6:
                marked.append(f"{term[0]}.{term[1]}")
            if len(term) == 3 and term.endswith("ie"):
                needles.append(f"{term[0]}y")
        return tuple(needles), tuple(marked)
    if term.isdecimal() and len(term) > 3:
        return (term, f"{int(term):,}"), ()
    if "_" in term:
        return (term, term.replace("_", "\\_")), ()
    return (term,), ()


def _begins_inside(plain: str, text: str, at: int) -> bool:
    """Whether a part of a compound can begin here, behind a letter or a digit."""
    before, first = plain[at - 1], plain[at]
    if text[at].isupper() or before.isalpha() != first.isalpha():
        return True
    return _is_unspaced(first) or _is_unspaced(before)


def _is_unspaced(character: str) -> bool:
    """CJK and the scripts of South-East Asia, whose terms begin anywhere."""
    code = ord(character)
    return code >= 0x0E00 and (
        code <= 0x0EFF or 0x1000 <= code <= 0x11FF or 0x1780 <= code <= 0x1AAF or code >= 0x2E80
    )
