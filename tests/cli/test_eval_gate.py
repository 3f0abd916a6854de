"""Verdicts and exit codes of the gate, from files to the process's exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.support import write_tree

Memidx = Callable[..., "subprocess.CompletedProcess[str]"]

_CONFIGURATION = """\
[[sources]]
name = "docs"
include = ["docs/**"]
[[sources]]
name = "notes"
include = ["notes/**"]
weight = {weight}
"""
_SUITE = """\
version: 1
as_of: 2026-11-30
queries:
- {id: lock, query: lock timeout, category: keyword, severity: must, k: 1,
   expect_paths: [docs/locks.md]}
- {id: bird, query: wren, category: question, severity: should, k: 5,
   expect_paths: [docs/birds.md]}
- {id: note, query: wren hedge, category: multi-source, severity: must, k: 5,
   expect_sources: [docs, notes]}
- {id: none, query: scuba locations, category: no-answer, severity: must, expect_empty: true}
"""
_FILES = {
    "memidx.toml": _CONFIGURATION.format(weight=0.5),
    "queries.yaml": _SUITE,
    "docs/locks.md": "# Locks\n\nA lock has a timeout of two seconds.\n",
    "docs/birds.md": "# Birds\n\nA wren sings in the hedge.\n",
    "notes/day.md": "# Day\n\nI saw the hedge, and a lock on the gate.\n",
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two sources, four queries that pass; the working folder."""
    monkeypatch.chdir(tmp_path)
    return write_tree(tmp_path, _FILES)


@pytest.fixture
def memidx(project: Path, repository: Path) -> Memidx:
    """Run a command in the project, as a process of its own."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "memidx", *arguments],
            cwd=project,
            env={**os.environ, "PYTHONPATH": str(repository)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


@pytest.fixture
def blessed(project: Path, run: Run) -> bytes:
    """The bytes of evals/baseline.json after a first run was blessed."""
    result = run("eval", "queries.yaml", "--bless")
    assert result.exit_code == 0, result.stderr
    assert "Blessed: evals/baseline.json" in result.stderr
    return (project / "evals" / "baseline.json").read_bytes()


def _report(project: Path) -> dict[str, Any]:
    report: dict[str, Any] = json.loads((project / "reports/latest/report.json").read_bytes())
    return report


def _markdown(project: Path) -> str:
    return (project / "reports" / "latest" / "report.md").read_text(encoding="utf-8")


def _last_line(result: subprocess.CompletedProcess[str]) -> str:
    return result.stdout.splitlines()[-1]


def test_nothing_changed_passes(memidx: Memidx, project: Path, blessed: bytes) -> None:
    """The same documents against their own baseline: passed, exit code 0, nothing moved."""
    result = memidx("eval", "queries.yaml")
    assert (_last_line(result), result.returncode) == ("PASSED (exit 0): 3 of 3 must queries", 0)
    assert "4 queries compared with evals/baseline.json: none moved." in result.stdout
    assert _report(project)["comparison"]["differs"] == []


def test_a_planted_regression_is_regressed_1(memidx: Memidx, project: Path, blessed: bytes) -> None:
    """A weight that puts the note above the lock page fails a must that passed.

    The note holds one of the two words: at 0.5 times its relevance it came second, at 10 times it
    comes first. RR@10 of `lock` falls from 1 to 1/2; `bird` still has its one document first.
    """
    (project / "memidx.toml").write_text(_CONFIGURATION.format(weight=10))
    result = memidx("eval", "queries.yaml")
    assert result.returncode == 1
    assert _last_line(result) == "REGRESSED (exit 1): 2 of 3 must queries, 1 regressed (lock)"
    report = _report(project)
    assert (report["outcome"], report["exit_code"]) == ("regressed", 1)
    comparison = report["comparison"]
    assert comparison["regressed"] == ["lock"]
    assert [difference["fact"] for difference in comparison["differs"]] == ["configuration_hash"]
    (move,) = [move for move in comparison["moves"] if move["query_id"] == "lock"]
    assert move["ranks"] == [{"label": "docs/locks.md", "before": 1, "after": 2}]
    assert move["now_above"] == ["notes/day.md"]
    tallies = {(t["scope"], t["measure"]): t for t in comparison["tallies"]}
    rr = tallies["overall", "RR@10"]
    # lock and bird are measured: (1 + 1) / 2 before, (1/2 + 1) / 2 now; one of two pairs differs,
    # and both of its signs are as far from 0.
    assert (rr["before"], rr["after"]) == (1.0, 0.75)
    assert (rr["wins"], rr["ties"], rr["losses"], rr["p"]) == (0, 1, 1, 1.0)
    assert tallies["keyword", "RR@10"]["after"] == 0.5
    lines = _markdown(project).splitlines()
    assert lines[3] == ("**REGRESSED (exit 1): 2 of 3 must queries, 1 regressed (lock)**")
    row = next(line for line in lines if line.startswith("| lock: lock timeout | must | failed |"))
    assert row.endswith("| 1 → 2 | configuration | notes/day.md |")


def test_a_renamed_file_is_inconclusive_3(memidx: Memidx, project: Path, blessed: bytes) -> None:
    """A stale label is never a regression; the corpus is said to have changed."""
    (project / "docs" / "locks.md").rename(project / "docs" / "locking.md")
    result = memidx("eval", "queries.yaml")
    assert result.returncode == 3
    assert _last_line(result) == "INCONCLUSIVE (exit 3): 2 of 3 must queries, 1 inconclusive"
    report = _report(project)
    assert report["comparison"]["regressed"] == []
    assert report["comparison"]["n_compared"] == 3
    assert "The corpus changed: as many documents, other content." in result.stdout


def test_a_grown_corpus_passes_and_is_said(memidx: Memidx, project: Path, blessed: bytes) -> None:
    """New notes do not make a run inconclusive; the report says that the corpus changed."""
    for n in range(20):
        (project / "notes" / f"{n}.md").write_text(f"# Note {n}\n\nToday it rained.\n")
    result = memidx("eval", "queries.yaml")
    assert (result.returncode, _last_line(result).split(":")[0]) == (0, "PASSED (exit 0)")
    assert "The corpus changed: 3 → 23 documents." in result.stdout
    assert "- The corpus changed: 3 → 23 documents." in _markdown(project).splitlines()


def test_a_broken_source_is_inconclusive_3(memidx: Memidx, project: Path, blessed: bytes) -> None:
    """A folder that is gone fails its source: what is about it is open, and nothing regressed."""
    (project / "notes").rename(project / "moved")
    result = memidx("eval", "queries.yaml")
    assert result.returncode == 3
    assert _last_line(result).startswith("INCONCLUSIVE (exit 3): 1 of 3 must queries")
    assert "source notes failed" in _last_line(result)
    assert _report(project)["comparison"]["regressed"] == []


def test_a_missing_baseline_is_inconclusive_3(memidx: Memidx, project: Path) -> None:
    """A baseline that was named must be there; without a name none is needed yet."""
    result = memidx("eval", "queries.yaml", "--baseline", "old.json")
    assert result.returncode == 3
    assert _last_line(result) == (
        "INCONCLUSIVE (exit 3): 3 of 3 must queries, baseline old.json: there is no such baseline"
    )
    assert memidx("eval", "queries.yaml").returncode == 0


def test_an_unblessed_baseline_is_inconclusive_3(
    memidx: Memidx, project: Path, blessed: bytes
) -> None:
    """A baseline edited by hand, a report, and what a merge left are nobody's baseline."""
    baseline = project / "evals" / "baseline.json"
    baseline.write_bytes(blessed.replace(b'"status": "passed"', b'"status": "failed"', 1))
    result = memidx("eval", "queries.yaml")
    assert result.returncode == 3
    assert "it was changed after --bless wrote it" in _last_line(result)
    report = memidx("eval", "queries.yaml", "--baseline", "reports/latest/report.json")
    assert report.returncode == 3
    assert "--bless did not write it" in _last_line(report)
    baseline.write_bytes(b"<<<<<<< ours\n" + blessed)
    assert memidx("eval", "queries.yaml").returncode == 3


def test_a_failing_must_goes_before_a_missing_baseline(run: Run, project: Path) -> None:
    """Where several outcomes apply, 1 goes before 3."""
    (project / "memidx.toml").write_text(_CONFIGURATION.format(weight=10))
    result = run("eval", "queries.yaml", "--baseline", "old.json")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[-1].startswith("FAILED (exit 1): 2 of 3 must queries")


def test_blessing_is_deterministic(run: Run, project: Path, blessed: bytes) -> None:
    """The same run blessed again gives the same bytes: a review shows only what moved."""
    assert run("eval", "queries.yaml", "--bless").exit_code == 0
    assert (project / "evals" / "baseline.json").read_bytes() == blessed
    (project / "notes" / "new.md").write_text("# New\n\nToday it rained.\n")
    assert run("eval", "queries.yaml", "--bless").exit_code == 0
    after = (project / "evals" / "baseline.json").read_text(encoding="utf-8").splitlines()
    changed = {line.split(":")[0] for line in after if line not in blessed.decode().splitlines()}
    assert changed == {'"sum"', '"corpus_fingerprint"', '"n_docs"'}


@pytest.mark.parametrize(
    ("break_it", "code"),
    [
        (lambda root: (root / "memidx.toml").write_text(_CONFIGURATION.format(weight=10)), 1),
        (lambda root: (root / "docs/birds.md").rename(root / "docs/wren.md"), 3),
        (lambda root: (root / "notes").rename(root / "moved"), 3),
    ],
    ids=["regressed", "stale label", "failed source"],
)
def test_only_a_run_that_passed_is_blessed(
    run: Run, project: Path, blessed: bytes, break_it: Callable[[Path], object], code: int
) -> None:
    """What fails or could not be judged never becomes the baseline, and says so."""
    break_it(project)
    result = run("eval", "queries.yaml", "--bless")
    assert result.exit_code == code
    assert "Not blessed: the run " in result.stderr
    assert (project / "evals" / "baseline.json").read_bytes() == blessed


def test_a_first_failing_run_is_not_blessed(run: Run, project: Path) -> None:
    """Without a baseline there is still none afterwards."""
    (project / "memidx.toml").write_text(_CONFIGURATION.format(weight=10))
    assert run("eval", "queries.yaml", "--bless").exit_code == 1
    assert not (project / "evals").exists()


def test_blessing_mends_a_damaged_baseline(run: Run, project: Path, blessed: bytes) -> None:
    """What a merge left, and a baseline that is not there, are what a blessing is for."""
    baseline = project / "evals" / "baseline.json"
    baseline.write_bytes(blessed.replace(b'"queries"', b"=======\n" + b'"queries"'))
    assert run("eval", "queries.yaml", "--bless").exit_code == 0
    assert baseline.read_bytes() == blessed
    assert run("eval", "queries.yaml", "--bless", "--baseline", "b/new.json").exit_code == 0
    assert (project / "b" / "new.json").read_bytes() == blessed


def test_nothing_else_is_written_over(run: Run, project: Path, blessed: bytes) -> None:
    """A file that is no baseline of this suite is the caller's mistake, before anything runs."""
    notes = (project / "notes" / "day.md").read_bytes()
    result = run("eval", "queries.yaml", "--bless", "--baseline", "notes/day.md")
    assert (result.exit_code, result.stdout) == (2, "")
    assert (project / "notes" / "day.md").read_bytes() == notes
    (project / "other.yaml").write_text(_SUITE)
    result = run("eval", "other.yaml", "--bless")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "the baseline of another suite" in result.stderr
    assert (project / "evals" / "baseline.json").read_bytes() == blessed


def test_a_second_suite_is_not_held_against_the_first_ones_baseline(
    run: Run, project: Path, blessed: bytes
) -> None:
    """Beside it by chance, it is noted and not compared; named, it is compared if it can be."""
    (project / "other.yaml").write_text(_SUITE)
    result = run("eval", "other.yaml")
    assert result.exit_code == 0
    assert "it is the baseline of queries.yaml, not of other.yaml" in result.stdout
    assert run("eval", "other.yaml", "--baseline", "evals/baseline.json").exit_code == 0
    (project / "other.yaml").write_text(_SUITE.replace("k: 1", "k: 2").replace("id: ", "id: x-"))
    result = run("eval", "other.yaml", "--baseline", "evals/baseline.json")
    assert result.exit_code == 3
    assert "it is not comparable" in result.stdout.splitlines()[-1]


def test_a_changed_suite_is_compared_where_it_can_be(
    run: Run, project: Path, blessed: bytes
) -> None:
    """New, gone, changed and relaxed queries are named; the rest is compared."""
    suite = _SUITE.replace("id: bird", "id: hedge").replace("scuba locations", "scuba diving")
    suite = suite.replace(
        "category: multi-source, severity: must", "category: multi-source, severity: should"
    )
    (project / "queries.yaml").write_text(suite)
    result = run("eval", "queries.yaml")
    assert result.exit_code == 0
    comparison = _report(project)["comparison"]
    assert comparison["n_compared"] == 2
    assert comparison["added"] == ["hedge"]
    assert comparison["removed"] == ["bird"]
    assert comparison["changed"] == ["none"]
    assert comparison["relaxed"] == ["note"]
    for said in (
        "Only in the suite: hedge.",
        "No longer in the suite: bird.",
        "No longer must: note.",
    ):
        assert said in result.stdout


def test_another_strategy_is_named_not_refused(run: Run, project: Path, blessed: bytes) -> None:
    """Comparing strategies is what a baseline is for."""
    result = run("eval", "queries.yaml", "--strategy", "hybrid")
    assert result.exit_code == 0
    assert "Not the same: strategy lexical → hybrid." in result.stdout


def test_a_history_grows_by_one_line_a_run(
    run: Run, project: Path, blessed: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`--record` appends and changes nothing before; without it nothing is written."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(86_400 * 20_000))
    history = project / "reports" / "history.jsonl"
    assert run("eval", "queries.yaml").exit_code == 0
    assert not history.exists()
    first = run("eval", "queries.yaml", "--record")
    assert "Recorded: reports/history.jsonl (run 1)" in first.stderr
    before = history.read_bytes()
    (project / "memidx.toml").write_text(_CONFIGURATION.format(weight=10))
    assert run("eval", "queries.yaml", "--record").exit_code == 1
    lines = history.read_bytes().splitlines(keepends=True)
    assert b"".join(lines[:1]) == before
    assert len(lines) == 2
    runs = [json.loads(line) for line in lines]
    # 20,000 days after 1970-01-01.
    assert [run["day"] for run in runs] == ["2024-10-04"] * 2
    assert [run["outcome"] for run in runs] == ["passed", "regressed"]
    assert [run["regressed"] for run in runs] == [[], ["lock"]]
    assert [run["measures"]["RR@10"] for run in runs] == [1.0, 0.75]
    shown = (project / "reports" / "latest" / "history.md").read_text(encoding="utf-8")
    newest = next(line for line in shown.splitlines() if line.startswith("| 2 |"))
    assert newest.endswith("| configuration |")
    assert "regressed: lock" in newest


def test_a_report_is_the_same_bytes_every_time(run: Run, project: Path, blessed: bytes) -> None:
    """Two runs of the same code over the same documents, fresh or just taken in, do not differ."""
    (project / "docs" / "birds.md").write_text("# Birds\n\nA wren sings in the old hedge.\n")
    run("eval", "queries.yaml")
    first = [
        (project / "reports/latest" / name).read_bytes() for name in ("report.md", "report.json")
    ]
    shown = run("eval", "queries.yaml", "--format", "md")
    again = [
        (project / "reports/latest" / name).read_bytes() for name in ("report.md", "report.json")
    ]
    assert first == again
    assert shown.stdout == _markdown(project)


def test_grep_and_single_sources_stand_beside(run: Run, project: Path) -> None:
    """Worked out by hand over the three documents.

    grep: `lock` or `timeout` is in locks.md (2 words) and day.md; `wren` in birds.md; `wren` or
    `hedge` in birds.md (2) and day.md; nothing holds scuba or locations: 5 matches, all pass.
    docs alone misses the source notes; notes alone finds only that source, and its no-answer.
    """
    run("eval", "queries.yaml")
    beside = {row["name"]: row for row in _report(project)["beside"]}
    assert list(beside) == ["memidx", "grep", "source docs", "source notes"]
    figures = {
        name: (row["n_passed"], row["n_found"], row["n_sources_found"], row["n_matched"])
        for name, row in beside.items()
    }
    assert figures == {
        "memidx": (4, 2, 2, 5),
        "grep": (4, 2, 2, 5),
        "source docs": (3, 2, 1, 3),
        "source notes": (1, 0, 1, 2),
    }
    assert {row["n_queries"] for row in beside.values()} == {4}
    assert beside["source notes"]["measures"]["RR@10"] == 0.0


@pytest.mark.parametrize(
    "arguments",
    [
        ["--beir", "c", "--bless"],
        ["--beir", "c", "--record"],
        ["--beir", "c", "--baseline", "b.json"],
        ["queries.yaml", "--lint", "--bless"],
        ["queries.yaml", "--lint", "--record"],
        ["queries.yaml", "--lint", "--baseline", "b.json"],
    ],
)
def test_what_does_not_go_together_ends_with_2(
    run: Run, project: Path, arguments: list[str]
) -> None:
    """A flag is never ignored in silence."""
    result = run("eval", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")


def test_nothing_that_is_written_becomes_a_document(run: Run, project: Path) -> None:
    """Baseline, history and reports are recognised wherever a source would find them."""
    (project / "memidx.toml").write_text(
        '[[sources]]\nname = "docs"\ninclude = ["**/*.md"]\n'
        '[[sources]]\nname = "notes"\nkind = "records"\ninclude = ["**/*.json", "**/*.jsonl"]\n'
    )
    (project / "queries.yaml").write_text(
        _SUITE.replace("expect_sources: [docs, notes]", "expect_sources: [docs]").replace(
            "multi-source", "keyword"
        )
    )
    assert run("eval", "queries.yaml", "--bless", "--record").exit_code == 0
    assert run("eval", "queries.yaml").exit_code == 0
    assert _report(project)["facts"]["n_docs"] == 3
