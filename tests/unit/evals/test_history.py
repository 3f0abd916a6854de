"""A suite's runs over time."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from memidx.evals import evaluate
from memidx.evals.history import parse_history, record_run, render_history, run_line

Make = Callable[..., Any]


def test_a_run_is_one_line(make_suite: Make, make_index: Make) -> None:
    """Whatever a name holds, the line does not break, and says what it is at its beginning."""
    suite = make_suite(r'id: "a\u2028b\nc", query: qa, expect_paths: [a.md]')
    line = run_line(evaluate(suite, make_index(["a.md"], {"qa": ["a.md"]})), "2026-11-30")
    assert line.splitlines() == [line]
    assert line.startswith('{"artifact_type":"memidx-history",')
    run = json.loads(line)
    assert (run["day"], run["outcome"], run["n_passed"]) == ("2026-11-30", "passed", 1)
    assert run["measures"]["RR@10"] == 1.0


def test_a_line_without_its_end_is_not_joined(
    tmp_path: Path, make_suite: Make, make_index: Make
) -> None:
    """A file that an editor or a crash left without its last line end gets one first."""
    report = evaluate(
        make_suite("id: a, query: qa, expect_paths: [a.md]"), make_index(["a.md"], {})
    )
    path = tmp_path / "reports" / "history.jsonl"
    record_run(report, str(path), "2026-11-29")
    path.write_bytes(path.read_bytes().rstrip(b"\n") + b"\n{torn")
    history = record_run(report, str(path), "2026-11-30")
    assert [run["day"] for run in history.runs] == ["2026-11-29", "2026-11-30"]
    assert history.n_unreadable == 1
    assert len(path.read_bytes().splitlines()) == 3
    assert "Lines that are no runs, passed over: 1." in render_history(history)


def test_other_suites_are_left_out(make_suite: Make, make_index: Make) -> None:
    """A history holds runs of several suites; each is shown its own."""
    report = evaluate(
        make_suite("id: a, query: qa, expect_paths: [a.md]"), make_index(["a.md"], {})
    )
    other = run_line(replace(report, suite="evals/other.yaml"), "2026-11-30")
    data = f"{run_line(report, '2026-11-30')}\n{other}\n".encode()
    assert len(parse_history(data, "queries.yaml").runs) == 1
    assert len(parse_history(data, "other.yaml").runs) == 1


def test_the_newest_runs_are_shown_first(make_suite: Make, make_index: Make) -> None:
    """Of 25 runs the last 20, with what changed from each to the next."""
    suite = make_suite("id: a, query: qa, expect_paths: [a.md]")
    lines = []
    for n in range(25):
        index = make_index(["a.md"], {"qa": ["a.md"]}, build_id="old" if n < 24 else "new")
        lines.append(run_line(evaluate(suite, index), f"2026-11-{n + 1:02}"))
    shown = render_history(parse_history("\n".join(lines).encode(), "queries.yaml"))
    rows = [line for line in shown.splitlines() if line.startswith(("| 2", "| 6 "))]
    assert rows[0] == (
        "| 25 | 2026-11-25 | passed | 1/1 | 1.0000 | 1.0000 | 1.0000 | 1.0000 | 1 | corpus |"
    )
    assert rows[-1].startswith("| 6 |")
    assert "| 5 |" not in shown
    assert "The last 20 of 25 runs" in shown
