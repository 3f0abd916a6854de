"""What a comparison with a baseline says, worked out by hand on rankings from a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from memidx.evals import (
    Baseline,
    Outcome,
    Report,
    Unusable,
    evaluate,
    hold_against,
    read_baseline,
    write_baseline,
)
from memidx.evals.against import compare_runs

Make = Callable[..., Any]
Rankings = Mapping[str, Sequence[str]]
DOCUMENTS = tuple(f"{name}.md" for name in "abcdefghijklmnopqrstuvwxyz")
A = "id: a, query: qa, k: 2, expect_paths: [a.md]"
B = "id: b, query: qb, k: 2, severity: should, expect_paths: [b.md]"


@pytest.fixture
def bless(tmp_path: Path, make_suite: Make, make_index: Make) -> Callable[..., Baseline]:
    """A baseline from rankings, written and read again."""

    def make(entries: Sequence[str], rankings: Rankings) -> Baseline:
        report = evaluate(make_suite(*entries), make_index(DOCUMENTS, rankings))
        path = str(tmp_path / "baseline.json")
        write_baseline(report, path)
        baseline = read_baseline(path)
        assert isinstance(baseline, Baseline)
        return baseline

    return make


@pytest.fixture
def rerun(make_suite: Make, make_index: Make) -> Callable[..., Report]:
    """A run of the same queries with other rankings."""

    def make(
        entries: Sequence[str],
        rankings: Rankings,
        documents: Sequence[str] = DOCUMENTS,
        **more: Any,
    ) -> Report:
        return evaluate(make_suite(*entries), make_index(documents, rankings, **more))

    return make


def test_a_baseline_holds_what_the_run_said(bless: Make, rerun: Make) -> None:
    """Written and read again, it compares as equal with the run it came from."""
    rankings = {"qa": ["x.md", "a.md"], "qb": ["b.md"]}
    baseline = bless([A, B], rankings)
    assert (baseline.suite, list(baseline.queries)) == ("queries.yaml", ["a", "b"])
    query = baseline.queries["a"]
    assert (query.severity, query.status, query.ranks) == ("must", "passed", (2,))
    assert query.hits == ("x.md", "a.md")
    # 1 / log2(3) = 0.6309297…
    assert (query.measures["RR@10"], query.measures["nDCG@10"]) == (0.5, 0.63093)
    comparison = compare_runs(rerun([A, B], rankings), baseline)
    assert (comparison.n_compared, comparison.moves, comparison.differs) == (2, (), ())
    assert all(tally.before == tally.after for tally in comparison.tallies)


def test_a_must_that_fell_out_is_regressed_and_a_should_is_lost(bless: Make, rerun: Make) -> None:
    """Only the must makes the outcome; both are moves, the regression first."""
    baseline = bless([B, A], {"qa": ["a.md"], "qb": ["b.md"]})
    rankings = {"qa": ["x.md", "y.md", "a.md"], "qb": ["x.md", "y.md", "b.md"]}
    report = hold_against(rerun([B, A], rankings), baseline)
    assert report.outcome is Outcome.REGRESSED
    assert report.verdict == "REGRESSED (exit 1): 0 of 1 must queries, 1 regressed (a)"
    assert report.comparison is not None
    assert [(m.query_id, m.change) for m in report.comparison.moves] == [
        ("a", "regressed"),
        ("b", "lost"),
    ]
    lost_should = hold_against(rerun([B, A], {**rankings, "qa": ["a.md"]}), baseline)
    assert lost_should.outcome is Outcome.PASSED


def test_a_must_that_failed_already_is_no_regression(
    make_suite: Make, bless: Make, rerun: Make
) -> None:
    """It was a should when the baseline was blessed, and failed; now it is a must that fails."""
    baseline = bless([A, B], {"qa": ["a.md"]})
    report = hold_against(
        rerun([A, B.replace("severity: should, ", "")], {"qa": ["a.md"]}), baseline
    )
    assert report.outcome is Outcome.FAILED
    assert report.comparison is not None
    assert report.comparison.moves == ()


def test_ranks_that_move_are_told_apart(bless: Make, rerun: Make) -> None:
    """Lower, higher, both at once, and a query that passes now; k is 2."""
    two = "id: two, query: q2, k: 4, severity: should, expect_paths: [c.md, d.md]"
    up = "id: up, query: qu, k: 2, severity: should, expect_paths: [e.md]"
    won = "id: won, query: qw, k: 2, severity: should, expect_paths: [f.md]"
    before = {
        "qa": ["a.md", "x.md"],
        "q2": ["c.md", "x.md", "d.md"],
        "qu": ["x.md", "e.md"],
        "qw": ["x.md", "y.md", "f.md"],
    }
    after = {
        "qa": ["z.md", "a.md"],
        "q2": ["x.md", "d.md", "c.md"],
        "qu": ["e.md"],
        "qw": ["f.md"],
    }
    baseline = bless([won, up, two, A], before)
    comparison = compare_runs(rerun([won, up, two, A], after), baseline)
    assert [(move.query_id, move.change) for move in comparison.moves] == [
        ("a", "worse"),
        ("two", "mixed"),
        ("up", "better"),
        ("won", "won"),
    ]
    worse, mixed, better, _ = comparison.moves
    assert worse.now_above == ("z.md",)
    assert [tuple(rank) for rank in mixed.ranks] == [("c.md", 1, 3), ("d.md", 3, 2)]
    # x.md stood below c.md and is above it now; d.md is expected itself.
    assert mixed.now_above == ("x.md",)
    assert better.now_above == ()
    assert comparison.counts == {"worse": 1, "mixed": 1, "better": 1, "won": 1}


def test_what_nobody_sees_is_no_move(bless: Make, rerun: Make) -> None:
    """Ranks 11 and 12 are below the tenth place and below k: a grown corpus moves them."""
    filler = [f"{name}.md" for name in "ghijklmnopq"]
    query = "id: b, query: qb, k: 2, severity: should, expect_paths: [b.md]"
    baseline = bless([A, query], {"qa": ["a.md"], "qb": [*filler[:10], "b.md"]})
    comparison = compare_runs(
        rerun([A, query], {"qa": ["a.md"], "qb": [*filler, "b.md"]}), baseline
    )
    assert comparison.moves == ()
    # From the tenth place to the twelfth is seen, and so is out of the ranking altogether.
    baseline = bless([A, query], {"qa": ["a.md"], "qb": [*filler[:9], "b.md"]})
    for now in ([*filler, "b.md"], filler):
        (move,) = compare_runs(rerun([A, query], {"qa": ["a.md"], "qb": now}), baseline).moves
        assert move.change == "worse"


def test_wins_ties_and_losses_are_over_what_both_measured(bless: Make, rerun: Make) -> None:
    """RR of a: 1 -> 1/2, of b: 1/2 -> 1, of c: 1 -> 1; the inconclusive one counts nowhere."""
    c = "id: c, query: qc, category: question, expect_paths: [c.md]"
    gone = "id: gone, query: qg, severity: should, expect_paths: [g.md]"
    b = B.replace("k: 2", "k: 3")
    before = {"qa": ["a.md"], "qb": ["x.md", "b.md"], "qc": ["c.md"], "qg": ["g.md"]}
    after = {"qa": ["x.md", "a.md"], "qb": ["b.md"], "qc": ["c.md"]}
    baseline = bless([A, b, c, gone], before)
    without_g = [name for name in DOCUMENTS if name != "g.md"]
    report = rerun([A, b, c, gone], after, documents=without_g)
    comparison = compare_runs(report, baseline)
    assert comparison.n_compared == 3
    tallies = {(t.scope, t.measure): t for t in comparison.tallies}
    overall = tallies["overall", "RR@10"]
    assert (overall.n, overall.wins, overall.ties, overall.losses) == (3, 1, 1, 1)
    assert overall.before == pytest.approx((1 + 1 / 2 + 1) / 3)
    assert overall.after == overall.before
    assert overall.p == 1.0
    question = tallies["question", "RR@10"]
    assert (question.n, question.ties, question.p) == (1, 1, None)


def test_facts_that_differ_are_named(bless: Make, rerun: Make) -> None:
    """Analyzer, corpus and configuration are compared by what the runs recorded."""
    rankings = {"qa": ["a.md"]}
    baseline = bless([A], rankings)
    changed = rerun(
        [A],
        rankings,
        build_id="build-2",
        fingerprint="analyzer-2",
        configuration={"search": {"strategy": "lexical", "k1": 1.2}, "sources": {}},
    )
    facts = [difference.fact for difference in compare_runs(changed, baseline).differs]
    assert facts == ["corpus_fingerprint", "configuration_hash", "analyzer_fingerprint"]


def test_a_question_is_its_words_and_labels(make_suite: Make) -> None:
    """What does not change what is asked leaves it the same; everything else makes it another."""

    def question(entry: str) -> str:
        digest: str = make_suite(entry).queries[0].question
        return digest

    first = question("id: a, query: q, expect_paths: [{path: a.md, grade: 2}]")
    assert first == question(
        "id: b, query: q, category: question, severity: should, why: w,"
        " expect_paths: [{any_of: [a.md], grade: 2}]"
    )
    others = [
        "id: a, query: q2, expect_paths: [{path: a.md, grade: 2}]",
        "id: a, query: q, k: 3, expect_paths: [{path: a.md, grade: 2}]",
        "id: a, query: q, expect_paths: [{path: a.md, grade: 1}]",
        "id: a, query: q, expect_paths: [{path: b.md, grade: 2}]",
        "id: a, query: q, expect_paths: [{path: a.md, grade: 2}], must_not: [b.md]",
        "id: a, query: q, expect_paths: [{path: a.md, grade: 2}], top1: a.md",
        "id: a, query: q, top1: a.md",
        "id: a, query: q, expect_sources: [a.md]",
        "id: a, query: q, expect_empty: true",
    ]
    assert len({first, *map(question, others)}) == 1 + len(others)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "not JSON"),
        (b"\xff", "not JSON"),
        (b"[]", "--bless did not write it"),
        (b'{"artifact_type": "memidx-report"}', "--bless did not write it"),
        (b'{"artifact_type": "memidx-baseline", "schema": "memidx.baseline/2"}', "not comparable"),
        (
            b'{"artifact_type": "memidx-baseline", "schema": "memidx.baseline/1"}',
            "changed after --bless",
        ),
    ],
)
def test_what_is_no_baseline_is_named(tmp_path: Path, content: bytes, reason: str) -> None:
    """Whatever a file holds, reading it gives a reason and never a stack of calls."""
    path = tmp_path / "b.json"
    path.write_bytes(content)
    found = read_baseline(str(path))
    assert isinstance(found, Unusable)
    assert reason in found.reason


def test_every_edit_of_a_baseline_is_found(tmp_path: Path, bless: Make) -> None:
    """A digit changed anywhere in the file leaves it unblessed; its layout alone does not."""
    path = Path(bless([A, B], {"qa": ["a.md"], "qb": ["b.md"]}).path)
    whole = path.read_text(encoding="utf-8")
    for position, character in enumerate(whole):
        if character.isdigit():
            other = str((int(character) + 1) % 10)
            path.write_text(whole[:position] + other + whole[position + 1 :], encoding="utf-8")
            assert isinstance(read_baseline(str(path)), Unusable), position
    path.write_bytes(whole.replace("\n", "\r\n").encode())
    assert isinstance(read_baseline(str(path)), Baseline)
