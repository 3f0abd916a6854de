"""Reading finds every document that is sound and names everything that is not."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from memidx import files
from memidx.errors import FileError, InputError, StoreCorrupt, StoreMissing, StoreVersion
from memidx.store import reader, store_signature
from memidx.store.layout import sort_key
from memidx.store.line import encode_line
from memidx.store.reader import (
    index_build_id,
    read_manifest,
    read_shards,
    read_store,
    source_fingerprint,
)
from tests.unit.store.helpers import MANIFEST, make_doc, numbered, write


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store of six notes in one shard."""
    write(tmp_path / "store", numbered(6))
    return tmp_path / "store"


def _edit(store: Path, change: Callable[[list[bytes]], object], name: str = "docs.jsonl") -> None:
    """Changes the shard's list of lines in place."""
    lines = (store / name).read_bytes().splitlines(keepends=True)
    change(lines)
    (store / name).write_bytes(b"".join(lines))


def test_everything_written_is_read_in_file_order(store: Path) -> None:
    """Lines come in hash order with where they stand; nothing is damaged."""
    stored = read_store(str(store))
    assert stored.lines == numbered(6)
    assert list(stored.lines) == sorted(numbered(6), key=sort_key)
    assert stored.damage == ()
    assert stored.manifest == replace(MANIFEST, shards=("docs.jsonl",))
    data = (store / "docs.jsonl").read_bytes()
    for number, (doc_id, line) in enumerate(stored.lines.items(), start=1):
        place = stored.lines.place(doc_id)
        assert (place.shard, place.line) == ("docs.jsonl", number)
        assert data[place.offset : place.offset + len(line)] == line


def test_shards_are_read_as_one(tmp_path: Path) -> None:
    """Many shards give the same documents in the same order as one."""
    write(tmp_path / "one", numbered(60))
    write(tmp_path / "many", numbered(60), cap=1500)
    one, many = read_store(str(tmp_path / "one")), read_store(str(tmp_path / "many"))
    assert len(many.manifest.shards) > 16
    assert list(many.lines.items()) == list(one.lines.items())
    assert many.damage == ()


def test_an_empty_store_is_sound(tmp_path: Path) -> None:
    """No documents is a state like any other."""
    write(tmp_path / "store", {})
    stored = read_store(str(tmp_path / "store"))
    assert (stored.lines, stored.damage) == ({}, ())


@pytest.mark.parametrize("there", ["nothing", "empty folder", "shard without manifest"])
def test_no_store_is_said_to_be_missing(tmp_path: Path, there: str) -> None:
    """A shard without a manifest is a first write that was killed: there is no store yet."""
    if there != "nothing":
        (tmp_path / "store").mkdir()
    if there == "shard without manifest":
        (tmp_path / "store" / "docs.jsonl").write_bytes(b"")
    with pytest.raises(StoreMissing) as caught:
        read_store(str(tmp_path / "store"))
    assert caught.value.path == str(tmp_path / "store")


@pytest.mark.parametrize("version", ["1.1", "1.2", "1.3"])
def test_a_published_index_in_place_of_the_store_is_named(tmp_path: Path, version: str) -> None:
    """Its version is in the message, whatever the order of its keys."""
    index = {"N": 0, "artifact_type": "memory-index", "documents": [{"title": "x"}]}
    path = tmp_path / "memory-index.json"
    path.write_text(json.dumps(index | {"memory_index_schema_version": version}))
    for read in (read_store, read_manifest):
        with pytest.raises(StoreVersion, match=rf"{version}.*one file and no store"):
            read(str(path))


def test_another_file_in_place_of_the_store_is_the_callers_mistake(tmp_path: Path) -> None:
    """A path that is a file and no index is refused as input."""
    (tmp_path / "x.txt").write_text("x")
    with pytest.raises(InputError, match="not a store"):
        read_store(str(tmp_path / "x.txt"))


def test_an_unreadable_file_is_no_damage(store: Path) -> None:
    """What the system refuses is an error: healing it away would lose documents."""
    (store / "docs.jsonl").unlink()
    (store / "docs.jsonl").mkdir()
    with pytest.raises(FileError, match="not a regular file"):
        read_store(str(store))


def test_a_changed_byte_is_named_by_file_and_line(store: Path) -> None:
    """The other documents are read; the lost one is told by its doc_id."""
    _edit(store, lambda lines: lines.__setitem__(2, lines[2].replace(b"locks", b"l0cks")))
    stored = read_store(str(store))
    (damage,) = stored.damage
    assert (damage.path, damage.line) == (str(store / "docs.jsonl"), 3)
    assert "checksum does not match" in damage.reason
    assert damage.lost
    assert set(numbered(6)) - set(stored.lines) == {damage.doc_id}


def test_a_cut_file_is_named(store: Path) -> None:
    """The end of a file that was cut in a line is damage of that line."""
    data = (store / "docs.jsonl").read_bytes()
    (store / "docs.jsonl").write_bytes(data[:-30])
    (damage,) = read_store(str(store)).damage
    assert (damage.line, damage.reason) == (6, "the line is cut short: no line end")


def test_a_missing_shard_is_named(tmp_path: Path) -> None:
    """The other shards are read."""
    write(tmp_path / "store", numbered(60), cap=2000)
    gone = read_store(str(tmp_path / "store")).manifest.shards[3]
    (tmp_path / "store" / gone).unlink()
    stored = read_store(str(tmp_path / "store"))
    (damage,) = stored.damage
    assert (damage.path, damage.line) == (str(tmp_path / "store" / gone), None)
    assert damage.reason == "the shard is missing"
    assert stored.lines


@pytest.mark.parametrize("cap", [2000, 10**6])
def test_an_emptied_shard_is_named(tmp_path: Path, cap: int) -> None:
    """What a power cut can make of a file is not taken for a store without documents."""
    write(tmp_path / "store", numbered(60), cap=cap)
    shard = read_store(str(tmp_path / "store")).manifest.shards[0]
    (tmp_path / "store" / shard).write_bytes(b"")
    (damage,) = read_store(str(tmp_path / "store")).damage
    assert (damage.path, damage.line) == (str(tmp_path / "store" / shard), None)
    assert damage.reason == "the shard is empty"


def test_two_lines_for_one_document_are_both_left_out(store: Path) -> None:
    """Neither version can be trusted; the message names the first one's place."""
    doc_id = next(iter(read_store(str(store)).lines))
    other = encode_line(make_doc(doc_id, "another text"))
    _edit(store, lambda lines: lines.insert(1, other))
    stored = read_store(str(store))
    (damage,) = stored.damage
    assert (damage.line, damage.doc_id, damage.lost) == (2, doc_id, True)
    assert damage.reason == "the document is there twice: another line is docs.jsonl:1"
    assert doc_id not in stored.lines
    assert len(stored.lines) == 5


def test_the_same_line_twice_loses_nothing(store: Path) -> None:
    """One of the two is kept, the other reported."""
    _edit(store, lambda lines: lines.insert(1, lines[0]))
    stored = read_store(str(store))
    (damage,) = stored.damage
    assert (damage.line, damage.lost) == (2, False)
    assert len(stored.lines) == 6


def test_wrong_order_is_damage_that_loses_nothing(store: Path) -> None:
    """Content is sound, place is not."""
    _edit(store, lambda lines: lines.reverse())
    stored = read_store(str(store))
    assert len(stored.lines) == 6
    assert [damage.line for damage in stored.damage] == [2, 3, 4, 5, 6]
    assert not any(damage.lost for damage in stored.damage)


def test_a_line_in_the_wrong_shard_is_damage_that_loses_nothing(tmp_path: Path) -> None:
    """A line's hash must begin with the prefix in its file's name."""
    store = tmp_path / "store"
    write(store, numbered(60), cap=2000)
    first, second = read_store(str(store)).manifest.shards[:2]
    stray = (store / second).read_bytes().splitlines(keepends=True)[0]
    _edit(store, lambda lines: lines.append(stray), first)
    _edit(store, lambda lines: lines.pop(0), second)
    stored = read_store(str(store))
    assert len(stored.lines) == 60
    assert [damage.reason for damage in stored.damage] == ["the line belongs in another shard"]


def test_an_unfinished_merge_is_named_line_by_line(store: Path) -> None:
    """Each marker is called what it is; what stands between them is read as lines."""
    one = encode_line(make_doc("new-1.md", "x"))
    two = encode_line(make_doc("new-2.md", "y"))
    block = [b"<<<<<<< HEAD\n", one, b"||||||| base\n", b"=======\n", two, b">>>>>>> branch\n"]
    _edit(store, lambda lines: lines.__setitem__(slice(2, 2), block))
    named = {damage.line: damage.reason for damage in read_store(str(store)).damage}
    for line, marker in ((3, "<<<<<<<"), (5, "|||||||"), (6, "======="), (8, ">>>>>>>")):
        assert named[line] == f"conflict marker {marker} of an unfinished merge"
    assert {"new-1.md", "new-2.md"} <= set(read_store(str(store)).lines)


def test_a_damaged_manifest_is_an_error_and_the_shards_can_still_be_read(store: Path) -> None:
    """`read_shards` goes by the folder, so that a build can reuse the lines."""
    (store / "manifest.json").write_bytes(b"{")
    with pytest.raises(StoreCorrupt):
        read_store(str(store))
    assert read_shards(str(store)).lines == numbered(6)


def test_a_split_between_manifest_and_shards_is_read_again(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A shard that vanished because another process split it is not damage."""
    read_signed = files.read_signed

    def split_first(path: str, limit: int | None = None) -> object:
        if path.endswith("docs.jsonl"):
            monkeypatch.setattr(files, "read_signed", read_signed)
            write(store, numbered(6), cap=1000)
        return read_signed(path, limit)

    monkeypatch.setattr(files, "read_signed", split_first)
    stored = read_store(str(store))
    assert stored.damage == ()
    assert stored.lines == numbered(6)
    assert "docs.jsonl" not in stored.manifest.shards


def test_a_busy_writer_is_outlasted(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shards that go while they are read are looked for under the next manifest, again and again.

    A shard that is missing under the same manifest is missing, which a few looks tell.
    """
    read_signed = files.read_signed
    caps = [1000, 1 << 20] * 10

    def write_first(path: str, limit: int | None = None) -> object:
        if caps and path.endswith(".jsonl"):
            write(store, numbered(6), cap=caps.pop(0))
        return read_signed(path, limit)

    monkeypatch.setattr(files, "read_signed", write_first)
    stored = read_store(str(store))
    assert stored.damage == ()
    assert stored.lines == numbered(6)
    assert caps == []
    (store / stored.manifest.shards[0]).unlink()
    assert [damage.reason for damage in read_store(str(store)).damage] == ["the shard is missing"]


def test_a_store_that_never_rests_is_not_read_for_ever(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a few tries what was read is returned."""
    calls = []
    monkeypatch.setattr(reader, "_manifest_data", lambda path: calls.append(path))
    assert read_store(str(store)).lines == numbered(6)
    assert len(calls) == 5


def test_signatures_change_when_a_file_does(store: Path) -> None:
    """The cheap signature equals the one that was read, until something is written."""
    assert store_signature(str(store)) == read_store(str(store)).signatures
    assert set(store_signature(str(store))) == {"manifest.json", "docs.jsonl"}
    before = store_signature(str(store))
    write(store, numbered(6, "changed {}"))
    after = store_signature(str(store))
    assert before["docs.jsonl"] != after["docs.jsonl"]
    assert before["manifest.json"] == after["manifest.json"]
    assert store_signature(str(store / "nothing")) == {}


def test_derived_figures_do_not_depend_on_the_order() -> None:
    """Hashes over sorted pairs; the fingerprint is the published formula."""
    pairs = [("b.md", "2"), ("a.md", "1")]
    assert index_build_id(pairs) == index_build_id(reversed(pairs))
    assert index_build_id(pairs) == hashlib.sha256(b"a.md\x001\nb.md\x002\n").hexdigest()
    assert source_fingerprint(pairs) == hashlib.sha256(b"a.md:1|b.md:2").hexdigest()
    assert index_build_id([]) != index_build_id(pairs)
