"""`-title:` and `-source:` take documents out."""

from __future__ import annotations

import pytest

from memidx.snapshot.overlaid import lay_over
from tests.support import make, ranking_of, snapshot_of

NOTES = [
    make("a.md", "a lock here", title="The old door", source="notes"),
    make("b.md", "a lock and an old door here", title="Keys", source="notes"),
    make("c.md", "a lock", title="Door, not old", source="tasks"),
    make("doors/d.md", "a lock", title="Paths", source="tasks"),
    make("e.md", "nothing of it", title="Empty", source="tasks"),
]


@pytest.mark.parametrize(
    ("query", "left"),
    [
        ("lock", ["a.md", "b.md", "c.md", "doors/d.md"]),
        ("lock -title:door", ["b.md"]),
        ('lock -title:"old door"', ["b.md", "c.md", "doors/d.md"]),
        ("lock -title:zebra", ["a.md", "b.md", "c.md", "doors/d.md"]),
        ("lock -source:notes", ["c.md", "doors/d.md"]),
        ("lock -source:nowhere", ["a.md", "b.md", "c.md", "doors/d.md"]),
        ("lock -source:notes -title:paths", ["c.md"]),
        ("lock source:notes -source:notes", []),
    ],
)
def test_fields_exclude(query: str, left: list[str]) -> None:
    """A title word by its stem in title or path, a phrase to the letter, a source by its name."""
    found, ids = ranking_of(NOTES, query)
    assert sorted(ids) == left
    assert found.n_before_filters == 4


def test_a_source_is_left_out_of_every_store() -> None:
    """One name in two stores is one source."""
    near = snapshot_of([make("x.md", "lock", source="notes"), make("y.md", "lock", source="tasks")])
    far = snapshot_of([make("z.md", "lock", source="notes")])
    _, ids = ranking_of(lay_over([near, far]), "lock -source:notes")
    assert ids == ["y.md"]


def test_an_analyzer_without_titles_looks_at_the_text() -> None:
    """`ascii-compat` has one field."""
    notes = [make("a.md", "lock door"), make("b.md", "lock key"), make("c.md", "other words")]
    _, ids = ranking_of(notes, "lock -title:key", analyzer="ascii-compat")
    assert ids == ["a.md"]
