"""Of which shape are many chunks?

Chunks stand one after another, and arrays say of each character how tightly it joins what it stands
between: a compound is a run of characters that a loose joint ends and a tighter one stands in, so
all compounds of all chunks are found by a few passes, one for each joint.

What is not of the usual shape, one plain ASCII token with perhaps punctuation around it, is told
apart and not divided here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from memidx.analysis.numbering import PADDING, Words, ranges
from memidx.analysis.parts import MAX_WHOLE

if TYPE_CHECKING:
    from numpy.typing import NDArray

# How tightly a character joins what it stands between: in a leaf, by a joint, not at all.
_LEAF, _LOW_LINE, _HYPHEN, _POINT, _PATH, _NONE = 5, 4, 3, 2, 1, 0
_JOINTS = dict.fromkeys(b"/:@&", _PATH) | dict.fromkeys(b"_", _LOW_LINE)
_JOINTS |= dict.fromkeys(b"-", _HYPHEN) | dict.fromkeys(b".", _POINT)
_LEVELS = bytes(
    _LEAF if bytes((byte,)).isalnum() else _JOINTS.get(byte, _NONE) for byte in range(256)
)
# Punctuation that is no part of the token that it stands before, or behind.
_MAY_LEAD, _MAY_TRAIL = np.zeros((2, 256), dtype=bool)
_MAY_LEAD[list(b"-,:'/&@#.")] = True
_MAY_TRAIL[list(b"-.,:'/&@")] = True
# Where a chunk may be divided, depending on what stands beside it.
_MAY_PART = b"#:,\\"
_END = ord("\n")
# A compound of no more letters than this at both ends may be initials.
_INITIALS = 2


def are_digits(characters: NDArray[Any]) -> NDArray[Any]:
    """Which bytes are digits: a table would take twenty times as long."""
    which: NDArray[Any] = characters - ord("0") < 10
    return which


def are_capitals(characters: NDArray[Any]) -> NDArray[Any]:
    """Which bytes are capitals."""
    which: NDArray[Any] = characters - ord("A") < 26
    return which


def divided_chunks(chunks: Words) -> tuple[bytes, NDArray[Any]]:
    """Chunks, divided where no token goes on (`memidx.analysis.tokens.apart`).

    Returns:
        What they are divided into, a line end before each and behind the last, and `PADDING`; and
        for each the place of its chunk.
    """
    n_chunks = len(chunks.lengths)
    ends = np.zeros(n_chunks + 1, dtype=np.int64)
    np.cumsum(chunks.lengths + 1, out=ends[1:])
    characters = np.empty(len(chunks.data) + n_chunks + 1 + len(PADDING), dtype=np.uint8)
    is_chunk = np.zeros(len(characters), dtype=bool)
    is_chunk[: ends[-1]] = True
    is_chunk[ends] = False
    characters[is_chunk] = np.frombuffer(chunks.data, dtype=np.uint8)
    characters[ends] = _END
    characters[ends[-1] + 1 :] = 0
    may_part = characters == _MAY_PART[0]
    for mark in _MAY_PART[1:]:
        may_part |= characters == mark
    places = np.flatnonzero(may_part)
    marks, after = characters[places], characters[places + 1]
    parts = (marks == ord("#")) & (_levels_of(after) >= _LOW_LINE)
    parts |= (marks == ord(":")) & (after != ord(":")) & (characters[places - 1] != ord(":"))
    parts |= (marks == ord(",")) & ~are_digits(after)
    parts |= (marks == ord("\\")) & (after != ord("_"))
    characters[places[parts]] = _END
    begins = np.flatnonzero(characters == _END)[:-1]
    return characters.tobytes(), np.searchsorted(ends, begins, side="right") - 1


def _levels_of(characters: NDArray[Any]) -> NDArray[Any]:
    """How tightly each joins; bytes are four times as quick at it as an array."""
    return np.frombuffer(characters.tobytes().translate(_LEVELS), dtype=np.uint8)


class Spans(NamedTuple):
    """Pieces of a text: the number of what each is part of, where it begins, and its length."""

    owners: NDArray[Any]
    starts: NDArray[Any]
    lengths: NDArray[Any]

    def of(self, is_wanted: NDArray[Any]) -> Spans:
        """Those that are wanted."""
        places = np.flatnonzero(is_wanted)  # once for all columns
        return Spans(*(column.take(places) for column in self))

    @property
    def places(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Where each begins, and its length."""
        return self.starts, self.lengths


def joined(*spans: Spans) -> Spans:
    """Some pieces, and behind them others of the same text."""
    return Spans(*map(np.concatenate, zip(*spans, strict=True)))


class Shapes:
    """The shapes of chunks that stand one after another.

    Args:
        text: The chunks, a line end before each and behind the last, and `PADDING`.
        count: How many.
    """

    def __init__(self, text: bytes, count: int) -> None:
        self._data = text
        self._text = np.frombuffer(text, dtype=np.uint8)
        levels = _levels_of(self._text)
        is_word = levels >= _LOW_LINE
        # What stands between words: a tenth of all, so it is looked at rather than the text.
        others = np.flatnonzero(~is_word)
        marks = self._text[others]
        are_ends = np.flatnonzero(marks == _END)
        self._ends = others[are_ends]
        n_each = np.diff(self._ends, prepend=0, append=len(text))
        self._chunk_at = np.repeat(np.arange(-1, count + 1, dtype=np.int32), n_each)
        words = np.flatnonzero(is_word)
        self._is_unusual = np.zeros(count, dtype=bool)
        # Where the token of each chunk begins, and where its last character stands.
        from_word = self._ends - are_ends
        has_words = from_word[1:] > from_word[:-1]
        first = np.zeros(count, dtype=np.int64)
        last = np.zeros(count, dtype=np.int64)
        first[has_words] = words[from_word[:-1][has_words]]
        last[has_words] = words[from_word[1:][has_words] - 1]
        self._look_at_beginnings(first, last)
        # Of each character of a usual token, how tightly it joins; 0 elsewhere.
        self._levels = levels * is_word
        places = others[(marks != _END) & (marks != 0)]
        joints = self._joints(places, is_word, first, last)
        self._levels[joints] = levels[joints]
        self._drop_unusual()

    def compounds(self) -> Spans:
        """Compounds that have a term of their own; asked for before the others."""
        found = [
            self._at_joint(_PATH, self._are_paths),
            self._at_joint(_POINT, self._are_names),
            self._at_joint(_HYPHEN, self._are_hyphenated),
            self._at_joint(_LOW_LINE, self._are_identifiers),
        ]
        self._drop_unusual()
        spans = joined(*found)
        return spans.of(~self._is_unusual[spans.owners] & (spans.lengths <= MAX_WHOLE))

    def leaves(self) -> Spans:
        """Runs of letters and digits."""
        return self._spans(*self._leaves())

    def unusual(self) -> Spans:
        """Chunks that have another shape than those that are known here."""
        places = np.flatnonzero(self._is_unusual)
        spans = Spans(places, self._ends[places] + 1, np.diff(self._ends)[places] - 1)
        return spans.of(spans.lengths > 0)

    def _at_joint(
        self, level: int, judge: Callable[[Spans, NDArray[Any], NDArray[Any]], NDArray[Any]]
    ) -> Spans:
        """Compounds that a joint divides, but for those that have no term of their own."""
        borders = self._marks[self._mark_levels < level]
        joints = self._marks[self._mark_levels == level]
        # The border behind each joint.
        divided = np.searchsorted(borders, joints)
        is_new = np.diff(divided, prepend=-1, append=len(borders)) > 0
        is_first, is_last = is_new[:-1], is_new[1:]
        divided = divided[is_first]
        spans = self._spans(borders[divided - 1] + 1, borders[divided])
        return spans.of(judge(spans, joints[is_first], joints[is_last]))

    def _are_paths(self, spans: Spans, first: NDArray[Any], last: NDArray[Any]) -> NDArray[Any]:
        return np.ones(len(first), dtype=bool)

    def _are_names(self, spans: Spans, first: NDArray[Any], last: NDArray[Any]) -> NDArray[Any]:
        # Perhaps initials.
        head, tail = first - spans.starts, spans.starts + spans.lengths - 1 - last
        is_odd = (head <= _INITIALS) & (tail <= _INITIALS)
        is_odd &= are_capitals(self._text[spans.starts]) & are_capitals(self._text[last + 1])
        self._is_unusual[spans.owners[is_odd]] = True
        return np.ones(len(first), dtype=bool)

    def _are_hyphenated(
        self, spans: Spans, first: NDArray[Any], last: NDArray[Any]
    ) -> NDArray[Any]:
        # Perhaps a date: three numbers, and not a UUID.
        may_be = spans.of((first < last) & are_digits(self._text[spans.starts]))
        # There are few, so each is looked at by itself.
        for owner, start, length in zip(*(column.tolist() for column in may_be), strict=True):
            name = self._data[start : start + length]
            if name.lower() == name.upper():  # without letters
                self._is_unusual[owner] = True
        return np.ones(len(first), dtype=bool)

    def _are_identifiers(
        self, spans: Spans, first: NDArray[Any], last: NDArray[Any]
    ) -> NDArray[Any]:
        leaves, _ = self._leaves()
        ends = spans.starts + spans.lengths
        n_leaves = np.searchsorted(leaves, ends) - np.searchsorted(leaves, spans.starts)
        # `_name` is indexed as `name`; `__name__`, `__` and `10_000` are cases of their own.
        edges = (spans.starts, spans.starts + 1, ends - 2, ends - 1)
        is_dunder = np.logical_and.reduce([self._text[at] == ord("_") for at in edges])
        is_odd = (n_leaves == 0) | ((n_leaves == 1) & is_dunder)
        is_odd |= are_digits(self._text[spans.starts])
        self._is_unusual[spans.owners[is_odd]] = True
        are_compounds: NDArray[Any] = n_leaves > 1
        return are_compounds

    def _spans(self, starts: NDArray[Any], ends: NDArray[Any]) -> Spans:
        return Spans(self._chunk_at[starts], starts, ends - starts)

    def _look_at_beginnings(self, first: NDArray[Any], last: NDArray[Any]) -> None:
        """Acronyms, dates and names that begin with a point are unusual."""
        text = self._text
        point, hyphen = ord("."), ord("-")
        is_odd = (text[first + 1] == point) & (text[first + 3] == point)
        is_odd |= (
            are_digits(text[first]) & (text[first + 4] == hyphen) & (text[first + 7] == hyphen)
        )
        is_odd |= text[first - 1] == point
        self._is_unusual |= is_odd

    def _joints(
        self,
        places: NDArray[Any],
        is_word: NDArray[Any],
        first: NDArray[Any],
        last: NDArray[Any],
    ) -> NDArray[Any]:
        """Places of the joints inside tokens; other characters make a chunk unusual.

        Args:
            places: Of all that stands between words.
            is_word: Which characters words are made of.
            first: Where the token of each chunk begins.
            last: Where its last character stands.
        """
        text = self._text
        owners = self._chunk_at[places]
        marks = text[places]
        is_before, is_behind = places < first[owners], places > last[owners]
        colon = ord(":")
        after_word, before_word = is_word[places - 1], is_word[places + 1]
        is_single = after_word & before_word & (_levels_of(marks) > _NONE) & (marks != colon)
        between_digits = are_digits(text[places - 1]) & are_digits(text[places + 1])
        is_single &= ~(between_digits & (marks == ord(".")))
        opens = after_word & (text[places + 1] == colon) & is_word[places + 2]
        closes = before_word & (text[places - 1] == colon) & is_word[places - 2]
        is_joint = is_single | ((marks == colon) & (opens | closes))
        is_fit = np.where(
            is_before, _MAY_LEAD[marks], np.where(is_behind, _MAY_TRAIL[marks], is_joint)
        )
        self._is_unusual[owners[~is_fit]] = True
        joints: NDArray[Any] = places[~is_before & ~is_behind]
        return joints

    def _drop_unusual(self) -> None:
        """Leave the characters of unusual chunks out of what is divided."""
        dropped = np.flatnonzero(self._is_unusual)
        lengths = self._ends[dropped + 1] - self._ends[dropped]
        self._levels[ranges(self._ends[dropped], lengths)] = _NONE
        # All that divides leaves or stands between chunks; a few, beside the characters.
        self._marks = np.flatnonzero(self._levels < _LEAF)
        self._mark_levels = self._levels[self._marks]

    def _leaves(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Where letters and digits stand together: beginnings and ends."""
        starts, ends = self._marks[:-1] + 1, self._marks[1:]
        places = np.flatnonzero(starts < ends)
        return starts.take(places), ends.take(places)
