"""`memidx tune`: which settings and thresholds do the queries support?"""

# No `from __future__ import annotations`: see memidx.cli.options.
from typing import Annotated, Literal

import typer

from memidx.cli.options import HoldOutOption, SplitOption, StrategyOption, check_subject
from memidx.cli.suite_options import (
    FindingsFormatOption,
    MaybeSuiteArgument,
    SuiteStoreOption,
    TriedAnalyzerOption,
)

GridName = Literal["default", "published"]


def tune_command(
    suite: MaybeSuiteArgument = None,
    beir: Annotated[
        str | None,
        typer.Option("--beir", metavar="DIR", help="Tune on a collection in BEIR layout instead."),
    ] = None,
    store: SuiteStoreOption = None,
    grid: Annotated[
        GridName | None,
        typer.Option("--grid", help="Points to look at. [default: default, without --axis]"),
    ] = None,
    k1: Annotated[
        str | None,
        typer.Option(
            "--k1", metavar="LIST", help="Values of k1 instead: 0.9,1.2 or START:STOP:STEP."
        ),
    ] = None,
    b: Annotated[
        str | None,
        typer.Option("--b", metavar="LIST", help="Values of b instead, written likewise."),
    ] = None,
    axis: Annotated[
        list[str] | None,
        typer.Option(
            "--axis",
            metavar="NAME=LIST",
            help="Another axis: title_weight, lexical_weight, vector_weight, fusion, strategy, "
            "min_score, SOURCE.weight, SOURCE.decay, SOURCE.decay_floor.",
        ),
    ] = None,
    random: Annotated[
        int | None,
        typer.Option("--random", min=1, metavar="N", help="Look at N points drawn from all."),
    ] = None,
    measure: Annotated[
        str, typer.Option("--measure", metavar="NAME", help="What decides.")
    ] = "nDCG@10",
    precision: Annotated[
        list[float] | None,
        typer.Option(
            "--precision",
            metavar="P",
            help="Wanted of reliable hits; given twice, of candidates too. [default: 0.9, 0.5]",
            show_default=False,
        ),
    ] = None,
    analyzer: TriedAnalyzerOption = None,
    strategy: StrategyOption = None,
    folds: Annotated[
        int, typer.Option("--folds", min=2, metavar="N", help="Folds of the cross-validation.")
    ] = 5,
    seed: Annotated[
        int, typer.Option("--seed", min=0, metavar="N", help="Of folds and random draws.")
    ] = 0,
    hold_out: HoldOutOption = None,
    split: SplitOption = None,
    perturb: Annotated[
        int,
        typer.Option(
            "--perturb",
            min=0,
            metavar="N",
            help="Corpora with fewer and with more unrelated documents to try, N of each.",
        ),
    ] = 1,
    report: Annotated[
        str | None,
        typer.Option(
            "--report",
            metavar="FILE",
            help="Where the report goes. Default: reports/tuning-NAME.md, beside the suite.",
        ),
    ] = None,
    html: Annotated[
        str | None,
        typer.Option("--html", metavar="FILE", help="Write the report as a page, too."),
    ] = None,
    form: FindingsFormatOption = "table",
) -> None:
    """Judge a grid of settings, and fit thresholds; nothing is applied."""
    check_subject("tune", suite=suite, beir=beir, store=store)
    from memidx.cli.subjects import Given
    from memidx.cli.tuning import tune
    from memidx.evals.axes import make_points
    from memidx.evals.tuning import TuneSettings

    settings = TuneSettings(
        points=make_points(grid, k1=k1, b=b, axes=axis or (), random=random, seed=seed),
        measure=measure,
        strategy=strategy,
        n_folds=folds,
        seed=seed,
        n_perturbed=perturb,
    )
    raise typer.Exit(
        tune(
            settings,
            precisions=precision,
            given=Given(suite or "", beir, store, analyzer, hold_out, split),
            report_file=report,
            html_file=html,
            form=form,
        )
    )
