"""Formulas, against values worked out by hand."""

from __future__ import annotations

import math

import pytest

from memidx import scoring


def test_idf_of_a_term_in_half_the_documents() -> None:
    """N = 10, df = 5: ln(1 + 5.5/5.5) = ln 2."""
    assert scoring.idf(10, 5) == pytest.approx(math.log(2), abs=1e-12)


def test_idf_of_an_unknown_term_is_the_largest() -> None:
    """df = 0 gives ln(1 + (N + 0.5)/0.5) = ln(2N + 2)."""
    assert scoring.idf(10, 0) == pytest.approx(math.log(22), abs=1e-12)
    assert scoring.idf(10, 0) > scoring.idf(10, 1)


def test_idf_is_never_negative() -> None:
    """A term in every document still weighs a little: ln(1 + 0.5/10.5)."""
    assert scoring.idf(10, 10) == pytest.approx(math.log(22 / 21), abs=1e-12)


def test_bm25_of_an_average_document() -> None:
    """tf 1 in a document of mean length is worth its idf: (k1 + 1) / (1 + k1)."""
    assert scoring.bm25(1, 7, avgdl=7.0, idf=2.0, k1=1.5, b=0.75) == pytest.approx(2.0)


def test_bm25_of_a_long_document() -> None:
    """tf 3, twice the mean length: 2 * 3*2.5 / (3 + 1.5*(0.25 + 1.5)) = 15 / 5.625."""
    value = scoring.bm25(3, 20, avgdl=10.0, idf=2.0, k1=1.5, b=0.75)
    assert value == pytest.approx(15 / 5.625)


def test_bm25_stays_below_its_bound() -> None:
    """However often a term occurs, its share of the score does not pass idf * (k1 + 1)."""
    value = scoring.bm25(10**6, 1, avgdl=10.0, idf=2.0, k1=1.5, b=0.75)
    assert value < scoring.bm25_bound(2.0, 1.5) == 5.0


def test_vector_norm_is_euclidean() -> None:
    """3, 4 -> 5."""
    assert scoring.vector_norm([3.0, 4.0]) == 5.0


def test_decay_without_a_rate_changes_nothing() -> None:
    """Evergreen sources ignore age and its absence."""
    assert scoring.decay(400.0, rate=0.0, floor=0.3) == 1.0
    assert scoring.decay(None, rate=0.0, floor=0.3) == 1.0


def test_decay_at_the_published_rate() -> None:
    """0.3 + 0.7 * exp(-0.012 * 100) = 0.3 + 0.7 * 0.301194..."""
    expected = 0.3 + 0.7 * 0.30119421191220214
    assert scoring.decay(100.0, rate=0.012, floor=0.3) == pytest.approx(expected)


def test_decay_gives_undated_documents_the_floor() -> None:
    """What has no date must not beat what is fresh."""
    assert scoring.decay(None, rate=0.012, floor=0.3) == 0.3


def test_decay_does_not_reward_the_future() -> None:
    """A date after `as_of` counts as today."""
    assert scoring.decay(-30.0, rate=0.012, floor=0.3) == 1.0
