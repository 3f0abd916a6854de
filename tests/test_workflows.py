"""Do the workflows run what a person can run, with no more rights than they need?"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from memidx.evals import Baseline, find_baseline, load_suite
from memidx.evals.history import DEFAULT_HISTORY

FOLDER = Path(__file__).resolve().parents[1] / ".github" / "workflows"
WORKFLOWS = sorted(FOLDER.glob("*"))

_EXPRESSION = re.compile(r"\$\{\{.*?\}\}")
_MAKE = re.compile(r"make ([a-z]+)((?: [A-Z]+=\S+)*)")
_PINNED = re.compile(r"[\w-]+/[\w/-]+@(?:v\d+\.\d+\.\d+|[0-9a-f]{40})")


def _read(path: Path) -> dict[str, Any]:
    # Without types: YAML 1.1 would read the key `on` as true.
    workflow: dict[str, Any] = yaml.load(path.read_text(encoding="utf-8"), yaml.BaseLoader)
    return workflow


def _steps(workflow: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for job in workflow["jobs"].values():
        yield from job["steps"]


def _uses(path: Path, action: str) -> list[dict[str, Any]]:
    return [step for step in _steps(_read(path)) if step.get("uses", "").startswith(action)]


def _name(path: Path) -> str:
    return path.name


def test_the_workflows_are_these() -> None:
    """A new workflow is placed here on purpose."""
    assert [path.name for path in WORKFLOWS] == ["ci.yml", "nightly.yml", "tuning.yml"]
    assert all(_read(path)["name"] == path.stem for path in WORKFLOWS)


@pytest.mark.parametrize("path", WORKFLOWS, ids=_name)
def test_every_step_is_a_make_target(path: Path, repository: Path) -> None:
    """What runs there is a target of the Makefile, and each of those is run by a test here."""
    makefile = (repository / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):.*## ", makefile, re.MULTILINE))
    ran = [step["run"] for step in _steps(_read(path)) if "run" in step]
    assert ran
    for command in ran:
        found = _MAKE.fullmatch(_EXPRESSION.sub("X", command))
        assert found is not None, command
        assert found[1] in targets


@pytest.mark.parametrize("path", WORKFLOWS, ids=_name)
def test_actions_are_pinned(path: Path) -> None:
    """An action is a full version or a commit, and each step is either an action or a command."""
    for step in _steps(_read(path)):
        assert ("uses" in step) != ("run" in step)
        if "uses" in step:
            assert _PINNED.fullmatch(step["uses"]), step["uses"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=_name)
def test_rights_are_to_read(path: Path) -> None:
    """The token reads the repository and is not left behind in it; no job asks for more."""
    workflow = _read(path)
    assert workflow["permissions"] == {"contents": "read"}
    assert all("permissions" not in job for job in workflow["jobs"].values())
    assert "pull_request_target" not in workflow["on"]
    assert "secrets." not in path.read_text(encoding="utf-8")
    for step in _uses(path, "actions/checkout"):
        assert step["with"]["persist-credentials"] == "false"


@pytest.mark.parametrize("path", WORKFLOWS, ids=_name)
def test_jobs_end_and_see_all_history(path: Path) -> None:
    """A job has a limit in minutes; a shallow clone would fail a source of commits."""
    for job in _read(path)["jobs"].values():
        assert int(job["timeout-minutes"]) <= 60
    assert [step["with"]["fetch-depth"] for step in _uses(path, "actions/checkout")] == ["0"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=_name)
def test_text_a_stranger_writes_reaches_no_shell(path: Path) -> None:
    """Expressions in commands hold what this repository says, never a title or a branch name."""
    for step in _steps(_read(path)):
        for expression in _EXPRESSION.findall(step.get("run", "")):
            assert expression == "${{ matrix.python }}"


def test_every_supported_python_is_tested(repository: Path) -> None:
    """The matrix holds the versions that the package says it supports."""
    project = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    supported = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    job = _read(FOLDER / "ci.yml")["jobs"]["test"]
    assert job["strategy"]["matrix"]["python"] == supported
    assert [step["run"].split()[1] for step in job["steps"] if "run" in step] == ["eval", "test"]


def test_a_pull_request_gets_its_report() -> None:
    """It is kept whatever the outcome, and a run that wrote none fails."""
    path = FOLDER / "tuning.yml"
    assert list(_read(path)["on"]) == ["pull_request"]
    (upload,) = _uses(path, "actions/upload-artifact")
    assert upload["if"] == "always()"
    assert upload["with"]["path"] == "reports/latest/"
    assert upload["with"]["if-no-files-found"] == "error"


def test_the_nightly_history_is_taken_up_and_handed_on() -> None:
    """The file that `--record` adds to is restored before the run and saved after any outcome."""
    path = FOLDER / "nightly.yml"
    assert "schedule" in _read(path)["on"]
    steps = list(_steps(_read(path)))
    order = [step.get("run") or step["uses"].split("@")[0] for step in steps]
    at = order.index("make nightly")
    assert order[at - 1] == "actions/cache/restore"
    assert order[at + 1] == "actions/cache/save"
    restore, save = steps[at - 1]["with"], steps[at + 1]["with"]
    assert restore["path"] == save["path"] == DEFAULT_HISTORY
    assert restore["key"] == save["key"]
    assert restore["key"].startswith(restore["restore-keys"])
    assert steps[at + 1]["if"] == "always()"
    assert _read(path)["concurrency"]["cancel-in-progress"] == "false"


def test_the_committed_baseline_is_blessed(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What `make report` and `make nightly` name is there, and is this suite's."""
    monkeypatch.chdir(repository)
    baseline = find_baseline("queries.yaml", "evals/baseline.json")
    assert isinstance(baseline, Baseline), baseline
    assert baseline.suite == "queries.yaml"
    assert {
        query.query_id for query in load_suite("queries.yaml").queries
    } & baseline.queries.keys()
