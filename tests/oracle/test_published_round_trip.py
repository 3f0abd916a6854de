"""A store under ascii-compat, its export read back, and the published function agree."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

import memidx
from tests.round_trip_support import assert_same_answers
from tests.support import write_tree

CONFIG = """
[[sources]]
name = "records"
kind = "records"
include = ["*.jsonl"]
[[sources]]
name = "changes"
kind = "changelog"
include = ["CHANGELOG.md"]
[[sources]]
name = "notes"
"""
FILES = {
    "memidx.toml": CONFIG,
    "a/lock.md": "---\ndate: 2026-03-01\ntags: [io]\n---\n# File lock\n\nThe lock waits; a lock.\n",
    "a/same.md": "# Lock\n\nlock timeout\n",
    "b/same.md": "# Lock\n\nlock timeout\n",
    "c#.md": "sharp lock, sharp index\n",
    "2026-02-03-note.md": "cache index of /home/someone/private with timeout\n",
    "zh.md": "检索记忆\n",
    "café.md": "Überblick café index\n",
    "r.jsonl": '{"id": "1", "title": "One", "text": "lock record", "time": "2026-01-02T03:04:05Z"}'
    "\n"
    '{"id": "2", "text": "timeout record record"}\n',
    "CHANGELOG.md": "# Changelog\n\n## 1.1.0 - 2026-02-01\n\n- a lock index\n\n"
    "## 1.0.0\n\n- first\n",
}
QUERIES = [
    "lock", "lock timeout", "lock lock record", "index cache unknownword", "first", "zebra", "",
    "UPPER lock-file Index", "the", "sharp", "timeout -record", "caf index",
]  # fmt: skip


def test_a_mixed_store_round_trips(tmp_path: Path) -> None:
    """Files, records, releases, equal files, odd names, a note without a term."""
    root = write_tree(tmp_path / "root", FILES)
    memidx.build(root=str(root), store=str(tmp_path / "store"), env={})
    compared = assert_same_answers(tmp_path / "store", root, tmp_path / "index.json", QUERIES)
    assert compared.n_queries == 3 * len(QUERIES)
    assert compared.n_hits > 60


def test_times_come_back(tmp_path: Path) -> None:
    """A day as a day, an instant as an instant, none as none."""
    root = write_tree(tmp_path / "root", FILES)
    memidx.build(root=str(root), store=str(tmp_path / "store"), env={})
    assert_same_answers(tmp_path / "store", root, tmp_path / "index.json", [])
    times = {}
    for place in ("store", "index.json"):
        with memidx.open(str(tmp_path / place), root=str(root), env={}) as index:
            times[place] = {row.doc_id: row.time for row in index.catalog()}
    assert times["store"].pop("zh.md") is None
    assert times["index.json"] == times["store"]


@pytest.mark.shared
def test_real_documents_round_trip(shared: Path, tmp_path: Path) -> None:
    """481 documents; 40 queries of rare, middling and common words, in all strategies."""
    root, store = shared / "corpora" / "agentteams", tmp_path / "store"
    memidx.build(root=str(root), store=str(store), env={})
    with memidx.open(str(store), root=str(root), env={}) as index:
        assert index.n_docs == 481
        words = Counter(
            word
            for _, text in index.texts()
            for word in set(re.findall(r"[A-Za-z][A-Za-z0-9_-]{2,}", text))
        )
    ranked = [word for word, _ in words.most_common()]
    step = len(ranked) // 60
    picked = [ranked[n * step] for n in range(60)]
    queries = [" ".join(picked[n::20]) for n in range(20)]
    queries += [f"{picked[n]} {picked[-n - 1]}" for n in range(20)]
    compared = assert_same_answers(store, root, tmp_path / "index.json", queries)
    assert compared.n_queries == 120
    assert compared.n_hits > 600
