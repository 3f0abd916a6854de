"""Where in a text do the words of a query stand?

Analysing a whole document to show three snippets of it would cost more than the search did. So
places are guessed by plain substring search, with needles that any spelling of a term begins
with; then only the words of the passages worth showing are analysed, by the analyzer that
indexed them. Where substring search cannot see through a text (combining marks, invisible
characters, Arabic prefixes), each such word is analysed at once.
"""

from __future__ import annotations

from memidx.analysis.base import Analyzer
from memidx.light import TYPE_CHECKING
from memidx.search.lowered import UNSEEN
from memidx.search.pages import Page
from memidx.values import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

MAX_FINDS = 300
"""Occurrences of one needle that are looked at; a document that repeats a word more often is
shown by one of the first."""
MAX_UNSEEN = 5000
"""How many words that substring search cannot see through are analysed."""
MAX_KNOWN = 4096
"""Terms whose needles are remembered."""
MAX_WORD = 400
"""How far around a find its word may reach, in characters."""


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

    def guesses(self, page: Page) -> tuple[Guesses, bool]:
        """Where words may stand that were indexed under the terms; and whether these are all."""
        text, plain = page.text, page.plain
        found: Guesses = {}
        is_cut = False
        find = plain.find
        for term in self.weights:
            positions: list[int] = []
            needles, marked = _NEEDLES[term]
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
                is_cut = is_cut or at >= 0
            if positions:
                found[term] = positions
        at = -1 if text.isascii() else find(UNSEEN)
        n_looked = 0
        while at >= 0 and n_looked < MAX_UNSEEN:
            start, end = _word_around(text, at)
            for place in self._in_word(text[start:end]):
                for term in place.terms:
                    found.setdefault(term, []).append(start + place.start)
            at = find(UNSEEN, end)
            n_looked += 1
        return found, not is_cut

    def places(self, text: str, positions: Iterable[int]) -> list[Place]:
        """The places among the guesses, in order of their beginning."""
        found: set[Place] = set()
        looked: set[int] = set()
        for at in positions:
            start, end = _word_around(text, at)
            if start not in looked:
                looked.add(start)
                for first, last, terms in self._in_word(text[start:end]):
                    found.add(Place(start + first, start + last, terms))
        return sorted(found)

    def terms_at(self, text: str, guesses: Guesses) -> set[str]:
        """Terms that do stand where they are guessed; one place of each is enough."""
        found: set[str] = set()
        looked: set[int] = set()

        def look(term: str, positions: Iterable[int]) -> None:
            for at in positions:
                if term in found:
                    return
                start, end = _word_in_turn(text, at, guesses)
                if start not in looked:
                    looked.add(start)
                    for place in self._in_word(text[start:end]):
                        found.update(place.terms)

        for term, positions in guesses.items():
            look(term, positions)
        for term, positions in guesses.items():
            if term not in found:
                # What is looked at for other guesses nearby may hold it.
                for at in positions:
                    look(term, _in_one_run(text, at, guesses))
        return found

    def places_in_order(self, text: str, guesses: Guesses) -> Iterator[Place]:
        """`places`, one after another, so that nothing behind the last one wanted is analysed.

        Raises:
            WordsOverlapError: What is analysed for two guesses overlaps, as it may in hundreds of
                characters without a space; `places` sorts that out.
        """
        looked: set[int] = set()
        behind = 0
        for at in sorted([at for positions in guesses.values() for at in positions]):
            start, end = _word_in_turn(text, at, guesses)
            if start in looked:
                continue
            if start < behind:
                raise WordsOverlapError
            looked.add(start)
            behind = end
            for first, last, terms in sorted(self._in_word(text[start:end])):
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
        return tuple(
            [
                Place(start, end, tuple([term for term in terms if term in wanted]))
                for start, end, terms in self._analyzer.spans(text)
                if not wanted.isdisjoint(terms)
            ]
        )


_Needles = tuple[tuple[str, ...], tuple[str, ...]]


class _Known(dict[str, _Needles]):
    """Term -> its needles, as far as they were asked for."""

    def __missing__(self, term: str) -> _Needles:
        if len(self) >= MAX_KNOWN:
            self.clear()
        found = self[term] = _needles(term)
        return found


_NEEDLES = _Known()


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


# White space and what never joins the parts of a token (`<` and `>` may be a placeholder's).
_JOINING = "*~=`;<"
MAX_JOINED = 40
_EDGES = frozenset(' \t\n\r\f\v()[]{};"*=|`!?~^%$\u3000\u00a0\u3001\u3002\uff0c')


def _word_in_turn(text: str, at: int, guesses: Guesses) -> tuple[int, int]:
    """`_word_around` of the first guess, term by term, that shares what stands before with `at`.

    Guesses in one run without spaces are looked at together, as far as the first of them says.
    """
    start, end = _word_around(text, at)
    for other in _in_one_run(text, at, guesses):
        if other == at:
            break
        first, last = _word_around(text, other)
        if first == start:
            return first, last
    return start, end


def _in_one_run(text: str, at: int, guesses: Guesses) -> Iterator[int]:
    """Guesses that no space or line end parts from `at`, itself among them, term by term."""
    first = max(text.rfind(" ", 0, at), text.rfind("\n", 0, at))
    behind = min([end for mark in " \n" if (end := text.find(mark, at)) >= 0], default=len(text))
    for positions in guesses.values():
        for other in positions:
            if first < other < behind:
                yield other


def _word_around(text: str, at: int) -> tuple[int, int]:
    """Bounds of what is analysed to know the word at `at`: it, and perhaps what stands before."""
    first = at - MAX_WORD if at > MAX_WORD else 0
    start = max(text.rfind(" ", first, at), text.rfind("\n", first, at)) + 1
    if at - max(start, first) > 40:  # no spaces here: look for other edges
        start = at
        while start > first and text[start - 1] not in _EDGES:
            start -= 1
    last = min(len(text), at + MAX_WORD)
    end = at + 1
    while end < last and text[end] not in _EDGES:
        end += 1
    if end >= last:
        return max(start, first), last
    # Markup and character references may join what follows to the word: `**b**old`, `caf&eacute;`.
    if text[end] in _JOINING:
        last = min(last, end + MAX_JOINED)
        while end < last and not text[end].isspace():
            end += 1
    return max(start, first), end
