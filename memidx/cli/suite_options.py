"""Which options do the commands share that judge or try something on a suite?

No `from __future__ import annotations`: see memidx.cli.options.
"""

from typing import Annotated, Literal

import typer

SuiteArgument = Annotated[
    str, typer.Argument(metavar="SUITE", help="Golden queries, as YAML.", show_default=False)
]
# For commands that can do without: they take a collection instead.
MaybeSuiteArgument = Annotated[
    str | None, typer.Argument(metavar="SUITE", help="Golden queries, as YAML.", show_default=False)
]
SuiteStoreOption = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="DIR",
        help="The store. Default: the one beside the suite, built when there is none.",
    ),
]
TriedAnalyzerOption = Annotated[
    str | None,
    typer.Option(
        "--analyzer", metavar="NAME", help="What counts as a term. Default: the configured one."
    ),
]
FindingsFormat = Literal["table", "json", "md"]
FindingsFormatOption = Annotated[
    FindingsFormat, typer.Option("--format", help="Form of the result.")
]
