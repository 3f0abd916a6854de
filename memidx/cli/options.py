"""Which options do several commands share?

No `from __future__ import annotations` here and in the commands: Typer evaluates annotations,
and strings cost it as much time as the rest of its start.
"""

from typing import Annotated, Literal

import typer

StoreOption = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="DIR",
        help="The store. Default: the configured one, else ./store.",
        show_default=False,
    ),
]
StoresOption = Annotated[
    list[str] | None,
    typer.Option(
        "--store",
        metavar="DIR",
        help="The store; repeat it, nearest first, to search several as one. "
        "Default: the configured one, else ./store.",
        show_default=False,
    ),
]
RootOption = Annotated[
    str | None,
    typer.Option(
        "--root",
        metavar="DIR",
        help="The folder that paths of documents are relative to.",
        show_default=False,
    ),
]
Strategy = Literal["lexical", "vector", "hybrid"]
StrategyOption = Annotated[
    Strategy | None,
    typer.Option("--strategy", help="What ranks. Default: the configured one, else lexical."),
]
ReportFormat = Literal["table", "json"]
ReportFormatOption = Annotated[ReportFormat, typer.Option("--format", help="Form of the result.")]
