"""A writer that dies at any instant leaves every document old or new, and nothing to clean."""

from __future__ import annotations

import contextlib
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memidx import files
from memidx.errors import StoreMissing
from memidx.store.reader import Stored, read_store
from tests.unit.store.helpers import clean_bytes, committed, make_doc, make_lines, numbered, write

ROOT = Path(__file__).parents[2]
CALLS = ("_open_new", "_write", "_fsync", "_rename", "_unlink", "_mkdir", "_chmod")
State = tuple[dict[str, bytes], int]


@pytest.fixture
def unsynced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of writes: what the disk does about a sync is not what is tested here."""
    monkeypatch.setattr(files, "_fsync", lambda descriptor: None)


class Killed(BaseException):
    """Stands for the process being gone: nothing in the package may catch it."""


class Killer:
    """Counts system calls and kills at the n-th: before it, after it, or half way through."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, at: int, when: str) -> None:
        self.n_calls = 0
        self.dead = False
        self.trace: list[tuple[str, Any]] = []
        for name in CALLS:
            monkeypatch.setattr(files, name, self._wrap(name, getattr(files, name), at, when))

    def _wrap(self, name: str, real: Callable[..., Any], at: int, when: str) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            if self.dead:
                raise Killed
            self.n_calls += 1
            self.trace.append((name, args))
            if self.n_calls != at:
                return real(*args)
            self.dead = True
            if when == "after":
                real(*args)
            elif when == "half" and name == "_write":
                real(args[0], args[1][: len(args[1]) // 2])
            raise Killed

        return call


CAP = 2000
EDITED = numbered(40) | make_lines([make_doc("notes/007.md", "edited"), make_doc("notes/031.md")])
CHANGES: dict[str, tuple[State | None, State]] = {
    "first": (None, (numbered(8), 10**6)),
    "first, split": (None, (numbered(30), CAP)),
    "edit": ((numbered(40), 10**6), (EDITED, 10**6)),
    "edit in shards": ((numbered(40), CAP), (EDITED, CAP)),
    "add": ((numbered(8), 10**6), (numbered(9), 10**6)),
    "remove": ((numbered(9), 10**6), (numbered(8), 10**6)),
    "remove all": ((numbered(30), CAP), ({}, CAP)),
    "split": ((numbered(40), 10**6), (EDITED, CAP)),
    "split again": ((numbered(40), CAP), (EDITED, 700)),
    "unsplit": ((numbered(40), CAP), (EDITED, 10**6)),
    "unsplit one step": ((numbered(40), 700), (EDITED, CAP)),
    "grow": ((numbered(30), CAP), (numbered(40), CAP)),
    "shrink": ((numbered(40), CAP), (numbered(30), CAP)),
}


def _read(store: Path) -> Stored | None:
    try:
        return read_store(str(store))
    except StoreMissing:
        return None


def _check_old_or_new(stored: Stored | None, old: State | None, new: State) -> None:
    """Every document is as before or as it shall be, and nothing counts as damaged."""
    if stored is None:
        assert old is None
        return
    assert stored.damage == ()
    before = old[0] if old else {}
    for doc_id, line in stored.lines.items():
        assert line in (before.get(doc_id), new[0].get(doc_id))
    assert set(before) & set(new[0]) <= set(stored.lines)


@pytest.mark.usefixtures("unsynced")
@pytest.mark.parametrize("when", ["before", "half", "after"])
@pytest.mark.parametrize("change", CHANGES)
def test_every_instant(tmp_path: Path, change: str, when: str) -> None:
    """Killed at each open, write, fsync, rename, unlink and mkdir in turn."""
    old, new = CHANGES[change]
    clean = clean_bytes(tmp_path / "clean", new[0], cap=new[1])
    at = 0
    while True:
        at += 1
        store = tmp_path / f"store{at}"
        if old:
            write(store, old[0], cap=old[1])
        with pytest.MonkeyPatch.context() as monkeypatch:
            killer = Killer(monkeypatch, at, when)
            with contextlib.suppress(Killed):
                write(store, new[0], cap=new[1])
        _check_old_or_new(_read(store), old, new)
        write(store, new[0], cap=new[1])
        assert committed(store) == clean
        assert [p.name for p in (store / ".cache").rglob("*.tmp")] == []
        if not killer.dead:
            break
    assert at > 5


@pytest.mark.parametrize("change", ["split", "edit in shards"])
def test_a_reader_at_every_instant_sees_all_documents(tmp_path: Path, change: str) -> None:
    """Reading between any two system calls of a writer finds no hole and no damage."""
    old, new = CHANGES[change]
    assert old is not None
    store = tmp_path / "store"
    write(store, old[0], cap=old[1])
    with pytest.MonkeyPatch.context() as monkeypatch:
        for name in CALLS:
            real = getattr(files, name)

            def call(*args: Any, real: Callable[..., Any] = real) -> Any:
                result = real(*args)
                _check_old_or_new(_read(store), old, new)
                return result

            monkeypatch.setattr(files, name, call)
        write(store, new[0], cap=new[1])


@pytest.mark.parametrize("change", CHANGES)
def test_bytes_are_durable_before_their_name_is(tmp_path: Path, change: str) -> None:
    """Power loss: each file is synced before its rename, each folder after it.

    And no old shard is removed before the manifest that no longer names it is durable.
    """
    old, new = CHANGES[change]
    store = tmp_path / "store"
    if old:
        write(store, old[0], cap=old[1])
    with pytest.MonkeyPatch.context() as monkeypatch:
        trace = Killer(monkeypatch, 0, "never")
        write(store, new[0], cap=new[1])
    names = [name for name, _ in trace.trace]
    for place, name in enumerate(names):
        if name == "_rename":
            assert names[place - 1] == names[place + 1] == "_fsync"
        if name == "_unlink":
            assert "_write" not in names[place:]
        if name == "_mkdir":
            assert names[place + 1] == "_fsync"
    if "_unlink" in names:
        assert names[-1] == "_fsync"


WRITER = """
import sys
from memidx.store.lock import store_lock
from tests.unit.store.helpers import numbered, write
states = [(numbered(40), 10**6), (numbered(40, "other {}"), 2000), (numbered(40), 700)]
n = 0
while True:
    lines, cap = states[n % 3]
    with store_lock(sys.argv[1], 30):
        write(sys.argv[1], lines, cap=cap)
    if n == 0:
        print("ready", flush=True)
    n += 1
"""


@contextlib.contextmanager
def _writer(store: Path) -> Iterator[None]:
    """Another process that writes three states in turn until it is killed at the end."""
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(store)], stdout=subprocess.PIPE, cwd=ROOT
    ) as writer:
        try:
            assert writer.stdout is not None
            assert writer.stdout.readline() == b"ready\n"
            yield
        finally:
            writer.send_signal(signal.SIGKILL)


def test_kill_minus_nine(tmp_path: Path) -> None:
    """A real process killed at arbitrary moments, again and again, over the same store."""
    store = tmp_path / "store"
    one, two = numbered(40), numbered(40, "other {}")
    clean = clean_bytes(tmp_path / "clean", one)
    seed = random.Random(7)
    for _ in range(12):
        with _writer(store):
            time.sleep(seed.uniform(0, 0.15))
        stored = read_store(str(store))
        assert stored.damage == ()
        assert set(stored.lines) == set(one)
        assert all(line in (one[d], two[d]) for d, line in stored.lines.items())
    write(store, one)
    assert committed(store) == clean
    assert list((store / ".cache" / "tmp").iterdir()) == []


def test_readers_beside_a_splitting_writer(tmp_path: Path) -> None:
    """While another process splits and joins without rest, no read misses a document."""
    store = tmp_path / "store"
    shapes = set()
    with _writer(store):
        end = time.monotonic() + 2.0
        while time.monotonic() < end:
            stored = read_store(str(store))
            assert stored.damage == ()
            assert len(stored.lines) == 40
            shapes.add(stored.manifest.shards)
    assert len(shapes) > 1
