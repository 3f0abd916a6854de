"""A write leaves exactly the clean bytes, touching only what changed."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from memidx import files
from memidx.errors import FileError, InputError, StoreVersion
from memidx.store.folders import prepare_store
from memidx.store.reader import read_store
from memidx.store.writer import Written
from tests.unit.store.helpers import clean_bytes, committed, make_doc, make_lines, numbered, write

CAP = 2000


def test_a_first_write_reports_all_of_it(tmp_path: Path) -> None:
    """Every line is new, the manifest is written, bytes are counted."""
    written = write(tmp_path / "store", numbered(3))
    sizes = sum(len(data) for data in committed(tmp_path / "store").values())
    assert written == Written(1, 3, sizes, ("docs.jsonl",), manifest_written=True)


def _stamps(store: Path) -> dict[str, tuple[int, int]]:
    """What a write would change of each file; reading may change the time of access."""
    found = {p.name: p.stat() for p in store.iterdir() if p.is_file()}
    return {name: (stat.st_ino, stat.st_mtime_ns) for name, stat in found.items()}


def test_writing_the_same_again_touches_nothing(tmp_path: Path) -> None:
    """No shard, no manifest, no bytes."""
    for cap in (CAP, 10**6):
        write(tmp_path / "store", numbered(60), cap=cap)
        before = _stamps(tmp_path / "store")
        written = write(tmp_path / "store", numbered(60), cap=cap)
        assert (written.shards_written, written.lines_changed, written.bytes_written) == (0, 0, 0)
        assert before == _stamps(tmp_path / "store")


def test_one_edit_writes_one_shard_and_changes_one_line(tmp_path: Path) -> None:
    """Of many shards only the one with the document is replaced; the manifest stays."""
    lines = numbered(60)
    write(tmp_path / "store", lines, cap=CAP)
    before = committed(tmp_path / "store")
    lines |= make_lines([make_doc("notes/007.md", "note 7 about l0cks\n")])
    written = write(tmp_path / "store", lines, cap=CAP)
    assert (written.shards_written, written.lines_changed) == (1, 1)
    assert not written.manifest_written
    after = committed(tmp_path / "store")
    assert sum(before[name] != after[name] for name in after) == 1


def test_removals_are_no_changed_lines(tmp_path: Path) -> None:
    """The shard is replaced, no line of it is new."""
    write(tmp_path / "store", numbered(6))
    written = write(tmp_path / "store", numbered(5))
    assert (written.shards_written, written.lines_changed) == (1, 0)


def test_a_split_moves_lines_and_changes_none(tmp_path: Path) -> None:
    """Sixty documents in other files are still the same sixty lines."""
    write(tmp_path / "store", numbered(60))
    written = write(tmp_path / "store", numbered(61), cap=CAP)
    assert written.lines_changed == 1
    assert written.shards_written == len(written.shards) > 1
    assert written.manifest_written
    assert "docs.jsonl" not in committed(tmp_path / "store")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((60, 10**6), (60, CAP)),
        ((60, CAP), (60, 10**6)),
        ((60, CAP), (60, 500)),
        ((60, 500), (60, CAP)),
        ((60, CAP), (0, CAP)),
        ((0, CAP), (60, CAP)),
        ((60, CAP), (1, CAP)),
    ],
)
def test_the_bytes_do_not_remember_what_was_before(
    tmp_path: Path, before: tuple[int, int], after: tuple[int, int]
) -> None:
    """Split, joined, emptied, filled: the result equals a clean write."""
    write(tmp_path / "store", numbered(before[0]), cap=before[1])
    write(tmp_path / "store", numbered(after[0]), cap=after[1])
    clean = clean_bytes(tmp_path / "clean", numbered(after[0]), cap=after[1])
    assert committed(tmp_path / "store") == clean


def test_leftovers_and_damage_are_written_over(tmp_path: Path) -> None:
    """Foreign shards, cut shards, a broken manifest, old temporary files: all put right."""
    store = tmp_path / "store"
    clean = clean_bytes(store, numbered(6))
    (store / "docs-3.jsonl").write_bytes(b"left by a kill")
    (store / "docs.jsonl").write_bytes(b"cut")
    (store / "manifest.json").write_bytes(b"{")
    scratch = store / ".cache" / "tmp"
    for name in ("docs.jsonl.77-1.tmp", "manifest.json.77-2.tmp", "snapshot.77-3.tmp"):
        (scratch / name).write_bytes(b"x")
    write(store, numbered(6))
    assert committed(store) == clean
    assert list(scratch.iterdir()) == []


def test_other_files_in_the_folder_are_left_alone(tmp_path: Path) -> None:
    """Only files named like shards are the store's own."""
    write(tmp_path / "store", numbered(3))
    (tmp_path / "store" / "README.md").write_text("mine")
    write(tmp_path / "store", numbered(60), cap=CAP)
    assert (tmp_path / "store" / "README.md").read_text() == "mine"


def test_a_newer_store_is_not_written_over(tmp_path: Path) -> None:
    """An older memidx must not destroy what a newer one wrote."""
    store = tmp_path / "store"
    write(store, numbered(3))
    text = (store / "manifest.json").read_text().replace('"2.0"', '"3.0"')
    (store / "manifest.json").write_text(text)
    before = committed(store)
    with pytest.raises(StoreVersion):
        write(store, numbered(4))
    assert committed(store) == before


def test_refused_documents_leave_the_store_untouched(tmp_path: Path) -> None:
    """Too large a line, or more than one file allowed: refused before a byte is written."""
    store = tmp_path / "store"
    before = clean_bytes(store, numbered(3))
    with pytest.raises(InputError):
        write(store, numbered(60), cap=CAP, shard=False)
    with pytest.raises(InputError):
        write(store, numbered(3), cap=100)
    assert committed(store) == before


def test_a_file_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    """It is not replaced by a folder."""
    (tmp_path / "store").write_text("mine")
    with pytest.raises(InputError, match="not a store"):
        write(tmp_path / "store", numbered(3))
    assert (tmp_path / "store").read_text() == "mine"


def test_a_linked_store_stays_a_link(tmp_path: Path) -> None:
    """The folder behind the link holds the files."""
    (tmp_path / "real").mkdir()
    (tmp_path / "store").symlink_to("real")
    clean = clean_bytes(tmp_path / "store", numbered(3))
    write(tmp_path / "store", numbered(60), cap=CAP)
    write(tmp_path / "store", numbered(3))
    assert (tmp_path / "store").is_symlink()
    assert committed(tmp_path / "real") == clean


def test_permission_bits_of_the_files_are_kept(tmp_path: Path) -> None:
    """A store shared with a group stays shared."""
    store = tmp_path / "store"
    write(store, numbered(3))
    (store / "docs.jsonl").chmod(0o664)
    write(store, numbered(4))
    assert stat.S_IMODE((store / "docs.jsonl").stat().st_mode) == 0o664


def test_git_does_not_see_the_cache(tmp_path: Path) -> None:
    """`git status` names the store's files only."""
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    write(tmp_path / "store", numbered(3))
    status = subprocess.run(
        ["git", "-C", str(tmp_path), "status", "--porcelain", "-uall"],
        check=True,
        capture_output=True,
        text=True,
    )
    assert status.stdout.split("\n") == ["?? store/docs.jsonl", "?? store/manifest.json", ""]


def test_a_changed_ignore_file_is_put_right(tmp_path: Path) -> None:
    """The cache stays out of git whatever was done to its .gitignore."""
    prepare_store(str(tmp_path / "store"))
    ignore = tmp_path / "store" / ".cache" / ".gitignore"
    before = ignore.read_bytes()
    ignore.write_bytes(b"")
    prepare_store(str(tmp_path / "store"))
    assert ignore.read_bytes() == before
    assert b"\n*\n" in before


@pytest.mark.parametrize("step", range(12))
def test_a_full_disk_leaves_the_old_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    """ENOSPC at any write of a split: a message, the old documents, no litter."""
    store = tmp_path / "store"
    before = clean_bytes(store, numbered(60))
    real, done = files._write, iter(range(10**6))

    def full(descriptor: int, data: memoryview) -> int:
        if next(done) >= step:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(descriptor, data)

    monkeypatch.setattr(files, "_write", full)
    with pytest.raises(FileError, match="No space left on device") as caught:
        write(store, numbered(61), cap=CAP)
    assert caught.value.hint is not None
    assert committed(store) == before
    assert list((store / ".cache" / "tmp").iterdir()) == []
    monkeypatch.undo()
    write(store, numbered(61), cap=CAP)
    assert committed(store) == clean_bytes(tmp_path / "clean", numbered(61), cap=CAP)


def test_a_disk_that_fills_up_while_damage_is_healed_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a broken manifest the shards that were there before are not taken back."""
    store = tmp_path / "store"
    write(store, numbered(6))
    (store / "manifest.json").write_bytes(b"{")
    real = files._rename

    def full(source: str, target: str) -> None:
        if target.endswith("manifest.json"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(source, target)

    monkeypatch.setattr(files, "_rename", full)
    with pytest.raises(FileError):
        write(store, numbered(7))
    assert (store / "docs.jsonl").exists()


def test_a_read_only_folder_is_an_error_with_the_reason(tmp_path: Path) -> None:
    """As a user without the right: refused, nothing changed."""
    store = tmp_path / "store"
    before = clean_bytes(store, numbered(3))
    program = textwrap.dedent(
        """
        import os, sys
        sys.path[:0] = sys.argv[2:]
        import filelock
        from memidx.errors import FileError
        from memidx.store.lock import store_lock
        from tests.unit.store.helpers import numbered, write
        # Another user may not be able to read the checkout: everything is loaded by now.
        if os.geteuid() == 0:
            os.setuid(65534)
        try:
            with store_lock(sys.argv[1], 1):
                print("locked")
        except FileError as error:
            print(error.message)
        try:
            write(sys.argv[1], numbered(4))
        except FileError as error:
            print(error.message)
        """
    )
    folders = [store, *(p for p in store.rglob("*") if p.is_dir())]
    for folder in (*tmp_path.parents[:2], tmp_path):
        if os.geteuid() == 0 and folder.stat().st_uid == 0:
            folder.chmod(folder.stat().st_mode | 0o555)
    for folder in folders:
        folder.chmod(0o555)
    try:
        done = subprocess.run(
            [sys.executable, "-c", program, str(store), *sys.path],
            capture_output=True,
            text=True,
            check=False,
            cwd=Path(__file__).parents[3],
        )
    finally:
        for folder in folders:
            folder.chmod(0o755)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert [line.rpartition(": ")[2] for line in lines] == ["Permission denied"] * 2
    assert committed(store) == before


def test_a_written_store_is_sound(tmp_path: Path) -> None:
    """Reader and writer agree."""
    write(tmp_path / "store", numbered(200), cap=CAP)
    stored = read_store(str(tmp_path / "store"))
    assert stored.damage == ()
    assert stored.lines == numbered(200)
