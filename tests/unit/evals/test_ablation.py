"""What a source is worth is what its absence does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import memidx
from memidx.errors import InputError
from memidx.evals import Suite, evaluate, parse_suite
from memidx.evals.ablation import AblationReport, ablate, grep_bytes
from memidx.evals.ablation_text import render_ablation, render_ablation_markdown
from memidx.evals.outcome import Outcome
from memidx.evals.subject import subject_of_suite
from memidx.index import Index
from tests.support import write_tree

_CONFIG = "".join(
    f'[[sources]]\nname = "{name}"\ninclude = ["{name}/**"]\n'
    for name in ("docs", "logs", "notes", "spam")
)
_FILES = {
    "memidx.toml": _CONFIG,
    "docs/lock.md": "# Lock\n\nA lock has a timeout.\n",
    "docs/shard.md": "# Shard\n\nA shard has a cap.\n",
    "logs/wren.md": "# Wren\n\nA wren was seen.\n",
    "notes/other.md": "# Other\n\nNothing anybody asks.\n",
    # Better than the right one for "timeout", and alone in the first place.
    "spam/spam.md": "# timeout timeout\n\ntimeout timeout timeout\n",
}
_SUITE = """version: 1
queries:
- {id: lock, query: lock, severity: must, k: 1, expect_paths: [docs/lock.md]}
- {id: time, query: timeout, severity: must, k: 1, expect_paths: [docs/lock.md]}
- {id: wren, query: wren, severity: must, k: 1, expect_paths: [logs/wren.md]}
- {id: none, query: scuba bassoon, category: no-answer, severity: must, expect_empty: true}
"""


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    """A project of four sources: two that help, one that does nothing, one that hurts."""
    root = tmp_path / "project"
    write_tree(root, _FILES)
    memidx.build((), root=str(root), env={})
    with memidx.open(None, root=str(root), env={}) as opened:
        yield opened


def _suite(more: str = "") -> Suite:
    return parse_suite(_SUITE + more, "queries.yaml")


def _ablate(index: Index, more: str = "", candidate: str | None = None) -> AblationReport:
    return ablate(subject_of_suite(_suite(more), index), candidate=candidate)


def _agree(report: AblationReport, outcome: Outcome, exit_code: int, said: str) -> None:
    """Outcome, exit code and the last line of every form are one thing."""
    assert (report.outcome, report.exit_code) == (outcome, exit_code)
    assert report.verdict.startswith(f"{outcome.name} (exit {exit_code}): ")
    assert said in report.verdict
    assert render_ablation(report).splitlines()[-1] == report.verdict
    assert f"{outcome.name} (exit {exit_code})" in render_ablation_markdown(report)
    whole = report.to_dict()
    assert (whole["outcome"], whole["exit_code"]) == (outcome.value, exit_code)


def test_each_source_is_left_out_alone_and_added(index: Index) -> None:
    """Four sources: all, four without, four alone, and four sums, the best first; and grep."""
    report = _ablate(index)
    assert [(row.name, row.n_docs) for row in report.rows] == [
        ("all sources", 5),
        ("without docs", 3),
        ("without logs", 4),
        ("without notes", 4),
        ("without spam", 4),
        ("docs alone", 2),
        ("logs alone", 1),
        ("notes alone", 1),
        ("spam alone", 1),
        ("+ docs", 2),
        ("+ logs", 3),
        ("+ notes", 4),
        ("+ spam", 5),
        ("grep", 5),
    ]
    passed = {row.name: sorted(row.passed) for row in report.rows}
    assert passed["all sources"] == passed["+ spam"] == ["lock", "none", "wren"]
    assert passed["without spam"] == passed["+ notes"] == ["lock", "none", "time", "wren"]
    assert passed["docs alone"] == ["lock", "none", "time"]
    assert passed["spam alone"] == ["none"]


def test_the_rule_is_helps_some_and_hurts_none(index: Index) -> None:
    """docs helps lock, logs helps wren, notes does nothing, and spam takes the place of time."""
    report = _ablate(index)
    found = {f.source: (f.helps, f.hurts, f.decision) for f in report.findings}
    assert found == {
        "docs": (("lock",), (), "accept"),
        "logs": (("wren",), (), "accept"),
        "notes": ((), (), "no difference"),
        "spam": ((), ("time",), "reject"),
    }
    _agree(report, Outcome.PASSED, 0, "2 of 4 sources help some queries and hurt none; spam hurt")


def test_better_and_worse_are_counted_by_the_measure(index: Index) -> None:
    """With spam the one right document of time is second: 1 / log2(3) instead of 1."""
    report = _ablate(index)
    (spam,) = [f for f in report.findings if f.source == "spam"]
    assert (spam.n_better, spam.n_worse) == (0, 1)
    values = {row.name: row.values["time"]["nDCG@10"] for row in report.rows}
    assert values["without spam"] == 1.0
    assert values["all sources"] == pytest.approx(0.6309297535)


@pytest.mark.parametrize(
    ("candidate", "outcome", "exit_code", "said"),
    [
        ("docs", Outcome.PASSED, 0, "docs helps 1 query and hurts none: accepted"),
        ("notes", Outcome.FAILED, 1, "notes helps 0 queries and hurts none: not accepted"),
        ("spam", Outcome.FAILED, 1, "spam helps 0 queries and hurts 1: not accepted"),
    ],
)
def test_a_candidate_is_accepted_or_not(
    index: Index, candidate: str, outcome: Outcome, exit_code: int, said: str
) -> None:
    """And only the corpora that decide it are made: all, without it, and it alone."""
    report = _ablate(index, candidate=candidate)
    _agree(report, outcome, exit_code, said)
    assert [row.kind for row in report.rows] == ["all", "without", "alone", "grep"]


_ROTTEN = "- {id: gone, query: lock, severity: must, expect_paths: [docs/gone.md]}\n"


@pytest.mark.parametrize(
    ("candidate", "outcome", "exit_code"),
    [
        (None, Outcome.INCONCLUSIVE, 3),
        ("docs", Outcome.INCONCLUSIVE, 3),
        ("notes", Outcome.INCONCLUSIVE, 3),
        ("spam", Outcome.FAILED, 1),
    ],
)
def test_a_query_in_doubt_may_help_and_undoes_no_harm(
    index: Index, candidate: str | None, outcome: Outcome, exit_code: int
) -> None:
    """What hurts is not accepted, whatever the query that cannot be judged would say."""
    said = "left out: gone" if exit_code == 3 else "spam helps 0"
    _agree(_ablate(index, _ROTTEN, candidate), outcome, exit_code, said)


def test_all_sources_are_what_an_evaluation_sees(index: Index) -> None:
    """The corpus made anew ranks and passes as the index does."""
    suite = _suite()
    single = evaluate(suite, index)
    whole = ablate(subject_of_suite(suite, index)).rows[0]
    assert whole.passed == {q.query_id for q in single.queries if q.status == "passed"}
    for name in ("nDCG@10", "RR@10", "Success@1"):
        assert whole.means[name] == pytest.approx(single.overall.measures[name])


def test_a_document_is_analysed_once(index: Index) -> None:
    """However many corpora it is part of: five documents in thirteen."""
    assert _ablate(index).facts["n_analysed"] == 5


def test_bytes_are_what_a_reader_gets(index: Index) -> None:
    """Identity, title and snippet of one hit for wren; every line with a word for grep."""
    more = "- {id: top, query: zebra, severity: must, k: 1, expect_paths: [docs/lock.md]}\n"
    rows = {row.name: row for row in _ablate(index, more).rows}
    # logs/wren.md (12) + Wren (4) + "# Wren\n\nA wren was seen." (24), and nothing else is found.
    assert rows["logs alone"].n_bytes == 12 + 4 + 24
    assert rows["notes alone"].n_bytes == 0


def test_grep_prints_lines_with_their_place() -> None:
    """`a.md:2 Lock here` is 5 + 9 and its line end; a word in two lines is two lines."""
    texts = [("a.md", "no\nLock here\nlocks"), ("b.md", "none")]
    assert grep_bytes("lock", texts) == (4 + 1 + 9 + 1) + (4 + 1 + 5 + 1)
    assert grep_bytes("absent -lock", texts) == 0


def test_what_cannot_be_left_out_is_refused(index: Index, tmp_path: Path) -> None:
    """A source that there is not, and the only one that there is."""
    with pytest.raises(InputError, match="no document is of this source"):
        _ablate(index, candidate="dosc")
    root = tmp_path / "single"
    write_tree(root, {"docs/lock.md": _FILES["docs/lock.md"]})
    memidx.build((), root=str(root), env={})
    text = "version: 1\nqueries:\n- {id: l, query: lock, severity: must, top1: docs/lock.md}\n"
    with (
        memidx.open(None, root=str(root), env={}) as single,
        pytest.raises(InputError, match="nothing to leave out"),
    ):
        ablate(subject_of_suite(parse_suite(text, "q.yaml"), single))
