"""Running a suite: what passes, fails, or cannot be judged."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import pytest

from memidx.evals import Outcome, evaluate
from memidx.evals.render import render_table

Make = Callable[..., Any]
A = "id: a, query: qa, expect_paths: [a.md]"


def test_all_must_queries_pass(make_suite: Make, make_index: Make) -> None:
    """A suite whose queries all find their documents passes with exit code 0."""
    report = evaluate(make_suite(A), make_index(["a.md"], {"qa": ["a.md"]}))
    assert (report.outcome, report.exit_code) == (Outcome.PASSED, 0)
    assert report.verdict == "PASSED (exit 0): 1 of 1 must queries"


def test_a_failed_must_fails_the_run_though_the_mean_is_fine(
    make_suite: Make, make_index: Make
) -> None:
    """Means above their floors do not outweigh one must query that fails."""
    suite = make_suite(
        A, "id: b, query: qb, k: 1, expect_paths: [b.md]", head="floors: {overall: {AP: 0.7}}"
    )
    report = evaluate(suite, make_index(["a.md", "b.md"], {"qa": ["a.md"], "qb": ["a.md", "b.md"]}))
    assert [floor.status for floor in report.floors] == ["passed"]
    assert (report.outcome.value, report.exit_code) == ("failed", 1)
    assert report.verdict == "FAILED (exit 1): 1 of 2 must queries"


def test_should_and_known_gap_do_not_gate(make_suite: Make, make_index: Make) -> None:
    """Only must queries gate; a known gap that passes is reported."""
    suite = make_suite(
        "id: s, query: qs, severity: should, expect_paths: [a.md]",
        "id: g, query: qg, severity: known_gap, why: synonyms, expect_paths: [a.md]",
        "id: h, query: qh, severity: known_gap, why: synonyms, expect_paths: [a.md]",
        A,
    )
    report = evaluate(suite, make_index(["a.md"], {"qa": ["a.md"], "qh": ["a.md"]}))
    assert [result.status for result in report.queries] == ["failed", "failed", "passed", "passed"]
    assert report.outcome is Outcome.PASSED
    assert report.unexpected_passes == ("h",)


def test_a_missed_floor_fails_the_run(make_suite: Make, make_index: Make) -> None:
    """RR is 1/2, below 0.6, though the must query passes."""
    suite = make_suite(A, head="floors: {keyword: {RR: 0.6}}")
    report = evaluate(suite, make_index(["a.md", "b.md"], {"qa": ["b.md", "a.md"]}))
    (floor,) = report.floors
    assert (floor.value, floor.status, floor.line) == (0.5, "failed", 2)
    assert report.verdict == "FAILED (exit 1): 1 of 1 must queries, 1 of 1 floors missed"


def test_a_floor_that_is_just_met_holds(make_suite: Make, make_index: Make) -> None:
    """The least value itself is enough, whatever rounding does to a mean of thirds."""
    suite = make_suite(
        A,
        "id: b, query: qb, expect_paths: [a.md]",
        "id: c, query: qc, expect_paths: [a.md]",
        head=f"floors: {{overall: {{RR: {(1 + 1 / 2 + 1 / 3) / 3!r}}}}}",
    )
    rankings = {"qa": ["a.md"], "qb": ["x.md", "a.md"], "qc": ["x.md", "y.md", "a.md"]}
    report = evaluate(suite, make_index(["a.md", "x.md", "y.md"], rankings))
    assert report.outcome is Outcome.PASSED


def test_a_renamed_target_is_inconclusive_never_a_failure(
    make_suite: Make, make_index: Make
) -> None:
    """A label that rots makes exit code 3; the query is not measured."""
    report = evaluate(
        make_suite(A, "id: b, query: qb, expect_paths: [old.md]"),
        make_index(["a.md", "new.md"], {"qa": ["a.md"], "qb": ["new.md"]}),
    )
    stale = report.queries[1]
    assert stale.status == "inconclusive"
    assert "dangling (line 4): matches nothing: old.md" in stale.reasons[0]
    assert (report.outcome.value, report.exit_code) == ("inconclusive", 3)
    assert report.verdict == "INCONCLUSIVE (exit 3): 1 of 2 must queries, 1 inconclusive"
    assert (report.overall.n_measured, report.overall.measures["nDCG@10"]) == (1, 1.0)
    assert [lint.rule for lint in report.lints] == ["dangling"]


def test_a_failure_outweighs_what_is_inconclusive(make_suite: Make, make_index: Make) -> None:
    """Exit codes go 2, then 1, then 3."""
    report = evaluate(
        make_suite(A, "id: b, query: qb, expect_paths: [old.md]"), make_index(["a.md"], {})
    )
    assert [result.status for result in report.queries] == ["failed", "inconclusive"]
    assert report.exit_code == 1


def test_lint_warnings_do_not_touch_a_run(make_suite: Make, make_index: Make) -> None:
    """A must_not that matches nothing is worth a look, not an outcome."""
    suite = make_suite("id: a, query: qa, expect_paths: [a.md], must_not: [gone.md]")
    report = evaluate(suite, make_index(["a.md"], {"qa": ["a.md"]}))
    assert [lint.severity for lint in report.lints] == ["warning"]
    assert report.outcome is Outcome.PASSED


def test_a_failed_source_makes_its_queries_inconclusive(
    make_suite: Make, make_index: Make, make_row: Make, fail: Make
) -> None:
    """Queries about the source, and those that expect nothing anywhere, cannot be judged."""
    suite = make_suite(
        A,
        "id: b, query: qb, expect_paths: [n.md]",
        "id: c, query: qc, expect_empty: true",
        "id: d, query: qd, expect_sources: [notes]",
    )
    index = make_index(
        [make_row("a.md"), make_row("n.md", "notes")],
        {"qa": ["a.md"], "qb": ["n.md"], "qd": ["n.md"]},
        sources_failed=[fail("notes")],
    )
    report = evaluate(suite, index)
    assert [r.status for r in report.queries] == ["passed", *["inconclusive"] * 3]
    assert report.problems == ("source notes failed: its base folder is missing",)
    assert report.exit_code == 3


def test_a_failed_source_that_no_query_is_about_still_counts(
    make_suite: Make, make_index: Make, fail: Make
) -> None:
    """The statistics and the neighbours of every hit may be out of date."""
    index = make_index(["a.md"], {"qa": ["a.md"]}, sources_failed=[fail("other")])
    report = evaluate(make_suite(A), index)
    assert report.queries[0].status == "passed"
    assert report.outcome is Outcome.INCONCLUSIVE


@pytest.mark.parametrize(
    ("freshness", "exit_code"), [("fresh", 0), ("refreshed", 0), ("unchecked", 0), ("stale", 3)]
)
def test_a_stale_index_decides_nothing(
    make_suite: Make, make_index: Make, freshness: str, exit_code: int
) -> None:
    """An answer from an old snapshot is no evidence; an unchecked one is the store's own."""
    index = make_index(["a.md"], {"qa": ["a.md"]}, freshness=freshness)
    report = evaluate(make_suite(A), index)
    assert report.exit_code == exit_code
    # Taken in or found so: the sources were searched as they are.
    expected = "fresh" if freshness == "refreshed" else freshness
    assert report.facts["freshness"] == expected


@pytest.mark.parametrize(
    ("minimum", "status"), [(0.5, "passed"), (0.6, "inconclusive"), (1.0, "inconclusive")]
)
def test_a_floor_over_stale_labels_is_decided_only_where_they_cannot_matter(
    make_suite: Make, make_index: Make, minimum: float, status: str
) -> None:
    """One query of two has AP 1, the other may be 0 or 1: the mean is from 0.5 to 1."""
    suite = make_suite(
        A,
        "id: b, query: qb, expect_paths: [old.md]",
        head=f"floors: {{overall: {{AP: {minimum}}}}}",
    )
    report = evaluate(suite, make_index(["a.md"], {"qa": ["a.md"]}))
    assert [floor.status for floor in report.floors] == [status]


def test_a_floor_is_missed_though_a_label_is_stale(make_suite: Make, make_index: Make) -> None:
    """One query of two has AP 0: the mean is at most 0.5."""
    suite = make_suite(
        A.replace("id: a", "id: a, severity: should"),
        "id: b, query: qb, expect_paths: [old.md]",
        head="floors: {overall: {AP: 0.6}}",
    )
    report = evaluate(suite, make_index(["a.md"], {}))
    assert [floor.status for floor in report.floors] == ["failed"]
    assert report.exit_code == 1


def test_queries_without_results_count_zero_and_are_named(
    make_suite: Make, make_index: Make
) -> None:
    """One of two queries finds nothing: the mean is a half, not one."""
    suite = make_suite(A, "id: b, query: qb, expect_paths: [a.md]")
    report = evaluate(suite, make_index(["a.md"], {"qa": ["a.md"]}))
    assert report.overall.n_measured == 2
    assert set(report.overall.measures.values()) == {0.5, 0.1}
    assert report.overall.measures["nDCG@10"] == 0.5
    assert "Without any hit, counted as 0: b." in report.notes


def test_hits_that_are_not_in_the_catalogue_are_named(make_suite: Make, make_index: Make) -> None:
    """An id nobody knows is shown, not dropped."""
    report = evaluate(make_suite(A), make_index(["a.md"], {"qa": ["ghost.md", "a.md"]}))
    assert report.notes == ("Returned but not in the catalogue: ghost.md.",)
    assert report.overall.measures["RR@10"] == 0.5


def test_graded_measures_by_hand(make_suite: Make, make_index: Make) -> None:
    """Grade 3 at rank 2 and grade 1 at rank 3 of a query with both."""
    suite = make_suite("id: a, query: qa, expect_paths: [b.md, {path: a.md, grade: 3}]")
    report = evaluate(suite, make_index(["a.md", "b.md", "x.md"], {"qa": ["x.md", "a.md", "b.md"]}))
    ideal = 3 / math.log2(2) + 1 / math.log2(3)
    values = report.queries[0].measures
    assert values["nDCG@10"] == pytest.approx((3 / math.log2(3) + 1 / math.log2(4)) / ideal)
    assert values["RR@10"] == 0.5
    assert values["AP"] == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert values["R@10"] == 1
    assert values["P@5"] == pytest.approx(0.4)
    assert (values["Success@1"], values["Success@3"]) == (0, 1)
    assert values["Judged@10"] == pytest.approx(2 / 3)


def test_no_answer_queries_count_in_a_false_positive_rate_only(
    make_suite: Make, make_index: Make
) -> None:
    """One of two such queries finds something; neither is in a mean."""
    suite = make_suite(
        A,
        "id: n, query: qn, expect_empty: true",
        "id: m, query: qm, severity: should, expect_empty: true",
    )
    rankings = {"qa": ["a.md"], "qn": ["a.md~weak"], "qm": ["a.md~candidate"]}
    report = evaluate(suite, make_index(["a.md"], rankings))
    assert (report.overall.n_measured, report.overall.false_positive_rate) == (1, 0.5)
    assert report.queries[1].measures == {}
    assert [group.name for group in report.categories] == ["keyword", "no-answer"]
    assert report.categories[1].measures == {}
    assert report.outcome is Outcome.PASSED


def test_expected_sources_are_counted(make_suite: Make, make_index: Make, make_row: Make) -> None:
    """One of the two expected sources has a hit; such a query has no relevant items."""
    suite = make_suite("id: a, query: qa, severity: should, expect_sources: [docs, notes]")
    rows = [make_row("a.md"), make_row("n.md", "notes")]
    report = evaluate(suite, make_index(rows, {"qa": ["a.md"]}))
    group = report.overall
    assert (group.n_sources_found, group.n_sources_expected, group.n_measured) == (1, 2, 0)
    assert report.queries[0].sources_found == ("docs",)


def test_a_repeated_id_is_inconclusive_and_both_queries_are_reported(
    make_suite: Make, make_index: Make
) -> None:
    """Results are not merged by id."""
    suite = make_suite(A, "id: a, query: qb, expect_paths: [a.md]")
    report = evaluate(suite, make_index(["a.md"], {"qa": ["a.md"], "qb": ["a.md"]}))
    assert [result.status for result in report.queries] == ["inconclusive", "inconclusive"]
    assert [result.text for result in report.queries] == ["qa", "qb"]


def test_as_of_is_the_suites_else_the_newest_document(
    make_suite: Make, make_index: Make, make_row: Make
) -> None:
    """The clock is never asked; without any time a fixed day stands in and none is reported."""
    rows = [
        make_row("a.md", time="2026-03-01T00:30:00+02:00"),
        make_row("b.md", time="2026-02-28"),
        make_row("c.md"),
    ]
    index = make_index(rows, {})
    assert evaluate(make_suite(A, head="as_of: 2026-12-01"), index).facts["as_of"] == "2026-12-01"
    assert index.asked["as_of"] == "2026-12-01"
    report = evaluate(make_suite(A), index)
    assert report.facts["as_of"] == index.asked["as_of"] == "2026-03-01T00:30:00+02:00"
    timeless = make_index(["a.md"], {})
    assert evaluate(make_suite(A), timeless).facts["as_of"] is None
    assert timeless.asked["as_of"] == "1970-01-01"


def test_a_run_records_what_it_was_made_of(make_suite: Make, make_index: Make) -> None:
    """Two runs can be compared only where these agree."""
    suite, index = make_suite(A), make_index(["a.md"], {})
    facts = evaluate(suite, index, strategy="vector").facts
    assert index.asked == {"k": 1000, "strategy": "vector", "as_of": "1970-01-01"}
    assert facts["suite_hash"] == suite.digest
    assert (facts["corpus_fingerprint"], facts["analyzer_fingerprint"]) == ("build-1", "analyzer-1")
    assert (facts["n_docs"], facts["strategy"]) == (1, "vector")
    assert len(facts["configuration_hash"]) == 64
    assert evaluate(suite, index).facts["strategy"] == "lexical"


def test_the_configuration_hash_follows_the_settings(make_suite: Make, make_index: Make) -> None:
    """Another k1 is another hash; the order of the keys is not."""

    def digest(**search: Any) -> Any:
        configuration = {"search": {"strategy": "lexical", **search}}
        index = make_index(["a.md"], {}, configuration=configuration)
        return evaluate(make_suite(A), index).facts["configuration_hash"]

    assert digest(k1=1.5, b=0.75) == digest(b=0.75, k1=1.5)
    assert digest(k1=1.2, b=0.75) != digest(k1=1.5, b=0.75)


def test_the_report_is_json_and_names_its_type(make_suite: Make, make_index: Make) -> None:
    """The JSON report says what it is, and its code and verdict are those of the outcome."""
    suite = make_suite(A, head="floors: {overall: {AP: 0.5}}")
    report = evaluate(suite, make_index(["a.md"], {"qa": ["a.md"]}))
    data = json.loads(json.dumps(report.to_dict()))
    assert (data["artifact_type"], data["schema"]) == ("memidx-report", "memidx.report/1")
    assert (data["outcome"], data["exit_code"]) == ("passed", 0)
    assert data["queries"][0]["expected"] == [
        {"label": "a.md", "grade": 1, "rank": 1, "doc_id": "a.md"}
    ]
    assert data["floors"][0]["status"] == "passed"


@pytest.mark.parametrize("ranking", [["a.md"], [], ["x.md"], ["x.md", "a.md"]])
@pytest.mark.parametrize("label", ["a.md", "old.md"])
@pytest.mark.parametrize("severity", ["must", "should"])
@pytest.mark.parametrize("floor", ["", "floors: {overall: {RR: 0.6}}"])
def test_verdict_line_and_exit_code_always_agree(
    make_suite: Make,
    make_index: Make,
    ranking: list[str],
    label: str,
    severity: str,
    floor: str,
) -> None:
    """Whatever comes out, the table's last line, the JSON and the code say the same."""
    suite = make_suite(
        f"id: a, query: qa, k: 1, severity: {severity}, expect_paths: [{label}]", head=floor
    )
    report = evaluate(suite, make_index(["a.md", "x.md"], {"qa": ranking}))
    last = render_table(report).splitlines()[-1]
    assert last.startswith(f"{report.outcome.name} (exit {report.exit_code}): ")
    assert report.to_dict()["exit_code"] == report.exit_code
    failed = (severity == "must" and ranking != ["a.md"] and label == "a.md") or (
        bool(floor) and label == "a.md" and ranking != ["a.md"]
    )
    expected = 1 if failed else 3 if label == "old.md" else 0
    assert report.exit_code == expected


def test_a_suite_without_a_gate_says_so(make_suite: Make, make_index: Make) -> None:
    """A pass that nothing could have failed is pointed out."""
    suite = make_suite("id: a, query: qa, severity: should, expect_paths: [a.md]")
    report = evaluate(suite, make_index(["a.md"], {"qa": ["a.md"]}))
    assert report.notes == ("No must query and no floor: nothing in this suite can fail.",)
