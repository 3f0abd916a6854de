"""Whatever happens to a byte of a store is found, by file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from memidx.errors import StoreCorrupt, StoreError, StoreVersion
from memidx.store.reader import Stored, read_store
from tests.unit.store.helpers import clean_bytes, committed, make_doc, make_lines, write

LINES = make_lines(
    [
        make_doc("a.md", "one\ntwo \u2028 three", tags=("x", "y"), time="2026-01-02"),
        make_doc("b.md#7", '"quoted" \\ é 🐘', meta={"k": [1, True, None]}),
        make_doc("c.md"),
    ]
)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Three documents in one shard."""
    write(tmp_path / "store", LINES)
    return tmp_path / "store"


def _assert_found(store: Path, number: int) -> Stored:
    """Damage is reported at that line, and what is still read is as it was written."""
    stored = read_store(str(store))
    assert stored.damage
    assert stored.damage[0].line == number
    assert stored.damage[0].path == str(store / "docs.jsonl")
    assert all(LINES[doc_id] == line for doc_id, line in stored.lines.items())
    return stored


@pytest.mark.parametrize("mask", [0x01, 0x20, 0x80, 0xFF])
def test_every_changed_byte_of_a_shard_is_found(store: Path, mask: int) -> None:
    """Every byte in turn, the line ends and the checksums among them."""
    data = (store / "docs.jsonl").read_bytes()
    for place in range(len(data)):
        changed = bytearray(data)
        changed[place] ^= mask
        (store / "docs.jsonl").write_bytes(changed)
        stored = _assert_found(store, data.count(b"\n", 0, place) + 1)
        # A line end that went takes the line after it along.
        assert len(stored.lines) == (2 if data[place] != 10 or place == len(data) - 1 else 1)


def test_every_byte_replaced_by_a_line_end_is_found(store: Path) -> None:
    """A line broken in two is damage at its first half."""
    data = (store / "docs.jsonl").read_bytes()
    for place in range(len(data)):
        if data[place] != 10:
            (store / "docs.jsonl").write_bytes(data[:place] + b"\n" + data[place + 1 :])
            _assert_found(store, data.count(b"\n", 0, place) + 1)


def test_every_missing_and_every_doubled_byte_is_found(store: Path) -> None:
    """One byte less, one byte more."""
    data = (store / "docs.jsonl").read_bytes()
    for place in range(len(data)):
        number = data.count(b"\n", 0, place) + 1
        (store / "docs.jsonl").write_bytes(data[:place] + data[place + 1 :])
        _assert_found(store, number)
        (store / "docs.jsonl").write_bytes(data[: place + 1] + data[place:])
        # A doubled line end is an empty line after it.
        _assert_found(store, number + (data[place] == 10))


def test_every_cut_is_found_unless_between_lines(store: Path) -> None:
    """A file that ends in a line is damaged there.

    A cut between two lines leaves sound lines: it is found by comparing with the sources.
    """
    data = (store / "docs.jsonl").read_bytes()
    for length in range(1, len(data)):
        (store / "docs.jsonl").write_bytes(data[:length])
        if data[length - 1] == 10:
            assert read_store(str(store)).damage == ()
        else:
            _assert_found(store, data.count(b"\n", 0, length) + 1)


@pytest.mark.parametrize("mask", [0x01, 0x02, 0x20, 0x80])
def test_every_changed_byte_of_the_manifest_is_found(store: Path, mask: int) -> None:
    """White space and values that would still be JSON included; the error names the file."""
    data = (store / "manifest.json").read_bytes()
    for place in range(len(data)):
        changed = bytearray(data)
        changed[place] ^= mask
        (store / "manifest.json").write_bytes(changed)
        with pytest.raises((StoreCorrupt, StoreVersion)) as caught:
            read_store(str(store))
        assert caught.value.path == str(store / "manifest.json")


def test_every_cut_of_the_manifest_is_found(store: Path) -> None:
    """Also the cut of its last byte."""
    data = (store / "manifest.json").read_bytes()
    for length in range(len(data)):
        (store / "manifest.json").write_bytes(data[:length])
        with pytest.raises(StoreError):
            read_store(str(store))


def test_every_damage_is_healed_by_the_next_write(store: Path, tmp_path: Path) -> None:
    """Writing the right lines over a damaged store gives the clean bytes."""
    clean = clean_bytes(tmp_path / "clean", LINES)
    for name, data in clean.items():
        for damaged in (b"", b"\xff", data[:-1], data[: len(data) // 2], data * 2):
            (store / name).write_bytes(damaged)
            write(store, LINES)
            assert committed(store) == clean
