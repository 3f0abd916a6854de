"""How is a suite run from the command line?"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import memidx
from memidx import files
from memidx.cli import exit_codes
from memidx.cli.build_text import build_problems
from memidx.cli.eval_files import Outputs, check_outputs, write_outputs
from memidx.cli.runs import look_into, trace
from memidx.cli.terminal import columns, is_terminal, tell, to_json, write_out
from memidx.errors import StoreMissing, SuiteError
from memidx.evals import (
    Baseline,
    LintFinding,
    Report,
    baseline_path,
    check_blessing,
    evaluate,
    find_baseline,
    hold_against,
    lint_outcome,
    lint_suite,
    load_suite,
    measure_beside,
    on_disk,
    record_run,
    refuse_blessing,
    render_lints,
    render_markdown,
    render_table,
    write_baseline,
    write_history,
    write_report,
)
from memidx.evals.foreign import judge_run
from memidx.evals.history import DEFAULT_HISTORY, read_history
from memidx.evals.trec import read_run as read_trec

if TYPE_CHECKING:
    from memidx.index import Index


_NO_OUTPUTS = Outputs()


def eval_suite(
    suite_file: str,
    *,
    form: str,
    store: str | None,
    report_dir: str | None,
    lint: bool,
    strategy: str | None,
    baseline: str | None = None,
    bless: bool = False,
    record: bool = False,
    why: bool = True,
    hints: bool = True,
    judge: str | None = None,
    outputs: Outputs = _NO_OUTPUTS,
) -> int:
    """Run a suite or look it over, write what came of it, and give the exit code.

    Everything that can fail is done before the verdict is shown, so that the verdict and the
    exit code cannot disagree.
    """
    suite = load_suite(_existing(suite_file))
    folder = os.path.dirname(suite_file)
    if bless:
        check_blessing(suite_file, baseline_path(suite_file, baseline))
    check_outputs(suite, outputs)
    tunings = _tunings(outputs)
    run = None if judge is None else read_trec(judge)
    # A run that another engine made is held against a baseline where one is named.
    held_against = None if lint or (judge and not baseline) else find_baseline(suite_file, baseline)
    with open_or_build(store, folder) as index:
        exists = None if index.root is None else on_disk(index.root)
        if lint:
            findings = lint_suite(suite, index.catalog(), on_disk=exists)
            write_out(_lint_text(findings, form))
            return exit_codes.for_outcome(lint_outcome(findings).value)
        if run is not None:
            report = hold_against(judge_run(suite, index, run, on_disk=exists), held_against)
        else:
            report = evaluate(suite, index, strategy=strategy, on_disk=exists)
            report = replace(report, beside=measure_beside(suite, index, report))
            report = replace(report, misses=look_into(report, suite, index, hints=hints))
            report = hold_against(report, held_against, replacing=bless)
            if why and isinstance(held_against, Baseline):
                report = trace(report, held_against, suite, index)
        written = write_outputs(suite, index, report, outputs)
    said = [_bless(report, baseline_path(suite_file, baseline))] if bless else []
    report_folder = report_dir or os.path.join(folder, "reports", "latest")
    history_file = os.path.join(folder, DEFAULT_HISTORY)
    if record:
        history = record_run(report, history_file, _today())
        write_history(history, report_folder)
        said.append(f"Recorded: {history_file} (run {len(history.runs)})")
    else:
        history = read_history(history_file, os.path.basename(suite_file))
    paths = write_report(report, report_folder, history=history, tunings=tunings)
    said += [*written, f"Report: {paths[0]}"]
    write_out(_report_text(report, form))
    tell("\n".join(said))
    return exit_codes.for_outcome(report.outcome.value)


def fuzz_suite(suite_file: str, *, form: str, store: str | None, strategy: str | None) -> int:
    """Ask every query of a suite in other ways, show what broke, and give the exit code."""
    from memidx.evals.fuzz import fuzz, render_fuzz  # a run of a suite does not need it

    suite = load_suite(_existing(suite_file))
    with open_or_build(store, os.path.dirname(suite_file)) as index:
        report = fuzz(suite, index, strategy=strategy)
    match form:
        case "json":
            write_out(to_json(report.to_dict()))
        case "jsonl":
            whole = report.to_dict()
            broken = whole.pop("broken")
            write_out("\n".join(to_json(line, one_line=True) for line in (*broken, whole)))
        case _:
            write_out(render_fuzz(report))
    return exit_codes.for_outcome(report.outcome.value)


def _existing(suite_file: str) -> str:
    if not files.is_file(suite_file):
        raise SuiteError("there is no such suite", path=suite_file, hint="memidx eval --help")
    return suite_file


def _bless(report: Report, path: str) -> str:
    """Make the run the baseline if it may be, and what came of that."""
    refusal = refuse_blessing(report)
    if refusal is not None:
        return f"Not blessed: {refusal}."
    write_baseline(report, path)
    return f"Blessed: {path}"


def _tunings(outputs: Outputs) -> list[Mapping[str, Any]]:
    if not outputs.tunings:
        return []
    from memidx.evals.pages import read_tuning  # few runs show any

    return [read_tuning(path) for path in outputs.tunings]


def _today() -> str:
    """The clock's day in UTC, or the day that reproducible builds are told."""
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    return time.strftime("%Y-%m-%d", time.gmtime(int(given) if given.isdecimal() else None))


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
