"""Leaving most documents unscored changes nothing of a ranking."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memidx.analysis import get_analyzer
from memidx.config import SearchConfig
from memidx.search.filters import Filters
from memidx.search.kernels import LexicalParameters, score_leading, score_lexical
from memidx.search.prepared import Prepared, prepare
from memidx.search.ranking import RankSettings, SourceFactors, rank
from memidx.snapshot.snapshot import Snapshot
from tests.property.test_overlay import _follow
from tests.support import make, snapshot_of

ANALYZER = get_analyzer("default")
WORDS = [f"word{n}" for n in range(40)]
SOURCES = ["docs", "notes", "logs"]
seeds = st.integers(0, 2**32)
# The first words are common and the last ones rare, as those of a language are.
queries = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
weights = st.sampled_from([0.0, 0.8, 2.0, 1e-200, 1e200])
parameters = st.sampled_from([(1.5, 0.75), (0.0, 0.75), (1.5, 0.0), (1.2, 1.0)])
factors = st.sampled_from(
    [
        {},
        {"notes": SourceFactors(weight=1.4), "logs": SourceFactors(weight=0.7)},
        {"notes": SourceFactors(decay=0.01, decay_floor=0.2), "docs": SourceFactors(weight=0.9)},
        {name: SourceFactors(weight=0.0) for name in SOURCES},
    ]
)


def _text(rng: random.Random) -> str:
    n_words = rng.choice((3, 10, 40))
    return " ".join(rng.choices(WORDS, [1 / (1 + n) for n in range(len(WORDS))], k=n_words))


def _snapshot(seed: int, n_docs: int = 150) -> Snapshot:
    rng = random.Random(seed)
    return snapshot_of(
        [
            make(
                f"{n:04}.md",
                _text(rng),
                title=rng.choice(WORDS),
                source=rng.choice(SOURCES),
                time=rng.choice((None, "1970-01-02", "1970-03-01")),
            )
            for n in range(n_docs)
        ]
    )


def _prepared(snapshot: Snapshot, query: str, search: SearchConfig) -> Prepared:
    return prepare(snapshot, ANALYZER, query, search)


@given(seeds, queries, weights, parameters, factors, st.integers(1, 8))
def test_a_ranking_of_few_is_that_of_all(
    seed: int,
    query: str,
    title_weight: float,
    at: tuple[float, float],
    by_source: dict[str, SourceFactors],
    k: int,
) -> None:
    """Hits, scores, labels and counts, whatever sources make of the scores."""
    snapshot = _snapshot(seed)
    search = SearchConfig(k1=at[0], b=at[1], title_weight=title_weight)
    settings = RankSettings(search, by_source, as_of_day=90.0)
    prepared = _prepared(snapshot, query, search)
    few = rank(snapshot, prepared, settings, k=k)
    # With filters, even with such as let everything through, all that match are scored.
    assert few == rank(snapshot, prepared, settings, k=k, filters=Filters())


@given(seeds, queries, parameters, st.integers(1, 8), st.sampled_from([1.0, 0.5, 0.1]))
def test_who_can_lead_is_scored_to_the_bit(
    seed: int, query: str, at: tuple[float, float], k: int, evenness: float
) -> None:
    """The scores are those of the plain kernel, and none of another can be among the best."""
    snapshot = _snapshot(seed)
    terms = _prepared(snapshot, query, SearchConfig()).terms
    every = score_lexical(snapshot, terms, LexicalParameters(*at))
    scores, matching = score_leading(snapshot, terms, LexicalParameters(*at), k, evenness)
    assert matching == set(every)
    assert scores.items() <= every.items()
    left = [score for doc, score in every.items() if doc not in scores]
    least = sorted(every.values(), reverse=True)[:k][-1] if every else 0.0
    assert all(score < least * evenness for score in left)


def test_most_documents_are_not_scored() -> None:
    """A rare word beside common ones leaves few that can be among the best."""
    snapshot = _snapshot(1, n_docs=600)
    terms = _prepared(snapshot, "word0 word1 word37", SearchConfig()).terms
    scores, matching = score_leading(snapshot, terms, LexicalParameters(1.5, 0.75), 5)
    assert len(matching) > 300
    assert len(scores) < 40


@pytest.mark.parametrize("query", ["word0 word9", "word1 word2 word3"])
def test_what_an_edit_took_away_does_not_lead(query: str) -> None:
    """Of a base and an overlay the documents that count are those of a base made anew."""
    rng = random.Random(7)
    first = {f"{n:03}.md": (_text(rng), rng.choice(SOURCES)) for n in range(80)}
    kept = [name for name in first if rng.random() < 0.9]
    edited = {name: (_text(rng), "notes") for name in kept if rng.random() < 0.3}
    then = {name: first[name] for name in kept} | edited
    settings = RankSettings(SearchConfig())
    found = []
    for snapshot in (_follow(then), _follow(first, then)):
        prepared = _prepared(snapshot, query, settings.search)
        ranking = rank(snapshot, prepared, settings, k=3)
        ids = [snapshot.doc_id(hit.doc) for hit in ranking.best]
        scores = [(hit.score, hit.confidence) for hit in ranking.best]
        found.append((ids, scores, ranking.n_matched))
    assert found[0] == found[1]
