"""What are the terms of a document's chunks?

What `memidx.analysis.pieces` asks of the default analyzer. A chunk's analysis depends on nothing
around it, so it is remembered: most chunks of a corpus are repeats, and a document costs a split, a
count and a few look-ups.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain, pairwise

from memidx.analysis.base import NOT_COUNTED
from memidx.analysis.inner import Joined
from memidx.analysis.normalise import fold, normalise
from memidx.analysis.parts import Parts
from memidx.analysis.pieces import Spread
from memidx.analysis.runs import trigrams
from memidx.analysis.token_patterns import apart, look_closely, plain_text
from memidx.analysis.tokens import APART
from memidx.analysis.vocabulary import STOP_WORDS
from memidx.light import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

_MAX_CHUNKS = 1 << 16
_MAX_CHUNK = 64
_BLANKS = bytes.maketrans(APART.encode(), b" " * len(APART))


class Chunks(dict[str, tuple[str, ...]]):
    """Chunk -> its terms with repeats, and `NOT_COUNTED` for each that adds no length."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def __missing__(self, chunk: str) -> tuple[str, ...]:
        terms = self.of_chunk(chunk)
        if len(chunk) <= _MAX_CHUNK:
            if len(self) >= _MAX_CHUNKS:
                self.clear()
            self[chunk] = terms
        return terms

    def of_chunk(self, chunk: str) -> tuple[str, ...]:
        """The terms of a chunk, which is not kept."""
        text = plain_text(chunk) if chunk.isascii() else ""
        if text:
            return (self._parts[text] if text.isalpha() else self._parts.divide(text)).terms
        if chunk[0] == " ":  # see `pieces_of`
            term = chunk[1:]
            return (term,) if term in STOP_WORDS else (term, NOT_COUNTED)
        pieces = apart(chunk)
        if len(pieces) > 1:
            return tuple(chain.from_iterable(map(self.__getitem__, pieces)))
        return self._of_tokens(chunk)

    def _of_tokens(self, chunk: str) -> tuple[str, ...]:
        found: list[str] = []
        for token in look_closely(chunk):
            if token.kind == "C":
                run = token.text
                found.extend(run)
                if len(run) > 1:
                    found.extend([first + second for first, second in pairwise(run)])
                    found.extend([NOT_COUNTED] * len(run))
            elif token.kind == "T":
                found.extend(trigrams(token.text))
            elif terms := self._parts[token.text].terms:
                found.extend(terms)
                if token.dotted:
                    found.extend((fold(token.dotted), NOT_COUNTED))
        return tuple(found)


def pieces_of(text: str, joined: Callable[[str], Iterable[tuple[int, str]]]) -> Mapping[str, int]:
    """Chunks of a text; and the words that markup stands inside, each after a space."""
    normal = normalise(text)
    data = normal.encode("utf-8", "surrogatepass")
    chunks = Counter(data.translate(_BLANKS).decode("utf-8", "surrogatepass").split())
    chunks.update(f" {term}" for _, term in joined(normal))
    return chunks


def spread_of(texts: Sequence[str], joined_term: Callable[[Joined], str]) -> Spread:
    """Chunks of texts, and the words that markup stands inside, as `pieces_of` has them."""
    # By numpy: only who builds a snapshot has so many.
    from memidx.analysis.spreading import edges, joined_in_many, kinds_of, normalised

    data, text_ends = normalised(texts)
    kinds = kinds_of(data)
    starts, ends = edges(kinds)
    joined = joined_in_many(data, kinds, ends, text_ends)
    found = ((n, joined_term(word)) for n, word in joined)
    more = [(n, f" {term}") for n, term in found if term]
    return Spread(data, starts, ends, text_ends, more)
