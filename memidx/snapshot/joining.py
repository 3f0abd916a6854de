"""Which terms do a base and its overlay have together?

Both vocabularies are sorted, and the overlay's is small: its terms are looked up in the base's, and
a few arrays say the rest. Neither is held in memory.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from memidx.snapshot.format import Blobs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memidx.analysis.numbering import Words

# Terms that are taken out of the vocabularies at once.
_AT_ONCE = 1 << 14


class Joined:
    """The terms of one vocabulary, or of two, each once, in the order of their bytes.

    Args:
        vocabularies: The base's, then the overlay's if there is one.

    Attributes:
        places: For each vocabulary, the place of each of its terms among all; ascending.
        size: How many terms there are.
    """

    def __init__(self, vocabularies: Sequence[Blobs]) -> None:
        import numpy as np  # only who builds a snapshot pays for it

        base, *more = self._vocabularies = vocabularies
        at: list[int] = []
        known: list[bool] = []
        for vocabulary in more:
            for number in range(len(vocabulary)):
                term = vocabulary.raw(number)
                place = bisect_left(range(len(base)), term, key=base.raw)
                at.append(place)
                known.append(place < len(base) and base.raw(place) == term)
        are_new = ~np.array(known, dtype=bool)
        before = np.array(at, dtype=np.int64)
        new_at = before[are_new]
        own = np.arange(len(base))
        # Each new term moves those behind it by one.
        of_base = own + np.searchsorted(new_at, own, side="right")
        of_more = np.empty(len(at), dtype=np.int64)
        of_more[are_new] = new_at + np.arange(len(new_at))
        of_more[~are_new] = of_base[before[~are_new]]
        self.places: list[NDArray[Any]] = [of_base, of_more][: len(vocabularies)]
        self.size = len(base) + len(new_at)
        self._numbers = np.zeros(self.size, dtype=np.uint32)
        self._numbers[of_base] = own
        self._numbers[of_more[are_new]] = np.flatnonzero(are_new)
        self._is_new = np.zeros(self.size, dtype=bool)
        self._is_new[of_more[are_new]] = True

    def terms(self, places: NDArray[Any]) -> Iterator[Words]:
        """The terms at some places, some of them at a time."""
        from memidx.analysis.numbering import Words  # see above

        for begin in range(0, len(places), _AT_ONCE):
            some = places[begin : begin + _AT_ONCE]
            numbers, are_new = self._numbers[some].tolist(), self._is_new[some].tolist()
            yield Words.of(
                [
                    self._vocabularies[is_new].raw(number)
                    for number, is_new in zip(numbers, are_new, strict=True)
                ]
            )
