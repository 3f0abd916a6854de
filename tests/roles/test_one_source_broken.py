"""One source is broken at a time: the others answer, the fault is named, and a repair is enough."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import memidx
from tests.git_support import ENV, git
from tests.roles.conftest import Run
from tests.roles.world import SOURCES, World, make_world, suite_text

# Nothing in the world has this word.
NOWHERE = "xylophone"


class Fault(NamedTuple):
    """How a source is broken, and what must be said of it.

    Attributes:
        source: The source.
        spoil: Breaks it, below root; may set the environment.
        failed: Whether the whole source is unknown now: its documents stay, "no" is uncertain.
        path: What is named.
        says: What the reason holds.
        line: Line that is named.
        lost: Questions that cannot be answered meanwhile.
    """

    source: str
    spoil: Callable[[Path, pytest.MonkeyPatch], None]
    failed: bool
    path: str
    says: str
    line: int | None = None
    lost: frozenset[str] = frozenset()


def _folder_missing(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "decisions").rename(root / ".decisions-away")


def _not_a_folder(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _folder_missing(root, monkeypatch)
    (root / "decisions").write_text("A file.\n", encoding="utf-8")


def _bad_line(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = (root / "memory/learnings.jsonl").read_text(encoding="utf-8").split("\n")
    # The third, which no question needs.
    lines[2] = lines[2][:-4]
    (root / "memory/learnings.jsonl").write_text("\n".join(lines), encoding="utf-8")


def _no_git(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(root, "commit", "-q", "--allow-empty", "-m", "Paint the lighthouse")
    monkeypatch.setenv("PATH", str(root / "nowhere"))


def _repository_gone(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / ".git").rename(root / ".git-away")


def _bad_description(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (root / "api/openapi.yaml").read_text(encoding="utf-8")
    (root / "api/openapi.yaml").write_text(text + "  /broken: {get: [\n", encoding="utf-8")


def _bad_route(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (root / "api/openapi.yaml").read_text(encoding="utf-8")
    (root / "api/openapi.yaml").write_text(text + "  /broken:\n    get: 3\n", encoding="utf-8")


def _bad_yaml(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (root / "tasks.yaml").read_text(encoding="utf-8")
    (root / "tasks.yaml").write_text(text + "- id: TG-120\n  title: [half\n", encoding="utf-8")


def _undecodable(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "docs/fees.md").write_bytes("# Gebühren\n".encode("latin-1"))


def _undecodable_records(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "qa/2026.yaml").write_bytes("- text: Gebühren\n".encode("latin-1"))


def _no_program(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "tools/fees.py").write_text("def fee_in_cents(:\n", encoding="utf-8")


# What is never closed is found out at the end of the file, on the line after the last one.
FAULTS = {
    "folder missing": Fault("decisions", _folder_missing, True, "decisions", "is not there"),
    "file for a folder": Fault("decisions", _not_a_folder, True, "decisions", "is not a folder"),
    "bad JSON line": Fault(
        "learnings", _bad_line, False, "memory/learnings.jsonl", "is not JSON", 3
    ),
    "no git": Fault("commits", _no_git, True, "git:quay", "git is not installed"),
    "no repository": Fault("commits", _repository_gone, True, "git:quay", "not a git repository"),
    "bad OpenAPI": Fault(
        "api",
        _bad_description,
        False,
        "api/openapi.yaml",
        "is not YAML",
        37,
        frozenset({"operation"}),
    ),
    "bad operation": Fault("api", _bad_route, False, "api/openapi.yaml", "/broken", 37),
    "bad YAML": Fault("tasks", _bad_yaml, False, "tasks.yaml", "is not YAML", 39),
    "undecodable": Fault("docs", _undecodable, False, "docs/fees.md", "UTF-8"),
    "undecodable records": Fault(
        "verification",
        _undecodable_records,
        False,
        "qa/2026.yaml",
        "UTF-8",
        lost=frozenset({"no-accident"}),
    ),
    "no program": Fault("tools", _no_program, False, "tools/fees.py", "", 1),
}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> World:
    """The repository and its store."""
    world = make_world(tmp_path_factory.mktemp("roles") / "quay")
    memidx.build(root=str(world.root), env=ENV)
    (world.root / "suite.yaml").write_text(suite_text(world.questions), encoding="utf-8")
    return world


@pytest.fixture
def root(built: World, tmp_path: Path) -> Path:
    """A copy to break."""
    return Path(shutil.copytree(built.root, tmp_path / "quay", symlinks=True))


def store_bytes(root: Path) -> dict[str, bytes]:
    """Every committed byte."""
    return {path.name: path.read_bytes() for path in (root / "store").iterdir() if path.is_file()}


@pytest.mark.parametrize("name", FAULTS)
def test_the_others_answer_and_the_fault_is_named(
    name: str, built: World, root: Path, run: Run, tmp_path: Path
) -> None:
    """In answers, status and builds; exit codes as documented; then it is repaired."""
    fault, store = FAULTS[name], root / "store"
    before = store_bytes(root)

    def ask(text: str, *options: str) -> tuple[int, dict[str, Any]]:
        found = run("query", text, "--store", store, "--format", "json", *options)
        return found.exit_code, json.loads(found.stdout)

    with pytest.MonkeyPatch.context() as monkeypatch:
        fault.spoil(root, monkeypatch)
        for question in built.questions:
            code, answer = ask(question.query, "--as-of", "2026-11-30")
            hits = {hit["doc_id"] for hit in answer["hits"]}
            wanted = {*question.expect, *([question.top1] if question.top1 else [])}
            if question.query_id in fault.lost:
                assert not wanted & hits
                continue
            # What was stored of a source that cannot be read now is found as ever.
            assert wanted <= hits, question.query_id
            assert code == (0 if wanted else 3 if fault.failed else 1)
        code, answer = ask(NOWHERE)
        assert (code, answer["verdict"]) == (3 if fault.failed else 1, "no_terms_in_index")
        named, other = ("sources_failed", "skipped") if fault.failed else (
            "skipped", "sources_failed")  # fmt: skip
        (problem,) = answer[named]
        assert answer[other] == []
        assert problem["source"] == fault.source
        assert fault.path in (problem["path"], problem["reason"].partition(":")[0]) or (
            problem["reason"].startswith(f"{fault.path}:")
        )
        assert fault.says in problem["reason"]
        assert problem["line"] == fault.line
        assert run("query", "berth", "--store", store).exit_code == 0
        built_again = run("build", "--root", root)
        assert built_again.exit_code == (3 if fault.failed else 0)
        assert fault.path in built_again.output
        if fault.failed:
            assert store_bytes(root) == before
            judged = run("eval", root / "suite.yaml", "--store", store, "--report-dir", tmp_path)
            assert judged.exit_code == 3
    repair(root, built.root)
    if name == "no git":
        # The commit it could not read is there by now.
        assert ask("lighthouse")[0] == 0
        return
    code, answer = ask(NOWHERE)
    assert (code, answer["skipped"], answer["sources_failed"]) == (1, [], [])
    assert run("build", "--root", root).exit_code == 0
    assert store_bytes(root) == before
    judged = run("eval", root / "suite.yaml", "--store", store, "--report-dir", tmp_path)
    assert judged.exit_code == 0


def repair(root: Path, sound: Path) -> None:
    """Put back what is not as it was."""
    for away, name in ((".decisions-away", "decisions"), (".git-away", ".git")):
        if (root / away).exists():
            if (root / name).is_file():
                (root / name).unlink()
            (root / away).rename(root / name)
    for path in sound.rglob("*"):
        inside = path.relative_to(sound)
        edited = inside.parts[0] in ("api", "docs", "memory", "qa", "tools", "tasks.yaml")
        if edited and path.is_file() and (root / inside).read_bytes() != path.read_bytes():
            (root / inside).write_bytes(path.read_bytes())


@pytest.fixture
def unprivileged(repository: Path, tmp_path: Path) -> Callable[..., Any]:
    """Run a command as somebody for whom permissions count."""
    drop: list[str] = []
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("root may read everything, and there is no setpriv")
        drop = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"]
        drop += ["--inh-caps", "-dac_override,-dac_read_search", "--"]

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*drop, sys.executable, "-m", "memidx", *map(str, arguments)],
            cwd=tmp_path,
            env={**ENV, "PYTHONPATH": str(repository)},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def test_a_file_that_may_not_be_read(unprivileged: Callable[..., Any], tmp_path: Path) -> None:
    """It is named, its document stays, the others answer; with its permissions back all is well."""
    home, run = tmp_path, unprivileged
    for name in ("a", "b"):
        (home / f"{name}.md").write_text(f"# Lantern {name}\n\nA lantern.\n", encoding="utf-8")
    assert run("build").returncode == 0
    (home / "a.md").chmod(0)
    (home / "b.md").write_text("# Lantern b\n\nA lantern, edited.\n", encoding="utf-8")
    found = run("query", "lantern", "--format", "json")
    answer = json.loads(found.stdout)
    assert (found.returncode, sorted(hit["path"] for hit in answer["hits"])) == (
        0,
        ["a.md", "b.md"],
    )
    (skip,) = answer["skipped"]
    assert (skip["path"], skip["source"]) == ("a.md", "docs")
    assert "ermission" in skip["reason"]
    assert run("query", "edited").returncode == 0
    built = run("build")
    assert (built.returncode, "a.md" in built.stdout + built.stderr) == (0, True)
    (home / "a.md").chmod(0o644)
    answer = json.loads(run("query", "lantern", "--format", "json").stdout)
    assert (answer["skipped"], len(answer["hits"])) == ([], 2)
    assert run("build", "--check").returncode == 0


def test_every_role_is_broken_somewhere() -> None:
    """No source of the eight is left out of the table above."""
    assert {fault.source for fault in FAULTS.values()} == set(SOURCES)
