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


def test_axes_replace_the_grid() -> None:
    """With --axis alone k1 and b stay as they are; with --grid or --k1 they are axes too."""
    assert [str(p) for p in make_points(axes=["title_weight=0,1"])] == [
        "title_weight 0",
        "title_weight 1",
    ]
    assert len(make_points("published", axes=["title_weight=0,1"])) == 18
    assert {p.axes for p in make_points(k1="1,2", axes=["fusion=rrf,weighted"])} == {
        ("k1", "fusion")
    }


def test_names_are_values_too() -> None:
    """In the order they are given."""
    assert parse_axis("fusion", "rrf, weighted") == ("rrf", "weighted")
    with pytest.raises(InputError, match="no value of strategy"):
        parse_axis("strategy", "dense")


@pytest.mark.parametrize(
    "axis",
    ["title_weight", "k3=1", "min_score=1.5", "docs.weight=0", "docs.decay=-1", "b=2", "=1"],
)
def test_what_is_no_axis_option_is_refused(axis: str) -> None:
    """A weight is above 0, a share at most 1, a rate not negative."""
    with pytest.raises(InputError):
        make_points(axes=[axis])


def test_an_axis_twice_is_refused() -> None:
    """Neither of two lists may win in silence."""
    with pytest.raises(InputError, match="given twice"):
        make_points(axes=["title_weight=1", "title_weight=2"])
    with pytest.raises(InputError, match="given twice"):
        make_points(k1="1", axes=["k1=2"])


def test_random_points_are_distinct_points_of_the_grid() -> None:
    """The seed decides; more cannot be drawn than there are; a huge grid can be drawn from."""
    everything = make_points()
    drawn = make_points(random=20, seed=1)
    assert len(set(drawn)) == 20
    assert set(drawn) <= set(everything)
    assert drawn == make_points(random=20, seed=1)
    assert drawn != make_points(random=20, seed=2)
    assert make_points(random=42) == make_points(random=500) == everything
    assert len(set(make_points(random=41))) == 41
    axes = [f"{name}=0:1:0.01" for name in ("title_weight", "lexical_weight", "vector_weight")]
    assert len(make_points(axes=axes, random=10)) == 10


def test_drawn_points_spread_over_every_axis() -> None:
    """Of 200 points of 20 by 20, each value of an axis is met (chance of a miss: 20 * .95^200)."""
    drawn = make_points(k1="1:20:1", b="0:0.95:0.05", random=200, seed=3)
    assert {p["k1"] for p in drawn} == {float(n) for n in range(1, 21)}
    assert len({p["b"] for p in drawn}) == 20


@pytest.mark.parametrize("random", [0, MAX_POINTS + 1])
def test_a_number_of_points_that_cannot_be_drawn_is_refused(random: int) -> None:
    """None, or more than a report can hold."""
    with pytest.raises(InputError):
        make_points(random=random)
