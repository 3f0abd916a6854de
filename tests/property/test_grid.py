"""At every point of a grid, a query ranks as it does when that point is the setting."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memidx.analysis import get_analyzer
from memidx.config import SearchConfig
from memidx.search.grid_ranker import GridRanker
from memidx.search.points import Point, point, settings_at
from memidx.search.ranking import RankInputs, RankSettings, SourceFactors, rank_many
from tests.support import make, snapshot_of

WORDS = ["alpha", "beta", "gamma", "file-lock", "the", "v2.1.9", "naïve", "部署", "x"]
PARTS = [*WORDS, '"alpha beta"', "-gamma", "title:beta", "source:notes"]
texts = st.lists(st.sampled_from(WORDS), min_size=0, max_size=30).map(" ".join)
corpora = st.lists(texts, min_size=1, max_size=12)
queries = st.lists(st.sampled_from(PARTS), min_size=0, max_size=6).map(" ".join)
axes = {
    "strategy": st.sampled_from(["lexical", "vector", "hybrid"]),
    "k1": st.floats(0.0, 4.0),
    "b": st.floats(0.0, 1.0),
    "title_weight": st.floats(0.0, 3.0),
    "lexical_weight": st.floats(0.0, 1.0),
    "vector_weight": st.floats(0.1, 1.0),
    "fusion": st.sampled_from(["weighted", "rrf"]),
    "min_score": st.sampled_from([0.0, 0.3]),
    "docs.weight": st.floats(0.1, 3.0),
    "notes.decay": st.floats(0.0, 0.1),
    "*.decay_floor": st.floats(0.0, 1.0),
}
points = st.lists(st.fixed_dictionaries({}, optional=axes).map(point), min_size=1, max_size=4)
searches = st.builds(
    SearchConfig,
    strategy=st.sampled_from(["lexical", "vector", "hybrid"]),
    fusion=st.sampled_from(["weighted", "rrf"]),
    min_score=st.sampled_from([0.0, 0.2]),
    lexical_weight=st.sampled_from([0.0, 0.7]),
)


@given(corpora, queries, points, searches, st.sampled_from([1, 3, 50]), st.booleans())
def test_a_point_of_a_grid_is_a_setting(
    corpus: list[str],
    query: str,
    at: list[Point],
    search: SearchConfig,
    k: int,
    plain: bool,
) -> None:
    """Documents, scores, relevance, composite and label are the served ones, to the bit."""
    documents = [
        make(
            f"{n}.md",
            text,
            title=("alpha", "gamma x", text[:9])[n % 3],
            source=("docs", "notes")[n % 2],
            time="2026-01-01",
        )
        for n, text in enumerate(corpus)
    ]
    snapshot, analyzer = snapshot_of(documents), get_analyzer("default")
    factors = {"docs": SourceFactors(1.4), "notes": SourceFactors(0.8, 0.012, 0.3)}
    settings = RankSettings(search, factors, as_of_day=20500.0)
    found = GridRanker(RankInputs(snapshot, analyzer, settings), at, plain=plain).rank(query, k)
    for number, one in enumerate(at):
        served = settings_at(one, settings)
        (expected,) = rank_many(snapshot, analyzer, served, [query], k=k, plain=plain)
        assert found.ranked(number) == expected
        assert list(found.doc_ids(number)) == [hit.doc_id for hit in expected]
