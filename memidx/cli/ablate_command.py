"""`memidx ablate`: what is each source worth?"""

# No `from __future__ import annotations`: see memidx.cli.options.
from typing import Annotated

import typer

from memidx.cli.options import StrategyOption
from memidx.cli.suite_options import FindingsFormatOption, SuiteArgument, SuiteStoreOption


def ablate_command(
    suite: SuiteArgument,
    store: SuiteStoreOption = None,
    source: Annotated[
        str | None,
        typer.Option(
            "--source", metavar="NAME", help="Accept this source, or do not. Default: judge all."
        ),
    ] = None,
    strategy: StrategyOption = None,
    report: Annotated[
        str | None,
        typer.Option(
            "--report",
            metavar="FILE",
            help="Where the report goes. Default: reports/ablation-NAME.md, beside the suite.",
        ),
    ] = None,
    form: FindingsFormatOption = "table",
) -> None:
    """Leave out each source and add one at a time: does it help some queries and hurt none?"""
    from memidx.cli.ablating import ablate_suite

    raise typer.Exit(
        ablate_suite(
            suite, store=store, source=source, strategy=strategy, report_file=report, form=form
        )
    )
