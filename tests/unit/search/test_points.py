"""A point changes the settings it names, and no others."""

from __future__ import annotations

import pytest

from memidx.config import SearchConfig
from memidx.errors import InputError
from memidx.search.points import Point, current_point, point, settings_at
from memidx.search.ranking import RankSettings, SourceFactors

FACTORS = {
    "docs": SourceFactors(1.0),
    "logs": SourceFactors(0.9, 0.012, 0.3),
    "a.b": SourceFactors(0.8, 0.012, 0.3),
}
SETTINGS = RankSettings(SearchConfig(), FACTORS, 7.0)


def test_values_stand_in_one_order() -> None:
    """Settings of the search as the configuration lists them, then those of sources by name."""
    made = point({"logs.weight": 2.0, "b": 0.5, "docs.decay": 0.1, "k1": 1.0})
    assert made.axes == ("k1", "b", "docs.decay", "logs.weight")
    assert made == point({"k1": 1.0, "docs.decay": 0.1, "b": 0.5, "logs.weight": 2.0})
    assert str(made) == "k1 1 b 0.5 docs.decay 0.1 logs.weight 2"
    assert made["b"] == 0.5


def test_a_point_changes_what_it_names() -> None:
    """A source's name may hold a dot; the day of the settings stays."""
    at = settings_at(point({"title_weight": 0.0, "fusion": "rrf", "a.b.weight": 3.0}), SETTINGS)
    assert (at.search.title_weight, at.search.fusion, at.search.k1) == (0.0, "rrf", 1.5)
    assert at.factors["a.b"] == SourceFactors(3.0, 0.012, 0.3)
    assert {name: at.factors[name] for name in ("docs", "logs")} == {
        name: FACTORS[name] for name in ("docs", "logs")
    }
    assert at.as_of_day == 7.0


def test_a_star_means_the_sources_that_decay() -> None:
    """An evergreen source stays evergreen."""
    at = settings_at(point({"*.decay": 0.5, "*.decay_floor": 0.1}), SETTINGS)
    assert [f.decay for f in at.factors.values()] == [0.0, 0.5, 0.5]
    assert [f.decay_floor for f in at.factors.values()] == [0.3, 0.1, 0.1]


def test_the_current_point_changes_nothing() -> None:
    """Whatever its axes."""
    axes = ["k1", "strategy", "docs.weight", "*.decay"]
    at = current_point(axes, SETTINGS)
    assert at == point({"k1": 1.5, "strategy": "lexical", "docs.weight": 1.0, "*.decay": 0.012})
    assert settings_at(at, SETTINGS) == SETTINGS


@pytest.mark.parametrize(
    "name", ["k2", "weight", ".weight", "docs.k1", "*.weight", "docs.", "calibration", ""]
)
def test_an_axis_that_there_is_not_is_refused(name: str) -> None:
    """With the names that there are."""
    with pytest.raises(InputError, match="no such axis"):
        point({name: 1.0, "k1": 1.0})


def test_a_source_that_there_is_not_is_refused() -> None:
    """A typo must not tune nothing in silence."""
    with pytest.raises(InputError, match="no source has this name"):
        settings_at(point({"dosc.weight": 1.0}), SETTINGS)
    with pytest.raises(InputError, match="no source decays"):
        settings_at(point({"*.decay": 1.0}), RankSettings(SearchConfig()))


def test_sources_that_differ_have_no_current_value() -> None:
    """One axis for both would move one of them at the current point."""
    factors = {**FACTORS, "logs": SourceFactors(1.0, 0.5)}
    with pytest.raises(InputError, match="no current value"):
        current_point(["*.decay"], RankSettings(SearchConfig(), factors))


def test_an_empty_point_is_the_setting() -> None:
    """It has no axes and no words."""
    assert point({}) == Point(())
    assert settings_at(point({}), SETTINGS) == SETTINGS
