"""`memidx tune`: which k1, b and thresholds do the queries support?"""

# No `from __future__ import annotations`: see memidx.cli.options.
from typing import Annotated, Literal

import typer

from memidx.cli.options import StrategyOption
from memidx.errors import InputError

TuneFormat = Literal["table", "json", "md"]
GridName = Literal["default", "published"]


def tune_command(
    suite: Annotated[
        str | None,
        typer.Argument(metavar="SUITE", help="Golden queries, as YAML.", show_default=False),
    ] = None,
    beir: Annotated[
        str | None,
        typer.Option("--beir", metavar="DIR", help="Tune on a collection in BEIR layout instead."),
    ] = None,
    store: Annotated[
        str | None,
        typer.Option(
            "--store",
            metavar="DIR",
            help="The store. Default: the one beside the suite, built when there is none.",
        ),
    ] = None,
    grid: Annotated[GridName, typer.Option("--grid", help="Points to look at.")] = "default",
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
    analyzer: Annotated[
        str | None,
        typer.Option(
            "--analyzer", metavar="NAME", help="What counts as a term. Default: the configured one."
        ),
    ] = None,
    strategy: StrategyOption = None,
    folds: Annotated[
        int, typer.Option("--folds", min=2, metavar="N", help="Folds of the cross-validation.")
    ] = 5,
    seed: Annotated[
        int, typer.Option("--seed", min=0, metavar="N", help="Of folds and random draws.")
    ] = 0,
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
    form: Annotated[TuneFormat, typer.Option("--format", help="Form of the result.")] = "table",
) -> None:
    """Judge a grid of k1 and b, and fit thresholds; nothing is applied."""
    if beir is not None and suite is not None:
        raise InputError(
            "SUITE cannot be used here: --beir tunes on a collection", hint="memidx tune --help"
        )
    if beir is not None and store is not None:
        raise InputError(
            "--store cannot be used here: it goes with a suite", hint="memidx tune --help"
        )
    if beir is None and suite is None:
        raise InputError(
            "nothing to tune on", expected="SUITE, or --beir DIR", hint="memidx tune --help"
        )
    from memidx.cli.tuning import tune
    from memidx.evals.axes import make_points
    from memidx.evals.tuning import TuneSettings

    settings = TuneSettings(
        points=make_points(grid, k1=k1, b=b),
        measure=measure,
        strategy=strategy,
        n_folds=folds,
        seed=seed,
    )
    raise typer.Exit(
        tune(
            settings,
            precisions=precision,
            suite=suite or "",
            beir=beir,
            store=store,
            analyzer=analyzer,
            report_file=report,
            html_file=html,
            form=form,
        )
    )
