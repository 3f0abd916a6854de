"""Sections and blobs of a snapshot file."""

from __future__ import annotations

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memidx.errors import StoreCorrupt
from memidx.snapshot import format as format_module
from memidx.snapshot.format import Blobs, Sections
from memidx.snapshot.writing import Section, blob_sections, serialise


def _file(values: list[bytes], numbers: list[int]) -> bytes:
    sections: dict[str, Section] = {
        **blob_sections("word", values),
        "number": ("I", array("I", numbers).tobytes()),
    }
    return b"".join(serialise({"n": len(values)}, sections))


@given(st.lists(st.binary(max_size=20)), st.lists(st.integers(0, 2**32 - 1)))
def test_what_is_written_is_read(values: list[bytes], numbers: list[int]) -> None:
    """Arrays and blobs come back as they were."""
    sections = Sections(memoryview(_file(values, numbers)), "x")
    blobs = Blobs(sections, "word")
    assert [blobs.raw(n) for n in range(len(blobs))] == values
    assert list(sections.array("number")) == numbers
    assert sections.facts == {"n": len(values)}


@given(st.sets(st.text(max_size=5)), st.text(max_size=5))
def test_find_is_membership(words: set[str], probe: str) -> None:
    """A value is found exactly when it is there, at its place in byte order."""
    values = sorted(word.encode() for word in words if not _surrogate(word))
    blobs = Blobs(Sections(memoryview(_file(values, [])), "x"), "word")
    for position, value in enumerate(values):
        assert blobs.find(value) == position
    if not _surrogate(probe):
        assert (blobs.find(probe.encode()) is not None) == (probe.encode() in values)


@given(st.sets(st.binary(max_size=3), max_size=40), st.lists(st.binary(max_size=3)))
def test_find_between_signposts_is_find(values: set[bytes], probes: list[bytes]) -> None:
    """Where many were looked for, they are found where they are found one by one."""
    ordered = sorted(values)
    blobs = Blobs(Sections(memoryview(_file(ordered, [])), "x"), "word")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(format_module, "_FINDS_WITHOUT", 0)
        patch.setattr(format_module, "_APART", 4)
        for probe in (*ordered, *probes):
            assert blobs.find(probe) == (ordered.index(probe) if probe in values else None)


def test_a_cut_file_is_refused() -> None:
    """A snapshot that lost its end must not be searched."""
    data = _file([b"a", b"b"], [1, 2, 3])
    for size in (0, 7, 15, 40, len(data) - 1):
        with pytest.raises((StoreCorrupt, ValueError)):
            Sections(memoryview(data[:size]), "x")


def _surrogate(text: str) -> bool:
    return any(0xD800 <= ord(character) <= 0xDFFF for character in text)
