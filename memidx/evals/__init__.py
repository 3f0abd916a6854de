"""Is it any good?

Suites of golden queries (`load_suite`, `lint_suite`, `evaluate`) and test collections in BEIR
layout (`evaluate_collection`), their reports, and how those are shown. Formats and rules:
docs/evaluation.md. Nothing here prints, exits, or reads the clock or the environment.
"""

from memidx.evals.collection import CollectionReport, evaluate_collection, render_collection
from memidx.evals.disk import on_disk
from memidx.evals.lint import LintFinding, lint_outcome, lint_suite
from memidx.evals.outcome import Outcome
from memidx.evals.output import write_report, write_run
from memidx.evals.render import render_lints, render_markdown, render_table
from memidx.evals.report import Report
from memidx.evals.run import evaluate
from memidx.evals.suite import Suite, load_suite, parse_suite

__all__ = [
    "CollectionReport",
    "LintFinding",
    "Outcome",
    "Report",
    "Suite",
    "evaluate",
    "evaluate_collection",
    "lint_outcome",
    "lint_suite",
    "load_suite",
    "on_disk",
    "parse_suite",
    "render_collection",
    "render_lints",
    "render_markdown",
    "render_table",
    "write_report",
    "write_run",
]
