"""Which word was meant by one that no document holds?

Words of the index that are one or two edits away, or that begin as it does. What is looked at is
bounded, whatever the vocabulary's size: terms that begin with the same letters are compared, as few
letters as leave no more than some hundreds of them, and every single edit of those letters is
looked up. Endings that a stemmer takes off make no difference, because the vocabulary holds stems.
"""

from __future__ import annotations

from itertools import chain

from memidx.analysis.base import Analyzer, QueryWord
from memidx.light import TYPE_CHECKING, bisect_left
from memidx.search.pages import Page
from memidx.search.places import Finder
from memidx.snapshot.format import Blobs
from memidx.snapshot.parts import Numbers
from memidx.snapshot.snapshot import Snapshot
from memidx.values import Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_WORDS = 5
"""How many unknown words of a query are looked into."""
MAX_NEAR = 3
"""How many words are named for each."""
MAX_COMPARED = 400
"""How many terms with the same beginning are compared, in each segment."""
MAX_PLACES = 20
"""Places in a document that are looked at for how it writes a word."""
MAX_LENGTH = 40
"""Longer words are hashes and paths, not slips of the pen."""

_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


class Suggestion(Value):
    """A word of a query that no document holds, and words that are near it and held."""

    word: str
    near: tuple[str, ...]


def unknown_words(words: Sequence[QueryWord], snapshot: Snapshot) -> list[QueryWord]:
    """Distinct words of which no document holds any term, in the caller's order."""
    return list(
        {
            word.surface: word
            for word in words
            if all(snapshot.term(term) is None for term, _ in word.terms)
        }.values()
    )


def suggest(
    snapshot: Snapshot, analyzer: Analyzer, words: Sequence[QueryWord]
) -> tuple[Suggestion, ...]:
    """For unknown words: the nearest words that documents hold, as one of them writes it."""
    found = []
    for word in words[:MAX_WORDS]:
        near = [_surface(snapshot, analyzer, term) for term in _near(snapshot, word.whole)]
        if near:
            found.append(Suggestion(word.surface[:MAX_LENGTH], tuple(dict.fromkeys(near))))
    return tuple(found)


def _near(snapshot: Snapshot, word: str) -> list[str]:
    """Terms near a word: fewest edits first, then the more common, then by code point."""
    if not 3 <= len(word) <= MAX_LENGTH:
        return []
    most = 1 if len(word) < 6 else 2
    found: dict[str, int] = {}
    n_left = 0
    for part in snapshot.parts:
        n_left = max(n_left, _same_beginning(part.segment.terms, word, most, found))
    # A slip in the letters that all compared terms share is looked up, edit by edit.
    for term in _one_edit(word, n_left):
        if len(term) >= 3 and term not in found and snapshot.document_frequency(term):
            found[term] = 1
    ranked = sorted(
        (n_edits, -df, term)
        for term, n_edits in found.items()
        # A vocabulary also holds words of documents that are no more.
        if (df := snapshot.document_frequency(term))
    )
    return [term for _, _, term in ranked[:MAX_NEAR]]


def _same_beginning(terms: Blobs, word: str, most: int, found: dict[str, int]) -> int:
    """Collect near terms among those of one segment that begin as a word does.

    The longest beginning comes first, so that the bound leaves out what is least alike.

    Returns:
        Letters of the beginning that all compared terms share, >= 1.
    """
    seen = range(0)
    for length in range(len(word), 0, -1):
        marked = word[:length].encode("utf-8", "replace")
        begin = bisect_left(range(len(terms)), marked, key=terms.raw)
        end = bisect_left(range(len(terms)), marked + b"\xff", begin, key=terms.raw)
        if end - begin > MAX_COMPARED:
            return length + 1
        rest = word[length:]
        new = (range(begin, seen.start), range(seen.stop, end)) if seen else (range(begin, end),)
        for number in chain(*new):
            term = terms[number]
            if len(term) < 3:
                continue
            # The letters that both begin with need no edits.
            n_edits = edits(rest, term[length:], most)
            if n_edits <= most or _continues(word, term):
                found[term] = n_edits
        seen = range(begin, end)
    return 1


def _continues(word: str, term: str) -> bool:
    """Whether one is the beginning of the other, and most of it."""
    short, long = sorted((word, term), key=len)
    return len(short) >= 4 and long.startswith(short) and len(long) <= 2 * len(short)


def _one_edit(word: str, before: int) -> Iterator[str]:
    """Every word one edit away that begins otherwise than `word[:before]`, with ASCII put in."""
    for at in range(min(before, len(word))):
        head, tail = word[:at], word[at + 1 :]
        yield head + tail
        if tail:
            yield head + tail[0] + word[at] + tail[1:]
        if word.isascii():
            for letter in _LETTERS:
                yield head + letter + tail
                yield head + letter + word[at:]


def edits(first: str, second: str, most: int) -> int:
    """Letters put in, left out, changed or swapped with their neighbour, up to `most` + 1.

    The optimal string alignment distance: no part of a word is edited twice.
    """
    if abs(len(first) - len(second)) > most:
        return most + 1
    before: list[int] = []
    above = list(range(len(second) + 1))
    for row, letter in enumerate(first, start=1):
        current = [row]
        for column, other in enumerate(second, start=1):
            cost = min(
                above[column] + 1,
                current[column - 1] + 1,
                above[column - 1] + (letter != other),
            )
            swapped = row > 1 and column > 1
            if swapped and letter == second[column - 2] and first[row - 2] == other:
                cost = min(cost, before[column - 2] + 1)
            current.append(cost)
        if min(current) > most:
            return most + 1
        before, above = above, current
    return min(above[-1], most + 1)


def _surface(snapshot: Snapshot, analyzer: Analyzer, term: str) -> str:
    """A term as a document writes it: the vocabulary holds stems, which are not words."""
    numbers = snapshot.term(term)
    if numbers is None:
        return term
    doc = _first(snapshot, numbers)
    card = snapshot.card(doc)
    finder = Finder(analyzer, {term: 1.0})
    for text in (snapshot.text(doc), card.title):
        page = Page(text)
        guesses = finder.guesses(page)[0].get(term, [])
        places = finder.places(page, guesses[:MAX_PLACES])
        surfaces = [text[place.start : place.end] for place in places]
        if surfaces:
            # The word itself, where it stands among its forms; else the form that comes first.
            return next((word for word in surfaces if word.casefold() == term), surfaces[0])
    return term


def _first(snapshot: Snapshot, numbers: Numbers) -> int:
    """The first document that holds a term, in the order of documents that tie."""
    firsts = [
        doc
        for position in range(len(snapshot.fields))
        for postings in snapshot.postings(position, numbers)
        for doc, _ in _head(postings.pairs())
    ]
    return min(firsts, key=snapshot.order)


def _head(pairs: Iterator[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    for pair in pairs:
        yield pair
        return
