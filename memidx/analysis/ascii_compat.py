"""What counts as a term in the published reference?

Terms are `[A-Za-z][A-Za-z0-9_-]{2,}` lower-cased, without 49 stop words; one field, the whole
text; nothing is stemmed, weighted or divided. It exists so that published scores can be
reproduced to the last digit, not because it is a good idea.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import accumulate

from memidx.analysis.base import QueryWord, Span
from memidx.analysis.normalise import PLACEHOLDERS
from memidx.analysis.pieces import FieldTerms, Spread, count_terms
from memidx.light import TYPE_CHECKING

if TYPE_CHECKING:
    from memidx.analysis.numbering import Numbers
    from memidx.analysis.pieces import TermsInBulk

VERSION = 1

_STOP = (
    "the and for with that this from into are was were but not you your our their have has had "
    "will can could should would been being they them its his her she him who what when where "
    "why how any all some one two three may also than"
)
STOP_WORDS = frozenset(_STOP.split())
_MAX_WORDS = 1 << 18
# What no word holds is blank; a zero byte ends a text.
_APART = bytes(
    byte if not byte or chr(byte) in "_-" or bytes((byte,)).isalnum() else 32 for byte in range(256)
)


class AsciiCompatAnalyzer:
    """The published reference's terms, exactly."""

    name = "ascii-compat"
    fields: tuple[str, ...] = ("words",)
    lengthless: frozenset[str] = frozenset()

    def __init__(self) -> None:
        self.terms_of = _Words()

    def fingerprint(self) -> str:
        """Name and version: nothing else can change an ASCII pattern."""
        return f"{self.name}-{VERSION}"

    def document(self, *, title: str, path: str, text: str) -> tuple[FieldTerms, ...]:
        """Terms of the whole text; title and path are not looked at."""
        return (count_terms(self, text),)

    def field_texts(self, *, title: str, path: str, text: str) -> tuple[str, ...]:
        """The whole text."""
        return (text,)

    def pieces(self, text: str) -> Mapping[str, int]:
        """Words as they are written."""
        return Counter(_pattern().findall(_without_placeholders(text)))

    def spread(self, texts: Sequence[str]) -> Spread:
        """What words are made of, as it is written; `terms_of` finds the words in it."""
        # Only who builds a snapshot pays for numpy.
        import numpy as np

        from memidx.analysis.numbering import PADDING
        from memidx.analysis.spreading import edges

        joined = "\0".join((*(text.replace("\0", " ") for text in texts), ""))
        data = _without_placeholders(f" {joined}").encode("ascii", "replace") + PADDING
        text_ends = [*accumulate((len(text) + 1 for text in texts), initial=0)][1:]
        kinds = np.frombuffer(data.translate(_APART), dtype=np.uint8)
        return Spread(data, *edges(kinds), text_ends, [])

    def terms_in_bulk(self, vocabulary: Numbers) -> TermsInBulk:
        """Terms of many pieces, in numbers."""
        # Only who builds a snapshot pays for numpy.
        from memidx.analysis.bulk import one_by_one

        return partial(one_by_one, self.terms_of.__getitem__, vocabulary)

    def query(self, text: str) -> tuple[QueryWord, ...]:
        """Every term in its order, repeats kept, all of weight 1."""
        return tuple(
            QueryWord(text[span.start : span.end], ((term, 1.0),), term, True)
            for span in self.spans(text)
            for term in span.terms
        )

    def spans(self, text: str) -> Iterator[Span]:
        """Places of the terms."""
        for match in _pattern().finditer(_without_placeholders(text)):
            term = match[0].lower()
            if term not in STOP_WORDS:
                yield Span(match.start(), match.end(), (term,))


class _Words(dict[str, tuple[str, ...]]):
    """A run of what words are made of -> the term of the word in it, if it is no stop word."""

    def __missing__(self, word: str) -> tuple[str, ...]:
        found = map(str.lower, _pattern().findall(word))
        terms = tuple(term for term in found if term not in STOP_WORDS)
        if len(self) >= _MAX_WORDS:
            self.clear()
        self[word] = terms
        return terms


@cache
def _pattern() -> re.Pattern[str]:
    return re.compile(r"[A-Za-z][A-Za-z0-9_-]{2,}")


def _without_placeholders(text: str) -> str:
    for placeholder in PLACEHOLDERS:
        text = text.replace(placeholder, " " * len(placeholder))
    return text
