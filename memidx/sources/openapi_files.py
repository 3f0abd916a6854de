"""What does an OpenAPI file hold, and on which line is each operation?

JSON and YAML, as plain values. The mappings that lead to an operation (`paths`, the route, the
method) are read with the lines of their keys, and a key that stands there twice is given twice;
everything below is read at the speed of the format's own parser.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from memidx.text import safe_yaml
from memidx.text.safe_yaml import BadYaml, Place

# The operations stand below one of these, by route or by name.
SECTIONS = ("paths", "webhooks")
_DEPTH = 3
# The largest published descriptions have about a million.
_MAX_VALUES = 4_000_000
_SPACE = re.compile(r"[ \t\n\r]*")


class Unreadable(ValueError):  # noqa: N818 - named for what it is, like Undecodable
    """A file that is not JSON or YAML.

    Args:
        reason: What was wrong, fit to be shown after the file's path.
        line: 1-based line, if known.
    """

    def __init__(self, reason: str, line: int | None) -> None:
        self.reason = reason
        self.line = line
        super().__init__(reason)


class Found(NamedTuple):
    """One entry of a path item.

    Attributes:
        section: `paths` or `webhooks`.
        route: Key of the path item.
        route_line: Line of that key.
        method: Key inside it; None where the path item is none.
        line: Line of the method's key, or of the route's where the method was taken from elsewhere.
        item: The path item.
        value: What the method's key has.
    """

    section: str
    route: str
    route_line: int
    method: str | None
    line: int
    item: Any
    value: Any


def read_values(path: str, text: str) -> tuple[Any, list[Place]]:
    """The value of a file, and the entries of its mappings that may lead to an operation.

    Raises:
        Unreadable: It is not JSON or YAML, or too much of it.
    """
    is_json = path.lower().endswith(".json")
    if is_json or text.lstrip()[:1] == "{":
        try:
            return _Json(text).read()
        except Unreadable:
            if is_json:
                raise
    try:
        return safe_yaml.load_with_places(text, _DEPTH, max_values=_MAX_VALUES)
    except BadYaml as error:
        raise Unreadable(error.reason, error.line) from error


def entries(document: dict[str, Any], places: list[Place]) -> Iterator[Found]:
    """Every entry of every path item, in the file's order."""
    inside: list[Place] = []
    seen: set[tuple[str, ...]] = set()
    for place in places:
        if len(place.keys) == _DEPTH:
            inside.append(place)
        elif len(place.keys) == 2:
            own, inside = inside, []
            if place.keys[0] in SECTIONS and not _is_merge(place):
                seen.add(place.keys)
                yield from _path_item(place, own)
        elif place.keys[0] in SECTIONS:
            # By a merge key, a section has path items that stand elsewhere.
            (section,) = place.keys
            items = document.get(section)
            for route, item in items.items() if isinstance(items, dict) else ():
                if (section, route) not in seen:
                    yield from _path_item(Place((section, route), place.line, item), [])


def _path_item(place: Place, own: list[Place]) -> Iterator[Found]:
    section, route = place.keys
    item = place.value
    if not isinstance(item, dict):
        yield Found(section, route, place.line, None, place.line, item, item)
        return
    own = [entry for entry in own if not _is_merge(entry)]
    for entry in own:
        yield Found(section, route, place.line, entry.keys[2], entry.line, item, entry.value)
    # By an alias or a merge key, a path item has what stands elsewhere.
    here = {entry.keys[2] for entry in own}
    for method, value in item.items():
        if method not in here:
            yield Found(section, route, place.line, method, place.line, item, value)


def _is_merge(place: Place) -> bool:
    return place.keys[-1] == "<<"


class _Json:
    """A reader that walks the outer objects itself and leaves the rest to `json`."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._decoder = json.JSONDecoder()
        self._line, self._counted = 1, 0
        self.places: list[Place] = []

    def read(self) -> tuple[Any, list[Place]]:
        """The value and its places.

        Raises:
            Unreadable: It is not JSON.
        """
        value, end = self._value(self._skip(0), ())
        end = self._skip(end)
        if end < len(self._text):
            raise Unreadable("is not JSON: text follows after its end", self._line_at(end))
        return value, self.places

    def _value(self, at: int, keys: tuple[str, ...]) -> tuple[Any, int]:
        if self._text[at : at + 1] == "{" and len(keys) < _DEPTH and _leads(keys):
            return self._object(at + 1, keys)
        try:
            return self._decoder.raw_decode(self._text, at)
        except json.JSONDecodeError as error:
            line = self._text.count("\n", 0, error.pos) + 1
            raise Unreadable(f"is not JSON: {error.msg}", line) from error
        except RecursionError as error:
            raise Unreadable("is nested too deep", self._line_at(at)) from error
        except ValueError as error:  # a number with more digits than Python converts
            raise Unreadable("is not JSON: a number is too long", self._line_at(at)) from error

    def _object(self, at: int, keys: tuple[str, ...]) -> tuple[dict[str, Any], int]:
        values: dict[str, Any] = {}
        at = self._skip(at)
        if self._text[at : at + 1] == "}":
            return values, at + 1
        while True:
            if self._text[at : at + 1] != '"':
                raise Unreadable("is not JSON: a key in quotes expected", self._line_at(at))
            line = self._line_at(at)
            key, at = self._value(at, (*keys, ""))
            at = self._skip(at)
            if self._text[at : at + 1] != ":":
                raise Unreadable("is not JSON: `:` expected", self._line_at(at))
            inner = (*keys, str(key))
            value, at = self._value(self._skip(at + 1), inner)
            values[inner[-1]] = value
            self.places.append(Place(inner, line, value))
            at = self._skip(at)
            mark = self._text[at : at + 1]
            if mark == "}":
                return values, at + 1
            if mark != ",":
                raise Unreadable("is not JSON: `,` or `}` expected", self._line_at(at))
            at = self._skip(at + 1)

    def _skip(self, at: int) -> int:
        found = _SPACE.match(self._text, at)
        return found.end() if found else at

    def _line_at(self, at: int) -> int:
        """Line of a place; places are asked for in ascending order."""
        self._line += self._text.count("\n", self._counted, at)
        self._counted = max(self._counted, at)
        return self._line


def _leads(keys: tuple[str, ...]) -> bool:
    return not keys or keys[0] in SECTIONS
