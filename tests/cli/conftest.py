"""How do tests run a command?"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import memidx
from memidx.cli.app import app
from tests.cli.fakes import FakeIndex

Run = Callable[..., Result]


@pytest.fixture
def run() -> Run:
    """Run a command in this process; stdout and stderr apart."""
    runner = CliRunner(env={"COLUMNS": "100"})

    def invoke(*arguments: str) -> Result:
        return runner.invoke(app, list(arguments), prog_name="memidx")

    return invoke


@pytest.fixture
def fake_index(monkeypatch: pytest.MonkeyPatch) -> FakeIndex:
    """What `memidx.open` gives, whatever is opened."""
    index = FakeIndex()

    def opened(store: str, **options: Any) -> FakeIndex:
        index.asked = {"store": store, **options}
        return index

    monkeypatch.setattr(memidx, "open", opened, raising=False)
    return index


@pytest.fixture
def start(repository: Path) -> Callable[..., subprocess.Popen[bytes]]:
    """Start a process that answers with `hits` hits, whatever is asked; bytes in, bytes out."""

    def process(*arguments: str, hits: int = 1, **options: Any) -> subprocess.Popen[bytes]:
        code = (
            "import sys, memidx\n"
            "from memidx.cli.app import run\n"
            "from tests.cli.fakes import FakeIndex, answer, hit\n"
            "title = 'caf\\xe9 \\u65e5 \\U0001f600'\n"
            f"found = [hit(n, title=title) for n in range(1, {hits} + 1)]\n"
            "memidx.open = lambda *a, **k: FakeIndex(answer(*found))\n"
            f"sys.argv = ['memidx', *{list(arguments)!r}]\n"
            "run()\n"
        )
        environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(repository),
            "PYTHONUTF8": "0",
            **options.pop("env", {}),
        }
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        return subprocess.Popen(
            [sys.executable, "-c", code], env=environment, stdin=subprocess.DEVNULL, **streams
        )

    return process
