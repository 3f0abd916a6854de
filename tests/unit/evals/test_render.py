"""Reports as text."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from memidx.evals import evaluate, lint_suite, render_lints, render_markdown, render_table
from memidx.evals.report import Report

Make = Callable[..., Any]


@pytest.fixture
def report(make_suite: Make, make_index: Make) -> Report:
    """A run with something in every section."""
    suite = make_suite(
        "id: a, query: qa, expect_paths: [a.md]",
        "id: b, query: 'q|b <b>', expect_paths: [b.md], must_not: [gone.md]",
        "id: c, query: qc, category: question, expect_paths: [old.md]",
        "id: n, query: qn, expect_empty: true",
        "id: g, query: qg, severity: known_gap, why: later, expect_paths: [a.md]",
        "id: s, query: qs, severity: should, expect_sources: [docs]",
        head="floors: {keyword: {RR: 0.9}}",
    )
    rankings = {"qa": ["a.md"], "qg": ["a.md"], "qs": ["a.md"]}
    return evaluate(suite, make_index(["a.md", "b.md"], rankings))


def test_the_table_shows_categories_and_what_did_not_pass(report: Report) -> None:
    """Figures by category, then the floors, then each query that did not pass and why."""
    lines = render_table(report).splitlines()
    assert lines[0].split()[:5] == ["category", "n", "passed", "failed", "open"]
    table = lines[: lines.index("")]
    rows = {line.split()[0]: line.split() for line in table}
    # Keyword holds a, b, g and s; three of them have relevant items, two of those at rank 1.
    assert rows["keyword"][1:7] == ["4", "3", "1", "0", "0.6667", "0.6667"]
    assert rows["question"][1:6] == ["1", "0", "0", "1", "–"]
    assert rows["no-answer"][-1] == "0/1"
    assert rows["overall"][1:5] == ["6", "4", "1", "1"]
    text = "\n".join(lines)
    assert "b.md not found (expected in the first 5)" in text
    assert "queries.yaml:6: error: dangling: c: matches nothing: old.md" in text
    assert "Known gaps that passed\ng" in text
    assert "Without any hit, counted as 0: b." in text


def test_the_last_line_is_the_verdict(report: Report) -> None:
    """A reader and a pipe find the verdict at the end."""
    expected = "FAILED (exit 1): 2 of 4 must queries, 1 of 1 floors missed, 1 inconclusive"
    assert render_table(report).splitlines()[-1] == expected
    assert report.verdict == expected


@pytest.mark.parametrize("width", [60, 80, 100, 120])
def test_narrow_terminals_get_fewer_measures(report: Report, width: int) -> None:
    """Columns are left out, the least important first, rather than wrapped."""
    head = render_table(report, width).splitlines()[0]
    assert len(head) <= max(width, 80)
    assert "nDCG@10" in head


def test_markdown_begins_with_its_type_and_shows_markup_as_text(report: Report) -> None:
    """The first line says what the file is; a query cannot smuggle in markup or columns."""
    text = render_markdown(report)
    assert text.splitlines()[0] == "<!-- artifact_type: memidx-report -->"
    assert "<b>" not in text
    assert r"q\|b &lt;b&gt;" in text
    assert report.verdict in text
    # One row among those that did not pass, of 4 columns, and one among all, of 4 too.
    rows = [line for line in text.splitlines() if line.startswith("| b:")]
    assert [len(re.findall(r"(?<!\\)\|", row)) for row in rows] == [5, 5]


def test_terminal_controls_are_not_passed_on(make_suite: Make, make_index: Make) -> None:
    """An escape sequence in a path is shown as blanks."""
    suite = make_suite(r'id: a, query: qa, expect_paths: ["\e[2Jx\nPASSED (exit 0)"]')
    text = render_table(evaluate(suite, make_index(["a.md"], {})))
    assert "\x1b" not in text
    assert not any(line.startswith("PASSED") for line in text.splitlines())


def test_lints_are_lines_an_editor_jumps_to(make_suite: Make, make_row: Make) -> None:
    """One finding a line, `file:line: severity: rule`, and the verdict with its code."""
    suite = make_suite(
        "id: a, query: qa, expect_paths: [old.md]",
        "id: b, query: qb, expect_paths: [a.md], must_not: [gone.md]",
    )
    lines = render_lints(lint_suite(suite, [make_row("a.md")])).splitlines()
    assert lines == [
        "queries.yaml:3: error: dangling: a: matches nothing: old.md"
        " (renamed, removed or misspelt?)",
        "queries.yaml:4: warning: dangling: b: must_not matches nothing, so it cannot fail:"
        " gone.md",
        "INVALID (exit 2): 1 error, 1 warning",
    ]
    assert render_lints([]) == "PASSED (exit 0): 0 errors, 0 warnings\n"


def test_rendering_is_the_same_every_time(report: Report) -> None:
    """No clock, no machine in a report."""
    assert render_markdown(report) == render_markdown(report)
    assert render_table(report) == render_table(report)
