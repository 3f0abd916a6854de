"""The report of a pull request: order, bound, and what a reader sees."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from memidx.evals import (
    evaluate,
    find_baseline,
    hold_against,
    measure_beside,
    render_markdown,
    write_baseline,
)
from memidx.evals.markdown import MAX_BYTES

Make = Callable[..., Any]


def _heads(text: str) -> list[str]:
    return re.findall(r"^## (.*)", text, re.MULTILINE)


def test_verdict_failures_and_moves_come_first(
    tmp_path: Path, make_suite: Make, make_index: Make
) -> None:
    """A reader of the first lines knows the outcome, what failed, what moved, and why."""
    suite = make_suite(
        "id: a, query: qa, k: 1, expect_paths: [a.md]",
        "id: b, query: qb, k: 3, expect_paths: [b.md]",
        head="floors: {overall: {RR: 0.1}}",
    )
    documents = ["a.md", "b.md", "c.md"]
    path = str(tmp_path / "baseline.json")
    write_baseline(evaluate(suite, make_index(documents, {"qa": ["a.md"], "qb": ["b.md"]})), path)
    index = make_index(
        [*documents, "d.md"], {"qa": ["c.md", "a.md"], "qb": ["d.md", "b.md"]}, build_id="build-2"
    )
    report = evaluate(suite, index)
    report = hold_against(report, find_baseline("queries.yaml", path))
    text = render_markdown(report)
    assert _heads(text) == [
        "Not passed",
        "Moved",
        "By category",
        "Against the baseline",
        "Categories against the baseline",
        "Floors",
        "Run",
        "Queries",
    ]
    lines = text.splitlines()
    assert lines[:4] == [
        "<!-- artifact_type: memidx-report -->",
        "# Evaluation of queries.yaml",
        "",
        "**REGRESSED (exit 1): 1 of 2 must queries, 1 regressed (a)**",
    ]
    assert lines[6] == "- The corpus changed: 3 → 4 documents."
    assert (
        "| a: qa | must | failed | a.md at rank 2 (expected in the first 1) | 1 → 2 | c.md |"
        in lines
    )
    assert "| b: qb | must | ranks lower | 1 → 2 | d.md |" in lines
    # RR: 1 -> 1/2 for both; of the four ways to sign two equal losses, two are as extreme.
    # Both fell by the same, so every drawn mean is that.
    row = "| RR@10 | 1.0000 | 0.5000 | -0.5000 | 0 / 0 / 2 | -0.5000 … -0.5000 | 0.500 |"
    assert row in lines


def test_a_huge_report_is_bounded_and_says_so(make_suite: Make, make_index: Make) -> None:
    """3,000 failing queries with long names fit a comment; what is left out is counted."""
    entries = [
        f"id: {'<&|' * 40}{i}, query: {'né ' * 300}{i}, expect_paths: ['{'p' * 300}.md']"
        for i in range(3000)
    ]
    suite = make_suite(
        *(
            entry.replace("id: ", "id: '")
            .replace(", query: ", "', query: '")
            .replace(", expect", "', expect")
            for entry in entries
        )
    )
    index = make_index(["a.md"], {})
    report = evaluate(suite, index)
    text = render_markdown(report)
    assert len(text.encode()) <= MAX_BYTES
    said = re.findall(r"_([\d,]+) (?:rows|lines) left out here; report.json has all 3,000._", text)
    # Not passed, the lints (every label dangles), and the queries.
    assert len(said) == 3
    shown = text.split("## Not passed")[1].split("## ")[0].count("\n| ") - 2
    assert int(said[0].replace(",", "")) + shown == 3000
    assert _heads(text)[-1] == "Queries"
    assert text.splitlines()[3].startswith("**INCONCLUSIVE (exit 3)")


def test_every_row_has_as_many_cells_as_its_head(make_suite: Make, make_index: Make) -> None:
    """No name breaks a table: bars are escaped, lines joined."""
    suite = make_suite(
        r'id: "a|b\nc", query: "`x` | y", expect_paths: ["p|q.md"]',
        "id: n, query: qn, expect_empty: true",
    )
    index = make_index(["p|q.md", "a.md"], {"`x` | y": ["a.md", "p|q.md"], "qn": ["a.md"]})
    report = evaluate(suite, index)
    text = render_markdown(replace(report, beside=measure_beside(suite, index, report)))
    columns = 0
    for line in text.splitlines():
        if not line.startswith("|"):
            columns = 0
            continue
        n = len(re.findall(r"(?<!\\)\|", line))
        assert columns in (0, n), line
        columns = n


def test_a_report_without_a_baseline_shows_its_means(make_suite: Make, make_index: Make) -> None:
    """Measures stand alone, and no column speaks of a baseline."""
    suite = make_suite("id: a, query: qa, expect_paths: [a.md]")
    text = render_markdown(evaluate(suite, make_index(["a.md"], {"qa": ["a.md"]})))
    assert "| AP | 1.0000 |" in text
    assert "baseline" not in text
