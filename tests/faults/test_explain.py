"""Why a document is in an answer, or is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import memidx
from memidx.cli.exit_codes import for_explanation
from memidx.cli.explain_text import explain_text
from memidx.cli.terminal import to_json
from tests.support import write_tree

CONFIG = """
[[sources]]
name = "daily"
include = ["daily/**"]
weight = 0.9
decay = 0.01
decay_floor = 0.2
[[sources]]
name = "notes"
"""
NOTES: dict[str, str | bytes] = {
    "memidx.toml": CONFIG,
    "lock.md": "# Locks\n\nThe file lock times out.\n",
    "door.md": "# Door\n\nThe lock of the door, a file beside it.\n",
    "daily/2026-11-01.md": "# Day\n\nA lock.\n",
    "zeppelin.md": "# Airships\n",
    "copy/lock.md": "# Locks\n\nThe file lock times out.\n",
    "broken.md": b"\xff\xfe\xfa",
    **{f"other/{n}.md": f"# Other {n}\n\nPlain words.\n" for n in range(20)},
}
AS_OF = "2026-11-30"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> memidx.Index:
    """An open index of the notes."""
    root = write_tree(tmp_path_factory.mktemp("explain"), NOTES)
    memidx.build(root=str(root), store=str(root / "store"), env={})
    return memidx.open(str(root / "store"), env={})


@pytest.mark.parametrize(
    ("query", "doc_id", "options", "status", "words"),
    [
        ("file lock", "lock.md", {}, "shown", "place"),
        ("lock", "daily/2026-11-01.md", {"k": 1}, "beyond_k", "behind the 1"),
        ("file lock", "copy/lock.md", {"dedupe": "content"}, "left_out", "dedupe"),
        ("file lock", "lock.md", {"per_source": 1}, "shown", "place 1"),
        ("lock zebra yak gnu", "door.md", {"min_score": 0.5}, "below_threshold", "minimum 0.5"),
        ("lock", "lock.md", {"sources": ["daily"]}, "filtered_out", "source"),
        ("lock", "lock.md", {"path_globs": ["daily/**"]}, "filtered_out", "path"),
        ("lock", "lock.md", {"since": "2026-01-01"}, "filtered_out", "since"),
        ("lock source:daily", "lock.md", {}, "filtered_out", "in the query"),
        ("lock -door", "door.md", {}, "excluded", "door"),
        ("lock -title:door", "door.md", {}, "excluded", "title:door"),
        ("lock -source:notes", "door.md", {}, "excluded", "source:notes"),
        ('"file lock"', "door.md", {}, "no_phrase", "file lock"),
        ("times", "door.md", {}, "no_term", "no word"),
        ("zeppelin", "zeppelin.md", {"strategy": "vector"}, "no_term", "title alone"),
        ("lock", "nowhere.md", {}, "not_indexed", "no document"),
        ("lock", "broken.md", {}, "not_indexed", "skipped"),
        ("???", "lock.md", {}, "empty_query", "nothing to search"),
    ],
)
def test_every_reason_has_its_name(
    index: memidx.Index,
    repository: Path,
    query: str,
    doc_id: str,
    options: dict[str, Any],
    status: str,
    words: str,
) -> None:
    """The first thing that decides it, in a word and in a sentence; the answer, the exit code and
    the published schema agree.
    """
    found = index.explain(query, doc_id, as_of=AS_OF, **options)
    assert (found.status, words in found.why) == (status, True), found.why
    hits = index.search(query, as_of=AS_OF, **options).hits
    assert (status == "shown") == (doc_id in [hit.doc_id for hit in hits])
    schema = json.loads((repository / "docs" / "explain.schema.json").read_text())
    Draft202012Validator(schema).validate(json.loads(to_json(found.to_dict())))
    assert for_explanation(found) == {"shown": 0, "empty_query": 2}.get(status, 1)
    assert explain_text(found).startswith(f"{doc_id}: {status}: ")


@pytest.mark.parametrize("strategy", ["lexical", "vector", "hybrid"])
@pytest.mark.parametrize("also", [(), ("the door beside it", "times out")])
def test_the_numbers_are_those_of_the_answer(
    index: memidx.Index, strategy: str, also: tuple[str, ...]
) -> None:
    """Rank, relevance, composite and label are the hit's, to the bit; the parts add up."""
    answer = index.search("file lock", 50, strategy=strategy, also=also, as_of=AS_OF)
    assert len(answer.hits) >= 3
    for hit in answer.hits:
        found = index.explain("file lock", hit.doc_id, strategy=strategy, also=also, as_of=AS_OF)
        assert (found.rank, found.relevance, found.composite, found.confidence) == (
            hit.rank,
            hit.relevance,
            hit.composite,
            hit.confidence,
        )
        assert found.composite == pytest.approx(
            hit.relevance * found.source_weight * found.decay, rel=1e-12
        )
        assert found.label_rules
        assert sum(part["score"] for part in found.parts) == found.score
        assert len(found.above) == min(5, hit.rank - 1)
        if strategy == "hybrid" and not also:
            assert found.fusion is not None
            fused = sum(part["weight"] * part["relevance"] for part in found.fusion["parts"])
            assert hit.relevance == pytest.approx(fused, rel=1e-12)
        if strategy == "vector" and not also:
            shares = sum(part["score"] for part in found.vector_parts)
            assert hit.score == pytest.approx(shares, rel=1e-12)


def test_weight_and_age_are_worked_out(index: memidx.Index) -> None:
    """29 days at 0.01 a day above a floor of 0.2, times 0.9."""
    import math

    found = index.explain("lock", "daily/2026-11-01.md", as_of=AS_OF)
    assert (found.source, found.source_weight, found.age_days) == ("daily", 0.9, 29.0)
    assert found.decay == pytest.approx(0.2 + 0.8 * math.exp(-0.29), rel=1e-12)


def test_who_is_before_it_and_by_what(index: memidx.Index) -> None:
    """The terms that give the others more, with both figures."""
    found = index.explain("file lock times", "daily/2026-11-01.md", k=1, as_of=AS_OF)
    first = found.above[0]
    assert first["doc_id"] in ("lock.md", "copy/lock.md")
    gains = {term["term"]: term for term in first["terms"]}
    assert gains["file"]["own_score"] == 0.0 < gains["file"]["score"]


def test_reciprocal_ranks_are_shown(tmp_path: Path) -> None:
    """With rrf the places in the channels give the relevance: (60 + 1) / (60 + rank)."""
    config = '[search]\nstrategy = "hybrid"\nfusion = "rrf"\n' + CONFIG
    root = write_tree(tmp_path / "p", {**NOTES, "memidx.toml": config})
    memidx.build(root=str(root), store=str(root / "store"), env={})
    with memidx.open(str(root / "store"), env={}) as index:
        for hit in index.search("file lock", as_of=AS_OF).hits:
            found = index.explain("file lock", hit.doc_id, as_of=AS_OF)
            assert found.fusion is not None
            fused = sum(p["weight"] * 61 / (60 + p["rank"]) for p in found.fusion["parts"])
            assert hit.relevance == pytest.approx(fused, rel=1e-12)


def test_a_document_of_a_farther_store(tmp_path: Path) -> None:
    """Its own store's weight counts, and the store is named."""
    stores = []
    for name, weight in (("near", 1.0), ("far", 0.5)):
        config = f'[[sources]]\nname = "docs"\nweight = {weight}\n'
        files: dict[str, str | bytes] = {"memidx.toml": config, f"{name}.md": "a lock", "o.md": "x"}
        root = write_tree(tmp_path / name, files)
        memidx.build(root=str(root), store=str(root / "store"), env={})
        stores.append(str(root / "store"))
    with memidx.open(stores, env={}) as index:
        found = index.explain("lock", "far.md")
        assert (found.source_weight, found.store, found.rank) == (0.5, stores[1], 2)
