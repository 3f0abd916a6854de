"""Which files does a run of a suite leave for other programs?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memidx.evals.handing_out import check_ids, served_run, suite_qrels, write_beir
from memidx.evals.junit import render_junit
from memidx.evals.output import write_text
from memidx.evals.trec import write_qrels, write_run

if TYPE_CHECKING:
    from memidx.evals.report import Report
    from memidx.evals.suite import Suite
    from memidx.index import Index


@dataclass(frozen=True, slots=True)
class Outputs:
    """Files that were asked for, and those that the page shows.

    Attributes:
        tunings: JSON of tuning or calibrating, to be read.
    """

    run_file: str | None = None
    qrels_file: str | None = None
    beir_out: str | None = None
    junit: str | None = None
    tunings: tuple[str, ...] = ()


def check_outputs(suite: Suite, outputs: Outputs) -> None:
    """Refuse what cannot be written, before anything is run.

    Raises:
        InputError: Two queries have one id.
    """
    if outputs.run_file or outputs.qrels_file or outputs.beir_out:
        check_ids(suite)


def write_outputs(suite: Suite, index: Index, report: Report, outputs: Outputs) -> list[str]:
    """Write them, and give a line about each."""
    said = []
    if outputs.run_file is not None:
        n_lines = write_run(served_run(suite, index, report), outputs.run_file)
        said.append(f"Run: {outputs.run_file} ({n_lines:,} lines)")
    if outputs.qrels_file is not None:
        qrels, n_several = suite_qrels(suite, index.catalog())
        n_lines = write_qrels(qrels, outputs.qrels_file)
        said.append(f"Judgements: {outputs.qrels_file} ({n_lines:,} lines)")
        if n_several:
            said.append(
                f"{n_several} expectations are fulfilled by several documents: other tools count "
                "each of them"
            )
    if outputs.beir_out is not None:
        n_docs, n_queries = write_beir(suite, index, outputs.beir_out)
        said.append(f"Collection: {outputs.beir_out} ({n_docs:,} documents, {n_queries} queries)")
    if outputs.junit is not None:
        write_text(outputs.junit, render_junit(report))
        said.append(f"JUnit: {outputs.junit}")
    return said
