"""The difference between a store and its sources."""

from __future__ import annotations

from memidx.indexing.plan import make_plan
from memidx.indexing.state import DocRef, KnownFile


def _file(*docs: tuple[str, str]) -> KnownFile:
    return KnownFile("docs", "x", "digest", tuple(DocRef(i, s, 1) for i, s in docs))


def _gone(_doc_id: str) -> bool:
    return False


def test_equal_sides_give_an_empty_plan() -> None:
    """Nothing to do is nothing at all."""
    plan = make_plan({"a": "1"}, {"a": _file(("a", "1"))}, kept_source=_gone)
    assert plan.is_empty
    assert plan.size == 0


def test_added_changed_and_removed() -> None:
    """Each document has exactly one fate."""
    plan = make_plan(
        {"same": "1", "edited": "1", "gone": "1"},
        {"f": _file(("same", "1"), ("edited", "2"), ("new", "1"))},
        kept_source=_gone,
    )
    assert (plan.added, plan.changed, plan.removed) == (("new",), ("edited",), ("gone",))
    assert plan.origin == {"new": "f", "edited": "f"}


def test_documents_of_a_failed_source_stay() -> None:
    """What could not be looked at is not gone."""
    plan = make_plan({"a": "1", "b": "1"}, {}, kept_source=lambda doc_id: doc_id == "a")
    assert plan.removed == ("b",)
