"""How is a grid judged from the command line?"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import replace

from memidx import files
from memidx.cli import exit_codes
from memidx.cli.progress import Progress
from memidx.cli.subjects import Given, find_split, opened_subject
from memidx.cli.terminal import tell, to_json, write_out
from memidx.evals.tuning import TuneSettings
from memidx.evals.tuning import tune as judge_grid
from memidx.evals.tuning_report import TuningReport
from memidx.evals.tuning_text import render_tuning, render_tuning_markdown


def tune(
    settings: TuneSettings,
    *,
    precisions: Sequence[float] | None,
    given: Given,
    report_file: str | None,
    form: str,
    html_file: str | None = None,
) -> int:
    """Tune, write what came of it, and give the exit code."""
    started = time.perf_counter()
    if precisions:
        settings = replace(settings, precisions=tuple(precisions))
    settings.check()
    with opened_subject(given, strategy=settings.strategy) as (subject, _):
        ready = time.perf_counter()
        settings = replace(settings, split=find_split(given, subject))
        with Progress("Ranking") as progress:
            report = judge_grid(subject, settings, progress=progress)
    path = report_file or os.path.join(given.folder, "reports", f"tuning-{report.name}.md")
    write_beside(path, render_tuning_markdown(report))
    if html_file is not None:
        from memidx.evals.pages import render_tuning_page  # only where a page is asked for

        write_beside(html_file, render_tuning_page(report.to_dict()))
        tell(f"Page: {html_file}")
    write_out(_text(report, form))
    ended = time.perf_counter()
    tell(
        f"Report: {path}\n"
        f"Took {ended - started:.1f} s: {ready - started:.1f} s to index, {ended - ready:.1f} s "
        f"for {len(report.values.query_ids)} queries at {len(report.values.points)} points."
    )
    return exit_codes.for_outcome(report.outcome.value)


def write_beside(path: str, text: str) -> None:
    """Write a report, and make its folder where there is none."""
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
