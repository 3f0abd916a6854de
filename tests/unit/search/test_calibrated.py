"""Fitted thresholds label where they hold, and nowhere else."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import memidx
from memidx.analysis import get_analyzer
from memidx.config import SearchConfig
from memidx.search.calibrated import in_force, parse_calibration
from memidx.search.prepared import prepare
from memidx.search.ranking import Ranking, RankSettings, rank
from memidx.snapshot.snapshot import Snapshot
from tests.support import make, snapshot_of, write_tree


def _file(
    reliable: float | None = 0.5, candidate: float = 0.2, strategy: str = "lexical", **more: Any
) -> bytes:
    on = {"corpus": "c1", "n_docs": 100, "analyzer_fingerprint": "a1"}
    on |= {"k1": 1.5, "b": 0.75, "title_weight": 0.8} if strategy == "lexical" else {}
    entry = {"reliable": reliable, "candidate": candidate, "fitted_on": {**on, **more}}
    return json.dumps(
        {
            "artifact_type": "memidx-calibration",
            "schema": "memidx.calibration/1",
            "strategies": {strategy: entry},
        }
    ).encode()


def _held(data: bytes, search: SearchConfig | None = None, **facts: Any) -> Any:
    facts = {"corpus": "c1", "n_docs": 100, "fingerprint": "a1", **facts}
    return in_force(parse_calibration(data), search or SearchConfig(), **facts)


def test_thresholds_hold_for_what_they_were_fitted_on() -> None:
    """Same documents, analyzer and settings: no note is due."""
    held = _held(_file())
    assert held.thresholds == {"lexical": (0.5, 0.2)}
    assert held.notes == {}


@pytest.mark.parametrize(
    ("search", "facts", "said"),
    [
        ({}, {"corpus": "c2"}, "the documents changed"),
        ({}, {"fingerprint": "a2"}, "another analyzer"),
        ({"k1": 1.2}, {}, "k1 1.5, not 1.2"),
        ({"title_weight": 0.0}, {}, "title_weight 0.8, not 0.0"),
        ({"min_score": 0.3}, {}, "0.2 < 0.3"),
    ],
)
def test_anything_else_takes_the_published_ones(
    search: dict[str, float], facts: dict[str, Any], said: str
) -> None:
    """And the note says what is different and what to do."""
    held = _held(_file(), SearchConfig(**search), **facts)  # type: ignore[arg-type]
    assert held.thresholds == {}
    assert said in held.notes["lexical"]
    assert "memidx calibrate" in held.notes["lexical"]


def test_what_a_strategy_does_not_look_at_does_not_matter() -> None:
    """A cosine has no k1, and a lexical score no share of a fusion."""
    held = _held(_file(strategy="vector"), SearchConfig(k1=9.0))
    assert held.thresholds == {"vector": (0.5, 0.2)}
    assert _held(_file(), SearchConfig(lexical_weight=0.1)).thresholds


def test_a_corpus_may_grow_by_what_the_configuration_allows() -> None:
    """With 0.1, 110 documents for 100 hold, and 111 do not."""
    search = SearchConfig(calibration_drift=0.1)
    assert _held(_file(), search, corpus="c2", n_docs=110).thresholds
    assert _held(_file(), search, corpus="c2", n_docs=90).thresholds
    assert "there are 111" in _held(_file(), search, corpus="c2", n_docs=111).notes["lexical"]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<<<<<<< ours",
        b"[]",
        b"{}",
        b'{"artifact_type": "memidx-baseline"}',
        _file().replace(b"calibration/1", b"calibration/9"),
        _file(candidate=0.6),
        _file(candidate=1.5),
        _file(candidate=True),
        _file(strategy="dense"),
        _file().replace(b'"candidate": 0.2', b'"candidate": "x"'),
        _file().replace(b'"candidate"', b'"kandidat"'),
        b"[" * 100_000,
    ],
)
def test_a_damaged_file_labels_nothing_and_says_so(data: bytes) -> None:
    """It raises nothing: a search goes on with the published thresholds."""
    held = _held(data)
    assert held.thresholds == {}
    assert "evals/calibration.json" in held.notes["lexical"]


CORPUS = [
    make("a.md", "lock lock lock timeout"),
    make("b.md", "lock " + "filler " * 40),
    *[make(f"f{n}.md", f"other words {n}") for n in range(10)],
]


def _rank(query: str, thresholds: dict[str, tuple[float, float]], **search: Any) -> Ranking:
    snapshot: Snapshot = snapshot_of(CORPUS)
    settings = RankSettings(SearchConfig(**search), thresholds=thresholds)
    prepared = prepare(snapshot, get_analyzer("default"), query, settings.search)
    return rank(snapshot, prepared, settings, k=5)


def _labels(ranking: Ranking) -> list[str]:
    return [scored.confidence for scored in ranking.best]


def test_a_label_is_read_off_the_relevance() -> None:
    """At the threshold it is reached, a little above it it is not."""
    first, second = _rank("lock", {}).best
    assert first.relevance > second.relevance
    at = {"lexical": (first.relevance, second.relevance)}
    assert _labels(_rank("lock", at)) == ["reliable", "candidate"]
    above = {"lexical": (first.relevance + 1e-9, second.relevance + 1e-9)}
    assert _labels(_rank("lock", above)) == ["candidate", "weak"]


def test_order_and_scores_are_as_without() -> None:
    """Thresholds label; they move nothing while some hit is above weak."""
    plain, fitted = _rank("lock", {}), _rank("lock", {"lexical": (0.9, 0.01)})
    assert [(s.doc, s.composite) for s in plain.best] == [(s.doc, s.composite) for s in fitted.best]


def test_when_all_are_weak_the_fallback_ranks() -> None:
    """By the label in force: what the published thresholds trust may be weak here."""
    assert _rank("lock", {}).strategy == "lexical"
    found = _rank("lock", {"lexical": (2.0, 0.99)})
    assert found.strategy == "vector"
    assert _labels(_rank("lock", {"lexical": (2.0, 0.99), "vector": (2.0, 0.999)})) == ["weak"] * 2


def test_saying_a_word_again_changes_no_label() -> None:
    """A repeat raises score and bound; the label looks at neither."""
    once = _rank("lock timeout", {})
    at = {"lexical": (once.best[0].relevance, 0.01)}
    for query in ("lock timeout", "lock lock lock timeout", "timeout lock timeout"):
        assert _labels(_rank(query, at))[0] == "reliable"
    over = {"lexical": (once.best[0].relevance + 1e-6, 0.01)}
    for query in ("lock timeout", "lock lock lock timeout", "timeout lock timeout"):
        assert _labels(_rank(query, over))[0] == "candidate"


def test_too_little_of_the_query_stays_weak() -> None:
    """Coverage goes before any threshold."""
    found = _rank("lock anvil bassoon cello", {"lexical": (0.0, 0.0)})
    assert set(_labels(found)) == {"weak"}


def test_a_hybrid_has_thresholds_of_its_own_or_its_channels() -> None:
    """Its own are on the fused relevance; else the better channel's label counts."""
    plain = _rank("lock", {}, strategy="hybrid").best[0]
    own = {"hybrid": (2.0, plain.relevance)}
    assert _labels(_rank("lock", own, strategy="hybrid"))[0] == "candidate"
    channels = {"lexical": (0.0, 0.0), "vector": (2.0, 2.0)}
    assert _labels(_rank("lock", channels, strategy="hybrid"))[0] == "reliable"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A store of twelve documents and a calibration fitted on it."""
    root = tmp_path / "project"
    write_tree(root, {document.doc_id: document.text for document in CORPUS})
    memidx.build((), root=str(root), env={})
    with memidx.open(None, root=str(root), env={}) as index:
        data = _file(
            None,
            0.01,
            corpus=index.build_id,
            n_docs=index.n_docs,
            analyzer_fingerprint=index.fingerprint,
        )
        assert index.calibration_file == str(root / "evals" / "calibration.json")
    write_tree(root, {"evals/calibration.json": data.decode()})
    return root


def test_a_search_reads_them(project: Path) -> None:
    """Nothing was promised for `reliable`, so no hit is; `rank` and `search` agree."""
    with memidx.open(None, root=str(project), env={}) as index:
        answer = index.search("lock timeout")
        assert {hit.confidence for hit in answer.hits} == {"candidate"}
        assert answer.notes == ()
        (ranked,) = index.rank(["lock timeout"], 5)
        assert {hit.confidence for hit in ranked} == {"candidate"}
        assert index.configuration["thresholds"] == {"lexical": (2.0, 0.01)}


def test_batches_fall_back_as_searches_do(project: Path) -> None:
    """By fitted thresholds too: all three ways of asking give the same ids and labels."""
    path = project / "evals" / "calibration.json"
    found = json.loads(path.read_text())
    for candidate in (0.01, 0.99):
        found["strategies"]["lexical"]["candidate"] = candidate
        path.write_text(json.dumps(found))
        with memidx.open(None, root=str(project), env={}) as index:
            answer = index.search("lock filler", k=5)
            (ranked,) = index.rank(["lock filler"], 5)
            (ids,) = index.search_ids(["lock filler"], 5)
        assert answer.strategy == ("lexical" if candidate == 0.01 else "vector")
        assert [hit.doc_id for hit in answer.hits] == [hit.doc_id for hit in ranked] == ids
        assert [(h.score, h.confidence) for h in answer.hits] == [
            (h.score, h.confidence) for h in ranked
        ]


def test_an_edit_of_a_document_ends_them(project: Path) -> None:
    """The next answer of the same open index has published labels and says why; undone, it ends."""
    before = (project / "a.md").read_text()
    with memidx.open(None, root=str(project), env={}) as index:
        index.search("lock timeout")
        (project / "a.md").write_text(before + " more")
        answer = index.search("lock timeout")
        assert answer.hits[0].confidence == "reliable"
        assert "the documents changed" in answer.notes[-1]
        assert index.search("lock timeout", strategy="vector").notes == ()
        (project / "a.md").write_text(before)
        assert index.search("lock timeout").hits[0].confidence == "candidate"


def test_a_new_file_is_seen_by_an_open_index(project: Path) -> None:
    """As any other setting."""
    path = project / "evals" / "calibration.json"
    with memidx.open(None, root=str(project), env={}) as index:
        index.search("lock")
        path.write_text("<<<<<<< ours")
        assert "damaged" in index.search("lock").notes[-1]
        path.unlink()
        assert index.search("lock").notes == ()


def test_the_configuration_says_where_they_are(project: Path) -> None:
    """By key and by variable."""
    env = {"MEMIDX_CALIBRATION": "elsewhere.json"}
    with memidx.open(None, root=str(project), env=env) as index:
        assert index.search("lock timeout").hits[0].confidence == "reliable"


def test_tuning_ranks_by_the_published_ones(project: Path) -> None:
    """Fitted ones hold at one point alone, so that at others they would be another ranker's."""
    from memidx.search.grid_ranker import GridRanker
    from memidx.search.points import point

    with memidx.open(None, root=str(project), env={}) as index:
        inputs = index.rank_inputs()
        assert inputs.settings.thresholds
        found = GridRanker(inputs, [point({})]).rank("lock timeout", 5).ranked(0)
        (served,) = index.rank(["lock timeout"], 5)
    assert found[0].confidence == "reliable"
    assert [replace(hit, confidence="weak") for hit in found] == [
        replace(hit, confidence="weak") for hit in served
    ]
