"""Words get numbers as a dict would give them, whatever their keys are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memidx.analysis import numbering
from memidx.analysis.eights import Long
from memidx.analysis.numbering import Numbers, Words

_WORDS = st.one_of(
    st.binary(max_size=40),
    st.text("ab\0", max_size=20).map(str.encode),
    # Alike but for one byte, at the ends of what is read at once.
    st.tuples(st.integers(1, 90), st.integers(0, 89)).map(
        lambda pair: b"x" * pair[1] + b"y" + b"x" * pair[0]
    ),
)
# Words whose keys are alike where nothing is mixed: the same eights of bytes in another order.
_EIGHTS = st.lists(st.sampled_from([b"a" * 8, b"b" * 8, b"cc\0ccccc", b"a", b"a\0"]), max_size=5)
_BATCHES = st.lists(st.lists(_WORDS, max_size=30), max_size=4)


def _check(batches: list[list[bytes]]) -> None:
    numbers = Numbers()
    known: list[bytes] = []
    for words in batches:
        found = numbers.of_words(Words.of(words)).tolist()
        known += numbers.since(len(known)).split()
        assert [known[number] for number in found] == words
        assert numbers.size == len(known) == len(set(known))
        assert numbers.words(np.array(found, dtype=np.int64)).split() == words
    in_order = numbers.in_order(np.arange(numbers.size)).tolist()
    assert [known[number] for number in in_order] == sorted(known)


@given(batches=_BATCHES)
@settings(deadline=None)
def test_equal_words_have_equal_numbers_and_no_others(batches: list[list[bytes]]) -> None:
    """Each word is told by its number, in any batches, and numbers are put in the words' order."""
    _check(batches)


@given(batches=st.lists(st.lists(_EIGHTS.map(b"".join), max_size=30), min_size=1, max_size=4))
@settings(deadline=None)
def test_words_with_one_key_are_told_apart(batches: list[list[bytes]]) -> None:
    """Keys that tell little cost time and change no number."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(numbering, "_mixed", lambda keys: keys)
        patch.setattr(numbering, "_FEWEST_SLOTS", 4)
        _check(batches)


@given(batches=st.lists(st.lists(_EIGHTS.map(b"".join), max_size=30), min_size=1, max_size=4))
@settings(deadline=None)
def test_keys_that_say_nothing_of_the_ends_of_words(batches: list[list[bytes]]) -> None:
    """Words of one key differ in their last bytes, in those between, or in length alone."""
    with pytest.MonkeyPatch.context() as patch:
        nothing = np.uint64(0)
        patch.setattr(Long, "mixed", lambda long: np.full(len(long.words), nothing))
        patch.setattr(numbering, "_FEWEST_SLOTS", 4)
        patch.setattr(numbering, "_AT_ONCE", 7)
        _check(batches)


def test_runs_of_one_character_have_keys_of_their_own() -> None:
    """Lines of `=` have the same first and last bytes; only their length tells them apart."""
    numbers = Numbers()
    numbers.of_words(Words.of([b"=" * length for length in range(1, 200)]))
    assert numbers.size == 199
    assert not numbers._others


def test_new_words_are_numbered_in_the_order_in_which_they_are_met() -> None:
    """However often each is met at once."""
    numbers = Numbers()
    met = [b"lock", b"file", b"lock", b"a longer word", b"file", b"a"]
    assert numbers.of_words(Words.of(met)).tolist() == [0, 1, 0, 2, 1, 3]
    assert numbers.since(1).split() == [b"file", b"a longer word", b"a"]


def test_a_table_grows_with_its_words() -> None:
    """A hundred thousand words, more than the first table holds."""
    words = [b"%d" % number for number in range(100_000)]
    numbers = Numbers()
    assert numbers.of_words(Words.of(words)).tolist() == list(range(100_000))
    assert numbers.since(0).split() == words
    assert numbers.of_words(Words.of(words[::-1])).tolist() == list(range(99_999, -1, -1))
    assert numbers.size == len(words)


def test_words_of_a_megabyte_are_told_apart() -> None:
    """Those that differ at their ends alone, too."""
    words = [b"x" * (1 << 20) + end for end in (b"a", b"b", b"")] + [b"x" * 300, b"x" * 256]
    _check([words, words[::-1]])
    found = Numbers().of_words(Words.of(words)).tolist()
    assert sorted(found) == [0, 1, 2, 3, 4]
