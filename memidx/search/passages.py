"""Which words of a document should a reader see?

Of the blocks of a document (`blocks`), those that hold query terms (`places`) are shown: first
the one whose terms weigh most, then those that add terms not shown yet. Prose comes first; a
table, comment or front matter is shown for terms that stand nowhere else. Snippets are cut from
the original text, at white space where there is some, never inside a character.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from heapq import heapify, heappop, heapreplace

from memidx.light import TYPE_CHECKING
from memidx.search.answer import Snippet
from memidx.search.blocks import Outline
from memidx.search.pages import Page
from memidx.search.places import Finder, Place
from memidx.values import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping, Sequence

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
    is_indexed: Callable[[], bool] | None = None,
    limit: int = 3,
    width: int = 240,
) -> tuple[Snippet, ...]:
    """Up to `limit` pieces of a document that show why it was found, the best first.

    Args:
        page: The document's whole text.
        finder: The query's terms.
        title: Shown when only the title matches.
        line_offset: Added to line numbers.
        is_indexed: Whether the text was indexed under any of the terms, for who can tell without
            analysing it; asked when no place is found.
        limit: How many, at most.
        width: Longest snippet in characters.

    Returns:
        Each holds a query term, if the text or the title does; else the document's beginning.
    """
    text = page.text
    chosen = _choose(page, finder, finder.guesses(page), limit, width)
    if not chosen and (is_indexed is None or is_indexed()):
        certain = [(place.start, term) for place in finder.all_places(text) for term in place.terms]
        chosen = _choose(page, finder, certain, limit, width)
    if not chosen:
        return _without_places(page, finder, title, line_offset, width)
    return tuple([_snippet(text, bounds, start, end, line_offset) for bounds, start, end in chosen])


class _Candidate:
    """A passage that may be shown.

    Attributes:
        positions: Where its words are guessed to stand.
        terms: What it is thought to show, in the order of guesses; then what it does show.
        gain: The sum of what those weigh, as long as nothing is shown.
        places: Its words, once they were looked at.
    """

    __slots__ = ("gain", "places", "positions", "terms")

    def __init__(self) -> None:
        self.positions: list[int] = []
        self.terms: dict[str, float] = {}
        self.gain = 0.0
        self.places: list[Place] | None = None


def _choose(
    page: Page,
    finder: Finder,
    guesses: Sequence[tuple[int, str]],
    limit: int,
    width: int,
) -> list[tuple[tuple[int, int], int, int]]:
    """Passages to show and what to cut from them: ((start, end), cut start, cut end).

    Each time the passage that adds most. What one adds only ever falls, when it turns out to be a
    table, its guesses are checked or its terms shown, so the best on the heap, if it kept its
    worth, is the best; the others need no closer look.
    """
    if not guesses:
        return []
    text, outline, weights = page.text, page.outline, finder.weights
    candidates = _candidates(outline, weights, guesses)
    heap = [(-candidate.gain, number) for number, candidate in candidates.items()]
    heapify(heap)
    covered: set[str] = set()
    chosen: list[tuple[tuple[int, int], int, int]] = []
    while heap and len(chosen) < limit:
        before, number = heap[0]
        candidate = candidates[number]
        is_passage = outline.is_passage(number)
        gain = _gain(candidate.terms, covered, is_passage)
        if gain == -before and candidate.places is None:
            candidate.places = finder.places(text, candidate.positions)
            candidate.terms = {t: weights[t] for place in candidate.places for t in place.terms}
            gain = _gain(candidate.terms, covered, is_passage)
        if not candidate.terms:
            heappop(heap)
        elif gain < -before or candidate.places is None:
            heapreplace(heap, (-gain, number))
        else:
            heappop(heap)
            first, last = outline.span(number)
            bounds = outline.starts[first], outline.ends[last]
            start, end = _window(text, bounds, candidate.places, weights, width)
            chosen.append((bounds, start, end))
            for place in candidate.places:
                if start <= place.start and place.end <= end:
                    covered.update(place.terms)
    return chosen


def _candidates(
    outline: Outline, weights: Mapping[str, float], guesses: Sequence[tuple[int, str]]
) -> dict[int, _Candidate]:
    """Passages that hold guesses, by their first block."""
    found: dict[int, _Candidate] = {}
    starts = outline.starts
    for at, term in guesses:
        block = bisect_right(starts, at) - 1
        candidate = found.get(block)
        if candidate is None:
            candidate = found[block] = _Candidate()
        candidate.positions.append(at)
        if term not in candidate.terms:
            candidate.terms[term] = weights[term]
            candidate.gain += weights[term]
    for block in list(found):
        first = outline.first_of(block)
        if first == block:
            continue
        part = found.pop(block)
        whole = found.get(first)
        if whole is None:
            found[first] = part
            continue
        whole.positions += part.positions
        for term, weight in part.terms.items():
            if term not in whole.terms:
                whole.terms[term] = weight
                whole.gain += weight
    return found


def _gain(terms: Mapping[str, float], covered: Container[str], is_passage: bool) -> float:
    """What a passage with these terms adds to those already shown."""
    gain = 0.0
    for term, weight in terms.items():
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
    text: str,
    bounds: tuple[int, int],
    held: Sequence[Place],
    weights: Mapping[str, float],
    width: int,
) -> tuple[int, int]:
    """The part of a passage, at most `width` long, whose distinct terms weigh most."""
    if bounds[1] - bounds[0] <= width:
        return bounds
    first, last = _best_run(held, weights, width)
    spare = max(0, width - (last - first))
    start = bounds[0] if first - bounds[0] <= spare else first - spare // 2
    start = max(bounds[0], min(start, bounds[1] - width))
    start = _slide_right(text, start, first) if start > bounds[0] else start
    return start, _cut_right(text, start, bounds[1], width, keep=last)


def _best_run(held: Sequence[Place], weights: Mapping[str, float], width: int) -> tuple[int, int]:
    """Bounds of the places within `width` of each other whose distinct terms weigh most."""
    best = (held[0].start, held[0].end)
    most = 0.0
    counts: dict[str, int] = {}
    total = 0.0
    left = 0
    for place in held:
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
            best = (held[left].start, place.end)
    return best


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
