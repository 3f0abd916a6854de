"""Which settings does a point of a grid stand for?

A point gives values to some settings of a ranking and leaves the others as they are. An axis has
the name of its key in the configuration: `k1`, `fusion`; of a source it is `NAME.weight`,
`NAME.decay` or `NAME.decay_floor`. `*.decay` and `*.decay_floor` mean all sources that decay.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memidx.errors import InputError
from memidx.search.ranking import RankSettings, SourceFactors

Value = float | str

SEARCH_AXES = (
    "strategy",
    "k1",
    "b",
    "title_weight",
    "lexical_weight",
    "vector_weight",
    "fusion",
    "min_score",
)
SOURCE_AXES = ("weight", "decay", "decay_floor")
EVERY_SOURCE = "*"


@dataclass(frozen=True, slots=True)
class Point:
    """Values by axis, in the order of `axis_order`; make one with `point`."""

    values: tuple[tuple[str, Value], ...]

    @property
    def axes(self) -> tuple[str, ...]:
        """Names of the settings that it gives a value to."""
        return tuple(name for name, _ in self.values)

    def __getitem__(self, axis: str) -> Value:
        """The value of one of its axes."""
        return dict(self.values)[axis]

    def __str__(self) -> str:
        """`k1 1.2 b 0.75`."""
        return " ".join(f"{name} {show_value(value)}" for name, value in self.values)

    def to_dict(self) -> dict[str, Value]:
        """As JSON values."""
        return dict(self.values)


def point(values: Mapping[str, Value]) -> Point:
    """A point of these values, whatever their order."""
    return Point(tuple((name, values[name]) for name in sorted(values, key=axis_order)))


def axis_order(name: str) -> tuple[int, str, int]:
    """Where an axis stands among others: settings of the search first, then by source."""
    source, key = split_axis(name)
    if source is None:
        return SEARCH_AXES.index(key), "", 0
    return len(SEARCH_AXES), source, SOURCE_AXES.index(key)


def split_axis(name: str) -> tuple[str | None, str]:
    """The source that an axis is about, or None, and the key.

    Raises:
        InputError: There is no such setting.
    """
    source, dot, key = name.rpartition(".")
    if (dot and source and key in SOURCE_AXES) and not (source == EVERY_SOURCE and key == "weight"):
        return source, key
    if not dot and key in SEARCH_AXES:
        return None, key
    expected = ", ".join((*SEARCH_AXES, *(f"SOURCE.{key}" for key in SOURCE_AXES)))
    raise InputError("there is no such axis", expected=expected, found=name)


def settings_at(at: Point, settings: RankSettings) -> RankSettings:
    """Settings with the point's values over them.

    Raises:
        InputError: It is about a source that there is not.
    """
    search: dict[str, Any] = {}
    factors = dict(settings.factors)
    for name, value in at.values:
        source, key = split_axis(name)
        if source is None:
            search[key] = value
            continue
        for one in _sources(source, settings.factors):
            changed: dict[str, Any] = {key: value}
            factors[one] = replace(factors[one], **changed)
    return replace(settings, search=replace(settings.search, **search), factors=factors)


def current_point(axes: Sequence[str], settings: RankSettings) -> Point:
    """The point of these axes that changes nothing.

    Raises:
        InputError: It is about a source that there is not, or about sources that differ.
    """
    values: dict[str, Value] = {}
    for name in axes:
        source, key = split_axis(name)
        if source is None:
            values[name] = getattr(settings.search, key)
            continue
        chosen = _sources(source, settings.factors)
        found = {getattr(settings.factors[one], key) for one in chosen}
        if len(found) > 1:
            expected = f"one {key} for all of {', '.join(chosen)}, or an axis a source"
            raise InputError(f"{name} has no current value", expected=expected)
        values[name] = found.pop()
    return point(values)


def show_value(value: Value) -> str:
    """A number without needless digits, a name as it is."""
    return value if isinstance(value, str) else f"{value:.10g}"


def _sources(source: str, factors: Mapping[str, SourceFactors]) -> list[str]:
    if source == EVERY_SOURCE:
        decaying = [name for name, found in factors.items() if found.decay > 0.0]
        if not decaying:
            raise InputError("no source decays, so there is nothing that *.decay means")
        return decaying
    if source not in factors:
        there = ", ".join(sorted(factors)) or "none (a collection has no sources)"
        raise InputError("no source has this name", expected=there, found=source)
    return [source]
