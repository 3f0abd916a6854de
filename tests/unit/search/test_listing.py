"""Caps of a list."""

from __future__ import annotations

import pytest

from memidx.search.listing import Caps, listed
from memidx.snapshot.overlaid import lay_over
from tests.support import make, ranking_of, snapshot_of

NOTES = [
    make("a.md#1", "lock lock lock", title="One", source="changes"),
    make("a.md#2", "lock lock", title="Two", source="changes"),
    make("b.md", "lock lock", title="Two", source="changes"),
    make("c.md", "lock and other words", title="Three", source="notes"),
    make("d.md", "lock and other words", title="Four", source="notes"),
    *(make(f"x{n}.md", "else") for n in range(9)),
]


@pytest.mark.parametrize(
    ("caps", "expected"),
    [
        (Caps(), ["a.md#1", "a.md#2", "b.md", "c.md", "d.md"]),
        (Caps(per_path=1), ["a.md#1", "b.md", "c.md", "d.md"]),
        (Caps(per_source=1), ["a.md#1", "c.md"]),
        (Caps(per_source=2), ["a.md#1", "a.md#2", "c.md", "d.md"]),
        (Caps(dedupe="content"), ["a.md#1", "a.md#2", "c.md"]),
        (Caps(dedupe="title"), ["a.md#1", "a.md#2", "c.md", "d.md"]),
        # What another cap leaves out takes no place: b.md is the second of its source.
        (Caps(per_source=2, per_path=1), ["a.md#1", "b.md", "c.md", "d.md"]),
    ],
)
def test_caps_leave_out_in_order(caps: Caps, expected: list[str]) -> None:
    """The first of each kind stay, in the ranking's order."""
    snapshot = snapshot_of(NOTES)
    found, _ = ranking_of(snapshot, "lock")
    assert [snapshot.doc_id(hit.doc) for hit in listed(snapshot, found.best, caps)] == expected


def test_one_path_in_two_stores_is_two_files_and_one_source() -> None:
    """`notes/a.md` of a run and of the shared root are different files."""
    near, far = snapshot_of([make("a.md#1", "lock")]), snapshot_of([make("a.md#2", "lock")])
    snapshot = lay_over([near, far])
    found, _ = ranking_of(snapshot, "lock")
    assert len(listed(snapshot, found.best, Caps(per_path=1))) == 2
    assert len(listed(snapshot, found.best, Caps(per_source=1))) == 1
