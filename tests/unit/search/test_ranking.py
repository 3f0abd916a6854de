"""Order, labels, filters and fusion."""

from __future__ import annotations

import math

import pytest

from memidx.config import SearchConfig
from memidx.errors import ConfigError
from memidx.search.filters import Filters
from memidx.search.labels import check_threshold
from memidx.search.ranking import SourceFactors
from tests.support import make, ranking_of, snapshot_of

NOTES = [
    make("a.md", "The file lock times out after two seconds."),
    make("b.md", "Rankings are fused by reciprocal rank."),
    make("c.md", "The lock of the door is broken."),
    make("d.md", "Nothing of interest here."),
    make("e.md", "Weather notes for the picnic."),
]


def test_the_document_with_more_of_the_query_comes_first() -> None:
    """Two matching words beat one."""
    _, ids = ranking_of(NOTES, "file lock")
    assert ids == ["a.md", "c.md"]


def test_words_are_or_ed() -> None:
    """A long question of which two words exist finds the document that has them."""
    query = "please tell whether anybody somewhere configured reciprocal fusion weights rank lately"
    _, ids = ranking_of(NOTES, query)
    assert ids[0] == "b.md"


def test_a_filter_is_applied_before_the_best_are_chosen() -> None:
    """One decision among many commits is found with k = 1."""
    commits = [make(f"commit{n:03}.md", "lock lock lock", source="commits") for n in range(50)]
    decision = make("decision.md", "We take a lock. " + "Other words. " * 50, source="decisions")
    found, ids = ranking_of(
        [*commits, decision], "lock", k=1, filters=Filters(sources=("decisions",))
    )
    assert ids == ["decision.md"]
    assert (found.n_before_filters, found.n_after_filters) == (51, 1)


def test_an_excluded_word_takes_documents_out() -> None:
    """`-door` leaves the file lock."""
    found, ids = ranking_of(NOTES, "lock -door")
    assert ids == ["a.md"]
    assert (found.n_before_filters, found.n_after_filters) == (2, 1)


def test_an_excluded_run_of_cjk_takes_out_what_holds_all_of_it() -> None:
    """A document that shares only a part of the excluded word stays."""
    notes = [make("a.md", "部署方案 lock"), make("b.md", "部署 lock"), *NOTES[3:]]
    _, ids = ranking_of(notes, "lock -部署方案")
    assert ids == ["b.md"]


def test_a_phrase_is_required() -> None:
    """Documents that only have the words do not match the phrase."""
    _, ids = ranking_of(NOTES, '"the lock"')
    assert ids == ["c.md"]


def test_title_words_are_looked_for_in_titles_only() -> None:
    """`title:` ignores the text."""
    notes = [make("x.md", "about locks", title="Doors"), make("y.md", "doors", title="Locks")]
    _, ids = ranking_of(notes, "title:doors")
    assert ids == ["x.md"]


def test_weight_reorders_and_never_removes() -> None:
    """A light source falls behind; its hit stays."""
    notes = [
        make("a.md", "lock lock", source="commits"),
        make("b.md", "lock and other words", source="decisions"),
    ]
    factors = {"commits": SourceFactors(weight=0.2), "decisions": SourceFactors(weight=1.4)}
    _, ids = ranking_of(notes, "lock", factors=factors, min_score=0.0)
    assert ids == ["b.md", "a.md"]


@pytest.mark.parametrize("days", [45, 60, 400])
def test_age_reorders_and_never_removes(days: int) -> None:
    """An old exact hit of a decaying source is returned, with a lower composite."""
    factors = {"notes": SourceFactors(decay=0.012)}
    notes = [make("a.md", "lock", source="notes", time="2026-01-01"), *NOTES[3:]]
    day = 20454.0 + days  # 2026-01-01 is day 20454
    found, ids = ranking_of(notes, "lock", factors=factors, as_of_day=day, min_score=0.1)
    assert ids == ["a.md"]
    hit = found.best[0]
    assert hit.composite == pytest.approx(
        hit.relevance * (0.3 + 0.7 * math.exp(-0.012 * days)), rel=1e-9
    )


def test_an_undated_document_of_a_decaying_source_gets_the_floor() -> None:
    """Undated must not beat fresh."""
    factors = {"notes": SourceFactors(decay=0.012)}
    notes = [
        make("a.md", "lock", source="notes"),
        make("b.md", "lock", source="notes", time="2026-01-01"),
    ]
    found, ids = ranking_of(notes, "lock", factors=factors, as_of_day=20454.0)
    assert ids == ["b.md", "a.md"]
    assert found.best[1].composite == pytest.approx(0.3 * found.best[1].relevance)


def test_a_channel_that_is_absent_does_not_count_as_zero() -> None:
    """A title-only match has no cosine: hybrid gives it its whole lexical relevance."""
    notes = [make("x.md", "", title="Doors"), make("y.md", "windows", title="Other")]
    found, ids = ranking_of(notes, "doors", strategy="hybrid")
    lexical, _ = ranking_of(notes, "doors", strategy="lexical")
    assert ids == ["x.md"]
    assert found.best[0].relevance == lexical.best[0].relevance > 0.0


def test_rrf_gives_the_best_of_every_channel_one() -> None:
    """Rank 1 in both channels is relevance 1."""
    search = SearchConfig(strategy="hybrid", fusion="rrf")
    found, _ = ranking_of(NOTES, "file lock", search=search)
    assert found.best[0].relevance == pytest.approx(1.0)


def test_rrf_counts_ranks_from_sixty() -> None:
    """Second in both channels is worth (60 + 1) / (60 + 2) of the first."""
    notes = [make("a.md", "lock lock lock"), make("b.md", "lock and more words"), *NOTES[3:]]
    found, ids = ranking_of(notes, "lock", search=SearchConfig(strategy="hybrid", fusion="rrf"))
    assert ids == ["a.md", "b.md"]
    assert found.best[1].relevance == pytest.approx(61 / 62)


def test_a_third_of_the_query_is_enough_for_a_label() -> None:
    """Two of six content words are 33 %, above 30 %."""
    notes = [make(f"{n}.md", f"note number {n}") for n in range(200)]
    notes.append(make("x.md", "zebra giraffe"))
    found, _ = ranking_of(notes, "zebra giraffe lions tigers wolves foxes")
    assert found.best[0].confidence == "reliable"


def test_the_fallback_ranks_every_match() -> None:
    """A match in the title only has no cosine; it stays, behind the others."""
    notes = [make(f"{n}.md", "apples") for n in "abcd"]
    notes.append(make("t.md", "pears", title="Apples"))
    found, ids = ranking_of(notes, "apples")
    assert found.strategy == "vector"
    assert ids == ["a.md", "b.md", "c.md", "d.md", "t.md"]
    assert found.best[-1].score == 0.0


def test_repetition_does_not_change_the_label() -> None:
    """`beta beta beta` is as sure as `beta`."""
    notes = [make("a.md", "beta test"), make("b.md", "alpha test"), make("c.md", "gamma")]
    once, _ = ranking_of(notes, "beta")
    thrice, _ = ranking_of(notes, "beta beta beta")
    assert once.best[0].confidence == thrice.best[0].confidence
    assert thrice.strategy == once.strategy


def test_a_small_part_of_the_query_is_weak_at_most() -> None:
    """One of four content words is 25 %, under 30 %."""
    notes = [make(f"{n}.md", f"note number {n}") for n in range(200)]
    notes.append(make("x.md", "locations of the offices"))
    found, ids = ranking_of(notes, "favourite scuba locations in Antarctica")
    assert ids[0] == "x.md"
    assert {hit.confidence for hit in found.best} == {"weak"}


def test_a_rare_word_is_a_candidate_among_ten_and_reliable_among_a_thousand() -> None:
    """Labels follow idf, which grows with the corpus: ln(22/3) = 1.99 and ln(2002/3) = 6.50."""

    def label(n_docs: int) -> str:
        notes = [make(f"{n}.md", "common words here") for n in range(n_docs - 1)]
        found, _ = ranking_of([*notes, make("x.md", "rareword words here")], "rareword")
        return found.best[0].confidence

    assert (label(10), label(1000)) == ("candidate", "reliable")


def test_the_vector_ranks_when_no_lexical_hit_is_above_weak() -> None:
    """In a corpus of two, idf is too small for a lexical label; the cosine has its own."""
    notes = [make("a.md", "alpha beta"), make("b.md", "alpha gamma")]
    found, ids = ranking_of(notes, "alpha")
    assert found.strategy == "vector"
    assert ids == ["a.md", "b.md"]
    assert found.best[0].score == pytest.approx(found.best[0].relevance)


def test_identical_documents_are_separate_hits_in_id_order() -> None:
    """Three copies are three places."""
    _, ids = ranking_of([make(f"{n}.md", "same lock") for n in "cab"], "lock")
    assert ids == ["a.md", "b.md", "c.md"]


def test_min_score_applies_to_relevance() -> None:
    """What falls below is not returned and is counted as filtered by the threshold."""
    found, _ = ranking_of(NOTES, "lock", min_score=0.99)
    assert found.best == ()
    assert (found.n_after_filters, found.n_matched) == (2, 0)


@pytest.mark.parametrize(
    ("search", "formula"),
    [
        (SearchConfig(strategy="vector", min_score=0.25), "0.2 < 0.25"),
        (SearchConfig(strategy="hybrid", min_score=0.1), r"0.3 \* 0.2 / 1.0 < 0.1"),
    ],
)
def test_a_threshold_that_hides_candidates_is_refused(search: SearchConfig, formula: str) -> None:
    """The message holds the inequality."""
    with pytest.raises(ConfigError, match=formula):
        check_threshold(search)


def test_the_default_configuration_hides_nothing() -> None:
    """Every strategy is fine with the default threshold."""
    for strategy in ("lexical", "vector", "hybrid"):
        check_threshold(SearchConfig(strategy=strategy))


def test_an_empty_index_ranks_nothing() -> None:
    """No documents, no hits, no error."""
    found, ids = ranking_of(snapshot_of([]), "lock")
    assert (ids, found.n_before_filters) == ([], 0)
