"""The order in which a history is looked at."""

from __future__ import annotations

import pytest

from memidx.evals.bisecting import spread


@pytest.mark.parametrize("n", [0, 1, 2, 3, 9, 30])
def test_every_position_comes_once(n: int) -> None:
    """Both ends first, then the middles of what is left, until nothing is."""
    order = list(spread(n))
    assert sorted(order) == list(range(n))
    assert order[:2] == sorted({0, n - 1} & set(range(n)))


def test_the_middle_comes_third() -> None:
    """After both ends, the middle, then the middles of the upper and the lower half."""
    assert list(spread(9))[:5] == [0, 8, 4, 6, 2]
