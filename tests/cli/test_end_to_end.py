"""The commands work together over real files, each in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Memidx = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with three documents."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "locks.md").write_text("# File locks\n\nA lock times out after two seconds.\n")
    (docs / "birds.md").write_text("# Birds\n\nA wren sings in the hedge.\n")
    (docs / "2026-11-02-plan.md").write_text("# Plan\n\nMove the lock beside the store.\n")
    return tmp_path


@pytest.fixture
def memidx(project: Path, repository: Path) -> Memidx:
    """Run a command in the project."""

    def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "memidx", *arguments],
            cwd=project,
            env={**os.environ, "PYTHONPATH": str(repository), **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def test_build_query_edit_query(memidx: Memidx, project: Path) -> None:
    """A query sees an edit, an addition and a removal without a build in between."""
    assert memidx("build").returncode == 0
    found = memidx("query", "lock", "--format", "files")
    assert set(found.stdout.split()) == {"docs/locks.md", "docs/2026-11-02-plan.md"}
    (project / "docs" / "birds.md").write_text("# Birds\n\nA kingfisher dives.\n")
    (project / "docs" / "locks.md").unlink()
    (project / "docs" / "new.md").write_text("# New\n\nA lock for a door.\n")
    found = memidx("query", "lock", "--format", "json")
    answer = json.loads(found.stdout)
    assert {hit["path"] for hit in answer["hits"]} == {"docs/2026-11-02-plan.md", "docs/new.md"}
    assert answer["freshness"] == "refreshed"
    assert memidx("query", "wren").returncode == 1
    assert memidx("query", "kingfisher").returncode == 0


def test_check_and_verify_agree_with_the_files(memidx: Memidx, project: Path) -> None:
    """A store is sound after a build, behind after an edit, and sound again after the next."""
    memidx("build")
    assert memidx("build", "--check").returncode == 0
    assert memidx("verify").returncode == 0
    (project / "docs" / "birds.md").write_text("# Birds\n\nA kingfisher dives.\n")
    checked = memidx("build", "--check")
    assert checked.returncode == 1
    assert "~ docs/birds.md" in checked.stdout.splitlines()
    assert memidx("verify").returncode == 1
    memidx("build")
    assert memidx("build", "--check").returncode == 0
    assert memidx("verify").returncode == 0


def test_a_flipped_bit_is_found(memidx: Memidx, project: Path) -> None:
    """Verify names the file and line of the damage, and ends with 1."""
    memidx("build")
    store = project / "store" / "docs.jsonl"
    damaged = store.read_bytes().replace(b"wren", b"wrem")
    store.write_bytes(damaged)
    line = 1 + damaged[: damaged.index(b"wrem")].count(b"\n")
    result = memidx("verify")
    assert result.returncode == 1
    assert f"docs.jsonl:{line}: " in result.stdout + result.stderr


def test_no_store_is_not_an_empty_answer(memidx: Memidx) -> None:
    """Where there is no store a query could not be answered, and says how to make one."""
    result = memidx("query", "lock")
    assert result.returncode == 3
    assert result.stdout == ""
    assert result.stderr.startswith("Error: ")
    assert "\nHint: " in result.stderr
    assert "memidx build" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "verdict", "code"),
    [
        (["scuba"], "no_terms_in_index", 1),
        ([""], "empty_query", 2),
        (["lock", "--path", "docs/birds.md"], "filtered_out", 1),
        (["lock", "--min-score", "1.0", "--", "hedge"], "below_threshold", 1),
        (['"seconds lock"'], "no_match", 1),
        (["lock"], "hits", 0),
    ],
)
def test_every_way_to_be_empty_is_told_apart(
    memidx: Memidx, arguments: list[str], verdict: str, code: int
) -> None:
    """Verdicts and exit codes of real searches are those of the documentation."""
    memidx("build")
    result = memidx("query", "--format", "json", *arguments)
    assert json.loads(result.stdout)["verdict"] == verdict
    assert result.returncode == code


def test_a_failed_source_is_named_and_its_documents_stay(memidx: Memidx, project: Path) -> None:
    """A missing folder fails its source: hits remain, a no is inconclusive, a build unfinished."""
    (project / "notes").mkdir()
    (project / "notes" / "a.md").write_text("# A\n\nA heron stands.\n")
    (project / "memidx.toml").write_text(
        '[[sources]]\nname = "docs"\ninclude = ["docs/**"]\n'
        '[[sources]]\nname = "notes"\ninclude = ["notes/**"]\n'
    )
    assert memidx("build").returncode == 0
    (project / "notes").rename(project / "moved")
    found = memidx("query", "heron")
    assert found.returncode == 0
    assert "FAILED notes" in found.stdout
    assert memidx("query", "scuba").returncode == 3
    assert memidx("build", "--check").returncode == 3
    assert memidx("verify").returncode == 3


def test_a_wrong_configuration_is_the_callers_mistake(memidx: Memidx, project: Path) -> None:
    """A misspelt key is named with the nearest that there is."""
    (project / "memidx.toml").write_text('[analysis]\nanalyser = "default"\n')
    result = memidx("build")
    assert result.returncode == 2
    assert "memidx.toml" in result.stderr
    assert "analyzer" in result.stderr


def test_nothing_is_asked_of_a_terminal(memidx: Memidx, project: Path) -> None:
    """Without a terminal no command draws bars, colours or asks; stdout holds the result alone."""
    for arguments in (["build"], ["status"], ["verify"], ["query", "lock"]):
        result = memidx(*arguments)
        assert result.returncode == 0, result.stderr
        assert result.stderr == ""
        assert "\x1b" not in result.stdout
        assert "\r" not in result.stdout


def test_status_says_what_is_there(memidx: Memidx) -> None:
    """Both forms count the documents."""
    memidx("build")
    status = json.loads(memidx("status", "--format", "json").stdout)
    assert 3 in status.values()
    assert memidx("status").returncode == 0


def test_the_longest_answer_fits_its_bound(memidx: Memidx, project: Path) -> None:
    """The commonest word and many hits stay under the default bound, with the way to the rest."""
    for n in range(60):
        (project / "docs" / f"{n}.md").write_text(f"# Lock {n}\n\n" + f"lock number {n} " * 400)
    memidx("build")
    result = memidx("query", "lock", "-k", "60", "--format", "json")
    assert len(result.stdout.encode()) <= 32 * 1024
    answer = json.loads(result.stdout)
    assert len(answer["hits"]) < 60
    assert f"--offset {len(answer['hits'])}" in answer["notes"][-1]
    rest = memidx("query", "lock", "-k", "60", "--offset", str(len(answer["hits"])))
    assert rest.returncode == 0
