"""The difference between a store and its sources."""

from __future__ import annotations

from memidx.indexing.packing import DocRef, KnownFile
from memidx.indexing.plan import make_plan, newest


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


def test_newest_are_those_nothing_stored_builds_on() -> None:
    """One on top and one of a merged branch are newer; one below a stored commit is missing."""
    #   a - b - c - m - d      b and c stored; s came in by the merge m
    #    \\ ---- s --- /
    follows = {"d": ("m",), "m": ("c", "s"), "s": ("a",), "c": ("b",), "b": ("a",), "a": ()}
    added = ("a", "d", "m", "other", "s")
    assert newest(added, {"b", "c"}, follows) == ("d", "m", "s")
    assert newest(added, set(), follows) == ("a", "d", "m", "s")
