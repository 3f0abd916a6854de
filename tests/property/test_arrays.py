"""Ranking over arrays, and ids by sketches, are the plain ranking to the bit."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memidx.analysis import get_analyzer
from memidx.analysis.base import Analyzer
from memidx.config import SearchConfig
from memidx.search import choosing as choosing_module
from memidx.search import given as given_module
from memidx.search import ids as ids_module
from memidx.search import parse as parse_module
from memidx.search import sketch as sketch_module
from memidx.search.filters import Filters
from memidx.search.given import memory_of
from memidx.search.kept import Kept
from memidx.search.kernels import LexicalParameters, look_up, score_lexical
from memidx.search.parse import parse
from memidx.search.prepared import every_field, occurrences, prepare
from memidx.search.ranking import RankSettings, SourceFactors, rank, rank_ids
from memidx.search.sketch import Sketches
from memidx.snapshot.snapshot import Snapshot
from tests.property.test_overlay import _follow
from tests.support import make, snapshot_of

ANALYZER = get_analyzer("default")
WORDS = ["alpha", "beta", "gamma", "delta", "file-lock", "the", "v2.1.9", "naïve", "部署", "x"]
words = st.sampled_from(WORDS)
texts = st.lists(words, max_size=30).map(" ".join)
titles = st.lists(words, min_size=1, max_size=3).map(" ".join)
corpora = st.lists(st.tuples(texts, titles, st.sampled_from(["docs", "notes"])), min_size=1)
queries = st.lists(words, min_size=1, max_size=6).map(" ".join)
weights = st.sampled_from([0.0, 0.8, 2.0])
least = st.sampled_from([0.0, 0.2])
factors = st.sampled_from([{}, {"notes": SourceFactors(weight=0.5)}])
filters = st.sampled_from([Filters(), Filters(sources=("docs",)), Filters(path_globs=("1*",))])


def _snapshot(corpus: list[tuple[str, str, str]]) -> Snapshot:
    documents = [
        make(f"{n}.md", text, title=title, source=source)
        for n, (text, title, source) in enumerate(corpus)
    ]
    return snapshot_of(documents)


def _many(seed: int, n_docs: int) -> Snapshot:
    """Enough documents that common words are rows, rare ones lists, and many tie."""
    rng = random.Random(seed)
    common = [f"common{n}" for n in range(4)]
    rare = [f"rare{n}" for n in range(200)]
    documents = []
    for n in range(n_docs):
        held = [*rng.choices(common, k=rng.randint(0, 3)), *rng.choices(rare, k=rng.randint(0, 3))]
        title = rng.choice(common) if n % 7 == 0 else "note"
        documents.append(make(f"{n:04}.md", " ".join(held), title=title))
    return snapshot_of(documents)


def _assert_same(
    snapshot: Snapshot,
    query: str,
    ranking: RankSettings,
    k: int,
    chosen: Filters | None = None,
    min_score: float | None = None,
) -> None:
    """Rankings with and without arrays agree in everything, and so do ids."""
    prepared = prepare(snapshot, ANALYZER, query, ranking.search)
    plain, arrays = (
        rank(snapshot, prepared, ranking, k=k, filters=chosen, min_score=min_score, batch=batch)
        for batch in (False, True)
    )
    assert arrays == plain
    if chosen is None and min_score is None:
        (ids,) = rank_ids(snapshot, ANALYZER, ranking, [query], k=k)
        assert ids == [snapshot.doc_id(hit.doc) for hit in plain.best]


@given(corpora, queries, weights, factors, least, filters, st.sampled_from([1, 3, 50]))
def test_arrays_equal_one_by_one(
    corpus: list[tuple[str, str, str]],
    query: str,
    title_weight: float,
    by_source: dict[str, SourceFactors],
    min_score: float,
    chosen: Filters,
    k: int,
) -> None:
    """Whatever is weighted, filtered or cut off: scores, labels, order and counts."""
    snapshot = _snapshot(corpus)
    ranking = RankSettings(SearchConfig(title_weight=title_weight), by_source)
    _assert_same(snapshot, query, ranking, k)
    _assert_same(snapshot, query, ranking, k, chosen, min_score)


@pytest.mark.parametrize("by_source", [{}, {"docs": SourceFactors(weight=0.7, decay=0.01)}])
@pytest.mark.parametrize("title_weight", [0.0, 0.8])
def test_rows_equal_lists(title_weight: float, by_source: dict[str, SourceFactors]) -> None:
    """Over documents enough for rows, with many ties, for any number of hits."""
    snapshot = _many(1, 1200)
    ranking = RankSettings(SearchConfig(title_weight=title_weight), by_source)
    rng = random.Random(2)
    for _ in range(40):
        common = [f"common{rng.randrange(4)}" for _ in range(rng.randint(0, 3))]
        rare = [f"rare{rng.randrange(210)}" for _ in range(rng.randint(0, 3))]
        query = " ".join([*common, *rare]) or "common1"
        for k in (1, 10, 100, 2000):
            _assert_same(snapshot, query, ranking, k)


def test_what_a_term_gives_adds_up_to_the_plain_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    """As rows alone, as lists alone and as both, to the bit; and nothing is kept past its bound."""
    from memidx.search.arrays import score_all

    search = SearchConfig()
    at = LexicalParameters(search.k1, search.b)
    for share in (0.0, 1 / 16, 1.0):
        monkeypatch.setattr(given_module, "_DENSE_SHARE", share)
        snapshot = _many(3, 400)
        memory = memory_of(snapshot)
        for query in ("common0 rare1 common2", "rare5 rare6 note", "common1 common1 rare9"):
            terms = prepare(snapshot, ANALYZER, query, search).terms
            shares = [memory.given(snapshot, term, (at.k1, at.b)) for term in terms]
            scores = score_all(shares, snapshot.size).tolist()
            plain = score_lexical(snapshot, terms, at)
            assert scores == [plain.get(doc, 0.0) for doc in range(snapshot.size)]
    assert memory.kept.size_bytes <= given_module.MAX_REMEMBERED_BYTES


def test_close_documents_are_told_apart_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    """However coarse a sketch is, order and ids are those of exact scores."""
    snapshot = _many(5, 300)
    ranking = RankSettings(SearchConfig(), {})
    # As if a sketch kept two digits: nearly every hit is close to its neighbour.
    monkeypatch.setattr(choosing_module, "ROUNDING", 1e-3)
    for query in ("common0 rare1", "common0 common1 common2", "rare3 rare4 rare5"):
        for k in (1, 10, 50):
            _assert_same(snapshot, query, ranking, k)


def test_too_many_candidates_are_thinned_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the weightiest term says little of the best scores, and where that does not help."""
    snapshot = _many(6, 600)
    ranking = RankSettings(SearchConfig(), {})
    for many, most in ((1, 10), (10, 60), (700, 700)):
        monkeypatch.setattr(choosing_module, "_MANY", many)
        monkeypatch.setattr(choosing_module, "_MAX_CANDIDATES", most)
        for query in ("common0 common1 common2 common3", "common0 common1 rare1 rare2", "common3"):
            for k in (1, 5, most, most + 1):
                _assert_same(snapshot, query, ranking, k)


@pytest.mark.parametrize("share", [0.0, 0.05, 2.0])
def test_sketches_are_right_but_for_their_roundings(
    share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As rows, as lists and as both: sums, single values, and who gets most."""
    monkeypatch.setattr(sketch_module, "_ROWS_ONLY", 0)
    monkeypatch.setattr(sketch_module, "_ROW_SHARE", share)
    snapshot, search = _many(8, 500), SearchConfig()
    at = LexicalParameters(search.k1, search.b)
    fields = every_field(snapshot, search)
    sketches = Sketches(memory_of(snapshot), fields, (at.k1, at.b))
    ranking = RankSettings(search, {})
    for query in ("common0 rare1 common2", "rare5 note", "note", "common1 common1 rare9 rare10"):
        words = ANALYZER.query(query)
        found = [
            sketch
            for term, weight in occurrences(words)
            if snapshot.term(term) and (sketch := sketches.of(snapshot, sketches.key(term, weight)))
        ]
        plain = score_lexical(snapshot, look_up(snapshot, occurrences(words), fields), at)
        close = (2 * len(found) + 8) * sketch_module.ROUNDING / 2
        for doc in range(snapshot.size):
            about = sum(sketch.value_of(doc) for sketch in found)
            assert about == pytest.approx(plain.get(doc, 0.0), rel=close, abs=0.0)
        for sketch in found:
            values = sorted(map(sketch.value_of, range(snapshot.size)), reverse=True)
            most = sorted(map(sketch.value_of, sketch.champions.tolist()), reverse=True)
            assert most == values[: sketch.n_champions]
        for k in (1, 10, 100):
            _assert_same(snapshot, query, ranking, k)


CHUNKS = "alpha Alpha (beta), the The how of file-lock fileLock naïve 部署 a&amp;b alpha&beta"
CHUNKS += " <gamma <b>delta</b> v2.1.9 .net zz - x"
chunks = st.sampled_from(CHUNKS.split())


def test_ids_do_not_depend_on_what_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """With room for a few terms and chunks only, ids are the same, and the bound holds."""
    monkeypatch.setattr(given_module, "MAX_REMEMBERED_BYTES", 30_000)
    monkeypatch.setattr(given_module, "_MAX_REMEMBERED_BYTES_PER_DOC", 1)
    monkeypatch.setattr(ids_module, "_MAX_CHUNK_BYTES", 3000)
    snapshot, ranking = _many(9, 300), RankSettings(SearchConfig(), {})
    rng = random.Random(4)
    for _ in range(60):
        _assert_same(snapshot, f"common{rng.randrange(4)} rare{rng.randrange(9)} note", ranking, 5)
        kept = memory_of(snapshot).kept
        assert 0 < kept.size_bytes <= 30_000
    assert len(kept) < 20


ALIASED = get_analyzer("default", aliases={"alpha": ("gamma",), "beta delta": ("file lock", "the")})


@given(corpora, st.lists(chunks, min_size=1, max_size=8), st.sampled_from([ANALYZER, ALIASED]))
def test_a_query_is_what_its_chunks_are(
    corpus: list[tuple[str, str, str]], asked: list[str], analyzer: Analyzer
) -> None:
    """Chunks that were met in other queries give the ids that the whole query gives."""
    snapshot, ranking = _snapshot(corpus), RankSettings(SearchConfig(), {})
    queries = [" ".join(asked), " ".join(asked[::-1]), *asked, " ".join(asked)]
    for query in queries:
        prepared = prepare(snapshot, analyzer, query, ranking.search)
        plain = rank(snapshot, prepared, ranking, k=7)
        (ids,) = rank_ids(snapshot, analyzer, ranking, [query], k=7)
        assert ids == [snapshot.doc_id(hit.doc) for hit in plain.best]


@given(
    st.dictionaries(st.sampled_from("abcdef"), st.tuples(texts, st.just("docs")), min_size=1),
    st.dictionaries(st.sampled_from("abcdef"), st.tuples(texts, st.just("docs")), min_size=1),
    queries,
)
@settings(max_examples=40)
def test_arrays_equal_one_by_one_over_an_overlay(
    before: dict[str, tuple[str, str]], after: dict[str, tuple[str, str]], query: str
) -> None:
    """Documents that were replaced count for nothing, and ties fall by the id."""
    snapshot = _follow(before, after)
    for title_weight in (0.0, 0.8):
        ranking = RankSettings(SearchConfig(title_weight=title_weight), {})
        for k in (1, 20):
            _assert_same(snapshot, query, ranking, k)


@given(corpora, st.lists(queries, min_size=1, max_size=5))
def test_many_at_once_are_each_alone(corpus: list[tuple[str, str, str]], asked: list[str]) -> None:
    """A batch of ids is what its queries give one by one."""
    snapshot, ranking = _snapshot(corpus), RankSettings(SearchConfig(), {})
    together = rank_ids(snapshot, ANALYZER, ranking, asked, k=5)
    anew = _snapshot(corpus)
    assert together == [rank_ids(anew, ANALYZER, ranking, [one], k=5)[0] for one in asked]


pieces = st.sampled_from(["word", "-word", "a-b", '"', "title:", "title:x", "source:y", "x:y", "-"])
spaces = st.sampled_from([" ", "  ", "\n", "\u2003", ""])


@given(st.lists(st.tuples(pieces, spaces), max_size=8))
def test_a_query_of_words_is_read_as_any_other(parts: list[tuple[str, str]]) -> None:
    """The short way for queries of words alone gives what taking them apart gives."""
    text = "".join(piece + space for piece, space in parts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parse_module, "plain_words", lambda _: None)
        expected = parse(text)
    assert parse(text) == expected


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 40)), max_size=60))
def test_what_is_kept_stays_within_its_bound(asked: list[tuple[int, int]]) -> None:
    """A value that is found is the one that was put there, and the last one asked for is found."""
    kept: Kept[int, str] = Kept(100)
    for key, size_bytes in asked:
        if kept.get(key) is None:
            kept.put(key, f"value of {key}", size_bytes)
        assert kept.size_bytes <= 100
        assert kept.get(key) == f"value of {key}"


@given(st.lists(st.integers(0, 9), max_size=80), st.integers(1, 10))
def test_what_fits_is_not_let_go(asked: list[int], size_bytes: int) -> None:
    """Nothing is dropped while all there is fits, however often it is asked for."""
    kept: Kept[int, int] = Kept(100)
    for key in asked:
        if kept.get(key) is None:
            kept.put(key, key, size_bytes)
    assert len(kept) == len(set(asked))
    assert all(kept.get(key) == key for key in asked)
    assert kept.size_bytes == len(set(asked)) * size_bytes


@pytest.mark.parametrize("k", [1, 3, 1000])
@pytest.mark.parametrize("title_weight", [1e-46, 1e-40, 0.8, 1e38, 1e39])
@pytest.mark.parametrize(
    "by_source",
    [
        {},
        {"docs": SourceFactors(decay=0.01, decay_floor=0.0)},  # of the undated nothing is left
        {"docs": SourceFactors(weight=1e-320)},
        {"docs": SourceFactors(weight=1e-120)},
    ],
)
def test_ids_are_those_of_exact_scores_whatever_the_weights(
    by_source: dict[str, SourceFactors], title_weight: float, k: int
) -> None:
    """Weights that single precision does not hold, and factors that leave nothing, lose no hit."""
    snapshot = _many(7, 300)
    ranking = RankSettings(SearchConfig(title_weight=title_weight), by_source)
    for query in ("common0", "common0 common1 rare1", "rare3 rare4", "note common2", "note"):
        _assert_same(snapshot, query, ranking, k)
