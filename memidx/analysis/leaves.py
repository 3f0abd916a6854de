"""Of which shape are many leaves?

A leaf is a run of ASCII letters and digits. `memidx.analysis.parts` divides one by itself; here the
same is said of all of them by counting their digits and capitals. What has digits between letters
in both cases is left to `Parts`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from memidx.analysis.chunks import are_capitals, are_digits
from memidx.analysis.parts import MAX_TERM, MAX_WHOLE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memidx.analysis.chunks import Spans

# The shortest and the longest unit behind a number, in letters; ends of what is none, as a number.
_SHORTEST_UNIT, _LONGEST_UNIT = 2, 5
_ORDINALS = np.array([int.from_bytes(end, "big") for end in (b"st", b"nd", b"rd", b"th")])
_HALF, _LOWER = 32, (1 << 32) - 1
# Where the `T` of `20240501T100000Z` stands.
_TIME_AT = 8


class Leaves(NamedTuple):
    """Leaves by their shapes.

    Attributes:
        words: Letters in one case, or with a capital at the beginning: their term is that of a
            word.
        names: Letters in both cases, perhaps divided.
        wholes: Their term is what they are in lower case: numbers, `x86`, `a1b2`.
        numbered: A word and a number, as `sha256` and `16GB`: found as a whole and by both.
        letters: The words of these.
        digits: The numbers of these.
        rest: All others.
    """

    words: Spans
    names: Spans
    wholes: Spans
    numbered: Spans
    letters: Spans
    digits: Spans
    rest: Spans


def by_shape(text: bytes, lowered: bytes, leaves: Spans) -> Leaves:
    """Tell leaves apart.

    Args:
        text: Holds them.
        lowered: The same in lower case.
        leaves: Where they stand.
    """
    characters = np.frombuffer(text, dtype=np.uint8)
    counts = _Counts(characters)
    n_digits, n_capitals = counts.between(leaves.starts, leaves.starts + leaves.lengths)
    is_plain = (n_capitals == 0) | (n_capitals == leaves.lengths)
    is_plain |= (n_capitals == 1) & are_capitals(characters[leaves.starts])
    has_digits = n_digits > 0
    words, names = leaves.of(is_plain & ~has_digits), leaves.of(~(is_plain | has_digits))
    return Leaves(words, names, *_with_digits(characters, lowered, leaves.of(has_digits), counts))


def _with_digits(
    characters: NDArray[Any],
    lowered: bytes,
    leaves: Spans,
    counts: _Counts,
) -> tuple[Spans, Spans, Spans, Spans, Spans]:
    """Leaves with digits: `wholes`, `numbered`, `letters`, `digits` and `rest` of `Leaves`."""
    _, starts, lengths = leaves
    ends = starts + lengths
    n_digits, n_capitals = counts.between(starts, ends)
    n_letters = lengths - n_digits
    is_in_one_case = (n_capitals == 0) | (n_capitals == n_letters)
    is_plain = is_in_one_case | ((n_capitals == 1) & are_capitals(characters[starts]))
    # A number, or a letter and a number.
    is_number = n_digits + ~are_digits(characters[starts]) == lengths
    are_last = counts.between(ends - n_digits, ends)[0] == n_digits
    are_first = counts.between(starts, starts + n_digits)[0] == n_digits
    ends_with_number = are_last & is_plain & ~is_number
    is_numbered = are_first & is_in_one_case & ~is_number & _have_units(lowered, ends)
    is_numbered &= (n_letters >= _SHORTEST_UNIT) & (n_letters <= _LONGEST_UNIT)
    is_numbered |= ends_with_number
    is_time = characters[np.minimum(starts + _TIME_AT, len(characters) - 1)] == ord("T")
    is_whole = is_number | (is_in_one_case & ~is_numbered & ~is_time)
    is_whole &= lengths <= MAX_TERM
    is_numbered &= lengths <= MAX_WHOLE
    numbered, n_digits = leaves.of(is_numbered), n_digits[is_numbered]
    n_letters = numbered.lengths - n_digits
    is_last = ends_with_number[is_numbered]
    digits_at = numbered.starts + np.where(is_last, n_letters, 0)
    letters_at = numbered.starts + np.where(is_last, 0, n_digits)
    return (
        leaves.of(is_whole),
        numbered,
        numbered._replace(starts=letters_at, lengths=n_letters),
        numbered._replace(starts=digits_at, lengths=n_digits),
        leaves.of(~(is_whole | is_numbered)),
    )


def _have_units(lowered: bytes, ends: NDArray[Any]) -> NDArray[Any]:
    """Whether leaves end with what may be a unit: `16GB` is `16 GB`, `2nd` is one word."""
    characters = np.frombuffer(lowered, dtype=np.uint8)
    last_two = characters[ends - 2].astype(np.int64) << 8 | characters[ends - 1]
    are_ordinals = np.zeros(len(ends), dtype=bool)
    for ordinal in _ORDINALS:
        are_ordinals |= last_two == ordinal
    return ~are_ordinals


class _Counts:
    """How many digits and capitals stand between two places."""

    def __init__(self, characters: NDArray[Any]) -> None:
        # A sum that goes on takes as long as thirty other passes, so there is one for both.
        both = are_digits(characters).astype(np.int64)
        both <<= _HALF
        both |= are_capitals(characters)
        self._before = np.zeros(len(characters) + 1, dtype=np.int64)
        np.cumsum(both, out=self._before[1:])

    def between(
        self, starts: NDArray[Any], ends: NDArray[Any]
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Digits and capitals from each start to each end."""
        both = self._before.take(ends) - self._before.take(starts)
        return both >> _HALF, both & _LOWER
