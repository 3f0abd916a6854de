"""Which roles a repository has is told from names, and records from what they hold."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

from memidx.config import load_config
from memidx.setup import detect as detecting
from memidx.setup.configuration import configuration_text
from memidx.setup.detect import Detected, detect
from memidx.setup.roles import ROLES
from memidx.sources.listing import list_files
from tests.git_support import ENV, Git
from tests.support import write_tree

RECORD = '{"id": "a", "text": "A lock needs a timeout."}\n'


def found_in(
    root: Path, files: Mapping[str, str | bytes]
) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Name of a source -> its role and globs."""
    detected = detect(str(write_tree(root, files)), [], ENV)
    return {found.name: (found.role.name, found.include) for found in detected.found}


@pytest.mark.parametrize(
    ("path", "source", "glob"),
    [
        ("docs/decisions/0001-a.md", "decisions", "/docs/decisions/**"),
        ("doc/adr/0001-a.md", "decisions", "/doc/adr/**"),
        ("adr/a.md", "decisions", "/adr/**"),
        ("rfcs/a.rst", "decisions", "/rfcs/**"),
        ("docs/Architecture_Decisions/a.md", "decisions", "/docs/Architecture_Decisions/**"),
        ("intents/ship-it.md", "decisions", "/intents/**"),
        ("DECISIONS.md", "decisions", "/DECISIONS.md"),
        ("docs/learnings.jsonl", "learnings", "/docs/learnings.jsonl"),
        (".agent/lessons.jsonl", "learnings", "/.agent/lessons.jsonl"),
        ("docs/postmortems/a.md", "learnings-notes", "/docs/postmortems/**"),
        ("docs/api/users.md", "api-docs", "/docs/api/**"),
        ("docs/tools.md", "tools-docs", "/docs/tools.md"),
        ("scripts/README.md", "tools-docs", "/scripts/**"),
        ("docs/verifications.jsonl", "verifications", "/docs/verifications.jsonl"),
        ("ux/checkout.md", "work-records", "/ux/**"),
        ("workSummaries/daily/2026-01-02.md", "work-records", "/workSummaries/**"),
        ("tasks.jsonl", "tasks", "/tasks.jsonl"),
        ("TODO.md", "plans", "/TODO.md"),
        ("docs/plans/a.md", "plans", "/docs/plans/**"),
        ("CHANGELOG.md", "changes", "/CHANGELOG.md"),
        ("packages/a b/CHANGES.rst", "changes", "/packages/a\\ b/CHANGES.rst"),
    ],
)
def test_a_name_says_what_a_file_is(tmp_path: Path, path: str, source: str, glob: str) -> None:
    """Each convention leads to one source, whose glob takes the file."""
    files = {path: RECORD if path.endswith("jsonl") else "# Title\n\nText.\n"}
    assert found_in(tmp_path, files)[source][1] == (glob,)


def test_every_other_text_is_docs(tmp_path: Path) -> None:
    """Nothing that a store without configuration would hold is lost."""
    found = found_in(tmp_path, {"README.md": "# A\n", "src/notes.txt": "b\n", "adr/a.md": "# C\n"})
    assert found["docs"] == ("Docs", ("**",))
    assert list(found) == ["decisions", "docs"]


def test_numbered_files_are_decisions_whatever_their_folder(tmp_path: Path) -> None:
    """Eight numbered texts are a series; seven, or a few among many others, are not."""
    series = {f"text/{n:04}-name.md": "# R\n" for n in range(8)}
    assert found_in(tmp_path / "a", series)["decisions"][1] == ("/text/**",)
    assert "decisions" not in found_in(tmp_path / "b", dict(list(series.items())[:7]))
    others = {f"text/other-{n}.md": "# O\n" for n in range(8)}
    assert "decisions" not in found_in(tmp_path / "c", series | others)


def test_a_name_without_records_is_reported(tmp_path: Path) -> None:
    """`tasks.json` may be anything: a file that gives no record is left out, and that is said."""
    root = write_tree(tmp_path, {"tasks.json": '{"version": 2}', "learnings.yaml": "- text: a\n"})
    detected = detect(str(root), [], ENV)
    assert [found.name for found in detected.found] == ["learnings"]
    assert any("tasks.json" in note and "no records" in note for note in detected.notes)


def test_texts_of_tests_are_left_out(tmp_path: Path) -> None:
    """Where they are many, in a line that can be seen and taken back; a single one stays."""
    files = {f"a [b]/tests/decisions/{n}.md": "# T\n" for n in range(5)}
    files |= {"docs/a.md": "# A\n", "vendor/README.md": "# V\n"}
    detected = detect(str(write_tree(tmp_path, files)), [], ENV)
    assert [(found.name, found.n_files) for found in detected.found] == [("docs", 2)]
    assert detected.left_out == {"a [b]/tests": 5}
    (tmp_path / "memidx.toml").write_text(configuration_text("p", detected), encoding="utf-8")
    listing = list_files(str(tmp_path), load_config(str(tmp_path), env={}).sources)
    assert [entry.path for entry in listing.by_source["docs"]] == ["docs/a.md", "vendor/README.md"]


def test_examples_play_no_role(tmp_path: Path) -> None:
    """They stay searchable as docs, and the configuration says how to leave them out."""
    files = {f"examples/x/decisions/{n}.md": "# E\n" for n in range(5)} | {"docs/a.md": "# A\n"}
    detected = detect(str(write_tree(tmp_path, files)), [], ENV)
    assert [(found.name, found.n_files) for found in detected.found] == [("docs", 6)]
    assert detected.aside == {"examples": 5}
    assert '# exclude = ["/examples/**"]' in configuration_text("p", detected)


def test_output_is_output_at_the_top_alone(tmp_path: Path) -> None:
    """`build/` is made by a tool, `docs/build/` is about building."""
    pages = [f"{n}.md" for n in range(5)]
    files = {f"{folder}/{page}": "# B\n" for folder in ("build", "docs/build") for page in pages}
    assert detect(str(write_tree(tmp_path, files)), [], ENV).left_out == {"build": 5}


def test_commits_of_a_repository(tmp_path: Path) -> None:
    """They are a source where there is a repository; a shallow clone is left out, and said."""
    git = Git(tmp_path / "one")
    git.commit("first", {"a.md": "# A\n"})
    git.commit("second")
    found = {f.name: f for f in detect(str(git.folder), [], ENV).found}
    assert (found["commits"].kind, found["commits"].n_files) == ("git", 2)
    git("clone", "-q", "--depth", "1", f"file://{git.folder}", str(tmp_path / "two"))
    shallow = detect(str(tmp_path / "two"), [], ENV)
    assert "commits" not in {f.name for f in shallow.found}
    assert any("shallow" in note for note in shallow.notes)
    assert "commits" not in {f.name for f in detect(str(tmp_path), [], ENV).found}
    without = detect(str(git.folder), [], {"PATH": str(tmp_path)})
    assert without.tree is None
    assert any("git is not installed" in note for note in without.notes)


@pytest.mark.parametrize(
    ("path", "content", "source", "kind"),
    [
        ("openapi.yaml", "openapi: 3.1.0\n", "api", "openapi"),
        ("docs/petstore-swagger.json", '{"swagger": "2.0"}', "api", "openapi"),
        ("scripts/deploy.py", "def run(): pass\n", "tools", "code"),
    ],
)
def test_kinds_are_written_where_this_version_reads_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, content: str, source: str, kind: str
) -> None:
    """A kind that is not known is named in a note; one that is known becomes a source."""
    root = str(write_tree(tmp_path, {path: content}))
    monkeypatch.setattr(detecting, "knows_kind", lambda name: name not in ("openapi", "code"))
    without = detect(root, [], ENV)
    assert without.found == ()
    assert any(path.split("/")[0] in note and kind in note for note in without.notes)
    monkeypatch.setattr(detecting, "knows_kind", lambda name: True)
    found = {f.name: f.kind for f in detect(root, [], ENV).found}
    assert found == {source: kind}


def test_a_spec_is_known_by_its_first_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that only bears the name is none."""
    monkeypatch.setattr(detecting, "knows_kind", lambda name: True)
    assert "api" not in found_in(tmp_path, {"openapi.json": "[1, 2]"})


def everything(root: Path) -> Detected:
    """A repository with each role that this version can read."""
    git = Git(root)
    files = {
        "docs/decisions/0001-a.md": "# A\n",
        "docs/learnings.jsonl": RECORD,
        "docs/api/users.md": "# Users\n",
        "docs/tools.md": "# Tools\n",
        "docs/verifications.jsonl": RECORD,
        "docs/tasks.yaml": "- {id: t, text: Do it.}\n",
        'docs/odd "name" [x]/CHANGELOG.md': "# Changelog\n\n## 1.0.0 - 2026-01-02\n\n- A lock.\n",
        "README.md": "# Project\n",
    }
    git.commit("first", files)
    return detect(str(root), [], ENV)


def test_the_configuration_is_read_as_it_was_meant(tmp_path: Path) -> None:
    """Roles and weights of the eight, and each source takes the files it was written for."""
    detected = everything(tmp_path)
    text = configuration_text("project", detected)
    (tmp_path / "memidx.toml").write_text(text, encoding="utf-8")
    config = load_config(str(tmp_path), env={})
    weights = {source.name: source.weight for source in config.sources}
    assert weights == {
        "decisions": 1.4, "learnings": 1.2, "api-docs": 1.1, "tools-docs": 1.0,
        "verifications": 0.9, "tasks": 0.8, "changes": 1.0, "docs": 1.0, "commits": 0.7,
    }  # fmt: skip
    listing = list_files(str(tmp_path), config.sources)
    assert listing.failed == {}
    counts = {name: len(entries) for name, entries in listing.by_source.items() if entries}
    assert counts == {f.name: f.n_files for f in detected.found if f.kind != "git"}


def test_a_role_that_is_missing_is_an_example_in_comments(tmp_path: Path) -> None:
    """All eight are there; taking the `# ` away makes each one that can be read valid."""
    write_tree(tmp_path, {"a.md": "# A\n"})
    text = configuration_text("p", detect(str(tmp_path), [], ENV))
    for role in ROLES:
        assert f"# {role.name} (weight {role.weight})" in text
    lines = text.splitlines()
    start = lines.index("# [[sources]]")
    table = "\n".join(line.removeprefix("# ") for line in lines[start : start + 4])
    assert tomllib.loads(table)["sources"][0]["name"] == "decisions"


@pytest.mark.parametrize("name", ['odd "name"', "a#b", "\x7f", "x" * 200, "日本"])
def test_any_folder_name_gives_a_valid_configuration(tmp_path: Path, name: str) -> None:
    """The project is called after its folder, whatever that is called."""
    git = Git(tmp_path / "p")
    git.commit("first", {"a.md": "# A\n"})
    (git.folder / "memidx.toml").write_text(
        configuration_text(name, detect(str(git.folder), [], ENV)), encoding="utf-8"
    )
    config = load_config(str(git.folder), env={})
    assert config.project_name == name
    assert [source.name for source in config.sources] == ["docs", "commits"]
