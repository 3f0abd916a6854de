"""Whatever a byte of a project's index turns into: it is found, healed or refused, never believed.

Damage beneath the file system (a flipped bit that no signature shows) is told apart from damage by
a program (which changes the signature), for a search notices the one and `verify` the other.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import memidx
from memidx import files
from memidx.cli import exit_codes
from memidx.errors import MemidxError, StoreCorrupt, StoreVersion
from memidx.snapshot.segment import Segment
from tests.counting import count
from tests.support import write_tree

LARGE = os.environ.get("MEMIDX_TEST_LARGE") == "1"
# Every byte is flipped in each test; a whole search is made for each one of so many.
STRIDE = 1 if LARGE else 13
MASKS = (0x01, 0x02, 0x20, 0x80, 0xFF)
NOTES = {f"n{i}.md": f"# Note {i}\n\nA lantern, and word{i}.\n" for i in range(3)}


@pytest.fixture(autouse=True)
def unsynced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of snapshots are derived: what the disk does about a sync is not tested here."""
    monkeypatch.setattr(files, "_fsync", lambda descriptor: None)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Three notes and their index."""
    root = write_tree(tmp_path / "project", NOTES)
    memidx.build(root=str(root), env={})
    return root


def search(root: Path, **options: Any) -> memidx.Answer:
    """One search by a process that begins."""
    with memidx.open(str(root / "store"), env={}) as index:
        return index.search("lantern word1", k=10, **options)


def shown(answer: memidx.Answer) -> list[Any]:
    """What of an answer must not depend on what became of the index."""
    return [(hit.doc_id, hit.score, hit.confidence, hit.snippet) for hit in answer.hits]


def verify(root: Path) -> tuple[int, list[tuple[str | None, int | None]]]:
    """The exit code of `memidx verify`, and the places it names."""
    try:
        with memidx.open(str(root / "store"), env={}) as index:
            report = index.verify()
    except StoreCorrupt as error:
        return exit_codes.NO, [(error.path, error.line)]
    except MemidxError as error:
        return exit_codes.for_error(error), [(error.path, error.line)]
    return exit_codes.for_verify(report), [(found.path, found.line) for found in report.damage]


def flips(
    data: bytes, stride: int = 1, masks: tuple[int, ...] = MASKS
) -> Iterator[tuple[int, bytes]]:
    """Places, and the bytes with the one at that place changed, each by another mask."""
    for place in range(0, len(data), stride):
        changed = bytearray(data)
        changed[place] ^= masks[place % len(masks)]
        yield place, bytes(changed)


def cuts(data: bytes, stride: int = 1) -> Iterator[tuple[int, bytes]]:
    """The data at every shorter length."""
    for length in range(0, len(data), stride):
        yield length, data[:length]


@pytest.mark.parametrize("kind", ["flipped", "cut"])
@pytest.mark.parametrize("name", ["docs.jsonl", "manifest.json"])
def test_verify_finds_every_damaged_byte(project: Path, name: str, kind: str) -> None:
    """By file, and by line where a file has lines; it ends with 1.

    A byte of the version that makes it another version cannot be told from a store that another
    version wrote: that is refused, which ends with 3.
    """
    path = project / "store" / name
    data = path.read_bytes()
    version = data.find(b"_schema_version") + len(b'_schema_version": "')
    variants = flips(data) if kind == "flipped" else cuts(data)
    n = 0
    for place, damaged in variants:
        n += 1
        path.write_bytes(damaged)
        code, places = verify(project)
        if name == "manifest.json" and kind == "flipped" and place == version:
            assert code in (exit_codes.NO, exit_codes.UNFINISHED)
        else:
            assert code == exit_codes.NO, place
        if kind == "cut" and name == "docs.jsonl" and damaged.endswith(b"\n"):
            # A cut between two lines leaves sound lines: what is missing is behind the sources.
            assert places == []
            continue
        assert places[0][0] == str(path)
        if name == "docs.jsonl" and damaged:
            assert places[0][1] == data.count(b"\n", 0, place) + (kind == "flipped" or place > 0)
    count(f"bytes of a store {kind}, for verify", n)
    assert n == len(data) > 500


@pytest.mark.parametrize("kind", ["flipped", "cut"])
@pytest.mark.parametrize("name", ["docs.jsonl", "manifest.json"])
def test_a_search_heals_every_damaged_byte(project: Path, name: str, kind: str) -> None:
    """From the sources, and it says so with the file's name; the answer is the right one."""
    right = shown(search(project))
    path = project / "store" / name
    data = path.read_bytes()
    variants = flips(data, STRIDE) if kind == "flipped" else cuts(data, STRIDE)
    n = 0
    for place, damaged in variants:
        n += 1
        path.write_bytes(damaged)
        try:
            answer = search(project)
        except StoreVersion:
            assert name == "manifest.json"
            continue
        assert shown(answer) == right, place
        if damaged.endswith(b"\n"):
            # A whole line is missing, or all of it is there: no damage to speak of.
            continue
        assert any(str(path) in note for note in answer.notes), place
        assert answer.skipped
    count(f"bytes of a store {kind}, for a search", n)
    assert n >= len(data) // STRIDE
    memidx.build(root=str(project), env={})
    assert path.read_bytes() == data


def test_without_its_sources_a_damaged_store_is_refused(project: Path, tmp_path: Path) -> None:
    """Lines that are lost cannot be answered from: exit 3, with the file and the line."""
    store = project / "store"
    alone = tmp_path / "elsewhere" / "store"
    alone.mkdir(parents=True)
    data = (store / "docs.jsonl").read_bytes()
    (alone / "manifest.json").write_bytes((store / "manifest.json").read_bytes())
    n = 0
    for place, damaged in flips(data, STRIDE):
        n += 1
        (alone / "docs.jsonl").write_bytes(damaged)
        with (
            memidx.open(str(alone), env={}) as index,
            pytest.raises(StoreCorrupt) as caught,
        ):
            index.search("lantern")
        assert exit_codes.for_error(caught.value) == exit_codes.UNFINISHED
        assert caught.value.path == str(alone / "docs.jsonl")
        assert caught.value.line == data.count(b"\n", 0, place) + 1
    count("bytes of a store without sources flipped, for a search", n)
    assert n >= len(data) // STRIDE


def test_without_its_sources_a_shard_that_nobody_names_is_found(
    project: Path, tmp_path: Path
) -> None:
    """A branch switch or a merge can leave one; lines in it would be missed without a word."""
    alone = tmp_path / "elsewhere" / "store"
    alone.mkdir(parents=True)
    for name in ("manifest.json", "docs.jsonl"):
        (alone / name).write_bytes((project / "store" / name).read_bytes())
    assert verify(alone.parent) == (exit_codes.UNFINISHED, [])
    (alone / "docs-a.jsonl").write_bytes(b"")
    assert verify(alone.parent) == (exit_codes.NO, [(str(alone), None)])


def cache_files(project: Path) -> list[Path]:
    """Every file of the cache that has bytes."""
    found = (project / "store" / ".cache").iterdir()
    return sorted(path for path in found if path.is_file() and path.stat().st_size)


def test_no_damaged_byte_of_the_cache_is_believed(project: Path) -> None:
    """Snapshot, stamp, recorded look, root: flipped or cut, the next answer is the right one."""
    right = shown(search(project))
    n = 0
    for path in cache_files(project):
        data = path.read_bytes()
        stride = STRIDE if len(data) > 200 else 1
        masks = [MASKS[n:] + MASKS[:n] for n in range(len(MASKS) if path.name == "root" else 1)]
        for variants in (*(flips(data, stride, m) for m in masks), cuts(data, stride * 3)):
            for place, damaged in variants:
                n += 1
                path.write_bytes(damaged)
                answer = search(project)
                assert shown(answer) == right, (path.name, place)
                assert answer.freshness in ("fresh", "refreshed"), (path.name, place)
    count("bytes of a cache flipped or cut, for a search", n)
    assert n > 500


def test_every_damaged_byte_of_a_snapshot_is_found(project: Path) -> None:
    """By the check of the whole, which a search makes when the signature is another one.

    Between the sections lie a few bytes that nobody reads.
    """
    path = next((project / "store/.cache").glob("snapshot-*.bin"))
    data = path.read_bytes()
    unread = 0
    for _, damaged in flips(data):
        try:
            unread += Segment(memoryview(damaged), "test").is_sound()
        except StoreCorrupt:
            continue
    for length, damaged in cuts(data):
        with pytest.raises(StoreCorrupt):
            Segment(memoryview(damaged), f"cut at {length}")
    count("bytes of a snapshot flipped and cut", 2 * len(data))
    assert unread < 8 * 20
    assert len(data) > 2000


def test_verify_finds_a_snapshot_that_decayed_beneath_the_file_system(project: Path) -> None:
    """No signature shows it, so that a search believes it; `verify` reads it all and drops it."""
    right = shown(search(project))
    store = project / "store"
    n = 0
    for at in range(0, 10**6, 1 if LARGE else 37):
        path = next((store / ".cache").glob("snapshot-*.bin"))
        data = bytearray(path.read_bytes())
        if at >= len(data):
            break
        data[at] ^= 0x04
        path.write_bytes(data)
        stamp = " ".join(map(str, files.signature(str(path)) or ()))
        Path(f"{path}.ok").write_text(stamp)
        try:
            sound = Segment(memoryview(bytes(data)), "test").is_sound()
        except StoreCorrupt:
            sound = False
        n += not sound
        expected = (exit_codes.YES, []) if sound else (exit_codes.NO, [(str(path), None)])
        assert verify(project) == expected
        assert path.exists() == sound
        assert shown(search(project)) == right
        assert verify(project) == (exit_codes.YES, [])
    count("bytes of a snapshot decayed, for verify", n)
    assert n > 40


def test_a_snapshot_cut_while_it_is_open_is_left_alone(project: Path) -> None:
    """To read where a mapped file ends now would kill the process: the index looks before."""
    path = next((project / "store/.cache").glob("snapshot-*.bin"))
    with memidx.open(str(project / "store"), env={}) as index:
        right = shown(index.search("lantern word1", k=10))
        for length in (0, 100, path.stat().st_size - 1):
            os.truncate(path, length)
            assert shown(index.search("lantern word1", k=10)) == right


@pytest.mark.parametrize(
    "marker", [b"<<<<<<< HEAD\n", b"=======\n", b">>>>>>> branch\n", b"||||||| base\n"]
)
@pytest.mark.parametrize("name", ["docs.jsonl", "manifest.json"])
def test_a_conflict_marker_is_named_where_it_stands(
    project: Path, name: str, marker: bytes
) -> None:
    """Before every line of either file; documents around it are whole, so the answer is right."""
    right = shown(search(project))
    path = project / "store" / name
    lines = path.read_bytes().splitlines(keepends=True)
    for at in range(len(lines) + 1):
        path.write_bytes(b"".join([*lines[:at], marker, *lines[at:]]))
        code, places = verify(project)
        assert code == exit_codes.NO
        assert places[0] == (str(path), at + 1)
        answer = search(project)
        assert shown(answer) == right
        assert any(marker.split()[0].decode() in note for note in answer.notes)
    memidx.build(root=str(project), env={})
    assert path.read_bytes() == b"".join(lines)


def test_lines_that_are_twice_there_or_cut_and_shards_that_are_not_or_too_many(
    project: Path,
) -> None:
    """Each is found by verify, seen through by a search, and put right by a build."""
    right = shown(search(project))
    store = project / "store"
    clean = {path.name: path.read_bytes() for path in store.iterdir() if path.is_file()}
    lines = clean["docs.jsonl"].splitlines(keepends=True)
    damages: list[dict[str, bytes | None]] = [
        {"docs.jsonl": b"".join([*lines, lines[at]])} for at in range(3)
    ]
    damages += [
        {"docs.jsonl": None},
        {"docs.jsonl": b""},
        {"docs.jsonl": b"".join(lines)[:-1]},
        {"docs.jsonl": b"".join(reversed(lines))},
        {"docs.jsonl": b"".join(lines).replace(b"\n", b"\r\n")},
        {"docs.jsonl": b"\xef\xbb\xbf" + b"".join(lines)},
        {"docs.jsonl": bytes(len(clean["docs.jsonl"]))},
        {"docs-a.jsonl": lines[0]},
        {"docs-0.jsonl": b""},
        {"manifest.json": None},
        {"manifest.json": b""},
        {"manifest.json": bytes(len(clean["manifest.json"]))},
        {"manifest.json": b"[]"},
        {"manifest.json": None, "docs.jsonl": b"".join(lines)[:-5]},
    ]
    for damage in damages:
        for name, data in damage.items():
            if data is None:
                (store / name).unlink()
            else:
                (store / name).write_bytes(data)
        assert verify(project)[0] == exit_codes.NO, damage
        assert shown(search(project)) == right, damage
        report = memidx.build(root=str(project), env={})
        assert report.behind or "docs-a.jsonl" in damage or "docs-0.jsonl" in damage
        assert {p.name: p.read_bytes() for p in store.iterdir() if p.is_file()} == clean


def test_a_build_from_another_folder_heals_from_the_recorded_root(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A damaged manifest does not say what was built; the working folder must not either."""
    store = project / "store"
    clean = {path.name: path.read_bytes() for path in store.iterdir() if path.is_file()}
    elsewhere = write_tree(tmp_path / "elsewhere", {"other.md": "# Another project\n"})
    monkeypatch.chdir(elsewhere)
    for damaged in (b"", clean["manifest.json"][:-4], None):
        if damaged is None:
            (store / "manifest.json").unlink()
        else:
            (store / "manifest.json").write_bytes(damaged)
        memidx.build(store=str(store), env={})
        assert {p.name: p.read_bytes() for p in store.iterdir() if p.is_file()} == clean
