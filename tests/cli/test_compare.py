"""Two runs beside each other, from files, from git, and of now."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.git_support import Git
from tests.support import write_tree

_CONFIGURATION = '[search]\nk1 = {k1}\n[[sources]]\nname = "docs"\ninclude = ["docs/**"]\n'
_SUITE = """\
version: 1
as_of: 2026-11-30
queries:
- {id: heron, query: heron nest, category: keyword, severity: must, k: 1,
   expect_paths: [docs/heron.md]}
- {id: tf, query: copper valve, category: keyword, severity: must, k: 1,
   expect_paths: [docs/valve.md]}
"""
_FILES = {
    "memidx.toml": _CONFIGURATION.format(k1=0.5),
    "queries.yaml": _SUITE,
    "docs/heron.md": "# Bird\n\nA heron builds a nest of sticks near water.\n",
    "docs/valve.md": "# Part\n\nThe copper pipe ends in a valve of brass.\n",
    "docs/copper.md": "# Metal\n\n" + "copper " * 8 + "is soft.\n",
    ".gitignore": "/store/.cache/\n/reports/\n",
}


@pytest.fixture
def git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> Git:
    """Two commits: `first` passes both queries; since the second, k1 lets repetition win."""
    git = Git(tmp_path / "project")
    write_tree(git.folder, _FILES)
    monkeypatch.chdir(git.folder)
    assert run("eval", "queries.yaml", "--bless").exit_code == 0
    git("add", "-A")
    git.commit("first")
    git("tag", "first")
    (git.folder / "memidx.toml").write_text(_CONFIGURATION.format(k1=50))
    git("add", "-A")
    git.commit("second")
    return git


def _compare(run: Run, *arguments: str) -> tuple[int, dict[str, Any]]:
    result = run("compare", *arguments, "--format", "json")
    return result.exit_code, json.loads(result.stdout)


@pytest.mark.parametrize(
    ("before", "after"),
    [("first", "HEAD"), ("first", "now"), ("evals/baseline.json", "now"), ("HEAD~1", "HEAD")],
)
def test_revisions_files_and_now_are_runs(git: Git, run: Run, before: str, after: str) -> None:
    """However the two runs are named: tf regressed, because of the configuration; exit code 1."""
    code, found = _compare(run, before, after)
    comparison = found["comparison"]
    assert (code, found["exit_code"], comparison["regressed"]) == (1, 1, ["tf"])
    assert comparison["n_compared"] == 2
    why = comparison["why"]
    assert [(c["query_id"], c["factors"]) for c in why["causes"]] == [("tf", [["configuration"]])]
    assert why["changes"] == [{"factor": "configuration", "detail": "search.k1 0.5 → 50.0"}]
    assert found["verdict"] == "REGRESSED (exit 1): 2 queries compared, 1 regressed"


def test_a_report_is_a_run_on_either_side(git: Git, run: Run) -> None:
    """reports/latest/report.json of one state against that of another."""
    assert run("eval", "queries.yaml").exit_code == 1
    (git.folder / "reports/latest/report.json").rename(git.folder / "reports/bad.json")
    (git.folder / "memidx.toml").write_text(_CONFIGURATION.format(k1=0.5))
    assert run("eval", "queries.yaml").exit_code == 0
    code, found = _compare(run, "reports/latest/report.json", "reports/bad.json")
    assert (code, found["comparison"]["regressed"]) == (1, ["tf"])
    assert found["comparison"]["why"]["causes"][0]["factors"] == [["configuration"]]
    code, found = _compare(run, "reports/bad.json", "reports/latest/report.json")
    moves = [(m["query_id"], m["change"]) for m in found["comparison"]["moves"]]
    assert (code, moves) == (0, [("tf", "won")])
    assert found["verdict"] == "PASSED (exit 0): 2 queries compared, none regressed"
    # A baseline as the later run takes words and categories from the other.
    code, found = _compare(run, "reports/bad.json", "evals/baseline.json")
    assert (code, found["comparison"]["moves"][0]["query"]) == (0, "copper valve")
    tallies = {(t["scope"], t["measure"]) for t in found["comparison"]["tallies"]}
    assert ("keyword", "nDCG@10") in tallies
    # As the earlier one beside nothing else, it is a run too.
    assert _compare(run, "evals/baseline.json", "evals/baseline.json")[0] == 0


def test_tests_and_intervals_of_a_comparison(git: Git, run: Run) -> None:
    """Two queries, RR 1 and 1 before, 1 and 1/2 now: worked out by hand.

    One pair differs, so both signs are as extreme: p = 1. A drawn mean of two differences is 0,
    -1/4 or -1/2 (a quarter, a half, a quarter of the draws), so the 95 % interval is -0.5 … 0.
    """
    _, found = _compare(run, "first", "HEAD")
    tallies = {(t["scope"], t["measure"]): t for t in found["comparison"]["tallies"]}
    rr = tallies["overall", "RR@10"]
    assert (rr["before"], rr["after"], rr["p"]) == (1.0, 0.75, 1.0)
    assert (rr["low"], rr["high"], rr["p_holm"]) == (-0.5, 0.0, None)
    by_category = tallies["keyword", "nDCG@10"]
    assert by_category["p_holm"] == by_category["p"] == 1.0
    assert tallies["keyword", "RR@10"]["p"] is None


def test_a_table_and_markdown_end_and_begin_with_the_verdict(git: Git, run: Run) -> None:
    """The verdict's code is the exit code in every form."""
    table = run("compare", "first", "HEAD")
    assert table.exit_code == 1
    assert table.stdout.splitlines()[-1] == ("REGRESSED (exit 1): 2 queries compared, 1 regressed")
    assert "tf       must        regressed  1 → 2   configuration  docs/copper.md" in table.stdout
    text = run("compare", "first", "HEAD", "--format", "md")
    assert text.exit_code == 1
    lines = text.stdout.splitlines()
    assert lines[3] == "**REGRESSED (exit 1): 2 queries compared, 1 regressed**"
    assert "| tf: copper valve | must | regressed | 1 → 2 | configuration | docs/copper.md |" in (
        lines
    )


def test_no_why_looks_for_none(git: Git, run: Run) -> None:
    """Without reasons nothing is run between the two."""
    code, found = _compare(run, "first", "HEAD", "--no-why")
    assert (code, found["comparison"]["why"]) == (1, None)


def test_a_label_that_rots_is_inconclusive(git: Git, run: Run) -> None:
    """A query that was judged and cannot be judged now: nobody knows, exit code 3."""
    (git.folder / "docs/heron.md").rename(git.folder / "docs/birds.md")
    code, found = _compare(run, "HEAD", "now")
    assert code == 3
    assert found["verdict"] == (
        "INCONCLUSIVE (exit 3): 2 queries compared, 1 not judged any more, none regressed"
    ).replace("2 queries", "1 query")
    assert found["comparison"]["why"]["causes"][0]["factors"] == [["labels"]]


def test_nothing_in_common_is_inconclusive(git: Git, run: Run) -> None:
    """Two suites without a common query cannot be compared: exit code 3."""
    suite = _SUITE.replace("id: heron", "id: other").replace("id: tf", "id: more")
    (git.folder / "queries.yaml").write_text(suite)
    code, found = _compare(run, "HEAD", "now")
    assert (code, found["verdict"]) == (3, "INCONCLUSIVE (exit 3): 0 queries compared")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("nowhere", None, "git knows no such revision"),
        ("broken.json", "{", "records no run: not JSON"),
        ("other.json", "{}", "records no run of a suite"),
        ("history.jsonl", '{"artifact_type":"memidx-history"}', "a history has no queries"),
        ("two.jsonl", '{"artifact_type": "memidx-history"}\n{}\n', "a history has no queries"),
        (
            "old.json",
            '{"artifact_type": "memidx-report", "schema": "memidx.report/1"}',
            "lacks what a comparison needs",
        ),
        ("edited.json", '{"artifact_type": "memidx-baseline"}', "cannot be compared"),
    ],
)
def test_what_is_no_run_ends_with_2(
    git: Git, run: Run, name: str, content: str | None, said: str
) -> None:
    """Each thing that is not a run is refused with what it is."""
    if content is not None:
        (git.folder / name).write_text(content)
    result = run("compare", name, "now")
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr


def test_a_revision_without_a_store_ends_with_3(git: Git, run: Run) -> None:
    """A commit that holds no store cannot be run."""
    git("rm", "-rq", "--cached", "store")
    bare = git.commit("no store")
    result = run("compare", bare, "now")
    assert (result.exit_code, "there was no store" in result.stderr) == (3, True)
