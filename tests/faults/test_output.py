"""Kinds of faults with what leaves: verdicts, exit codes, bounds, terminals; real processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.support import write_tree

Memidx = Callable[..., "subprocess.CompletedProcess[bytes]"]

NOTES: Mapping[str, str] = {
    **{f"docs/{n:02}.md": f"# Note {n}\n\n" + "the agent reads. " * 300 for n in range(20)},
    "docs/lock.md": "# File locks\n\nA lock times out after two seconds.\n",
    "docs/é 日.md": "# Ünïcode 日 😀\n\nA lock for café 日 😀.\n",
    "memidx.toml": '[[sources]]\nname = "docs"\ninclude = ["docs/**"]\n'
    '[[sources]]\nname = "tasks"\ninclude = ["tasks/**"]\n',
    "tasks/one.md": "# Task\n\nReplace the latch.\n",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store."""
    root = write_tree(tmp_path_factory.mktemp("output"), NOTES)
    import memidx

    memidx.build(root=str(root), store=str(root / "store"), env={})
    return root


@pytest.fixture
def memidx(project: Path, repository: Path) -> Memidx:
    """Run a command in the project."""

    def run(*arguments: str, cwd: Path = project, **environment: str) -> Any:
        return subprocess.run(
            [sys.executable, "-m", "memidx", *arguments],
            cwd=cwd,
            env={**os.environ, "PYTHONPATH": str(repository), **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )

    return run


@pytest.fixture
def valid(repository: Path) -> Callable[[bytes], dict[str, Any]]:
    """Parse an answer and hold it against the published schema."""
    schema = json.loads((repository / "docs" / "answer.schema.json").read_text())
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)

    def check(out: bytes) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(out)
        validator.validate(answer)
        return answer

    return check


@pytest.mark.parametrize(
    ("arguments", "verdict", "code"),
    [
        (["lock"], "hits", 0),
        (['"seconds lock"'], "no_match", 1),
        (["zeppelin"], "no_terms_in_index", 1),
        (["???"], "empty_query", 2),
        (["--", "-lock"], "empty_query", 2),
        (["lock", "--source", "tasks"], "filtered_out", 1),
        (["--", "lock", "-lock"], "filtered_out", 1),
        (["--", "lock", "-source:docs"], "filtered_out", 1),
        (["--min-score", "1", "lock zeppelin"], "below_threshold", 1),
    ],
)
def test_every_way_to_be_empty_has_its_name(
    memidx: Memidx,
    valid: Callable[[bytes], dict[str, Any]],
    arguments: list[str],
    verdict: str,
    code: int,
) -> None:
    """Verdict and exit code are those of the documentation, in the published schema."""
    result = memidx("query", "--format", "json", *arguments)
    assert valid(result.stdout)["verdict"] == verdict
    assert result.returncode == code


def test_an_empty_index_and_a_stale_one_have_theirs(
    tmp_path: Path, memidx: Memidx, valid: Callable[[bytes], dict[str, Any]]
) -> None:
    """No documents is a clean no; documents that could not be read leave it open."""
    root = write_tree(tmp_path / "p", {"memidx.toml": NOTES["memidx.toml"], "docs/a.txt": "x"})
    (root / "tasks").mkdir()
    (root / "docs/a.txt").unlink()
    assert memidx("build", cwd=root).returncode == 0
    result = memidx("query", "lock", "--format", "json", cwd=root)
    assert (valid(result.stdout)["verdict"], result.returncode) == ("empty_index", 1)
    (root / "tasks").rmdir()
    result = memidx("query", "lock", "--format", "json", cwd=root)
    answer = valid(result.stdout)
    assert ([p["source"] for p in answer["sources_failed"]], result.returncode) == (["tasks"], 3)


def test_an_unknown_word_has_near_ones(
    memidx: Memidx, valid: Callable[[bytes], dict[str, Any]]
) -> None:
    """Nothing is found, and what could be asked instead is said, for programs and for people."""
    result = memidx("query", "lokc", "--format", "json")
    answer = valid(result.stdout)
    assert result.returncode == 1
    assert answer["suggestions"] == [{"word": "lokc", "near": ["lock"]}]
    assert {near["path"] for near in answer["nearest"]} == {"docs/lock.md", "docs/é 日.md"}
    for form in ("table", "md"):
        text = memidx("query", "lokc", "--format", form).stdout.decode()
        assert "near lokc: lock" in text
        assert "File locks (docs/lock.md)" in text


def test_what_a_filter_hid_is_near(
    memidx: Memidx, valid: Callable[[bytes], dict[str, Any]]
) -> None:
    """A sure answer needs no help; one that a filter emptied names what it took out."""
    sure = valid(memidx("query", "file lock times", "--format", "json").stdout)
    assert (sure["hits"][0]["confidence"], sure["nearest"]) == ("reliable", [])
    hidden = valid(memidx("query", "lock", "--source", "tasks", "--format", "json").stdout)
    assert hidden["nearest"][0]["path"] in ("docs/lock.md", "docs/é 日.md")


@pytest.mark.parametrize("form", ["json", "jsonl", "md", "table"])
@pytest.mark.parametrize("max_bytes", [1500, 4096, 20_000])
def test_the_commonest_word_stays_under_the_budget(
    memidx: Memidx, form: str, max_bytes: int
) -> None:
    """Twenty hits of a word that all hold: so many bytes, at least one hit, and a way on."""
    budget = str(max_bytes)
    result = memidx("query", "agent", "-k", "20", "--format", form, "--max-bytes", budget)
    assert result.returncode == 0
    assert len(result.stdout) <= max_bytes
    assert b"Note " in result.stdout
    if max_bytes == 1500:
        assert b"cursor" in result.stdout


def test_every_hit_is_reached_through_cursors(memidx: Memidx) -> None:
    """Under a small budget the pages together are the whole answer, each hit once, in order."""
    whole = json.loads(
        memidx("query", "agent", "-k", "50", "--format", "json", "--max-bytes", "0").stdout
    )
    seen: list[str] = []
    cursor: list[str] = []
    while True:
        result = memidx(
            "query", "agent", "-k", "8", "--format", "json", "--max-bytes", "3000", *cursor
        )
        assert len(result.stdout) <= 3000
        page = json.loads(result.stdout)
        seen += [hit["doc_id"] for hit in page["hits"]]
        if page["cursor"] is None:
            break
        cursor = ["--cursor", page["cursor"]]
    assert seen == [hit["doc_id"] for hit in whole["hits"]]
    assert len(seen) == 20


def test_a_budget_that_holds_nothing_is_a_mistake(memidx: Memidx) -> None:
    """Nothing is written rather than too much, and the bytes that would do are named."""
    result = memidx("query", "agent", "--format", "json", "--max-bytes", "50")
    assert (result.returncode, result.stdout) == (2, b"")
    assert b"bytes or more" in result.stderr


def test_a_query_of_a_megabyte_is_bounded(
    memidx: Memidx, valid: Callable[[bytes], dict[str, Any]], tmp_path: Path
) -> None:
    """A pasted log is read up to a bound, and the answer says so."""
    query = "lock " + "word " * 20_000
    answer = valid(memidx("query", "--format", "json", "--max-bytes", "0", query).stdout)
    assert answer["verdict"] == "hits"
    assert len(answer["query"]["text"]) <= 4096
    assert any("characters are not searched" in note for note in answer["notes"])


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "utf-8"])
@pytest.mark.parametrize(
    "command",
    [
        ["query", "lock"],
        ["query", "lokc", "--format", "md"],
        ["query", "lock", "--format", "json"],
        ["get", "docs/é 日.md"],
        ["get", "docs/é 日.md", "--format", "json"],
        ["get", "é 日.txt"],
        ["explain", "lock", "docs/é 日.md"],
        ["explain", "lock", "docs/é 日.md", "--format", "json"],
    ],
)
def test_no_terminal_stops_an_answer(memidx: Memidx, encoding: str, command: list[str]) -> None:
    """What an encoding lacks is escaped; JSON stays JSON; no bars and no colours in a pipe."""
    result = memidx(*command, PYTHONIOENCODING=encoding, PYTHONUTF8="0", LC_ALL="C.UTF-8")
    assert result.returncode in (0, 1)
    assert b"Traceback" not in result.stderr
    assert b"\x1b" not in result.stdout + result.stderr
    text = result.stdout.decode(encoding)
    if "json" in command:
        json.loads(text)


@pytest.mark.parametrize(
    "command",
    [["query", "agent", "-k", "20"], ["get", "docs/00.md"], ["explain", "agent", "docs/00.md"]],
)
def test_a_reader_may_leave(project: Path, repository: Path, command: list[str]) -> None:
    """`| head -1` ends the command without a word."""
    process = subprocess.Popen(
        [sys.executable, "-m", "memidx", *command],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(repository)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()
    assert process.wait() in (0, 1)
    assert b"Traceback" not in errors
    assert b"roken pipe" not in errors


def test_get_shows_what_is_indexed(memidx: Memidx) -> None:
    """By path and line, bounded, with the line to read on at; an unknown path names near ones."""
    result = memidx("get", "docs/lock.md:3")
    assert result.stdout == b"A lock times out after two seconds.\n"
    assert (result.returncode, result.stderr) == (0, b"")
    part = memidx("get", "docs/lock.md:1:1")
    assert part.stdout == b"# File locks\n"
    assert b"memidx get docs/lock.md:2" in part.stderr
    found = json.loads(memidx("get", "docs/lock.md", "--format", "json").stdout)
    assert (found["schema"], found["doc_id"], found["line_start"]) == (
        "memidx.excerpt/1",
        "docs/lock.md",
        1,
    )
    missing = memidx("get", "lock.md")
    assert (missing.returncode, missing.stdout) == (1, b"")
    assert b"Near it: docs/lock.md" in missing.stderr
    assert memidx("get", "docs/lock.md:0").returncode == 2


def test_get_gives_the_redacted_text(tmp_path: Path, memidx: Memidx) -> None:
    """What the store does not hold, no command shows."""
    root = write_tree(tmp_path / "p", {"a.md": "kept in /home/alice/secret/plan.txt here"})
    memidx("build", ".", cwd=root)
    out = memidx("get", "a.md", cwd=root).stdout
    assert b"<path>" in out
    assert b"alice" not in out
