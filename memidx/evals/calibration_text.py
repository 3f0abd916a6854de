"""How does a person read a calibration?

Pure functions from a report to text: for a terminal, and Markdown for a file.
"""

from __future__ import annotations

from memidx.evals.calibration import CalibrationReport, StrategyCalibration
from memidx.evals.markdown import MARKER
from memidx.evals.thresholds_text import as_table, escaped, plain, threshold_blocks


def render_calibration(report: CalibrationReport) -> str:
    """A report for a terminal, the verdict last."""
    blocks = [f"Calibration on {plain(report.name)}"]
    for found in report.strategies:
        blocks += [f"Strategy {found.strategy}: {_outcome(found)}", *_blocks(found, "simple")]
    blocks += [f"Problem: {plain(problem)}" for problem in report.problems]
    return "\n\n".join([*blocks, plain(report.verdict)]) + "\n"


def render_calibration_markdown(report: CalibrationReport) -> str:
    """A report for a file; its first line keeps memidx from ever indexing it."""
    blocks = [
        f"{MARKER}\n# Calibration on {escaped(report.name)}",
        f"**{escaped(report.verdict)}**",
    ]
    for found in report.strategies:
        blocks += [f"## Strategy {found.strategy}", escaped(_outcome(found))]
        blocks += _blocks(found, "pipe")
    blocks += [f"- Problem: {escaped(problem)}" for problem in report.problems]
    facts = [[name, "–" if v is None else str(v)] for name, v in report.facts.items()]
    blocks.append(f"## Run\n\n{as_table(facts, ['fact', 'value'], 'pipe')}")
    return "\n\n".join(blocks) + "\n"


def _outcome(found: StrategyCalibration) -> str:
    return f"{found.outcome.value}: {found.reason}" if found.reason else found.outcome.value


def _blocks(found: StrategyCalibration, style: str) -> list[str]:
    if not found.found.n_answers:
        return []
    blocks = threshold_blocks(found.found, style)
    if found.n_uncovered:
        said = f"First hits that hold too little of their query to count: {found.n_uncovered}."
        blocks.insert(1, said)
    return blocks
