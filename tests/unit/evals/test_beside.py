"""Plain grep and single sources, worked out by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memidx.evals import evaluate, measure_beside
from memidx.evals.beside import grep, grep_words

Make = Callable[..., Any]


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("lock timeout", ("lock", "timeout")),
        ("Why are there no positions?", ("why", "are", "there", "no", "positions")),
        ("store/.cache/root", ("store/.cache/root",)),
        ('"exact phrase" (here)', ("exact", "phrase", "here")),
        ("document -avgdl --limit -5", ("document", "limit", "5")),
        ("lock LOCK Straße", ("lock", "strasse")),
        ("-> ?", ()),
    ],
)
def test_words_are_what_a_person_would_type(query: str, words: tuple[str, ...]) -> None:
    """Punctuation around a word goes, inside it stays; each word once; excluded ones not."""
    assert grep_words(query) == words


def test_more_words_go_before_more_occurrences() -> None:
    """Distinct words first, then how often, then the name; parts of words count, case does not."""
    texts = [
        ("d", "Lock lock LOCK lock"),
        ("c", "a lock and its timeout"),
        ("b", "unlocked"),
        ("a", "blocks"),
        ("e", "nothing"),
    ]
    assert grep(["lock timeout", "", "zebra"], texts) == [["c", "d", "a", "b"], [], []]
    assert grep(["lock timeout"], texts, depth=2) == [["c", "d"]]


def test_a_source_alone_is_measured_on_the_same_queries(
    make_suite: Make, make_index: Make, make_row: Make
) -> None:
    """The index narrowed to notes finds n.md for qn and nothing for qd; texts are the names."""
    rows = [make_row("d.md"), make_row("n.md", source="notes")]
    suite = make_suite(
        "id: d, query: d.md, k: 1, expect_paths: [d.md]",
        "id: n, query: find n, k: 1, expect_paths: [n.md], expect_sources: [notes]",
        "id: gone, query: qg, expect_paths: [gone.md]",
    )
    index = make_index(rows, {"d.md": ["d.md", "n.md"], "find n": ["d.md", "n.md"]})
    rows_beside = measure_beside(suite, index, evaluate(suite, index))
    beside = {row.name: row for row in rows_beside}
    assert list(beside) == ["memidx", "grep", "source docs", "source notes"]
    # The third query is inconclusive and counts nowhere.
    assert {row.n_queries for row in rows_beside} == {2}
    assert (beside["memidx"].n_passed, beside["memidx"].n_matched) == (1, 4)
    # "find" is in no text, "n" in that of n.md alone; "d.md" in that of d.md alone.
    assert (beside["grep"].n_passed, beside["grep"].n_matched) == (2, 2)
    assert (beside["source docs"].n_found, beside["source docs"].n_sources_found) == (1, 0)
    assert (beside["source notes"].n_found, beside["source notes"].n_sources_found) == (1, 1)
    # memidx has d.md at rank 1 and n.md at rank 2: (1 + 1/2) / 2.
    assert beside["memidx"].measures["RR@10"] == 0.75
    assert beside["source notes"].measures["RR@10"] == 0.5


def test_one_source_is_not_compared_with_itself(make_suite: Make, make_index: Make) -> None:
    """A single source is the whole index; a suite that nothing can be judged of is fine."""
    suite = make_suite("id: a, query: qa, expect_paths: [gone.md]")
    index = make_index(["a.md"], {})
    names = [row.name for row in measure_beside(suite, index, evaluate(suite, index))]
    assert names == ["memidx", "grep"]


@given(
    st.lists(st.text("aAb -\u00df\n\u2028.", max_size=30), max_size=5),
    st.lists(st.text("aAb -s.", max_size=8), max_size=3),
)
def test_grep_counts_as_a_plain_count_does(texts: list[str], queries: list[str]) -> None:
    """Looking words up among the runs between spaces is counting them in the texts."""
    documents = [(str(i), text) for i, text in enumerate(texts)]
    for query, found in zip(queries, grep(queries, documents), strict=True):
        counts = {
            doc_id: [text.casefold().count(word) for word in grep_words(query)]
            for doc_id, text in documents
        }
        expected = sorted(
            (doc_id for doc_id, times in counts.items() if any(times)),
            key=lambda d: (-sum(map(bool, counts[d])), -sum(counts[d]), d),
        )
        assert found == expected
