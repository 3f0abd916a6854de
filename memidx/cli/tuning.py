"""How is a grid judged from the command line?"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import replace

from memidx import files
from memidx.cli import exit_codes
from memidx.cli.eval_suite import open_or_build
from memidx.cli.progress import Progress
from memidx.cli.terminal import tell, to_json, write_out
from memidx.errors import SuiteError
from memidx.evals import load_suite
from memidx.evals.tuning import TuneSettings, tune_collection, tune_suite
from memidx.evals.tuning_report import TuningReport
from memidx.evals.tuning_text import render_tuning, render_tuning_markdown


def tune(
    settings: TuneSettings,
    *,
    precisions: Sequence[float] | None,
    suite: str,
    beir: str | None,
    store: str | None,
    analyzer: str | None,
    report_file: str | None,
    form: str,
    html_file: str | None = None,
) -> int:
    """Tune, write what came of it, and give the exit code."""
    started = time.perf_counter()
    if precisions:
        settings = replace(settings, precisions=tuple(precisions))
    settings.check()
    if beir is not None:
        folder = "."
        with Progress("Ranking") as progress:
            report = tune_collection(
                beir, settings, analyzer=analyzer or "default", progress=progress
            )
    else:
        folder = os.path.dirname(suite) or "."
        report = _on_suite(suite, settings, store, analyzer)
    path = report_file or os.path.join(folder, "reports", f"tuning-{report.name}.md")
    _write(path, render_tuning_markdown(report))
    if html_file is not None:
        from memidx.evals.pages import render_tuning_page  # only where a page is asked for

        _write(html_file, render_tuning_page(report.to_dict()))
        tell(f"Page: {html_file}")
    write_out(_text(report, form))
    elapsed = time.perf_counter() - started
    tell(f"Report: {path}\nTook {elapsed:.1f} s for {len(report.values.points)} points.")
    return exit_codes.for_outcome(report.outcome.value)


def _on_suite(
    file: str, settings: TuneSettings, store: str | None, analyzer: str | None
) -> TuningReport:
    if not files.is_file(file):
        raise SuiteError("there is no such suite", path=file, hint="memidx tune --help")
    suite = load_suite(file)
    with (
        open_or_build(store, os.path.dirname(file), analyzer=analyzer) as index,
        Progress("Ranking") as progress,
    ):
        return tune_suite(suite, index, settings, progress=progress)


def _write(path: str, text: str) -> None:
    folder = os.path.dirname(path) or "."
    files.make_dir(folder)
    files.write_atomic(path, text.encode("utf-8", "replace"), scratch_dir=folder)


def _text(report: TuningReport, form: str) -> str:
    match form:
        case "json":
            return to_json(report.to_dict())
        case "md":
            return render_tuning_markdown(report)
        case _:
            return render_tuning(report)
