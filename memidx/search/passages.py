"""Which words of a document should a reader see?

Of the blocks of a document (`blocks`), those that hold query terms (`places`) are shown: first
the one whose terms weigh most, then those that add terms not shown yet. Prose comes first; a
table, comment or front matter is shown for terms that stand nowhere else. Snippets are cut from
the original text, at white space where there is some, never inside a character.
"""

from __future__ import annotations

import unicodedata
from itertools import chain

from memidx.light import TYPE_CHECKING, bisect_right, heapify, heappop, heapreplace
from memidx.search.answer import Snippet
from memidx.search.blocks import Outline
from memidx.search.pages import Page
from memidx.search.places import Finder, Guesses, Place, WordsOverlapError
from memidx.values import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

REPEATED = 0.2
"""What a term counts in a further snippet once one has shown it."""
NOT_PROSE = 0.4
"""What a term counts in a table, comment or front matter: more than one already shown."""
MAX_SLIDE = 30
"""How far a cut moves to reach white space, in characters."""


class Passage(NamedTuple):
    """`text[start:end]`, on lines `line_start` to `line_end`, 1-based."""

    line_start: int
    line_end: int
    start: int
    end: int


def passages(outline: Outline) -> list[Passage]:
    """Passages of a text; all blocks when there is nothing but tables, comments and the like."""
    text = outline.text
    numbers = range(len(outline.starts))
    shown = [number for number in numbers if outline.is_passage(number)] or list(numbers)
    bounds = dict.fromkeys(outline.span(number) for number in shown)
    found: list[Passage] = []
    line = 1
    counted = 0
    for first, last in bounds:
        start, end = outline.starts[first], outline.ends[last]
        line += text.count("\n", counted, start)
        n_lines = text.count("\n", start, end)
        found.append(Passage(line, line + n_lines, start, end))
        line += n_lines
        counted = end
    return found


def snippets(
    page: Page,
    finder: Finder,
    title: str,
    line_offset: int = 0,
    *,
    indexed: Collection[str] | None = None,
    limit: int = 3,
    width: int = 240,
) -> Iterator[Snippet]:
    """Up to `limit` pieces of a document that show why it was found, the best first.

    The second is looked for when it is asked for.

    Args:
        page: The document's whole text.
        finder: The query's terms.
        title: Shown when only the title matches.
        line_offset: Added to line numbers.
        indexed: The terms that the text was indexed under, for who can tell without analysing
            it; the others are not looked for.
        limit: How many, at most.
        width: Longest snippet in characters.

    Yields:
        Each holds a query term, if the text or the title does; else the document's beginning.
    """
    text = page.text
    is_shown = False
    for bounds, start, end in _choose(page, finder, *finder.guesses(page, indexed), limit, width):
        is_shown = True
        yield _snippet(text, bounds, start, end, line_offset)
    if not is_shown and (indexed is None or indexed):
        held = finder.all_places(text)
        certain: Guesses = {}
        for place in held:
            for term in place.terms:
                certain.setdefault(term, []).append(place.start)
        for bounds, start, end in _choose(page, finder, certain, (), limit, width, held):
            is_shown = True
            yield _snippet(text, bounds, start, end, line_offset)
    if not is_shown:
        yield from _without_places(page, finder, title, line_offset, width)


class _Candidate:
    """A passage that may be shown.

    Attributes:
        guesses: Where its words are guessed to stand.
        terms: What it is thought to show; then what it does show.
        gain: The sum of what those weigh, as long as nothing is shown.
        is_certain: Whether its words were looked at.
    """

    __slots__ = ("gain", "guesses", "is_certain", "terms")

    def __init__(self) -> None:
        self.guesses: Guesses = {}
        self.terms: Collection[str] = self.guesses
        self.gain = 0.0
        self.is_certain = False


def _choose(
    page: Page,
    finder: Finder,
    guesses: Guesses,
    cut: Collection[str],
    limit: int,
    width: int,
    places: Sequence[Place] | None = None,
) -> Iterator[tuple[tuple[int, int], int, int]]:
    """Passages to show and what to cut from them: ((start, end), cut start, cut end).

    Each time the passage that adds most, of equals the first. What one adds only ever falls, when
    it turns out to be a table, its guesses are checked or its terms shown, so the best on the
    heap, if it kept its worth, is the best; the others need no closer look.

    Args:
        places: What is known for certain, in order, if it is: then nothing has to be checked.
    """
    if not guesses:
        return
    outline, weights = page.outline, finder.weights
    candidates = _candidates(outline, weights, guesses)
    heap = [(-candidate.gain, number) for number, candidate in candidates.items()]
    heapify(heap)
    covered: set[str] = set()
    n_chosen = 0
    while heap and n_chosen < limit:
        before, number = heap[0]
        candidate = candidates[number]
        is_passage = outline.is_passage(number)
        gain = _gain(weights, candidate.terms, covered, is_passage)
        if gain == -before and not candidate.is_certain and places is not None:
            candidate.is_certain = True
        elif gain == -before and not candidate.is_certain:
            candidate.terms = finder.terms_at(page, candidate.guesses, cut)
            candidate.is_certain = True
            gain = _gain(weights, candidate.terms, covered, is_passage)
        if not candidate.terms:
            heappop(heap)
        elif gain < -before or not candidate.is_certain:
            heapreplace(heap, (-gain, number))
        else:
            heappop(heap)
            first, last = outline.span(number)
            bounds = outline.starts[first], outline.ends[last]
            (start, end), shown = _window(page, bounds, finder, candidate, width, places)
            yield bounds, start, end
            n_chosen += 1
            covered.update(shown)


def _candidates(
    outline: Outline, weights: Mapping[str, float], guesses: Guesses
) -> dict[int, _Candidate]:
    """Passages that hold guesses, by their first block."""
    found: dict[int, _Candidate] = {}
    starts = outline.starts
    n_blocks, behind_all = len(starts), len(outline.text) + 1
    for term, positions in guesses.items():
        weight = weights[term]
        begin, end = 1, 0  # of the block that the last guess is in
        for at in positions:
            if not begin <= at < end:
                block = bisect_right(starts, at) - 1
                begin = starts[block]
                end = starts[block + 1] if block + 1 < n_blocks else behind_all
                candidate = found.get(block)
                if candidate is None:
                    candidate = found[block] = _Candidate()
                if term not in candidate.guesses:
                    candidate.guesses[term] = []
                    candidate.gain += weight
                held = candidate.guesses[term]
            held.append(at)
    for block in list(found):
        first = outline.first_of(block)
        if first == block:
            continue
        part = found.pop(block)
        whole = found.get(first)
        if whole is None:
            found[first] = part
            continue
        both = whole.guesses
        for term, positions in part.guesses.items():
            both[term] = [*both.get(term, ()), *positions]
        # In the order of the query again, by which everything is added up and looked at.
        whole.guesses = whole.terms = {term: both[term] for term in weights if term in both}
        whole.gain = sum([weights[term] for term in whole.guesses])
    return found


def _gain(
    weights: Mapping[str, float], terms: Collection[str], covered: Collection[str], is_passage: bool
) -> float:
    """What a passage with these terms adds to those already shown.

    Added up in the order of the query, so that passages with the same terms are equals.
    """
    gain = 0.0
    for term, weight in weights.items():
        if term in terms:
            gain += weight * REPEATED if term in covered else weight
    return gain if is_passage else gain * NOT_PROSE


def _without_places(
    page: Page, finder: Finder, title: str, line_offset: int, width: int
) -> tuple[Snippet, ...]:
    """The title if it matches, else the first passage, else the title."""
    first = None if finder.stand_in(title) else next(iter(passages(page.outline)), None)
    if first is not None:
        bounds = first.start, first.end
        end = _cut_right(page.text, *bounds, width)
        return (_snippet(page.text, bounds, first.start, end, line_offset),)
    shown = title[: _cut_right(title, 0, len(title), width)].strip()
    return (Snippet(shown, line_offset + 1, line_offset + 1),) if shown else ()


def _snippet(text: str, bounds: tuple[int, int], start: int, end: int, line_offset: int) -> Snippet:
    line = line_offset + 1 + text.count("\n", 0, bounds[0])
    return Snippet(text[start:end].strip(), line, line + text.count("\n", *bounds))


def _window(
    page: Page,
    bounds: tuple[int, int],
    finder: Finder,
    candidate: _Candidate,
    width: int,
    places: Sequence[Place] | None,
) -> tuple[tuple[int, int], Collection[str]]:
    """The part of a passage, at most `width` long, whose distinct terms weigh most; its terms."""
    text, terms, guesses = page.text, candidate.terms, candidate.guesses
    if bounds[1] - bounds[0] <= width:
        return bounds, terms
    try:
        if places is None:
            inside: Iterable[Place] = finder.places_in_order(page, guesses)
        else:
            inside = [place for place in places if bounds[0] <= place.start < bounds[1]]
        run = _best_run(inside, terms, finder.weights, width)
    except WordsOverlapError:
        held = finder.places(page, chain.from_iterable(guesses.values()))
        run = _best_run(held, terms, finder.weights, width)
    first, last = run.start, run.end
    spare = max(0, width - (last - first))
    start = bounds[0] if first - bounds[0] <= spare else first - spare // 2
    start = max(bounds[0], min(start, bounds[1] - width))
    start = _slide_right(text, start, first) if start > bounds[0] else start
    end = _cut_right(text, start, bounds[1], width, keep=last)
    if run.holds_all and start <= first and last <= end:
        return (start, end), terms
    shown = [place.terms for place in run.places if start <= place.start and place.end <= end]
    return (start, end), {term for terms in shown for term in terms}


class _Run(NamedTuple):
    """The best of a passage: `text[start:end]`.

    Attributes:
        start: Where its first place begins.
        end: Where its last place ends.
        holds_all: Whether it holds every term of the passage.
        places: Those of the passage that were looked at; all, unless it holds every term.
    """

    start: int
    end: int
    holds_all: bool
    places: list[Place]


def _best_run(
    places: Iterable[Place], terms: Collection[str], weights: Mapping[str, float], width: int
) -> _Run:
    """The places within `width` of each other whose distinct terms weigh most, the first of equals.

    Args:
        places: Of a passage, in order; those behind a run that cannot be surpassed are not asked
            for.
        terms: Which they hold.
        weights: Of the query's terms.
        width: In characters.
    """
    enough = sum([weight for term, weight in weights.items() if term in terms]) * (1 - 1e-10)
    held: list[Place] = []
    start = end = 0
    most = 0.0
    counts: dict[str, int] = {}
    total = 0.0
    left = 0
    for place in places:
        held.append(place)
        for term in place.terms:
            if not counts.get(term):
                total += weights[term]
            counts[term] = counts.get(term, 0) + 1
        while place.end - held[left].start > width and held[left] is not place:
            for term in held[left].terms:
                counts[term] -= 1
                if not counts[term]:
                    total -= weights[term]
            left += 1
        if total > most * (1 + 1e-9):
            most = total
            start, end = held[left].start, place.end
            if most >= enough:
                return _Run(start, end, True, held)
    return _Run(start, end, False, held)


def _cut_right(text: str, start: int, end: int, width: int, keep: int = 0) -> int:
    """Where a snippet from `start` ends: at white space if near, not before `keep`."""
    cut = start + width
    if cut >= end:
        return end
    if not text[cut].isspace():
        for at in range(cut - 1, max(keep, cut - MAX_SLIDE, start), -1):
            if text[at].isspace():
                return at
    while cut > start + 1 and _continues(text, cut):
        cut -= 1
    return cut


def _slide_right(text: str, start: int, first: int) -> int:
    """A beginning moved to the next word, but not past `first`."""
    if text[start - 1].isspace():
        return start
    for at in range(start, min(first, start + MAX_SLIDE)):
        if text[at].isspace():
            return at + 1
    while start < first and _continues(text, start):
        start += 1
    return start


def _continues(text: str, at: int) -> bool:
    """Whether the character at `at` belongs to the one before it, as a reader sees it."""
    character = text[at]
    if character < "\u0300" and character != "\u00ad":
        return False
    code = ord(character)
    before = text[at - 1]
    # A joiner, or a virama that makes one sign of two consonants.
    if before == "\u200d" or unicodedata.combining(before) == 9:
        return True
    if 0x1161 <= code <= 0x11FF or 0x1F3FB <= code <= 0x1F3FF:
        return True
    if 0x1F1E6 <= code <= 0x1F1FF:  # two regional indicators make one flag
        n_before = 0
        while at > n_before and 0x1F1E6 <= ord(text[at - 1 - n_before]) <= 0x1F1FF:
            n_before += 1
        return n_before % 2 == 1
    return unicodedata.category(character) in ("Mn", "Mc", "Me", "Cf", "Cs")
