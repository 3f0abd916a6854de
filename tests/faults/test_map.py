"""The map of faults names tests that are there."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]


def test_every_file_of_the_map_exists_and_holds_tests() -> None:
    """A test that was renamed leaves no row behind; no row is without one."""
    lines = (Path(__file__).parent / "README.md").read_text(encoding="utf-8").split("\n")
    rows = [line for line in lines if line.startswith("| ") and not line.startswith("| fault")]
    assert len(rows) >= 30
    for row in rows:
        named = re.findall(r"`([\w/.]+\.py)`", row)
        assert named, row
        for name in named:
            text = (TESTS / name).read_text(encoding="utf-8")
            assert re.search(r"^ *(?:def test_|Test\w+ = )", text, re.MULTILINE), name
