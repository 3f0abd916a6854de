"""How has a suite done over time?

A history is one compact line of JSON a run, appended by `--record`: outcome, counts, means and
the facts that explain them. The day is the caller's, so nothing here reads the clock.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memidx import files
from memidx.evals.baseline import rounded
from memidx.evals.cells import cut, escape, figure
from memidx.evals.markdown import MARKER
from memidx.evals.report import Report

HISTORY_TYPE = "memidx-history"
HISTORY_SCHEMA = "memidx.history/1"
DEFAULT_HISTORY = "reports/history.jsonl"
_MEASURES = ("nDCG@10", "RR@10", "Success@1", "Success@5")
_SHOWN_RUNS = 20
_HEADS = ("run", "day", "outcome", "passed", *_MEASURES, "documents", "what changed")
# Facts whose change explains a step, by the name a reader knows them under.
_EXPLAINING = {
    "corpus_fingerprint": "corpus",
    "suite_hash": "suite",
    "configuration_hash": "configuration",
    "analyzer_fingerprint": "analyzer",
    "strategy": "strategy",
    "as_of": "as_of",
    "version": "version",
}


@dataclass(frozen=True, slots=True)
class History:
    """Runs of one suite, the oldest first; `n_unreadable` lines were no runs."""

    runs: tuple[Mapping[str, Any], ...]
    n_unreadable: int = 0


def run_line(report: Report, day: str) -> str:
    """A run as one line, without its line end.

    Args:
        report: The run.
        day: ISO date it is recorded under.
    """
    overall = report.overall
    return json.dumps(
        {
            "artifact_type": HISTORY_TYPE,
            "schema": HISTORY_SCHEMA,
            "day": day,
            "suite": os.path.basename(report.suite),
            "outcome": report.outcome.value,
            "n_queries": overall.n_queries,
            "n_passed": overall.n_passed,
            "n_failed": overall.n_failed,
            "n_inconclusive": overall.n_inconclusive,
            "n_false_positives": overall.n_false_positives,
            "regressed": list(report.comparison.regressed) if report.comparison else [],
            "measures": rounded(overall.measures),
            "facts": dict(report.facts),
        },
        ensure_ascii=True,
        separators=(",", ":"),
    )


def record_run(report: Report, path: str, day: str) -> History:
    """Append a run to a history file, which is made when it is not there.

    Returns:
        The suite's runs, this one the last.

    Raises:
        FileError: The file cannot be read or written.
    """
    earlier = files.read_bytes(path) if files.exists(path) else b""
    if earlier and not earlier.endswith(b"\n"):
        earlier += b"\n"
    folder = os.path.dirname(path) or "."
    files.make_dir(folder)
    data = earlier + run_line(report, day).encode() + b"\n"
    files.write_atomic(path, data, scratch_dir=folder)
    return parse_history(data, os.path.basename(report.suite))


def read_history(path: str, suite: str) -> History:
    """The runs of one suite from a history file; none where there is no such file.

    Raises:
        FileError: The file cannot be read.
    """
    return parse_history(files.read_bytes(path) if files.exists(path) else b"", suite)


def parse_history(data: bytes, suite: str) -> History:
    """The runs of one suite from a history's bytes; lines that are no runs are counted."""
    runs, n_unreadable = [], 0
    for line in data.splitlines():
        try:
            run = json.loads(line)
            if run["artifact_type"] == HISTORY_TYPE and run["suite"] == suite:
                runs.append(run)
        except (ValueError, KeyError, TypeError):
            n_unreadable += bool(line.strip())
    return History(tuple(runs), n_unreadable)


def render_history(history: History) -> str:
    """The last runs as a Markdown table, the newest first."""
    n = len(history.runs)
    blocks = [
        f"{MARKER}\n# History",
        "\n".join(
            [
                _row(_HEADS),
                _row(["---"] * len(_HEADS)),
                *(_row(_cells(history.runs, i)) for i in range(n - 1, -1, -1)[:_SHOWN_RUNS]),
            ]
        ),
    ]
    if n > _SHOWN_RUNS:
        blocks.append(f"The last {_SHOWN_RUNS} of {n} runs; the history file has all of them.")
    if history.n_unreadable:
        blocks.append(f"Lines that are no runs, passed over: {history.n_unreadable}.")
    return "\n\n".join(blocks) + "\n"


def _cells(runs: Sequence[Mapping[str, Any]], i: int) -> list[str]:
    run = runs[i]
    measures, facts = run.get("measures", {}), run.get("facts", {})
    before = runs[i - 1].get("facts", {}) if i else facts
    changed = [name for fact, name in _EXPLAINING.items() if facts.get(fact) != before.get(fact)]
    outcome = str(run.get("outcome"))
    regressed = run.get("regressed")
    if regressed:
        outcome += f": {', '.join(map(str, regressed))}"
    return [
        str(i + 1),
        escape(str(run.get("day"))),
        escape(cut(outcome, 80)),
        f"{run.get('n_passed')}/{run.get('n_queries')}",
        *(figure(measures.get(name)) for name in _MEASURES),
        str(facts.get("n_docs", "–")),
        ", ".join(changed) or "–",
    ]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
