"""One writer at a time."""

from __future__ import annotations

import errno
import fcntl
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import memidx
from memidx.errors import FileError, StoreLocked
from memidx.store.lock import store_lock
from memidx.store.reader import read_store
from tests.unit.store.helpers import numbered

ROOT = Path(__file__).parents[3]


def test_the_lock_makes_what_it_needs(tmp_path: Path) -> None:
    """A store that is not there yet can be locked; the cache is out of git at once."""
    with store_lock(str(tmp_path / "new" / "store"), 1) as file:
        assert file == str(tmp_path / "new" / "store" / ".cache" / "lock")
        assert (tmp_path / "new" / "store" / ".cache" / ".gitignore").exists()


def test_a_held_lock_is_an_error_that_names_it(tmp_path: Path) -> None:
    """The second caller is told which file, and what to do."""
    with (
        store_lock(str(tmp_path), 1),
        pytest.raises(StoreLocked, match=r"not free within 0\.05 s") as caught,
        store_lock(str(tmp_path), 0.05),
    ):
        pass
    assert caught.value.path == str(tmp_path / ".cache" / "lock")
    assert caught.value.hint


def test_the_lock_is_free_afterwards(tmp_path: Path) -> None:
    """After the block, and after an error in it."""
    with pytest.raises(ZeroDivisionError), store_lock(str(tmp_path), 0):
        raise ZeroDivisionError
    with store_lock(str(tmp_path), 0):
        pass


def test_threads_wait_for_each_other(tmp_path: Path) -> None:
    """Within one process too."""
    inside, most = 0, 0

    def hold() -> None:
        nonlocal inside, most
        with store_lock(str(tmp_path), 10):
            inside += 1
            most = max(most, inside)
            threading.Event().wait(0.02)
            inside -= 1

    threads = [threading.Thread(target=hold) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def test_a_killed_holder_frees_the_lock(tmp_path: Path) -> None:
    """Nothing to clean by hand after kill -9."""
    program = (
        "import sys, time; from memidx.store.lock import store_lock\n"
        "with store_lock(sys.argv[1], 5):\n    print('held', flush=True); time.sleep(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)], stdout=subprocess.PIPE, cwd=ROOT
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(StoreLocked), store_lock(str(tmp_path), 0):
            pass
        holder.kill()
        with store_lock(str(tmp_path), 5):
            pass


def test_four_builders_come_one_after_another(tmp_path: Path) -> None:
    """Each adds its ten notes to what it finds; none is lost."""
    program = (
        "import sys; from memidx.errors import StoreMissing\n"
        "from memidx.store.lock import store_lock\n"
        "from memidx.store.reader import read_store\n"
        "from tests.unit.store.helpers import numbered, write\n"
        "for n in range(10):\n"
        "    with store_lock(sys.argv[1], 60):\n"
        "        try: lines = read_store(sys.argv[1]).lines\n"
        "        except StoreMissing: lines = {}\n"
        "        lines = {**lines, **numbered(1, start=int(sys.argv[2]) * 10 + n)}\n"
        "        write(sys.argv[1], lines, cap=3000)\n"
    )
    builders = [
        subprocess.Popen([sys.executable, "-c", program, str(tmp_path), str(n)], cwd=ROOT)
        for n in range(4)
    ]
    assert [builder.wait() for builder in builders] == [0, 0, 0, 0]
    stored = read_store(str(tmp_path))
    assert stored.damage == ()
    assert stored.lines == numbered(40)


@pytest.mark.parametrize("name", ["ENOSYS", "ENOLCK", "EIO", "EOPNOTSUPP"])
def test_a_file_system_without_locks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A build is refused with the lock's name; a search answers without, and says so."""
    (tmp_path / "a.md").write_text("# A\n\nlantern\n")
    memidx.build(root=str(tmp_path), env={})
    (tmp_path / "a.md").write_text("# A\n\nlantern, edited\n")

    def refuse(*arguments: Any) -> None:
        number = getattr(errno, name)
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "flock", refuse)
    with pytest.raises(FileError, match="cannot lock") as caught:
        memidx.build(root=str(tmp_path), env={})
    assert caught.value.path == str(tmp_path / "store/.cache/lock")
    with memidx.open(str(tmp_path / "store"), env={}) as index:
        answer = index.search("edited")
    assert [hit.doc_id for hit in answer.hits] == ["a.md"]
    assert any("cannot be locked" in note for note in answer.notes)
