"""`memidx suggest`: which golden queries would be worth having?"""

# No `from __future__ import annotations`: see memidx.cli.options.
from typing import Annotated

import typer


def suggest_command(
    suite: Annotated[
        str | None,
        typer.Argument(
            metavar="[SUITE]",
            help="Golden queries there are already, which are not proposed again.",
            show_default=False,
        ),
    ] = None,
    store: Annotated[
        str | None,
        typer.Option(
            "--store",
            metavar="DIR",
            help="The store. Default: the one beside the suite, else the configured one.",
            show_default=False,
        ),
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", min=1, metavar="N", help="Suggestions to make at most.")
    ] = 20,
    out: Annotated[
        str | None,
        typer.Option("--out", metavar="FILE", help="Write them to a new file instead."),
    ] = None,
) -> None:
    """Propose golden queries from the query log and from titles.

    Nothing is accepted: `eval --lint` refuses each of them until a person has confirmed it.
    """
    from memidx.cli.suggesting import suggest_queries

    raise typer.Exit(suggest_queries(suite, store=store, limit=limit, out=out))
