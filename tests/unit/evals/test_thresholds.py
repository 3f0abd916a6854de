"""A threshold promises what was seen, with room for chance."""

from __future__ import annotations

import random

import pytest
from scipy import stats

from memidx.evals.choosing import folds_of
from memidx.evals.grid_values import TopAnswer
from memidx.evals.thresholds import calibrate, fit


def _answers(*rows: tuple[float, bool], strategy: str = "lexical") -> list[TopAnswer]:
    return [TopAnswer(f"q{n}", strategy, r, "reliable", ok) for n, (r, ok) in enumerate(rows)]


def test_ten_right_answers_promise_a_half_and_not_nine_tenths() -> None:
    """The one-sided 80 % Wilson bound of 10 of 10 is 10 / (10 + .8416^2) = .934; of 9, too few."""
    ten = _answers(*[(0.5 + n / 100, True) for n in range(10)])
    assert fit(ten, 0.9) == 0.5
    assert fit(ten, 0.94) is None
    assert fit(ten[:9], 0.5) is None


def test_the_bound_is_scipys() -> None:
    """One-sided at 80 % is two-sided at 60 %: 15 of 20 promise .66, not .67."""
    low = stats.binomtest(15, 20).proportion_ci(0.6, method="wilson").low
    twenty = _answers(*[(0.5, n < 15) for n in range(20)])
    assert fit(twenty, low - 1e-9) == 0.5
    assert fit(twenty, low + 1e-9) is None
    assert 0.66 < low < 0.67


def test_the_lowest_threshold_that_holds_is_taken() -> None:
    """Twenty right ones above .6 and wrong ones below: those that can be afforded are let in."""
    answers = _answers(
        *[(0.6 + n / 100, True) for n in range(20)], *[(0.5 - n / 100, False) for n in range(20)]
    )
    # 20 of 25: bound .722; 20 of 26: .690.
    assert fit(answers, 0.7) == 0.46


def test_equal_relevance_is_taken_whole() -> None:
    """A threshold cannot part what it cannot tell apart."""
    answers = _answers(*[(0.5, True)] * 12, *[(0.5, False)] * 12)
    assert fit(answers, 0.7) is None


def test_the_printed_threshold_takes_in_what_it_was_fitted_on() -> None:
    """.56789 is cut to .5678, not rounded up past its own answer."""
    assert fit(_answers(*[(0.56789, True)] * 10), 0.5) == 0.5678


def test_one_half_promises_and_the_other_is_asked() -> None:
    """The halves are the folds of the ids; counts are theirs."""
    answers = _answers(*[(0.9, True)] * 30, *[(0.1, False)] * 10)
    found = calibrate(answers, strategy="lexical", precisions=(0.9, 0.5), seed=0)
    half = folds_of([answer.query_id for answer in answers], 2, 0)
    n_right = [
        sum(a.is_right for a, h in zip(answers, half, strict=True) if h == s) for s in (0, 1)
    ]
    reliable, candidate = found.promises
    assert (reliable.label, candidate.label) == ("reliable", "candidate")
    assert reliable.fitted == 0.9
    assert (reliable.on_fitted.n, reliable.on_fitted.n_right) == (n_right[0], n_right[0])
    assert (reliable.observed.n, reliable.observed.precision) == (n_right[1], 1.0)
    assert reliable.observed.n_answers == 20
    assert reliable.is_kept
    assert reliable.on_all.share == 0.75
    assert candidate.threshold == 0.1
    assert (candidate.on_all.n, candidate.on_all.precision) == (40, 0.75)


def test_out_of_reach_is_said() -> None:
    """Answers that are right half the time promise no .9, and there is nothing to keep."""
    answers = _answers(*[(n / 100, n % 2 == 0) for n in range(60)])
    (promise,) = calibrate(answers, strategy="lexical", precisions=(0.9,), seed=0).promises
    assert promise.fitted is promise.threshold is promise.is_kept is None
    assert promise.observed.precision is None


def test_answers_of_another_strategy_take_no_part() -> None:
    """A fallback's cosine is not a lexical relevance."""
    answers = [*_answers((0.5, True)), *_answers((0.9, False), strategy="vector")]
    found = calibrate(answers, strategy="lexical", precisions=(0.9,), seed=0)
    assert (found.n_answers, found.n_fallback) == (1, 1)


def test_the_curve_counts_at_and_above() -> None:
    """Three answers at .1, .25 and .25: from 0, all; from .15, two; nothing from .3."""
    found = calibrate(
        _answers((0.1, False), (0.25, True), (0.25, False)),
        strategy="lexical",
        precisions=(0.9,),
        seed=0,
    )
    assert [(row.name, row.n, row.n_right) for row in found.curve] == [
        ("0.0000", 3, 1),
        ("0.1500", 2, 1),
    ]
    assert found.curve[1].share == pytest.approx(2 / 3)


def test_no_answer_is_no_failure() -> None:
    """An index that answers nothing has no thresholds."""
    found = calibrate([], strategy="lexical", precisions=(0.9, 0.5), seed=0)
    assert (found.n_answers, found.curve) == (0, ())


def test_promises_are_kept_more_often_than_not() -> None:
    """Where precision is the relevance itself, 200 worlds keep .8 in more than 70 % of cases.

    Taking the lowest threshold whose plain share reaches .8 would keep it in about half.
    """
    world = random.Random(1)
    kept = []
    for _ in range(200):
        relevance = [world.random() for _ in range(400)]
        rows = [(value, world.random() < value) for value in relevance]
        (promise,) = calibrate(
            _answers(*rows), strategy="lexical", precisions=(0.8,), seed=0
        ).promises
        kept.append(promise.is_kept)
    told = [value for value in kept if value is not None]
    assert len(told) > 190
    assert sum(told) / len(told) > 0.7
