"""One store or three, one shard or eight: the same documents have the same scores and order."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from memidx.snapshot.overlaid import lay_over
from memidx.snapshot.snapshot import Snapshot
from tests.support import make, ranking_of, snapshot_of

WORDS = ["alpha", "beta", "gamma", "delta", "file-lock", "the", "v2.1.9", "naïve", "部署", "x"]
words = st.sampled_from(WORDS)
texts = st.lists(words, max_size=12).map(" ".join)
names = st.sampled_from([f"{letter}.md" for letter in "abcdefghij"])
worlds = st.dictionaries(names, texts, max_size=10)
queries = st.lists(words, min_size=1, max_size=4).map(" ".join)
strategies = st.sampled_from(["lexical", "vector", "hybrid"])


def _snapshot(world: Mapping[str, str]) -> Snapshot:
    return snapshot_of([make(name, text) for name, text in world.items()])


@given(worlds, st.data(), queries, strategies, st.booleans())
def test_documents_spread_over_stores_score_as_in_one(
    world: dict[str, str], data: st.DataObject, query: str, strategy: str, batch: bool
) -> None:
    """Statistics are global: bits do not tell where a document is kept."""
    stores: list[dict[str, str]] = [{}, {}, {}]
    for name, text in world.items():
        stores[data.draw(st.integers(0, 2))][name] = text
    whole = _snapshot(world)
    one, _ = ranking_of(whole, query, k=50, strategy=strategy, batch=batch)
    layered = lay_over([_snapshot(store) for store in stores])
    many, ids = ranking_of(layered, query, k=50, strategy=strategy, batch=batch)
    place = {name: number for number, store in enumerate(stores) for name in store}
    expected = sorted(
        (
            -hit.composite,
            place[whole.doc_id(hit.doc)],
            whole.doc_id(hit.doc),
            hit.score,
            hit.confidence,
        )
        for hit in one.best
    )
    found = [
        (-hit.composite, place[name], name, hit.score, hit.confidence)
        for hit, name in zip(many.best, ids, strict=True)
    ]
    assert found == expected


@given(worlds, worlds, queries, strategies)
def test_a_nearer_document_masks_the_farther_one(
    near: dict[str, str], far: dict[str, str], query: str, strategy: str
) -> None:
    """The same `doc_id` counts once, also in the statistics: as if the farther were not there."""
    rest = {name: text for name, text in far.items() if name not in near}
    masked, masked_ids = ranking_of(
        lay_over([_snapshot(near), _snapshot(far)]), query, k=50, strategy=strategy
    )
    apart, apart_ids = ranking_of(
        lay_over([_snapshot(near), _snapshot(rest)]), query, k=50, strategy=strategy
    )
    assert masked_ids == apart_ids
    assert [(h.score, h.composite) for h in masked.best] == [
        (h.score, h.composite) for h in apart.best
    ]


def test_ties_go_to_the_nearer_store() -> None:
    """Equal scores: the nearer store first, whatever the names."""
    layered = lay_over([_snapshot({"z.md": "alpha"}), _snapshot({"a.md": "alpha"})])
    assert ranking_of(layered, "alpha")[1] == ["z.md", "a.md"]
