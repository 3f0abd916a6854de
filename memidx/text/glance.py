"""In which of many texts may there be something private?

`memidx.text.redact` looks for a few plain words before it looks closely. One such search is quick,
and twenty in each of thousands of texts are not. Here texts stand one after another and all words
are looked for at once: the four letters that begin at each place are looked up in a table, and only
where the table knows them is the word compared. Runs in which a token may begin are found likewise.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from memidx.text import tokens
from memidx.text.redact import (
    BEGINNINGS,
    FOLD_TABLE,
    HOME_MARKS,
    KINDS_OF_KEY,
    LEFT_OUT,
    NAME_MARKS,
    PASS_ENDS,
    PRIVATE_KEYS,
    SHORTEST,
    Suspects,
    suspects,
    words_of,
)
from memidx.text.spans import INVISIBLE_MARKS

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Texts that are looked at together: enough to make numpy worth its calls.
_MOST_CHARACTERS = 1 << 19
_WINDOW = 4
# Of a number of 32 bits, 17 are left to look up: with 16, half of the hits would be by chance.
_FACTOR, _SHIFT, _ROOM = np.uint32(2654435761), np.uint32(15), 1 << 17
# A text ends with a byte that none holds, and that is not left out.
_END = b"\n\0\n"
# Part of most marks of tokens that no run begins with: looked for with the names, at no cost.
_HOOK = b"hook"
_NO_NAMES = frozenset((*HOME_MARKS, _HOOK))
_NAMES_OF_KEYS = frozenset(kind + b"key" for kind in KINDS_OF_KEY)
# Where in a word its five rarest letters begin, one of any kind among them at an end, if not with
# its first: `variable` has four of `mariadb`, `keyword` behind `viewer` four of `userkey`. Places
# chosen with care make a third of the hits, each of which is looked at by itself.
_RAREST = {
    b"home": -1,
    b"/root": -1,
    b"pwd": -1,
    b"documentsandset": 6,
    b"mariadb": 2,
    b"&code:": 2,
    b"authorization": 3,
    b"signature:": 2,
    b"signatured": 2,
    b"passphrase": 2,
    b"cookie": 1,
    _HOOK: -1,
    **dict.fromkeys(_NAMES_OF_KEYS - {b"apikey", b"userkey"}, 1),
}
_DELETED = bytes(byte for byte in LEFT_OUT if byte)


def glance(texts: Sequence[str]) -> list[Suspects | None]:
    """What `memidx.text.redact.suspects` says of each text, or None where it sees nothing."""
    seen: list[Suspects | None] = []
    group: list[str] = []
    size = 0
    for text in texts:
        group.append(text)
        size += len(text)
        if size >= _MOST_CHARACTERS:
            seen += _glance(group)
            group, size = [], 0
    return seen + _glance(group)


def _glance(texts: Sequence[str]) -> list[Suspects | None]:
    plain = [b"" if len(text) < SHORTEST else _encoded(text) for text in texts]
    data = _END.join((*plain, b""))
    ends = _ends(data)
    strange: set[int] = set()
    if len(ends) > len(texts):
        strange = {number for number, text in enumerate(plain) if b"\0" in text}
        plain = [b"" if number in strange else text for number, text in enumerate(plain)]
        data = _END.join((*plain, b""))
        ends = _ends(data)
    marks, with_tokens = _marks_in(data)
    homes, names, hooks = _kinds_of(marks)
    names |= _with_passwords(data, ends.tolist())
    with_tokens |= _with_tokens(data, ends) | _with_marks(data, ends, hooks)
    seen: list[Suspects | None] = [None] * len(texts)
    for number in homes | with_tokens | names:
        words = words_of(texts[number], marks.get(number, ()))
        seen[number] = Suspects(number in homes, number in with_tokens, number in names, words)
    # Invisible characters may stand in a token.
    for number in strange | _with_invisible(data, ends):
        look = suspects(texts[number])
        seen[number] = look if any(look) else None
    return seen


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _marks_in(data: bytes) -> tuple[dict[int, set[bytes]], set[int]]:
    """The marks that stand in each text with any, and the texts with a name of private keys."""
    squeezed = data.translate(FOLD_TABLE, _DELETED) + bytes(_WINDOW)
    # Every other place is enough: of each word two windows that lie side by side are known.
    letters = np.ndarray((len(squeezed) // 2 - 1,), dtype="<u4", buffer=squeezed, strides=(2,))
    mixed = letters * _FACTOR
    mixed >>= _SHIFT
    # All are in the table; to say so spares a check of each.
    hits = 2 * np.flatnonzero(np.take(_IS_WINDOW, mixed.view(np.int32), mode="clip"))
    ends = _ends(squeezed).tolist()
    marks: dict[int, set[bytes]] = {}
    for at in hits.tolist():
        for mark, offset in _WINDOWS.get(squeezed[at : at + _WINDOW], ()):
            if squeezed.startswith(mark, max(0, at - offset)):
                marks.setdefault(bisect_left(ends, at - offset), set()).add(mark)
    borders = [0, *ends]
    return marks, {
        text
        for text, found in marks.items()
        if not _NAMES_OF_KEYS.isdisjoint(found)
        and any(squeezed.find(mark, *borders[text : text + 2]) >= 0 for mark in PRIVATE_KEYS)
    }


def _kinds_of(marks: dict[int, set[bytes]]) -> tuple[set[int], set[int], set[int]]:
    """Numbers of the texts with names of home folders, with names of secrets, and with hooks."""
    homes = {text for text, found in marks.items() if not found.isdisjoint(HOME_MARKS)}
    names = {text for text, found in marks.items() if not found <= _NO_NAMES}
    return homes, names, {text for text, found in marks.items() if _HOOK in found}


def _with_passwords(data: bytes, ends: list[int]) -> set[int]:
    """Numbers of the texts with addresses in which a password may be."""
    found: set[int] = set()
    at = data.find(b"@")
    while at >= 0:
        text = bisect_left(ends, at)
        if data.find(b"://", ends[text - 1] if text else 0, ends[text]) >= 0:
            found.add(text)
        at = data.find(b"@", ends[text])
    return found


def _with_tokens(data: bytes, ends: NDArray[Any]) -> set[int]:
    """Numbers of the texts that may hold a token whose issuer gave it a shape."""
    places = [at for at in _run_starts(data) if tokens.places_in_run(data, at)]
    return set(_texts_at(ends, places))


def _with_marks(data: bytes, ends: NDArray[Any], hooks: set[int]) -> set[int]:
    """Numbers of the texts with marks of tokens that no run begins with.

    Args:
        hooks: Those in which the word may be that most of these marks hold.
    """
    borders = [0, *ends.tolist()]
    found = {
        text
        for text in hooks
        for mark in tokens.ELSEWHERE
        if data.find(mark, borders[text], borders[text + 1]) >= 0
    }
    for mark in tokens.ELSEWHERE:
        if _HOOK not in mark:
            # Its last byte is rare.
            last = _places_of_byte(mark[-1:], data).tolist()
            found.update(_texts_at(ends, [at for at in last if data.endswith(mark, 0, at + 1)]))
    return found


def _with_invisible(data: bytes, ends: NDArray[Any]) -> set[int]:
    """Numbers of the texts that hold characters which are not seen."""
    characters = np.frombuffer(data, dtype=np.uint8)
    at = np.flatnonzero(characters >= _LEAST_LEAD)
    three = _pairs(_pairs(characters[at], characters[at + 1]), characters[at + 2])
    is_found = np.searchsorted(_INVISIBLE, three, side="right") % 2 == 1
    return set(_texts_at(ends, at[is_found]))


def _places_of_byte(byte: bytes, data: bytes) -> NDArray[Any]:
    return np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == ord(byte))


def _run_starts(data: bytes) -> Iterator[int]:
    """Where the runs begin in which a token may be."""
    # The byte before a run is looked at, and the first two of it.
    coded = b"".join((b" ", data.translate(tokens.RUN_TABLE), bytes(tokens.RUN_LENGTH)))
    is_run = np.frombuffer(coded, dtype=np.uint8) == ord("x")
    # Whether a run goes on for so many characters from a place, by doubling.
    goes_on, length = is_run, 1
    while length < tokens.RUN_LENGTH:
        step = min(length, tokens.RUN_LENGTH - length)
        goes_on = goes_on[:-step] & goes_on[step:]
        length += step
    starts = np.flatnonzero(goes_on[1:] & ~is_run[: len(goes_on) - 1])
    characters = np.frombuffer(b" " + data, dtype=np.uint8)
    before, first, second, third = (characters[starts + n] for n in range(4))
    # Of emphasis and bullets that lead to a token there are up to three.
    n_dashes = _IS_DASH[first].astype(np.int64)
    n_dashes += (one := n_dashes == 1) & (two := _IS_DASH[second])
    n_dashes += one & two & _IS_DASH[third]
    head = starts + 1 + n_dashes
    is_likely = _IS_HEAD[_pairs(characters[head], characters[head + 1])]
    return iter(starts[is_likely | _IS_ODD[_pairs(before, first)]].tolist())


def _pairs(first: NDArray[Any], second: NDArray[Any]) -> NDArray[Any]:
    pairs: NDArray[Any] = first.astype(np.int64) << 8 | second
    return pairs


def _texts_at(ends: NDArray[Any], places: NDArray[Any] | Sequence[int]) -> list[int]:
    """Numbers of the texts in which the places are."""
    texts: list[int] = np.searchsorted(ends, np.asarray(places, dtype=np.int64)).tolist()
    return texts


def _ends(data: bytes) -> NDArray[Any]:
    return _places_of_byte(b"\0", data)


def _marks() -> Iterable[bytes]:
    """Words that a squeezed text is searched for."""
    yield from (*HOME_MARKS, *NAME_MARKS)
    yield from (beginning + ending for beginning, endings in BEGINNINGS for ending in endings)
    yield from (b"pass" + ending for ending in PASS_ENDS)
    yield from (b"sshpass", b"&key:", _HOOK)
    yield from _NAMES_OF_KEYS


def _windows() -> dict[bytes, list[tuple[bytes, int]]]:
    """Four letters -> the words that have them, and where: at two places side by side."""
    letters = [bytes((byte,)) for byte in {*FOLD_TABLE} - {*_DELETED}]
    windows: dict[bytes, list[tuple[bytes, int]]] = {}
    for mark in _marks():
        rarest = _RAREST.get(mark, 0)
        for at in (rarest, rarest + 1):
            # At its ends a word is read with any letter beside it.
            window = mark[max(0, at) : at + _WINDOW]
            n_before = max(0, -at)
            for more in product(letters, repeat=_WINDOW - len(window)):
                four = b"".join((*more[:n_before], window, *more[n_before:]))
                windows.setdefault(four, []).append((mark, at))
    return windows


def _bounds(marks: Iterable[bytes]) -> NDArray[Any]:
    """Where numbers of three bytes begin, and end, to begin with one of the marks."""
    n_more = {mark: 3 - len(mark) for mark in marks}
    lows = [int.from_bytes(mark + bytes(more), "big") for mark, more in n_more.items()]
    return np.sort(
        [*lows, *(low + 256**more for low, more in zip(lows, n_more.values(), strict=True))]
    )


def _flags(numbers: Iterable[int], size: int) -> NDArray[Any]:
    flags = np.zeros(size, dtype=bool)
    flags[list(numbers)] = True
    return flags


_WINDOWS = _windows()
_KEYS = (np.frombuffer(b"".join(_WINDOWS), dtype="<u4") * _FACTOR) >> _SHIFT
_IS_WINDOW = _flags(_KEYS.tolist(), _ROOM)
_IS_HEAD = _flags((int.from_bytes(head, "big") for head in tokens.heads()), 1 << 16)
_IS_ODD = _flags((int.from_bytes(pair, "big") for pair in tokens.odd_starts()), 1 << 16)
_INVISIBLE = _bounds(INVISIBLE_MARKS)
# What a character begins with that is not ASCII.
_LEAST_LEAD = 0xC2
_IS_DASH = _flags(tokens.DASHES, 256)
