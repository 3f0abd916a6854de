"""No configuration that opens loses a hit worth reading to weight, decay or fusion."""

from __future__ import annotations

from hypothesis import assume, example, given
from hypothesis import strategies as st

from memidx.config import SearchConfig
from memidx.errors import ConfigError
from memidx.search.labels import check_threshold
from memidx.search.ranking import SourceFactors
from tests.support import make, ranking_of, snapshot_of

WORDS = ["alpha", "beta", "gamma", "delta", "file-lock", "v2.1.9", "naïve", "部署"]
words = st.sampled_from(WORDS)
texts = st.lists(words, max_size=12).map(" ".join)
documents = st.lists(
    st.tuples(
        texts,
        st.lists(words, max_size=2).map(" ".join),
        st.sampled_from(["notes", "decisions", "commits"]),
        st.sampled_from([None, "2020-01-01", "2026-01-01", "2030-06-01"]),
    ),
    min_size=1,
    max_size=14,
)
queries = st.lists(words, min_size=1, max_size=5).map(" ".join)
shares = st.floats(0, 1)
weights = st.one_of(st.just(0.0), st.floats(0.001, 1000))
configurations = st.builds(
    SearchConfig,
    strategy=st.sampled_from(["lexical", "vector", "hybrid"]),
    lexical_weight=weights,
    vector_weight=weights,
    fusion=st.sampled_from(["weighted", "rrf"]),
    min_score=st.one_of(st.just(0.0), st.floats(0, 0.3), shares),
    k1=st.floats(0, 3),
    b=shares,
    title_weight=st.floats(0, 2),
)
factors = st.dictionaries(
    st.sampled_from(["notes", "decisions", "commits"]),
    st.builds(
        SourceFactors,
        weight=st.floats(1e-6, 100),
        decay=st.one_of(st.just(0.0), st.floats(0, 2)),
        decay_floor=shares,
    ),
)


def opens(search: SearchConfig) -> bool:
    """Whether an index with this configuration opens."""
    if search.lexical_weight + search.vector_weight == 0:
        return False
    try:
        check_threshold(search)
    except ConfigError:
        return False
    return True


@given(documents, queries, configurations, factors, st.booleans())
@example(
    # A title alone: no cosine, so that fusion takes three tenths of its relevance.
    [("", "alpha", "notes", None), *[("beta gamma", "", "notes", None)] * 9],
    "alpha",
    SearchConfig(strategy="hybrid", min_score=0.06),
    {},
    False,
)
@example(
    [("alpha beta " * 3, "", "notes", None)] * 12,
    "alpha",
    SearchConfig(strategy="hybrid", fusion="rrf", min_score=0.19),
    {"notes": SourceFactors(weight=1e-6, decay=2.0, decay_floor=0.0)},
    True,
)
def test_what_a_channel_returns_alone_is_returned(
    rows: list[tuple[str, str, str, str | None]],
    query: str,
    search: SearchConfig,
    sources: dict[str, SourceFactors],
    batch: bool,
) -> None:
    """A hit that is at least `candidate` and reaches `min_score` in its channel is in the answer,
    whatever weight, age and the other channel make of it.
    """
    assume(opens(search))
    snapshot = snapshot_of(
        [
            make(f"{n:02}.md", text, title=title, source=source, time=time)
            for n, (text, title, source, time) in enumerate(rows)
        ]
    )
    day = 20454.0  # 2026-01-01
    _, answered = ranking_of(
        snapshot, query, k=99, search=search, factors=sources, as_of_day=day, batch=batch
    )
    taking_part = {
        "lexical": search.lexical_weight > 0.0,
        "vector": search.vector_weight > 0.0,
    }
    channels = (
        [channel for channel, weighs in taking_part.items() if weighs]
        if search.strategy == "hybrid"
        else [search.strategy]
    )
    for channel in channels:
        alone, ids = ranking_of(
            snapshot, query, k=99, search=search, strategy=channel, as_of_day=day, fallback=False
        )
        for hit, doc_id in zip(alone.best, ids, strict=True):
            if hit.confidence != "weak":
                assert doc_id in answered


@given(documents, queries, configurations, factors)
def test_a_cosine_above_the_threshold_is_enough(
    rows: list[tuple[str, str, str, str | None]],
    query: str,
    search: SearchConfig,
    sources: dict[str, SourceFactors],
) -> None:
    """Where the vector takes part, no `min_score` that opens takes out what it calls candidate."""
    assume(opens(search))
    assume(search.strategy == "vector" or (search.strategy == "hybrid" and search.vector_weight))
    snapshot = snapshot_of(
        [
            make(f"{n:02}.md", text, title=title, source=source, time=time)
            for n, (text, title, source, time) in enumerate(rows)
        ]
    )
    _, answered = ranking_of(snapshot, query, k=99, search=search, factors=sources)
    cosines, ids = ranking_of(snapshot, query, k=99, search=search, strategy="vector", min_score=0)
    for hit, doc_id in zip(cosines.best, ids, strict=True):
        if hit.confidence != "weak":
            assert doc_id in answered


@given(configurations, st.floats(0, 1))
def test_a_lower_threshold_opens_when_a_higher_one_does(search: SearchConfig, share: float) -> None:
    """The refusal is an inequality: below its bound every threshold is fine."""
    assume(opens(search))
    lower = SearchConfig(
        strategy=search.strategy,
        lexical_weight=search.lexical_weight,
        vector_weight=search.vector_weight,
        fusion=search.fusion,
        min_score=search.min_score * share,
    )
    assert opens(lower)
