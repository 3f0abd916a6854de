"""Lints: each with its file and line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memidx.evals import Outcome, lint_outcome, lint_suite, on_disk
from memidx.evals.lint import LintFinding

Lint = Callable[..., list[LintFinding]]


@pytest.fixture
def lint(make_suite: Callable[..., Any], make_row: Callable[..., Any]) -> Lint:
    """Findings of a suite of these queries; the first stands on line 3."""
    rows = [
        make_row("docs/a.md", title="Lock timeout in the store"),
        make_row("docs/b.md", title="Sharding"),
        make_row("docs/zh.md", title="部署方案说明"),
        make_row("notes/n.md", "notes", title="Kick-off"),
    ]

    def run(*entries: str, head: str = "", **options: Any) -> list[LintFinding]:
        return lint_suite(make_suite(*entries, head=head), rows, **options)

    return run


GOOD = "id: g, query: some words, expect_paths: [docs/a.md]"


def _brief(findings: list[LintFinding]) -> list[tuple[str, str, int, str]]:
    assert {finding.file for finding in findings} <= {"queries.yaml"}
    return [(f.rule, f.severity, f.line, f.query_id) for f in findings]


def test_a_good_suite_has_no_findings(lint: Lint) -> None:
    """Nothing is found where nothing is wrong."""
    findings = lint(GOOD, "id: n, query: scuba, expect_empty: true")
    assert findings == []
    assert lint_outcome(findings) is Outcome.PASSED


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("id: g, query: other, top1: docs/a.md", ("duplicate-id", "error", 4, "g")),
        ("id: h, query: Some  WORDS, top1: docs/a.md", ("duplicate-query", "error", 4, "h")),
        ("id: h, query: x, expect_paths: [old.md]", ("dangling", "error", 4, "h")),
        ("id: h, query: x, top1: old.md", ("dangling", "error", 4, "h")),
        ('id: h, query: x, expect_paths: ["old/**"]', ("dangling", "error", 4, "h")),
        ("id: h, query: x, expect_paths: [{any_of: [o.md, p.md]}]", ("dangling", "error", 4, "h")),
        (
            "id: h, query: x, expect_paths: [{any_of: [docs/a.md, p.md]}]",
            ("dangling", "warning", 4, "h"),
        ),
        ("id: h, query: x, expect_sources: [decisions]", ("dangling", "error", 4, "h")),
        ("id: h, query: x, must_not: [old.md]", ("dangling", "warning", 4, "h")),
        (
            "id: h, query: x, k: 1, expect_paths: [docs/a.md, docs/b.md]",
            ("unwinnable", "error", 4, "h"),
        ),
        (
            "id: h, query: x, expect_paths: [{path: docs/a.md, grade: 0}]",
            ("grade-range", "error", 4, "h"),
        ),
        (
            "id: h, query: x, expect_paths: [{path: docs/a.md, grade: 4}]",
            ("grade-range", "error", 4, "h"),
        ),
        (
            "id: h, query: x, category: no-answer, must_not: [docs/a.md]",
            ("category-mismatch", "error", 4, "h"),
        ),
        (
            "id: h, query: x, category: keyword, expect_empty: true",
            ("category-mismatch", "error", 4, "h"),
        ),
        (
            "id: h, query: x, category: multi-source, expect_paths: [docs/a.md, docs/b.md]",
            ("category-mismatch", "error", 4, "h"),
        ),
        (
            "id: h, query: x, expect_empty: true, top1: docs/a.md",
            ("contradiction", "error", 4, "h"),
        ),
        (
            'id: h, query: x, expect_paths: [docs/a.md], must_not: ["docs/**"]',
            ("contradiction", "error", 4, "h"),
        ),
        (
            'id: h, query: x, expect_paths: [docs/a.md, "**/a.md"]',
            ("overlap", "warning", 4, "h"),
        ),
        (
            'id: h, query: "why Lock-Timeout, in the store?", top1: docs/a.md',
            ("title-leak", "warning", 4, "h"),
        ),
        ("id: h, query: sharding, top1: docs/b.md", ("title-leak", "warning", 4, "h")),
        ("id: h, query: 查看部署方案说明吗, top1: docs/zh.md", ("title-leak", "warning", 4, "h")),
        (
            "id: h, query: x, top1: docs/a.md, provenance: retriever",
            ("self-provenance", "error", 4, "h"),
        ),
        (
            "id: h, query: x, top1: docs/a.md, provenance: top 3 of memidx query",
            ("self-provenance", "error", 4, "h"),
        ),
        ("id: h, query: x, top1: docs/a.md, provenance: log", ("self-provenance", "error", 4, "h")),
        (
            "id: h, query: x, top1: docs/a.md, provenance: Title",
            ("self-provenance", "error", 4, "h"),
        ),
    ],
)
def test_each_rule_names_its_line(
    lint: Lint, entry: str, expected: tuple[str, str, int, str]
) -> None:
    """A query that breaks one rule gives that finding and no other."""
    assert _brief(lint(GOOD, entry)) == [expected]


@pytest.mark.parametrize(
    "entry",
    [
        "id: h, query: sharding by hash, top1: docs/b.md",
        "id: h, query: lock timeout, top1: docs/a.md",
        "id: h, query: x, category: multi-source, expect_paths: [docs/a.md, notes/n.md]",
        "id: h, query: x, category: multi-source, expect_sources: [docs, notes]",
        "id: h, query: some -words, top1: docs/a.md",
        "id: h, query: x, top1: docs/a.md, provenance: written by Ana after incident 12",
        "id: h, query: x, top1: docs/a.md, provenance: changelog",
        "id: h, query: x, top1: docs/a.md, provenance: 'confirmed by Ana, from the log'",
        "id: h, query: x, expect_paths: [{path: docs/a.md, grade: 3}]",
    ],
)
def test_what_is_fine_is_left_alone(lint: Lint, entry: str) -> None:
    """Rules do not fire on their neighbours."""
    assert lint(GOOD, entry) == []


def test_the_line_is_the_entrys_own(make_row: Callable[..., Any]) -> None:
    """In block style each expectation is named by its own line."""
    from memidx.evals import parse_suite

    text = (
        "version: 1\nqueries:\n- id: a\n  query: x\n  expect_paths:\n  - docs/a.md\n  - gone.md\n"
    )
    found = lint_suite(parse_suite(text, "q.yaml"), [make_row("docs/a.md")])
    assert [(f.file, f.line, f.rule) for f in found] == [("q.yaml", 7, "dangling")]


def test_a_floor_over_nothing_is_an_error(lint: Lint) -> None:
    """A floor whose category has no measured query can neither hold nor be missed."""
    findings = lint(GOOD, head="floors: {question: {AP: 0.5}, keyword: {AP: 0.5}}")
    assert _brief(findings) == [("floor-without-queries", "error", 2, "")]


def test_a_file_that_is_there_but_not_indexed_is_unwinnable(lint: Lint, tmp_path: Path) -> None:
    """The message tells a skipped file from a missing one."""
    (tmp_path / "raw" / "deep").mkdir(parents=True)
    (tmp_path / "raw" / "deep" / "x.bin").write_bytes(b"")
    entries = (
        "id: h, query: x, top1: raw/deep/x.bin",
        'id: i, query: y, top1: "raw/**/*.bin"',
        "id: j, query: z, top1: raw/deep/y.bin",
        "id: k, query: w, top1: ../raw/deep/x.bin",
    )
    findings = lint(*entries, on_disk=on_disk(str(tmp_path)))
    assert [(f.query_id, f.rule) for f in findings] == [
        ("h", "unwinnable"),
        ("i", "unwinnable"),
        ("j", "dangling"),
        ("k", "dangling"),
    ]


def test_errors_make_the_suite_invalid_and_warnings_do_not(lint: Lint) -> None:
    """`--lint` exits 2 on an error only."""
    warning = lint("id: h, query: sharding, top1: docs/b.md")
    assert [f.severity for f in warning] == ["warning"]
    assert lint_outcome(warning).exit_code == 0
    assert lint_outcome(lint("id: h, query: x, top1: old.md")).exit_code == 2
