"""`memidx init` writes what a repository lacks, once, and leaves everything else alone."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import memidx
from memidx.setup.agents import agent_block
from memidx.setup.git import attribute_lines, driver_command
from memidx.setup.project import Wanted, set_up
from tests.cli.conftest import Run
from tests.git_support import ENV, Git
from tests.support import write_tree

MANY_WORDS = (
    "A writer that cannot take the lease within two seconds gives up, and the caller sees which "
    "process holds it. Readers never wait for anybody: they map an immutable snapshot, and a "
    "writer publishes another one beside it. Compaction happens when the overlay outgrows its "
    "budget, and abandoned snapshots disappear after the last reader has gone away.\n"
)
FILES: Mapping[str, str] = {
    "docs/decisions/0001-leases.md": "# 0001 Locks\n\n" + MANY_WORDS,
    "docs/guide.md": "# Guide\n\n"
    + MANY_WORDS.replace("lease", "ticket").replace("writer", "clerk"),
    "docs/learnings.jsonl": '{"id": "fsync", "text": "Renames are durable after the folder is '
    'synced, and quota errors arrive late."}\n',
    "README.md": "# Project\n",
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository that nobody set up yet; the working folder."""
    git = Git(tmp_path / "project")
    git.commit("first", FILES)
    monkeypatch.chdir(git.folder)
    for key, value in ENV.items():
        monkeypatch.setenv(key, value)
    return git.folder


def contents(folder: Path) -> dict[str, bytes]:
    """Every file but git's own."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".git/" not in path.as_posix()
    }


def test_a_new_repository_can_be_built_searched_and_judged(run: Run, project: Path) -> None:
    """init, build, query, eval, lint: each starter passes, and the suite has no findings."""
    found = run("init")
    assert found.exit_code == 0, found.stderr
    assert "Decisions and intents: decisions (markdown, weight 1.4), 1 file" in found.stdout
    assert "written: memidx.toml" in found.stdout
    assert run("build").exit_code == 0
    assert run("query", "lease", "--source", "decisions").exit_code == 0
    lint = run("eval", "queries.yaml", "--lint", "--format", "json")
    assert lint.exit_code == 0, lint.stdout
    judged = run("eval", "queries.yaml", "--format", "json")
    assert judged.exit_code == 0, judged.stdout
    report = json.loads(judged.stdout)
    ids = [query["query_id"] for query in report["queries"]]
    assert "starter-decisions" in ids
    assert "nothing-there" in ids
    assert all(query["status"] == "passed" for query in report["queries"]), report["queries"]


def test_a_second_time_changes_nothing(run: Run, project: Path) -> None:
    """Each file is left or unchanged, with every option."""
    options = ("init", "--git", "--agents")
    run("init")
    run(*options)
    before = contents(project)
    config = (project / ".git/config").read_bytes()
    again = run(*options)
    assert again.exit_code == 0
    assert contents(project) == before
    assert (project / ".git/config").read_bytes() == config
    assert not [line for line in again.stdout.splitlines() if line.startswith(("written", "block"))]


def test_what_is_there_is_never_overwritten(run: Run, project: Path) -> None:
    """Configuration and suite of the user stay; other files keep their bytes before the block."""
    owned = {
        "memidx.toml": '[[sources]]\nname = "mine"\ninclude = ["docs/**"]\n',
        "queries.yaml": "version: 1\nqueries:\n- {id: a, query: lease, category: keyword, "
        "expect_paths: [docs/guide.md]}\n",
        ".gitignore": "*.pyc",
        ".gitattributes": "* text=auto\n",
        "AGENTS.md": "# Mine\n\nBe brief.\n",
    }
    write_tree(project, owned)
    found = run("init", "--git", "--agents")
    assert found.exit_code == 0, found.stderr
    found = run("init")
    assert "left: memidx.toml" in found.stdout
    assert "left: queries.yaml" in found.stdout
    for name, text in owned.items():
        assert (project / name).read_bytes().startswith(text.encode())
    for name in ("memidx.toml", "queries.yaml"):
        assert (project / name).read_text() == owned[name]


def test_a_pyproject_is_a_configuration(run: Run, project: Path) -> None:
    """No second one is written beside it, and it is named."""
    write_tree(project, {"pyproject.toml": '[tool.memidx]\nproject_name = "p"\n'})
    found = run("init")
    assert "left: pyproject.toml" in found.stdout
    assert not (project / "memidx.toml").exists()


def test_asking_for_one_thing_in_a_project_that_is_set_up_gives_that(
    run: Run, project: Path
) -> None:
    """A suite that somebody chose not to have does not come with it."""
    run("init")
    (project / "queries.yaml").unlink()
    (project / ".gitattributes").unlink()
    run("init", "--agents")
    assert not (project / ".gitattributes").exists()
    run("init", "--git")
    assert (project / ".gitattributes").exists()
    assert not (project / "queries.yaml").exists()


def test_print_writes_nothing(run: Run, project: Path) -> None:
    """What would be written is shown, with a line above each file."""
    before = contents(project), (project / ".git/config").read_bytes()
    found = run("init", "--git", "--agents", "--print")
    assert found.exit_code == 0
    for name in ("memidx.toml", "queries.yaml", ".gitattributes", ".gitignore", "AGENTS.md"):
        assert f"--- {name} (written)" in found.stdout
    assert (contents(project), (project / ".git/config").read_bytes()) == before


def test_the_report_can_be_read_by_a_program(run: Run, project: Path) -> None:
    """Sources with role, globs and numbers; steps with what became of each file."""
    report = json.loads(run("init", "--format", "json").stdout)
    assert report["schema"] == "memidx.init/1"
    assert report["sources"][0] == {
        "name": "decisions", "role": "Decisions and intents", "kind": "markdown",
        "include": ["/docs/decisions/**"], "weight": 1.4, "n_files": 1,
    }  # fmt: skip
    actions = {step["path"]: step["action"] for step in report["steps"]}
    assert actions["memidx.toml"] == actions[".gitignore"] == "written"


def test_git_leaves_the_stores_bytes_alone(run: Run, project: Path) -> None:
    """Even where git turns line ends round, a checkout gives the bytes that were built."""
    git = Git(project)
    git("config", "core.autocrlf", "true")
    run("init", "--git")
    memidx.build(root=str(project), env=ENV)
    before = (project / "store/docs.jsonl").read_bytes()
    git("add", "-A")
    git.commit("store")
    for name in ("docs.jsonl", "manifest.json"):
        (project / "store" / name).unlink()
    git("checkout", "--", "store")
    assert (project / "store/docs.jsonl").read_bytes() == before
    assert git("check-attr", "merge", "--", "store/docs-0a.jsonl").endswith(": memidx")
    assert git("check-attr", "merge", "--", "docs/guide.md").endswith(": unspecified")
    assert git("check-ignore", "store/.cache/root") == "store/.cache/root"
    assert git("config", "merge.memidx.driver") == driver_command(sys.executable)


def test_a_driver_that_somebody_else_set_stays(run: Run, project: Path) -> None:
    """It is reported; an older one of memidx is renewed."""
    git = Git(project)
    git("config", "merge.memidx.driver", "my-own %A")
    found = run("init", "--git")
    assert "left: merge.memidx.driver" in found.stdout
    assert git("config", "merge.memidx.driver") == "my-own %A"
    git("config", "merge.memidx.driver", driver_command("/old/python"))
    run("init", "--git")
    assert git("config", "merge.memidx.driver") == driver_command(sys.executable)


def test_lines_the_owner_has_are_not_written_twice(run: Run, project: Path) -> None:
    """An ignore file that already says it all is unchanged."""
    write_tree(project, {".gitignore": "/store/.cache/\n/reports/latest/\n"})
    run("init")
    assert (project / ".gitignore").read_text() == "/store/.cache/\n/reports/latest/\n"


def test_a_store_with_an_odd_name_has_attributes(run: Run, project: Path) -> None:
    """Blanks and brackets in its path are meant as they are."""
    name = 'my [x] "s"'
    (project / "memidx.toml").write_text(f"store = {json.dumps('data/' + name)}\n")
    run("init", "--git")
    git = Git(project)
    path = f"data/{name}/docs.jsonl"
    assert git("check-attr", "-z", "text", "--", path).split("\0")[2] == "unset", attribute_lines(
        name
    )
    assert git("check-ignore", f"data/{name}/.cache/x")


def test_without_a_repository(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest is set up; asking for the driver is a mistake, and then nothing is written."""
    folder = write_tree(tmp_path / "plain", FILES)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    before = contents(folder)
    found = run("init", "--git")
    assert found.exit_code == 2
    assert "no git repository" in found.stderr
    assert contents(folder) == before
    assert run("init").exit_code == 0
    assert sorted(set(contents(folder)) - set(before)) == ["memidx.toml", "queries.yaml"]


def test_a_folder_without_any_text(run: Run, tmp_path: Path) -> None:
    """Everything in the configuration is a comment, and the suite is still a valid one."""
    assert run("init", "--root", str(tmp_path)).exit_code == 0
    (tmp_path / "first.md").write_text("# First\n")
    assert run("build", "--root", str(tmp_path)).exit_code == 0
    assert run("eval", str(tmp_path / "queries.yaml")).exit_code == 0


class TestAgents:
    """`--agents` and the files in which agents look for instructions."""

    def test_every_file_that_is_there_gets_the_block(self, run: Run, project: Path) -> None:
        """And only those; their own words stay in front of it."""
        write_tree(project, {"CLAUDE.md": "Mine.\n", ".github/copilot-instructions.md": "Too.\n"})
        run("init", "--agents")
        for name in ("CLAUDE.md", ".github/copilot-instructions.md"):
            text = (project / name).read_text()
            assert text.startswith(("Mine.\n", "Too.\n"))
            assert "memidx query" in text
        assert not (project / "AGENTS.md").exists()

    def test_where_there_is_none_agents_md_is_made(self, run: Run, project: Path) -> None:
        """The file that most agents read."""
        run("init", "--agents")
        assert "memidx query" in (project / "AGENTS.md").read_text()

    def test_words_around_the_block_stay_when_it_is_renewed(self, run: Run, project: Path) -> None:
        """What the user writes below it later is theirs as well."""
        run("init", "--agents")
        path = project / "AGENTS.md"
        path.write_text("Before.\n" + path.read_text().replace("Never wait", "Wait") + "After.\n")
        found = run("init", "--agents")
        assert "block renewed: AGENTS.md" in found.stdout
        text = path.read_text()
        assert text.startswith("Before.\n")
        assert text.endswith("After.\n")
        assert "Never wait" in text

    def test_a_broken_block_is_refused_before_anything_is_written(
        self, run: Run, project: Path
    ) -> None:
        """The file and the line are named."""
        write_tree(project, {"AGENTS.md": "a\n<!-- <<< memidx <<< -->\n"})
        before = contents(project)
        found = run("init", "--agents")
        assert found.exit_code == 2
        assert "AGENTS.md:2:" in found.stderr
        assert contents(project) == before

    def test_one_file_by_two_names_gets_one_block(self, run: Run, project: Path) -> None:
        """A link is followed, and stays a link; one that leads out is left and named."""
        write_tree(project, {"AGENTS.md": "Mine.\n"})
        (project / "CLAUDE.md").symlink_to("AGENTS.md")
        outside = project.parent / "mine.md"
        outside.write_text("Everywhere.\n")
        (project / "GEMINI.md").symlink_to(outside)
        found = run("init", "--agents")
        assert (project / "AGENTS.md").read_text().count("memidx init --agents") == 1
        assert (project / "CLAUDE.md").is_symlink()
        assert outside.read_text() == "Everywhere.\n"
        assert "GEMINI.md: is a link" in found.stderr

    def test_a_file_in_another_encoding_is_left(self, run: Run, project: Path) -> None:
        """Bytes of ours in a UTF-16 file would be no text."""
        data = "Mine.".encode("utf-16")
        write_tree(project, {"AGENTS.md": data})
        assert "left: AGENTS.md (is UTF-16" in run("init", "--agents").stdout
        assert (project / "AGENTS.md").read_bytes() == data

    def test_only_options_that_exist_are_named(self) -> None:
        """`--also` is told where the query command has it."""
        assert "--also" in agent_block(has_also=True)
        assert "--also" not in agent_block(has_also=False)


def test_a_file_that_cannot_be_written_is_named(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system's refusal reaches the caller as an error of memidx."""
    from memidx import files
    from memidx.errors import FileError

    def refuse(*_: Any) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(files, "_open_new", refuse)
    wanted = Wanted(git=False, agents=False, has_also=False, python=sys.executable, write=True)
    with pytest.raises(FileError, match=r"memidx\.toml"):
        set_up(str(project), os.environ, wanted)
