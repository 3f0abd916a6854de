"""Where are many names of code divided?

`parseHTMLResponse` is read as if there were spaces in it. `memidx.analysis.parts.at_capitals` says
so of one name; here the same is found for names of letters alone, of which there are thousands, by
what stands beside each letter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from memidx.analysis.chunks import Spans, are_capitals
from memidx.analysis.numbering import ranges
from memidx.analysis.parts import MAX_CAMEL

if TYPE_CHECKING:
    from numpy.typing import NDArray

# As in `at_capitals`: no shorter name is divided, and none into more pieces, if these are short.
_SHORTEST_NAME = 4
_MANY, _SHORTEST_PIECE = 4, 3


def divided_names(text: NDArray[Any], names: Spans) -> tuple[Spans, NDArray[Any]]:
    """What names are divided into, and which of them are divided.

    Args:
        text: The characters, two others at both ends at least.
        names: Of ASCII letters in both cases, other characters around each; in their order.
    """
    cuts = _cuts(text)
    starts, ends = names.starts, names.starts + names.lengths
    first, behind = np.searchsorted(cuts, starts, side="right"), np.searchsorted(cuts, ends)
    # No single letter is divided off at the ends: `iPhone`, `PhD`.
    padded = np.append(cuts, -1)
    first += (first < behind) & (padded[first] == starts + 1)
    behind -= (first < behind) & (padded[behind - 1] == ends - 1)
    n_pieces = behind - first + 1
    is_blob = (n_pieces > _MANY) & (n_pieces * _SHORTEST_PIECE > names.lengths)
    is_fit = (names.lengths >= _SHORTEST_NAME) & (names.lengths <= MAX_CAMEL)
    is_divided = (n_pieces > 1) & is_fit & ~is_blob
    n_cuts = (n_pieces - 1)[is_divided]
    own_cuts = cuts[ranges(first[is_divided], n_cuts)]
    # Names stand one behind the other, so in order each piece ends at the end beside it.
    piece_starts = np.sort(np.concatenate((starts[is_divided], own_cuts)))
    piece_ends = np.sort(np.concatenate((ends[is_divided], own_cuts)))
    owners = np.repeat(names.owners[is_divided], n_cuts + 1)
    return Spans(owners, piece_starts, piece_ends - piece_starts), is_divided


def _cuts(text: NDArray[Any]) -> NDArray[Any]:
    """Where a new word begins: at a capital behind a small letter, at the last of several capitals.

    The last if two small letters follow; one alone is the ending of `IDs`.
    """
    is_upper, is_lower = are_capitals(text), text - ord("a") < 26
    here, before = is_upper[1:-2], is_upper[:-3]
    begins = here & (is_lower[:-3] | (before & is_lower[2:-1] & is_lower[3:]))
    cuts: NDArray[Any] = np.flatnonzero(begins) + 1
    return cuts
