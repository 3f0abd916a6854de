"""What do all tests share?"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

from tests.counting import COUNTS

REPOSITORY = Path(__file__).resolve().parents[1]

# The same examples in every run, and no test that a busy machine can fail.
# HYPOTHESIS_PROFILE=explore looks for new ones.
settings.register_profile("check", derandomize=True, deadline=None, print_blob=True)
settings.register_profile("explore", deadline=None, max_examples=1000, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "check"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """How many crash points, flipped bytes and concurrent operations were tried."""
    if COUNTS:
        terminalreporter.section("tried", "-")
        for what, n in sorted(COUNTS.items()):
            terminalreporter.write_line(f"{n:>9,} {what}")


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting of the person who runs the tests reaches a test."""
    for name in list(os.environ):
        if name.startswith(("MEMIDX_", "_MEMIDX_", "TYPER_")):
            monkeypatch.delenv(name)
    for name in ("NO_COLOR", "FORCE_COLOR", "PY_COLORS", "SOURCE_DATE_EPOCH", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="session")
def repository() -> Path:
    """The checkout's root folder."""
    return REPOSITORY


@pytest.fixture(scope="session")
def shared() -> Path:
    """`../shared`: corpora and collections that are not part of the project."""
    folder = REPOSITORY.parent / "shared"
    if not folder.is_dir():
        pytest.skip(
            "../shared is not there: this test reads third-party data kept beside the project"
        )
    return folder
