"""Ten questions to a memory of eight roles, in the manner of the published case."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

import memidx
from tests.git_support import ENV
from tests.roles.conftest import Run
from tests.roles.world import AS_OF, SOURCES, World, configure, make_world, suite_text

# Worked out from the texts: what nobody else says is lost with its source, and what is said in
# several places is not whole any more.
LOST_WITHOUT = {
    "decisions": {"decision-first", "strategy", "superseded"},
    "learnings": {"spread"},
    "api": {"operation"},
    "tools": {"function"},
    "docs": {"spread"},
    "verification": {"no-accident"},
    "tasks": {"task"},
    "commits": {"spread", "this-week"},
}
# One source more at a time, in order of weight: which questions are answered from then on.
ANSWERED_FROM = {
    "decisions": {"decision-first", "strategy", "superseded", "nothing"},
    "learnings": set(),
    "api": {"operation"},
    "tools": {"function"},
    "docs": set(),
    "verification": {"no-accident"},
    "tasks": {"task"},
    "commits": {"spread", "this-week"},
}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """The repository, not indexed yet."""
    return make_world(tmp_path_factory.mktemp("roles") / "quay")


Passed = Callable[[Iterable[str]], dict[str, Any]]


@pytest.fixture
def judge(world: World, run: Run, tmp_path: Path) -> Passed:
    """Index only these sources, run the suite with `memidx eval`, and give its report."""

    def with_sources(names: Iterable[str]) -> dict[str, Any]:
        names = list(names)
        configure(world.root, names)
        store = world.root / f"store-{len(names)}-{names[-1]}"
        suite = world.root / "suite.yaml"
        suite.write_text(suite_text(world.questions), encoding="utf-8")
        built = run("build", "--root", world.root, "--store", store)
        assert built.exit_code == 0, built.output
        judged = run("eval", suite, "--store", store, "--report-dir", tmp_path, "--format", "json")
        report: dict[str, Any] = json.loads(judged.stdout)
        report["exit_code"] = judged.exit_code
        report["store"] = store
        return report

    return with_sources


def passed(report: Mapping[str, Any]) -> set[str]:
    """The questions that passed."""
    return {query["query_id"] for query in report["queries"] if query["status"] == "passed"}


def matched(store: Path, questions: Iterable[str]) -> dict[str, set[str]]:
    """Every document that each question matches."""
    with memidx.open(str(store), env=ENV) as index:
        answers = {text: index.search(text, k=1000, as_of=AS_OF) for text in questions}
    assert all(len(answer.hits) == answer.n_matched for answer in answers.values())
    return {text: {hit.doc_id for hit in answer.hits} for text, answer in answers.items()}


def test_every_question_is_answered(world: World, judge: Passed) -> None:
    """`memidx eval` passes all ten; every role holds what was written."""
    report = judge(SOURCES)
    assert passed(report) == {question.query_id for question in world.questions}, report["queries"]
    assert (report["exit_code"], report["outcome"]) == (0, "passed")
    with memidx.open(str(report["store"]), env=ENV) as index:
        answer = index.search("booking berth tide outbox", k=200)
        assert index.status()["n_by_source"] == world.n_documents
        assert answer.sources_failed == answer.skipped == ()


def test_a_reversed_decision_is_flagged_and_left_out_on_request(
    world: World, judge: Passed, run: Run
) -> None:
    """The reversal is not flagged; with --exclude-invalidated it alone is left, and first."""
    store = judge(SOURCES)["store"]
    old, new = "decisions/0003-outbox-in-redis.md", "decisions/0011-outbox-in-sqlite.md"
    query = ("query", "where does the offline outbox live", "--store", store, "--format", "json")
    hits = {hit["doc_id"]: hit["flags"] for hit in json.loads(run(*query).stdout)["hits"]}
    assert (hits[old], hits[new]) == (["superseded"], [])
    left = run(*query, "--exclude-invalidated")
    assert left.exit_code == 0
    hits = {hit["doc_id"]: hit["rank"] for hit in json.loads(left.stdout)["hits"]}
    assert old not in hits
    assert hits[new] == 1


def test_a_change_of_this_week_is_before_the_same_words_of_may(
    world: World, judge: Passed, run: Run
) -> None:
    """Age reorders and deletes nothing; by date alone the older one can be filtered out."""
    store = judge(SOURCES)["store"]
    query = ("query", "pontoon sensor firmware", "--store", store, "--as-of", AS_OF)
    query += ("--source", "commits", "--format", "json")
    hits = [hit["doc_id"] for hit in json.loads(run(*query).stdout)["hits"]]
    assert tuple(hits[:2]) == world.this_week
    hits = [h["doc_id"] for h in json.loads(run(*query, "--since", "7d").stdout)["hits"]]
    assert hits == [world.this_week[0]]


def test_what_is_lost_without_a_source(world: World, judge: Passed) -> None:
    """Each source is left out in turn: what nobody else says is lost, and nothing more."""
    assert LOST_WITHOUT == {
        name: {q.query_id for q in world.questions if name in q.needs} for name in SOURCES
    }
    every = {question.query_id for question in world.questions}
    table = {}
    for name in SOURCES:
        report = judge(other for other in SOURCES if other != name)
        table[name] = every - passed(report)
        # A question about a source that is not there is no regression, and no pass.
        assert report["exit_code"] != 0
    assert table == LOST_WITHOUT


def test_what_each_further_source_brings(world: World, judge: Passed) -> None:
    """From one source to eight: no question is lost again, no document that matched goes away."""
    texts = [question.query for question in world.questions]
    names: list[str] = []
    answered: set[str] = set()
    before: dict[str, set[str]] = {text: set() for text in texts}
    rows = []
    for name in SOURCES:
        report = judge([*names, name])
        names.append(name)
        assert passed(report) - answered == ANSWERED_FROM[name]
        assert passed(report) >= answered
        answered = passed(report)
        after = matched(report["store"], texts)
        for text in texts:
            # Another document cannot make one match less; all that is new is of the new source.
            assert after[text] >= before[text]
        before = after
        rows.append((name, len(answered), sum(map(len, after.values()))))
    assert [n for _, n, _ in rows] == [4, 4, 5, 6, 6, 7, 8, 10]
    assert [m for *_, m in rows] == sorted(m for *_, m in rows)
