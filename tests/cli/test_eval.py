"""`memidx eval` runs suites and collections over a real index and ends as documented."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

_PASSES = "{id: lock, query: lock timeout, category: keyword, severity: must, k: 5, "
_PASSES += "expect_paths: [{path: docs/locks.md}]}"
_FAILS = "{id: bird, query: lock, category: keyword, severity: must, k: 5, "
_FAILS += "expect_paths: [{path: docs/birds.md}]}"
_DANGLES = "{id: gone, query: lock, category: keyword, severity: must, k: 5, "
_DANGLES += "expect_paths: [{path: docs/gone.md}]}"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two documents, which is the working folder."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "locks.md").write_text("# Locks\n\nA lock has a timeout of 2 s.\n")
    (tmp_path / "docs" / "birds.md").write_text("# Birds\n\nA wren sings in the hedge.\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _suite(project: Path, *queries: str) -> str:
    lines = ["version: 1", "queries:", *(f"- {query}" for query in queries)]
    (project / "queries.yaml").write_text("\n".join(lines) + "\n")
    return "queries.yaml"


def test_a_suite_is_run_over_a_store_that_is_built_for_it(run: Run, project: Path) -> None:
    """Without a store the main job makes one beside the suite, runs, reports and passes."""
    result = run("eval", _suite(project, _PASSES))
    assert result.exit_code == 0, result.stderr
    assert result.stdout.splitlines()[-1].startswith("PASSED (exit 0): 1 of 1 must queries")
    assert (project / "store" / "manifest.json").is_file()
    report = json.loads((project / "reports" / "latest" / "report.json").read_text())
    assert report["outcome"] == "passed"
    assert "Evaluation of queries.yaml" in (project / "reports/latest/report.md").read_text()


def test_a_second_run_builds_nothing(run: Run, project: Path) -> None:
    """The store that is there is used as it is, and neither it nor a report becomes a document."""
    suite = _suite(project, _PASSES)
    run("eval", suite)
    before = (project / "store" / "docs.jsonl").read_bytes()
    result = run("eval", suite, "--format", "json")
    assert "building" not in result.stderr
    assert json.loads(result.stdout)["facts"]["n_docs"] == 2
    assert (project / "store" / "docs.jsonl").read_bytes() == before


def test_a_suite_elsewhere_has_its_store_beside_it(
    run: Run,
    project: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The working folder has no say: the suite's folder has."""
    suite = project / _suite(project, _PASSES)
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    result = run("eval", str(suite))
    assert result.exit_code == 0, result.stderr
    assert (project / "store").is_dir()
    assert list(Path.cwd().iterdir()) == []


def test_a_must_query_that_fails_ends_with_1(run: Run, project: Path) -> None:
    """Verdict line and exit code agree."""
    result = run("eval", _suite(project, _PASSES, _FAILS))
    assert result.exit_code == 1
    assert result.stdout.splitlines()[-1].startswith("FAILED (exit 1): 1 of 2 must queries")


def test_a_label_that_rotted_is_inconclusive_and_a_lint_error(run: Run, project: Path) -> None:
    """A document that is gone is no failure of the search; `--lint` says so with file and line."""
    suite = _suite(project, _PASSES, _DANGLES)
    assert run("eval", suite).exit_code == 3
    linted = run("eval", suite, "--lint")
    assert linted.exit_code == 2
    assert linted.stdout.startswith("queries.yaml:4: error: dangling")
    as_json = run("eval", suite, "--lint", "--format", "json")
    assert as_json.exit_code == 2
    assert json.loads(as_json.stdout)["outcome"] == "invalid"


@pytest.mark.parametrize(
    "arguments",
    [
        ["eval"],
        ["eval", "no-such-file.yaml"],
        ["eval", "queries.yaml", "--k1", "1.2"],
        ["eval", "queries.yaml", "--lint", "--run-file", "x"],
        ["eval", "queries.yaml", "--fuzz", "--junit", "x"],
        ["eval", "queries.yaml", "--judge", "no-such.run"],
        ["eval", "queries.yaml", "--judge", "x", "--bless"],
        ["eval", "queries.yaml", "--judge", "x", "--run-file", "y"],
        ["eval", "queries.yaml", "--tuning", "queries.yaml"],
        ["eval", "--beir", "c", "--junit", "x"],
        ["eval", "--beir", "c", "--beir-out", "x"],
        ["eval", "queries.yaml", "--beir", "c"],
        ["eval", "--beir", "c", "--lint"],
        ["eval", "--beir", "c", "--store", "s"],
        ["eval", "--beir", "no-such-folder"],
        ["eval", "--beir", "c", "--b", "2"],
    ],
)
def test_what_does_not_go_together_ends_with_2(
    run: Run, project: Path, arguments: list[str]
) -> None:
    """A flag is never ignored in silence."""
    _suite(project, _PASSES)
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "rror" in result.stderr


def test_a_broken_suite_is_named_by_file_and_line(run: Run, project: Path) -> None:
    """A misspelt key is the caller's mistake, and found before anything is built."""
    result = run("eval", _suite(project, "{id: a, querry: b, category: keyword, severity: must}"))
    assert result.exit_code == 2
    assert "queries.yaml:3" in result.stderr
    assert not (project / "store").exists()


def test_a_named_store_is_not_built(run: Run, project: Path) -> None:
    """A store that was asked for by name and is not there cannot be evaluated."""
    result = run("eval", _suite(project, _PASSES), "--store", "other")
    assert result.exit_code == 3
    assert not (project / "other").exists()


def test_every_form_of_a_report_has_the_same_outcome(run: Run, project: Path) -> None:
    """Lines, Markdown and JSON say what the table says."""
    suite = _suite(project, _PASSES, _FAILS)
    whole = json.loads(run("eval", suite, "--format", "json").stdout)
    *queries, last = map(json.loads, run("eval", suite, "--format", "jsonl").stdout.splitlines())
    assert [query["query_id"] for query in queries] == ["lock", "bird"]
    assert last["outcome"] == whole["outcome"] == "failed"
    shown = run("eval", suite, "--format", "md")
    assert "FAILED" in shown.stdout
    assert shown.exit_code == 1


def test_a_report_goes_where_it_is_told(run: Run, project: Path) -> None:
    """`--report-dir` names another folder, which is made."""
    run("eval", _suite(project, _PASSES), "--report-dir", "out/run 1")
    assert (project / "out" / "run 1" / "report.json").is_file()
    assert not (project / "reports").exists()


@pytest.fixture
def collection(project: Path) -> str:
    """Three documents and two judged queries in BEIR layout; each finds its one document."""
    folder = project / "toy"
    folder.mkdir()
    documents = [
        ("d1", "Locks", "a lock times out"),
        ("d2", "Birds", "a wren sings"),
        ("d3", "", ""),
    ]
    (folder / "corpus.jsonl").write_text(
        "".join(json.dumps({"_id": i, "title": t, "text": x}) + "\n" for i, t, x in documents)
    )
    (folder / "queries.jsonl").write_text(
        '{"_id": "q1", "text": "lock"}\n{"_id": "q2", "text": "wren"}\n'
    )
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td2\t1\n")
    return "toy"


def test_a_collection_is_measured(run: Run, collection: str) -> None:
    """Perfect rankings measure 1, and the run file holds them in served order."""
    result = run("eval", "--beir", collection, "--run-file", "run.txt", "--format", "json")
    assert result.exit_code == 0, result.stderr
    report = json.loads(result.stdout)
    assert report["means"]["nDCG@10"] == 1.0
    assert [line.split()[:4] for line in Path("run.txt").read_text().splitlines()] == [
        ["q1", "Q0", "d1", "1"],
        ["q2", "Q0", "d2", "1"],
    ]


def test_settings_of_a_collection_are_taken(run: Run, collection: str) -> None:
    """Analyzer, strategy and parameters are in the report's facts."""
    options = "--analyzer ascii-compat --strategy vector --k1 0.9 --b 0.4 --format json"
    report = json.loads(run("eval", "--beir", collection, *options.split()).stdout)
    assert {
        "analyzer": "ascii-compat",
        "strategy": "vector",
        "k1": 0.9,
        "b": 0.4,
    }.items() <= report["facts"].items()


def test_a_collection_is_shown_as_a_table(run: Run, collection: str) -> None:
    """The table ends with the verdict."""
    result = run("eval", "--beir", collection)
    assert "nDCG@10" in result.stdout
    assert result.stdout.splitlines()[-1].startswith("PASSED (exit 0)")
