"""What of the standard library can a cold search do without?

A process that asks one question lives for less than fifty milliseconds. `typing`, `re`, `json`,
`functools` and `contextlib` together take it twenty, most of that for what it never uses, so the
modules a search loads keep to three habits:

- what only a type checker needs is imported below `TYPE_CHECKING`, a name that checkers take for
  true wherever it comes from, and that is False here without loading `typing`;
- what only some searches need is imported where they need it, with the reason beside it;
- the few things they do use come from here, where they cost next to nothing. (`bisect` is a module
  of C, and one in Python around it that takes longer to load.)
"""

from __future__ import annotations

import sys

try:
    from _bisect import bisect_left, bisect_right
except ImportError:  # pragma: no cover - another implementation of Python
    from bisect import bisect_left, bisect_right

__all__ = [
    "TYPE_CHECKING",
    "Protocol",
    "bisect_left",
    "bisect_right",
    "cached_property",
    "parse_json",
    "pattern",
    "suppress",
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable
    from contextlib import suppress
    from functools import cached_property
    from typing import Any, Protocol

    _Scan = Callable[[str, int], tuple[Any, int]]

if not TYPE_CHECKING:
    Protocol = object

    class cached_property:  # noqa: N801 - it stands for that of `functools`
        """A property that is worked out once and kept in the object, as `functools` has it."""

        def __init__(self, find: Callable[[Any], Any]) -> None:
            self._find = find
            self.__doc__ = find.__doc__

        def __set_name__(self, owner: type, name: str) -> None:
            self._name = name

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            # From now on the object's own entry is found before this.
            value = instance.__dict__[self._name] = self._find(instance)
            return value

    class suppress:  # noqa: N801 - it stands for that of `contextlib`
        """A block that some errors end quietly, as `contextlib` has it."""

        def __init__(self, *quiet: type[BaseException]) -> None:
            self._quiet = quiet

        def __enter__(self) -> None:
            pass

        def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
            return kind is not None and issubclass(kind, self._quiet)


_patterns: dict[str, re.Pattern[str]] = {}


def pattern(source: str) -> re.Pattern[str]:
    """A regular expression that is written in the code, compiled when it is first asked for.

    That takes longer than to look for ten words. What flags say is written in the expression:
    `(?m)`, `(?x)`.
    """
    found = _patterns.get(source)
    if found is None:
        import re  # most searches need none

        found = _patterns[source] = re.compile(source)
    return found


_Namespace: Any = type(sys.implementation)  # as of `types`, which need not be loaded for it
# What the scanner is told: everything as `json.loads` has it.
_SCANNING = _Namespace(
    strict=True,
    object_hook=None,
    object_pairs_hook=None,
    parse_float=float,
    parse_int=int,
    parse_constant=float,  # of `NaN`, `Infinity` and `-Infinity`
)
_scan: _Scan | None = None
try:  # the scanner that `json` itself uses; `json` loads `re` beside it
    from _json import make_scanner

    _scan = make_scanner(_SCANNING)
except ImportError:  # pragma: no cover - another implementation of Python
    pass


def parse_json(data: bytes | str) -> Any:
    """The value of a JSON text in UTF-8.

    Raises:
        ValueError: It is not one; the same error as that of `json.loads`.
    """
    text = data if isinstance(data, str) else data.decode("utf-8", "surrogatepass")
    if _scan is not None:
        whole = text.strip(" \t\n\r")
        try:
            value, end = _scan(whole, 0)
        except (StopIteration, ValueError):
            end = -1
        if end == len(whole):
            return value
    import json  # it says what is wrong, and where

    return json.loads(text)
