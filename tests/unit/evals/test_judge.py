"""The pass rule, and which relevant item a hit takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memidx.evals.judge import judge, relevant_items
from memidx.evals.patterns import Resolver

DOC_IDS = ["a.md", "b.md", "c/1.md", "c/2.md", "d.md", "[x].md", "x.md"]
Judge = Callable[[str, list[str]], tuple[str, ...]]


@pytest.fixture
def failures(
    make_suite: Callable[..., Any], make_index: Callable[..., Any], make_row: Callable[..., Any]
) -> Judge:
    """Why a query with these labels fails on this ranking."""

    def run(labels: str, ranking: list[str]) -> tuple[str, ...]:
        query = make_suite(f"id: q, query: x, {labels}").queries[0]
        rows = [*map(make_row, DOC_IDS), make_row("n.md", "notes")]
        places = make_index(rows, {"x": ranking}).rank(["x"], 10)[0]
        return judge(query, places, Resolver(rows)).failures

    return run


@pytest.mark.parametrize(
    ("labels", "ranking"),
    [
        ("k: 2, expect_paths: [b.md]", ["a.md", "b.md"]),
        ("k: 2, expect_paths: [a.md, b.md]", ["b.md", "a.md"]),
        ("expect_paths: [{any_of: [d.md, b.md]}]", ["b.md"]),
        ('expect_paths: ["c/*.md"]', ["c/2.md"]),
        ('expect_paths: ["[x].md"]', ["[x].md"]),
        ("expect_sources: [notes, docs]", ["n.md", "a.md"]),
        ("k: 1, must_not: [b.md]", ["a.md", "b.md"]),
        ("must_not: [b.md]", []),
        ("top1: a.md", ["a.md", "b.md"]),
        ('top1: "c/*"', ["c/1.md"]),
        ("expect_empty: true", []),
        ("expect_empty: true", ["a.md~weak", "b.md~weak"]),
    ],
)
def test_passes(failures: Judge, labels: str, ranking: list[str]) -> None:
    """What the labels ask for is there."""
    assert failures(labels, ranking) == ()


@pytest.mark.parametrize(
    ("labels", "ranking", "why"),
    [
        (
            "k: 1, expect_paths: [b.md]",
            ["a.md", "b.md"],
            "b.md at rank 2 (expected in the first 1)",
        ),
        ("expect_paths: [b.md]", ["a.md"], "b.md not found (expected in the first 5)"),
        ("expect_paths: [a.md, b.md]", ["a.md"], "b.md not found (expected in the first 5)"),
        (
            "expect_paths: [{any_of: [d.md, b.md]}]",
            ["a.md"],
            "d.md | b.md not found (expected in the first 5)",
        ),
        ('expect_paths: ["[x].md"]', ["x.md"], "[x].md not found (expected in the first 5)"),
        (
            "k: 1, expect_sources: [notes]",
            ["a.md", "n.md"],
            "no hit of source notes in the first 1",
        ),
        ("must_not: [b.md]", ["a.md", "b.md"], "b.md at rank 2 (must not be in the first 5)"),
        ('must_not: ["c/**"]', ["c/2.md"], "c/2.md at rank 1 (must not be in the first 5)"),
        ("top1: b.md", ["a.md", "b.md"], "a.md is first (expected b.md)"),
        ("top1: b.md", [], "nothing is first (expected b.md)"),
        (
            "expect_empty: true",
            ["a.md~weak", "b.md~candidate"],
            "b.md is candidate (expected nothing above weak)",
        ),
        ("expect_empty: true", ["a.md"], "a.md is reliable (expected nothing above weak)"),
    ],
)
def test_fails_with_the_reason(failures: Judge, labels: str, ranking: list[str], why: str) -> None:
    """What is missing or must not be there is named with its rank."""
    assert failures(labels, ranking) == (why,)


def test_every_failure_is_named(failures: Judge) -> None:
    """A query that breaks several rules says so for each."""
    assert len(failures("expect_paths: [d.md], must_not: [a.md], top1: b.md", ["a.md"])) == 3


@pytest.fixture
def items(make_suite: Callable[..., Any], make_row: Callable[..., Any]) -> Callable[..., Any]:
    """Grades, and the ranking in names of items."""

    def run(labels: str, ranking: list[str]) -> tuple[dict[str, int], list[str]]:
        query = make_suite(f"id: q, query: x, {labels}").queries[0]
        return relevant_items(query, ranking, Resolver(map(make_row, DOC_IDS)))

    return run


def test_the_first_hit_takes_the_grade_and_further_hits_none(items: Callable[..., Any]) -> None:
    """Two files that fit one glob are one relevant item and one judged, irrelevant hit."""
    grades, ranking = items('expect_paths: [{path: "c/*", grade: 3}]', ["c/2.md", "a.md", "c/1.md"])
    assert grades == {"expectation 0": 3, "document c/1.md": 0}
    assert ranking == ["expectation 0", "document a.md", "document c/1.md"]


def test_an_item_that_is_not_found_stays_relevant(items: Callable[..., Any]) -> None:
    """The ideal ranking still holds what the run missed."""
    grades, ranking = items("expect_paths: [a.md, {path: b.md, grade: 2}]", ["a.md"])
    assert grades == {"expectation 0": 1, "expectation 1": 2}
    assert ranking == ["expectation 0"]


def test_a_document_takes_the_narrowest_item_that_fits(items: Callable[..., Any]) -> None:
    """`c/1.md` takes its own expectation and leaves the glob to `c/2.md`."""
    labels = 'expect_paths: [{path: "c/*", grade: 3}, c/1.md]'
    assert items(labels, ["c/1.md", "c/2.md"])[1] == ["expectation 1", "expectation 0"]
    assert items(labels, ["c/2.md", "c/1.md"])[1] == ["expectation 0", "expectation 1"]


def test_what_must_not_come_is_judged_not_relevant(items: Callable[..., Any]) -> None:
    """A banned hit counts as judged, an unlabelled one does not."""
    grades, _ = items("expect_paths: [a.md], must_not: [b.md]", ["b.md", "d.md"])
    assert grades == {"expectation 0": 1, "document b.md": 0}
