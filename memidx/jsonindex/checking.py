"""Is a value of a JSON file what it has to be, and where in the file is it?

Every refusal names the file, the place in it, what would be right and what is there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any, NoReturn

from memidx.errors import StoreCorrupt

LARGEST_COUNT = 2**32 - 1
"""What a count may be at most: what an array of the snapshot holds."""

_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Checker:
    """Takes values out of an object, and says where in the file one is not what it must be.

    Attributes:
        path: The file.
        place: Where the object stands, such as `documents[3]`; empty for the outermost.
    """

    path: str
    place: str = ""

    def refuse(self, key: str, expected: str, found: Any) -> NoReturn:
        """Raise `StoreCorrupt` for the value at `key`; an empty key is the place itself."""
        where = f"{self.place}.{key}" if self.place and key else self.place or key
        raise StoreCorrupt(
            f"the index is damaged at {where}",
            path=self.path,
            expected=expected,
            found=found if isinstance(found, Absent) else shown(found),
            hint="make the file again, or build a store from the sources: `memidx build`",
        )

    def value(self, values: Mapping[str, Any], key: str, *, optional: bool, expected: str) -> Any:
        """The value of a key; None only where it is optional."""
        found = values.get(key)
        if found is None and not optional:
            self.refuse(key, expected, None if key in values else Absent("no such key"))
        return found

    def text(self, values: Mapping[str, Any], key: str, *, optional: bool = False) -> str | None:
        """A string that can be encoded; None only where it is optional."""
        found = self.value(values, key, optional=optional, expected="a string")
        if found is None:
            return None
        if not isinstance(found, str):
            self.refuse(key, "a string", found)
        if not is_text(found):
            self.refuse(key, "a string without half characters", ascii(found))
        return found

    def count(
        self, values: Mapping[str, Any], key: str, *, least: int = 0, optional: bool = False
    ) -> int | None:
        """A whole number from `least` on; None only where it is optional."""
        expected = f"a whole number from {least} to {LARGEST_COUNT}"
        found = self.value(values, key, optional=optional, expected=expected)
        if found is None:
            return None
        if type(found) is not int or not least <= found <= LARGEST_COUNT:
            self.refuse(key, expected, found)
        return found

    def number(self, values: Mapping[str, Any], key: str, *, optional: bool) -> float | None:
        """A finite number; None only where it is optional."""
        expected = "a finite number"
        found = self.value(values, key, optional=optional, expected=expected)
        if found is None:
            return None
        if type(found) is int and abs(found) < 2**53:
            return float(found)
        if not isinstance(found, float) or not isfinite(found):
            self.refuse(key, expected, found)
        return found


class Absent(str):
    """What an error says was found where nothing was."""

    __slots__ = ()


def is_text(text: str) -> bool:
    """Whether the string holds no half of a surrogate pair, which no file can hold."""
    if text.isascii():
        return True
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def shown(value: Any) -> str:
    """A value as an error shows it: one line, not too long, and free of what cannot be printed."""
    if isinstance(value, list | dict):
        return f"{'a list' if isinstance(value, list) else 'an object'} of {len(value)}"
    text = "null" if value is None else ascii(value) if isinstance(value, str) else str(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
