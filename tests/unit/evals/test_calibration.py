"""A threshold is applied when it was checked, and kept its promise."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from memidx.errors import InputError
from memidx.evals.calibration import (
    CalibrateSettings,
    CalibrationReport,
    calibrate_subject,
)
from memidx.evals.calibration_text import render_calibration, render_calibration_markdown
from memidx.evals.outcome import Outcome
from memidx.evals.splits import Split
from memidx.evals.subject import Subject, subject_of_collection
from memidx.search.calibrated import parse_calibration
from tests.support import write_tree


def _subject(folder: Path, kinds: Sequence[str]) -> Subject:
    """One document and one query each: `s` strong, `w` weak; in capitals the first hit is wrong.

    A strong query is the document's one word; a weak one has two unknown words beside it, so that
    its relevance is a good third of the strong one's.
    """
    documents, queries, qrels = [], [], []
    for n, kind in enumerate(kinds):
        documents.append({"_id": f"d{n}", "text": f"topic{n:03}"})
        rest = " anvil bassoon" if kind in "wW" else ""
        queries.append({"_id": f"{kind}{n}", "text": f"topic{n:03}{rest}"})
        qrels.append(f"{kind}{n}\t{'d' if kind.islower() else 'none'}{n}\t1")
    write_tree(
        folder,
        {
            "corpus.jsonl": "\n".join(map(json.dumps, documents)),
            "queries.jsonl": "\n".join(map(json.dumps, queries)),
            "qrels.tsv": "\n".join(qrels),
        },
    )
    return subject_of_collection(str(folder))


def _split(subject: Subject, held_out: Sequence[int]) -> Split:
    """The queries of those numbers held out, the others tuned on."""
    ids = [question.query_id for question in subject.questions]
    kept = tuple(ids[n] for n in held_out)
    return Split("toy", 0.5, kept, tuple(q for q in ids if q not in kept))


def _agree(report: CalibrationReport, outcome: Outcome, exit_code: int, said: str) -> None:
    """Outcome, exit code and the last line of every form are one thing."""
    assert (report.outcome, report.exit_code) == (outcome, exit_code)
    assert report.verdict.startswith(f"{outcome.name} (exit {exit_code}): ")
    assert said in report.verdict
    assert render_calibration(report).splitlines()[-1] == report.verdict
    assert report.verdict.split(":")[0] in render_calibration_markdown(report)
    whole = report.to_dict()
    assert (whole["outcome"], whole["exit_code"]) == (outcome.value, exit_code)


def test_what_is_kept_may_be_applied(tmp_path: Path) -> None:
    """40 right strong answers and 20 wrong weak ones: .9 from the strong relevance on, .5 below."""
    subject = _subject(tmp_path, "s" * 40 + "W" * 20)
    report = calibrate_subject(subject, CalibrateSettings())
    _agree(report, Outcome.PASSED, 0, "lexical: both promises are kept")
    (found,) = report.strategies
    reliable, candidate = found.found.promises
    assert found.found.n_answers == 60
    assert reliable.fitted is not None
    assert candidate.fitted is not None
    # Of three equal words, two unknown: a bit less than a third for each, as df is 1 and 0.
    assert candidate.fitted < reliable.fitted / 2.5
    assert reliable.observed.precision == 1.0
    assert [f.strategy for f in report.usable] == ["lexical"]


def test_a_search_reads_what_is_applied(tmp_path: Path) -> None:
    """The file has the thresholds that were checked; other strategies' entries stay."""
    subject = _subject(tmp_path, "s" * 40 + "W" * 20)
    report = calibrate_subject(subject, CalibrateSettings())
    other = {"reliable": None, "candidate": 0.3, "fitted_on": {}}
    written = report.to_calibration({"vector": other, "lexical": other})
    read = parse_calibration(json.dumps(written).encode())
    assert read.reason == ""
    assert set(read.by_strategy) == {"lexical", "vector"}
    reliable, candidate = report.strategies[0].found.promises
    lexical = read.by_strategy["lexical"]
    assert (lexical.reliable, lexical.candidate) == (reliable.fitted, candidate.fitted)
    assert lexical.fitted_on == {
        "corpus": subject.facts["corpus"],
        "n_docs": 60,
        "analyzer_fingerprint": subject.facts["analyzer_fingerprint"],
        "strategy": "lexical",
        "k1": 1.5,
        "b": 0.75,
        "title_weight": 0.8,
    }


def test_too_few_answers_are_refused(tmp_path: Path) -> None:
    """Nineteen, however right, cannot be fitted and checked on ten each."""
    report = calibrate_subject(_subject(tmp_path, "s" * 19), CalibrateSettings())
    _agree(report, Outcome.INCONCLUSIVE, 3, "too few judged first hits: 19")
    assert report.usable == ()


def test_what_is_out_of_reach_is_refused(tmp_path: Path) -> None:
    """Half of the answers right at one relevance promise no .9; the most is said."""
    report = calibrate_subject(_subject(tmp_path, "sS" * 40), CalibrateSettings())
    _agree(report, Outcome.INCONCLUSIVE, 3, "0.9 is out of reach for reliable: the most")
    assert report.usable == ()


def test_a_promise_that_is_broken_fails(tmp_path: Path) -> None:
    """30 right ones promise .9, and of 30 kept aside none is: that is no chance."""
    subject = _subject(tmp_path, "s" * 30 + "S" * 30)
    settings = CalibrateSettings(split=_split(subject, range(30, 60)))
    report = calibrate_subject(subject, settings)
    _agree(report, Outcome.FAILED, 1, "reliable promised 0.9, and on the other queries it is 0.000")
    assert report.usable == ()
    assert report.to_calibration()["strategies"] == {}


def test_a_promise_that_may_be_broken_is_not_made(tmp_path: Path) -> None:
    """17 of 20 are .85 [.64, .95]: below .9, and it may be chance."""
    subject = _subject(tmp_path, "s" * 30 + "s" * 17 + "S" * 3)
    settings = CalibrateSettings(split=_split(subject, range(30, 50)))
    _agree(
        calibrate_subject(subject, settings), Outcome.INCONCLUSIVE, 3, "0.850, which may be chance"
    )


def test_a_promise_that_nobody_can_check_is_not_made(tmp_path: Path) -> None:
    """Nine answers kept aside are too few, were they all right."""
    subject = _subject(tmp_path, "s" * 39)
    settings = CalibrateSettings(split=_split(subject, range(30, 39)))
    report = calibrate_subject(subject, settings)
    _agree(report, Outcome.INCONCLUSIVE, 3, "reliable could not be checked: 9 of the other")


def test_the_worst_strategy_decides(tmp_path: Path) -> None:
    """With one word a document every cosine is 1 or a share of it; both are named in one report."""
    subject = _subject(tmp_path, "s" * 40 + "W" * 20)
    report = calibrate_subject(subject, CalibrateSettings(strategies=("lexical", "vector")))
    assert [found.strategy for found in report.strategies] == ["lexical", "vector"]
    by_name = {found.strategy: found for found in report.strategies}
    # Unknown words are not in the cosine: weak and strong are both 1.0, and 40 of 60 are right.
    assert by_name["vector"].outcome is Outcome.INCONCLUSIVE
    assert report.exit_code == 3
    assert [found.strategy for found in report.usable] == ["lexical"]


def test_a_query_the_split_does_not_know_is_a_problem(tmp_path: Path) -> None:
    """It neither fits nor checks until it is dealt."""
    subject = _subject(tmp_path, "s" * 60)
    split = _split(subject, range(30, 60))
    new = Split("toy", 0.5, split.held_out, split.tuning[:-1])
    report = calibrate_subject(subject, CalibrateSettings(split=new))
    _agree(report, Outcome.INCONCLUSIVE, 3, "the split does not know: s29")
    assert report.usable == ()


@pytest.mark.parametrize(
    ("precisions", "strategies"),
    [((0.9,), ()), ((0.5, 0.9), ()), ((1.0, 0.5), ()), ((0.9, 0.5), ("dense",))],
)
def test_what_cannot_be_promised_is_refused(
    precisions: tuple[float, ...], strategies: tuple[str, ...]
) -> None:
    """One precision, two the wrong way round, certainty, and a strategy that there is not."""
    with pytest.raises(InputError):
        CalibrateSettings(strategies=strategies, precisions=precisions).check()


def test_promises_on_half_of_scifact_are_held_against_the_other(shared: Path) -> None:
    """.5 wanted of candidates is kept; .9 of reliable ones is out of reach of 150 queries."""
    from memidx.evals.splits import make_split

    subject = subject_of_collection(str(shared / "collections" / "scifact"))
    split = make_split("scifact", {q.query_id: "" for q in subject.questions}, 0.5)
    report = calibrate_subject(subject, CalibrateSettings(split=split))
    _agree(report, Outcome.INCONCLUSIVE, 3, "0.9 is out of reach")
    reliable, candidate = report.strategies[0].found.promises
    assert reliable.fitted is None
    assert candidate.observed.precision is not None
    assert candidate.is_kept
    assert report.strategies[0].n_uncovered + report.strategies[0].found.n_answers == 300
