"""Tests and intervals give the values that can be worked out, and those of scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from memidx.evals.statistics import (
    DRAWS,
    bootstrap_interval,
    fewest_differing,
    holm,
    largest_unseen_share,
    max_randomization,
    paired_randomization,
    queries_needed,
    wilson_interval,
)


def test_p_of_few_queries_is_counted_by_hand() -> None:
    """Of the 8 sign patterns of 3, 2, 1 only +++ and --- reach a sum of 6; of 1 query, both do."""
    three = paired_randomization([3.0, 0.0, 2.0, 1.0])
    assert (three.p, three.exact, three.n_draws) == (2 / 8, True, 8)
    assert (three.n_queries, three.n_differing, three.gain) == (4, 3, 1.5)
    assert paired_randomization([0.0, 0.5]).p == 1.0
    # 3 - 2 - 1 = 0: every pattern is at least as far from 0.
    assert paired_randomization([3.0, -2.0, -1.0]).p == 1.0


def test_no_difference_is_no_evidence() -> None:
    """Equal settings, and no queries at all, have p = 1."""
    assert paired_randomization([0.0, 0.0]).p == 1.0
    assert paired_randomization([]).p == 1.0


@pytest.mark.parametrize("n", [2, 5, 9, 13])
def test_exact_p_is_scipys(n: int) -> None:
    """scipy's exact permutation test counts the same patterns."""
    values = np.random.RandomState(n).normal(0.4, 1.0, n)
    expected = stats.permutation_test(
        (values,), np.mean, permutation_type="samples", n_resamples=math.inf
    )
    found = paired_randomization(values.tolist())
    assert found.exact
    assert found.p == pytest.approx(expected.pvalue, abs=1e-12)


def test_drawn_p_is_near_the_exact_one_and_repeats() -> None:
    """10,000 draws are within four standard errors; the same seed gives the same p."""
    values = np.random.RandomState(3).normal(0.45, 1.0, 18).tolist()
    exact = paired_randomization(values, draws=2**18)
    drawn = paired_randomization(values, seed=7)
    assert exact.exact
    assert not drawn.exact
    assert drawn.n_draws == DRAWS
    error = math.sqrt(exact.p * (1 - exact.p) / DRAWS)
    assert abs(drawn.p - exact.p) < 4 * error
    assert paired_randomization(values, seed=7) == drawn


def test_a_drawn_p_is_never_0() -> None:
    """100 queries that all gain: no draw reaches that, and p = 1 / 10,001."""
    assert paired_randomization([1.0] * 100).p == 1 / (DRAWS + 1)


def test_the_largest_of_several_is_what_counts() -> None:
    """Two columns on the same two queries, worked out by hand.

    Signs (+,+): sums 2/sqrt2, 0; (+,-): 0, 2/sqrt2; so the largest is sqrt2 in every pattern, and
    each column's own figure is sqrt2 and 0: p is 1 for both, though column 1 alone has 2/4.
    """
    p, n, exact = max_randomization([[1.0, 1.0], [1.0, -1.0]])
    assert (p, n, exact) == ([1.0, 1.0], 4, True)
    assert max_randomization([[1.0], [1.0]])[0] == [2 / 4]


def test_adjusted_p_is_never_below_the_plain_one() -> None:
    """Looking at more columns cannot make one of them more surprising; equal columns cost none."""
    values = np.random.RandomState(5).normal(0.3, 1.0, (12, 4))
    adjusted, _, _ = max_randomization(values.tolist())
    plain = [paired_randomization(values[:, i].tolist()).p for i in range(4)]
    assert all(a >= p for a, p in zip(adjusted, plain, strict=True))
    twins = [[v, v, 0.0] for v in values[:, 0]]
    assert max_randomization(twins)[0] == [plain[0], plain[0], 1.0]


def test_the_level_holds_over_many_columns() -> None:
    """Of 200 grids without any effect about 5 % look like one, not 1 - .95^20 = 64 %."""
    random = np.random.RandomState(11)
    hits = sum(
        min(max_randomization(random.normal(0.0, 1.0, (20, 20)).tolist(), draws=500)[0]) <= 0.05
        for _ in range(200)
    )
    assert 2 <= hits <= 20


@pytest.mark.parametrize(
    ("n_right", "n"), [(0, 10), (9, 10), (10, 10), (17, 20), (1, 1), (150, 300)]
)
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_wilson_is_scipys(n_right: int, n: int, level: float) -> None:
    """scipy computes the same ends."""
    expected = stats.binomtest(n_right, n).proportion_ci(level, method="wilson")
    assert wilson_interval(n_right, n, level) == pytest.approx((expected.low, expected.high))


def test_wilson_without_trials_knows_nothing() -> None:
    """No answer, no knowledge."""
    assert wilson_interval(0, 0) == (0.0, 1.0)


def test_wilson_by_hand() -> None:
    """9 of 10, with z = 1.96 of the textbook: (.596, .982)."""
    assert wilson_interval(9, 10) == pytest.approx((0.5958, 0.9821), abs=1e-4)


def test_a_bootstrap_of_equal_values_has_no_width() -> None:
    """Whatever is drawn, the mean is the same."""
    assert bootstrap_interval([0.25] * 7) == (0.25, 0.25)


def test_a_bootstrap_is_near_scipys_and_repeats() -> None:
    """Ends agree with scipy's percentile bootstrap within the noise of the draws."""
    values = np.random.RandomState(2).exponential(1.0, 80)
    expected = stats.bootstrap(
        (values,), np.mean, method="percentile", n_resamples=DRAWS, random_state=1
    ).confidence_interval
    found = bootstrap_interval(values.tolist(), seed=4)
    assert found == pytest.approx((expected.low, expected.high), abs=0.02)
    assert bootstrap_interval(values.tolist(), seed=4) == found


@pytest.mark.parametrize("effect", [0.2, 0.35, 0.5, 0.9])
def test_needed_queries_reach_the_power(effect: float) -> None:
    """The exact power of the t test, from the noncentral t, passes 80 % within one query of n."""
    values = [effect - math.sqrt(0.5), effect + math.sqrt(0.5)]  # mean: effect, deviation: 1
    n = queries_needed(values)
    assert n is not None
    assert _power(n + 1, effect) >= 0.8
    assert _power(n - 1, effect) < 0.8


def _power(n: int, effect: float) -> float:
    limit = stats.t.ppf(0.975, n - 1)
    away = stats.nct(n - 1, effect * math.sqrt(n))
    return float(away.sf(limit) + away.cdf(-limit))


def test_one_query_of_ten_needs_81() -> None:
    """Mean 1/10, variance 1/10: 7.849 * 10 + 3.841 / 2 = 80.4."""
    assert queries_needed([1.0, *[0.0] * 9]) == 81


def test_no_difference_has_no_number() -> None:
    """Nothing to see, or too little to know how it varies."""
    assert queries_needed([0.0, 0.0]) is None
    assert queries_needed([0.1, -0.1]) is None
    assert queries_needed([1.0]) is None


def test_six_queries_must_differ() -> None:
    """2 / 2^5 = .0625 is too much, 2 / 2^6 = .031 is enough."""
    assert fewest_differing() == 6
    assert fewest_differing(0.5) == 2
    assert paired_randomization([1.0] * 5).p > 0.05 >= paired_randomization([1.0] * 6).p


def test_none_of_ten_still_allows_a_quarter() -> None:
    """(1 - .2589)^10 = .05."""
    assert largest_unseen_share(10) == pytest.approx(0.2589, abs=1e-4)
    assert largest_unseen_share(0) == 1.0


def test_holm_is_worked_out_by_hand() -> None:
    """0.01, 0.04, 0.03, 0.005: times 4, 3, 2, 1 from the smallest, never below one before."""
    found = holm([0.01, 0.04, 0.03, 0.005])
    # 0.005 * 4 = 0.02; 0.01 * 3 = 0.03; 0.03 * 2 = 0.06; 0.04 * 1 = 0.04, raised to 0.06.
    assert found == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.9]) == [1.0, 1.0]
    assert holm([0.03]) == [0.03]
    assert holm([]) == []


def test_holm_is_never_above_bonferroni_and_keeps_the_order() -> None:
    """Each adjusted p lies between its own and that times their number, in the same order."""
    for seed in range(20):
        p = np.random.RandomState(seed).uniform(size=8).tolist()
        found = holm(p)
        assert all(a <= b <= min(1.0, 8 * a) for a, b in zip(p, found, strict=True))
        order = sorted(range(8), key=p.__getitem__)
        assert [found[i] for i in order] == sorted(found)
