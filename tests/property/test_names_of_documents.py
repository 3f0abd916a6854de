"""What names a snapshot is kept from edit to edit, and is what the documents give made anew."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from memidx.analysis import get_analyzer
from memidx.snapshot.builder import build_snapshot
from memidx.snapshot.derive import Content, Delta, contents, derive, key_of
from memidx.snapshot.held import Held
from memidx.snapshot.rows import Placed
from memidx.snapshot.segment import Segment
from memidx.snapshot.snapshot import Snapshot
from memidx.store.reader import index_build_id
from tests.support import make

DEFAULT = get_analyzer("default")
FACTS = {"build_id": "test", "analyzer": "test"}
# Ids that begin alike, and ids that sort otherwise with a checksum behind them.
ids = st.sampled_from(["a", "a\0b", "a#1", "a/b", "aa", "b", "ä", "部署", "\U0001f418", "\uffff"])
worlds = st.dictionaries(ids, st.tuples(st.integers(0, 2), st.integers(1, 3)), max_size=8)
World = Mapping[str, tuple[int, int]]


def _placed(doc_id: str, version: int, line: int) -> Placed:
    return Placed(make(doc_id, f"text {version}"), f"{version:08x}", line)


def _delta(before: World, after: World) -> Delta:
    moved = {
        doc_id: line
        for doc_id, (version, line) in after.items()
        if doc_id in before and before[doc_id][0] == version and before[doc_id][1] != line
    }
    placed = {
        doc_id: _placed(doc_id, *after[doc_id])
        for doc_id in after
        if doc_id not in before or before[doc_id][0] != after[doc_id][0]
    }
    return Delta(placed, before.keys() - after.keys(), moved)


def _check(held: Held, world: World) -> None:
    """Against the slow, obvious form."""
    build_id = index_build_id((doc_id, f"{version:08x}") for doc_id, (version, _) in world.items())
    begins = sorted((doc_id, line) for doc_id, (_, line) in world.items())
    assert held.build_id() == build_id
    assert held.key(build_id, DEFAULT) == key_of(build_id, begins, DEFAULT)
    for doc_id in ("a", "a\0b", "a\0", "", "ä", "zz"):
        assert (doc_id in held) == (doc_id in world)
        assert held.sum_of(doc_id) == (f"{world[doc_id][0]:08x}" if doc_id in world else None)


@given(st.lists(worlds, min_size=1, max_size=4))
def test_names_follow_every_edit(history: list[World]) -> None:
    """Documents added, changed, moved and gone, in one snapshot and laid over another."""
    first = history[0]
    placed = [_placed(doc_id, *first[doc_id]) for doc_id in sorted(first)]
    data = b"".join(build_snapshot(placed, DEFAULT, facts=FACTS))
    base = Segment(memoryview(data), "base")
    snapshot = Snapshot.of(base)
    held = Held.of(snapshot)
    _check(held, first)
    for before, after in pairwise(history):
        delta = _delta(before, after)
        earlier, held = held, held.after(delta)
        _check(held, after)
        _check(earlier, before)
        if delta.size:
            made = derive(snapshot, "key", delta, DEFAULT, FACTS, has=lambda _: True)
            overlay = Segment(memoryview(b"".join(made.pieces)), "overlay")
            snapshot = Snapshot.overlaid(base, overlay)
        _check(Held.of(snapshot), after)
        assert contents(snapshot) == {
            doc_id: Content(f"{version:08x}", line) for doc_id, (version, line) in after.items()
        }
