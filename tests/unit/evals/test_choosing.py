"""The choice on a grid is the one that can be worked out."""

from __future__ import annotations

import hashlib

import pytest

from memidx.evals.choosing import Choice, choose, equal_measures, folds_of, region_of
from memidx.search.points import point

A, B, C = point({"k1": 0.9, "b": 0.4}), point({"k1": 1.2, "b": 0.75}), point({"k1": 1.5, "b": 0.75})


def _choose(values: list[list[float]], n_folds: int = 5) -> Choice:
    """The choice among A, B and C, which is the current setting."""
    ids = [f"q{n}" for n in range(len(values[0]))]
    return choose((A, B, C), ids, values, current=2, n_folds=n_folds, seed=0)


def test_equal_points_leave_the_setting_alone() -> None:
    """Best is the current one, everything is plateau, and nothing is gained."""
    found = _choose([[0.5, 1.0, 0.0]] * 3)
    assert (found.best, found.current, found.plateau) == (2, 2, (0, 1, 2))
    assert found.is_flat
    assert not found.is_supported
    assert found.gain.n_queries is None
    assert found.cross_validation is not None
    assert found.cross_validation.gain == 0.0
    assert found.cross_validation.interval == (0.0, 0.0)


def test_of_equal_best_points_the_nearest_to_the_setting_is_taken() -> None:
    """1.2/.75 is 0.3 away from 1.5/.75, and 0.9/.4 is 0.95."""
    assert _choose([[1.0, 1.0], [1.0, 1.0], [0.0, 1.0]]).best == 1


def test_a_clear_gain_is_supported() -> None:
    """Eight queries that all gain 0.5: p = 2 / 2^8, and each fold chooses the same point."""
    found = _choose([[0.0] * 8, [1.0] * 8, [0.5] * 8], n_folds=4)
    assert (found.best, found.worst) == (1, 0)
    assert found.gain.test.p == 2 / 256
    assert found.gain.test.gain == 0.5
    # Both other points are behind on every query by a constant, so that both reach the largest
    # figure in two patterns of 256.
    assert found.p_values == (2 / 256, 1.0, 2 / 256)
    assert found.plateau == (1,)
    assert found.cross_validation is not None
    assert [fold.point for fold in found.cross_validation.folds] == [1, 1, 1, 1]
    assert [fold.n_queries for fold in found.cross_validation.folds] == [2, 2, 2, 2]
    assert (found.cross_validation.mean, found.cross_validation.gain) == (1.0, 0.5)
    assert found.is_supported


def test_what_one_query_decides_is_lost_on_that_query() -> None:
    """Leaving one out: without the query that gains, the others choose the setting."""
    found = _choose([[0.0] * 4, [1.0, 0.4, 0.4, 0.4], [0.5, 0.5, 0.5, 0.5]], n_folds=4)
    # Best in sample: (1 + 3 * .4) / 4 = .55 against .5.
    assert found.best == 1
    assert found.gain.test.gain == pytest.approx(0.05)
    checked = found.cross_validation
    assert checked is not None
    # The three folds that keep q0 choose B and get .4; q0's own fold keeps the setting and its .5.
    assert checked.mean == pytest.approx((0.5 + 3 * 0.4) / 4)
    assert checked.gain == pytest.approx(-0.075)
    assert not found.is_supported


def test_one_query_cannot_be_held_out() -> None:
    """There is nothing to choose on."""
    found = _choose([[0.0], [1.0], [0.5]])
    assert found.cross_validation is None
    assert not found.is_supported


def test_folds_are_dealt_by_hash() -> None:
    """Sizes differ by one at most; the order of the suite has no say; the seed has."""
    ids = [f"q{n}" for n in range(11)]
    folds = dict(zip(ids, folds_of(ids, 3, seed=5), strict=True))
    by_hash = sorted(ids, key=lambda i: hashlib.sha256(f"5\0{i}".encode()).digest())
    assert [folds[i] for i in by_hash] == [n % 3 for n in range(11)]
    assert dict(zip(ids[::-1], folds_of(ids[::-1], 3, seed=5), strict=True)) == folds
    assert folds_of(ids, 3, seed=6) != list(folds.values())


def test_equal_measures_are_those_with_one_mean() -> None:
    """A difference in the last digit of a sum is none."""
    means = {"Success@1": [0.9, 0.9 + 1e-15], "Success@3": [1.0, 0.9]}
    assert equal_measures(means, means) == ("Success@1",)


def test_a_region_is_said_in_ranges_of_the_grid() -> None:
    """A hole in the plateau is a hole in the words."""
    points = [point({"k1": k1, "b": b}) for k1 in (0.9, 1.2, 2.0) for b in (0.25, 0.5, 0.75, 1.0)]
    assert region_of(points, range(12)) == "the whole grid"
    assert region_of(points, [0, 1, 3, 4, 5, 7, 10]) == ("k1 0.9, 1.2: b 0.25–0.5, 1; k1 2: b 0.75")
