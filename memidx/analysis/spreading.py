"""How do many texts become pieces?

All texts of a batch stand one after another, and one table says of each byte whether a piece goes
on over it, and whether it may be markup inside a word. Only a build comes here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from memidx.analysis.inner import INLINE, Joined, joined_in
from memidx.analysis.normalise import normalise_apart
from memidx.analysis.numbering import PADDING
from memidx.analysis.tokens import APART, MARKS_AND_LETTERS

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Of a byte that stands between pieces: the end of a text, white space, punctuation, a mark.
_END, _BLANK, _MARK, _EQUAL, _TAG = 0, 1, 2, 3, 4
# Of a byte of a piece, from `SOLID` on; what may be a letter may have markup beside it.
SOLID, _LETTER = 33, 34
_LONGEST_MARK = 4
_CHUNK_END = re.compile(b"[ \n]")
_TAGS = "|".join(sorted(INLINE))
_TAG_BEHIND = re.compile(f"</?(?:{_TAGS})>(?=[^\x00-/:-;=-@\\[-^{{-\x7f])".encode("latin-1"))


def _kinds() -> Iterator[int]:
    kinds = {ord("a"): _LETTER, ord("*"): _MARK, ord("="): _EQUAL, ord("<"): _TAG}
    for byte, kind in enumerate(MARKS_AND_LETTERS):
        parts = byte <= ord(" ") or chr(byte) in APART
        yield kinds.get(kind, _BLANK if parts else SOLID) if byte else _END


_KINDS = bytes(_kinds())
_BETWEEN = b"\n\0\n"


def normalised(texts: Iterable[str]) -> tuple[bytes, Sequence[int]]:
    """A line end, then each text normalised, and line end, zero byte and line end behind it.

    Returns:
        All of it with `PADDING`, and the places of the zero bytes that end texts.
    """
    each = [*map(normalise_apart, texts)]
    data = b"\n" + _BETWEEN.join([*each, PADDING])
    return data, [*accumulate((len(text) + len(_BETWEEN) for text in each), initial=-1)][1:]


def kinds_of(data: bytes) -> NDArray[Any]:
    """What each byte of normalised texts is."""
    return np.frombuffer(data.translate(_KINDS), dtype=np.uint8)


def edges(kinds: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Where pieces begin and where they end; neither the first byte nor the last is in one."""
    is_solid = kinds >= SOLID
    places = np.flatnonzero(is_solid[1:] != is_solid[:-1])
    places += 1
    return places[::2], places[1::2]


def joined_in_many(
    data: bytes, kinds: NDArray[Any], ends: NDArray[Any], text_ends: Sequence[int]
) -> Iterator[tuple[int, Joined]]:
    """What `memidx.analysis.inner.joined_words` finds in each text, with its number.

    Args:
        data: See `normalised`; likewise `text_ends`.
        kinds: Its kinds.
        ends: Where its pieces end.
    """
    at = 0
    found: list[tuple[int, Joined]] = []
    for hit in _hits(data, kinds, ends):
        if hit < at:
            continue
        start = max(data.rfind(b" ", at, hit), data.rfind(b"\n", at, hit), at - 1) + 1
        end = _CHUNK_END.search(data, hit)
        at = end.start() if end else len(data)
        chunk = data[start:at].decode("utf-8", "surrogatepass")
        found += ((start, word) for word in joined_in(chunk))
    starts = np.array([start for start, _ in found], dtype=np.int64)
    texts = np.searchsorted(text_ends, starts).tolist()
    return zip(texts, (word for _, word in found), strict=True)


def _hits(data: bytes, kinds: NDArray[Any], ends: NDArray[Any]) -> Sequence[int]:
    """Where markup stands between what may be letters, and perhaps more places."""
    # Behind a letter it stands where a piece ends: a tenth as many places as there are bytes.
    places = ends[kinds[ends] >= _MARK]
    places = places[kinds[places - 1] == _LETTER]
    found = kinds[places]

    def between_letters(what: int, least: int) -> NDArray[Any]:
        """Where at least so many of what stand behind a letter, and then, or so it seems, one."""
        own = places[found == what]
        own = own[kinds[own + least - 1] == what]
        behind = own + least
        for _ in range(_LONGEST_MARK - least):
            behind += kinds[behind] == what
        hits: NDArray[Any] = own[(kinds[behind] == _LETTER) | (kinds[behind] == what)]
        return hits

    marks, equals = between_letters(_MARK, 1), between_letters(_EQUAL, 2)
    tags = places[found == _TAG].tolist() if b"</" in data else []
    of_tags = [at for at in tags if _TAG_BEHIND.match(data, at)]
    return sorted([*marks.tolist(), *equals.tolist(), *of_tags])
