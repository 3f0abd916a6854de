"""The two kernels give the same bits, and their ranking is total."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memidx.config import SearchConfig
from tests.support import make, ranking_of, snapshot_of

WORDS = ["alpha", "beta", "gamma", "delta", "file-lock", "the", "v2.1.9", "naïve", "部署", "x"]
words = st.sampled_from(WORDS)
texts = st.lists(words, min_size=0, max_size=30).map(" ".join)
corpora = st.lists(texts, min_size=1, max_size=12)
queries = st.lists(words, min_size=1, max_size=6).map(" ".join)
strategies = st.sampled_from(["lexical", "vector", "hybrid"])


@given(corpora, queries, strategies)
def test_batch_equals_one_shot_to_the_bit(corpus: list[str], query: str, strategy: str) -> None:
    """numpy and plain Python agree on every score, not nearly but exactly."""
    snapshot = snapshot_of([make(f"{n}.md", text) for n, text in enumerate(corpus)])
    one, one_ids = ranking_of(snapshot, query, k=50, strategy=strategy)
    many, many_ids = ranking_of(snapshot, query, k=50, strategy=strategy, batch=True)
    assert one_ids == many_ids
    assert [(h.score, h.relevance, h.composite, h.confidence) for h in one.best] == [
        (h.score, h.relevance, h.composite, h.confidence) for h in many.best
    ]


@given(corpora, queries, strategies, st.integers(1, 5))
def test_the_first_k_are_a_prefix(corpus: list[str], query: str, strategy: str, k: int) -> None:
    """Asking for more never changes what came first."""
    snapshot = snapshot_of([make(f"{n}.md", text) for n, text in enumerate(corpus)])
    _, few = ranking_of(snapshot, query, k=k, strategy=strategy)
    _, all_of_them = ranking_of(snapshot, query, k=50, strategy=strategy)
    assert few == all_of_them[:k]


@given(corpora, queries)
def test_order_is_composite_then_doc_id(corpus: list[str], query: str) -> None:
    """Equal composites are ordered by document id, whatever came first."""
    snapshot = snapshot_of([make(f"{n}.md", text) for n, text in enumerate(corpus)])
    found, ids = ranking_of(snapshot, query, k=50)
    keys = [(-hit.composite, doc_id) for hit, doc_id in zip(found.best, ids, strict=True)]
    assert keys == sorted(keys)


@given(corpora, queries, strategies, st.sampled_from(["weighted", "rrf"]))
def test_relevance_is_a_share(corpus: list[str], query: str, strategy: str, fusion: str) -> None:
    """Relevance lies in 0..1 for every strategy and fusion."""
    snapshot = snapshot_of([make(f"{n}.md", text) for n, text in enumerate(corpus)])
    search = SearchConfig(strategy=strategy, fusion=fusion)
    found, _ = ranking_of(snapshot, query, k=50, search=search)
    assert all(0.0 <= hit.relevance <= 1.0 for hit in found.best)
