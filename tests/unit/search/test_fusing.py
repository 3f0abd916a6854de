"""Several phrasings of a question, fused."""

from __future__ import annotations

import pytest

from memidx.analysis import get_analyzer
from memidx.config import SearchConfig
from memidx.errors import InputError
from memidx.search.filters import Filters
from memidx.search.fusing import MAX_PHRASINGS, check_phrasings, fuse, rank_phrasings
from memidx.search.prepared import prepare
from memidx.search.ranking import Ranking, RankSettings, Scored, SourceFactors
from memidx.snapshot.snapshot import Snapshot
from tests.support import make, ranking_of, snapshot_of

NOTES = [
    make("one.md", "The file lock times out."),
    make("two.md", "A mutex guards the shards."),
    make("both.md", "A lock or mutex of doors.", source="tasks"),
    *(make(f"other{n}.md", f"Unrelated words of number {n}.") for n in range(30)),
]


def ranking(*hits: tuple[int, float, str]) -> Ranking:
    """A ranking of `(doc, relevance, label)`."""
    best = tuple(Scored(doc, r, r, r, label) for doc, r, label in hits)  # type: ignore[arg-type]
    return Ranking("lexical", best, len(best), len(best), len(best), {0: len(best)})


def fused(*rankings: Ranking, k: int = 10) -> dict[int, tuple[float, str]]:
    """Relevance and label per document, without weights."""
    found = fuse(rankings, k=k, factor=lambda doc: 1.0, order=lambda doc: doc, source_of=[0] * 10)
    return {hit.doc: (hit.relevance, hit.confidence) for hit in found.best}


def searched(
    query: str, *also: str, snapshot: Snapshot | None = None, **options: object
) -> list[str]:
    """Ids in order."""
    snapshot = snapshot or snapshot_of(NOTES)
    analyzer, search = get_analyzer("default"), SearchConfig()
    prepared = prepare(snapshot, analyzer, query, search)
    _, found = rank_phrasings(
        snapshot,
        analyzer,
        prepared,
        also,
        RankSettings(search),
        k=10,
        **options,  # type: ignore[arg-type]
    )
    return [snapshot.doc_id(hit.doc) for hit in found.best]


def test_the_question_counts_one_half() -> None:
    """Each relevance over the best of its phrasing; half for the question, a quarter each for two
    rephrasings; times the best relevance there is.
    """
    found = fused(
        ranking((1, 0.2, "candidate"), (2, 0.1, "candidate")),
        ranking((2, 0.8, "candidate"), (3, 0.4, "candidate")),
        ranking((3, 0.5, "candidate")),
    )
    assert {doc: value for doc, (value, _) in found.items()} == pytest.approx(
        {
            1: 0.8 * (0.5 * 1),
            2: 0.8 * (0.5 * 0.5 + 0.25 * 1),
            3: 0.8 * (0.25 * 0.5 + 0.25 * 1),
        }
    )


def test_a_phrasing_without_hits_takes_no_part() -> None:
    """It does not count as a zero: the others share the whole."""
    found = fused(ranking(), ranking((1, 0.4, "weak"), (2, 0.2, "weak")))
    assert {doc: value for doc, (value, _) in found.items()} == pytest.approx({1: 0.4, 2: 0.2})


def test_a_rephrasing_vouches_for_a_candidate_at_most() -> None:
    """That it asks the same is the caller's word; the question's own label stands."""
    found = fused(
        ranking((1, 0.5, "reliable"), (2, 0.4, "weak")),
        ranking((2, 0.9, "reliable"), (3, 0.8, "weak")),
    )
    assert {doc: label for doc, (_, label) in found.items()} == {
        1: "reliable",
        2: "candidate",
        3: "weak",
    }


def test_weights_apply_once_and_ties_have_an_order() -> None:
    """Composite is the fused relevance times the factor, then the order of documents."""
    found = fuse(
        [ranking((1, 0.5, "weak"), (2, 0.5, "weak"), (3, 0.5, "weak"))],
        k=2,
        factor=lambda doc: 2.0 if doc == 3 else 1.0,
        order=lambda doc: -doc,
        source_of=[0, 0, 1, 0],
    )
    assert [(hit.doc, hit.composite) for hit in found.best] == [(3, 1.0), (2, 0.5)]
    assert (found.n_matched, found.n_by_source) == (3, {0: 2, 1: 1})


def test_a_rephrasing_finds_what_the_question_does_not() -> None:
    """Documents of either are there; one of both comes first."""
    assert searched("lock", "mutex")[0] == "both.md"
    assert set(searched("lock", "mutex")) == {"one.md", "two.md", "both.md"}
    assert set(searched("zeppelin", "mutex")) == {"two.md", "both.md"}


def test_what_the_question_leaves_out_stays_out() -> None:
    """Its exclusions, its `source:` and the filters hold for every phrasing."""
    assert searched("lock -shards", "mutex") == ["both.md", "one.md"]
    assert searched("lock -title:both", "mutex") == ["one.md", "two.md"]
    assert searched("lock -source:tasks", "mutex") == ["one.md", "two.md"]
    assert searched("lock source:tasks", "mutex") == ["both.md"]
    assert searched("lock", "mutex", filters=Filters(sources=("tasks",))) == ["both.md"]
    assert searched("lock source:docs", "mutex", filters=Filters(sources=("tasks",))) == []


def test_the_same_again_changes_nothing() -> None:
    """Repeats, the question itself and empty phrasings are no further phrasings."""
    snapshot = snapshot_of(NOTES)
    _, ids = ranking_of(snapshot, "lock")
    assert searched("lock", "lock", "", "???") == ids
    assert searched("lock", "mutex", "mutex") == searched("lock", "mutex")


def test_the_vector_stands_in_only_when_no_phrasing_is_sure() -> None:
    """One lexical hit above weak among all phrasings is enough."""
    snapshot, analyzer = snapshot_of(NOTES), get_analyzer("default")
    search = SearchConfig()
    strategies = {}
    for query, also in (("words", "lock"), ("words", "unrelated number")):
        prepared = prepare(snapshot, analyzer, query, search)
        _, found = rank_phrasings(snapshot, analyzer, prepared, [also], RankSettings(search), k=3)
        strategies[also] = found.strategy
    assert strategies == {"lock": "lexical", "unrelated number": "vector"}


def test_relevance_is_a_share_whatever_the_weights() -> None:
    """Three strong phrasings do not add up to more than one."""
    snapshot, analyzer, search = snapshot_of(NOTES), get_analyzer("default"), SearchConfig()
    prepared = prepare(snapshot, analyzer, "lock", search)
    settings = RankSettings(search, {"tasks": SourceFactors(weight=9.0)})
    _, found = rank_phrasings(
        snapshot, analyzer, prepared, ["lock door", "mutex lock"], settings, k=9, strategy="vector"
    )
    assert all(0.0 <= hit.relevance <= 1.0 for hit in found.best)
    assert found.best[0].composite == 9.0 * found.best[0].relevance


def test_too_many_phrasings_are_refused() -> None:
    """Each costs a search."""
    check_phrasings(["x"] * MAX_PHRASINGS)
    with pytest.raises(InputError, match="too many phrasings"):
        check_phrasings(["x"] * (MAX_PHRASINGS + 1))
