"""Can another repository take up the action and the hooks?"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.main import get_command

from memidx.cli.app import app

ACTION = ".github/actions/memidx/action.yml"
HOOKS = ".pre-commit-hooks.yaml"
_EXPRESSION = re.compile(r"\$\{\{.*?\}\}")

# Notes what it is asked, writes a report and ends as it is told.
_STAND_IN = """#!/bin/sh
for a in "$@"; do printf '<%s>' "$a" >> "$LOG"; done; echo >> "$LOG"
mkdir -p "$REPORT_DIR"; echo "# Report" > "$REPORT_DIR/report.md"
exit "$CODE"
"""


@pytest.fixture
def action(repository: Path) -> dict[str, Any]:
    """The action, every value as text."""
    text = (repository / ACTION).read_text(encoding="utf-8")
    read: dict[str, Any] = yaml.load(text, yaml.BaseLoader)
    return read


def _options(command: str) -> set[str]:
    group: Any = get_command(app)
    found = group.get_command(None, command)
    return {name for given in found.params for name in (*given.opts, *given.secondary_opts)}


def _ran(action: dict[str, Any], name: str) -> dict[str, Any]:
    (step,) = (step for step in action["runs"]["steps"] if step["name"] == name)
    found: dict[str, Any] = step
    return found


def test_the_action_is_whole(action: dict[str, Any]) -> None:
    """It is composite; each step has a shell; inputs are described, have defaults and are used."""
    assert action["runs"]["using"] == "composite"
    assert all(step["shell"] == "bash" for step in action["runs"]["steps"])
    text = yaml.dump(action["runs"])
    for name, given in action["inputs"].items():
        assert given["description"]
        assert "default" in given
        assert f"inputs.{name}" in text
    used = set(re.findall(r"inputs\.([\w-]+)", yaml.dump(action)))
    assert used == set(action["inputs"])


def test_no_input_is_text_of_a_command(action: dict[str, Any]) -> None:
    """What a caller gives reaches the shell as a variable, so it cannot become a command."""
    for step in action["runs"]["steps"]:
        assert not _EXPRESSION.search(step["run"])


def test_the_action_calls_what_there_is(action: dict[str, Any], repository: Path) -> None:
    """Its commands and options exist, and its defaults are files of a usual project."""
    assert "memidx build --check" in _ran(action, "Check the store")["run"]
    options = set(re.findall(r"(--[a-z-]+)", _ran(action, "Evaluate")["run"]))
    assert options == {"--baseline", "--report-dir", "--junit"}
    assert options <= _options("eval")
    assert "--check" in _options("build")
    assert (repository / action["inputs"]["suite"]["default"]).is_file()
    # $HERE/../../.. is what pip installs.
    assert (repository / ACTION).parents[3] == repository
    assert "$HERE/../../.." in _ran(action, "Install")["run"]


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize("code", [0, 1, 3])
@pytest.mark.parametrize("baseline", ["", "a b.json"])
def test_the_action_ends_as_memidx_does_and_shows_the_report(
    action: dict[str, Any], tmp_path: Path, code: int, baseline: str
) -> None:
    """The report is in the summary whatever the outcome; names with spaces stay one argument."""
    stand_in = tmp_path / "bin" / "memidx"
    stand_in.parent.mkdir()
    stand_in.write_text(_STAND_IN)
    stand_in.chmod(0o755)
    folder, summary = tmp_path / "re ports", tmp_path / "summary.md"
    environment = {
        "PATH": f"{stand_in.parent}:{os.environ['PATH']}",
        "SUITE": "my queries.yaml; exit 9",
        "BASELINE": baseline,
        "REPORT_DIR": str(folder),
        "GITHUB_STEP_SUMMARY": str(summary),
        "LOG": str(tmp_path / "log"),
        "CODE": str(code),
    }
    script = _ran(action, "Evaluate")["run"]
    shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    ended = subprocess.run(shell, env=environment, cwd=tmp_path, check=False)
    assert ended.returncode == code
    assert summary.read_text() == "# Report\n"
    held = f"<--baseline><{baseline}>" if baseline else ""
    assert (tmp_path / "log").read_text() == (
        f"<eval><my queries.yaml; exit 9>{held}<--report-dir><{folder}><--junit>"
        f"<{folder}/junit.xml>\n"
    )


def test_the_hooks_are_whole(repository: Path) -> None:
    """Each has what pre-commit demands, looks at the whole project, and calls what there is."""
    hooks = yaml.safe_load((repository / HOOKS).read_text(encoding="utf-8"))
    assert [hook["id"] for hook in hooks] == ["memidx-build-check", "memidx-eval-lint"]
    for hook in hooks:
        assert hook["name"]
        assert hook["language"] == "python"
        assert hook["pass_filenames"] is False
        assert hook["always_run"] is True
        program, command, *options = [*hook["entry"].split(), *hook.get("args", [])]
        assert program == "memidx"
        assert {name for name in options if name.startswith("--")} <= _options(command)
