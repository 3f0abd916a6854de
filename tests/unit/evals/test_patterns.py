"""Which documents a pattern means."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memidx.evals.patterns import Resolver, is_glob, matcher

DOC_IDS = [
    "README.md",
    "[x].md",
    "x.md",
    "docs/a.md",
    "docs/deep/er/b.md",
    "docs/café.md",
    "notes.jsonl#1",
    "notes.jsonl#2",
    "[n].jsonl#1",
    "n.jsonl#1",
    "api.yaml#GET /users/{id}",
    "api.yaml#POST /users",
]


@pytest.fixture
def resolver(make_row: Callable[..., Any]) -> Resolver:
    """A catalogue with odd names."""
    odd = [make_row("c#1.md", path="c#1.md"), make_row("c#2.md#part", path="c#2.md")]
    return Resolver([make_row(doc_id) for doc_id in DOC_IDS] + odd)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("docs/a.md", {"docs/a.md"}),
        ("./docs/a.md", {"docs/a.md"}),
        ("docs/*.md", {"docs/a.md", "docs/café.md"}),
        ("docs/**", {"docs/a.md", "docs/café.md", "docs/deep/er/b.md"}),
        ("docs/**/*.md", {"docs/a.md", "docs/café.md", "docs/deep/er/b.md"}),
        ("**/b.md", {"docs/deep/er/b.md"}),
        ("**/README.md", {"README.md"}),
        ("docs/**/er/**/b.md", {"docs/deep/er/b.md"}),
        ("?.md", {"x.md"}),
        ("*.md", {"README.md", "[x].md", "x.md", "c#1.md", "c#2.md#part"}),
        ("docs/caf\u0065\u0301.md", {"docs/café.md"}),
        ("[!x].md", set()),
        ("docs", set()),
        ("docs/", set()),
        ("missing.md", set()),
        ("DOCS/a.md", set()),
    ],
)
def test_globs_over_paths(resolver: Resolver, pattern: str, expected: set[str]) -> None:
    """`*` and `?` stay in a folder, `**` crosses folders, case counts."""
    assert resolver.documents(pattern) == expected


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("[x].md", {"[x].md"}),
        ("[xy].md", {"x.md"}),
        ("[n].jsonl", {"[n].jsonl#1"}),
        ("[n].jsonl#1", {"[n].jsonl#1"}),
        ("c#1.md", {"c#1.md"}),
    ],
)
def test_an_exact_name_wins_over_the_glob(
    resolver: Resolver, pattern: str, expected: set[str]
) -> None:
    """A name with brackets means the file of that name where there is one."""
    assert resolver.documents(pattern) == expected


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("notes.jsonl", {"notes.jsonl#1", "notes.jsonl#2"}),
        ("*.jsonl", {"notes.jsonl#1", "notes.jsonl#2", "[n].jsonl#1", "n.jsonl#1"}),
        ("notes.jsonl#2", {"notes.jsonl#2"}),
        ("*.jsonl#1", {"notes.jsonl#1", "[n].jsonl#1", "n.jsonl#1"}),
        ("api.yaml#GET *", {"api.yaml#GET /users/{id}"}),
        ("api.yaml#*", {"api.yaml#GET /users/{id}", "api.yaml#POST /users"}),
        ("c#*.md", {"c#1.md"}),
        ("c#*.md#*", {"c#2.md#part"}),
        ("docs/*.md#*", set()),
    ],
)
def test_globs_over_parts_of_a_file(resolver: Resolver, pattern: str, expected: set[str]) -> None:
    """Without `#` the path alone is meant; with it, path and anchor."""
    assert resolver.documents(pattern) == expected


def test_hostile_globs_end(resolver: Resolver) -> None:
    """Many wildcards over a long name take no exponential time."""
    started = time.perf_counter()
    assert not matcher("**/" * 30 + "*a" * 30 + "b")("/".join(["a" * 200] * 30), None)
    assert time.perf_counter() - started < 5


_NAMES = st.sampled_from(["a", "b", "a.md", "b.md", "[x].md", "a#b.md"])
_PARTS = st.sampled_from(["**", "*", "*.md", "?", "a", "b.md", "[ab].md", "[", "a#*", "*#b.md"])


@given(
    names=st.lists(st.lists(_NAMES, min_size=1, max_size=3), min_size=1, max_size=6),
    parts=st.lists(_PARTS, min_size=1, max_size=4),
)
def test_looking_at_the_ends_first_changes_nothing(names: Any, parts: Any) -> None:
    """A glob finds what trying it on every document finds."""
    rows = [_Row("/".join(name)) for name in names]
    pattern = "/".join(parts)
    resolver = Resolver(rows)
    if not is_glob(pattern) or pattern in resolver.rows:
        return
    expected = {row.doc_id for row in rows if matcher(pattern)(row.path, None)}
    assert resolver.documents(pattern) == expected


@dataclass(frozen=True)
class _Row:
    path: str
    source: str = "docs"
    title: str = "T"
    time: str | None = None

    @property
    def doc_id(self) -> str:
        return self.path
