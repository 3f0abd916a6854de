"""What do long words say behind their first eight bytes?

Words are read eight bytes at a time, each eight as a number. Most words have no more than eight,
most others no more than sixteen, which the first eight and the last eight say: so these are read
for all long words together, and only what still longer ones have in between takes columns of its
own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

WORD = 8
"""So many bytes are read at once."""

FACTOR, HALF = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)
"""To mix numbers: a factor, which is odd, and how far their upper half is moved."""

_LAST_FACTOR, _TWICE = np.uint64(0xD6E8FEB86659FD93), np.uint64(2)


def windows(data: bytes | NDArray[Any]) -> NDArray[Any]:
    """Each eight bytes that stand together, as a number."""
    return np.ndarray((len(data) - WORD + 1,), dtype="<u8", buffer=data, strides=(1,))


class Long(NamedTuple):
    """What long words have behind their first eight bytes.

    Most of them have no more than sixteen, which the first eight and the last eight say.

    Attributes:
        words: Places of the words that are so long.
        lengths: How long they are.
        lasts: Their last eight bytes as numbers.
        longer: Places in `words` of those that have more than sixteen.
        inner: What these have in between.
    """

    words: NDArray[Any]
    lengths: NDArray[Any]
    lasts: NDArray[Any]
    longer: NDArray[Any]
    inner: Inner

    @classmethod
    def of(cls, view: NDArray[Any], starts: NDArray[Any], lengths: NDArray[Any]) -> Long:
        """What the long ones of some words have; `view` is `windows` of their text."""
        words = np.flatnonzero(lengths > WORD)
        starts, lengths = starts[words], lengths[words]
        longer = np.flatnonzero(lengths > 2 * WORD)
        inner = Inner.of(view, starts[longer], lengths[longer])
        return cls(words, lengths, view[starts + lengths - WORD], longer, inner)

    def mixed(self) -> NDArray[Any]:
        """A number for each of the words."""
        # Another factor for each length: `====` of many lengths have no other bytes.
        mixed: NDArray[Any] = self.lasts ^ (self.lasts >> HALF)
        mixed *= _LAST_FACTOR + self.lengths.view(np.uint64) * _TWICE
        if len(self.longer):
            mixed[self.longer] ^= self.inner.mixed()
        return mixed


class Inner(NamedTuple):
    """What words of more than sixteen bytes have behind the first eight, to the last eight.

    Attributes:
        firsts: Of each, the place of its eights of bytes in the columns that follow.
        word_of: The word that each eight bytes are of.
        eights: The bytes as numbers.
    """

    firsts: NDArray[Any]
    word_of: NDArray[Any]
    eights: NDArray[Any]

    @classmethod
    def of(cls, view: NDArray[Any], starts: NDArray[Any], lengths: NDArray[Any]) -> Inner:
        """What words have; `view` is `windows` of their text."""
        counts = (lengths - WORD - 1) // WORD
        firsts = np.cumsum(counts) - counts
        word_of = np.repeat(np.arange(len(counts)), counts)
        places = cls(firsts, word_of, word_of).places(starts)
        return cls(firsts, word_of, view[places])

    def places(self, starts: NDArray[Any]) -> NDArray[Any]:
        """Where each eight bytes stand, if the words begin there."""
        places: NDArray[Any] = (starts - WORD * self.firsts).take(self.word_of)
        places += np.arange(WORD, WORD * len(places) + WORD, WORD)
        return places

    def mixed(self) -> NDArray[Any]:
        """A number for each of the words."""
        mixed = self.eights ^ (self.eights >> HALF)
        # And another one for each eight bytes of a word.
        offsets = self.places(np.zeros(len(self.firsts), dtype=np.int64)).view(np.uint64)
        mixed *= FACTOR + offsets * _TWICE
        of_words: NDArray[Any] = np.add.reduceat(mixed, self.firsts)
        return of_words
