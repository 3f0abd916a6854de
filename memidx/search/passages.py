"""Which words of a document should a reader see?

Of the blocks of a document (`blocks`), those that hold query terms (`places`) are shown: first
the one whose terms weigh most, then those that add terms not shown yet. Prose comes first; a
table, comment or front matter is shown for terms that stand nowhere else. Snippets are cut from
the original text, at white space where there is some, never inside a character.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from memidx.analysis.base import Analyzer
from memidx.search.answer import Snippet
from memidx.search.blocks import Block, blocks
from memidx.search.places import Place, places

REPEATED = 0.2
"""What a term counts in a further snippet once one has shown it."""
MAX_SLIDE = 30
"""How far a cut moves to reach white space, in characters."""


class Passage(NamedTuple):
    """`text[start:end]`, on lines `line_start` to `line_end`, 1-based."""

    line_start: int
    line_end: int
    start: int
    end: int


def passages(text: str) -> list[Passage]:
    """Passages of a text; all blocks when there is nothing but tables, comments and the like."""
    found = blocks(text)
    return [Passage(*block[:4]) for block in found if block.is_passage] or [
        Passage(*block[:4]) for block in found
    ]


def snippets(
    text: str,
    analyzer: Analyzer,
    weights: Mapping[str, float],
    title: str,
    line_offset: int = 0,
    limit: int = 3,
    width: int = 240,
) -> tuple[Snippet, ...]:
    """Up to `limit` pieces of a document that show why it was found, the best first.

    Args:
        text: The document's whole text.
        weights: Query term -> what a match is worth (idf * weight).
        title: Shown when only the title matches.
        line_offset: Added to line numbers.
        width: Longest snippet in characters.

    Returns:
        Each holds a query term, if the text or the title does; else the document's beginning.
    """
    found = places(text, analyzer, weights)
    if not found:
        return _without_places(text, analyzer, weights, title, line_offset, width)
    all_blocks = blocks(text)
    held = _by_block(all_blocks, found)
    in_prose = {
        term
        for number, block_places in held.items()
        if all_blocks[number].is_passage
        for place in block_places
        for term in place.terms
    }
    worth: dict[int, dict[str, float]] = {}
    for number, block_places in held.items():
        is_passage = all_blocks[number].is_passage
        worth[number] = {
            term: weights[term]
            for place in block_places
            for term in place.terms
            if is_passage or term not in in_prose
        }
    shown: list[Snippet] = []
    covered: set[str] = set()
    while len(shown) < limit and worth:
        best = max(worth, key=lambda number: (_gain(worth[number], covered), -number))
        terms = worth.pop(best)
        if not terms:
            continue
        block = all_blocks[best]
        start, end = _window(text, block, held[best], weights, width)
        shown.append(_snippet(text, block, start, end, line_offset))
        covered.update(
            term
            for place in held[best]
            if start <= place.start and place.end <= end
            for term in place.terms
        )
    return tuple(shown)


def _without_places(
    text: str,
    analyzer: Analyzer,
    weights: Mapping[str, float],
    title: str,
    line_offset: int,
    width: int,
) -> tuple[Snippet, ...]:
    """The title if it matches, else the first passage, else the title."""
    matches = any(term in weights for span in analyzer.spans(title) for term in span.terms)
    first = None if matches else next(iter(passages(text)), None)
    if first is not None:
        start, end = first.start, _cut_right(text, first.start, first.end, width)
        return (_snippet(text, first, start, end, line_offset),)
    shown = title[: _cut_right(title, 0, len(title), width)].strip()
    return (Snippet(shown, line_offset + 1, line_offset + 1),) if shown else ()


def _by_block(all_blocks: Sequence[Block], found: Sequence[Place]) -> dict[int, list[Place]]:
    starts = [block.start for block in all_blocks]
    held: dict[int, list[Place]] = {}
    for place in found:
        held.setdefault(max(0, bisect_right(starts, place.start) - 1), []).append(place)
    return held


def _gain(terms: Mapping[str, float], covered: set[str]) -> float:
    return sum(weight * REPEATED if term in covered else weight for term, weight in terms.items())


def _snippet(text: str, block: Block | Passage, start: int, end: int, line_offset: int) -> Snippet:
    return Snippet(
        text[start:end].strip(), block.line_start + line_offset, block.line_end + line_offset
    )


def _window(
    text: str, block: Block, held: Sequence[Place], weights: Mapping[str, float], width: int
) -> tuple[int, int]:
    """The part of a block, at most `width` long, whose distinct terms weigh most."""
    if block.end - block.start <= width:
        return block.start, block.end
    first, last = _best_run(held, weights, width)
    spare = max(0, width - (last - first))
    start = block.start if first - block.start <= spare else first - spare // 2
    start = max(block.start, min(start, block.end - width))
    start = _slide_right(text, start, first) if start > block.start else start
    return start, _cut_right(text, start, block.end, width, keep=last)


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
    if text[at - 1] == "\u200d" or 0x1161 <= code <= 0x11FF or 0x1F3FB <= code <= 0x1F3FF:
        return True
    if 0x1F1E6 <= code <= 0x1F1FF:  # two regional indicators make one flag
        n_before = 0
        while at > n_before and 0x1F1E6 <= ord(text[at - 1 - n_before]) <= 0x1F1FF:
            n_before += 1
        return n_before % 2 == 1
    return unicodedata.category(character) in ("Mn", "Mc", "Me", "Cf", "Cs")
