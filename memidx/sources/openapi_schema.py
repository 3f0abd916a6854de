"""What does a schema say, in lines to read and to search?

`$ref` is followed within the file. A schema with a name is told once in a text and only named from
then on, which ends every cycle and keeps a text near the size of what is new in it; a reference
that leaves the file is named and not fetched.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import unquote

_DEEPEST = 24
_MOST_LINES = 2000
_MOST_CHARACTERS = 1 << 21
# Places that are looked at for one text. Aliases of YAML are one place that is met again and again.
_MOST_STEPS = 50_000
_MOST_VALUES = 50
_LONGEST_CHAIN = 32
# More of a list than any person would write; it bounds what a file of aliases can stand for.
MOST_PARTS = 500


class Target(NamedTuple):
    """Where a reference leads.

    Attributes:
        value: What stands there, None where it is not in the file.
        name: What to call it.
        reference: The last one that was followed.
    """

    value: Any
    name: str = ""
    reference: str = ""


class References:
    """Follows `$ref` inside one document."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document

    def follow(self, value: Any) -> Target:
        """What a value stands for: itself, without a name, or what its `$ref` leads to."""
        target = Target(value)
        for _ in range(_LONGEST_CHAIN):
            value = target.value
            reference = value.get("$ref") if isinstance(value, dict) else None
            if not isinstance(reference, str):
                return target
            target = Target(self._at(reference), name_of(reference), reference)
        return target._replace(value=None)

    def _at(self, reference: str) -> Any:
        if not reference.startswith("#"):
            return None
        value: Any = self._document
        for part in reference[1:].split("/")[1:]:
            key = unquote(part).replace("~1", "/").replace("~0", "~")
            if isinstance(value, dict):
                value = value.get(key)
            elif isinstance(value, list) and key.isdecimal() and len(key) < 9:
                value = value[int(key)] if int(key) < len(value) else None
            else:
                return None
        return value


class Writer:
    """Writes schemas as lines; what it has told once it does not tell again.

    Attributes:
        is_cut: Whether there was more than it may write.
    """

    def __init__(self, references: References) -> None:
        self._references = references
        self._told: set[str] = set()
        self._lines_left = _MOST_LINES
        self._steps_left = _MOST_STEPS
        self._characters_left = _MOST_CHARACTERS
        self.is_cut = False

    def kind(self, schema: Any) -> str:
        """What a value of this schema is, in a few words: `array of Pet`, `string (uuid)`."""
        return self._kind(schema, 0)

    def lines(self, schema: Any, indent: str = "") -> Iterator[str]:
        """A line a property, those of inner objects further in."""
        yield from self._lines(schema, indent, 0)

    def bounded(self, lines: Iterable[str]) -> Iterator[str]:
        """The lines, as far as there is room for them in one text."""
        for line in lines:
            self._characters_left -= len(line)
            if self._characters_left < 0:
                self.is_cut = True
                return
            yield line

    def _may_look(self, depth: int) -> bool:
        self._steps_left -= 1
        if depth > _DEEPEST or self._steps_left < 0:
            self.is_cut = True
            return False
        return True

    def _kind(self, schema: Any, depth: int) -> str:
        if isinstance(schema, dict) and isinstance(schema.get("$ref"), str):
            return name_of(schema["$ref"])
        if not isinstance(schema, dict) or not self._may_look(depth):
            return ""
        for key, word in (("oneOf", " or "), ("anyOf", " or "), ("allOf", " and ")):
            parts = _list(schema.get(key))
            names = [name for part in parts if (name := self._kind(part, depth + 1))]
            if names:
                return word.join(dict.fromkeys(names))
        stated = schema.get("type")
        if isinstance(stated, list):
            name = " or ".join(plain(part) for part in stated[:MOST_PARTS])
        else:
            name = plain(stated)
        if "items" in schema:
            return f"array of {self._kind(schema['items'], depth + 1) or 'values'}"
        if not name and ("properties" in schema or "additionalProperties" in schema):
            name = "object"
        form = plain(schema.get("format"))
        return f"{name} ({form})" if form and name else name or form

    def _lines(self, schema: Any, indent: str, depth: int) -> Iterator[str]:
        if not self._may_look(depth):
            return
        target = self._references.follow(schema)
        if target.reference:
            if target.reference in self._told:
                return
            self._told.add(target.reference)
        schema = target.value
        if not isinstance(schema, dict):
            return
        if target.name and (said := about(schema)):
            yield from self._line(f"{indent}{target.name}: {said}")
        if "enum" in schema or "const" in schema:
            yield from self._line(f"{indent}{_values(schema)}")
        for key in ("allOf", "oneOf", "anyOf"):
            for part in _list(schema.get(key)):
                yield from self._lines(part, indent, depth + 1)
        required = _list(schema.get("required"))
        properties = schema.get("properties")
        for name, inner in properties.items() if isinstance(properties, dict) else ():
            if self._lines_left <= 0 or self._steps_left < 0:
                self.is_cut = True
                return
            yield from self._property(name, inner, indent, depth, required=name in required)
        if isinstance(schema.get("additionalProperties"), dict):
            yield from self._property(
                "*", schema["additionalProperties"], indent, depth, required=False
            )
        if "items" in schema:
            yield from self._lines(schema["items"], indent, depth + 1)

    def _property(
        self, name: str, schema: Any, indent: str, depth: int, *, required: bool
    ) -> Iterator[str]:
        yield from self._line(
            f"{indent}- {described(name, self.facts(schema, required=required), schema)}"
        )
        yield from self._lines(schema, f"{indent}  ", depth + 1)

    def facts(self, schema: Any, *, required: bool) -> list[str]:
        """What stands in brackets behind a name: kind, `required`, `deprecated` and the like."""
        words = [self.kind(schema)]
        words += ["required"] if required else []
        if isinstance(schema, dict):
            names = {"deprecated": "deprecated", "readOnly": "read only", "writeOnly": "write only"}
            words += [word for key, word in names.items() if schema.get(key) is True]
        return [word for word in words if word]

    def _line(self, line: str) -> Iterator[str]:
        if self._lines_left <= 0:
            self.is_cut = True
            return
        self._lines_left -= 1
        yield line


def described(name: str, facts: list[str], value: Any) -> str:
    """`name (facts): description`."""
    said = about(value)
    return (
        f"{name} ({', '.join(facts)})" * bool(facts)
        + name * (not facts)
        + (f": {said}" if said else "")
    )


def about(value: Any) -> str:
    """The title and the description of something, on one line."""
    if not isinstance(value, dict):
        return ""
    parts = (plain(value.get("title")), plain(value.get("description")))
    return " - ".join(" ".join(part.split()) for part in dict.fromkeys(parts) if part)


def plain(value: Any) -> str:
    """A scalar as text; nothing for what is none."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int | float) else ""


def name_of(reference: str) -> str:
    """What to call the target of a reference: its last part, or all of it outside of the file."""
    if not reference.startswith("#"):
        return reference
    return unquote(reference.rpartition("/")[2]).replace("~1", "/").replace("~0", "~") or reference


def _values(schema: Mapping[str, Any]) -> str:
    values = _list(schema.get("enum")) or [schema.get("const")]
    shown = [text for value in values[:_MOST_VALUES] if (text := plain(value))]
    more = ", …" if len(values) > _MOST_VALUES else ""
    return f"one of: {', '.join(shown)}{more}" if shown else "one of several values"


def _list(value: Any) -> list[Any]:
    return value[:MOST_PARTS] if isinstance(value, list) else []
