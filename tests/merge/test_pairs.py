"""Stores of two branches merge, with and without the driver, and nothing is wrong afterwards."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memidx import files
from tests.merge.pairs import SIZES, measure

# 200 of all sizes give the figures of docs/git.md: `make merges`, or MEMIDX_TEST_PAIRS=200 here.
N_PAIRS = int(os.environ.get("MEMIDX_TEST_PAIRS", "20"))


def test_pairs_of_branches_merge_to_what_a_clean_build_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every document right, verify sound, the next build a clean one, after each merge."""
    # What the disk does about a sync is not what is tested here.
    monkeypatch.setattr(files, "_fsync", lambda descriptor: None)
    tally = measure(tmp_path, N_PAIRS, SIZES if N_PAIRS > 20 else SIZES[:1])
    assert tally.wrong == [], tally.table()
    counts = tally.counts
    assert counts["pairs"] == N_PAIRS
    # A store that git, or the driver, calls merged is never behind the merged sources.
    assert counts["clean and behind, by line"] == counts["clean and behind, by document"] == 0
    # With the driver what is left are documents that both branches changed.
    assert counts["store clean, by document"] >= counts["store clean, by line"]
