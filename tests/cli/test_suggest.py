"""Use is logged where that is wanted, and `memidx suggest` makes proposals of it."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

import memidx
from memidx.cli.noting import note_opened
from memidx.evals import load_suite
from tests.cli.conftest import Run
from tests.support import write_tree


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> Path:
    """A folder with a store and a suite, which is the working folder."""
    write_tree(
        tmp_path,
        {
            "docs/locks.md": "# Locks\n\nA lock has a timeout of 2 s.\n",
            "docs/birds.md": "# How wrens sing behind old hedges\n\nA wren sings in the hedge.\n",
            "queries.yaml": "version: 1\nqueries:\n"
            "- {id: bird, query: wren song, expect_paths: [docs/birds.md]}\n",
        },
    )
    monkeypatch.chdir(tmp_path)
    assert run("build").exit_code == 0
    return tmp_path


def _log(project: Path) -> Path:
    return project / "store" / ".cache" / "queries.jsonl"


def _lines(project: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in _log(project).read_text().splitlines()]


def test_nothing_is_logged_unless_it_is_wanted(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By default there is no log, and the module that writes it is not even loaded."""
    for name in ("memidx.cli.noting", "memidx.querylog"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    assert run("query", "lock").exit_code == 0
    assert not _log(project).exists()
    assert not {"memidx.cli.noting", "memidx.querylog"} & set(sys.modules)


def test_a_query_is_logged_after_its_answer(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The variable turns it on; the answer is the same to the byte."""
    plain = run("query", "lock", "in", "/home/alice/x", "--source", "docs")
    monkeypatch.setenv("MEMIDX_QUERY_LOG", "1")
    logged = run("query", "lock", "in", "/home/alice/x", "--source", "docs")
    assert (logged.stdout, logged.stderr, logged.exit_code) == (plain.stdout, plain.stderr, 0)
    (line,) = _lines(project)
    assert len(str(line.pop("day"))) == 10
    with memidx.open("store") as index:
        assert line.pop("build_id") == index.build_id
    assert line == {
        "query": "lock in <path>/x",
        "filters": {"source": ["docs"]},
        "verdict": "hits",
        "n_matched": 1,
        "hits": [
            {"rank": 1, "doc_id": "docs/locks.md", "confidence": line["hits"][0]["confidence"]}
        ],  # type: ignore[index]
        "strategy": "lexical",
    }


def test_the_configuration_turns_it_on_and_the_variable_off(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`queries = true` in `[log]`; an empty answer is logged too."""
    (project / "memidx.toml").write_text("[log]\nqueries = true\n")
    assert run("query", "scuba").exit_code == 1
    assert [line["verdict"] for line in _lines(project)] == ["no_terms_in_index"]
    monkeypatch.setenv("MEMIDX_QUERY_LOG", "0")
    run("query", "scuba")
    assert len(_lines(project)) == 1


def test_a_log_that_fails_costs_no_answer(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer and its code stand; stderr says in a line that it was not logged."""
    plain = run("query", "lock")
    _log(project).mkdir()
    monkeypatch.setenv("MEMIDX_QUERY_LOG", "1")
    failed = run("query", "lock")
    assert (failed.stdout, failed.exit_code) == (plain.stdout, 0)
    assert failed.stderr.startswith("Not logged: ")
    assert len(failed.stderr.splitlines()) == 1


def test_openings_are_noted_where_that_is_wanted(project: Path) -> None:
    """`note_opened` writes nothing for an index that logs nothing."""
    with memidx.open("store", env={}) as index:
        note_opened(index, "docs/locks.md")
        assert not _log(project).exists()
    with memidx.open("store", env={"MEMIDX_QUERY_LOG": "1"}) as index:
        note_opened(index, "docs/locks.md")
    assert [line["opened"] for line in _lines(project)] == ["docs/locks.md"]


def test_a_published_index_has_no_log(run: Run, project: Path) -> None:
    """It is one file, and no cache is beside it."""
    assert run("export", "index.json").exit_code == 0
    with memidx.open("index.json", env={"MEMIDX_QUERY_LOG": "1"}) as index:
        assert not index.logs_queries


def test_suggestions_come_from_log_and_titles(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What people opened is proposed; the suite's own query and document are not."""
    monkeypatch.setenv("MEMIDX_QUERY_LOG", "1")
    run("query", "lock", "timeout")
    run("query", "wren", "song")
    with memidx.open("store") as index:
        note_opened(index, "docs/locks.md")
        note_opened(index, "docs/birds.md")
    before = (project / "queries.yaml").read_bytes()
    result = run("suggest", "queries.yaml", "--out", "new.yaml")
    assert result.exit_code == 0, result.stderr
    assert result.stdout == ""
    assert result.stderr.splitlines() == [
        "1 suggestion: 1 from a log of 2 queries, 0 from titles.",
        "Wrote new.yaml",
    ]
    (query,) = load_suite("new.yaml").queries
    assert (query.text, query.severity, query.provenance) == ("lock timeout", "should", "log")
    assert query.expect_paths[0].any_of == ("docs/locks.md",)
    assert (project / "queries.yaml").read_bytes() == before
    assert run("suggest", "queries.yaml").stdout == (project / "new.yaml").read_text()
    assert run("eval", "new.yaml", "--lint").exit_code == 2


def test_titles_alone_are_proposed_without_a_log(run: Run, project: Path) -> None:
    """Without a suite nothing is left out; stderr says both."""
    result = run("suggest", "--store", "store")
    assert result.exit_code == 0, result.stderr
    assert 'query: "sing old hedges"' in result.stdout
    assert "0 from a log of 0 queries, 1 from titles" in result.stderr
    assert "`queries = true` in [log]" in result.stderr
    assert "No suite was given" in result.stderr


def test_no_suggestion_is_a_clean_no(run: Run, project: Path) -> None:
    """Nothing is on stdout, no file is made, and the code is 1."""
    result = run("suggest", "queries.yaml", "--out", "new.yaml")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("0 suggestions")
    assert not (project / "new.yaml").exists()


@pytest.mark.parametrize("target", ["queries.yaml", "docs"])
def test_no_file_is_replaced(run: Run, project: Path, target: str) -> None:
    """`--out` names a new file, or nothing happens."""
    before = (project / "queries.yaml").read_bytes()
    result = run("suggest", "--out", target)
    assert result.exit_code == 2
    assert "never replace a file" in result.stderr
    assert (project / "queries.yaml").read_bytes() == before
    assert (project / target).exists()


def test_a_suite_that_is_not_there_is_a_mistake(run: Run, project: Path) -> None:
    """A misspelt suite must not pass for an empty one."""
    result = run("suggest", "other.yaml")
    assert result.exit_code == 2
    assert "no such suite" in result.stderr


def test_a_spoilt_line_of_the_log_is_counted(run: Run, project: Path) -> None:
    """It is said, and the rest is used."""
    _log(project).write_text('{"half\n')
    os.chmod(_log(project), 0o600)
    assert "1 line of the log could not be read." in run("suggest").stderr
