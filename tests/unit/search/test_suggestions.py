"""Words near those that no document holds."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memidx.analysis import get_analyzer
from memidx.search.suggestions import MAX_NEAR, MAX_WORDS, edits, suggest, unknown_words
from memidx.snapshot.overlaid import lay_over
from memidx.snapshot.snapshot import Snapshot
from tests.support import make, snapshot_of

NOTES = [
    make("a.md", "The retries of the Lock are configured, locks too."),
    make("b.md", "A deployment configuration, a block."),
    make("c.md", "память агента, 部署方案"),
    make("d.md", "words", title="Kubernetes"),
]


def near(query: str, snapshot: Snapshot | None = None) -> dict[str, tuple[str, ...]]:
    """Word -> words near it."""
    snapshot, analyzer = snapshot or snapshot_of(NOTES), get_analyzer("default")
    unknown = unknown_words(analyzer.query(query), snapshot)
    return {found.word: found.near for found in suggest(snapshot, analyzer, unknown)}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("lokc", {"lokc": ("Lock",)}),
        ("retreis", {"retreis": ("retries",)}),
        ("xlock", {"xlock": ("block", "Lock")}),
        ("deploymnet", {"deploymnet": ("deployment",)}),
        ("kubernetse", {"kubernetse": ("Kubernetes",)}),
        ("config", {"config": ("configured",)}),
        ("памать", {"памать": ("память",)}),
        ("lock", {}),
        ("zeppelin", {}),
        ("ab", {}),
        ("x" * 300, {}),
        ("lock lokc", {"lokc": ("Lock",)}),
    ],
)
def test_near_words_are_named_as_documents_write_them(
    query: str, expected: dict[str, tuple[str, ...]]
) -> None:
    """A slip, a swap, a letter too many, the beginning of a word; nothing for what is far."""
    assert near(query) == expected


def test_near_words_are_found_in_every_segment() -> None:
    """One vocabulary or several: the same words, by the same counts."""
    parts = [snapshot_of([note]) for note in NOTES]
    for query in ("lokc", "retreis xlock", "kubernetse"):
        assert near(query, lay_over(parts)) == near(query)


def test_the_work_is_bounded() -> None:
    """So many words, so many suggestions, however many would do."""
    notes = [make(f"{n}.md", f"wxyzq{n}") for n in "abcdefk"]
    found = near(" ".join(f"wxyzq{n}" for n in "mnprtvx"), snapshot_of(notes))
    assert len(found) == MAX_WORDS
    assert {len(words) for words in found.values()} == {MAX_NEAR}


@cache
def naive(first: str, second: str) -> int:
    """Optimal string alignment, by its recursive definition."""
    if not first or not second:
        return len(first) + len(second)
    found = min(
        naive(first[:-1], second) + 1,
        naive(first, second[:-1]) + 1,
        naive(first[:-1], second[:-1]) + (first[-1] != second[-1]),
    )
    if len(first) > 1 and len(second) > 1 and first[-2:] == second[-1] + second[-2]:
        found = min(found, naive(first[:-2], second[:-2]) + 1)
    return found


@given(st.text("abc", max_size=7), st.text("abc", max_size=7), st.integers(0, 3))
def test_edits_are_counted_up_to_the_bound(first: str, second: str, most: int) -> None:
    """As the definition counts them, and one more than the bound for everything beyond it."""
    assert edits(first, second, most) == min(naive(first, second), most + 1)
