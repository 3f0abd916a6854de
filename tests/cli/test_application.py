"""The application says what it is and what it can do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from memidx.cli.app import COMMANDS
from memidx.version import VERSION
from tests.cli.conftest import Run


def test_version(run: Run) -> None:
    """`--version` is one line on stdout."""
    result = run("--version")
    assert (result.exit_code, result.stdout, result.stderr) == (0, f"memidx {VERSION}\n", "")


@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_help_names_every_command_with_a_sentence(run: Run, flag: str) -> None:
    """Each command is listed, and its line says what it does."""
    lines = run(flag).stdout.splitlines()
    for command in COMMANDS:
        (line,) = [line for line in lines if line.split()[:1] == [command]]
        assert len(line.split()) > 3


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(run: Run, command: str) -> None:
    """Help of a command is on stdout and names the command as it is called."""
    result = run(command, "--help")
    assert result.exit_code == 0
    assert result.stdout.startswith(f"Usage: memidx {command} ")


def _module(*arguments: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "memidx", *arguments],
        cwd=cwd,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def test_python_m_memidx(repository: Path) -> None:
    """The package runs as a module, under its own name."""
    assert _module("--version", cwd=repository).stdout == f"memidx {VERSION}\n"
    assert _module("--help", cwd=repository).stdout.startswith("Usage: memidx ")


def test_a_shell_can_complete_commands(repository: Path) -> None:
    """The shell's question is answered with the commands that fit."""
    found = _module(
        cwd=repository,
        _MEMIDX_COMPLETE="complete_bash",
        COMP_WORDS="memidx qu",
        COMP_CWORD="1",
    )
    assert found.stdout.split() == ["query"]
    options = _module(
        cwd=repository,
        _MEMIDX_COMPLETE="complete_bash",
        COMP_WORDS="memidx query --off",
        COMP_CWORD="2",
    )
    assert options.stdout.split() == ["--offset"]
