"""Which words of a document should a reader see?

Of the blocks of a document (`blocks`), those that hold query terms (`places`) are shown: first
the one whose terms weigh most, then those that add terms not shown yet. Prose comes first; a
table, comment or front matter is shown for terms that stand nowhere else. Snippets are cut from
the original text, at white space where there is some, never inside a character.
"""

from __future__ import annotations

from itertools import chain

from memidx.light import TYPE_CHECKING, bisect_left, bisect_right
from memidx.search.answer import Snippet
from memidx.search.places import Finder, Guesses, Place, WordsOverlapError
from memidx.values import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from memidx.search.blocks import Outline
    from memidx.search.pages import Page

REPEATED = 0.2
"""What a term counts in a further snippet once one has shown it."""
NOT_PROSE = 0.4
"""What a term counts in a table, comment or front matter: more than one already shown."""
MAX_SLIDE = 30
"""How far a cut moves to reach white space, in characters."""


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
        yield cut_out(text, bounds, start, end, line_offset)
    if not is_shown and (indexed is None or indexed):
        held = finder.all_places(text)
        certain: Guesses = {}
        for place in held:
            for term in place.terms:
                certain.setdefault(term, []).append(place.start)
        for bounds, start, end in _choose(page, finder, certain, (), limit, width, held):
            is_shown = True
            yield cut_out(text, bounds, start, end, line_offset)
    if not is_shown:
        from memidx.search.beginnings import beginning  # nearly every hit shows a word

        yield from beginning(page, finder, title, line_offset, width)


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
    it turns out to be a table, its guesses are checked or its terms shown, so the best of all, if
    it kept its worth, is the best; the others need no closer look.

    Args:
        places: What is known for certain, in order, if it is: then nothing has to be checked.
    """
    if not guesses:
        return
    outline, weights = page.outline, finder.weights
    # Else what is thought to be added is summed up anew, as sums have to be in the query's order.
    in_order = [*guesses] == [term for term in weights if term in guesses]
    candidates = _candidates(outline, weights, guesses)
    # By what they add, as many add the same, in ascending order.
    by_gain: dict[float, list[int]] = {}
    for number in sorted(candidates):
        by_gain.setdefault(candidates[number].gain, []).append(number)
    covered: set[str] = set()
    n_chosen = 0
    while by_gain and n_chosen < limit:
        before = max(by_gain)
        equals = by_gain[before]
        number = equals[0]
        candidate = candidates[number]
        is_passage = outline.is_passage(number)
        if in_order and not covered and not candidate.is_certain:
            gain = candidate.gain if is_passage else candidate.gain * NOT_PROSE
        else:
            gain = _gain(weights, candidate.terms, covered, is_passage)
        if gain == before and not candidate.is_certain and places is not None:
            candidate.is_certain = True
        elif gain == before and not candidate.is_certain:
            candidate.terms = finder.terms_at(page, candidate.guesses, cut)
            candidate.is_certain = True
            gain = _gain(weights, candidate.terms, covered, is_passage)
        if len(equals) > 1:
            del equals[0]
        else:
            del by_gain[before]
        if not candidate.terms:
            continue
        if gain < before or not candidate.is_certain:
            equals = by_gain.setdefault(gain, [])
            equals.insert(bisect_left(equals, number), number)
        else:
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
    heads = outline.heads
    for block in [block for block in found if block - 1 in heads]:
        first = outline.span(block)[0]
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
        whole.gain = _gain(weights, whole.guesses, (), True)
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


def cut_out(text: str, bounds: tuple[int, int], start: int, end: int, line_offset: int) -> Snippet:
    """The snippet `text[start:end]` of the passage within these bounds."""
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
    end = cut_right(text, start, bounds[1], width, keep=last)
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


def cut_right(text: str, start: int, end: int, width: int, keep: int = 0) -> int:
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
    from unicodedata import category, combining  # hardly any cut is beside one of these

    code = ord(character)
    before = text[at - 1]
    # A joiner, or a virama that makes one sign of two consonants.
    if before == "\u200d" or combining(before) == 9:
        return True
    if 0x1161 <= code <= 0x11FF or 0x1F3FB <= code <= 0x1F3FF:
        return True
    if 0x1F1E6 <= code <= 0x1F1FF:  # two regional indicators make one flag
        n_before = 0
        while at > n_before and 0x1F1E6 <= ord(text[at - 1 - n_before]) <= 0x1F1FF:
            n_before += 1
        return n_before % 2 == 1
    return category(character) in ("Mn", "Mc", "Me", "Cf", "Cs")
