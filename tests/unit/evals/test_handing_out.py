"""A suite as other tools see it, and another engine's run as the suite sees it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import ir_measures
import pytest

from memidx.errors import InputError
from memidx.evals import Outcome, evaluate, write_run
from memidx.evals.beir import load_collection
from memidx.evals.foreign import judge_run
from memidx.evals.handing_out import served_run, suite_qrels, write_beir
from memidx.evals.trec import Run, read_run, write_qrels

Make = Callable[..., Any]


def test_judgements_are_of_documents(make_suite: Make, make_index: Make) -> None:
    """The best grade of a document counts, what must not come has 0, and alternatives are told."""
    suite = make_suite(
        "id: q1, query: qa, expect_paths: [{path: a.md, grade: 3}, {any_of: [b.md, 'a.md']}], "
        "must_not: [c.md]",
        "id: q2, query: qb, top1: b.md, expect_paths: [{path: c.md, grade: 2}]",
        "id: q3, query: qn, category: no-answer, expect_empty: true",
    )
    qrels, n_several = suite_qrels(suite, make_index(["a.md", "b.md", "c.md"], {}).catalog())
    assert qrels == {
        "q1": {"a.md": 3, "b.md": 1, "c.md": 0},
        "q2": {"b.md": 2, "c.md": 2},
    }
    assert n_several == 1


def test_another_tool_gets_our_figures(tmp_path: Path, make_suite: Make, make_index: Make) -> None:
    """Where each expectation is one document, run and judgements measure there as here."""
    suite = make_suite(
        "id: q 1, query: qa, expect_paths: [{path: a b.md, grade: 3}, d.md]",
        "id: q2, query: qb, expect_paths: [c.md], must_not: [d.md]",
    )
    documents = ["a b.md", "b.md", "c.md", "d.md"]
    index = make_index(documents, {"qa": ["b.md", "a b.md", "d.md"], "qb": ["b.md", "a b.md"]})
    report = evaluate(suite, index)
    write_run(served_run(suite, index, report), str(tmp_path / "run"))
    write_qrels(suite_qrels(suite, index.catalog())[0], str(tmp_path / "qrels"))
    names = ["nDCG@10", "RR@10", "AP", "R@10", "Success@1", "Judged@10"]
    found = ir_measures.calc_aggregate(
        [ir_measures.parse_measure(name) for name in names],
        list(ir_measures.read_trec_qrels(str(tmp_path / "qrels"))),
        list(ir_measures.read_trec_run(str(tmp_path / "run"))),
    )
    ours = {name: report.overall.measures[name] for name in names}
    assert {str(name): value for name, value in found.items()} == pytest.approx(ours)


def test_a_run_is_asked_for_as_the_report_was(make_suite: Make, make_index: Make) -> None:
    """The same depth, strategy and day, so that the file holds what was measured."""
    suite = make_suite("id: q, query: qa, expect_paths: [a.md]", head="as_of: 2026-11-30")
    index = make_index(["a.md"], {"qa": ["a.md"]})
    report = evaluate(suite, index, strategy="vector")
    assert served_run(suite, index, report) == {"q": ["a.md"]}
    assert index.asked == {"k": 1000, "strategy": "vector", "as_of": "2026-11-30"}


def test_a_collection_is_read_back(tmp_path: Path, make_suite: Make, make_index: Make) -> None:
    """What is written in BEIR layout is what memidx reads in BEIR layout."""
    suite = make_suite(
        "id: q1, query: 'qa \"x\"\té', expect_paths: [{path: a b.md, grade: 2}]",
        "id: q2, query: qn, category: no-answer, expect_empty: true",
    )
    index = make_index(["a b.md", "c.md"], {})
    assert write_beir(suite, index, str(tmp_path / "out" / "beir")) == (2, 2)
    read = load_collection(str(tmp_path / "out" / "beir"))
    assert read.documents == (("a%20b.md", "Untitled", "a b.md"), ("c.md", "Untitled", "c.md"))
    assert read.queries == {"q1": 'qa "x"\té', "q2": "qn"}
    assert read.qrels == {"q1": {"a%20b.md": 2}}


def test_ids_that_are_there_twice_are_refused(
    tmp_path: Path, make_suite: Make, make_index: Make
) -> None:
    """Two queries under one id would be one to other tools; the second is named by its line."""
    suite = make_suite(
        "id: q, query: qa, expect_paths: [a.md]", "id: q, query: qb, expect_paths: [a.md]"
    )
    index = make_index(["a.md"], {})
    with pytest.raises(InputError, match="twice") as error:
        write_beir(suite, index, str(tmp_path / "out"))
    assert "queries.yaml:4" in str(error.value)
    assert not (tmp_path / "out").exists()
    with pytest.raises(InputError, match="twice"):
        judge_run(suite, index, Run("x", {}))


def test_a_suite_that_judges_nothing_is_no_collection(
    tmp_path: Path, make_suite: Make, make_index: Make
) -> None:
    """A collection without judgements cannot be read, so it is not written."""
    suite = make_suite("id: q, query: qn, category: no-answer, expect_empty: true")
    with pytest.raises(InputError, match="judges"):
        write_beir(suite, make_index(["a.md"], {}), str(tmp_path / "out"))


# --- another engine's run


def test_our_own_run_is_judged_as_we_are(
    tmp_path: Path, make_suite: Make, make_index: Make
) -> None:
    """Written and read back, a run gives the same results, measures and sources."""
    suite = make_suite(
        "id: q 1, query: qa, k: 2, expect_paths: [a b.md], expect_sources: [docs]",
        "id: q2, query: qb, k: 1, expect_paths: [c.md], must_not: [a b.md]",
        "id: q3, query: qn, category: no-answer, expect_empty: true",
    )
    index = make_index(["a b.md", "c.md"], {"qa": ["c.md", "a b.md"], "qb": ["a b.md", "c.md"]})
    ours = evaluate(suite, index)
    write_run(served_run(suite, index, ours), str(tmp_path / "run"), tag="mine")
    theirs = judge_run(suite, index, read_run(str(tmp_path / "run")))
    assert theirs.queries == ours.queries
    assert theirs.overall == ours.overall
    assert theirs.outcome is ours.outcome is Outcome.FAILED
    assert theirs.facts["strategy"] == "run mine"


def test_a_run_has_no_labels_so_every_hit_counts(make_suite: Make, make_index: Make) -> None:
    """A query that should find nothing fails where the run has anything, and passes otherwise."""
    suite = make_suite("id: n, query: qn, category: no-answer, expect_empty: true")
    index = make_index(["a.md"], {"qn": ["a.md~weak"]})
    assert evaluate(suite, index).outcome is Outcome.PASSED
    assert judge_run(suite, index, Run("x", {"n": ("a.md",)})).outcome is Outcome.FAILED
    assert judge_run(suite, index, Run("x", {})).outcome is Outcome.PASSED


def test_what_is_not_in_both_is_named(make_suite: Make, make_index: Make) -> None:
    """Queries without places count 0; other queries and unknown documents are told."""
    suite = make_suite(
        "id: q1, query: qa, expect_paths: [a.md]", "id: q2, query: qb, expect_paths: [a.md]"
    )
    run = Run("x", {"q1": ("gone.md", "a.md"), "q9": ("a.md",)})
    report = judge_run(suite, make_index(["a.md"], {}), run)
    notes = "\n".join(report.notes)
    assert "has nothing for: q2." in notes
    assert "does not have: q9." in notes
    assert "gone.md" in notes
    # The unknown document keeps its place: a.md is second, so RR is 1/2, and 0 for q2.
    assert report.overall.measures["RR@10"] == pytest.approx(0.25)


def test_an_id_with_percent_signs_is_taken_as_it_is_first(
    make_suite: Make, make_index: Make
) -> None:
    """Only a name that the index does not have is read as an escaped one."""
    suite = make_suite("id: q, query: qa, k: 1, expect_paths: ['a%20b.md']")
    index = make_index(["a%20b.md", "a b.md"], {})
    assert judge_run(suite, index, Run("x", {"q": ("a%20b.md",)})).outcome is Outcome.PASSED
    assert judge_run(suite, index, Run("x", {"q": ("a%2520b.md",)})).outcome is Outcome.PASSED
    assert judge_run(suite, index, Run("x", {"q": ("a b.md",)})).outcome is Outcome.FAILED
