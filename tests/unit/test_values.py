"""Values behave as frozen dataclasses with slots do."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import pytest

from memidx.values import Value, asdict, field, replace


class Point(Value):
    """A place."""

    x: int
    y: int = 2
    names: Mapping[str, Any] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """Both together."""
        return self.x + self.y


@dataclasses.dataclass(frozen=True, slots=True)
class Twin:
    """The same as the standard library makes it."""

    x: int
    y: int = 2
    names: Mapping[str, Any] = dataclasses.field(default_factory=dict)


def test_fields_are_given_by_place_by_name_or_by_default() -> None:
    """Each way gives the same value, and a default that is made is made anew."""
    assert Point(1) == Point(x=1) == Point(1, 2, {}) == Point(1, names={}, y=2)
    assert Point(1).names is not Point(1).names
    assert Point(1).total == 3
    assert Point(1) != Point(2)
    assert Point(1) != Twin(1)


def test_it_says_what_the_standard_library_says() -> None:
    """Text, fields, copies, dicts and patterns are those of a dataclass."""
    assert repr(Point(1)) == repr(Twin(1)).replace("Twin", "Point")
    assert [f.name for f in dataclasses.fields(Point)] == ["x", "y", "names"]
    assert dataclasses.is_dataclass(Point(1))
    assert dataclasses.asdict(Point(1)) == asdict(Point(1)) == {"x": 1, "y": 2, "names": {}}
    assert dataclasses.replace(Point(1), y=5) == replace(Point(1), y=5) == Point(1, 5)
    assert Point.__match_args__ == Twin.__match_args__
    assert replace(Twin(1), x=3) == Twin(3)


def test_equal_values_have_equal_hashes() -> None:
    """A value is a key where all it holds are."""
    assert len({Point(1, 2, ()), Point(1, 2, ()), Point(2, 2, ())}) == 2  # type: ignore[arg-type]  # hashable
    with pytest.raises(TypeError):
        hash(Point(1))


def test_nothing_can_be_changed_or_added() -> None:
    """Fields are frozen, and there is no place for further ones."""
    point = Point(1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        point.x = 2  # type: ignore[misc]  # the test is that it fails
    with pytest.raises(dataclasses.FrozenInstanceError):
        del point.y
    with pytest.raises(AttributeError):
        point.z = 3  # type: ignore[attr-defined]  # likewise
    assert not hasattr(point, "__dict__")


@pytest.mark.parametrize(
    ("args", "given", "what"),
    [
        ((), {}, "needs a value for 'x'"),
        ((1, 2, {}, 4), {}, "takes 3 fields, and 4"),
        ((1,), {"z": 1}, "no field 'z'"),
        ((1,), {"x": 1}, "'x', or got it twice"),
    ],
)
def test_a_wrong_call_is_refused(args: tuple[Any, ...], given: dict[str, Any], what: str) -> None:
    """What is missing, unknown or given twice is named."""
    with pytest.raises(TypeError, match=what):
        Point(*args, **given)


def test_values_travel_between_processes() -> None:
    """Pickled and copied values are equal to what they were."""
    point = Point(1, 3, {"a": 1})
    assert pickle.loads(pickle.dumps(point)) == point
    assert copy.deepcopy(point) == point


def test_a_search_loads_neither_dataclasses_nor_inspect() -> None:
    """What values are there to save is saved."""
    code = "import sys, memidx; memidx.open; print({'dataclasses', 'inspect'} & {*sys.modules})"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "set()"
