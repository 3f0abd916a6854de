"""Is this a suite, and if not, what is wrong on which line?

The rules are those of `suite.schema.json`; a test holds the two together. They are written out
here because a schema validator knows paths, not lines, and would be one more dependency of the
main job.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from memidx.errors import SuiteError
from memidx.evals.located import Lines, Path
from memidx.evals.suite import (
    CATEGORIES,
    DEFAULT_K,
    MAX_K,
    OVERALL,
    SEVERITIES,
    Expectation,
    Floor,
    GoldenQuery,
    Suite,
)

_CUTOFF = "@(?:[1-9][0-9]{0,2}|1000)"
_MEASURE = re.compile(rf"(?:(?:nDCG|RR|AP)(?:{_CUTOFF})?|(?:R|P|Success|Judged){_CUTOFF})")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_BLANK = " \t\n\r\f\v"
_SHOWN = 5


class _Problem(NamedTuple):
    line: int
    what: str
    expected: str | None = None
    found: str | None = None


class _Check:
    """Collects what is wrong, so that one run names everything."""

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.problems: list[_Problem] = []

    def wrong(self, path: Path, what: str, expected: str | None = None, found: Any = None) -> None:
        shown = None if found is None else _shorten(found)
        self.problems.append(_Problem(self.line(path), what, expected, shown))

    def line(self, path: Path) -> int:
        while path not in self.lines and path:
            path = path[:-1]
        return self.lines.get(path, 1)


def suite_from(data: Any, lines: Lines, file: str) -> Suite:
    """A suite from the values of its file.

    Args:
        data: What `read_located` returned.
        lines: The line of each value.
        file: Name of the file, for messages.

    Raises:
        SuiteError: For the first thing wrong; its hint lists the others.
    """
    check = _Check(lines)
    suite = _suite(check, data, file)
    if suite is None or check.problems:
        raise _suite_error(check.problems, file)
    return suite


def _suite(check: _Check, data: Any, file: str) -> Suite | None:
    if not isinstance(data, dict):
        check.wrong((), "not a suite", "a mapping with version and queries", data)
        return None
    _keys(check, (), data, _SUITE_KEYS, required=("version", "queries"))
    version = data.get("version", 1)
    if isinstance(version, bool) or version != 1:
        check.wrong(("version",), "an unknown version of the suite format", "1", version)
    as_of = data.get("as_of")
    if "as_of" in data and not _is_date(as_of):
        check.wrong(("as_of",), "as_of is not a date", "YYYY-MM-DD", as_of)
    provenance = _text(check, ("provenance",), data) if "provenance" in data else None
    queries = data.get("queries", [])
    if not isinstance(queries, list) or ("queries" in data and not queries):
        check.wrong(("queries",), "queries is not a list with entries", found=queries)
        queries = []
    return Suite(
        file=file,
        queries=tuple(
            query
            for i, entry in enumerate(queries)
            if (query := _query(check, ("queries", i), entry, provenance)) is not None
        ),
        floors=_floors(check, data),
        as_of=as_of if isinstance(as_of, str) else None,
        digest=_digest(data),
    )


def _floors(check: _Check, data: Mapping[str, Any]) -> tuple[Floor, ...]:
    if "floors" not in data:
        return ()
    scopes = data["floors"]
    if not isinstance(scopes, dict):
        check.wrong(("floors",), "floors is not a mapping", "{overall: {nDCG@10: 0.5}}", scopes)
        return ()
    floors = []
    for scope, measures in scopes.items():
        path: Path = ("floors", scope)
        _one_of(check, path, "floors for an unknown category", scope, (OVERALL, *CATEGORIES))
        if not isinstance(measures, dict) or not measures:
            check.wrong(path, f"floors of {scope} is not a mapping of measures", found=measures)
            continue
        for measure, minimum in measures.items():
            here: Path = (*path, measure)
            if not is_measure(measure):
                expected = "nDCG@k, RR@k, AP, R@k, P@k, Success@k or Judged@k, k up to 1000"
                check.wrong(here, "an unknown measure", expected, measure)
            elif not _is_number(minimum) or not 0 <= minimum <= 1:
                check.wrong(here, "a floor is out of range", "a number from 0 to 1", minimum)
            else:
                floors.append(Floor(scope, measure, float(minimum), check.line(here)))
    return tuple(floors)


def is_measure(name: str) -> bool:
    """Whether a name is that of a measure, with the cutoff it needs."""
    return _MEASURE.fullmatch(name) is not None


def _query(check: _Check, path: Path, entry: Any, provenance: str | None) -> GoldenQuery | None:
    if not isinstance(entry, dict):
        check.wrong(path, "a query is not a mapping", "{id: …, query: …}", entry)
        return None
    n_before = len(check.problems)
    _keys(check, path, entry, _QUERY_KEYS, required=("id", "query"))
    for key in ("id", "query", "why", "provenance", "top1"):
        if key in entry:
            _text(check, (*path, key), entry)
    expect_empty = entry.get("expect_empty", False)
    if not isinstance(expect_empty, bool):
        check.wrong(
            (*path, "expect_empty"), "expect_empty is not true or false", found=expect_empty
        )
    category = entry.get("category", "no-answer" if expect_empty is True else "keyword")
    _one_of(check, (*path, "category"), "an unknown category", category, CATEGORIES)
    severity = entry.get("severity", "must")
    _one_of(check, (*path, "severity"), "an unknown severity", severity, SEVERITIES)
    k = entry.get("k", DEFAULT_K)
    if not _is_whole(k) or not 1 <= k <= MAX_K:
        check.wrong((*path, "k"), "k is out of range", f"a whole number from 1 to {MAX_K}", k)
        k = DEFAULT_K
    if severity == "known_gap" and "why" not in entry:
        check.wrong(path, "a known_gap without why", "why: what stands in the way")
    if not (entry.keys() & _LABEL_KEYS) and expect_empty is not True:
        expected = "expect_paths, expect_sources, must_not, top1 or expect_empty: true"
        check.wrong(path, "a query that expects nothing", expected)
    expect_paths = _entries(check, (*path, "expect_paths"), entry, _expectation)
    expect_sources = _entries(check, (*path, "expect_sources"), entry, _plain)
    must_not = _entries(check, (*path, "must_not"), entry, _plain)
    if len(check.problems) > n_before:
        return None
    return GoldenQuery(
        query_id=entry["id"],
        text=entry["query"],
        category=category,
        severity=severity,
        k=int(k),
        line=check.line(path),
        why=entry.get("why", ""),
        expect_paths=expect_paths,
        expect_sources=expect_sources,
        must_not=must_not,
        top1=entry.get("top1"),
        expect_empty=expect_empty,
        provenance=entry.get("provenance", provenance),
        lines={key: check.line((*path, key)) for key in entry},
    )


def _expectation(check: _Check, path: Path, entry: Any) -> Expectation:
    if isinstance(entry, str):
        return Expectation((_plain(check, path, entry),), 1, check.line(path))
    if not isinstance(entry, dict) or len(entry.keys() & {"path", "any_of"}) != 1:
        expected = "a path, {path: …, grade: …} or {any_of: […], grade: …}"
        check.wrong(path, "not an expected path", expected, entry)
        return Expectation((), 1, check.line(path))
    _keys(check, path, entry, ("path", "any_of", "grade"), required=())
    grade = entry.get("grade", 1)
    if not _is_whole(grade):
        check.wrong((*path, "grade"), "grade is not a whole number", "1, 2 or 3", grade)
        grade = 1
    if "path" in entry:
        patterns: tuple[str, ...] = (_plain(check, (*path, "path"), entry["path"]),)
    else:
        patterns = _entries(check, (*path, "any_of"), entry, _plain)
    return Expectation(patterns, int(grade), check.line(path))


def _entries(
    check: _Check, path: Path, holder: Mapping[str, Any], read: Callable[[_Check, Path, Any], Any]
) -> tuple[Any, ...]:
    key = str(path[-1])
    if key not in holder:
        return ()
    entries = holder[key]
    if not isinstance(entries, list) or not entries:
        check.wrong(path, f"{key} is not a list with entries", found=entries)
        return ()
    return tuple(read(check, (*path, i), entry) for i, entry in enumerate(entries))


def _text(check: _Check, path: Path, holder: Mapping[str, Any]) -> str:
    return _plain(check, path, holder[str(path[-1])])


def _plain(check: _Check, path: Path, value: Any) -> str:
    if isinstance(value, str) and value.strip(_BLANK):
        return value
    name = next(str(part) for part in reversed(path) if isinstance(part, str))
    found = "empty text" if isinstance(value, str) else value
    check.wrong(path, f"{name} is not text", "text; put it in quotes", found)
    return ""


def _keys(
    check: _Check,
    path: Path,
    entry: Mapping[str, Any],
    known: tuple[str, ...],
    required: tuple[str, ...],
) -> None:
    for key in entry:
        if key not in known:
            expected = _nearest(key, known)
            check.wrong((*path, key), f"unknown key {key!r}", expected)
    for key in required:
        if key not in entry:
            check.wrong(path, f"{key} is missing")


def _one_of(check: _Check, path: Path, what: str, value: Any, known: tuple[str, ...]) -> None:
    if not isinstance(value, str) or value not in known:
        check.wrong(path, what, _nearest(str(value), known), value)


def _nearest(word: str, known: tuple[str, ...]) -> str:
    # Only a message needs it.
    import difflib

    near = difflib.get_close_matches(word, known, n=1)
    return f"{near[0]}, or another of {', '.join(known)}" if near else ", ".join(known)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_whole(value: Any) -> bool:
    """JSON Schema's integer: `5.0` is one."""
    if isinstance(value, float):
        return value.is_integer()
    return isinstance(value, int) and not isinstance(value, bool)


def _is_date(value: Any) -> bool:
    import datetime

    if not isinstance(value, str) or not _DATE.fullmatch(value):
        return False
    try:
        datetime.date.fromisoformat(value)
    except ValueError:
        return False
    return True


def _shorten(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


def _digest(data: Any) -> str:
    canonical = json.dumps(data, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()


def _suite_error(problems: Iterable[_Problem], file: str) -> SuiteError:
    first, *others = sorted(problems, key=lambda problem: problem.line)
    shown = [
        SuiteError(other.what, path=file, line=other.line, expected=other.expected).message
        for other in others[:_SHOWN]
    ]
    if len(others) > _SHOWN:
        shown.append(f"and {len(others) - _SHOWN} more")
    return SuiteError(
        first.what,
        path=file,
        line=first.line,
        expected=first.expected,
        found=first.found,
        hint="\n".join(shown) or None,
    )


_LABEL_KEYS = frozenset({"expect_paths", "expect_sources", "must_not", "top1"})
_SUITE_KEYS = ("version", "as_of", "provenance", "floors", "queries")
_QUERY_KEYS = (
    "id",
    "query",
    "category",
    "severity",
    "k",
    "why",
    "provenance",
    "expect_paths",
    "expect_sources",
    "must_not",
    "top1",
    "expect_empty",
)
