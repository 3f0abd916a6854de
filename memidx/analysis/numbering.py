"""Which number has each of millions of words?

A dict answers for one word after another, and each answer costs the making of a string and its
hash. Here the words stay where they are in their text: eight bytes of each are taken at once, and a
table of numpy arrays is asked for all of them together. A key of seven bytes or less is the word
itself; of a longer word it is a mixture, so what is found for it is compared with the word, and two
words with one key are told apart. Whatever the keys, equal words have equal numbers and no others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

PADDING = bytes(8)
"""Has to follow a text whose words are looked up: they are read eight bytes at a time."""

_WORD = 8
# Words of so many bytes are told by their keys.
_EXACT = 7
# Of a longer word, so many bytes are read by eights; a blob of a megabyte would take seconds.
_LONGEST = 256
_MASKS = np.array([(1 << 8 * size) - 1 for size in range(_WORD + 1)], dtype="<u8")
_LONG = np.uint64(1 << 63)
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)
_FEWEST_SLOTS = 1 << 16
# So many slots for each word: most are found at the first look.
_SLOTS_EACH = 3


class Numbers:
    """Word -> number, handed out from 0 on as words are met."""

    def __init__(self) -> None:
        self.size = 0
        self._set_slots(_FEWEST_SLOTS)
        # The words themselves, one after another, and where each begins and how long it is.
        self._text = np.zeros(1 << 16, dtype=np.uint8)
        self._starts = np.zeros(1 << 12, dtype=np.int64)
        self._lengths = np.zeros(1 << 12, dtype=np.int64)
        self._keys = np.zeros(1 << 12, dtype=np.uint64)
        self._end = 0
        # Words whose key is that of another one.
        self._others: dict[bytes, int] = {}

    def of(
        self, data: bytes, starts: NDArray[Any], lengths: NDArray[Any]
    ) -> tuple[NDArray[Any], list[bytes]]:
        """The numbers of words, and those words that were new, in the order of their numbers.

        Args:
            data: Holds the words, and `PADDING` behind the last one.
            starts: Where each begins; int64.
            lengths: How long each is, > 0; int64. A word holds no zero byte.
        """
        view = _windows(data)
        keys = _keys(view, starts, lengths)
        numbers = self._find(keys)
        words: list[bytes] = []
        new = np.flatnonzero(numbers < 0)
        if len(new):
            words = self._add(data, starts[new], lengths[new], keys[new])
            numbers[new] = self._find(keys[new])
        long = np.flatnonzero(lengths > _EXACT)
        characters = np.frombuffer(data, dtype=np.uint8)
        wrong = self._differ(characters, view, starts[long], lengths[long], numbers[long])
        for at in long[wrong].tolist():
            word = data[starts[at] : starts[at] + lengths[at]]
            number = self._others.get(word)
            if number is None:
                number = self._others[word] = self.size
                # No slot leads to it, so no key does.
                self._keep([word], np.zeros(1, dtype=np.uint64))
                words.append(word)
            numbers[at] = number
        return numbers, words

    def _find(self, keys: NDArray[Any]) -> NDArray[Any]:
        """The number of each key; -1 for one that is not there."""
        slots = (keys * _FACTOR) >> self._shift
        numbers: NDArray[Any] = self._slots[slots].astype(np.int64)
        left = np.flatnonzero((self._keys[numbers] != keys) & (numbers >= 0))
        while len(left):
            slots[left] = (slots[left] + np.uint64(1)) & self._last
            numbers[left] = self._slots[slots[left]]
            found = numbers[left]
            left = left[(self._keys[found] != keys[left]) & (found >= 0)]
        return numbers

    def _add(
        self, data: bytes, starts: NDArray[Any], lengths: NDArray[Any], keys: NDArray[Any]
    ) -> list[bytes]:
        """Give numbers to words with new keys, in order of first sight, and say which words."""
        first = np.sort(np.unique(keys, return_index=True)[1])
        words = [
            data[start : start + length]
            for start, length in zip(starts[first].tolist(), lengths[first].tolist(), strict=True)
        ]
        self._keep(words, keys[first])
        if self.size * _SLOTS_EACH > len(self._slots):
            self._set_slots(4 * len(self._slots))
            self._place(np.arange(self.size))
        else:
            self._place(np.arange(self.size - len(words), self.size))
        return words

    def _keep(self, words: list[bytes], keys: NDArray[Any]) -> None:
        lengths = np.fromiter(map(len, words), dtype=np.int64, count=len(words))
        ends = self._end + np.cumsum(lengths)
        text = b"".join(words)
        size = self.size + len(words)
        self._text = _grown(self._text, self._end + len(text) + len(PADDING))
        self._text[self._end : self._end + len(text)] = np.frombuffer(text, dtype=np.uint8)
        for name, values in (("_starts", ends - lengths), ("_lengths", lengths), ("_keys", keys)):
            column = _grown(getattr(self, name), size)
            column[self.size : size] = values
            setattr(self, name, column)
        self._end += len(text)
        self.size = size

    def _place(self, numbers: NDArray[Any]) -> None:
        """Give each of these numbers, whose keys differ, a slot."""
        slots = (self._keys[numbers] * _FACTOR) >> self._shift
        while len(numbers):
            free = self._slots[slots] < 0
            # Of several that want one slot, the last gets it.
            self._slots[slots[free]] = numbers[free]
            left = self._slots[slots] != numbers
            numbers, slots = numbers[left], (slots[left] + np.uint64(1)) & self._last

    def _set_slots(self, count: int) -> None:
        """Make a table of so many empty slots, a power of two."""
        self._slots = np.full(count, -1, dtype=np.int32)
        self._last = np.uint64(count - 1)
        self._shift = np.uint64(65 - count.bit_length())

    def _differ(
        self,
        data: NDArray[Any],
        view: NDArray[Any],
        starts: NDArray[Any],
        lengths: NDArray[Any],
        numbers: NDArray[Any],
    ) -> NDArray[Any]:
        """Which of some words are not those that their numbers stand for."""
        kept = _windows(self._text)
        differ: NDArray[Any] = self._lengths[numbers] != lengths
        there = self._starts[numbers]
        for begin in range(0, min(int(lengths.max(initial=0)), _LONGEST), _WORD):
            at = np.flatnonzero((lengths > begin) & ~differ)
            mask = _MASKS[np.minimum(lengths[at] - begin, _WORD)]
            differ[at] = (view[starts[at] + begin] ^ kept[there[at] + begin]) & mask != 0
        for place in np.flatnonzero((lengths > _LONGEST) & ~differ).tolist():
            size = lengths[place]
            word = self._text[there[place] : there[place] + size]
            found = data[starts[place] : starts[place] + size]
            differ[place] = not np.array_equal(found, word)
        return differ


def _keys(view: NDArray[Any], starts: NDArray[Any], lengths: NDArray[Any]) -> NDArray[Any]:
    """A number for each word, never 0: the same for equal words."""
    keys: NDArray[Any] = view[starts] & _MASKS[np.minimum(lengths, _WORD)]
    at = np.flatnonzero(lengths > _EXACT)
    begin = _WORD
    while len(at) and begin <= _LONGEST:
        mixed = keys[at]
        mixed ^= mixed >> _HALF
        mixed *= _FACTOR
        longer = lengths[at] > begin
        at_longer = at[longer]
        mask = _MASKS[np.minimum(lengths[at_longer] - begin, _WORD)]
        mixed[longer] ^= view[starts[at_longer] + begin] & mask
        keys[at] = mixed | _LONG
        at = at_longer
        begin += _WORD
    return keys


def _windows(data: bytes | NDArray[Any]) -> NDArray[Any]:
    """Each eight bytes that stand together, as a number."""
    return np.ndarray((len(data) - _WORD + 1,), dtype="<u8", buffer=data, strides=(1,))


def _grown(column: NDArray[Any], size: int) -> NDArray[Any]:
    if size <= len(column):
        return column
    larger = np.zeros(max(size, 2 * len(column)), dtype=column.dtype)
    larger[: len(column)] = column
    return larger
