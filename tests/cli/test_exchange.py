"""`memidx export` and `memidx import`, and a published index in place of a store."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.published_support import FIXTURES, SOURCES, fixture, save
from tests.support import write_tree

INDEX = str(FIXTURES / "memory-index-1.3.json")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> Path:
    """The working folder: three notes, one without a term, and a store over them."""
    write_tree(tmp_path, {**SOURCES, "zh.md": "检索\n"})
    monkeypatch.chdir(tmp_path)
    assert run("build").exit_code == 0
    return tmp_path


def test_query_status_and_verify_take_the_file(run: Run, project: Path) -> None:
    """With the exit codes of a store."""
    found = run("query", "kiln", "--store", INDEX, "--format", "json")
    assert found.exit_code == 0
    assert json.loads(found.stdout)["hits"][0]["doc_id"] == "notes/kiln.md"
    assert run("query", "zebra", "--store", INDEX).exit_code == 1
    (project / "notes/kiln.md").write_text("relined\n")
    stale = run("query", "zebra", "--store", INDEX, "--root", ".")
    assert (stale.exit_code, "stale" in stale.stdout + stale.stderr) == (3, True)
    status = run("status", "--store", INDEX)
    assert (status.exit_code, "memory_index_schema_version" in status.stdout) == (0, True)
    assert run("verify", "--store", INDEX).exit_code == 3
    assert run("verify", "--store", INDEX, "--root", ".").exit_code == 1


def test_a_damaged_or_newer_file_is_an_error_of_one_line(run: Run, tmp_path: Path) -> None:
    """Exit 3, what and where, and a hint; no traceback."""
    for name, change in (
        ("N", {"N": 5}),
        ("schema 3.1", {"memory_index_schema_version": "3.1"}),
    ):
        ended = run("query", "kiln", "--store", save(tmp_path, fixture() | change))
        assert ended.exit_code == 3
        error, hint = ended.stderr.strip().splitlines()
        assert (error.startswith("Error: "), name in error) == (True, True)
        assert hint.startswith("Hint: ")
    broken = run("verify", "--store", save(tmp_path, fixture() | {"N": 5}))
    assert broken.exit_code == 1


def test_an_export_goes_to_a_file_or_to_standard_output(run: Run, project: Path) -> None:
    """The same bytes; what was left out is told aside."""
    written = run("export", "out.json", "--format", "memory-index-1.3")
    assert (written.exit_code, written.stdout) == (0, "")
    assert "3 documents" in written.stderr
    assert "Left out: zh.md" in written.stderr
    for arguments in (["export"], ["export", "-"]):
        shown = run(*arguments)
        assert shown.exit_code == 0
        assert shown.stdout.encode() == (project / "out.json").read_bytes()
        assert "zh.md" in shown.stderr


def test_an_export_in_another_format_is_a_usage_error(run: Run, project: Path) -> None:
    """The choices are named."""
    ended = run("export", "--format", "memory-index-9")
    assert (ended.exit_code, "memory-index-1.3" in ended.stderr) == (2, True)


def test_an_import_says_what_came_whole(run: Run, project: Path) -> None:
    """The rest by name, and as JSON."""
    (project / "notes/kiln.md").unlink()
    ended = run("import", INDEX, "--store", "new")
    assert ended.exit_code == 0
    assert "3 documents, 2 whole, 1 in part, 0 skipped" in ended.stdout
    assert "Root is not recorded" in ended.stdout
    assert "Not whole: notes/kiln.md: only 1 paragraph of it" in ended.stderr
    again = run("import", INDEX, "--store", "new")
    assert (again.exit_code, "--replace" in again.stderr) == (2, True)
    report = json.loads(
        run("import", INDEX, "--store", "new", "--replace", "--format", "json").stdout
    )
    assert (report["schema"], report["n_whole"]) == ("memidx.import/1", 2)
    assert [problem["path"] for problem in report["partial"]] == ["notes/kiln.md"]
