"""What documents say of their standing, and what follows for others."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from memidx.documents import Document
from memidx.snapshot.standing import standing_of
from tests.support import make, ranking_of, snapshot_of


def document(path: str = "a.md", text: str = "lock", **meta: Any) -> Document:
    """A document with front matter, or fields of a record."""
    return replace(make(path, text), meta=meta)


def said(text: str = "lock", **meta: Any) -> dict[str, Any]:
    """What a document says."""
    data = standing_of(document("a.md", text, **meta))
    return json.loads(data) if data else {}


def flagged(*documents: Document) -> dict[str, tuple[str, ...]]:
    """`doc_id` -> flags, of those that have any."""
    snapshot = snapshot_of(documents)
    return {snapshot.doc_id(doc): flags for doc, flags in snapshot.flags.items()}


@pytest.mark.parametrize(
    ("meta", "flags"),
    [
        ({"superseded_by": "b.md"}, ["superseded"]),
        ({"Superseded-By": 7}, ["superseded"]),
        ({"supersededBy": ["b"]}, ["superseded"]),
        ({"superseded_by": None}, None),
        ({"superseded_by": ""}, None),
        ({"superseded_by": " None "}, None),
        ({"superseded_by": []}, None),
        ({"superseded_by": "n/a"}, None),
        ({"superseded": True}, ["superseded"]),
        ({"invalidated": True}, ["invalidated"]),
        ({"invalidated": False}, None),
        ({"invalidated": "no"}, None),
        ({"invalidated": "2026-05-01"}, ["invalidated"]),
        ({"invalidated": "the benchmark was wrong"}, ["invalidated"]),
        ({"invalidated_at": "2026-05-01"}, ["invalidated"]),
        ({"status": "superseded by [ADR-0005](0005-x.md)"}, ["superseded"]),
        ({"status": "Superseded"}, ["superseded"]),
        ({"status": ["withdrawn"]}, ["invalidated"]),
        ({"status": "Deprecated"}, ["deprecated"]),
        ({"status": "rejected"}, ["rejected"]),
        ({"deprecated": True, "invalidated": True}, ["invalidated", "deprecated"]),
        ({"status": "accepted"}, None),
        ({"status": "in progress, superseded tomorrow"}, None),
        ({"status": 3, "superseding": "x", "valid": True}, None),
    ],
)
def test_what_a_document_says_of_itself(meta: dict[str, Any], flags: list[str] | None) -> None:
    """By front matter or field; ways to write no are no."""
    assert said(**meta).get("flags") == flags


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "# 9. Old\n\nDate: x\n\n## Status\n\nSuperceded by [12. New](0012.md)\n\n## X\n",
            {"flags": ["superseded"]},
        ),
        (
            "# 12. New\n\n## Status\n\nAccepted\n\nSupersedes [9. Old](0009-old.md)\n\n## X\n",
            {"supersedes": ["[9. Old](0009-old.md)"]},
        ),
        (
            "# New\n\n* Status: superseded by [ADR-5](0005.md)\n* Date: x\n",
            {"flags": ["superseded"]},
        ),
        ("# New\n\n**Status:** Deprecated\n", {"flags": ["deprecated"]}),
        ("Title\n=====\n\nStatus: Final\nSuperseded-By: 440\n", {"flags": ["superseded"]}),
        ("# Notes\n\nIts status was superseded by events.\n", {}),
        ("# Service\n\nText.\n\n## Fields\n\n- Status: superseded when gone\n", {}),
        ("# Service\n\n## Status\n\nAccepted\n\n## Later\n\nSuperseded by nobody.\n", {}),
    ],
)
def test_the_status_that_stands_in_the_text(text: str, expected: dict[str, Any]) -> None:
    """As tools for decision records write it; prose and later sections say nothing."""
    assert said(text) == expected


def test_only_markdown_is_read_for_its_status() -> None:
    """A program that prints `Status: rejected` is not rejected."""
    text = "Status: rejected\n"
    assert said(text) == {"flags": ["rejected"]}
    assert standing_of(replace(document("a.py", text), kind="code")) == b""


@pytest.mark.parametrize(
    "reference",
    [
        "docs/adr/0003-use-x.md",
        "/docs/adr/0003-use-x.md",
        "0003-use-x.md",
        "./0003-use-x.md",
        "../adr/0003-use-x",
        "0003-use-x",
        "0003-USE-X.md",
        "ADR-0003",
        "ADR 3",
        "ADR-3: use x",
        "0003",
        3,
        "[3. Use X](0003-use-x.md)",
        "[[0003-use-x|Use X]]",
        ["nothing.md", "ADR-0003"],
        "nothing.md, 0003-use-x.md",
    ],
)
def test_supersedes_flags_the_older_one(reference: Any) -> None:
    """However people name a document."""
    older = document("docs/adr/0003-use-x.md")
    newer = document("docs/adr/0012-use-y.md", supersedes=reference)
    other = document("docs/0003-another.md")
    assert flagged(older, newer, other) == {"docs/adr/0003-use-x.md": ("superseded",)}


@pytest.mark.parametrize(
    "reference", ["ADR-33", "RFC-0003", "3.5", "use-x", "", True, {"a": 1}, "b.md", None, "no"]
)
def test_what_is_not_meant_is_not_flagged(reference: Any) -> None:
    """Another number, another prefix, an ambiguous name, nothing at all, or itself."""
    documents = (
        document("docs/adr/adr-0003-use-x.md"),
        document("x/b.md"),
        document("y/b.md"),
        document("docs/adr/12.md", supersedes=reference),
        document("docs/adr/13.md", supersedes="13.md"),
    )
    assert flagged(*documents) == {}


def test_records_name_each_other_by_id() -> None:
    """In the same file first; elsewhere where the id is the only one."""
    documents = (
        document("m.jsonl#1"),
        document("n.jsonl#1"),
        document("n.jsonl#2", supersedes="1"),
        document("m.jsonl#only"),
        document("o.jsonl#3", supersedes=["only", "1"]),
    )
    assert flagged(*documents) == {"n.jsonl#1": ("superseded",), "m.jsonl#only": ("superseded",)}


@pytest.mark.parametrize("status", ["proposed", "Draft", "rejected", "withdrawn"])
def test_what_is_not_in_force_supersedes_nothing(status: str) -> None:
    """A proposal, and what was turned down, leave the older one as it is."""
    documents = (document("a.md"), document("b.md", supersedes="a.md", status=status))
    assert "a.md" not in flagged(*documents)


def test_excluding_leaves_out_what_is_not_in_force() -> None:
    """Before the best are chosen; what is deprecated or rejected stays."""
    documents = [
        *(document(f"{n}.md", "lock lock lock", invalidated=True) for n in range(20)),
        document("old.md", "lock lock"),
        document("new.md", "lock wren", supersedes="old.md"),
        document("no.md", "lock wren", status="rejected"),
    ]
    from memidx.search.filters import Filters

    ranking, names = ranking_of(documents, "lock", k=2, filters=Filters(exclude_invalidated=True))
    assert sorted(names) == ["new.md", "no.md"]
    assert (ranking.n_before_filters, ranking.n_after_filters) == (23, 2)


def test_nothing_is_worked_out_where_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """A snapshot without such documents does not even load what resolves them."""
    import sys

    monkeypatch.setitem(sys.modules, "memidx.snapshot.superseding", None)
    assert flagged(document("a.md", status="accepted"), document("b.md")) == {}
    with pytest.raises(ImportError):
        flagged(document("a.md", invalidated=True))


def test_a_name_means_a_document_of_its_own_store() -> None:
    """With several stores in one query, an id counts in all of them, a file name in its own."""
    from memidx.snapshot.parts import Part
    from memidx.snapshot.snapshot import Snapshot

    near = snapshot_of([document("x/a.md"), document("x/b.md")]).parts[0].segment
    by_name = document("y/new.md", supersedes="a.md")
    by_id = document("y/other.md", supersedes="x/b.md")
    far = snapshot_of([by_name, by_id]).parts[0].segment
    snapshot = Snapshot([Part(near, store=0), Part(far, store=1)])
    assert {snapshot.doc_id(doc): flags for doc, flags in snapshot.flags.items()} == {
        "x/b.md": ("superseded",)
    }
