"""Which plain values does this YAML hold?

A reader for YAML written by strangers. It builds values from the parser's events, so that no tag
can name code, nesting and aliases are bounded before anything is built, and every value is JSON:

- `true false null ~`, whole and decimal numbers as in YAML 1.2, and only where the number prints
  back as it was written: `007`, `1.10`, `12:30`, `1e999` and `.inf` stay text, so does `yes`;
- dates stay text, in the normal form of `memidx.text.dates`;
- keys are text, as written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from memidx.text.dates import parse_time

_MAX_DEPTH = 64
# Values after aliases are written out; a kilobyte of nested aliases can stand for billions.
_MAX_VALUES = 200_000
_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)
_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}(?:[Tt \t].{0,40})?", re.ASCII)
_CONSTANTS = {
    "": None,
    "~": None,
    "null": None,
    "Null": None,
    "NULL": None,
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}
_TAG = "tag:yaml.org,2002:"
_TEXT_TAGS = frozenset({"!", _TAG + "str", _TAG + "timestamp"})
_SCALAR_TAGS = frozenset(_TAG + name for name in ("null", "bool", "int", "float"))
_COLLECTION_TAGS = frozenset(_TAG + name for name in ("map", "seq", "omap", "set", "pairs"))


class BadYaml(ValueError):  # noqa: N818 - named for what it is, like Undecodable
    """Text that is not YAML, or YAML that is not read here.

    Args:
        reason: What was wrong.
        line: 1-based line of the text where it was seen, if known.
    """

    def __init__(self, reason: str, line: int | None) -> None:
        self.reason = reason
        self.line = line
        super().__init__(reason if line is None else f"line {line}: {reason}")


def load(text: str) -> Any:
    """The value of the first YAML document in a text; None for an empty one.

    Raises:
        BadYaml: Not YAML, tags that are not plain values, keys that are not scalars, nested
            deeper than 64, or more than 200,000 values once aliases are written out.
    """
    events = _Events(text)
    if not events.enter_document():
        return None
    return events.value(events.next(), 0)


class Place(NamedTuple):
    """An entry of a mapping: the keys that lead to it, the line its key stands on, its value."""

    keys: tuple[str, ...]
    line: int
    value: Any


def load_with_places(
    text: str, depth: int, *, max_values: int = _MAX_VALUES
) -> tuple[Any, list[Place]]:
    """As `load`, and every entry of the mappings down to `depth` keys deep.

    An entry comes after the entries inside it; a key that a mapping has twice is there twice.

    Args:
        max_values: How many values there may be once aliases are written out.
    """
    events = _Events(text)
    events.max_values, events.places_depth = max_values, depth
    if not events.enter_document():
        return None, []
    return events.value(events.next(), 0), events.places


def load_list(text: str) -> Iterator[tuple[int, Any]]:
    """Items of a YAML list with the 1-based line each begins on, as far as the text is sound.

    Raises:
        BadYaml: As `load`, or when the document is not a list; items before a break have
            been handed out by then.
    """
    events = _Events(text)
    if not events.enter_document():
        return
    start = events.next()
    if type(start).__name__ != "SequenceStartEvent":
        raise BadYaml("is not a list of records", events.line_of(start))
    while True:
        event = events.next()
        if type(event).__name__ == "SequenceEndEvent":
            return
        yield events.line_of(event), events.value(event, 1)


def scalar(text: str) -> Any:
    """The value of an unquoted YAML scalar, by the rules of this module."""
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    first = text[0]
    if first in "0123456789+-.":
        if _NUMBER.fullmatch(text):
            return _number(text)
        if _DATE.fullmatch(text):
            return parse_time(text) or text
    return text


def _number(text: str) -> Any:
    try:
        value: int | float = float(text) if set(text) & set(".eE") else int(text)
    except ValueError:  # more digits than `int` converts
        return text
    return value if repr(value) == text else text


class _Events:
    """The parser's events, pulled one at a time, and the values they make."""

    def __init__(self, text: str) -> None:
        # PyYAML is loaded only when something holds YAML: a query on a ready index never does.
        import yaml

        self._error = yaml.YAMLError
        self._loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._open: set[str] = set()
        self._count = 0
        self._keys: tuple[str, ...] = ()
        self.max_values = _MAX_VALUES
        self.places: list[Place] = []
        self.places_depth = 0

    def next(self) -> Any:
        try:
            return self._loader.get_event()
        except self._error as error:
            mark = getattr(error, "problem_mark", None)
            reason = str(getattr(error, "problem", None) or error).splitlines()[0]
            raise BadYaml(f"is not YAML: {reason}", mark.line + 1 if mark else None) from error
        except (ValueError, RecursionError) as error:
            raise BadYaml(f"is not YAML: {type(error).__name__}", None) from error

    def line_of(self, event: Any) -> int:
        return int(event.start_mark.line) + 1

    def enter_document(self) -> bool:
        self.next()
        return type(self.next()).__name__ == "DocumentStartEvent"

    def value(self, event: Any, depth: int) -> Any:
        kind = type(event).__name__
        self._count += 1
        if self._count > self.max_values:
            raise BadYaml(f"holds more than {self.max_values:,} values", self.line_of(event))
        if depth > _MAX_DEPTH:
            raise BadYaml(f"is nested deeper than {_MAX_DEPTH}", self.line_of(event))
        if kind == "AliasEvent":
            return self._alias(event)
        before = self._count
        anchor = event.anchor
        if anchor is not None:
            self._open.add(anchor)
        if kind == "ScalarEvent":
            value = self._scalar(event)
        elif kind == "SequenceStartEvent":
            value = self._sequence(event, depth)
        else:
            value = self._mapping(event, depth)
        if anchor is not None:
            self._open.discard(anchor)
            self._anchors[anchor] = (value, self._count - before + 1)
        return value

    def _alias(self, event: Any) -> Any:
        if event.anchor in self._open or event.anchor not in self._anchors:
            raise BadYaml(f"has an alias that leads nowhere: *{event.anchor}", self.line_of(event))
        value, size = self._anchors[event.anchor]
        self._count += size
        if self._count > self.max_values:
            raise BadYaml(f"holds more than {self.max_values:,} values", self.line_of(event))
        return value

    def _scalar(self, event: Any) -> Any:
        if event.tag is None:
            return scalar(event.value) if event.implicit[0] else event.value
        if event.tag in _TEXT_TAGS:
            return event.value
        if event.tag in _SCALAR_TAGS:
            return scalar(event.value)
        raise self._bad_tag(event)

    def _sequence(self, event: Any, depth: int) -> list[Any]:
        if event.tag not in _COLLECTION_TAGS and event.tag is not None and event.tag != "!":
            raise self._bad_tag(event)
        values: list[Any] = []
        while True:
            item = self.next()
            if type(item).__name__ == "SequenceEndEvent":
                return values
            values.append(self.value(item, depth + 1))

    def _mapping(self, event: Any, depth: int) -> dict[str, Any]:
        if event.tag not in _COLLECTION_TAGS and event.tag is not None and event.tag != "!":
            raise self._bad_tag(event)
        values: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        while True:
            key = self.next()
            if type(key).__name__ == "MappingEndEvent":
                return {**merged, **values}
            name = self._key(key)
            # Mappings alone lead down to a place: the entries of a list have no keys.
            placed = depth == len(self._keys) < self.places_depth
            above = self._keys
            self._keys = (*above, name) if placed else above
            value = self.value(self.next(), depth + 1)
            self._keys = above
            if placed:
                self.places.append(Place((*above, name), self.line_of(key), value))
            if name == "<<" and key.implicit[0]:
                for other in value if isinstance(value, list) else [value]:
                    if not isinstance(other, dict):
                        raise BadYaml("merges something that is not a mapping", self.line_of(key))
                    merged = {**other, **merged}
            else:
                values[name] = value

    def _key(self, event: Any) -> str:
        kind = type(event).__name__
        if kind == "AliasEvent":
            value = self._alias(event)
            if isinstance(value, str):
                return value
        elif kind == "ScalarEvent":
            if event.anchor is not None:
                self._anchors[event.anchor] = (event.value, 1)
            return str(event.value)
        raise BadYaml("has a key that is not a scalar", self.line_of(event))

    def _bad_tag(self, event: Any) -> BadYaml:
        return BadYaml(f"has a tag that is not a plain value: {event.tag}", self.line_of(event))
