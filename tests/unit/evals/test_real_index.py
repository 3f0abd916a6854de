"""A suite against the index itself, from files to the outcome."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import memidx
from memidx.errors import InputError
from memidx.evals import evaluate, evaluate_collection, lint_suite, on_disk

SOURCES = """\
[[sources]]
name = "docs"
include = ["docs/**"]
exclude = ["docs/raw/**"]
[[sources]]
name = "decisions"
include = ["decisions/**"]
"""
FILES = {
    "docs/a.md": "# Locking\n\nThe file lock timeout is two seconds.\n",
    "docs/[x].md": "# Sharding\n\nShards are capped at 20 MiB.\n",
    "docs/raw/r.md": "# Raw\n\nNot indexed.\n",
    "decisions/d.md": "---\ndate: 2026-03-01\n---\n# ADR\n\nWe use a lock file.\n",
}
QUERIES = (
    "id: lock, query: file lock timeout, expect_paths: [docs/a.md], top1: docs/a.md",
    'id: shard, query: capped shards, expect_paths: ["docs/[x].md"]',
    "id: both, query: lock, category: multi-source, expect_sources: [docs, decisions]",
    "id: none, query: scuba locations in Antarctica, expect_empty: true",
)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with two sources and a built store."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    root = tmp_path / "project"
    for name, text in {**FILES, "memidx.toml": SOURCES}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    memidx.build((), root=str(root))
    return root


def test_a_good_project_passes(project: Path, make_suite: Callable[..., Any]) -> None:
    """Every label holds, nothing is linted, and ages count from the newest document."""
    suite = make_suite(*QUERIES, head="floors: {overall: {nDCG@10: 1}}")
    with memidx.open(str(project / "store"), root=str(project)) as index:
        report = evaluate(suite, index)
        assert lint_suite(suite, index.catalog()) == []
    assert report.verdict == "PASSED (exit 0): 4 of 4 must queries"
    assert report.facts["as_of"] == "2026-03-01"
    assert report.facts["n_docs"] == 3


def test_a_renamed_file_is_lint_2_and_run_3(project: Path, make_suite: Callable[..., Any]) -> None:
    """A label that rots is refused by the lint and inconclusive in a run."""
    (project / "docs" / "a.md").rename(project / "docs" / "b.md")
    suite = make_suite(*QUERIES)
    with memidx.open(str(project / "store"), root=str(project)) as index:
        report = evaluate(suite, index)
        findings = lint_suite(suite, index.catalog())
    assert [(f.rule, f.line, f.query_id) for f in findings] == [("dangling", 3, "lock")]
    assert [r.status for r in report.queries] == ["inconclusive", "passed", "passed", "passed"]
    assert report.exit_code == 3


def test_a_file_that_is_not_indexed_is_unwinnable(
    project: Path, make_suite: Callable[..., Any]
) -> None:
    """An excluded file is there, but no search can find it."""
    suite = make_suite("id: r, query: raw, expect_paths: [docs/raw/r.md]")
    with memidx.open(str(project / "store"), root=str(project)) as index:
        findings = lint_suite(suite, index.catalog(), on_disk=on_disk(str(project)))
    assert [f.rule for f in findings] == ["unwinnable"]


def test_a_missing_folder_makes_its_queries_inconclusive(
    project: Path, make_suite: Callable[..., Any]
) -> None:
    """The failed source's documents stay, but nothing is concluded from them."""
    (project / "decisions").rename(project.parent / "elsewhere")
    with memidx.open(str(project / "store"), root=str(project)) as index:
        report = evaluate(make_suite(*QUERIES), index)
    assert [r.status for r in report.queries] == ["passed", "passed", *["inconclusive"] * 2]
    assert report.exit_code == 3


def test_a_collection_is_indexed_and_measured(tmp_path: Path) -> None:
    """The built-in index ranks the one document that holds the word first."""
    (tmp_path / "corpus.jsonl").write_text(
        '{"_id": "1", "title": "", "text": "alpha"}\n{"_id": "2", "title": "", "text": "beta"}\n'
    )
    (tmp_path / "queries.jsonl").write_text('{"_id": "q", "text": "beta"}\n')
    (tmp_path / "qrels.tsv").write_text("q\t2\t1\n")
    for analyzer in ("default", "ascii-compat"):
        report = evaluate_collection(str(tmp_path), analyzer=analyzer, k1=0.9, b=0.4)
        assert report.run["q"][0] == "2"
        assert report.means["nDCG@10"] == 1.0


def test_one_source_alone_can_be_ranked(project: Path) -> None:
    """A batch narrowed to a source ranks what a search narrowed to it finds; texts are whole."""
    with memidx.open(str(project / "store"), root=str(project)) as index:
        index.refresh()
        (alone,) = index.rank(["lock"], 10, sources=["decisions"])
        assert [hit.doc_id for hit in alone] == ["decisions/d.md"]
        searched = index.search("lock", sources=["decisions"])
        assert [hit.composite for hit in alone] == [hit.composite for hit in searched.hits]
        assert dict(index.texts())["docs/[x].md"] == FILES["docs/[x].md"]
        with pytest.raises(InputError, match="no source has this name"):
            index.rank(["lock"], 10, sources=["decision"])
