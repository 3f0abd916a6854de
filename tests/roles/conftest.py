"""How do these tests run a command?"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from typer.testing import CliRunner, Result

from memidx.cli.app import app
from tests.git_support import ENV

Run = Callable[..., Result]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in this process, under no git setting of whoever runs the tests."""
    for key, value in ENV.items():
        monkeypatch.setenv(key, value)
    runner = CliRunner(env={"COLUMNS": "100"})

    def invoke(*arguments: object) -> Result:
        return runner.invoke(app, [str(a) for a in arguments], prog_name="memidx")

    return invoke
