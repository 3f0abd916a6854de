"""Files that an evaluation leaves."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from memidx.evals import evaluate, write_report

Make = Callable[..., Any]


def test_a_report_is_three_files_with_their_type(
    tmp_path: Path, make_suite: Make, make_index: Make
) -> None:
    """The folder is made; each file says what it is; nothing else is left."""
    suite = make_suite("id: a, query: qa, expect_paths: [a.md]")
    report = evaluate(suite, make_index(["a.md"], {"qa": ["a.md"]}))
    folder = tmp_path / "reports" / "latest"
    paths = write_report(report, str(folder))
    assert sorted(p.name for p in folder.iterdir()) == ["report.html", "report.json", "report.md"]
    assert sorted(Path(p).name for p in paths) == ["report.html", "report.json", "report.md"]
    markdown = (folder / "report.md").read_text(encoding="utf-8")
    assert markdown.startswith("<!-- artifact_type: memidx-report -->\n")
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>\n<!-- artifact_type: memidx-report -->\n")
    data = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert data["artifact_type"] == "memidx-report"
    assert data["exit_code"] == report.exit_code
    before = [Path(p).read_bytes() for p in paths]
    assert [Path(p).read_bytes() for p in write_report(report, str(folder))] == before
