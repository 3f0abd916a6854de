"""A base with an overlay, and what it folds into, are the base made of the same documents."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from memidx.analysis import get_analyzer
from memidx.documents import Document
from memidx.files.spooling import Scratch
from memidx.scoring import idf
from memidx.search.ranking import SourceFactors
from memidx.snapshot import derive
from memidx.snapshot.builder import build_snapshot, fold
from memidx.snapshot.derive import Delta, contents
from memidx.snapshot.inversion import Postings, invert_few
from memidx.snapshot.rows import Placed
from memidx.snapshot.segment import Segment
from memidx.snapshot.snapshot import Snapshot
from memidx.snapshot.workers import analyse
from memidx.snapshot.writing import serialise
from tests.support import make, ranking_of

WORDS = ["alpha", "beta", "gamma", "delta", "file-lock", "the", "v2.1.9", "naïve", "部署", "x"]
words = st.sampled_from(WORDS)
texts = st.lists(words, max_size=12).map(" ".join)
names = st.sampled_from([f"{letter}.md" for letter in "abcdefgh"])
worlds = st.dictionaries(names, st.tuples(texts, st.sampled_from(["docs", "notes"])), max_size=8)
queries = st.lists(words, min_size=1, max_size=4).map(" ".join)
strategies = st.sampled_from(["lexical", "vector", "hybrid"])
FACTS = {"build_id": "test", "analyzer": "test"}
DEFAULT = get_analyzer("default")
FACTORS = {"notes": SourceFactors(weight=0.8, decay=0.01)}


def _documents(world: Mapping[str, tuple[str, str]]) -> dict[str, Document]:
    return {name: make(name, text, source=source) for name, (text, source) in world.items()}


def _placed(document: Document, line: int = 1) -> Placed:
    return Placed(
        document, f"{zlib.crc32(repr((document.source, document.text)).encode()):08x}", line
    )


def _bytes_of(world: Mapping[str, tuple[str, str]]) -> bytes:
    documents = _documents(world)
    placed = [_placed(documents[name]) for name in sorted(documents)]
    return b"".join(build_snapshot(placed, DEFAULT, facts=FACTS))


def _delta(before: Mapping[str, tuple[str, str]], after: Mapping[str, tuple[str, str]]) -> Delta:
    documents = _documents(after)
    changed = {name for name in after if before.get(name) != after[name]}
    return Delta({name: _placed(documents[name]) for name in changed}, before.keys() - after.keys())


def _follow(*history: Mapping[str, tuple[str, str]]) -> Snapshot:
    """The first world as a base, and an overlay that was made anew for each later one."""
    snapshot = Snapshot.of(Segment(memoryview(_bytes_of(history[0])), "base"))
    base = snapshot.parts[0].segment
    for before, after in pairwise(history):
        delta = _delta(before, after)
        if delta.size:
            made = derive.derive(snapshot, "key", delta, DEFAULT, FACTS, has=lambda _: True)
            assert made.base == "key"
            overlay = Segment(memoryview(b"".join(made.pieces)), "overlay")
            snapshot = Snapshot.overlaid(base, overlay)
    return snapshot


@given(worlds, worlds, worlds, queries, strategies, st.booleans())
def test_an_overlay_gives_the_bits_of_a_base_made_anew(
    first: dict[str, tuple[str, str]],
    second: dict[str, tuple[str, str]],
    third: dict[str, tuple[str, str]],
    query: str,
    strategy: str,
    batch: bool,
) -> None:
    """Scores, order, labels and counts, whatever was edited, in both kernels."""
    anew = Snapshot.of(Segment(memoryview(_bytes_of(third)), "anew"))
    found = []
    for snapshot in (anew, _follow(first, second, third)):
        ranking, ids = ranking_of(
            snapshot,
            query,
            k=50,
            strategy=strategy,
            batch=batch,
            factors=FACTORS,
            as_of_day=5.0,
        )
        hits = [(h.score, h.relevance, h.composite, h.confidence) for h in ranking.best]
        found.append((ids, hits, ranking.n_before_filters, ranking.n_after_filters))
    assert found[0] == found[1]


@given(worlds, worlds, worlds)
def test_statistics_count_live_documents_alone(
    first: dict[str, tuple[str, str]],
    second: dict[str, tuple[str, str]],
    third: dict[str, tuple[str, str]],
) -> None:
    """N, df, avgdl, norms, ids and lines are those of the documents that are left."""
    anew = Snapshot.of(Segment(memoryview(_bytes_of(third)), "anew"))
    followed = _follow(first, second, third)
    assert (followed.n_docs, followed.n_searchable) == (anew.n_docs, anew.n_searchable)
    assert followed.avgdl == anew.avgdl
    assert contents(followed) == contents(anew)
    for term in {term for word in DEFAULT.query(" ".join(WORDS)) for term, _ in word.terms}:
        assert followed.document_frequency(term) == anew.document_frequency(term)
        assert (followed.term(term) is None) == (anew.term(term) is None)
    assert [followed.norms[d] for d in followed.docs()] == [anew.norms[d] for d in anew.docs()]
    assert followed.n_docs_by_source.items() >= anew.n_docs_by_source.items()


@given(worlds, worlds, worlds)
def test_a_fold_is_the_base_made_anew_to_the_byte(
    first: dict[str, tuple[str, str]],
    second: dict[str, tuple[str, str]],
    third: dict[str, tuple[str, str]],
) -> None:
    """No document is analysed for it, and no byte tells."""
    assert b"".join(fold(_follow(first, second, third), FACTS)) == _bytes_of(third)


@given(worlds)
def test_few_documents_are_inverted_as_many_are(world: dict[str, tuple[str, str]]) -> None:
    """Plain Python and numpy give the same bytes."""
    rows = [("", name, text) for name, (text, _) in sorted(world.items())]
    fields = [DEFAULT.document(title=t, path=p, text=x) for t, p, x in rows]
    postings = Postings(DEFAULT.fields, Scratch())
    for counted in analyse(rows, DEFAULT):
        postings.add(counted)
    few, many = invert_few(fields, DEFAULT.fields), postings.inverted()
    assert (few.facts, few.n_terms) == (many.facts, many.n_terms)
    assert b"".join(serialise({}, few.sections)) == b"".join(serialise({}, many.sections))


def test_a_document_that_is_again_as_in_the_base_leaves_the_overlay() -> None:
    """An edit and its reversal analyse nothing the second time, and nothing stays behind."""
    before = {"a.md": ("alpha", "docs"), "b.md": ("beta", "docs")}
    edited = {**before, "a.md": ("gamma", "docs")}
    followed = _follow(before, edited, before)
    assert followed.parts[0].dead == frozenset()
    assert followed.parts[1].segment.n_docs == 0


def test_a_grown_overlay_is_folded() -> None:
    """More documents than `MIN_FOLDED` make a base of their own."""
    before = {"a.md": ("alpha", "docs")}
    after = {f"n{n:03}.md": (f"word{n}", "docs") for n in range(derive.MIN_FOLDED + 1)}
    snapshot = Snapshot.of(Segment(memoryview(_bytes_of(before)), "base"))
    delta = _delta(before, after)
    made = derive.derive(snapshot, "key", delta, DEFAULT, FACTS, has=lambda _: True)
    assert made.base is None
    assert made.n_analysed == len(after)
    assert b"".join(made.pieces) == _bytes_of(after)


def test_without_its_base_an_overlay_is_folded() -> None:
    """Another process may have removed the base: an overlay of it could not be opened."""
    before = {"a.md": ("alpha", "docs"), "b.md": ("beta", "docs")}
    after = {**before, "a.md": ("gamma", "docs")}
    snapshot = Snapshot.of(Segment(memoryview(_bytes_of(before)), "base"))
    delta = _delta(before, after)
    made = derive.derive(snapshot, "key", delta, DEFAULT, FACTS, has=lambda _: False)
    assert made.base is None
    assert b"".join(made.pieces) == _bytes_of(after)


def test_one_edit_moves_the_weight_of_its_words() -> None:
    """By hand: `alpha` was in two of three documents, and is in one after the edit."""
    before = dict.fromkeys(("a.md", "b.md"), ("alpha", "docs")) | {"c.md": ("beta", "docs")}
    followed = _follow(before, {**before, "a.md": ("beta", "docs")})
    assert followed.document_frequency("alpha") == 1
    norms = dict(zip(map(followed.doc_id, followed.docs()), followed.norms, strict=False))
    assert followed.norms[followed.find("b.md") or 0] == idf(3, 1)
    assert norms.keys() == before.keys()
