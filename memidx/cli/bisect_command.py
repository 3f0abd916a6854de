"""`memidx bisect`: which commit of the store lost an answer?"""

# No `from __future__ import annotations`: see memidx.cli.options.
from typing import Annotated

import typer

from memidx.cli.options import ReportFormatOption, RootOption, StoreOption, StrategyOption


def bisect_command(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What is asked.")],
    expect: Annotated[
        str,
        typer.Option("--expect", metavar="PATH", help="A path, doc_id or glob that must be found."),
    ],
    k: Annotated[
        int, typer.Option("-k", min=1, max=1000, metavar="N", help="Among how many hits.")
    ] = 5,
    good: Annotated[
        str | None,
        typer.Option(
            "--good", metavar="REV", help="A revision at which it was found.", show_default=False
        ),
    ] = None,
    bad: Annotated[
        str, typer.Option("--bad", metavar="REV", help="A revision at which it is not.")
    ] = "HEAD",
    every: Annotated[
        bool, typer.Option("--all", help="Look at every commit instead of searching.")
    ] = False,
    strategy: StrategyOption = None,
    store: StoreOption = None,
    root: RootOption = None,
    form: ReportFormatOption = "table",
) -> None:
    """Find the commit of the store since which a query no longer finds a document."""
    from memidx.cli.bisect_store import bisect_store

    raise typer.Exit(
        bisect_store(
            query,
            expect,
            k=k,
            good=good,
            bad=bad,
            every=every,
            strategy=strategy,
            store=store,
            root=root,
            form=form,
        )
    )
