"""States of a run as they were committed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import memidx
from memidx.errors import ConfigError, InputError, MemidxError, StoreCorrupt, StoreMissing
from memidx.evals.past import Past, Places
from memidx.evals.revisions import Revisions
from tests.git_support import ENV, Git
from tests.support import write_tree

_CONFIGURATION = '[search]\nk1 = 0.7\n[[sources]]\nname = "docs"\ninclude = ["docs/**"]\n'
_SUITE = "version: 1\nqueries:\n- {id: a, query: heron, expect_paths: [docs/a.md]}\n"


@pytest.fixture
def git(tmp_path: Path) -> Git:
    """One commit: two documents, a built store, a suite, a configuration."""
    git = Git(tmp_path / "project")
    write_tree(
        git.folder,
        {
            "memidx.toml": _CONFIGURATION,
            "docs/a.md": "# A\n\nheron\n",
            "docs/b.md": "# B\n\nwren\n",
            "queries.yaml": _SUITE,
            ".gitignore": "/store/.cache/\n",
        },
    )
    memidx.build(root=str(git.folder), store=str(git.folder / "store"), env={})
    git("add", "-A")
    git.commit("first")
    return git


@pytest.fixture
def past(git: Git) -> Callable[[], Past]:
    """Opens the repository, from a folder inside it."""
    return lambda: Past(
        Revisions(str(git.folder / "docs"), ENV), Places("store", ".", "queries.yaml"), {}
    )


def test_a_state_is_what_an_open_index_says(git: Git, past: Callable[[], Past]) -> None:
    """Documents, fingerprint and settings of a commit are those of the store on disk."""
    side = past().side(past().revisions.commit("HEAD"))
    with memidx.open(str(git.folder / "store"), env={}) as index:
        index.refresh()
        assert side.corpus.build_id == index.build_id
        assert [d.doc_id for d in side.corpus.documents] == index.doc_ids()
        assert {d.doc_id: d.text for d in side.corpus.documents} == dict(index.texts())
        assert side.settings.search == index.rank_inputs().settings.search
        assert side.analyzer.fingerprint() == index.fingerprint
    assert side.settings.search.k1 == 0.7
    assert [query.query_id for query in side.suite.queries] == ["a"]


def test_a_corpus_is_found_by_its_fingerprint(git: Git, past: Callable[[], Past]) -> None:
    """Of three states of the store, the one that holds these documents; none holds others."""
    fingerprints = []
    for n in range(3):
        (git.folder / "docs/a.md").write_text(f"# A\n\nheron {n}\n")
        memidx.build(root=str(git.folder), store=str(git.folder / "store"), env={})
        git("add", "-A")
        git.commit(f"state {n}")
        fingerprints.append(past().corpus(past().revisions.commit("HEAD")).build_id)
    for n, fingerprint in enumerate(fingerprints):
        found = past().find_corpus(fingerprint, [])
        assert found is not None
        assert found.subject == f"state {n}"
    assert past().find_corpus("0" * 64, []) is None


def test_a_damaged_store_is_refused_by_place(git: Git, past: Callable[[], Past]) -> None:
    """A changed byte, a line twice, a shard that is gone: each says commit, file and line."""
    shard = git.folder / "store/docs.jsonl"
    whole = shard.read_bytes()
    lines = whole.splitlines(keepends=True)
    for content, said in (
        (whole.replace(b"heron", b"heros"), r"docs.jsonl:[12]: its checksum does not match"),
        (whole + lines[0], "the document is there twice"),
        (None, "docs.jsonl: the shard is missing"),
    ):
        if content is None:
            shard.unlink()
        else:
            shard.write_bytes(content)
        git("add", "-A")
        git.commit("damaged")
        with pytest.raises(StoreCorrupt, match=said):
            past().corpus(past().revisions.commit("HEAD"))


def test_what_was_not_committed_is_said(git: Git, past: Callable[[], Past]) -> None:
    """No suite, a suite that is no text, no store, no alias file."""
    opened = past()
    (git.folder / "queries.yaml").write_bytes(b"\xff\x00\xfe")
    git("add", "-A")
    git.commit("no text")
    with pytest.raises(InputError, match="not a text file"):
        opened.suite(opened.revisions.commit("HEAD"))
    git("rm", "-rqf", "queries.yaml", "store")
    (git.folder / "memidx.toml").write_text('[analysis]\naliases = "aliases.txt"\n')
    git("add", "-A")
    git.commit("gone")
    commit = opened.revisions.commit("HEAD")
    with pytest.raises(StoreMissing, match="the suite was not committed"):
        opened.suite(commit)
    with pytest.raises(StoreMissing, match="there was no store"):
        opened.corpus(commit)
    with pytest.raises(ConfigError, match="the alias file was not committed"):
        opened.setup(commit)


def test_aliases_of_then_are_read(git: Git, past: Callable[[], Past]) -> None:
    """An alias file is part of the analyzer, by what it says and not by its name."""
    text = '[analysis]\naliases = "aliases.txt"\n'
    git.commit("aliased", {"memidx.toml": text, "aliases.txt": "bird = heron\n"})
    opened = past()
    _, analyzer, options = opened.setup(opened.revisions.commit("HEAD"))
    _, plain, _ = opened.setup(opened.revisions.commit("HEAD~1"))
    assert options["aliases"] == {"bird": ["heron"]}
    assert analyzer.fingerprint() != plain.fingerprint()
    assert "heron" in {term for word in analyzer.query("bird") for term, _ in word.terms}


def test_paths_and_revisions_outside_are_refused(
    tmp_path: Path, git: Git, past: Callable[[], Past]
) -> None:
    """A folder without a repository, a path above it, a revision that is none or an option."""
    with pytest.raises(InputError, match="not in a git repository"):
        Revisions(str(tmp_path), ENV)
    revisions = past().revisions
    with pytest.raises(InputError, match="lies outside the git repository"):
        revisions.relative(str(tmp_path / "elsewhere"))
    for name in ("", "-x", "--all", "nowhere", "HEAD:docs", "HEAD~9"):
        with pytest.raises(InputError):
            revisions.commit(name)


def test_names_of_any_kind_are_read(git: Git, past: Callable[[], Past]) -> None:
    """Git's pathspec signs and quoted names mean themselves."""
    name = "docs/:(top) [x] é.md"
    git("add", "-A")
    (git.folder / name).write_text("# X\n")
    git("add", "-A")
    git.commit("odd")
    revisions = past().revisions
    head = revisions.commit("HEAD")
    assert revisions.read(head.sha, name) == b"# X\n"
    assert [commit.subject for commit in revisions.touching([name])] == ["odd"]
    assert revisions.touching(["docs/:(top)"]) == []
    assert revisions.read(head.sha, "docs/absent.md") is None


def test_a_repository_without_commits_has_no_history(tmp_path: Path) -> None:
    """An empty repository is no error until a revision is asked for."""
    git = Git(tmp_path / "empty")
    revisions = Revisions(str(git.folder), ENV)
    assert revisions.touching(["store"]) == []
    with pytest.raises(MemidxError):
        revisions.commit("HEAD")
