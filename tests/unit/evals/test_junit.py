"""A run as JUnit XML: what a dashboard counts agrees with the exit code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest

from memidx.evals import Outcome, evaluate
from memidx.evals.junit import render_junit

Make = Callable[..., Any]

# The part of Jenkins' junit-10.xsd that is used here: required and optional attributes, children.
_SHAPE: dict[str, tuple[set[str], set[str], set[str]]] = {
    "testsuites": ({"name", "tests", "failures", "errors"}, set(), {"testsuite"}),
    "testsuite": ({"name", "tests", "failures", "errors", "skipped"}, set(), {"testcase"}),
    "testcase": (
        {"name", "classname"},
        set(),
        {"skipped", "error", "failure", "system-out"},
    ),
    "failure": ({"message", "type"}, set(), set()),
    "error": ({"message", "type"}, set(), set()),
    "skipped": ({"message"}, set(), set()),
    "system-out": (set(), set(), set()),
}


def _parsed(text: str) -> ElementTree.Element:
    """The root, after every element was held against the schema and every count added up."""
    root = ElementTree.fromstring(text)
    assert root.tag == "testsuites"
    for element in root.iter():
        required, optional, children = _SHAPE[element.tag]
        assert required <= set(element.keys()) <= required | optional, element.attrib
        assert {child.tag for child in element} <= children
    for suite in [root, *root]:
        cases = list(suite.iter("testcase"))
        assert int(suite.attrib["tests"]) == len(cases)
        for key, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            if key in suite.attrib:
                found = sum(case.find(tag) is not None for case in cases)
                assert int(suite.attrib[key]) == found
    return root


def _kinds(root: ElementTree.Element) -> dict[str, str]:
    return {
        case.attrib["name"]: next((child.tag for child in case), "passed")
        for case in root.iter("testcase")
    }


def test_one_case_a_query_by_what_it_means_for_the_gate(make_suite: Make, make_index: Make) -> None:
    """A must fails, a should and a known gap are skipped, a stale label is an error."""
    suite = make_suite(
        "id: good, query: qa, expect_paths: [a.md]",
        "id: bad, query: qb, expect_paths: [a.md]",
        "id: watched, query: qb, severity: should, k: 4, expect_paths: [a.md]",
        "id: gap, query: qb, severity: known_gap, k: 3, why: words, expect_paths: [a.md]",
        "id: mended, query: qa, severity: known_gap, k: 2, why: words, expect_paths: [a.md]",
        "id: stale, query: qa, k: 9, expect_paths: [gone.md]",
        head="floors: {overall: {nDCG@10: 0.9, RR@10: 0.1}}",
    )
    # Distinct texts, so that no lint makes the queries inconclusive.
    queries = tuple(
        replace(query, text=f"{query.text} {query.query_id}") for query in suite.queries
    )
    suite = replace(suite, queries=queries)
    ranked = {q.text: ["a.md"] if q.text.startswith("qa") else ["b.md"] for q in queries}
    report = evaluate(suite, make_index(["a.md", "b.md"], ranked))
    root = _parsed(render_junit(report))
    assert _kinds(root) == {
        "good: qa good": "passed",
        "bad: qb bad": "failure",
        "watched: qb watched": "skipped",
        "gap: qb gap": "skipped",
        "mended: qa mended": "system-out",
        "stale: qa stale": "error",
        "overall nDCG@10 >= 0.9": "failure",
        "overall RR@10 >= 0.1": "passed",
    }
    failure = next(root.iter("failure"))
    assert failure.attrib["message"] == "a.md not found (expected in the first 5)"
    assert (failure.text or "").splitlines()[0] == "queries.yaml:5: qb bad"
    assert "first hits: b.md" in (failure.text or "")


@pytest.mark.parametrize(
    ("rankings", "more", "outcome"),
    [
        ({"qa": ["a.md"]}, {}, Outcome.PASSED),
        ({}, {}, Outcome.FAILED),
        ({"qa": ["a.md"]}, {"freshness": "stale"}, Outcome.INCONCLUSIVE),
    ],
)
def test_red_exactly_where_the_exit_code_is_not_0(
    make_suite: Make, make_index: Make, rankings: Any, more: Any, outcome: Outcome
) -> None:
    """A dashboard that reads failures and errors comes to the verdict of the command."""
    suite = make_suite("id: a, query: qa, expect_paths: [a.md]")
    report = evaluate(suite, make_index(["a.md"], rankings, **more))
    root = _parsed(render_junit(report))
    assert report.outcome is outcome
    is_red = bool(int(root.attrib["failures"]) + int(root.attrib["errors"]))
    assert is_red == (report.exit_code != 0)


def test_an_outcome_without_a_case_of_its_own_is_red_too(
    make_suite: Make, make_index: Make
) -> None:
    """Should the gate ever know a reason that no query and no floor has, it is not lost."""
    suite = make_suite("id: a, query: qa, expect_paths: [a.md]")
    report = evaluate(suite, make_index(["a.md"], {"qa": ["a.md"]}))
    root = _parsed(render_junit(replace(report, outcome=Outcome.INCONCLUSIVE)))
    assert _kinds(root)["verdict"] == "error"


def test_no_text_breaks_the_xml(make_suite: Make, make_index: Make) -> None:
    """Markup is escaped; what XML cannot hold is a space."""
    suite = make_suite(r'id: "<a>&\u0001", query: "]]> \" \u0000 <x/>", expect_paths: [a.md]')
    report = evaluate(suite, make_index(["a.md", "<b>.md"], {}))
    text = render_junit(report)
    _parsed(text.encode("utf-8", "replace").decode())
    assert "<x/>" not in text
