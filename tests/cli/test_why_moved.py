"""Why queries moved: staged changes in a small git repository, each put down to what did it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.git_support import Git
from tests.support import write_tree

_CONFIGURATION = """\
[analysis]
{analysis}
[search]
k1 = {k1}
[[sources]]
name = "docs"
include = ["docs/**"]
"""
_SUITE = """\
version: 1
as_of: 2026-11-30
queries:
- {id: heron, query: heron nest, category: keyword, severity: must, k: 1,
   expect_paths: [docs/heron.md]}
- {id: run, query: running, category: question, severity: must, k: 1,
   expect_paths: [docs/sport.md]}
- {id: tf, query: copper valve, category: keyword, severity: must, k: 1,
   expect_paths: [docs/valve.md]}
"""
# `tf`: valve.md holds both words once; copper.md holds copper eight times and no valve. Saturated
# (k1 near 0) two words beat one; with k1 very large, the many occurrences of one win.
_FILES = {
    "memidx.toml": _CONFIGURATION.format(analysis="", k1=0.5),
    "queries.yaml": _SUITE,
    "docs/heron.md": "# Bird\n\nA heron builds a nest of sticks near water.\n",
    "docs/sport.md": "# Sport\n\nShe runs every day along the river bank.\n",
    "docs/valve.md": "# Part\n\nThe copper pipe ends in a valve of brass.\n",
    "docs/copper.md": "# Metal\n\n" + "copper " * 8 + "is soft.\n",
    ".gitignore": "/store/.cache/\n/reports/\n",
}


@pytest.fixture
def git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> Git:
    """A repository with a built store, a suite that passes, and its baseline, all committed."""
    git = Git(tmp_path / "project")
    write_tree(git.folder, _FILES)
    monkeypatch.chdir(git.folder)
    assert run("build").exit_code == 0
    result = run("eval", "queries.yaml", "--bless")
    assert result.exit_code == 0, result.output
    git("add", "-A")
    git.commit("a blessed baseline")
    return git


def _report(git: Git) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((git.folder / "reports/latest/report.json").read_bytes())
    return found


def _why(git: Git) -> tuple[dict[str, Any], dict[str, list[list[str]]]]:
    why = _report(git)["comparison"]["why"]
    return why, {cause["query_id"]: cause["factors"] for cause in why["causes"]}


def _herons(git: Git) -> None:
    """20 new documents, all of which are more about herons and nests."""
    for n in range(20):
        text = f"# Heron nest {n}\n\nheron nest heron nest\n"
        (git.folder / "docs" / f"new{n:02}.md").write_text(text)


def test_new_documents_are_the_corpus(git: Git, run: Run) -> None:
    """20 new documents that outrank an expected one: corpus, and nothing else was run for it."""
    _herons(git)
    result = run("eval", "queries.yaml")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[-1].startswith("REGRESSED (exit 1)")
    why, causes = _why(git)
    assert causes == {"heron": [["corpus"]]}
    assert why["state"] == git("rev-parse", "HEAD")[:10]
    assert why["problem"] == ""
    assert [change["factor"] for change in why["changes"]] == ["corpus"]
    assert why["changes"][0]["detail"].startswith("20 added (docs/new00.md, ")
    shares = {(s["measure"], s["factor"]): s["change"] for s in why["shares"]}
    # heron falls from 1 to nothing among ten of 21, or to 1/r: the whole change is the corpus's.
    tallies = {(t["scope"], t["measure"]): t for t in _report(git)["comparison"]["tallies"]}
    rr = tallies["overall", "RR@10"]
    assert shares["RR@10", "corpus"] == pytest.approx(rr["after"] - rr["before"])
    assert "Why queries moved: 1 run made again" in result.stdout


def test_k1_is_the_configuration(git: Git, run: Run) -> None:
    """A k1 that lets repetition win moves the query about the valve: configuration."""
    (git.folder / "memidx.toml").write_text(_CONFIGURATION.format(analysis="", k1=50))
    result = run("eval", "queries.yaml")
    assert result.exit_code == 1
    why, causes = _why(git)
    assert causes == {"tf": [["configuration"]]}
    assert why["changes"] == [{"factor": "configuration", "detail": "search.k1 0.5 → 50.0"}]


def test_an_analyzer_without_stems_is_the_analyzer(git: Git, run: Run) -> None:
    """`running` finds `runs` by its stem only: without stems the query is lost to the analyzer."""
    configured = _CONFIGURATION.format(analysis='analyzer = "ascii-compat"', k1=0.5)
    (git.folder / "memidx.toml").write_text(configured)
    result = run("eval", "queries.yaml")
    assert result.exit_code == 1
    why, causes = _why(git)
    assert causes == {"run": [["analyzer"]]}
    assert why["changes"] == [{"factor": "analyzer", "detail": "analyzer default → ascii-compat"}]


def test_a_renamed_file_is_the_labels(git: Git, run: Run) -> None:
    """A renamed expected file is a stale label: inconclusive, followed by its text, and checked."""
    (git.folder / "docs/sport.md").rename(git.folder / "docs/running-log.md")
    result = run("eval", "queries.yaml")
    assert result.exit_code == 3
    assert result.stdout.splitlines()[-1].startswith("INCONCLUSIVE (exit 3)")
    comparison = _report(git)["comparison"]
    assert (comparison["regressed"], comparison["unjudged"]) == ([], ["run"])
    why, causes = _why(git)
    assert causes == {"run": [["labels"]]}
    (cause,) = why["causes"]
    assert cause["detail"] == (
        "docs/sport.md is docs/running-log.md now, with the same text; "
        "with the label mended it passes (rank 1)"
    )


def test_a_removed_file_is_named(git: Git, run: Run) -> None:
    """A label whose document is nowhere says that it is gone."""
    (git.folder / "docs/sport.md").unlink()
    assert run("eval", "queries.yaml").exit_code == 3
    why, _ = _why(git)
    assert [cause["detail"] for cause in why["causes"]] == ["docs/sport.md is gone"]


def test_changed_labels_are_the_labels(git: Git, run: Run) -> None:
    """A query that expects something else is not compared; by its old labels it still passes."""
    suite = _SUITE.replace("docs/heron.md", "docs/sport.md")
    (git.folder / "queries.yaml").write_text(suite)
    assert run("eval", "queries.yaml").exit_code == 1
    why, causes = _why(git)
    assert causes == {"heron": [["labels"]]}
    assert why["causes"][0]["detail"] == (
        "it asks or expects something else now: passed then, failed now; "
        "by the labels of then it is passed now"
    )


def test_two_changes_are_told_apart(git: Git, run: Run) -> None:
    """New herons and another k1 at once: each query has its own cause, the shares add up."""
    _herons(git)
    (git.folder / "memidx.toml").write_text(_CONFIGURATION.format(analysis="", k1=50))
    assert run("eval", "queries.yaml").exit_code == 1
    why, causes = _why(git)
    assert causes == {"heron": [["corpus"]], "tf": [["configuration"]]}
    assert why["n_runs"] == 3
    tallies = {(t["scope"], t["measure"]): t for t in _report(git)["comparison"]["tallies"]}
    for measure in ("nDCG@10", "RR@10"):
        total = sum(s["change"] for s in why["shares"] if s["measure"] == measure)
        tally = tallies["overall", measure]
        assert total == pytest.approx(tally["after"] - tally["before"])


def test_a_recorded_result_that_is_not_reproduced_is_the_code(
    git: Git, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A scoring formula that was changed gives other results from the same parts: the code."""
    # Worth of a match turned round: nothing but the code of the ranking changes.
    monkeypatch.setattr("memidx.search.batch.rank_lexical", lambda *_, **__: None)
    monkeypatch.setattr(
        "memidx.search.ranking._composites",
        lambda _snapshot, _settings, relevance: {
            doc: relevance[doc] / (1 + doc) for doc in relevance
        },
    )
    result = run("eval", "queries.yaml")
    why, causes = _why(git)
    moved = {move["query_id"] for move in _report(git)["comparison"]["moves"]}
    assert moved
    assert causes == {query_id: [["code"]] for query_id in moved}
    assert result.exit_code == 1
    assert {share["factor"] for share in why["shares"]} == {"code"}


def test_a_corpus_that_was_not_committed_is_said(git: Git, run: Run) -> None:
    """A baseline over uncommitted documents: another state stands for it, and that is said."""
    (git.folder / "docs/extra.md").write_text("# Extra\n\nNothing of note.\n")
    assert run("eval", "queries.yaml", "--bless").exit_code == 0
    (git.folder / "memidx.toml").write_text(_CONFIGURATION.format(analysis="", k1=50))
    assert run("eval", "queries.yaml").exit_code == 1
    why, _ = _why(git)
    assert why["problem"].startswith("the recorded corpus was not committed; the nearest state")


def test_nothing_is_run_again_where_nothing_moved_or_nobody_asks(git: Git, run: Run) -> None:
    """A run that moved nothing needs no reason; `--no-why` looks for none."""
    assert run("eval", "queries.yaml").exit_code == 0
    assert _report(git)["comparison"]["why"] is None
    (git.folder / "memidx.toml").write_text(_CONFIGURATION.format(analysis="", k1=50))
    assert run("eval", "queries.yaml", "--no-why").exit_code == 1
    assert _report(git)["comparison"]["why"] is None


def test_without_git_two_changes_are_not_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    """Where there is no repository, the report says so and the verdict stays."""
    write_tree(tmp_path, _FILES)
    monkeypatch.chdir(tmp_path)
    assert run("eval", "queries.yaml", "--bless").exit_code == 0
    (tmp_path / "memidx.toml").write_text(_CONFIGURATION.format(analysis="", k1=50))
    (tmp_path / "docs/extra.md").write_text("# Extra\n\nNothing of note.\n")
    result = run("eval", "queries.yaml")
    assert result.exit_code == 1
    assert "Why queries moved is not known: " in result.stdout
    assert "not in a git repository" in result.stdout
