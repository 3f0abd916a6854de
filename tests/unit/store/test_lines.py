"""Lines come back whether memory has them, a file aside, or a shard of the store."""

from __future__ import annotations

from pathlib import Path

import pytest

from memidx.errors import StoreCorrupt
from memidx.files.spooling import Scratch
from memidx.store import lines, reader
from memidx.store.line import line_sum
from memidx.store.lines import ChosenLines, NewLines, sizes, sums
from memidx.store.reader import read_store
from tests.unit.store.helpers import numbered, write


@pytest.mark.parametrize("limit", [0, 700, 1 << 20])
def test_new_lines_come_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: int) -> None:
    """Also when one is made again, and its document has another line by now."""
    monkeypatch.setattr(lines, "IN_MEMORY_BYTES", limit)
    made = NewLines(Scratch(str(tmp_path)))
    wanted = {**numbered(9), **numbered(2, "note {} again", start=3)}
    for part in (numbered(9), numbered(2, "note {} again", start=3)):
        for doc_id, line in part.items():
            made.add(doc_id, line)
    assert made == wanted
    assert made.are_aside == (limit < 1 << 20)
    assert dict(sizes(made)) == {doc_id: len(line) for doc_id, line in wanted.items()}
    assert dict(sums(made)) == {doc_id: line_sum(line) for doc_id, line in wanted.items()}
    assert list(tmp_path.iterdir()) == []


def test_lines_of_a_large_store_stay_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are read when they are asked for, from the files that were read first."""
    monkeypatch.setattr(reader, "IN_MEMORY_BYTES", 1500)
    write(tmp_path / "store", numbered(60), cap=1500)
    stored = read_store(str(tmp_path / "store"))
    # Another build replaces and removes the shards meanwhile.
    write(tmp_path / "store", numbered(3, "other"))
    assert stored.lines == numbered(60)
    assert dict(sums(stored.lines)) == {d: line_sum(line) for d, line in numbered(60).items()}


def test_a_shard_that_is_written_into_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """memidx replaces files; whoever writes into one must not bring wrong lines into the store."""
    monkeypatch.setattr(reader, "IN_MEMORY_BYTES", 0)
    write(tmp_path / "store", numbered(6))
    stored = read_store(str(tmp_path / "store"))
    shard = tmp_path / "store" / "docs.jsonl"
    data = shard.read_bytes()
    first, second, *_ = stored.lines
    with shard.open("r+b") as file:
        file.write(data.replace(b"locks", b"l0cks", 1))
    with pytest.raises(StoreCorrupt, match="changed after it was read") as error:
        stored.lines[first]
    assert (error.value.path, error.value.line) == (str(shard), 1)
    assert stored.lines[second] == numbered(6)[second]


def test_chosen_lines_are_new_or_stored() -> None:
    """In the order that was given, and no others."""
    new, stored = numbered(3, "new"), numbered(6)
    order = sorted([*stored][:4])
    chosen = ChosenLines(order, {order[1]}, new, stored)
    wanted = {doc_id: stored[doc_id] for doc_id in order}
    wanted[order[1]] = new[order[1]]
    assert list(chosen.items()) == list(wanted.items())
    assert [doc_id in chosen for doc_id in sorted(stored)] == [True] * 4 + [False] * 2
    assert 1 not in chosen
    assert dict(sizes(chosen)) == {doc_id: len(line) for doc_id, line in wanted.items()}
    assert dict(sums(chosen)) == {doc_id: line_sum(line) for doc_id, line in wanted.items()}
