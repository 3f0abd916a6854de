"""Where in a text do given words stand, and what is left when parts are replaced?

Plain `str.find` between matches is what keeps redaction quick: a regular expression that looks at
every character takes fifty times as long.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def fold(text: str) -> str:
    """The text in lower case, character by character, so that positions stay the same."""
    folded = text.lower()
    if len(folded) != len(text):
        # U+0130 is the one letter whose lower case is two characters.
        folded = text.replace("\u0130", "i").lower()
    return folded


def occurrences(text: str, words: Iterable[str]) -> Iterator[tuple[int, str]]:
    """`(position, word)` of each word, all positions of a word before those of the next."""
    for word in words:
        position = text.find(word)
        while position >= 0:
            yield position, word
            position = text.find(word, position + len(word))


def replace_spans(text: str, spans: Iterable[tuple[int, int]], replacement: str) -> str:
    """The text with each `(start, end)` replaced; of spans that overlap, the first one counts."""
    pieces: list[str] = []
    done = 0
    for start, end in sorted(spans):
        if start < done:
            continue
        pieces += (text[done:start], replacement)
        done = end
    if not pieces:
        return text
    pieces.append(text[done:])
    return "".join(pieces)
