"""Measures in served order."""

from __future__ import annotations

import pytest

from memidx.evals.measures import COLLECTION_MEASURES, SUITE_MEASURES, mean_values, measure


def test_served_order_is_kept_whatever_the_names_are() -> None:
    """trec_eval would put `z` before `a` at equal scores; the served order stands."""
    qrels = {"q": {"a": 1, "z": 0}}
    assert measure(qrels, {"q": ["a", "z"]}, ["RR@10"]).by_query["q"] == {"RR@10": 1.0}
    assert measure(qrels, {"q": ["z", "a"]}, ["RR@10"]).by_query["q"] == {"RR@10": 0.5}


def test_deep_rankings_are_not_reordered() -> None:
    """A thousand places are still a thousand different scores."""
    ranking = [f"d{i}" for i in range(1000)]
    values = measure({"q": {"d999": 1}}, {"q": ranking}, ["AP", "R@1000", "RR"]).by_query["q"]
    assert values == pytest.approx({"AP": 0.001, "R@1000": 1.0, "RR": 0.001})


def test_missing_queries_count_zero_and_are_named() -> None:
    """Absent from the run or empty in it: 0, and never dropped from the mean."""
    qrels = {"a": {"d": 1}, "b": {"d": 1}, "c": {"d": 1}}
    measured = measure(qrels, {"a": ["d"], "b": []}, ["nDCG@10"])
    assert measured.missing == ("b", "c")
    assert measured.means() == {"nDCG@10": pytest.approx(1 / 3)}


@pytest.mark.parametrize("run", [{}, {"q": []}, {"other": ["d"]}])
def test_a_run_without_any_result_measures_zero(run: dict[str, list[str]]) -> None:
    """No result at all is a value for every measure, not an error."""
    measured = measure({"q": {"d": 1}}, run, SUITE_MEASURES)
    assert measured.by_query == {"q": dict.fromkeys(SUITE_MEASURES, 0.0)}


def test_queries_without_qrels_are_named_and_do_not_count() -> None:
    """Extra ids of a run are not measured, and not silently dropped."""
    measured = measure({"a": {"d": 1}, "e": {}}, {"a": ["d"], "x": ["d"], "e": ["d"]}, ["AP"])
    assert measured.unjudged == ("x", "e")
    assert measured.means() == {"AP": 1.0}


def test_odd_names_reach_the_measures_unharmed() -> None:
    """Spaces, NUL and lone surrogates in names do not merge two documents."""
    names = ["a b", "a\x00b", "a\x00c", "\ud800", "é", ""]
    qrels = {"q q": dict.fromkeys(names, 1)}
    assert measure(qrels, {"q q": names}, ["R@10", "P@5"]).by_query["q q"] == {
        "R@10": 1.0,
        "P@5": 1.0,
    }


def test_negative_grades_are_judged_and_not_relevant() -> None:
    """Below zero is the same as zero."""
    values = measure({"q": {"a": -2, "b": 1}}, {"q": ["a", "b"]}, ["RR", "Judged@10", "nDCG@10"])
    assert values.by_query["q"]["RR"] == 0.5
    assert values.by_query["q"]["Judged@10"] == 1.0


def test_a_repeated_document_takes_no_second_place() -> None:
    """The first place counts; what follows moves up."""
    assert measure({"q": {"b": 1}}, {"q": ["a", "a", "b"]}, ["RR"]).means() == {"RR": 0.5}


def test_means_over_some_queries() -> None:
    """A mean can be taken over a category."""
    measured = measure({"a": {"d": 1}, "b": {"d": 1}}, {"a": ["d"]}, ["AP"])
    assert measured.means(["a"]) == {"AP": 1.0}
    assert measured.means([]) == {}
    assert mean_values([], ["AP"]) == {}


def test_measures_are_spelt_as_ir_measures_spells_them() -> None:
    """The names in reports are the field's own."""
    import ir_measures

    for name in (*SUITE_MEASURES, *COLLECTION_MEASURES):
        assert str(ir_measures.parse_measure(name)) == name
