"""`memidx compare`: which of two runs is better, and why?"""

# No `from __future__ import annotations`: see memidx.cli.options.
from typing import Annotated

import typer

from memidx.cli.suite_options import FindingsFormatOption, SuiteStoreOption


def compare_command(
    before: Annotated[
        str,
        typer.Argument(
            metavar="BEFORE",
            help="A run: a report.json or a baseline, `now`, or a git revision.",
            show_default=False,
        ),
    ],
    after: Annotated[
        str, typer.Argument(metavar="AFTER", help="The run beside it.", show_default=False)
    ] = "now",
    suite: Annotated[
        str,
        typer.Option("--suite", metavar="SUITE", help="The golden queries."),
    ] = "queries.yaml",
    store: SuiteStoreOption = None,
    why: Annotated[
        bool,
        typer.Option("--why/--no-why", help="Find out why queries moved."),
    ] = True,
    form: FindingsFormatOption = "table",
) -> None:
    """Compare two runs of a suite, query by query; exit 1 when a must query regressed."""
    from memidx.cli.compare_runs import compare_runs

    raise typer.Exit(compare_runs(before, after, suite_file=suite, store=store, why=why, form=form))
