"""A choice is tried on other queries and other corpora."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from memidx.documents import Document
from memidx.evals.corpora import Corpora
from memidx.evals.robustness import bootstrap_choice, perturb, with_fewer, with_more
from tests.support import make


def _documents(n: int) -> list[Document]:
    return [make(f"d{i:02}.md", f"first {i}\n\nsecond {i}", title=f"T {i}") for i in range(n)]


def test_what_always_wins_wins_every_draw() -> None:
    """A point ahead on each query is best however they are drawn."""
    found = bootstrap_choice([[0.0] * 5, [1.0] * 5], current=0, best=1, seed=0)
    assert found.ahead == 1.0
    assert found.winners == ((1, 1.0),)


def test_equal_points_leave_the_current_one() -> None:
    """It is never ahead of itself."""
    found = bootstrap_choice([[0.5, 0.2]] * 3, current=2, best=2, seed=0)
    assert (found.ahead, found.winners) == (0.0, ((2, 1.0),))


def test_one_query_in_four_is_missing_from_a_third_of_the_draws() -> None:
    """A point that is ahead on one of four queries is ahead in 1 - (3/4)^4 = 68 % of draws."""
    found = bootstrap_choice(
        [[0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]], current=0, best=1, seed=0
    )
    assert found.ahead == pytest.approx(1 - 0.75**4, abs=0.03)
    assert dict(found.winners)[1] == found.ahead


def test_only_unrelated_documents_go() -> None:
    """A fifth of the 20 that no label is about; the others stay as they are."""
    documents = _documents(24)
    judged = {f"d{i:02}.md" for i in range(4)}
    fewer = with_fewer(documents, judged, seed=0)
    assert len(fewer) == 20
    assert judged <= {d.doc_id for d in fewer}
    assert [d for d in documents if d in fewer] == fewer
    assert with_fewer(documents, judged, seed=0) == fewer
    assert with_fewer(documents, judged, seed=1) != fewer


def test_strangers_are_made_of_unrelated_paragraphs() -> None:
    """As many as would go, about nothing, and no word of a judged document is in them."""
    documents = _documents(24)
    judged = {f"d{i:02}.md" for i in range(4)}
    more = with_more(documents, judged, seed=0)
    assert more[:24] == documents
    assert len(more) == 28
    assert len({d.doc_id for d in more}) == 28
    unrelated = {p for d in documents[4:] for p in d.text.split("\n\n")}
    for stranger in more[24:]:
        assert set(stranger.text.split("\n\n")) <= unrelated


def test_a_stranger_takes_nobodys_identity() -> None:
    """Not even where a document has its name already."""
    documents = [*_documents(9), make("unrelated/0.md", "here before")]
    more = with_more(documents, set(), seed=0)
    assert len({d.doc_id for d in more}) == len(more) == 12


def test_gains_and_winners_are_those_of_each_corpus() -> None:
    """What a corpus says is measured on that corpus; with equal points the current one wins."""
    sizes: list[int] = []

    def measure(documents: Sequence[Document]) -> list[list[float]]:
        sizes.append(len(documents))
        return [[0.5, 0.5], [1.0, 0.5]] if len(documents) > 10 else [[0.5, 0.5], [0.5, 0.5]]

    found = perturb(
        _documents(10), set(), measure, looked_at=[7, 3], current=7, best=3, n_times=2, seed=0
    )
    assert sizes == [8, 12, 8, 12]
    assert [(p.change, p.n_docs, p.gain, p.winner) for p in found[:2]] == [
        ("fewer", 8, 0.0, 7),
        ("more", 12, 0.25, 3),
    ]


def test_without_unrelated_documents_there_is_nothing_to_try() -> None:
    """A corpus whose every document is judged is left alone."""
    documents = _documents(3)
    judged = {d.doc_id for d in documents}
    found = perturb(
        documents, judged, lambda d: [[1.0]], looked_at=[0], current=0, best=0, n_times=1, seed=0
    )
    assert found == ()


def test_a_document_is_analysed_once_for_all_corpora() -> None:
    """Ten documents in three corpora are ten documents of work; a corpus of them is as any."""
    from memidx.analysis import get_analyzer
    from memidx.collection import index_documents

    analyzer = get_analyzer("default")
    corpora = Corpora(analyzer)
    documents = _documents(10)
    corpora.index(documents)
    corpora.index(documents[:5])
    again = corpora.index(reversed(documents[3:]))
    assert corpora.n_analysed == 10
    plain = index_documents(documents[3:], analyzer)
    assert again.facts == plain.facts
    for term in ("first", "second", "5", "9", "0"):
        assert again.document_frequency(term) == plain.document_frequency(term)
    assert plain.document_frequency("second") == 7
    corpora.index([replace(documents[0], text="another")])
    assert corpora.n_analysed == 11


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not remembered is analysed again, and the corpus is the same."""
    from memidx.analysis import get_analyzer
    from memidx.evals import corpora as module

    monkeypatch.setattr(module, "MAX_TERMS", 0)
    made = Corpora(get_analyzer("default"))
    first, second = made.index(_documents(3)), made.index(_documents(3))
    assert made.n_analysed == 6
    assert first.facts == second.facts
