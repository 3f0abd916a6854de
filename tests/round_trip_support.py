"""A store, and its export read back, side by side."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import memidx
from memidx.exchange import export_store, write_export

STRATEGIES = ("lexical", "vector", "hybrid")


@dataclass
class Compared:
    """How much was compared."""

    n_queries: int = 0
    n_hits: int = 0


def place(hit: Any) -> tuple[Any, ...]:
    """What must be the same of a hit; scores to the bit, which is more than was promised."""
    return (
        hit.rank, hit.doc_id, hit.path, hit.anchor, hit.title, hit.score, hit.relevance,
        hit.composite, hit.confidence,
    )  # fmt: skip


def export(store: Path, out: Path, root: Path | None = None) -> dict[str, Any]:
    """The export of a store, as any program would load it."""
    exported = export_store(str(store), root=None if root is None else str(root), env={})
    write_export(exported, str(out), str(store), {})
    index: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return index


def assert_same_answers(
    store: Path, root: Path, out: Path, queries: Iterable[str], k: int = 10
) -> Compared:
    """Every query in every strategy: the store, its export opened, and `query_index` over it."""
    index = export(store, out, root)
    compared = Compared()
    with (
        memidx.open(str(store), root=str(root), env={}, analyzer="ascii-compat") as ours,
        memidx.open(str(out), env={}) as theirs,
    ):
        for query in queries:
            for strategy in STRATEGIES:
                mine = ours.search(query, k, strategy=strategy)
                other = theirs.search(query, k, strategy=strategy)
                assert [place(hit) for hit in other.hits] == [place(hit) for hit in mine.hits]
                assert (other.verdict, other.strategy, other.n_matched, other.terms) == (
                    mine.verdict, mine.strategy, mine.n_matched, mine.terms,
                )  # fmt: skip
                compared.n_queries += 1
                compared.n_hits += len(mine.hits)
                if mine.strategy != "hybrid" and " -" not in query:
                    published = memidx.query_index(index, query, k=k, strategy=mine.strategy)
                    assert [(hit["path"], hit["score"]) for hit in published] == [
                        (hit.doc_id, round(hit.score, 6)) for hit in mine.hits
                    ]
    return compared
