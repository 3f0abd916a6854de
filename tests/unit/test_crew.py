"""Work that is shared gives what work done alone gives."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from threading import current_thread, main_thread
from time import sleep
from typing import Any

import pytest

import memidx
from memidx import crew
from memidx.crew import crew_of, current_crew
from memidx.errors import FileError, StoreError
from memidx.indexing import reading
from memidx.snapshot import inversion, publish, workers
from memidx.store.writer import Written, write_store
from tests.git_support import ENV, Git
from tests.support import write_tree

_SOURCES = """
[[sources]]
name = "notes"
kind = "markdown"
include = ["b/**"]
[[sources]]
name = "rows"
kind = "records"
include = ["a/*.jsonl"]
[[sources]]
name = "commits"
kind = "git"
"""


def _double(number: int) -> tuple[int, int]:
    return os.getpid(), number * 2


def _double_alone(number: int) -> int:
    return number * 2


def _same(data: bytes) -> bytes:
    return data


def _die(parent: int) -> int:
    if os.getpid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)
    return parent


def _fail(number: int) -> int:
    if number == 5:
        raise ValueError(number)
    return number


def test_results_come_in_order_and_from_other_processes() -> None:
    """No more tasks are taken than there are hands for."""
    taken: list[int] = []

    def tasks() -> Iterator[int]:
        for number in range(40):
            taken.append(number)
            yield number

    with crew_of(2):
        helpers = current_crew()
        assert helpers is not None
        assert not helpers.is_started
        results = helpers.map(_double, tasks())
        first = next(results)
        assert len(taken) <= 2 * crew._WAITING + 1
        found = [first, *results]
    assert [number for _, number in found] == [2 * number for number in range(40)]
    assert len({process for process, _ in found} - {os.getpid()}) == 1
    assert current_crew() is None


def _is_loaded(name: str) -> tuple[int, bool]:
    return os.getpid(), name in sys.modules


def test_helpers_get_ready_before_there_is_work() -> None:
    """One at first, the others as soon as there is something to do; with what they will need."""
    # Nothing but this test loads it.
    name = "pyclbr"
    with crew_of(3, load=(name,)) as helpers:
        assert helpers is not None
        helpers.start(1)
        assert helpers.is_started
        assert len(helpers._helpers) == 1
        found = dict(helpers.map(_is_loaded, [name] * 60))
    assert found.pop(os.getpid(), False) is False
    assert list(found.values()) == [True] * 2


def test_helpers_that_got_no_work_are_not_waited_for() -> None:
    """What a helper prepares is given up when the work turns out to be little."""
    with crew_of(2, load=("numpy",)) as helpers:
        assert helpers is not None
        helpers.start(1)
        (helper,) = helpers._helpers
    assert helper._process.returncode == -signal.SIGKILL
    assert not helpers.is_started


def test_one_process_is_no_crew() -> None:
    """Who works alone starts nobody."""
    with crew_of(1):
        assert current_crew() is None


def test_a_helper_that_is_killed_is_an_error_that_says_what_to_do() -> None:
    """The build ends instead of waiting for ever."""
    with crew_of(3):
        helpers = current_crew()
        assert helpers is not None
        with pytest.raises(StoreError, match="ended from outside") as caught:
            list(helpers.map(_die, [os.getpid()] * 3))
    assert caught.value.hint is not None
    assert "--jobs 1" in caught.value.hint


@pytest.mark.parametrize("size", [2, 4])
def test_an_error_is_raised_where_the_work_was_given_out(size: int) -> None:
    """Whoever met it; and the crew is ready for other work afterwards."""
    with crew_of(size):
        helpers = current_crew()
        assert helpers is not None
        found: list[int] = []
        with pytest.raises(ValueError, match="5"):
            found.extend(helpers.map(_fail, range(50)))
        assert not helpers.is_started
        assert list(helpers.map(_double_alone, range(9))) == [*range(0, 18, 2)]


def _wait_for_the_second(parent: int, file: str, number: int) -> tuple[int, int]:
    """The first task ends when another process has done the second one."""
    if number == 1 and os.getpid() == parent:
        Path(file).touch()
    for _ in range(2000):
        if os.getpid() == parent or Path(file).exists():
            return os.getpid(), number
        sleep(0.01)
    raise TimeoutError(file)


@pytest.mark.parametrize("size", [2, 3])
def test_nobody_waits_for_a_task_that_no_helper_has_come_to(tmp_path: Path, size: int) -> None:
    """Who has nothing to do takes it back; and whose results were not heard is asked no more."""
    work = partial(_wait_for_the_second, os.getpid(), str(tmp_path / "done"))
    with crew_of(size):
        helpers = current_crew()
        assert helpers is not None
        found = list(helpers.map(work, range(7)))
        assert [number for _, number in found] == [*range(7)]
        assert found[0][0] != os.getpid() == found[1][0]
        assert not helpers.is_started
        assert list(helpers.map(_double_alone, range(9))) == [*range(0, 18, 2)]


def test_work_that_is_left_ends_the_helpers() -> None:
    """Who stops asking for results leaves nobody working."""
    with crew_of(2):
        helpers = current_crew()
        assert helpers is not None
        results = helpers.map(_double_alone, range(1000))
        assert next(results) == 0
        results.close()  # type: ignore[attr-defined]  # it is a generator
        assert not helpers.is_started


def test_large_tasks_and_results_pass() -> None:
    """More than a pipe holds, in both directions."""
    with crew_of(3):
        helpers = current_crew()
        assert helpers is not None
        tasks = [bytes([number]) * (3 << 20) for number in range(9)]
        assert list(helpers.map(_same, tasks)) == tasks


def test_a_shared_build_has_the_bytes_of_a_lonely_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Store, snapshot and report do not depend on how many processes there were."""
    root = tmp_path / "root"
    root.mkdir()
    for number in range(60):
        (root / f"{number:02}.md").write_text(
            f"# Note {number}\n\nlock_{number % 7} parseHTML{number} at /home/alice/x\n" * 9
        )
    (root / "bad.md").write_bytes(b"\xff\xfe\x00")
    for module, name in (
        (reading, "_LEAST_BYTES"),
        (reading, "_BATCH_BYTES"),
        (workers, "_LEAST_CHARACTERS"),
        (workers, "_CHUNK_CHARACTERS"),
    ):
        monkeypatch.setattr(module, name, 1 << 12)
    reports = [
        memidx.build(root=str(root), store=str(tmp_path / f"store-{jobs}"), jobs=jobs, env={})
        for jobs in (1, 2)
    ]
    found = [
        {
            path.name: path.read_bytes()
            for folder in (tmp_path / f"store-{jobs}", tmp_path / f"store-{jobs}/.cache")
            for path in folder.iterdir()
            if path.suffix in (".jsonl", ".json", ".bin") and path.name != "state.json"
        }
        for jobs in (1, 2)
    ]
    assert found[0] == found[1]
    assert any(name.startswith("snapshot-") for name in found[0])
    assert reports[0].skips == reports[1].skips != ()
    assert (reports[0].n_read, reports[0].n_added) == (reports[1].n_read, reports[1].n_added)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_disk_that_refuses_the_postings_costs_no_answer(
    jobs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether they are inverted while a thread writes the lines or afterwards."""
    invert = inversion.invert
    refused: list[str] = []
    writers: list[str] = []

    def refuse_once(*arguments: Any) -> inversion.Inverted:
        if not refused:
            refused.append(current_thread().name)
            raise FileError("cannot write: no space is left", path="spool")
        return invert(*arguments)

    def write(*arguments: Any, **options: Any) -> Written:
        writers.append(current_thread().name)
        return write_store(*arguments, **options)

    root = write_tree(tmp_path / "root", {f"{n}.md": f"# Note {n}\n\nlock\n" for n in range(5)})
    monkeypatch.setattr(inversion, "invert", refuse_once)
    monkeypatch.setattr(publish, "write_store", write)
    store = tmp_path / "store"
    report = memidx.build(root=str(root), store=str(store), jobs=jobs, env={})
    assert refused == [main_thread().name]
    assert (writers == refused) == (jobs == 1)
    assert report.n_analysed == report.lines_written == 5
    assert any("no space" in note for note in report.notes)
    assert (store / "docs.jsonl").read_bytes().count(b"\n") == 5


@pytest.mark.parametrize("jobs", [1, 3])
def test_documents_are_counted_where_they_are_read(
    jobs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A snapshot of files, records and commits is the one that is made of all texts at the end."""
    monkeypatch.setattr(reading, "_LEAST_BYTES", 1 << 10)
    monkeypatch.setattr(reading, "_BATCH_BYTES", 1 << 11)
    root = tmp_path / "root"
    repository = Git(root)
    for number in range(9):
        note = f"# Note {number}\n\nword{number % 4} lock\n"
        repository.commit(f"Commit {number}: lock_{number}", {f"b/{number}.md": note})
    (root / "a").mkdir()
    ids = ["z", "a", "m", "a"]
    rows = "".join(f'{{"id": "{name}", "text": "row {name} lock_{name}"}}\n' for name in ids)
    (root / "a/rows.jsonl").write_text(rows)
    (root / "memidx.toml").write_text(_SOURCES)
    store = tmp_path / "store"
    report = memidx.build(root=str(root), store=str(store), jobs=jobs, env=ENV)
    assert report.n_analysed == report.n_docs == 22
    (snapshot,) = (store / ".cache").glob("snapshot-*.bin")
    observed = snapshot.read_bytes()
    shutil.rmtree(store / ".cache")
    with memidx.open(str(store), root=str(root), env=ENV) as index:
        assert index.refresh().n_analysed == 22
    assert snapshot.read_bytes() == observed


@pytest.mark.parametrize("is_told", [False, True])
def test_numpy_is_loaded_without_busy_threads_where_nobody_says_otherwise(is_told: bool) -> None:
    """What a user says of the threads is left alone, and nothing stays of what memidx says."""
    code = (
        "import ctypes, os, sys; from memidx.crew import load_numpy\n"
        "get = ctypes.CDLL(None).getenv; get.restype = ctypes.c_char_p\n"
        "load_numpy(dict(os.environ))\n"
        "print('numpy' in sys.modules, get(b'OPENBLAS_THREAD_TIMEOUT'))"
    )
    told = {"OPENBLAS_THREAD_TIMEOUT": "5"} if is_told else {}
    command = [sys.executable, "-c", code]
    said = subprocess.run(command, env={**os.environ, **told}, capture_output=True, check=True)
    assert said.stdout.decode().split() == (["False", "b'5'"] if is_told else ["True", "None"])
