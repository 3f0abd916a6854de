"""Words get numbers as a dict would give them, whatever their keys are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memidx.analysis import numbering
from memidx.analysis.numbering import PADDING, Numbers

_WORDS = st.one_of(
    st.binary(min_size=1, max_size=40),
    st.text("ab", min_size=1, max_size=20).map(str.encode),
    # Alike but for one byte, at the ends of what is read at once.
    st.tuples(st.integers(1, 40), st.integers(0, 39)).map(
        lambda pair: b"x" * pair[1] + b"y" + b"x" * pair[0]
    ),
).map(lambda word: word.replace(b"\0", b"0"))
_BATCHES = st.lists(st.lists(_WORDS, max_size=30), max_size=4)


def _numbers(numbers: Numbers, words: list[bytes]) -> tuple[list[int], list[bytes]]:
    lengths = np.array([len(word) for word in words], dtype=np.int64)
    starts = np.cumsum(lengths + 1) - lengths - 1
    found, new = numbers.of(b" ".join([*words, b""]) + PADDING, starts, lengths)
    return found.tolist(), new


def _check(batches: list[list[bytes]]) -> None:
    numbers = Numbers()
    known: dict[int, bytes] = {}
    for words in batches:
        before = len(known)
        found, new = _numbers(numbers, words)
        known.update(enumerate(new, start=before))
        assert [known[number] for number in found] == words
        assert numbers.size == len(known) == len(set(known.values()))


@given(batches=_BATCHES)
@settings(deadline=None)
def test_equal_words_have_equal_numbers_and_no_others(batches: list[list[bytes]]) -> None:
    """Each word is told by its number, in any batches; new ones are named in their order."""
    _check(batches)


def _few_keys(*arguments: Any) -> Any:
    """Keys that say of a long word only that it is long, and whether it is longer than ten."""
    keys, lengths = _keys(*arguments), arguments[2]
    return np.where(lengths > 7, numbering._LONG + (lengths > 10).astype(np.uint64), keys)


_keys = numbering._keys


@given(batches=st.lists(st.lists(_WORDS, max_size=30), min_size=1, max_size=4))
@settings(deadline=None)
def test_words_with_one_key_are_told_apart(batches: list[list[bytes]]) -> None:
    """Keys that tell little cost time and change no number."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(numbering, "_keys", _few_keys)
        _check(batches)


def test_a_table_grows_with_its_words() -> None:
    """A hundred thousand words, more than the first table holds."""
    words = [b"%d" % number for number in range(100_000)]
    numbers = Numbers()
    assert _numbers(numbers, words) == (list(range(100_000)), words)
    assert _numbers(numbers, words[::-1]) == (list(range(99_999, -1, -1)), [])


def test_words_of_a_megabyte_are_told_apart() -> None:
    """Those that differ at their ends alone, too."""
    words = [b"x" * (1 << 20) + end for end in (b"a", b"b", b"")] + [b"x" * 300, b"x" * 256]
    _check([words, words[::-1]])
    assert sorted(_numbers(Numbers(), words)[0]) == [0, 1, 2, 3, 4]
