"""What a snapshot says about its documents, counted by hand."""

from __future__ import annotations

import math

import pytest

from memidx.scoring import idf
from tests.support import make, snapshot_of

DOCUMENTS = [
    make("b.md", "lock lock timeout", title="T"),
    make("a.md", "lock", title="T", time="2026-01-01", tags=("x", "y")),
    make("empty.md", "", title="", source="other"),
]


def test_documents_are_in_id_order() -> None:
    """doc_ord follows doc_id, whatever order documents came in."""
    snapshot = snapshot_of(DOCUMENTS, "ascii-compat")
    assert [snapshot.doc_id(n) for n in range(3)] == ["a.md", "b.md", "empty.md"]
    assert [snapshot.find(name) for name in ("b.md", "nowhere")] == [1, None]


def test_statistics_count_documents_with_a_term_only() -> None:
    """Two of three documents have a term: N = 2, avgdl = (1 + 3) / 2."""
    snapshot = snapshot_of(DOCUMENTS, "ascii-compat")
    assert (snapshot.n_docs, snapshot.n_searchable) == (3, 2)
    assert snapshot.avgdl[0] == 2.0
    lock = snapshot.term("lock")
    assert lock is not None
    assert snapshot.document_frequency("lock") == 2


def test_the_norm_is_over_the_whole_document() -> None:
    """b.md: lock twice and timeout once, at their idf."""
    snapshot = snapshot_of(DOCUMENTS, "ascii-compat")
    expected = math.sqrt((2 * idf(2, 2)) ** 2 + idf(2, 1) ** 2)
    assert snapshot.norms[1] == pytest.approx(expected, rel=1e-15)
    assert snapshot.norms[2] == 0.0


def test_facts_of_a_document_come_back() -> None:
    """Title, time, tags, text, day and source are those of the document."""
    snapshot = snapshot_of(DOCUMENTS, "ascii-compat")
    card = snapshot.card(0)
    assert (card.title, card.time, card.tags) == ("T", "2026-01-01", ("x", "y"))
    assert snapshot.text(0) == "lock"
    assert snapshot.day_of[0] == 20454.0
    assert snapshot.day_of[1] == float("-inf")
    assert snapshot.sources[snapshot.source_of[2]] == "other"
