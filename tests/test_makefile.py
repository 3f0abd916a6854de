"""Do `make` and the machine's script do what a person is told they do?

A stand-in for Python notes what it is asked, so that nothing is installed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")

# As PYTHON it makes an environment whose python and memidx are itself; as those it takes note.
_STAND_IN = """#!/bin/sh
case "$1 $2" in
"-m venv")
    mkdir -p "$3/bin"
    cp "$STAND_IN" "$3/bin/python"
    cp "$STAND_IN" "$3/bin/memidx" ;;
esac
case "$1" in -c) ;; *) echo "$(basename "$0") $*" >> "$LOG" ;; esac
case "$0" in */memidx) exit "${CODE:-0}" ;; esac
"""


class Checkout:
    """A folder with the Makefile, and a log of what it ran."""

    def __init__(self, folder: Path, repository: Path) -> None:
        self.folder = folder / "a checkout"
        self.folder.mkdir()
        for name in ("Makefile", "pyproject.toml"):
            shutil.copy(repository / name, self.folder)
        self.stand_in = folder / "stand-in"
        self.stand_in.write_text(_STAND_IN)
        self.stand_in.chmod(0o755)
        self.log = folder / "log"

    def make(self, *arguments: str) -> list[str]:
        """What was run for a target that succeeds."""
        done = self.start(*arguments)
        assert done.returncode == 0, done.stderr
        return self.log.read_text().splitlines()

    def start(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """What became of a target."""
        self.log.write_text("")
        return subprocess.run(
            ["make", *arguments, f"PYTHON={self.stand_in}"],
            cwd=self.folder,
            env={
                "PATH": os.environ["PATH"],
                "STAND_IN": str(self.stand_in),
                "LOG": str(self.log),
                **environment,
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture
def checkout(tmp_path: Path, repository: Path) -> Checkout:
    """A fresh checkout, in a folder with a space in its name."""
    return Checkout(tmp_path, repository)


_MADE = "stand-in -m venv .venv"
_CORE = "python -m pip --disable-pip-version-check --no-input install --quiet -e ."
_RUN = "memidx eval queries.yaml"


def test_eval_installs_the_core_once_and_runs_the_suite(checkout: Checkout) -> None:
    """The first call makes the environment; the second only runs."""
    assert checkout.make("eval") == [_MADE, _CORE, _RUN]
    assert checkout.make("eval") == [_RUN]


def test_new_requirements_are_installed(checkout: Checkout) -> None:
    """A newer pyproject.toml installs again, into the environment that is there."""
    checkout.make("eval")
    stamp = checkout.folder / ".venv" / ".installed-core"
    newer = stamp.stat().st_mtime + 10
    os.utime(checkout.folder / "pyproject.toml", (newer, newer))
    os.utime(stamp, (newer - 20, newer - 20))
    assert checkout.make("eval") == [_CORE, _RUN]


def test_a_moved_checkout_gets_a_new_environment(checkout: Checkout, tmp_path: Path) -> None:
    """Scripts of an environment hold its old path: it is made anew, not repaired."""
    checkout.make("eval")
    checkout.folder = checkout.folder.rename(tmp_path / "moved")
    assert checkout.make("eval") == [_MADE, _CORE, _RUN]


def test_an_environment_without_its_python_is_made_anew(checkout: Checkout) -> None:
    """A Python that was uninstalled leaves a broken environment behind."""
    checkout.make("eval")
    (checkout.folder / ".venv" / "bin" / "python").unlink()
    assert checkout.make("eval") == [_MADE, _CORE, _RUN]


def test_an_install_that_failed_is_tried_again(checkout: Checkout) -> None:
    """Without its stamp an environment counts as not installed."""
    checkout.make("eval")
    (checkout.folder / ".venv" / ".installed-core").unlink()
    assert checkout.make("eval") == [_CORE, _RUN]


@pytest.mark.parametrize(
    ("target", "run"),
    [
        ("report", f"{_RUN} --baseline evals/baseline.json --format md"),
        ("nightly", f"{_RUN} --baseline evals/baseline.json --record"),
    ],
)
def test_automation_names_the_baseline(checkout: Checkout, target: str, run: str) -> None:
    """A baseline that somebody removed is inconclusive there, not passed over."""
    assert checkout.make(target) == [_MADE, _CORE, run]


@pytest.mark.parametrize(
    ("target", "shown"), [("report", "verdict\n"), ("nightly", "verdict\nruns\n")]
)
@pytest.mark.parametrize("code", ["0", "1", "3"])
def test_reports_go_to_the_summary_whatever_the_outcome(
    checkout: Checkout, target: str, shown: str, code: str
) -> None:
    """Where there is a summary the reports are appended to it; a failure stays one."""
    latest = checkout.folder / "reports" / "latest"
    latest.mkdir(parents=True)
    (latest / "report.md").write_text("verdict\n")
    (latest / "history.md").write_text("runs\n")
    summary = checkout.folder.parent / "the summary"
    summary.write_text("before\n")
    done = checkout.start(target, GITHUB_STEP_SUMMARY=str(summary), CODE=code)
    assert (done.returncode == 0) == (code == "0")
    assert summary.read_text() == f"before\n{shown}"


def test_no_python_is_said_as_such(checkout: Checkout) -> None:
    """Where no Python is new enough, the message says what is needed and how to name one."""
    done = subprocess.run(
        ["make", "eval", "PYTHON="],
        cwd=checkout.folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "Python 3.11" in done.stderr
    assert "make PYTHON=" in done.stderr


def test_help_lists_what_there_is(checkout: Checkout) -> None:
    """A bare `make` shows every target with a line about it, and starts nothing."""
    shown = subprocess.run(
        ["make"],
        cwd=checkout.folder,
        env={"PATH": os.environ["PATH"]},  # the suite may itself run under make, which would show
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    assert [line.split()[0] for line in shown] == [
        "help", "eval", "report", "nightly", "test", "check", "stress", "format", "bench",
        "merges", "docs", "clean",
    ]  # fmt: skip
    assert all(len(line.split()) > 3 for line in shown)
    assert not (checkout.folder / ".venv").exists()


def test_the_machine_runs_what_a_person_runs(repository: Path) -> None:
    """`.ci/run` can be started, and calls `make test` alone."""
    script = repository / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert script.read_text().splitlines()[-1] == "exec make test"
