"""How is a suite answered without each source, from the command line?"""

from __future__ import annotations

import os

from memidx.cli import exit_codes
from memidx.cli.progress import Progress
from memidx.cli.subjects import Given, opened_subject
from memidx.cli.terminal import tell, to_json, write_out
from memidx.cli.tuning import write_beside
from memidx.evals.ablation import AblationReport, ablate
from memidx.evals.ablation_text import render_ablation, render_ablation_markdown


def ablate_suite(
    suite: str,
    *,
    store: str | None,
    source: str | None,
    strategy: str | None,
    report_file: str | None,
    form: str,
) -> int:
    """Ablate, write what came of it, and give the exit code."""
    given = Given(suite, None, store, None)
    with (
        opened_subject(given, strategy=strategy) as (subject, _),
        Progress("Indexing") as progress,
    ):
        report = ablate(subject, strategy=strategy, candidate=source, progress=progress)
    path = report_file or os.path.join(given.folder, "reports", f"ablation-{report.name}.md")
    write_beside(path, render_ablation_markdown(report))
    write_out(_text(report, form))
    tell(f"Report: {path}")
    return exit_codes.for_outcome(report.outcome.value)


def _text(report: AblationReport, form: str) -> str:
    match form:
        case "json":
            return to_json(report.to_dict())
        case "md":
            return render_ablation_markdown(report)
        case _:
            return render_ablation(report)
