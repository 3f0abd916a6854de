"""How is a test collection measured from the command line?"""

from __future__ import annotations

from memidx.cli import exit_codes
from memidx.cli.terminal import tell, to_json, write_out
from memidx.evals import CollectionReport, evaluate_collection, render_collection, write_run
from memidx.evals.beir import load_collection
from memidx.evals.trec import write_qrels


def eval_collection(
    folder: str,
    *,
    form: str,
    run_file: str | None,
    qrels_file: str | None,
    analyzer: str,
    strategy: str | None,
    k1: float | None,
    b: float | None,
) -> int:
    """Measure a collection, write the figures and the ranking, and give the exit code."""
    report = evaluate_collection(folder, analyzer=analyzer, strategy=strategy, k1=k1, b=b)
    if run_file is not None:
        n_lines = write_run(report.run, run_file)
        tell(f"Run: {run_file} ({n_lines:,} lines)")
    if qrels_file is not None:
        n_lines = write_qrels(load_collection(folder).qrels, qrels_file)
        tell(f"Judgements: {qrels_file} ({n_lines:,} lines)")
    write_out(_text(report, form))
    return exit_codes.for_outcome(report.outcome.value)


def _text(report: CollectionReport, form: str) -> str:
    match form:
        case "json":
            return to_json(report.to_dict())
        case "jsonl":
            whole = report.to_dict()
            lines = [{"query_id": q, **values} for q, values in whole.pop("by_query").items()]
            return "\n".join(to_json(line, one_line=True) for line in (*lines, whole))
        case "md":
            return render_collection(report, "pipe")
        case _:
            return render_collection(report)
