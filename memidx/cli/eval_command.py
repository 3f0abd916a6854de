"""`memidx eval`: does the index find what it must?"""

# No `from __future__ import annotations`: see memidx.cli.options.
from typing import Annotated, Literal

import typer

from memidx.cli.options import StrategyOption
from memidx.cli.suite_options import MaybeSuiteArgument, SuiteStoreOption
from memidx.errors import InputError

EvalFormat = Literal["table", "json", "jsonl", "md"]


def eval_command(
    suite: MaybeSuiteArgument = None,
    store: SuiteStoreOption = None,
    report_dir: Annotated[
        str | None,
        typer.Option(
            "--report-dir",
            metavar="DIR",
            help="Where report.html, report.json and report.md go. Default: reports/latest "
            "beside the suite.",
        ),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(
            "--baseline",
            metavar="FILE",
            help="Hold the run against this baseline. Default: evals/baseline.json beside the "
            "suite, where there is one.",
        ),
    ] = None,
    bless: Annotated[
        bool,
        typer.Option("--bless", help="Make the run the baseline, if it passed."),
    ] = False,
    record: Annotated[
        bool,
        typer.Option("--record", help="Add a line to reports/history.jsonl beside the suite."),
    ] = False,
    lint: Annotated[
        bool,
        typer.Option("--lint", help="Check the suite itself; exit 2 when it has errors."),
    ] = False,
    why: Annotated[
        bool | None,
        typer.Option(
            "--why/--no-why",
            help="Find out why queries moved, by making the runs between again. Default: yes.",
            show_default=False,
        ),
    ] = None,
    fuzz: Annotated[
        bool,
        typer.Option(
            "--fuzz",
            help="Ask every query in other ways; exit 1 when another document comes first.",
        ),
    ] = False,
    hints: Annotated[
        bool | None,
        typer.Option(
            "--hints/--no-hints",
            help="Try on the suite what would mend a miss. Default: yes.",
            show_default=False,
        ),
    ] = None,
    strategy: StrategyOption = None,
    form: Annotated[EvalFormat, typer.Option("--format", help="Form of the report.")] = "table",
    beir: Annotated[
        str | None,
        typer.Option("--beir", metavar="DIR", help="Measure a collection in BEIR layout instead."),
    ] = None,
    run_file: Annotated[
        str | None,
        typer.Option("--run-file", metavar="OUT", help="Write the rankings as a TREC run."),
    ] = None,
    qrels_file: Annotated[
        str | None,
        typer.Option("--qrels-file", metavar="OUT", help="Write the judgements as TREC qrels."),
    ] = None,
    beir_out: Annotated[
        str | None,
        typer.Option("--beir-out", metavar="DIR", help="Write suite and documents in BEIR layout."),
    ] = None,
    judge: Annotated[
        str | None,
        typer.Option("--judge", metavar="RUN", help="Judge this TREC run instead of the index."),
    ] = None,
    junit: Annotated[
        str | None,
        typer.Option("--junit", metavar="FILE", help="Write the run as JUnit XML, too."),
    ] = None,
    tuning: Annotated[
        list[str] | None,
        typer.Option(
            "--tuning",
            metavar="FILE",
            help="Show this JSON of memidx tune or calibrate in report.html; may be repeated.",
            show_default=False,
        ),
    ] = None,
    analyzer: Annotated[
        str | None,
        typer.Option("--analyzer", metavar="NAME", help="With --beir: what counts as a term."),
    ] = None,
    k1: Annotated[
        float | None,
        typer.Option("--k1", min=0, metavar="X", help="With --beir: saturation of terms."),
    ] = None,
    b: Annotated[
        float | None,
        typer.Option("--b", min=0, max=1, metavar="X", help="With --beir: weight of length."),
    ] = None,
) -> None:
    """Run a suite of golden queries, or measure a test collection."""
    for_suite: dict[str, object] = {
        "--store": store,
        "--report-dir": report_dir,
        "--baseline": baseline,
        "--bless": bless or None,
        "--record": record or None,
        "--why": why,
        "--hints": hints,
        "--beir-out": beir_out,
        "--judge": judge,
        "--junit": junit,
        "--tuning": tuning or None,
    }
    for_beir: dict[str, object] = {
        "--analyzer": analyzer,
        "--k1": k1,
        "--b": b,
    }
    if beir is not None:
        _refuse("SUITE", suite, "--beir measures a collection, not a suite")
        for name, value in {**for_suite, "--lint": lint or None, "--fuzz": fuzz or None}.items():
            _refuse(name, value, "it goes with a suite, not with --beir")
        from memidx.cli.eval_collection import eval_collection

        code = eval_collection(
            beir,
            form=form,
            run_file=run_file,
            qrels_file=qrels_file,
            analyzer=analyzer or "default",
            strategy=strategy,
            k1=k1,
            b=b,
        )
    else:
        if suite is None:
            raise InputError(
                "nothing to evaluate", expected="SUITE, or --beir DIR", hint="memidx eval --help"
            )
        for name, value in for_beir.items():
            _refuse(name, value, "it goes with --beir, a suite takes the index as it is configured")
        if lint or fuzz:
            what = "--lint looks the suite over and runs nothing"
            _refuse("--fuzz", (fuzz and lint) or None, what)
            if fuzz:
                what = "--fuzz holds queries against themselves, not against labels or a baseline"
            written = {"--run-file": run_file, "--qrels-file": qrels_file}
            for name, value in {**for_suite, **written}.items():
                _refuse(name, value if name != "--store" else None, what)
        from memidx.cli.eval_suite import eval_suite, fuzz_suite

        if fuzz:
            raise typer.Exit(fuzz_suite(suite, form=form, store=store, strategy=strategy))
        if judge is not None:
            what = "--judge is about a run that another engine made"
            for name in ("--bless", "--record", "--why", "--hints", "--beir-out", "--tuning"):
                _refuse(name, for_suite[name], what)
            _refuse("--strategy", strategy, what)
            _refuse("--run-file", run_file, what)
        from memidx.cli.eval_files import Outputs

        code = eval_suite(
            suite,
            form=form,
            store=store,
            report_dir=report_dir,
            lint=lint,
            strategy=strategy,
            baseline=baseline,
            bless=bless,
            record=record,
            why=why is not False,
            hints=hints is not False,
            judge=judge,
            outputs=Outputs(run_file, qrels_file, beir_out, junit, tuple(tuning or ())),
        )
    raise typer.Exit(code)


def _refuse(name: str, value: object, why: str) -> None:
    if value is not None:
        raise InputError(f"{name} cannot be used here: {why}", hint="memidx eval --help")
