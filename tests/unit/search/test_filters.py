"""Path globs and date bounds."""

from __future__ import annotations

import pytest

from memidx.errors import InputError
from memidx.search.filters import glob_regex, make_filters, path_regex
from memidx.text import days_since_epoch


@pytest.mark.parametrize(
    ("glob", "path", "expected"),
    [
        ("docs/*.md", "docs/a.md", True),
        ("docs/*.md", "docs/x/a.md", False),
        ("docs/**", "docs/x/a.md", True),
        ("docs/**/a.md", "docs/a.md", True),
        ("**/a.md", "a.md", True),
        ("**/a.md", "x/y/a.md", True),
        ("a?.md", "ab.md", True),
        ("a?.md", "a/.md", False),
        ("[ab].md", "a.md", True),
        ("[!ab].md", "a.md", False),
        ("[!ab].md", "c.md", True),
        ("[z-a].md", "b.md", False),
        ("[x.md", "[x.md", True),
        ("a.md", "aXmd", False),
        ("100%_(1).md", "100%_(1).md", True),
    ],
)
def test_globs(glob: str, path: str, expected: bool) -> None:
    """`*` stays within a folder, `**` does not, and the rest is literal."""
    assert bool(glob_regex(glob).fullmatch(path)) is expected


@pytest.mark.parametrize(
    ("glob", "path", "expected"),
    [
        ("docs", "docs/a.md", True),
        ("docs/", "docs/x/a.md", True),
        ("docs", "other/docs/a.md", True),
        ("/docs", "other/docs/a.md", False),
        ("*.jsonl", "notes/a.jsonl", True),
        ("/*.jsonl", "notes/a.jsonl", False),
        ("notes/*.jsonl", "x/notes/a.jsonl", False),
        ("docs/decisions", "docs/decisions/1.md", True),
        ("doc", "docs/a.md", False),
    ],
)
def test_path_filters_read_globs_as_gitignore_does(glob: str, path: str, expected: bool) -> None:
    """A bare name is found at any depth, and a folder stands for what is in it."""
    assert bool(path_regex(glob).fullmatch(path)) is expected


def test_until_a_time_is_that_moment() -> None:
    """Only a date includes its whole day."""
    filters = make_filters(until="2026-11-30T06:00:00Z", as_of_day=0.0)
    assert filters.until_day == pytest.approx(days_since_epoch("2026-11-30") + 0.25, abs=1e-6)


def test_dates_are_inclusive_days() -> None:
    """`until` a date includes that whole day, and `30d` counts back from `as_of`."""
    day = days_since_epoch("2026-11-30")
    filters = make_filters(since="30d", until="2026-11-30", as_of_day=day)
    assert filters.since_day == day - 30
    assert filters.until_day == day + 1


def test_a_wrong_date_is_named() -> None:
    """A date nobody can read is an input error, not an empty answer."""
    with pytest.raises(InputError, match="since is not a date"):
        make_filters(since="yesterday-ish", as_of_day=0.0)
