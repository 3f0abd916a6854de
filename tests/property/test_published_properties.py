"""Any small corpus: exported and read back it answers as its store does."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

import memidx
from tests.round_trip_support import assert_same_answers
from tests.support import write_tree

WORDS = [
    "lock",
    "Lock",
    "file-lock",
    "a_b_c",
    "the",
    "two",
    "R2D2",
    "日本",
    "né",
    "x",
    "index",
    "42",
]
TEXTS = st.lists(st.sampled_from([*WORDS, "\n", "\n\n", "# "]), max_size=25).map(" ".join)
NAMES = st.sampled_from(["a.md", "b.md", "d/a.md", "d/ü.md", "c#.md", "z z.txt", "2026-01-02.md"])


@settings(max_examples=25)
@given(
    files=st.dictionaries(NAMES, TEXTS, max_size=7),
    queries=st.lists(st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join), max_size=3),
)
def test_a_round_trip_changes_no_answer(files: dict[str, str], queries: list[str]) -> None:
    """Hits, order, scores, labels and verdicts, in all three strategies."""
    with tempfile.TemporaryDirectory() as folder:
        root = write_tree(Path(folder) / "root", files)
        root.mkdir(exist_ok=True)
        store = Path(folder) / "store"
        memidx.build(root=str(root), store=str(store), env={})
        assert_same_answers(store, root, Path(folder) / "index.json", queries)
