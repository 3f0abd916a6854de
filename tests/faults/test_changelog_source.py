"""Releases in the index, beside the other files of a project."""

from __future__ import annotations

from pathlib import Path

import memidx
from tests.support import write_tree

CONFIG = """
[[sources]]
name = "releases"
kind = "changelog"
include = ["CHANGELOG.md", "HISTORY.md"]

[[sources]]
name = "docs"
"""
CHANGELOG = (
    "# Changelog\n\n## [1.1.0] - 2026-02-01\n\n- The zeppelin.\n\n## 1.0.0 (2026-01-02)\n\n- A\n"
)


def test_a_release_is_a_document(tmp_path: Path) -> None:
    """It is found by its words and its version, with its place in the file, and edits are seen."""
    root = write_tree(tmp_path, {"memidx.toml": CONFIG, "CHANGELOG.md": CHANGELOG, "a.md": "# A\n"})
    memidx.build(root=str(root), env={})
    with memidx.open(str(root / "store"), env={}) as index:
        assert index.doc_ids() == ["CHANGELOG.md#1.0.0", "CHANGELOG.md#1.1.0", "a.md"]
        (hit,) = index.search("zeppelin").hits
        assert (hit.doc_id, hit.anchor, hit.kind) == ("CHANGELOG.md#1.1.0", "1.1.0", "changelog")
        assert (hit.title, hit.time, hit.line_start) == ("Changelog 1.1.0", "2026-02-01", 3)
        assert index.search("changelog 1.0.0").hits[0].doc_id == "CHANGELOG.md#1.0.0"
        newer = CHANGELOG.replace("## [1.1.0]", "## [Unreleased]\n\n- A balloon.\n\n## [1.1.0]")
        write_tree(root, {"CHANGELOG.md": newer})
        (hit,) = index.search("balloon").hits
        assert (hit.doc_id, hit.line_start) == ("CHANGELOG.md#Unreleased", 3)
        (hit,) = index.search("zeppelin").hits
        assert (hit.doc_id, hit.line_start) == ("CHANGELOG.md#1.1.0", 7)
        report = memidx.build(root=str(root), env={})
        assert (report.n_added, report.n_changed, report.n_removed) == (1, 0, 0)


def test_one_version_twice(tmp_path: Path) -> None:
    """Each section is a document of its own, and a file without releases is whole."""
    files = {
        "memidx.toml": CONFIG,
        "CHANGELOG.md": "## 1.0.0\n\n- one\n\n## 1.0.0\n\n- two\n",
        "HISTORY.md": "We began in spring.\n",
    }
    root = write_tree(tmp_path, files)
    report = memidx.build(root=str(root), env={})
    assert [(skip.path, skip.source) for skip in report.skips] == [("HISTORY.md", "releases")]
    with memidx.open(str(root / "store"), env={}) as index:
        assert index.doc_ids() == ["CHANGELOG.md#1.0.0", "CHANGELOG.md#1.0.0-2", "HISTORY.md"]
