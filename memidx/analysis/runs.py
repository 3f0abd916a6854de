"""What are the words of a script without spaces?

A run of Chinese, Japanese or Korean is indexed by its characters and by each two of them, a run of
Thai, Lao, Khmer or Burmese by each three.
"""

from __future__ import annotations

from memidx.analysis.base import QueryWord
from memidx.analysis.tokens import Token
from memidx.light import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

BIGRAM_WEIGHT = 0.4
UNIGRAM_WEIGHT = 0.3
TRIGRAM_WEIGHT = 0.4


def trigrams(run: str) -> list[str]:
    """Each three characters of a run; all of a shorter one."""
    return [run[at : at + 3] for at in range(max(1, len(run) - 2))]


def run_words(token: Token) -> Iterator[QueryWord]:
    """A run of a script without spaces is as many words as it has grams."""
    run = token.text
    if token.kind == "T":
        for gram in trigrams(run):
            yield QueryWord(gram, ((gram, TRIGRAM_WEIGHT),), gram, True)
    elif len(run) == 1:
        yield QueryWord(run, ((run, UNIGRAM_WEIGHT),), run, True)
    else:
        for at in range(len(run) - 1):
            gram = run[at : at + 2]
            terms = [(gram, BIGRAM_WEIGHT), (gram[0], UNIGRAM_WEIGHT)]
            if at == len(run) - 2:
                terms.append((gram[1], UNIGRAM_WEIGHT))
            yield QueryWord(gram, tuple(terms), gram, True)


def run_spans(token: Token) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Where the words of a run stand, and their terms."""
    start, run = token.start, token.text
    if token.kind == "T":
        for at, gram in enumerate(trigrams(run)):
            yield start + at, start + at + len(gram), (gram,)
        return
    for at, character in enumerate(run):
        pair = run[at : at + 2]
        terms = (character, pair) if len(pair) == 2 else (character,)
        yield start + at, start + at + 1, terms
