"""`memidx eval` leaves pages, XML and runs, and judges runs of others, over a real index."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.conftest import Run

_SUITE = """version: 1
queries:
- {id: lock, query: lock timeout, category: keyword, expect_paths: [docs/locks.md]}
- {id: bird, query: wren hedge, category: keyword, expect_paths: [docs/birds of a feather.md]}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a suite and two documents, one with spaces in its name."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "locks.md").write_text("# Locks\n\nA lock has a timeout of 2 s.\n")
    (tmp_path / "docs" / "birds of a feather.md").write_text("# Birds\n\nA wren in the hedge.\n")
    (tmp_path / "queries.yaml").write_text(_SUITE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_everything_can_be_written_by_one_run(run: Run, project: Path) -> None:
    """Page, XML, run, judgements and collection; none of it becomes a document."""
    result = run(
        *("eval", "queries.yaml", "--junit", "out/junit.xml", "--run-file", "out/a.run"),
        *("--qrels-file", "out/a.qrels", "--beir-out", "out/beir"),
    )
    assert result.exit_code == 0, result.stderr
    assert (project / "reports/latest/report.html").read_text().startswith("<!doctype html>")
    assert ElementTree.parse(project / "out/junit.xml").getroot().attrib["tests"] == "2"
    places = (project / "out/a.run").read_text().splitlines()
    assert places[0].split()[:4] == ["lock", "Q0", "docs/locks.md", "1"]
    assert (project / "out/a.qrels").read_text().splitlines() == [
        "lock 0 docs/locks.md 1",
        "bird 0 docs/birds%20of%20a%20feather.md 1",
    ]
    for name in ("out/junit.xml", "out/a.run", "out/a.qrels", "out/beir"):
        assert name in result.stderr
    again = run("eval", "queries.yaml", "--format", "json")
    assert json.loads(again.stdout)["facts"]["n_docs"] == 2


def test_a_collection_that_was_written_is_measured(run: Run, project: Path) -> None:
    """The suite's own documents and judgements are a collection for `--beir`."""
    run("eval", "queries.yaml", "--beir-out", "beir")
    result = run("eval", "--beir", "beir", "--format", "json", "--qrels-file", "q")
    assert result.exit_code == 0, result.stderr
    report = json.loads(result.stdout)
    assert (report["n_docs"], report["n_judged"]) == (2, 2)
    assert report["means"]["Success@1"] == 1.0
    assert len((project / "q").read_text().splitlines()) == 2


def test_a_run_of_others_is_judged(run: Run, project: Path) -> None:
    """A ranking in the wrong order fails its query, whatever the index would say."""
    foreign = "lock Q0 docs/locks.md 1 9.5 peer\nbird Q0 docs/locks.md 1 3 peer\n"
    (project / "peer.run").write_text(foreign)
    result = run("eval", "queries.yaml", "--judge", "peer.run", "--format", "json")
    assert result.exit_code == 1, result.stderr
    report = json.loads(result.stdout)
    assert [query["status"] for query in report["queries"]] == ["passed", "failed"]
    assert report["facts"]["strategy"] == "run peer"


def test_an_own_run_is_judged_as_the_index_is(run: Run, project: Path) -> None:
    """Written, read and judged, the ranking passes what it passed, held against a baseline too."""
    assert run("eval", "queries.yaml", "--bless", "--run-file", "own.run").exit_code == 0
    named = ("--judge", "own.run", "--baseline", "evals/baseline.json")
    result = run("eval", "queries.yaml", *named, "--format", "json")
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["comparison"]["moves"] == []


def test_tuning_is_shown_in_both_pages(run: Run, project: Path) -> None:
    """`--html` makes a page of its own, and the JSON can be shown in the page of a run."""
    grid = ("--k1", "1.2,1.5", "--b", "0.5,0.75", "--format", "json")
    tuned = run("tune", "queries.yaml", *grid, "--html", "out/tuning.html")
    assert tuned.exit_code == 0, tuned.stderr
    assert "<svg" in (project / "out/tuning.html").read_text()
    (project / "tuning.json").write_text(tuned.stdout)
    result = run("eval", "queries.yaml", "--tuning", "tuning.json")
    assert result.exit_code == 0, result.stderr
    assert "Tuning on queries" in (project / "reports/latest/report.html").read_text()


def test_recorded_runs_are_in_the_page(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the second recorded run on there is a trend, in later runs that record nothing too."""
    for day in ("1795910400", "1795996800"):  # 2026-11-29 and -30
        monkeypatch.setenv("SOURCE_DATE_EPOCH", day)
        run("eval", "queries.yaml", "--record")
    run("eval", "queries.yaml")
    page = (project / "reports/latest/report.html").read_text()
    assert "Over time" in page
    assert "2026-11-29" in page
    assert 'class="curve"' in page
