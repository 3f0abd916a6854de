"""Bisecting the history of a committed store."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import memidx
from tests.cli.conftest import Run
from tests.git_support import Git

_N_COMMITS = 30


def _note(n: int) -> str:
    return f"# Note {n}\n\nThe weather of day {n} was mild.\n"


def _rivals(n: int) -> dict[str, str]:
    """Five documents that say more about the ferry timetable than the one that is expected."""
    return {
        f"docs/rival{n}-{i}.md": f"# Ferry timetable {i}\n\nferry timetable ferry timetable\n"
        for i in range(5)
    }


def _write(folder: Path, n: int, change: dict[str, str | None]) -> None:
    (folder / f"docs/note{n}.md").write_text(_note(n))
    for name, text in change.items():
        if text is None:
            (folder / name).unlink()
        else:
            (folder / name).write_text(text)


def _make(folder: Path, changes: dict[int, Any]) -> Git:
    git = Git(folder)
    (folder / "docs").mkdir()
    (folder / ".gitignore").write_text("/store/.cache/\n")
    (folder / "docs/ferry.md").write_text(
        "# Harbour\n\nThe ferry leaves by the timetable on the pier, rain or shine.\n"
    )
    for n in range(_N_COMMITS):
        _write(folder, n, changes.get(n, {}))
        memidx.build(root=str(folder), store=str(folder / "store"), env={})
        git("add", "-A")
        git.commit(f"change {n}")
    return git


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Callable[[dict[int, Any]], Git]:
    """Each history once; only `test_an_unreadable_store_is_passed_over` adds to one, of its own."""
    known: dict[str, Git] = {}

    def make(changes: dict[int, Any]) -> Git:
        key = repr(changes)
        if key not in known:
            known[key] = _make(tmp_path_factory.mktemp("history") / "project", changes)
        return known[key]

    return make


@pytest.fixture
def history(
    made: Callable[[dict[int, Any]], Git], monkeypatch: pytest.MonkeyPatch
) -> Callable[[dict[int, Any]], Git]:
    """`history({n: change})`: 30 commits, each a new note; a change adds files or removes them."""

    def stand_in(changes: dict[int, Any]) -> Git:
        git = made(changes)
        monkeypatch.chdir(git.folder)
        return git

    return stand_in


def _bisect(run: Run, *arguments: str) -> tuple[int, dict[str, Any]]:
    command = ["bisect", "ferry timetable", "--expect", "docs/ferry.md", "--format", "json"]
    result = run(*command, *arguments)
    return result.exit_code, json.loads(result.stdout)


def _sha(git: Git, n: int) -> str:
    return git("rev-parse", f"HEAD~{_N_COMMITS - 1 - n}")


def test_a_planted_break_is_found(history: Callable[..., Git], run: Run) -> None:
    """Five rivals in commit 17 push the page from rank 1 to 6; a few commits tell."""
    git = history({17: _rivals(17)})
    code, found = _bisect(run)
    assert code == 0
    assert found["culprit"]["sha"] == _sha(git, 17)
    assert found["before"]["sha"] == _sha(git, 16)
    assert (found["before"]["rank"], found["culprit"]["rank"]) == (1, 6)
    assert found["changed"].startswith("6 added (docs/note17.md, docs/rival17-0.md")
    assert found["n_commits"] == _N_COMMITS
    assert found["ending"] == "found"
    # Two ends, five halvings of 28 between them, and the checks on both sides.
    assert len(found["probes"]) <= 2 + 5 + 8
    assert found["notes"] == [
        "Rank 1 before, rank 6 since.",
        "Above it since: docs/rival17-0.md, docs/rival17-1.md, docs/rival17-2.md.",
    ]
    table = run("bisect", "ferry timetable", "--expect", "docs/ferry.md")
    last = table.stdout.splitlines()[-1]
    assert table.exit_code == 0
    assert last.startswith(f"FOUND (exit 0): lost at {_sha(git, 17)[:10]} (change 17), ")


def test_nothing_is_written(history: Callable[..., Git], run: Run) -> None:
    """A bisection reads git's objects: the working tree, the store and HEAD stay as they are."""
    git = history({17: _rivals(17)})
    before = (git("status", "--porcelain"), git("rev-parse", "HEAD"), git("stash", "list"))
    assert _bisect(run)[0] == 0
    assert (git("status", "--porcelain"), git("rev-parse", "HEAD"), git("stash", "list")) == before


def test_a_removed_document_is_said(history: Callable[..., Git], run: Run) -> None:
    """A page that left the store is lost at the commit that removed it."""
    git = history({9: {"docs/ferry.md": None}})
    code, found = _bisect(run)
    assert (code, found["culprit"]["sha"]) == (0, _sha(git, 9))
    assert found["notes"] == ["docs/ferry.md left the store with this commit."]


def test_what_is_found_now_is_no_break(history: Callable[..., Git], run: Run) -> None:
    """A query whose last commit finds the page has nothing to bisect: a clean no."""
    history({})
    code, found = _bisect(run)
    assert (code, found["ending"], found["culprit"]) == (1, "not_broken", None)
    assert found["verdict"] == (
        "NOT BROKEN (exit 1): the last commit finds it at rank 1, 1 of 30 commits looked at"
    )


def test_what_was_never_found_is_no_break(history: Callable[..., Git], run: Run) -> None:
    """A page that no commit finds among k has no commit that lost it: a clean no, and why."""
    history({0: _rivals(0)})
    code, found = _bisect(run)
    assert (code, found["ending"]) == (1, "never_found")
    assert found["notes"] == ["Its best rank was 6."]
    result = run("bisect", "ferry timetable", "--expect", "docs/absent.md", "--format", "json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["notes"] == [
        "No store that was looked at holds docs/absent.md."
    ]


def test_a_history_with_two_breaks_is_said(history: Callable[..., Git], run: Run) -> None:
    """Lost in 6, found again in 12, lost in 20: one break is found, and the other one said."""
    gone = dict.fromkeys(_rivals(6))
    git = history({6: _rivals(6), 12: gone, 20: _rivals(20)})
    code, found = _bisect(run, "--all")
    assert code == 0
    assert found["culprit"]["sha"] in (_sha(git, 6), _sha(git, 20))
    assert len(found["probes"]) == _N_COMMITS
    assert any(note.startswith("Not the only change: ") for note in found["notes"])
    ranks = [probe["rank"] for probe in found["probes"]]
    assert ranks == [1] * 6 + [6] * 6 + [1] * 8 + [6] * 10
    # Without --all the checks beside the search are enough to notice it here.
    code, found = _bisect(run)
    assert code == 0
    assert any(note.startswith("Not the only change: ") for note in found["notes"])


def test_a_good_revision_narrows_it(history: Callable[..., Git], run: Run) -> None:
    """--good says where to begin; one that is not good is the caller's mistake."""
    git = history({6: _rivals(6), 12: dict.fromkeys(_rivals(6)), 20: _rivals(20)})
    code, found = _bisect(run, "--good", _sha(git, 15))
    assert (code, found["culprit"]["sha"]) == (0, _sha(git, 20))
    wrong = run("bisect", "ferry timetable", "--expect", "docs/ferry.md", "--good", _sha(git, 8))
    assert wrong.exit_code == 2
    assert "--good does not find it: rank 6 (expected in the first 5)" in wrong.stderr


def test_an_unreadable_store_is_passed_over(history: Callable[..., Git], run: Run) -> None:
    """A commit whose store is damaged cannot be searched: it is named among the suspects."""
    git = history({17: _rivals(17), 18: {"docs/extra.md": "# Extra\n\nextra\n"}})
    bad, good = _sha(git, 17), _sha(git, 16)
    # The store of commit 17 as a bad merge leaves it, and mended in the next commit.
    git("checkout", "-q", "-b", "damaged", good)
    git("checkout", "-q", bad, "--", "docs", "store")
    shard = git.folder / "store/docs.jsonl"
    whole = shard.read_bytes()
    shard.write_bytes(b"<<<<<<< ours\n" + whole)
    git("add", "-A")
    damaged = git.commit("a bad merge")
    shard.write_bytes(whole)
    git("add", "-A")
    mended = git.commit("mended")
    code, found = _bisect(run)
    assert (code, found["culprit"]["sha"]) == (0, mended)
    assert [commit["sha"] for commit in found["skipped"]] == [damaged]
    assert "conflict marker" in next(p["problem"] for p in found["probes"] if p["problem"])
    assert "or one of 1 before it" in found["verdict"]


def test_only_unreadable_stores_are_inconclusive(tmp_path: Path, run: Run) -> None:
    """Where no store can be read, nobody can say: exit code 3."""
    git = Git(tmp_path / "project")
    (git.folder / "store").mkdir()
    (git.folder / "store/manifest.json").write_text("{}\n")
    git("add", "-A")
    git.commit("no manifest")
    result = run(
        "bisect", "ferry", "--expect", "a.md", "--store", str(git.folder / "store"),
        "--format", "json",
    )  # fmt: skip
    assert result.exit_code == 3
    assert json.loads(result.stdout)["verdict"].startswith("INCONCLUSIVE (exit 3)")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["ferry", "--expect", "docs/ferry.md", "--bad", "nowhere"], "knows no such revision"),
        (["ferry", "--expect", "docs/ferry.md", "--bad=-x"], "not a revision"),
        ([" ", "--expect", "docs/ferry.md"], "nothing is asked"),
        (["ferry"], "--expect"),
    ],
)
def test_mistakes_end_with_2(
    history: Callable[..., Git], run: Run, arguments: list[str], said: str
) -> None:
    """A wrong revision, an empty query, nothing expected: the caller's mistake."""
    history({})
    result = run("bisect", *arguments)
    assert result.exit_code == 2
    assert said in result.stderr


def test_without_history_it_ends_with_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    """No repository, and a store that was never committed: said, with what to do."""
    (tmp_path / "a.md").write_text("# A\n\nferry\n")
    monkeypatch.chdir(tmp_path)
    assert run("build").exit_code == 0
    result = run("bisect", "ferry", "--expect", "a.md")
    assert (result.exit_code, "not in a git repository" in result.stderr) == (2, True)
    git = Git(tmp_path)
    git.commit("nothing of the store", {"a.md": "# A\n\nferry\n"})
    result = run("bisect", "ferry", "--expect", "a.md")
    assert (result.exit_code, "was never committed" in result.stderr) == (2, True)
