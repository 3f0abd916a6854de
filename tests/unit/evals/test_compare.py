"""Paired statistics, against values worked out by hand and by enumeration."""

from __future__ import annotations

from itertools import product

import pytest

from memidx.evals.compare import paired_randomization, win_tie_loss


def test_wins_ties_and_losses_are_counted() -> None:
    """Two queries better, one equal, one worse; the other way round they change places."""
    a, b = [1.0, 0.5, 0.25, 0.0], [0.5, 0.5, 0.125, 1.0]
    assert win_tie_loss(a, b) == (2, 1, 1)
    assert win_tie_loss(b, a) == (1, 1, 2)
    assert win_tie_loss([], []) == (0, 0, 0)


def test_rounding_is_no_win() -> None:
    """A difference in the last digits is a tie, and where the line is can be said."""
    assert win_tie_loss([0.1 + 0.2], [0.3]) == (0, 1, 0)
    assert win_tie_loss([0.5000004], [0.5], tolerance=1e-6) == (0, 1, 0)
    assert win_tie_loss([0.5000004], [0.5]) == (1, 0, 0)


def test_values_of_other_queries_are_refused() -> None:
    """Pairs need both values."""
    with pytest.raises(ValueError, match="1 and 2"):
        win_tie_loss([1.0], [1.0, 0.0])
    with pytest.raises(ValueError, match="1 and 2"):
        paired_randomization([1.0], [1.0, 0.0])
    with pytest.raises(ValueError, match="n must be"):
        paired_randomization([1.0], [0.0], n=0)


def test_few_pairs_are_counted_out() -> None:
    """Of the 8 ways to sign 1, 1, 1 two have a sum of 3 or -3; of 3, 1 and 1 likewise."""
    assert paired_randomization([1.0, 1.0, 1.0], [0.0, 0.0, 0.0]) == 2 / 8
    assert paired_randomization([3.0, 1.0, 1.0], [0.0, 0.0, 0.0]) == 2 / 8
    # 1, 1, -1 sums to 1: every one of the 8 sums is odd, so each reaches 1.
    assert paired_randomization([1.0, 1.0, 0.0], [0.0, 0.0, 1.0]) == 1.0
    # 3, -1: sums are 4, 2, -2, -4, and all reach 2.
    assert paired_randomization([3.0, 0.0], [0.0, 1.0]) == 1.0
    # 2, 1, -1: sums 4, 2, 2, 0, 0, -2, -2, -4; six reach 2.
    assert paired_randomization([2.0, 1.0, 0.0], [0.0, 0.0, 1.0]) == 6 / 8


def test_nothing_that_differs_is_no_evidence() -> None:
    """Equal rankings, and none at all, have p = 1; ties beside a difference change nothing."""
    assert paired_randomization([0.5, 0.5], [0.5, 0.5]) == 1.0
    assert paired_randomization([], []) == 1.0
    few = paired_randomization([1.0, 1.0, 1.0], [0.0, 0.0, 0.0])
    assert paired_randomization([1.0, 1.0, 1.0, 0.7], [0.0, 0.0, 0.0, 0.7]) == few


def test_drawing_comes_near_to_counting() -> None:
    """13 pairs have 8,192 assignments: drawn 4,000 times, p is near the share of them all."""
    a = [((7 * i) % 11) / 10 for i in range(13)]
    b = [((5 * i) % 7) / 10 for i in range(13)]
    differences = [x - y for x, y in zip(a, b, strict=True)]
    observed = abs(sum(differences))
    signed = (
        abs(sum(s * d for s, d in zip(signs, differences, strict=True)))
        for signs in product((1, -1), repeat=13)
    )
    exact = sum(total >= observed - 1e-9 for total in signed) / 2**13
    assert paired_randomization(a, b) == pytest.approx(exact, abs=1e-12)
    assert paired_randomization(a, b, n=4000) == pytest.approx(exact, abs=0.03)


def test_the_same_seed_gives_the_same_p() -> None:
    """Drawing is deterministic and symmetric; p of a clear difference is 1 / (n + 1), never 0."""
    a, b = [1.0] * 40, [0.0] * 40
    assert paired_randomization(a, b, n=999) == 1 / 1000
    mixed = [1.0 if i % 3 else 0.0 for i in range(40)], [0.0 if i % 3 else 1.0 for i in range(40)]
    first = paired_randomization(*mixed, n=2000, seed=5)
    assert first == paired_randomization(*mixed, n=2000, seed=5)
    assert first == paired_randomization(mixed[1], mixed[0], n=2000, seed=5)
    assert 0 < first < 0.1
