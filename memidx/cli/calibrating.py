"""How are thresholds fitted and applied from the command line?"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from memidx import files
from memidx.cli import exit_codes
from memidx.cli.progress import Progress
from memidx.cli.subjects import Given, find_split, opened_subject
from memidx.cli.terminal import tell, to_json, write_out
from memidx.cli.tuning import write_beside
from memidx.evals.calibration import CalibrateSettings, CalibrationReport, calibrate_subject
from memidx.evals.calibration_text import render_calibration, render_calibration_markdown
from memidx.search.calibrated import parse_calibration


def calibrate(
    settings: CalibrateSettings,
    *,
    precisions: Sequence[float] | None,
    given: Given,
    apply: bool,
    report_file: str | None,
    form: str,
) -> int:
    """Calibrate, write what came of it, and give the exit code.

    Everything that can fail is done before the verdict is shown.
    """
    if precisions:
        settings = replace(settings, precisions=tuple(precisions))
    settings.check()
    with opened_subject(given) as (subject, index):
        settings = replace(settings, split=find_split(given, subject))
        with Progress("Ranking") as progress:
            report = calibrate_subject(subject, settings, progress=progress)
        said = [_apply(report, index.calibration_file)] if apply and index is not None else []
    path = report_file or os.path.join(given.folder, "reports", f"calibration-{report.name}.md")
    write_beside(path, render_calibration_markdown(report))
    write_out(_text(report, form))
    tell("\n".join([*said, f"Report: {path}"]))
    return exit_codes.for_outcome(report.outcome.value)


def _apply(report: CalibrationReport, path: str) -> str:
    """Write what may be applied, and say what came of that."""
    if not report.usable:
        return "Nothing is applied: no thresholds hold."
    text = json.dumps(report.to_calibration(_entries(path)), indent=1, ensure_ascii=False)
    write_beside(path, f"{text}\n")
    names = ", ".join(found.strategy for found in report.usable)
    return f"Applied: {path} ({names})"


def _entries(path: str) -> dict[str, Any]:
    """Entries that are there; a damaged file has none, and is replaced."""
    if not files.is_file(path):
        return {}
    data = files.read_bytes(path)
    if parse_calibration(data).reason:
        return {}
    entries: dict[str, Any] = json.loads(data)["strategies"]
    return entries


def _text(report: CalibrationReport, form: str) -> str:
    match form:
        case "json":
            return to_json(report.to_dict())
        case "md":
            return render_calibration_markdown(report)
        case _:
            return render_calibration(report)
