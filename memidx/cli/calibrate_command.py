"""`memidx calibrate`: from which relevance on can a hit be trusted?"""

# No `from __future__ import annotations`: see memidx.cli.options.
from typing import Annotated

import typer

from memidx.cli.options import HoldOutOption, SplitOption, check_subject
from memidx.cli.suite_options import (
    FindingsFormatOption,
    MaybeSuiteArgument,
    SuiteStoreOption,
    TriedAnalyzerOption,
)
from memidx.errors import InputError


def calibrate_command(
    suite: MaybeSuiteArgument = None,
    beir: Annotated[
        str | None,
        typer.Option("--beir", metavar="DIR", help="Fit on a collection in BEIR layout instead."),
    ] = None,
    store: SuiteStoreOption = None,
    precision: Annotated[
        list[float] | None,
        typer.Option(
            "--precision",
            metavar="P",
            help="Wanted of reliable hits, and given again of candidates. [default: 0.9, 0.5]",
            show_default=False,
        ),
    ] = None,
    strategy: Annotated[
        list[str] | None,
        typer.Option(
            "--strategy",
            metavar="NAME",
            help="Whose thresholds: lexical, vector, hybrid or all; may be given again. "
            "Default: the configured one.",
        ),
    ] = None,
    analyzer: TriedAnalyzerOption = None,
    hold_out: HoldOutOption = None,
    split: SplitOption = None,
    seed: Annotated[
        int,
        typer.Option("--seed", min=0, metavar="N", help="Halves the queries where no split does."),
    ] = 0,
    apply: Annotated[
        bool,
        typer.Option("--apply", help="Write the thresholds that hold where searches read them."),
    ] = False,
    report: Annotated[
        str | None,
        typer.Option(
            "--report",
            metavar="FILE",
            help="Where the report goes. Default: reports/calibration-NAME.md, beside the suite.",
        ),
    ] = None,
    form: FindingsFormatOption = "table",
) -> None:
    """Fit thresholds on relevance for a wanted precision, and check them on other queries."""
    check_subject("calibrate", suite=suite, beir=beir, store=store)
    if apply and beir is not None:
        raise InputError("--apply cannot be used here: no search reads a collection's thresholds")
    if apply and analyzer is not None:
        raise InputError(
            "--apply cannot be used with --analyzer: searches use the configured one",
            hint="set analysis.analyzer",
        )
    from memidx.cli.calibrating import calibrate
    from memidx.cli.subjects import Given
    from memidx.evals.calibration import CalibrateSettings
    from memidx.search.ranking import STRATEGIES

    chosen = tuple(strategy or ())
    settings = CalibrateSettings(strategies=STRATEGIES if "all" in chosen else chosen, seed=seed)
    raise typer.Exit(
        calibrate(
            settings,
            precisions=precision,
            given=Given(suite or "", beir, store, analyzer, hold_out, split),
            apply=apply,
            report_file=report,
            form=form,
        )
    )
