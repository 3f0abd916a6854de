"""Is it any good?

Suites of golden queries (`load_suite`, `lint_suite`, `evaluate`) and test collections in BEIR
layout (`evaluate_collection`), what a run is held against (`hold_against`), the reports, and how
they are shown. Formats and rules: docs/evaluation.md. Nothing here prints, exits, or reads the
clock or the environment.
"""

from memidx.evals.against import hold_against
from memidx.evals.baseline import (
    Baseline,
    Unusable,
    baseline_path,
    check_blessing,
    find_baseline,
    read_baseline,
    refuse_blessing,
    write_baseline,
)
from memidx.evals.beside import measure_beside
from memidx.evals.collection import CollectionReport, evaluate_collection, render_collection
from memidx.evals.comparing import ComparedRuns
from memidx.evals.disk import on_disk
from memidx.evals.history import record_run
from memidx.evals.lint import LintFinding, lint_outcome, lint_suite
from memidx.evals.markdown import render_compared_markdown, render_markdown
from memidx.evals.outcome import Outcome
from memidx.evals.output import write_history, write_report
from memidx.evals.recorded import compare_two, read_run
from memidx.evals.render import render_compared, render_lints, render_table
from memidx.evals.report import Report
from memidx.evals.run import evaluate
from memidx.evals.suite import Suite, load_suite, parse_suite
from memidx.evals.trec import write_run

__all__ = [
    "Baseline",
    "CollectionReport",
    "ComparedRuns",
    "LintFinding",
    "Outcome",
    "Report",
    "Suite",
    "Unusable",
    "baseline_path",
    "check_blessing",
    "compare_two",
    "evaluate",
    "evaluate_collection",
    "find_baseline",
    "hold_against",
    "lint_outcome",
    "lint_suite",
    "load_suite",
    "measure_beside",
    "on_disk",
    "parse_suite",
    "read_baseline",
    "read_run",
    "record_run",
    "refuse_blessing",
    "render_collection",
    "render_compared",
    "render_compared_markdown",
    "render_lints",
    "render_markdown",
    "render_table",
    "write_baseline",
    "write_history",
    "write_report",
    "write_run",
]
