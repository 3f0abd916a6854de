"""Which number has each of millions of words?

A dict answers for one word after another, and each answer costs the making of a string and its
hash. Here the words stay where they are in their text: eight bytes of each are taken at once, and a
table of numpy arrays is asked for all of them together. A key of eight bytes or less is the word
itself; of a longer word it is a mixture, so what is found for it is compared with the word, and two
words with one key are told apart. Whatever the keys, equal words have equal numbers and no others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from memidx.analysis.eights import FACTOR, HALF, WORD, Long, windows

if TYPE_CHECKING:
    from numpy.typing import NDArray

PADDING = bytes(WORD)
"""Has to follow a text whose words are looked up: they are read eight bytes at a time."""

# Of a longer word, so many bytes are read by eights; of words that are longer still there are few,
# and a round for each eight bytes of a few takes as long as one for many.
_LONGEST = 64
_MASKS = np.array([(1 << 8 * size) - 1 for size in range(WORD + 1)], dtype="<u8")
_FEWEST_SLOTS = 1 << 18
# So many slots for each word: most are found at the first look.
_SLOTS_EACH = 3
# In a slot: nothing; less than that, a word that wants to have it.
_FREE, _WANTED = -1, -2
# So many words are looked up together: enough to make numpy worth its calls, while what is made on
# the way stays near the processor, and a new word is known when it comes again (3 % of counting).
_AT_ONCE = 1 << 16
# Words are put in order by numbers that hold the number of a group and five bytes.
_PART = 5
_PART_BITS, _GROUP_BITS = np.uint64(40), np.uint64(24)
_MOST_GROUPS = (1 << 24) - 1


class Words(NamedTuple):
    """Words one after another.

    Attributes:
        data: Their bytes.
        lengths: How long each is; int64.
    """

    data: bytes
    lengths: NDArray[Any]

    @classmethod
    def of(cls, words: Sequence[bytes]) -> Words:
        """Words that stand alone."""
        return cls(b"".join(words), np.fromiter(map(len, words), np.int64, count=len(words)))

    @property
    def starts(self) -> NDArray[Any]:
        """Where each begins."""
        starts: NDArray[Any] = np.cumsum(self.lengths) - self.lengths
        return starts

    def split(self) -> list[bytes]:
        """Each by itself."""
        starts, data = self.starts, self.data
        return [
            data[start:end]
            for start, end in zip(starts.tolist(), (starts + self.lengths).tolist(), strict=True)
        ]


class Numbers:
    """Word -> number, handed out from 0 on as words are met.

    Attributes:
        size: How many words have one.
    """

    def __init__(self) -> None:
        self.size = 0
        self._set_slots(_FEWEST_SLOTS)
        # The words themselves, one after another, and where each begins and how long it is.
        self._text = np.zeros(1 << 16, dtype=np.uint8)
        self._starts = np.zeros(1 << 12, dtype=np.int64)
        self._lengths = np.zeros(1 << 12, dtype=np.int64)
        self._keys = np.zeros(1 << 12, dtype=np.uint64)
        # Of long words the last eight bytes; of others nothing that says anything.
        self._lasts = np.zeros(1 << 12, dtype=np.uint64)
        self._end = 0
        # Words whose key is that of another one: no slot leads to them.
        self._others: dict[bytes, int] = {}

    def of(self, data: bytes, starts: NDArray[Any], lengths: NDArray[Any]) -> NDArray[Any]:
        """The numbers of words; int64. Those that are new get the next ones (`since`).

        Args:
            data: Holds the words, and `PADDING` behind the last one.
            starts: Where each begins; int64.
            lengths: How long each is; int64.
        """
        if len(starts) > _AT_ONCE:
            blocks = [slice(at, at + _AT_ONCE) for at in range(0, len(starts), _AT_ONCE)]
            return np.concatenate([self.of(data, starts[at], lengths[at]) for at in blocks])
        view = windows(data)
        long = Long.of(view, starts, lengths)
        keys = _keys(long, view, starts, lengths)
        numbers, new, slots = self._find(keys)
        if len(new):
            numbers[new] = self._add(data, starts[new], lengths[new], keys[new], slots)
        for at in self._wrong(long, lengths, numbers).tolist():
            word = data[starts[at] : starts[at] + lengths[at]]
            number = self._others.get(word)
            if number is None:
                number = self._others[word] = self.size
                self._keep(data, starts[at : at + 1], lengths[at : at + 1], keys[at : at + 1])
            numbers[at] = number
        return numbers

    def of_words(self, words: Words) -> NDArray[Any]:
        """The numbers of words that stand one after another."""
        return self.of(words.data + PADDING, words.starts, words.lengths)

    def since(self, first: int) -> Words:
        """The words that have this number or a later one, in the order of their numbers."""
        begin = int(self._starts[first]) if first < self.size else self._end
        text = self._text[begin : self._end].tobytes()
        return Words(text, self._lengths[first : self.size].copy())

    def words(self, numbers: NDArray[Any]) -> Words:
        """The words that have these numbers."""
        lengths = self._lengths[numbers]
        return Words(gathered(self._text, self._starts[numbers], lengths).tobytes(), lengths)

    def in_order(self, numbers: NDArray[Any]) -> NDArray[Any]:
        """The same numbers, in the order of the words' bytes; none may occur twice."""
        view = windows(self._text)
        starts, lengths = self._starts[numbers], self._lengths[numbers]
        parts = _part(view, starts, lengths, 0)
        order = np.argsort(parts)
        places, groups = _ties(parts[order])
        begin = WORD
        # Most words are told apart by thirteen bytes; what is alike for long is left to bytes.
        while len(places) and begin < _LONGEST and groups[-1] < _MOST_GROUPS:
            tied = order[places]
            parts = _part(view, starts[tied], lengths[tied], begin) >> _GROUP_BITS
            parts |= groups << _PART_BITS
            by_part = np.argsort(parts)
            order[places] = tied[by_part]
            still, groups = _ties(parts[by_part])
            places = places[still]
            begin += _PART
        if len(places):
            tied = order[places]
            words = self.words(numbers[tied]).split()
            keys = zip(groups.tolist(), words, range(len(words)), strict=True)
            order[places] = tied[[place for _, _, place in sorted(keys)]]
        in_order: NDArray[Any] = numbers[order]
        return in_order

    def _find(self, keys: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """The number of each key, below 0 for one that is not there.

        Returns:
            The numbers; the places of the keys that are not there, and the free slot that the way
            of each of these leads to.
        """
        homes = self._homes(keys)
        # `take` is quicker than an index by a quarter.
        numbers = self._slots.take(homes).astype(np.int64)
        missed = np.flatnonzero((self._keys.take(numbers) != keys) | (numbers < 0))
        slots, found, wanted = homes[missed], numbers[missed], keys[missed]
        left = np.flatnonzero(found >= 0)
        while len(left):
            slots[left] = next_slots = (slots[left] + 1) & self._last
            found[left] = held = self._slots[next_slots]
            left = left[(self._keys[held] != wanted[left]) & (held >= 0)]
        numbers[missed] = found
        is_new = found < 0
        return numbers, missed[is_new], slots[is_new]

    def _homes(self, keys: NDArray[Any]) -> NDArray[Any]:
        """The slot where the way of each key begins."""
        # Below 2**63, so that they may be read as signed: as places others are copied first.
        return ((keys * FACTOR) >> self._shift).view(np.int64)

    def _add(
        self,
        data: bytes,
        starts: NDArray[Any],
        lengths: NDArray[Any],
        keys: NDArray[Any],
        slots: NDArray[Any],
    ) -> NDArray[Any]:
        """Give numbers to words with new keys, in order of first sight, and say which.

        Args:
            slots: See `_take_slots`; the other arguments as in `of`.
        """
        if self.size + len(keys) >= len(self._slots):
            while self.size + len(keys) >= len(self._slots):
                self._make_room()
            _, _, slots = self._find(keys)
        first = self._take_slots(keys, slots)
        new = np.flatnonzero(first == np.arange(len(keys)))
        numbers = np.empty(len(keys), dtype=np.int64)
        numbers[new] = np.arange(self.size, self.size + len(new))
        self._slots[slots[new]] = numbers[new]
        self._keep(data, starts[new], lengths[new], keys[new])
        if self.size * _SLOTS_EACH > len(self._slots):
            self._make_room()
        return numbers.take(first)

    def _take_slots(self, keys: NDArray[Any], slots: NDArray[Any]) -> NDArray[Any]:
        """Take a slot for each key; none of them has one.

        Args:
            slots: The free slot that the way of each leads to; those where the way of one goes on
                are changed.

        Returns:
            For each key the place of the first one that equals it.
        """
        first = self._claim(slots, np.arange(len(keys)))
        left = np.flatnonzero(keys.take(first) != keys)
        while len(left):
            slots[left] = wanted = (slots[left] + 1) & self._last
            is_free = self._slots[wanted] == _FREE
            self._claim(wanted[is_free], left[is_free])
            holders = _WANTED - self._slots[wanted].astype(np.int64)
            is_mine = (holders >= 0) & (keys[np.maximum(holders, 0)] == keys[left])
            first[left[is_mine]] = holders[is_mine]
            left = left[~is_mine]
        return first

    def _claim(self, slots: NDArray[Any], places: NDArray[Any]) -> NDArray[Any]:
        """Let keys have free slots, and say which got each one that is wanted."""
        # Of several that want one slot, the one that is written last gets it: the first.
        self._slots[slots[::-1]] = _WANTED - places[::-1]
        return _WANTED - self._slots.take(slots).astype(np.int64)

    def _make_room(self) -> None:
        """Make a larger table."""
        self._set_slots(2 * len(self._slots))
        has_slot = np.ones(self.size, dtype=bool)
        has_slot[[*self._others.values()]] = False
        numbers = np.flatnonzero(has_slot)
        keys = self._keys[numbers]
        slots = self._homes(keys)
        self._take_slots(keys, slots)
        self._slots[slots] = numbers

    def _keep(
        self, data: bytes, starts: NDArray[Any], lengths: NDArray[Any], keys: NDArray[Any]
    ) -> None:
        text = gathered(np.frombuffer(data, dtype=np.uint8), starts, lengths)
        ends = self._end + np.cumsum(lengths)
        size = self.size + len(lengths)
        self._text = grown(self._text, self._end + len(text) + len(PADDING))
        self._text[self._end : self._end + len(text)] = text
        lasts = windows(self._text)[np.maximum(ends - WORD, 0)]
        columns = ends - lengths, lengths, keys, lasts
        for name, values in zip(("_starts", "_lengths", "_keys", "_lasts"), columns, strict=True):
            column = grown(getattr(self, name), size)
            column[self.size : size] = values
            setattr(self, name, column)
        self._end += len(text)
        self.size = size

    def _set_slots(self, count: int) -> None:
        """Make a table of so many empty slots, a power of two."""
        self._slots = np.full(count, _FREE, dtype=np.int32)
        self._last = count - 1
        self._shift = np.uint64(65 - count.bit_length())

    def _wrong(self, long: Long, lengths: NDArray[Any], numbers: NDArray[Any]) -> NDArray[Any]:
        """Places of those words that are not the ones that their numbers stand for.

        Words of one length and one key that agree behind their first eight bytes agree in these
        too, for a key says them as soon as it is known what was mixed into it.
        """
        differ: NDArray[Any] = self._lengths.take(numbers) != lengths
        own = numbers[long.words]
        unlike = self._lasts.take(own) != long.lasts
        if unlike.any():
            differ[long.words[unlike]] = True
        kept = windows(self._text)
        # Those of another length are told apart already, wherever it is looked for them.
        there = long.inner.places(self._starts[own[long.longer]])
        unlike = kept[np.minimum(there, len(kept) - 1)] != long.inner.eights
        if unlike.any():
            differ[long.words[long.longer[long.inner.word_of[unlike]]]] = True
        return np.flatnonzero(differ)


def gathered(data: NDArray[Any], starts: NDArray[Any], lengths: NDArray[Any]) -> NDArray[Any]:
    """Bytes of words, one word after another."""
    text: NDArray[Any] = data[ranges(starts, lengths)]
    return text


def ranges(starts: NDArray[Any], lengths: NDArray[Any]) -> NDArray[Any]:
    """So many numbers that follow one another from each start on."""
    ends = np.cumsum(lengths)
    size = int(ends[-1]) if len(ends) else 0
    numbers: NDArray[Any] = np.repeat(starts - ends + lengths, lengths)
    numbers += np.arange(size)
    return numbers


def grown(column: NDArray[Any], size: int) -> NDArray[Any]:
    """The column, or a longer one that begins with it, with room for so many values."""
    if size <= len(column):
        return column
    larger = np.zeros(max(size, 2 * len(column)), dtype=column.dtype)
    larger[: len(column)] = column
    return larger


def _keys(
    long: Long, view: NDArray[Any], starts: NDArray[Any], lengths: NDArray[Any]
) -> NDArray[Any]:
    """A number for each word, the same for equal words.

    What is mixed can be mixed back: of words that agree in all but their first eight bytes, no two
    have one key.
    """
    keys: NDArray[Any] = view[starts]
    # The last one for all that are longer; several times as quick as to say so beforehand.
    keys &= np.take(_MASKS, lengths, mode="clip")
    if len(long.words):
        keys[long.words] = _mixed(keys[long.words]) ^ long.mixed()
    return keys


def _mixed(keys: NDArray[Any]) -> NDArray[Any]:
    keys = keys ^ (keys >> HALF)
    keys *= FACTOR
    return keys


def _part(
    view: NDArray[Any], starts: NDArray[Any], lengths: NDArray[Any], begin: int
) -> NDArray[Any]:
    """Eight bytes of each word from a place in it on, as a number that orders as they do."""
    left = np.clip(lengths - begin, 0, WORD)
    parts: NDArray[Any] = view[np.where(left > 0, starts + begin, 0)] & _MASKS[left]
    return parts.byteswap()


def _ties(parts: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Places of those numbers in order that others equal, and which of them equal one another."""
    is_alike = parts[1:] == parts[:-1]
    edge = np.zeros(1, dtype=bool)
    after, before = np.concatenate((edge, is_alike)), np.concatenate((is_alike, edge))
    places = np.flatnonzero(after | before)
    return places, np.cumsum(~after[places], dtype=np.uint64)
