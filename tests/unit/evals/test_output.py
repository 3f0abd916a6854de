"""Files that an evaluation leaves."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ir_measures
import pytest

from memidx.errors import InputError
from memidx.evals import evaluate, write_report, write_run
from memidx.evals.measures import measure

Make = Callable[..., Any]


def test_a_report_is_two_files_with_their_type(
    tmp_path: Path, make_suite: Make, make_index: Make
) -> None:
    """The folder is made; both files say what they are; nothing else is left."""
    suite = make_suite("id: a, query: qa, expect_paths: [a.md]")
    report = evaluate(suite, make_index(["a.md"], {"qa": ["a.md"]}))
    folder = tmp_path / "reports" / "latest"
    paths = write_report(report, str(folder))
    assert sorted(p.name for p in folder.iterdir()) == ["report.json", "report.md"]
    assert sorted(Path(p).name for p in paths) == ["report.json", "report.md"]
    markdown = (folder / "report.md").read_text(encoding="utf-8")
    assert markdown.startswith("<!-- artifact_type: memidx-report -->\n")
    data = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert data["artifact_type"] == "memidx-report"
    assert data["exit_code"] == report.exit_code
    before = [Path(p).read_bytes() for p in paths]
    assert [Path(p).read_bytes() for p in write_report(report, str(folder))] == before


def test_a_run_file_has_six_columns_and_falling_scores(tmp_path: Path) -> None:
    """Rank and score say the same order."""
    path = tmp_path / "out.run"
    n_lines = write_run({"q1": ["b", "a"], "q2": [], "q3": ["a"]}, str(path))
    assert n_lines == 3
    assert path.read_text(encoding="utf-8").splitlines() == [
        "q1 Q0 b 1 2 memidx",
        "q1 Q0 a 2 1 memidx",
        "q3 Q0 a 1 1 memidx",
    ]


def test_a_run_file_measures_like_the_run(tmp_path: Path) -> None:
    """Another tool that reads the file gets our figures."""
    run = {"q": [f"d{i}" for i in range(500)]}
    qrels = {"q": {"d7": 1, "d400": 1}}
    write_run(run, str(tmp_path / "out.run"))
    judged = [ir_measures.Qrel("q", name, 1) for name in qrels["q"]]
    read = list(ir_measures.read_trec_run(str(tmp_path / "out.run")))
    names = ("nDCG@10", "AP")
    other = ir_measures.calc_aggregate([ir_measures.parse_measure(n) for n in names], judged, read)
    ours = measure(qrels, run, names).means()
    assert {str(name): value for name, value in other.items()} == pytest.approx(ours)


@pytest.mark.parametrize("name", ["a b.md", "a\tb", "", "a\u00a0b"])
def test_an_id_that_the_format_cannot_hold_is_refused(tmp_path: Path, name: str) -> None:
    """A broken line would be read as another document; the id is named instead."""
    path = tmp_path / "out.run"
    with pytest.raises(InputError, match="run file"):
        write_run({"q": [name]}, str(path))
    assert not path.exists()
