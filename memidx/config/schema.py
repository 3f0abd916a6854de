"""What may be set, and to what?

A rule a key, and how a table of values is held against its rules. A key without a rule is an error,
because a setting that silently does nothing is worse than none.
"""

from __future__ import annotations

from memidx.errors import ConfigError
from memidx.light import TYPE_CHECKING, pattern
from memidx.values import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


class Rule(NamedTuple):
    """What a key takes: a check that is only called with the right type, and how to say it."""

    types: tuple[type, ...]
    expected: str
    valid: Callable[[Any], bool] = lambda value: True


class Place(NamedTuple):
    """Where a value was written, for messages: file, its text, table, and which of several."""

    file: str | None
    text: str
    table: str = ""
    nth: int = 0

    def refuse(self, key: str, what: str, **details: str | None) -> ConfigError:
        """The error about a key of this place, with its line where that can be found."""
        from memidx.text.toml_lines import line_of_key  # only on the way to an error

        prefix = "tool.memidx" if self.file and self.file.endswith("pyproject.toml") else ""
        line = line_of_key(self.text, key, table=self.table, nth=self.nth, prefix=prefix)
        return ConfigError(what, path=self.file, line=line, **details)


def _path_rule(expected: str) -> Rule:
    return Rule((str,), expected, lambda value: bool(value.strip()) and "\0" not in value)


def _choice(*names: str) -> Rule:
    return Rule((str,), "one of " + ", ".join(names), lambda value: value in names)


FIELDS = ("id", "title", "text", "time", "tags")
TABLES = ("analysis", "search", "log", "sources")
# Variables that are not named after the key alone.
ENV_NAMES = {("log", "queries"): "MEMIDX_QUERY_LOG"}

_TEXT = Rule((str,), "text")
_NAME = Rule(
    (str,),
    "a name of letters, digits, `_`, `-` and `.`",
    lambda value: (
        0 < len(value) <= 64
        and value[0] not in ".-"
        and all(character.isalnum() or character in "_.-" for character in value)
    ),
)
_SWITCH = Rule((bool,), "true or false")
_POSITIVE = Rule((int, float), "a number above 0", lambda value: 0 < value < 1e300)
_NOT_NEGATIVE = Rule((int, float), "a number of 0 or more", lambda value: 0 <= value < 1e300)
_SHARE = Rule((int, float), "a number from 0 to 1", lambda value: 0 <= value <= 1)
_PATTERNS = Rule(
    (list,),
    "a list of globs relative to root",
    lambda value: all(isinstance(glob, str) and glob.strip() for glob in value),
)
# No range, no path in a tree, no search, no place of a reflog: one commit, the same everywhere.
_REVISION = Rule(
    (str,),
    "one revision: a commit, a tag or a branch, without blanks, `..`, `:` and `@{`",
    lambda value: (
        pattern(r"(?![-/^~])[^\s\0-\x1f\x7f:?*\[\\]{1,250}").fullmatch(value) is not None
        and ".." not in value
        and "@{" not in value
    ),
)
SCHEMA: Mapping[str, Mapping[str, Rule]] = {
    "": {
        "project_name": _TEXT,
        "framework": _TEXT,
        "store": _path_rule("a path"),
        "max_document_bytes": Rule((int,), "a whole number above 0", lambda value: value > 0),
        "incremental_sed": _SWITCH,
    },
    "analysis": {
        "analyzer": _choice("default", "ascii-compat"),
        "aliases": _path_rule("a path"),
    },
    "search": {
        "strategy": _choice("lexical", "vector", "hybrid"),
        "k1": _NOT_NEGATIVE,
        "b": _SHARE,
        "title_weight": _NOT_NEGATIVE,
        "lexical_weight": _NOT_NEGATIVE,
        "vector_weight": _NOT_NEGATIVE,
        "fusion": _choice("weighted", "rrf"),
        "min_score": _SHARE,
        "calibration": _path_rule("a path"),
        "calibration_drift": _SHARE,
    },
    "log": {"queries": _SWITCH},
    "sources": {
        "name": _NAME,
        "kind": _TEXT,
        "include": _PATTERNS,
        "exclude": _PATTERNS,
        "weight": _POSITIVE,
        "decay": _NOT_NEGATIVE,
        "decay_floor": _SHARE,
        "fields": Rule(
            (dict,),
            "a table of " + ", ".join(FIELDS) + " to the names of a record's fields",
            lambda value: all(isinstance(name, str) and name for name in value.values()),
        ),
        "repos": Rule(
            (list,),
            "a list of folders relative to root, each a path or {name = …, path = …}",
            lambda value: all(isinstance(repo, str | dict) for repo in value),
        ),
        "until": _REVISION,
    },
}


def checked(place: Place, values: Any) -> dict[str, Any]:
    """The values of one table, each against its rule.

    Raises:
        ConfigError: No table, an unknown key, or a value that a key cannot have.
    """
    rules = SCHEMA[place.table]
    if not isinstance(values, dict):
        above = place._replace(table="")
        raise above.refuse(place.table, f"{place.table} is not a table", found=repr(values)[:80])
    for key, value in values.items():
        rule = rules.get(key)
        if rule is None:
            raise unknown(place, key, (*rules, *(() if place.table else TABLES)))
        # A bool is an int, but no number.
        right = isinstance(value, rule.types) and isinstance(value, bool) == (bool in rule.types)
        if not right or not rule.valid(value):
            what = f"{key} cannot have this value"
            raise place.refuse(key, what, expected=rule.expected, found=repr(value)[:80])
    return {key: float(v) if float in rules[key].types else v for key, v in values.items()}


def unknown(place: Place, key: str, known: tuple[str, ...]) -> ConfigError:
    """The error about a key that is none of the known ones, with the nearest of them."""
    # Loaded only on the way to an error.
    import difflib

    home = {name: f" in [{table}]" for table in TABLES[:-1] for name in SCHEMA[table]}
    home.update((name, "") for name in known)
    near = difflib.get_close_matches(key, home, n=1, cutoff=0.6)
    return place.refuse(
        key,
        f"unknown key {key!r}" + (f" in [{place.table}]" if place.table else ""),
        expected="one of " + ", ".join(known),
        hint=f"did you mean {near[0]!r}{home[near[0]]}?" if near else None,
    )
