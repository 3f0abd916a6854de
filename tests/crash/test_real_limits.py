"""The system itself, not a stand-in: killed processes, a full disk, a read-only folder, a lock."""

from __future__ import annotations

import gc
import os
import resource
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import memidx
from memidx.cli import exit_codes
from memidx.errors import FileError, MemidxError, StoreLocked
from memidx.snapshot import publish, updating
from memidx.store.lock import store_lock
from tests.counting import count
from tests.crash.world import LARGE, WRITES_STORE, World, committed
from tests.disk import Call, Disk, stray_files, temporary_files
from tests.support import let_anybody_enter, write_tree

NOTES = {f"n{i}.md": f"# Note {i}\n\nA lantern, and word{i}.\n" for i in range(3)}


@contextmanager
def forked(run: Callable[[], None]) -> Iterator[int]:
    """A child process that does `run` and ends with 0, or 1 where it raised; killed at the end."""
    child = os.fork()
    if not child:
        code = 1
        try:
            run()
            code = 0
        finally:
            os._exit(code)
    try:
        yield child
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def ended(run: Callable[[], None]) -> int:
    """How a child process that does `run` ends: its code, or minus the signal that ended it."""
    child = os.fork()
    if not child:
        code = 1
        try:
            run()
            code = 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.parametrize(
    "name", WRITES_STORE if LARGE else ["build that splits", "search that refreshes"]
)
def test_a_killed_process(tmp_path: Path, name: str) -> None:
    """A child is killed, or exits without a word, before each change it would make to the disk."""
    world = World(tmp_path, name)
    points = 0
    at = 0
    while True:
        at += 1

        def decide(disk: Disk, call: Call, at: int = at) -> None:
            if call.changes and sum(done.changes for done in disk.calls) == at:
                if at % 2:
                    os.kill(os.getpid(), signal.SIGKILL)
                os._exit(77)

        with world.project() as root:

            def run(root: Path = root, decide: Callable[[Disk, Call], None] = decide) -> None:
                with Disk(decide).under():
                    world.scenario.run(root)

            code = ended(run)
            if code == 0:
                break
            assert code == (-signal.SIGKILL if at % 2 else 77)
            points += 1
            world.check_all(root)
    count("child processes killed", points)
    # A small build after edits changes the disk least.
    assert points >= (13 if name == "small build after edits" else 15)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 96 KiB of its own, where that can be had."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=96k", "memidx-test", str(place)],
        check=False,
        capture_output=True,
    )
    if mounted.returncode:
        pytest.skip("no file system can be mounted here")
    yield place
    # A caught error keeps the frames it went through, and these what they had put aside.
    gc.collect()
    subprocess.run(["umount", str(place)], check=True)


def test_a_full_disk(small_disk: Path, tmp_path: Path) -> None:
    """The build names the file and keeps the old index; a search answers all the same."""
    root = write_tree(tmp_path / "project", NOTES)
    store = small_disk / "store"
    memidx.build(root=str(root), store=str(store), env={})
    before = committed(store)
    write_tree(root, {f"long{n}.md": f"# Long {n}\n\n" + f"ballast{n} " * 2000 for n in range(6)})
    with pytest.raises(FileError) as caught:
        memidx.build(root=str(root), store=str(store), env={})
    assert "No space left on device" in caught.value.message
    assert str(caught.value.path).startswith(str(store))
    assert "free some space" in str(caught.value.hint)
    assert exit_codes.for_error(caught.value) == exit_codes.UNFINISHED
    assert committed(store) == before
    assert stray_files(store) == []
    with memidx.open(str(store), root=str(root), env={}) as index:
        assert len(index.search("lantern", k=10).hits) == 3
        assert index.search("ballast4").hits[0].doc_id == "long4.md"
    assert temporary_files(store) == []
    for path in root.glob("long*.md"):
        path.write_text("# Short\n\nballast\n")
    memidx.build(root=str(root), store=str(store), env={})
    memidx.build(root=str(root), store=str(tmp_path / "clean"), env={})
    assert committed(store) == committed(tmp_path / "clean")
    assert stray_files(store) == []


def test_a_file_the_system_does_not_let_grow(tmp_path: Path) -> None:
    """A limit of the process stands for a quota: the kernel refuses in the middle of a write."""
    root = write_tree(tmp_path / "project", NOTES)
    store = root / "store"
    memidx.build(root=str(root), env={})
    before = committed(store)
    write_tree(root, {"long.md": "# Long\n\n" + "ballast " * 9000})

    def limited() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
        with pytest.raises(FileError, match=r"docs\.jsonl: cannot write: File too large"):
            memidx.build(root=str(root), env={})
        assert committed(store) == before
        with memidx.open(str(store), env={}) as index:
            answer = index.search("ballast")
            assert [hit.doc_id for hit in answer.hits] == ["long.md"]
            assert any("memory" in note for note in answer.notes)

    assert ended(limited) == 0
    assert committed(store) == before
    assert stray_files(store) == []


def test_a_read_only_store(tmp_path: Path) -> None:
    """A build says which folder; a search does without, and nothing is written anywhere."""
    root = write_tree(tmp_path / "project", NOTES)
    store = root / "store"
    memidx.build(root=str(root), env={})
    write_tree(root, {"n1.md": "# Note 1\n\nA lantern, and another.\n"})
    everything = {p: p.read_bytes() for p in store.rglob("*") if p.is_file()}
    let_anybody_enter(tmp_path)
    for path in (store, *store.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)

    def as_nobody() -> None:
        if os.geteuid() == 0:
            os.setuid(65534)
        with pytest.raises(MemidxError) as caught:
            memidx.build(root=str(root), env={})
        assert str(caught.value.path).startswith(str(store))
        assert exit_codes.for_error(caught.value) == exit_codes.UNFINISHED
        assert "Permission denied" in caught.value.message
        with memidx.open(str(store), env={}) as index:
            answer = index.search("another")
            assert [hit.doc_id for hit in answer.hits] == ["n1.md"]
            assert any("cannot be written" in note for note in answer.notes)

    assert ended(as_nobody) == 0
    assert {p: p.read_bytes() for p in store.rglob("*") if p.is_file()} == everything
    for path in (store, *store.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)


def test_a_lock_that_another_process_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A build names the lock, a search says `stale`; a holder that is killed leaves it free."""
    monkeypatch.setattr(publish, "BUILD_LOCK_WAIT_S", 0.1)
    monkeypatch.setattr(updating, "LOCK_WAIT_S", 0.1)
    root = write_tree(tmp_path / "project", NOTES)
    store = root / "store"
    memidx.build(root=str(root), env={})
    before = committed(store)
    write_tree(root, {"n1.md": "# Note 1\n\nA lantern, and another.\n"})
    taken = tmp_path / "taken"

    def hold() -> None:
        with store_lock(str(store), 5.0):
            taken.touch()
            time.sleep(600)

    with forked(hold):
        while not taken.exists():
            time.sleep(0.01)
        with pytest.raises(StoreLocked) as caught:
            memidx.build(root=str(root), env={})
        assert caught.value.path == str(store / ".cache" / "lock")
        assert "frees itself" in str(caught.value.hint)
        assert exit_codes.for_error(caught.value) == exit_codes.UNFINISHED
        with memidx.open(str(store), env={}) as index:
            answer = index.search("another")
        assert (answer.freshness, len(answer.hits)) == ("stale", 0)
        assert exit_codes.for_answer(answer) == exit_codes.UNFINISHED
        assert committed(store) == before
    assert memidx.build(root=str(root), env={}).changed == ("n1.md",)
    assert stray_files(store) == []
