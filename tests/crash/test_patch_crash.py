"""A build that dies while it patches leaves the line old or new, and nothing to clean."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import pytest

import memidx
from memidx import files
from memidx.store.reader import read_store
from tests.faults.patching import PATCHING, Project

CALLS = ("_open_new", "_write", "_fsync", "_rename", "_unlink", "_mkdir", "_chmod")
EDIT = "# Note 3\n\nAnother text.\n"


class Killed(BaseException):
    """Stands for the process being gone: nothing in the package may catch it."""


def run_until(monkeypatch: pytest.MonkeyPatch, project: Project, at: int, when: str) -> bool:
    """Build, and die at the n-th system call; False when there are fewer."""
    n_calls, dead = 0, False

    def wrap(name: str, real: Any) -> Any:
        def call(*arguments: Any) -> Any:
            nonlocal n_calls, dead
            if dead:
                raise Killed
            n_calls += 1
            if n_calls != at:
                return real(*arguments)
            dead = True
            if when == "after":
                real(*arguments)
            elif when == "half" and name == "_write":
                real(arguments[0], arguments[1][: len(arguments[1]) // 2])
            raise Killed

        return call

    with monkeypatch.context() as patched:
        for name in CALLS:
            patched.setattr(files, name, wrap(name, getattr(files, name)))
        with contextlib.suppress(Killed):
            project.build()
    return dead


@pytest.mark.parametrize("env", [PATCHING, {}])
@pytest.mark.parametrize("when", ["before", "half", "after"])
def test_every_instant_of_a_patch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: str, env: dict[str, str]
) -> None:
    """Killed at each call in turn; the next build completes it, with the setting and without."""
    monkeypatch.setattr(files, "_fsync", lambda descriptor: None)
    first = Project(tmp_path / "first")
    first.build()
    old = read_store(str(first.store)).lines
    first.edit("03.md", EDIT)
    clean = first.clean()
    shards = set()
    at = 0
    while True:
        at += 1
        project = Project(tmp_path / f"{at}")
        project.build()
        project.edit("03.md", EDIT)
        died = run_until(monkeypatch, project, at, when)
        stored = read_store(str(project.store))
        assert stored.damage == ()
        assert stored.lines.keys() == old.keys()
        shards.add((project.store / "docs.jsonl").read_bytes())
        project.build(env=env)
        assert project.committed() == clean
        # The probe of a cache that can be written is nobody's target, and not a patch's.
        left = [path.name for path in project.store.rglob("*.tmp")]
        assert [name for name in left if not name.startswith(".memidx-probe")] == []
        if not died:
            break
    assert at > 8
    assert len(shards) == 2


def test_bytes_are_durable_before_their_name_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Script and shard are each synced, renamed, and their folder synced; in this order."""
    project = Project(tmp_path)
    project.build()
    project.edit("03.md", EDIT)
    trace: list[tuple[str, Any]] = []
    for name in CALLS:
        real = getattr(files, name)

        def call(*arguments: Any, name: str = name, real: Any = real) -> Any:
            trace.append((name, arguments))
            return real(*arguments)

        monkeypatch.setattr(files, name, call)
    report = memidx.build([str(project.root)], store=str(project.store), env=PATCHING)
    assert report.patch is not None
    assert report.patch.applied
    names = [name for name, _ in trace]
    renamed = [Path(a[1]).name for name, a in trace if name == "_rename"]
    assert renamed[:2] == ["incremental-update.sed", "docs.jsonl"]
    for place, (name, arguments) in enumerate(trace):
        if name == "_rename" and Path(arguments[1]).name in renamed[:2]:
            assert names[place - 1] == names[place + 1] == "_fsync"
