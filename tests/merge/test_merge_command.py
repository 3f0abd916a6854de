"""`memidx merge` and the merge driver in repositories where git stopped for a conflict."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import memidx
from memidx import merging
from memidx.setup.git import driver_command
from memidx.snapshot import publish
from tests.git_support import ENV, Git
from tests.merge.pairs import store_bytes

CONFIG = '[[sources]]\nname = "docs"\ninclude = ["/docs/**"]\n'
NOTE = "# Lock\n\nfirst\n\n" + "".join(f"line {n}\n\n" for n in range(20)) + "last\n"


class Project:
    """A repository with a committed store over `docs`."""

    def __init__(self, folder: Path, config: str = CONFIG, *, driver: bool = True) -> None:
        self.folder = folder
        self.git = Git(folder)
        files = {f"docs/{n:02}.md": f"# Note {n}\n\nAbout locks, {n}.\n" for n in range(30)}
        for name, text in (files | {"docs/lock.md": NOTE, "memidx.toml": config}).items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
        self.memidx("init", "--git")
        if not driver:
            self.git("config", "--remove-section", "merge.memidx")
        self.commit("base", {})

    def commit(self, message: str, files: Mapping[str, str | None], *, build: bool = True) -> str:
        """Write and remove files, build, commit all."""
        for name, text in files.items():
            path = self.folder / name
            if text is None:
                path.unlink()
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
        if build:
            memidx.build(root=str(self.folder), env=ENV)
        self.git("add", "-A")
        return self.git.commit(message)

    def branches(self, ours: Mapping[str, str | None], theirs: Mapping[str, str | None]) -> None:
        """Two branches from here, the first checked out."""
        self.git("checkout", "-q", "-b", "side")
        self.commit("theirs", theirs)
        self.git("checkout", "-q", "main")
        self.commit("ours", ours)

    def merge(self, command: str = "merge") -> tuple[int, list[str]]:
        """Let git merge the branch: its code, and what it leaves undecided."""
        who = {
            f"GIT_{role}_{what}": value
            for role in ("AUTHOR", "COMMITTER")
            for what, value in (("NAME", "A"), ("EMAIL", "a@example.org"))
        }
        options = ["-q", "--no-edit"] if command == "merge" else ["-q"]
        found = subprocess.run(
            ["git", command, *options, "side"],
            cwd=self.folder,
            env={**ENV, **who},
            capture_output=True,
            check=False,
        )
        return found.returncode, self.undecided()

    def undecided(self) -> list[str]:
        """Paths of git's index that are not merged."""
        return self.git("diff", "--name-only", "--diff-filter=U").split()

    def memidx(self, *arguments: str, env: Mapping[str, str] = ENV) -> subprocess.CompletedProcess:
        """Run a command as a person would."""
        command = [sys.executable, "-P", "-m", "memidx", *arguments]
        return subprocess.run(
            command, cwd=self.folder, env=dict(env), capture_output=True, text=True, check=False
        )

    def is_clean_build(self) -> bool:
        """Whether the store is what a build of the sources alone gives."""
        clean = self.folder.parent / "clean"
        memidx.build(root=str(self.folder), store=str(clean), full=True, env=ENV)
        return store_bytes(clean) == store_bytes(self.folder / "store")


Make = Callable[..., Project]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project whose clone has the merge driver."""
    return Project(tmp_path / "project")


BOTH_ENDS = (
    {"docs/lock.md": NOTE.replace("first", "FIRST")},
    {"docs/lock.md": NOTE.replace("last", "LAST")},
)


def test_a_note_that_both_sides_edited_is_taken_from_its_source(project: Project) -> None:
    """Git merges the note and not its line; the command reads the note and drops the markers."""
    project.branches(*BOTH_ENDS)
    assert project.merge() == (1, ["store/docs.jsonl"])
    found = project.memidx("merge")
    assert found.returncode == 0, found.stderr
    lines = found.stdout.splitlines()
    assert "Was unmerged: store/docs.jsonl" in lines
    assert sum(line.startswith("Held a conflict marker: docs.jsonl:") for line in lines) == 3
    assert "Taken from its source: docs/lock.md" in lines
    assert lines[-1] == "Staged. `git commit` goes on."
    assert project.undecided() == []
    project.git.commit("merged")
    assert project.git("status", "--porcelain") == ""
    assert project.is_clean_build()
    assert b"FIRST" in (project.folder / "store/docs.jsonl").read_bytes()
    assert b"LAST" in (project.folder / "store/docs.jsonl").read_bytes()


def test_a_left_marker_is_found_by_name_and_line(project: Project) -> None:
    """verify says no and where; a search heals what it reads from the sources, and answers."""
    project.branches(*BOTH_ENDS)
    project.merge()
    data = (project.folder / "store/docs.jsonl").read_bytes().split(b"\n")
    number = 1 + next(n for n, line in enumerate(data) if line.startswith(b"<<<<<<<"))
    verified = project.memidx("verify")
    assert verified.returncode == 1
    place = f"store/docs.jsonl:{number}: conflict marker <<<<<<< of an unfinished merge"
    assert place in verified.stdout
    found = project.memidx("query", "FIRST", "LAST", "--format", "json")
    assert found.returncode == 0
    assert json.loads(found.stdout)["hits"][0]["doc_id"] == "docs/lock.md"


def test_a_left_marker_without_sources_is_not_searched_past(
    project: Project, tmp_path: Path
) -> None:
    """A store alone cannot say what the document is: exit code 3, with the place."""
    project.branches(*BOTH_ENDS)
    project.merge()
    alone = tmp_path / "alone" / "store"
    alone.mkdir(parents=True)
    for name, data in store_bytes(project.folder / "store").items():
        (alone / name).write_bytes(data)
    found = project.memidx("query", "lock", "--store", str(alone), "--no-refresh")
    assert found.returncode == 3
    assert "docs.jsonl:" in found.stderr


def test_open_sources_are_named_and_nothing_is_touched(project: Project) -> None:
    """While a note is undecided, or holds markers though it was added, the store waits."""
    project.branches(
        {"docs/lock.md": NOTE.replace("first", "ours")},
        {"docs/lock.md": NOTE.replace("first", "theirs")},
    )
    assert project.merge() == (1, ["docs/lock.md", "store/docs.jsonl"])
    before = store_bytes(project.folder / "store")
    found = project.memidx("merge")
    assert (found.returncode, found.stdout) == (2, "")
    assert "docs/lock.md: unmerged" in found.stderr
    project.git("add", "docs/lock.md")
    found = project.memidx("merge")
    assert found.returncode == 2
    assert "docs/lock.md:3: holds a conflict marker" in found.stderr
    assert store_bytes(project.folder / "store") == before
    (project.folder / "docs/lock.md").write_text(NOTE.replace("first", "both"), encoding="utf-8")
    project.git("add", "docs/lock.md")
    assert project.memidx("merge").returncode == 0
    assert project.is_clean_build()


def test_a_note_that_one_side_deleted_has_to_be_decided_first(project: Project) -> None:
    """A file that is gone from disk may still come back, so it counts as a source."""
    project.branches({"docs/lock.md": None}, {"docs/lock.md": NOTE.replace("first", "theirs")})
    project.merge()
    assert "docs/lock.md: unmerged" in project.memidx("merge").stderr
    project.git("rm", "-q", "-f", "docs/lock.md")
    found = project.memidx("merge")
    assert found.returncode == 0
    assert "Gone, as its source is: docs/lock.md" in found.stdout
    assert project.is_clean_build()


def test_code_in_conflict_does_not_hold_the_store_up(project: Project) -> None:
    """What no source takes can be decided later."""
    project.branches(
        {**BOTH_ENDS[0], "src/a.py": "a = 1\n"}, {**BOTH_ENDS[1], "src/a.py": "a = 2\n"}
    )
    assert project.merge() == (1, ["src/a.py", "store/docs.jsonl"])
    assert project.memidx("merge").returncode == 0
    assert project.undecided() == ["src/a.py"]


def test_a_page_about_conflicts_is_no_conflict(project: Project) -> None:
    """Markers count in files that were in conflict, not in prose that shows them."""
    shown = "# Git\n\n```\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> side\n```\n"
    project.branches({**BOTH_ENDS[0], "docs/git.md": shown}, BOTH_ENDS[1])
    project.merge()
    assert project.memidx("merge").returncode == 0


def test_a_configuration_in_conflict_is_decided_first(project: Project) -> None:
    """It says what the sources are."""
    project.branches(
        {"memidx.toml": CONFIG + "weight = 2.0\n", **BOTH_ENDS[0]},
        {"memidx.toml": CONFIG + "weight = 3.0\n", **BOTH_ENDS[1]},
    )
    assert "memidx.toml" in project.merge()[1]
    found = project.memidx("merge")
    assert found.returncode == 2
    assert "memidx.toml:" in found.stderr
    (project.folder / "memidx.toml").write_text(CONFIG + "weight = 2.5\n")
    project.git("add", "memidx.toml")
    assert project.memidx("merge").returncode == 0
    assert project.is_clean_build()


def test_a_failed_source_loses_nothing(project: Project) -> None:
    """Ours stays for what cannot be read now, nothing is staged, and the code says unfinished."""
    project.branches(*BOTH_ENDS)
    project.merge()
    (project.folder / "docs").rename(project.folder / "away")
    found = project.memidx("merge")
    assert found.returncode == 3
    assert "Not decided, because its source failed: docs/lock.md" in found.stdout
    assert project.undecided() == ["store/docs.jsonl"]
    (project.folder / "away").rename(project.folder / "docs")
    assert project.memidx("merge").returncode == 0
    assert project.undecided() == []
    assert project.is_clean_build()


@pytest.mark.parametrize("split", ["ours", "theirs", "both"])
def test_a_branch_that_split_the_store(
    project: Project, monkeypatch: pytest.MonkeyPatch, split: str
) -> None:
    """Git sees a file deleted here and changed there; the documents of both are all there."""
    cap = len((project.folder / "store/docs.jsonl").read_bytes()) + 3000
    for module in (publish, merging):
        monkeypatch.setattr(module, "SHARD_CAP_BYTES", cap)
    large = {"docs/large.md": "# Large\n\n" + "word " * 800, "docs/00.md": None}
    small = {"docs/small.md": "# Small\n", "docs/07.md": "# Note 7\n\nAnother.\n"}
    more = {"docs/more.md": "# More\n\n" + "text " * 800, "docs/03.md": None}
    sides = {"ours": (large, small), "theirs": (small, large), "both": (large, more)}[split]
    project.branches(*sides)
    code, undecided = project.merge()
    assert code == 1
    assert any(path.startswith("store/docs") for path in undecided)
    report = merging.run_merge(str(project.folder), None, ENV, now_ns=0)
    assert report.staged
    assert project.undecided() == []
    assert report.build.n_shards > 1
    assert project.is_clean_build()
    project.git.commit("merged")
    assert project.git("status", "--porcelain") == ""


def test_commits_of_the_other_branch_stay(tmp_path: Path) -> None:
    """HEAD does not reach them before the merge is committed, and a moment later it does."""
    config = CONFIG + '[[sources]]\nname = "commits"\nkind = "git"\n'
    project = Project(tmp_path / "project", config)
    project.branches(*BOTH_ENDS)
    project.git("checkout", "-q", "side")
    project.commit("another of theirs", {"docs/01.md": "# One\n"})
    project.git("checkout", "-q", "main")
    project.merge()
    found = project.memidx("merge", "--format", "json")
    assert found.returncode == 0, found.stderr
    incoming = json.loads(found.stdout)["incoming"]
    assert incoming == [f"git:.#{project.git('rev-parse', 'side~1')}"]
    project.git.commit("merged")
    assert memidx.build(root=str(project.folder), check=True, env=ENV).behind is False
    assert incoming[0].encode() in (project.folder / "store/docs.jsonl").read_bytes()


def test_a_rebase_goes_on(project: Project) -> None:
    """Every stop of git has unmerged versions in its index, and the way on is named."""
    project.branches(*BOTH_ENDS)
    assert project.merge("rebase") == (1, ["store/docs.jsonl"])
    found = project.memidx("merge")
    assert found.stdout.splitlines()[-1] == "Staged. `git rebase --continue` goes on."
    project.git("rebase", "--continue", GIT_EDITOR="true")
    assert project.is_clean_build()


@pytest.mark.parametrize("store", [".", "memory/my store"])
def test_a_store_lies_anywhere_in_the_working_tree(tmp_path: Path, store: str) -> None:
    """Its own files are merged and staged, and no neighbour of them."""
    project = Project(tmp_path / "project", f'store = "{store}"\n{CONFIG}')
    project.branches(*BOTH_ENDS)
    prefix = "" if store == "." else f"{store}/"
    assert project.merge()[0] == 1
    (project.folder / prefix / "mine.txt").write_text("not yet\n")
    found = project.memidx("merge")
    assert found.returncode == 0, found.stderr
    assert f"Was unmerged: {prefix}docs.jsonl" in found.stdout
    assert project.undecided() == []
    assert "mine.txt" not in project.git("diff", "--cached", "--name-only")
    assert project.memidx("verify").returncode == 0


def test_nothing_to_do_is_said(project: Project) -> None:
    """A second call changes nothing, and stages nothing where git waits for nothing."""
    found = project.memidx("merge")
    assert found.returncode == 0
    assert "Nothing of the store was undecided." in found.stdout
    assert project.git("status", "--porcelain") == ""


def test_without_git(project: Project, tmp_path: Path) -> None:
    """No repository is the caller's mistake; no program is named."""
    lone = tmp_path / "lone"
    lone.mkdir()
    (lone / "a.md").write_text("# A\n")
    found = project.memidx("merge", "--root", str(lone))
    assert found.returncode == 2
    assert "is in no working tree of git" in found.stderr
    found = project.memidx("merge", env={"PATH": str(lone)})
    assert found.returncode == 3
    assert "git is not installed" in found.stderr


@pytest.mark.parametrize("python", ["/no/such/python", "without memidx", "it's 100%/python"])
def test_where_memidx_is_gone_git_merges_lines(project: Project, python: str) -> None:
    """Both versions of the note stand between git's markers: nothing of theirs is lost."""
    if python == "without memidx":
        script = project.folder.parent / "python"
        script.write_text("#!/bin/sh\necho 'No module named memidx' >&2\nexit 1\n")
        script.chmod(0o755)
        python = str(script)
    project.git("config", "merge.memidx.driver", driver_command(python))
    project.branches({**BOTH_ENDS[0], "docs/x.md": "# X\n"}, BOTH_ENDS[1])
    assert project.merge() == (1, ["store/docs.jsonl"])
    data = (project.folder / "store/docs.jsonl").read_bytes()
    assert (data.count(b"<<<<<<< "), data.count(b">>>>>>> ")) == (1, 1)
    assert b"FIRST" in data
    assert b"LAST" in data
    assert project.memidx("merge").returncode == 0
    assert project.is_clean_build()


def test_a_python_with_a_blank_and_a_percent_sign_is_called(
    project: Project, tmp_path: Path
) -> None:
    """Git reads % as a placeholder, and the shell splits at blanks: neither does here."""
    script = tmp_path / "it's 100%P" / "python"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\ntouch "$0.called"\nexec "{sys.executable}" "$@"\n')
    script.chmod(0o755)
    project.git("config", "merge.memidx.driver", driver_command(str(script)))
    ordered = [f"docs/{n:02}.md" for n in range(30)]
    project.branches({ordered[0]: "# Ours\n"}, dict.fromkeys(ordered[1:], "# Theirs\n"))
    assert project.merge() == (0, [])
    assert script.with_name("python.called").exists()
    assert project.is_clean_build()


def test_a_clone_without_the_driver_merges_lines(tmp_path: Path) -> None:
    """The attribute is committed, the driver is not: git then merges as if neither were there."""
    project = Project(tmp_path / "project", driver=False)
    project.branches({"docs/a.md": "# A\n"}, {"docs/b.md": "# B\n"})
    assert project.merge() == (0, [])
    assert project.is_clean_build()
