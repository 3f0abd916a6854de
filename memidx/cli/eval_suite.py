"""How is a suite run from the command line?"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import memidx
from memidx import files
from memidx.cli import exit_codes
from memidx.cli.build_text import build_problems
from memidx.cli.terminal import columns, is_terminal, tell, to_json, write_out
from memidx.errors import StoreMissing, SuiteError
from memidx.evals import (
    LintFinding,
    Report,
    evaluate,
    lint_outcome,
    lint_suite,
    load_suite,
    on_disk,
    render_lints,
    render_markdown,
    render_table,
    write_report,
)

if TYPE_CHECKING:
    from memidx.index import Index


def eval_suite(
    suite_file: str,
    *,
    form: str,
    store: str | None,
    report_dir: str | None,
    lint: bool,
    strategy: str | None,
) -> int:
    """Run a suite or look it over, write what came of it, and give the exit code."""
    if not files.is_file(suite_file):
        raise SuiteError("there is no such suite", path=suite_file, hint="memidx eval --help")
    suite = load_suite(suite_file)
    folder = os.path.dirname(suite_file)
    with open_or_build(store, folder) as index:
        exists = None if index.root is None else on_disk(index.root)
        if lint:
            findings = lint_suite(suite, index.catalog(), on_disk=exists)
            write_out(_lint_text(findings, form))
            return exit_codes.for_outcome(lint_outcome(findings).value)
        report = evaluate(suite, index, strategy=strategy, on_disk=exists)
    paths = write_report(report, report_dir or os.path.join(folder, "reports", "latest"))
    write_out(_report_text(report, form))
    tell(f"Report: {paths[0]}")
    return exit_codes.for_outcome(report.outcome.value)


def open_or_build(store: str | None, folder: str, *, analyzer: str | None = None) -> Index:
    """The store that was named; else the one beside the suite, built when there is none."""
    if store is not None:
        return memidx.open(store, analyzer=analyzer)
    root = folder or "."
    try:
        return memidx.open(None, root=root, analyzer=analyzer)
    except StoreMissing as missing:
        tell(f"There is no store beside the suite: building {missing.path or 'one'} ...")
        problems = build_problems(memidx.build((), root=root))
        if problems:
            tell(problems)
        return memidx.open(None, root=root, analyzer=analyzer)


def _report_text(report: Report, form: str) -> str:
    match form:
        case "json":
            return to_json(report.to_dict())
        case "jsonl":
            whole = report.to_dict()
            queries = whole.pop("queries")
            return "\n".join(to_json(line, one_line=True) for line in (*queries, whole))
        case "md":
            return render_markdown(report)
        case _:
            return render_table(report, columns(sys.stdout) if is_terminal(sys.stdout) else None)


def _lint_text(findings: list[LintFinding], form: str) -> str:
    found = [finding.to_dict() for finding in findings]
    outcome = lint_outcome(findings).value
    match form:
        case "json":
            return to_json({"outcome": outcome, "findings": found})
        case "jsonl":
            last = {"outcome": outcome, "n_findings": len(found)}
            return "\n".join(to_json(line, one_line=True) for line in (*found, last))
        case _:
            return render_lints(findings)
