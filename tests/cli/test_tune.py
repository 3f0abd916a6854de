"""`memidx tune` judges a grid over a real index and ends as documented."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.support import write_tree

_SUITE = """version: 1
queries:
- {id: lock, query: lock timeout, severity: must, expect_paths: [{path: docs/locks.md}]}
- {id: bird, query: wren, severity: must, expect_paths: [{path: docs/birds.md}]}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two documents, a suite and a collection, which is the working folder."""
    write_tree(
        tmp_path,
        {
            "docs/locks.md": "# Locks\n\nA lock has a timeout of 2 s.\n",
            "docs/birds.md": "# Birds\n\nA wren sings in the hedge.\n",
            "queries.yaml": _SUITE,
            "toy/corpus.jsonl": '{"_id": "d1", "text": "a lock"}\n{"_id": "d2", "text": "wren"}\n',
            "toy/queries.jsonl": '{"_id": "q1", "text": "lock"}\n',
            "toy/qrels.tsv": "q1\td1\t1\n",
        },
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_suite_is_tuned_over_a_store_that_is_built_for_it(run: Run, project: Path) -> None:
    """Both queries are perfect everywhere: the grid says nothing, and that is an answer."""
    result = run("tune", "queries.yaml", "--grid", "published")
    assert result.exit_code == 0, result.stderr
    last = result.stdout.splitlines()[-1]
    assert last.startswith("NON-DIFFERENTIATING (exit 0): these queries do not tell the 9 points")
    report = (project / "reports" / "tuning-queries.md").read_text()
    assert report.startswith("<!-- artifact_type: memidx-report -->\n# Tuning on `queries`\n")
    assert "2/2" in result.stdout


def test_nothing_is_applied_and_nothing_becomes_a_source(run: Run, project: Path) -> None:
    """Documents, suite and configuration are as before; a second run writes the same bytes."""
    run("tune", "queries.yaml")
    first = (project / "reports" / "tuning-queries.md").read_bytes()
    result = run("tune", "queries.yaml", "--format", "json")
    assert json.loads(result.stdout)["facts"]["n_docs"] == 2
    assert (project / "reports" / "tuning-queries.md").read_bytes() == first
    assert not (project / "memidx.toml").exists()


def test_no_terminal_no_bar(run: Run, project: Path) -> None:
    """stderr says where the report is and how long it took, and holds no carriage return."""
    result = run("tune", "--beir", "toy", "--grid", "published")
    assert result.exit_code == 0, result.stderr
    assert "\r" not in result.stderr
    assert "Report: " in result.stderr
    assert "at 9 points" in result.stderr
    assert "Took" not in result.stdout


def test_every_form_says_the_same(run: Run, project: Path) -> None:
    """Table, Markdown and JSON end with one verdict; Markdown is the report's file."""
    arguments = ("tune", "--beir", "toy", "--report", "out/r.md")
    table = run(*arguments).stdout
    markdown = run(*arguments, "--format", "md").stdout
    whole = json.loads(run(*arguments, "--format", "json").stdout)
    assert table.splitlines()[-1] == whole["verdict"]
    assert markdown == (project / "out" / "r.md").read_text()
    assert whole["finding"] == "non-differentiating"
    assert len(whole["points"]) == 42
    assert whole["schema"] == "memidx.tuning-report/2"
    assert whole["thresholds"]["fitted_on"]["k1"] == 1.5


def test_options_are_taken(run: Run, project: Path) -> None:
    """Grid, measure, folds, seed, precisions, analyzer and strategy are in the report."""
    options = "--k1 0.9,1.2 --b 0:1:0.5 --measure RR@10 --folds 3 --seed 7 --precision 0.8 "
    options += "--analyzer ascii-compat --strategy hybrid --format json"
    result = run("tune", "--beir", "toy", *options.split())
    report = json.loads(result.stdout)
    assert len(report["points"]) == 7
    assert {
        "measure": "RR@10",
        "n_folds": 3,
        "seed": 7,
        "analyzer": "ascii-compat",
        "strategy": "hybrid",
    }.items() <= report["facts"].items()
    assert [p["precision"] for p in report["thresholds"]["promises"]] == [0.8]


def test_the_vector_strategy_says_that_the_grid_is_not_its(run: Run, project: Path) -> None:
    """k1 and b are the lexical channel's."""
    result = run("tune", "--beir", "toy", "--strategy", "vector")
    assert "k1 and b have no part in the vector strategy" in result.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        "tune",
        "tune no-such-file.yaml",
        "tune queries.yaml --beir toy",
        "tune --beir toy --store s",
        "tune --beir no-such-folder",
        "tune --beir toy --k1 x",
        "tune --beir toy --b 2",
        "tune --beir toy --grid usual",
        "tune --beir toy --measure F1",
        "tune --beir toy --folds 1",
        "tune --beir toy --precision 1.5",
        "tune --beir toy --precision 0.9 --precision 0.8 --precision 0.7",
        "tune --beir toy --analyzer usual",
        "tune --beir toy --axis k3=1",
        "tune --beir toy --axis docs.weight=1,2",
        "tune queries.yaml --axis dosc.weight=1,2",
        "tune queries.yaml --axis *.decay=0,0.1",
        "tune --beir toy --random 0",
        "tune --beir toy --hold-out 0",
        "tune queries.yaml --split no-such-split.yaml",
    ],
)
def test_a_mistake_ends_with_2(run: Run, project: Path, arguments: str) -> None:
    """A flag is never ignored in silence, and nothing is written."""
    result = run(*arguments.split())
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "rror" in result.stderr
    assert not (project / "reports").exists()


def test_a_label_that_rotted_ends_with_3(run: Run, project: Path) -> None:
    """The rest is tuned on, and the last line says what is missing."""
    gone = "- {id: gone, query: lock, severity: must, expect_paths: [{path: docs/gone.md}]}\n"
    (project / "queries.yaml").write_text(_SUITE + gone)
    result = run("tune", "queries.yaml", "--grid", "published")
    assert result.exit_code == 3
    assert "(exit 3)" in result.stdout.splitlines()[-1]
    assert "left out: gone" in result.stdout


def test_any_setting_is_an_axis(run: Run, project: Path) -> None:
    """Fusion, channels and sources beside the title; the lines to copy name each."""
    options = "--axis strategy=lexical,hybrid --axis title_weight=0,0.8 --axis fusion=rrf,weighted "
    options += "--axis docs.weight=1,2 --axis docs.decay=0,0.1 --format json"
    result = run("tune", "queries.yaml", *options.split())
    assert result.exit_code == 0, result.stderr
    report = json.loads(result.stdout)
    assert len(report["points"]) == 2**5
    assert report["current"] == {
        "strategy": "lexical",
        "title_weight": 0.8,
        "fusion": "weighted",
        "docs.weight": 1.0,
        "docs.decay": 0.0,
    }
    text = (project / "reports" / "tuning-queries.md").read_text()
    assert "# source docs: weight = 1.0" in text
    assert 'fusion = "weighted"' in text


def test_random_points_are_drawn_by_the_seed(run: Run, project: Path) -> None:
    """Eight of 42, the current one beside them; the same again."""
    arguments = ("tune", "--beir", "toy", "--random", "8", "--seed", "3", "--format", "json")
    first = run(*arguments).stdout
    assert len(json.loads(first)["points"]) in (8, 9)
    assert run(*arguments).stdout == first


def test_a_point_that_no_index_opens_with_is_left_out_and_named(run: Run, project: Path) -> None:
    """A candidate cosine is .2: fused with .3 of the weights it cannot reach .1."""
    options = ("--strategy", "hybrid", "--axis", "min_score=0,0.1")
    result = run("tune", "queries.yaml", *options, "--format", "json")
    assert result.exit_code == 0, result.stderr
    report = json.loads(result.stdout)
    assert [p["min_score"] for p in report["points"]] == [0.0]
    (refused,) = report["refused"]
    assert refused["min_score"] == 0.1
    assert "0.3 * 0.2 / 1.0 < 0.1" in refused["reason"]
    assert any(reason.startswith("Points refused, and left out: 1") for reason in report["reasons"])


def test_a_split_is_made_once_and_kept(run: Run, project: Path) -> None:
    """Asked for, it is written beside the suite; from then on it holds, and its share too."""
    result = run("tune", "queries.yaml", "--grid", "published", "--hold-out", "0.5")
    assert result.exit_code == 0, result.stderr
    split = (project / "evals" / "splits.yaml").read_text()
    assert "Split: " in result.stderr
    again = json.loads(
        run("tune", "queries.yaml", "--grid", "published", "--format", "json").stdout
    )
    assert (again["facts"]["n_chosen_on"], again["facts"]["n_held_out"]) == (1, 1)
    assert again["held_out"]["n_queries"] == 1
    assert (project / "evals" / "splits.yaml").read_text() == split
    assert run("tune", "queries.yaml", "--hold-out", "0.3").exit_code == 2


def test_a_query_that_the_split_does_not_know_ends_with_3(run: Run, project: Path) -> None:
    """It is on no side until somebody deals it."""
    run("tune", "queries.yaml", "--hold-out", "0.5")
    more = "- {id: new, query: hedge, severity: must, expect_paths: [docs/birds.md]}\n"
    (project / "queries.yaml").write_text(_SUITE + more)
    result = run("tune", "queries.yaml")
    assert result.exit_code == 3
    assert "the split does not know, left out: new" in result.stdout.splitlines()[-1]
    assert run("tune", "queries.yaml", "--hold-out", "0.5").exit_code == 0


def test_robustness_is_asked_of_other_corpora(run: Run, project: Path) -> None:
    """Two of each kind with --perturb 2, and none with 0; every document here is judged but two."""
    write_tree(project, {f"docs/o{n}.md": f"# O {n}\n\nother {n}\n" for n in range(10)})
    arguments = ("tune", "queries.yaml", "--grid", "published", "--format", "json")
    report = json.loads(run(*arguments, "--perturb", "2").stdout)
    assert [(p["change"], p["n_docs"]) for p in report["perturbed"]] == [
        ("fewer", 10),
        ("more", 14),
    ] * 2
    assert json.loads(run(*arguments, "--perturb", "0").stdout)["perturbed"] == []
    assert report["bootstrap"]["n_draws"] == 2000
