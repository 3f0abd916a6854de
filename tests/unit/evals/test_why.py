"""Causes and shares, worked out by hand from results of every combination."""

from __future__ import annotations

import pytest

from memidx.evals.again import subsets
from memidx.evals.why import shapley, smallest

NONE, A, B = frozenset[str](), frozenset({"corpus"}), frozenset({"labels"})
AB = A | B


def test_one_factor_that_suffices_is_the_cause() -> None:
    """The corpus alone gives today's result, the labels alone do not."""
    assert smallest({NONE: 1, A: 2, B: 1, AB: 2}, AB) == (("corpus",),)


def test_two_that_suffice_each_are_alternatives() -> None:
    """Each of them alone gives it."""
    assert smallest({NONE: 1, A: 2, B: 2, AB: 2}, AB) == (("corpus",), ("labels",))


def test_two_that_only_do_it_together_are_one_cause() -> None:
    """Neither alone gives it, in steps (1, 2, 2, 3) or not at all (1, 1, 1, 2)."""
    assert smallest({NONE: 1, A: 2, B: 2, AB: 3}, AB) == (("corpus", "labels"),)
    assert smallest({NONE: 1, A: 1, B: 1, AB: 2}, AB) == (("corpus", "labels"),)


def test_nothing_that_had_to_change_is_no_cause() -> None:
    """What was then gives today's result already."""
    assert smallest({NONE: 2, A: 2, B: 2, AB: 2}, AB) == ((),)


def test_shares_are_means_over_both_orders() -> None:
    """First the corpus: 0.2, then labels: 0.3; first labels: 0.1, then corpus: 0.4."""
    shares = shapley({NONE: 0.0, A: 0.2, B: 0.1, AB: 0.5}, ("corpus", "labels"))
    assert shares == pytest.approx({"corpus": (0.2 + 0.4) / 2, "labels": (0.3 + 0.1) / 2})


def test_shares_of_three_add_up() -> None:
    """Whatever the values, the shares add up to the whole change."""
    factors = ("corpus", "configuration", "labels")
    values = {chosen: (7 * i * i % 5) / 10 for i, chosen in enumerate(subsets(factors))}
    shares = shapley(values, factors)
    whole = values[frozenset(factors)] - values[frozenset()]
    assert sum(shares.values()) == pytest.approx(whole)
    assert len(values) == 8
