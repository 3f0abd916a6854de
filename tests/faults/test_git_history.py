"""Commits in the index: every change of history is in the next answer, and nothing else is done."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import memidx
from memidx import processes
from memidx.results import BuildReport
from tests.git_support import ENV, Git, configure, git


@pytest.fixture
def repo(tmp_path: Path) -> Git:
    """A project whose commits are the index, with two of them stored."""
    made = Git(tmp_path / "project")
    configure(made.folder)
    made.commit("Add a zeppelin", {"memidx.toml": (made.folder / "memidx.toml").read_bytes()})
    made.commit("Paint the balloon", {"b.txt": "1"})
    build(made.folder)
    return made


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The programs that are started, each with its arguments."""
    calls: list[list[str]] = []

    def start(command: list[str], **options: object) -> subprocess.Popen[bytes]:
        calls.append(command)
        return subprocess.Popen(command, **options)  # type: ignore[call-overload, no-any-return]

    monkeypatch.setattr(processes, "_start", start)
    return calls


def build(folder: Path, *, check: bool = False) -> BuildReport:
    """Build a project, or see whether that is due."""
    return memidx.build(root=str(folder), check=check, env=ENV)


def titles(folder: Path) -> set[str]:
    """Titles of all documents, as the next search sees them."""
    with memidx.open(str(folder / "store"), env=ENV) as index:
        index.search("zeppelin")
        return {row.title for row in index.catalog()}


def store_bytes(folder: Path) -> dict[str, bytes]:
    """The committed files of a project's store."""
    return {path.name: path.read_bytes() for path in (folder / "store").glob("*.json*")}


def test_a_new_commit_is_found_without_a_build(repo: Git) -> None:
    """It is taken in beside the store; the store stays as it is."""
    before = store_bytes(repo.folder)
    sha = repo.commit("Fold the parachute", {"c/d.txt": "1"})
    with memidx.open(str(repo.folder / "store"), env=ENV) as index:
        answer = index.search("parachute")
        assert answer.freshness == "refreshed"
        (hit,) = answer.hits
        assert (hit.doc_id, hit.path, hit.anchor) == (f"git:.#{sha}", "git:.", sha)
        assert (hit.kind, hit.source, hit.time) == ("git", "commits", "2023-11-14T22:16:20Z")
        assert index.search("parachute").freshness == "fresh"
        by_path = index.search("parachute", path_globs=["git:*"], kinds=["git"], since="2023-11-14")
        assert len(by_path.hits) == 1
    assert store_bytes(repo.folder) == before


def test_history_that_is_rewritten(repo: Git) -> None:
    """Amended, reset, switched and rebased: what HEAD does not reach is not there any more."""
    repo.commit("Paint the balloon red", None, "--amend")
    assert titles(repo.folder) == {"Add a zeppelin", "Paint the balloon red"}
    repo("checkout", "-q", "-b", "side", "HEAD~1")
    repo.commit("Sew the parachute", {"s.txt": "1"})
    assert titles(repo.folder) == {"Add a zeppelin", "Sew the parachute"}
    repo("rebase", "-q", "main", **repo.clock())
    everything = {"Add a zeppelin", "Paint the balloon red", "Sew the parachute"}
    assert titles(repo.folder) == everything
    repo("checkout", "-q", "--detach", "HEAD~2")
    assert titles(repo.folder) == {"Add a zeppelin"}
    repo("checkout", "-q", "side")
    repo("reflog", "expire", "--expire=now", "--all")
    repo("gc", "-q", "--prune=now")
    assert titles(repo.folder) == everything
    report = build(repo.folder, check=True)
    assert report.behind  # the store still holds the commit that was amended
    assert (report.n_added, report.n_removed) == (2, 1)
    build(repo.folder)
    incremental = store_bytes(repo.folder)
    memidx.build(root=str(repo.folder), full=True, env=ENV)
    assert store_bytes(repo.folder) == incremental


def test_a_store_is_not_behind_for_commits_alone(repo: Git) -> None:
    """Committing the store makes a commit: it is listed, reaches searches, and nothing fails."""
    sha = repo.commit("Commit the store", store_paths(repo.folder))
    report = build(repo.folder, check=True)
    assert (report.behind, report.added) == (False, (f"git:.#{sha}",))
    assert report.pending == report.added
    with memidx.open(str(repo.folder / "store"), env=ENV) as index:
        verified = index.verify()
        assert (verified.sound, verified.behind, verified.pending) == (True, (), report.added)
    # A branch that is merged brings commits older than the newest stored one.
    repo("checkout", "-q", "-b", "side", "HEAD~2")
    repo.commit("Sew the parachute", {"s.txt": "1"})
    repo("checkout", "-q", "main")
    repo("merge", "-q", "-m", "Merge", "side", **repo.clock())
    assert build(repo.folder, check=True).behind is False


def store_paths(folder: Path) -> dict[str, bytes]:
    """The committed files of a store, by their path in the project."""
    return {f"store/{name}": data for name, data in store_bytes(folder).items()}


def test_a_stored_commit_that_was_lost_is_missed(repo: Git) -> None:
    """A line that somebody took out of the store is no newer commit, whatever else is new."""
    shard = repo.folder / "store/docs.jsonl"
    lines = shard.read_bytes().splitlines(keepends=True)
    shard.write_bytes(b"".join(line for line in lines if b"zeppelin" not in line))
    new = repo.commit("Fold the parachute")
    titles(repo.folder)
    report = build(repo.folder, check=True)
    assert (report.behind, report.n_added, report.pending) == (True, 2, (f"git:.#{new}",))
    with memidx.open(str(repo.folder / "store"), env=ENV) as index:
        assert index.verify().sound is False
    build(repo.folder)
    assert build(repo.folder, check=True).n_added == 0


def test_the_working_tree_is_not_looked_at(repo: Git, started: list[list[str]]) -> None:
    """Edited, new and staged files change no commit: no process is started for them."""
    titles(repo.folder)
    (repo.folder / "b.txt").write_text("2")
    (repo.folder / "new.txt").write_text("2")
    repo("add", "-A")
    repo("tag", "v1")
    repo("pack-refs", "--all")
    with memidx.open(str(repo.folder / "store"), env=ENV) as index:
        assert index.search("balloon").freshness == "fresh"
    assert started == []


def test_a_search_dirties_nothing(repo: Git) -> None:
    """`git status` says the same before and after; the index of git is not written."""
    ignored = {".gitignore": "/store/.cache/\n"}
    repo.commit("Commit the store", {**store_paths(repo.folder), **ignored})
    index_file = repo.folder / ".git/index"
    before = (index_file.read_bytes(), index_file.stat().st_mtime_ns)
    titles(repo.folder)
    assert (index_file.read_bytes(), index_file.stat().st_mtime_ns) == before
    assert repo("status", "--porcelain") == ""


def test_one_process_a_question(repo: Git, started: list[list[str]]) -> None:
    """A new commit costs one `git log` of what is new; one before it that no store has, another."""
    repo.commit("three")
    titles(repo.folder)
    assert [("log" in call, "--left-right" in call) for call in started] == [(True, True)]
    started.clear()
    repo.commit("four")
    assert len(titles(repo.folder)) == 4
    assert ["--no-walk=unsorted" in call for call in started] == [False, True]


def test_ten_thousand_commits(tmp_path: Path, started: list[list[str]]) -> None:
    """One process reads them all, and each becomes a document."""
    repo = Git(tmp_path / "project")
    configure(repo.folder)
    stream = []
    for n in range(1, 10_001):
        stream.append(
            f"commit refs/heads/main\nmark :{n}\ncommitter A <a@b.c> {1_600_000_000 + n} +0000\n"
            f"data {len(str(n)) + 7}\nnumber {n}\n"
            + (f"from :{n - 1}\n" if n > 1 else "")
            + f"M 100644 inline f{n % 7}\ndata {len(str(n))}\n{n}\n"
        )
    repo("fast-import", "--quiet", data="".join(stream).encode())
    report = build(repo.folder)
    assert (report.n_docs, report.skips, len(started)) == (10_000, (), 1)
    with memidx.open(str(repo.folder / "store"), env=ENV) as index:
        answer = index.search("7777")
        assert (answer.freshness, [hit.title for hit in answer.hits]) == ("fresh", ["number 7777"])
        repo.commit("the newest")
        assert index.search("newest").n_matched == 1
    assert len(started) == 2


def test_several_repositories(tmp_path: Path) -> None:
    """Each has its name; a root that is a folder of a repository belongs to it."""
    outer = Git(tmp_path / "outer")
    outer.commit("Outer work", {"project/a.txt": "1"})
    root = outer.folder / "project"
    one, two = Git(root / "libs/one"), Git(root / "a repo")
    first, second = one.commit("First library"), two.commit("Second library")
    configure(root, repos='[".", "libs/one", {name = "zwei", path = "a repo"}]')
    build(root)
    with memidx.open(str(root / "store"), env=ENV) as index:
        assert index.doc_ids() == sorted(
            [f"git:.#{outer('rev-parse', 'HEAD')}", f"git:libs/one#{first}", f"git:zwei#{second}"]
        )
        third = two.commit("Third thing")
        assert [hit.doc_id for hit in index.search("third").hits] == [f"git:zwei#{third}"]
        assert index.search("library", path_globs=["git:libs/*"]).n_matched == 1


def test_until_closes_the_set(repo: Git) -> None:
    """Later commits are no news; the store is up to date, and a tag that moves is seen."""
    repo("tag", "v1", "HEAD~1")
    configure(repo.folder, until='"v1"')
    build(repo.folder)
    assert titles(repo.folder) == {"Add a zeppelin"}
    repo.commit("Fold the parachute")
    assert titles(repo.folder) == {"Add a zeppelin"}
    report = build(repo.folder, check=True)
    assert (report.behind, report.n_added) == (False, 0)
    repo("tag", "-f", "-a", "-m", "x", "v1", "HEAD")
    assert len(titles(repo.folder)) == 3
    report = build(repo.folder, check=True)
    assert (report.behind, report.pending) == (True, ())


@pytest.mark.parametrize("until", ["v1", "full", "short", "v1^{}", "v1~1^0"])
def test_a_fresh_clone_is_up_to_date(repo: Git, tmp_path: Path, until: str) -> None:
    """Clone, check, search: a store with `until` needs no build, wherever it is."""
    repo("tag", "-a", "-m", "x", "v1")
    head = repo("rev-parse", "HEAD")
    revision = {"full": head, "short": head[:10]}.get(until, until)
    configure(repo.folder, until=f'"{revision}"')
    build(repo.folder)
    settings = (repo.folder / "memidx.toml").read_bytes()
    repo.commit("Commit the store", {**store_paths(repo.folder), "memidx.toml": settings})
    git(tmp_path, "clone", "-q", str(repo.folder), "clone")
    report = build(tmp_path / "clone", check=True)
    assert (report.behind, report.n_added, report.sources_failed) == (False, 0, ())
    with memidx.open(str(tmp_path / "clone/store"), env=ENV) as index:
        answer = index.search("zeppelin")
    assert (answer.freshness, answer.n_matched) == ("fresh", 1)


def test_a_store_elsewhere_does_not_take_another_repository_for_its_own(
    repo: Git, tmp_path: Path
) -> None:
    """A store that was copied into another project is searched unchecked, and not emptied."""
    other = Git(tmp_path / "other")
    other.commit("Something else")
    shutil.copytree(repo.folder / "store", other.folder / "store",
                    ignore=shutil.ignore_patterns(".cache"))  # fmt: skip
    with memidx.open(str(other.folder / "store"), env=ENV) as index:
        answer = index.search("zeppelin")
        assert (answer.freshness, answer.n_matched, index.root) == ("unchecked", 1, None)


def _shallow(repo: Git) -> None:
    shallow = repo.folder.parent / "shallow"
    git(repo.folder.parent, "clone", "-q", "--depth=1", f"file://{repo.folder}", str(shallow))
    shutil.rmtree(repo.folder / ".git")
    shutil.move(shallow / ".git", repo.folder / ".git")


def _gone(repo: Git) -> None:
    shutil.rmtree(repo.folder / ".git")


def _damaged(repo: Git) -> None:
    (repo.folder / ".git/refs/heads/main").write_text("")


def _pruned(repo: Git) -> None:
    repo.commit("Fold the parachute")
    shutil.rmtree(repo.folder / ".git/objects" / repo("rev-parse", "HEAD")[:2])


def _foreign(repo: Git) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a file to somebody else")
    repo.commit("Fold the parachute")
    for path in [repo.folder, *repo.folder.rglob("*")]:
        os.chown(path, 12345, 12345, follow_symlinks=False)


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (_shallow, "shallow clone"),
        (_gone, "not a git repository"),
        (_damaged, "refs/heads/main is damaged"),
        (_pruned, "bad object"),
        (_foreign, "dubious ownership"),
    ],
    ids=lambda value: getattr(value, "__name__", "because"),
)
def test_a_source_that_fails_keeps_its_documents(
    repo: Git, spoil: Callable[[Git], None], reason: str
) -> None:
    """Every answer names the source and the reason; stored commits stay, and nothing is behind."""
    stored = store_bytes(repo.folder)
    spoil(repo)
    for _ in range(2):
        with memidx.open(str(repo.folder / "store"), env=ENV) as index:
            answer = index.search("zeppelin")
            (failed,) = answer.sources_failed
            assert (failed.source, answer.n_matched) == ("commits", 1)
            assert reason in failed.reason
            assert "git:." in failed.reason
    for report in (build(repo.folder, check=True), build(repo.folder)):
        assert reason in report.sources_failed[0].reason
        assert (report.n_removed, report.n_docs) == (0, 2)
    assert store_bytes(repo.folder) == stored


def test_an_unknown_revision_fails_until_it_is_there(repo: Git) -> None:
    """The answer names it; when the tag is made, the next search reads it."""
    configure(repo.folder, until='"v9"')
    with memidx.open(str(repo.folder / "store"), env=ENV) as index:
        answer = index.search("zeppelin")
        assert "v9" in answer.sources_failed[0].reason
        assert answer.n_matched == 1
        repo("tag", "v9", "HEAD~1")
        assert index.search("zeppelin").sources_failed == ()
        assert index.n_docs == 1


def test_no_git_program(repo: Git) -> None:
    """What is stored is searched; only who needs a new commit needs the program."""
    env = {**ENV, "PATH": "/nowhere"}
    with memidx.open(str(repo.folder / "store"), env=env) as index:
        assert index.search("zeppelin").sources_failed == ()
        repo.commit("Fold the parachute")
        answer = index.search("zeppelin")
        assert answer.n_matched == 1
        assert "git is not installed" in answer.sources_failed[0].reason
    assert titles(repo.folder) == {"Add a zeppelin", "Paint the balloon", "Fold the parachute"}


def test_one_of_two_repositories_fails(tmp_path: Path) -> None:
    """What the other one brings is taken in, what the failed one brought stays."""
    one, two = Git(tmp_path / "p/one"), Git(tmp_path / "p/two")
    one.commit("First")
    two.commit("Second")
    configure(tmp_path / "p", repos='["one", "two"]')
    build(tmp_path / "p")
    _gone(one)
    two.commit("Third")
    assert titles(tmp_path / "p") == {"First", "Second", "Third"}
    # A submodule that was not checked out is not the repository around it.
    Git(tmp_path / "p").commit("Around")
    assert titles(tmp_path / "p") == {"First", "Second", "Third"}


def test_a_repository_out_of_root_is_not_read(tmp_path: Path) -> None:
    """A link that leads out of root makes the source fail, as it does for files."""
    Git(tmp_path / "secret").commit("Hidden")
    root = tmp_path / "p"
    root.mkdir()
    (root / "link").symlink_to(tmp_path / "secret")
    configure(root, repos='["link"]')
    report = build(root)
    assert "leads out of root" in report.sources_failed[0].reason
    assert report.n_docs == 0


def test_an_empty_repository_has_no_documents(tmp_path: Path) -> None:
    """No commit is no failure; the first one is found."""
    repo = Git(tmp_path / "p")
    configure(repo.folder)
    report = build(repo.folder)
    assert (report.n_docs, report.sources_failed) == (0, ())
    repo.commit("Begin")
    assert titles(repo.folder) == {"Begin"}
    assert build(repo.folder, check=True).behind is False


def test_private_data_of_commits(tmp_path: Path) -> None:
    """No author's address, no home folder and no token of a message reaches the store."""
    repo = Git(tmp_path / "p")
    configure(repo.folder)
    token = "ghp_" + "a1B2" * 9
    repo.commit(
        f"Use {token}\n\nSee /home/alice/notes.\n\nCo-authored-by: Bob <bob@example.org>",
        {f"keys/{token}.txt": "1"},
    )
    report = build(repo.folder)
    data = b"".join(store_bytes(repo.folder).values())
    for secret in (token, "alice", "bob@", "ada@", "cleo@", "Ada", "Cleo"):
        assert secret.encode() not in data
    assert report.n_docs == 1
    assert repo("rev-parse", "HEAD").encode() in data


def test_the_same_history_gives_the_same_bytes(tmp_path: Path) -> None:
    """In another folder, packed otherwise, cloned, and read step by step instead of at once."""
    repo = Git(tmp_path / "one")
    configure(repo.folder)
    for n in range(30):
        repo.commit(f"Step {n}", {f"f{n % 4}.txt": str(n)})
        if n % 10 == 0:
            build(repo.folder)
            titles(repo.folder)
    build(repo.folder)
    git(tmp_path, "clone", "-q", str(repo.folder), "a clone")
    configure(tmp_path / "a clone")
    git(tmp_path / "a clone", "gc", "-q")
    build(tmp_path / "a clone")
    assert store_bytes(tmp_path / "a clone") == store_bytes(repo.folder)


def test_a_worktree_and_a_hook(repo: Git, tmp_path: Path) -> None:
    """A linked working tree follows its own HEAD; the variables of a hook mislead nobody."""
    repo("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"), "HEAD~1")
    configure(tmp_path / "side")
    other = Git(tmp_path / "other")
    other.commit("Another project")
    env = {**ENV, "GIT_DIR": str(other.folder / ".git"), "GIT_INDEX_FILE": "/nowhere"}
    memidx.build(root=str(tmp_path / "side"), env=env)
    assert titles(tmp_path / "side") == {"Add a zeppelin"}
