"""A grid is what it says, and no more than can be looked at."""

from __future__ import annotations

import pytest

from memidx.errors import InputError
from memidx.evals.axes import GRIDS, MAX_POINTS, make_points, parse_axis


def test_the_published_grid_has_nine_points() -> None:
    """k1 in 1.2, 1.5, 2.0 by b in 0.75, 0.85, 1.0."""
    points = [(point["k1"], point["b"]) for point in make_points("published")]
    assert points == [(k1, b) for k1 in (1.2, 1.5, 2.0) for b in (0.75, 0.85, 1.0)]


def test_the_default_grid_holds_what_others_use() -> None:
    """Anserini's .9/.4, Lucene's 1.2/.75 and the default 1.5/.75 are points of it."""
    points = {(point["k1"], point["b"]) for point in make_points()}
    assert {(0.9, 0.4), (1.2, 0.75), (1.5, 0.75)} <= points
    assert len(points) == len(GRIDS["default"]["k1"]) * len(GRIDS["default"]["b"]) == 42


def test_an_axis_takes_the_place_of_the_named_one() -> None:
    """The other one stays."""
    points = make_points("published", k1="0.9")
    assert [(point["k1"], point["b"]) for point in points] == [(0.9, 0.75), (0.9, 0.85), (0.9, 1.0)]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("0.4", (0.4,)),
        ("1.0, 0.4,0.40", (0.4, 1.0)),
        ("0.4:0.7:0.1", (0.4, 0.5, 0.6, 0.7)),
        ("0.4:0.65:0.1", (0.4, 0.5, 0.6)),
        ("0:1:0.5,0.75", (0.0, 0.5, 0.75, 1.0)),
        ("0.5:0.5:1", (0.5,)),
    ],
)
def test_values_are_decimals(text: str, values: tuple[float, ...]) -> None:
    """Both ends count, repeats do not, and no step adds up to 0.6000000000000001."""
    assert parse_axis("b", text) == values


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "0.4:0.9",
        "0.9:0.4:0.1",
        "0.4:0.9:0",
        "1.1",
        "-0.1",
        "nan",
        "inf",
        "0:1:0.0000001",
        "0:1:-1",
        "0.4,,0.5",
        "1e400",
    ],
)
def test_what_is_no_axis_is_refused(text: str) -> None:
    """With what is expected."""
    with pytest.raises(InputError, match="expected"):
        parse_axis("b", text)


def test_too_many_points_are_refused() -> None:
    """Each axis may be small enough while the grid is not."""
    with pytest.raises(InputError, match=f"at most {MAX_POINTS}"):
        make_points(k1="0:1:0.01", b="0:1:0.01")


def test_an_unknown_grid_is_refused() -> None:
    """With the names there are."""
    with pytest.raises(InputError, match="default"):
        make_points("usual")
