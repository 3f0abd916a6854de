"""What tuning reports is what evaluations at each point would."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import memidx
from memidx.errors import InputError, SuiteError
from memidx.evals import evaluate, evaluate_collection, parse_suite
from memidx.evals.axes import make_points
from memidx.evals.grid_values import GridValues, depth_of
from memidx.evals.tuning import SHOWN_MEASURES, TuneSettings, tune_collection, tune_suite
from memidx.evals.tuning_text import render_tuning, render_tuning_markdown
from memidx.index import Index
from memidx.search.points import point as point_of
from tests.support import write_tree

# Short documents and long ones, few occurrences and many, so that k1 and b change the order.
_TEXTS = {
    "a": "lock " + "filler " * 30,
    "b": "lock lock lock lock " + "padding " * 80,
    "c": "lock timeout",
    "d": "timeout timeout " + "words " * 20,
    "e": "wren",
}
_QUERIES = {
    "q1": ("lock", "b"),
    "q2": ("timeout", "d"),
    "q3": ("lock timeout", "c"),
    "q4": ("wren", "e"),
}


@pytest.fixture
def collection(tmp_path: Path) -> str:
    """Five documents and four judged queries, one more without a text and one without a label."""
    folder = tmp_path / "toy"
    documents = [{"_id": i, "title": "", "text": text} for i, text in _TEXTS.items()]
    queries = [{"_id": q, "text": text} for q, (text, _) in _QUERIES.items()]
    queries.append({"_id": "free", "text": "lock"})
    qrels = [f"{q}\t{doc}\t1" for q, (_, doc) in _QUERIES.items()] + ["lost\ta\t1"]
    write_tree(
        folder,
        {
            "corpus.jsonl": "\n".join(map(json.dumps, documents)),
            "queries.jsonl": "\n".join(map(json.dumps, queries)),
            "qrels.tsv": "\n".join(qrels),
        },
    )
    return str(folder)


@pytest.mark.parametrize("strategy", ["lexical", "vector", "hybrid"])
def test_every_point_measures_what_an_evaluation_there_does(collection: str, strategy: str) -> None:
    """Means of every measure equal those of `eval --beir --k1 --b`, at each point of the grid."""
    points = make_points(k1="0,0.9,4", b="0,0.75,1")
    report = tune_collection(
        collection, TuneSettings(points, measure="AP", strategy=strategy), analyzer="ascii-compat"
    )
    assert len(report.values.points) == 9 + 1  # 1.5/.75, the current setting, is added
    seen = set()
    for number, point in enumerate(report.values.points):
        single = evaluate_collection(
            collection, analyzer="ascii-compat", strategy=strategy, k1=point["k1"], b=point["b"]
        )
        for name in ("AP", "nDCG@10", "RR@10", "Success@1", "Success@3"):
            assert report.means[name][number] == pytest.approx(single.means[name], abs=1e-12)
        seen.add(round(single.means["RR@10"], 6))
    assert (len(seen) > 1) == (strategy != "vector"), "the grid should move something"


def test_the_published_finding_is_reproduced(shared: Path) -> None:
    """Nine points, Success@1 9/10 and Success@3 10/10 at each; nDCG@10 moves by one query."""
    folder = str(shared / "collections" / "agentteams_eval")
    report = tune_collection(
        folder, TuneSettings(make_points("published")), analyzer="ascii-compat"
    )
    assert report.means["Success@1"] == (0.9,) * 9
    assert report.means["Success@3"] == (1.0,) * 9
    assert report.equal_success == ("Success@1", "Success@3")
    assert report.n_differing["nDCG@10"] == 1
    assert report.finding == "non-differentiating"
    assert report.choice.gain.test.p == 1.0
    # One query of ten: variance is 10 times the squared mean, 7.849 * 10 + 1.92.
    assert report.choice.gain.n_queries == 81
    for number, point in enumerate(report.values.points):
        single = evaluate_collection(folder, analyzer="ascii-compat", k1=point["k1"], b=point["b"])
        for name in SHOWN_MEASURES:
            assert report.means[name][number] == pytest.approx(single.means[name], abs=1e-12)


_SUITE = """version: 1
queries:
- {id: lock, query: lock, category: keyword, severity: must, k: 1, expect_paths: [{path: b.md}]}
- {id: time, query: timeout, category: keyword, severity: must, k: 1, expect_paths: [{path: d.md}]}
- {id: both, query: lock timeout, category: keyword, severity: must, k: 2, top1: c.md}
- {id: none, query: scuba antarctica, category: no-answer, severity: must, expect_empty: true}
- {id: src, query: wren, category: keyword, severity: must, expect_sources: [docs]}
"""


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    """A project of the five documents."""
    project = tmp_path / "project"
    write_tree(project, {f"{name}.md": text for name, text in _TEXTS.items()})
    memidx.build((), root=str(project), env={})
    with memidx.open(None, root=str(project), env={}) as opened:
        yield opened


def test_a_suite_is_tuned_as_it_is_evaluated(index: Index, tmp_path: Path) -> None:
    """Means and passes at each point equal those of `eval` with that configuration."""
    suite = parse_suite(_SUITE, "queries.yaml")
    points = make_points(k1="0,1.5,4", b="0,0.75,1")
    report = tune_suite(suite, index, TuneSettings(points))
    assert report.values.query_ids == ("lock", "time", "both")
    assert report.values.n_asked_to_pass == 5
    seen = set()
    for number, point in enumerate(report.values.points):
        env = {"MEMIDX_K1": repr(point["k1"]), "MEMIDX_B": repr(point["b"])}
        with memidx.open(None, root=str(tmp_path / "project"), env=env) as there:
            single = evaluate(suite, there)
        for name in SHOWN_MEASURES:
            if name in single.overall.measures:
                assert report.means[name][number] == pytest.approx(single.overall.measures[name])
        assert report.values.n_passed[number] == single.overall.n_passed
        seen.add(single.overall.n_passed)
    assert len(seen) > 1, "the grid should move something"
    # First hits are right or wrong for queries with relevant items; "none" finds nothing.
    assert {answer.query_id for answer in report.values.top} == {"lock", "time", "both"}


def test_the_current_setting_is_the_configured_one(tmp_path: Path, index: Index) -> None:
    """Not the default: what the index would answer with."""
    env = {"MEMIDX_K1": "0.7", "MEMIDX_B": "0.3"}
    with memidx.open(None, root=str(tmp_path / "project"), env=env) as there:
        report = tune_suite(
            parse_suite(_SUITE, "q.yaml"), there, TuneSettings(make_points("published"))
        )
    assert report.point(report.choice.current) == point_of({"k1": 0.7, "b": 0.3})
    assert len(report.values.points) == 10


def test_a_query_that_cannot_be_judged_is_left_out_and_named(index: Index) -> None:
    """A label that rotted makes the run inconclusive, and counts at no point."""
    text = _SUITE + "- {id: gone, query: lock, severity: must, expect_paths: [{path: gone.md}]}\n"
    report = tune_suite(parse_suite(text, "q.yaml"), index, TuneSettings(make_points("published")))
    assert report.exit_code == 3
    assert "gone" not in report.values.query_ids
    assert report.problems == ("queries that cannot be judged, left out: gone",)
    assert report.verdict.endswith("inconclusive: queries that cannot be judged, left out: gone")


def test_a_suite_without_relevant_items_is_refused(index: Index) -> None:
    """There is no measure to tune on."""
    text = "version: 1\nqueries:\n- {id: none, query: scuba, severity: must, expect_empty: true}\n"
    with pytest.raises(SuiteError, match="nothing to tune on"):
        tune_suite(parse_suite(text, "q.yaml"), index, TuneSettings(make_points("published")))


def test_progress_is_told_once_a_query(collection: str) -> None:
    """Done and of how many; the last is all."""
    told: list[tuple[int, int]] = []
    tune_collection(
        collection,
        TuneSettings(make_points("published")),
        progress=lambda done, of: told.append((done, of)),
    )
    assert told == [(n, 5) for n in range(1, 6)]


@pytest.mark.parametrize(
    "changes",
    [
        {"measure": "nDCG"},
        {"measure": "Success"},
        {"measure": "F1@10"},
        {"measure": "nDCG@0"},
        {"n_folds": 1},
        {"precisions": ()},
        {"precisions": (0.9, 0.5, 0.1)},
        {"precisions": (1.0,)},
        {"precisions": (float("nan"),)},
    ],
)
def test_settings_that_cannot_be_judged_are_refused(changes: dict[str, object]) -> None:
    """Before anything is read; nDCG without a cutoff is a measure."""
    settings = TuneSettings(make_points("published"), **changes)  # type: ignore[arg-type]
    if changes == {"measure": "nDCG"}:
        settings.check()
        return
    with pytest.raises(InputError):
        settings.check()


def test_a_measure_says_how_deep_it_looks() -> None:
    """AP looks at everything that is ranked."""
    assert [depth_of(name) for name in ("nDCG@10", "Success@1", "AP")] == [10, 1, 1000]


def test_a_report_has_the_same_bytes_again(collection: str, tmp_path: Path) -> None:
    """Whatever folder the collection lies in; its first line keeps it out of any index."""
    settings = TuneSettings(make_points("published"))
    first = tune_collection(collection, settings)
    moved = tmp_path / "elsewhere" / "toy"
    moved.parent.mkdir()
    Path(collection).rename(moved)
    again = tune_collection(str(moved), settings)
    text = render_tuning_markdown(first)
    assert text == render_tuning_markdown(again)
    assert first.to_dict() == again.to_dict()
    assert text.splitlines()[0] == "<!-- artifact_type: memidx-report -->"
    assert str(tmp_path) not in text
    json.dumps(first.to_dict(), allow_nan=False)


def test_a_report_is_bounded(collection: str) -> None:
    """A thousand points fit a page; the JSON has them all."""
    report = tune_collection(collection, TuneSettings(make_points(k1="0:3.9:0.1", b="0:1:0.05")))
    assert len(report.to_dict()["points"]) == 840
    assert "too many for a table" in render_tuning(report)
    # The best 24, and the current one.
    assert "815 more points" in render_tuning(report)
    assert len(render_tuning_markdown(report)) < 10_000


def test_the_lines_for_the_configuration_can_be_read(collection: str, tmp_path: Path) -> None:
    """What the report says to copy is a configuration with the current setting."""
    report = tune_collection(collection, TuneSettings(make_points("published")))
    (lines,) = [
        block.removeprefix("toml\n")
        for block in render_tuning_markdown(report).split("```")
        if block.startswith("toml\n")
    ]
    (tmp_path / "memidx.toml").write_text(lines)
    from memidx.config import load_config

    search = load_config(str(tmp_path), env={}).search
    assert (search.k1, search.b) == (1.5, 0.75)


def test_values_hold_one_number_a_point_and_query(collection: str) -> None:
    """Also where a query finds nothing: it counts 0."""
    values: GridValues = tune_collection(collection, TuneSettings(make_points("published"))).values
    assert values.query_ids == ("q1", "q2", "q3", "q4", "lost")
    for rows in values.values.values():
        assert [len(row) for row in rows] == [5] * 9
        assert {row[4] for row in rows} == {0.0}
