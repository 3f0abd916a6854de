"""Which commit a repository stands at, read from its files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memidx.sources.git_refs import State, find_repository, state_of
from tests.git_support import Git, git


def state(folder: Path, revision: str | None = None, *, upward: bool = False) -> State | None:
    """The state of the repository of a folder."""
    repository = find_repository(str(folder), upward=upward)
    return None if repository is None else state_of(repository, revision)


@pytest.fixture
def repo(tmp_path: Path) -> Git:
    """A repository with two commits and a tag of each sort."""
    made = Git(tmp_path / "a repo")
    made.commit("one")
    made("tag", "light")
    made.commit("two")
    made("tag", "-a", "-m", "heavy", "heavy")
    return made


@pytest.mark.parametrize("packed", [False, True])
def test_revisions_are_resolved_as_git_does(repo: Git, packed: bool) -> None:
    """HEAD, branches, tags, full names and steps back; loose references and packed ones."""
    repo("branch", "feature/x", "light")
    repo("update-ref", "refs/remotes/origin/main", "light")
    if packed:
        repo("pack-refs", "--all")
    head, one = repo("rev-parse", "HEAD"), repo("rev-parse", "light")
    for revision, sha in {
        None: head,
        "HEAD": head,
        "@": head,
        "main": head,
        "refs/heads/main": head,
        "light": one,
        "tags/light": one,
        "feature/x": one,
        "origin/main": one,
        "heavy": repo("rev-parse", "heavy"),
        one: one,
    }.items():
        assert state(repo.folder, revision) == State("at", sha), revision
    assert state(repo.folder, "HEAD~1") == State("at", f"{head}~1")
    assert state(repo.folder, "heavy^{commit}~1") == State(
        "at", f"{repo('rev-parse', 'heavy')}^{{commit}}~1"
    )
    assert state(repo.folder, "v9") == State("ask", "v9 ")
    assert state(repo.folder, one[:9]) == State("ask", f"{one[:9]} ")


def test_a_name_of_a_file_in_the_repository_is_no_revision(repo: Git) -> None:
    """`description` and `config` lie where references may lie, and name no commit."""
    for name in ("description", "config", "hooks", "objects"):
        assert state(repo.folder, name) == State("ask", f"{name} ")


def test_no_commits_a_branch_without_any_and_a_detached_head(tmp_path: Path, repo: Git) -> None:
    """A branch that was not born yet has no commit; a detached HEAD is one."""
    assert state(Git(tmp_path / "new").folder) == State("empty")
    head = repo("rev-parse", "HEAD")
    repo("checkout", "-q", "--detach")
    assert state(repo.folder) == State("at", head)
    repo("checkout", "-q", "--orphan", "other")
    assert state(repo.folder) == State("empty")
    assert state(repo.folder, "main") == State("at", head)


def test_worktrees_and_submodules_name_their_repository(tmp_path: Path, repo: Git) -> None:
    """A `.git` file leads to what belongs to this tree, and from there to what is shared."""
    repo("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"), "light")
    assert state(tmp_path / "side") == State("at", repo("rev-parse", "light"))
    assert state(tmp_path / "side", "main") == State("at", repo("rev-parse", "main"))
    outer = Git(tmp_path / "outer")
    outer(
        "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(repo.folder), "sub"
    )
    assert state(outer.folder / "sub") == State("at", repo("rev-parse", "main"))


def test_only_root_looks_upward(repo: Git) -> None:
    """A folder of a repository is not a repository, unless it is asked whose it is."""
    inner = repo.folder / "docs/deep"
    inner.mkdir(parents=True)
    assert state(inner) is None
    assert state(inner, upward=True) == State("at", repo("rev-parse", "HEAD"))


def test_bare_and_shallow_repositories(tmp_path: Path, repo: Git) -> None:
    """A bare one is its own folder; a shallow one is refused, since its history is cut off."""
    git(tmp_path, "clone", "-q", "--bare", str(repo.folder), "bare repo.git")
    assert state(tmp_path / "bare repo.git") == State("at", repo("rev-parse", "HEAD"))
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{repo.folder}", "shallow")
    found = state(tmp_path / "shallow", repo("rev-parse", "HEAD"))
    assert found is not None
    assert found.word == "refused"
    assert "shallow" in found.revision


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("HEAD", "not a name"),
        ("HEAD", "ref: ../../etc/passwd"),
        ("HEAD", "ref: config"),
        ("refs/heads/main", ""),
        ("refs/heads/main", "ref: refs/heads/main"),
    ],
)
def test_damaged_references_are_refused(repo: Git, name: str, content: str) -> None:
    """A reference cut off in a crash must not pass for a branch without commits."""
    (repo.folder / ".git" / name).write_text(content)
    found = state(repo.folder)
    assert found is not None
    assert found.word == "refused"


def test_references_in_tables_are_for_git_to_read(repo: Git) -> None:
    """A repository in the newer format has a token that changes when its list of tables does."""
    tables = repo.folder / ".git/reftable"
    tables.mkdir()
    (repo.folder / ".git/HEAD").write_text("ref: refs/heads/.invalid\n")
    (tables / "tables.list").write_text("0x1-0x2-aa.ref\n0x3-0x3-bb.ref\n")
    assert state(repo.folder) == State("ask", "HEAD 0x1-0x2-aa.ref 0x3-0x3-bb.ref")
    assert state(repo.folder, "v1") == State("ask", "v1 0x1-0x2-aa.ref 0x3-0x3-bb.ref")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_repository_is_refused(repo: Git) -> None:
    """The reason is the operating system's."""
    (repo.folder / ".git/refs/heads/main").chmod(0)
    assert state(repo.folder) == State("refused", "cannot read: Permission denied")
