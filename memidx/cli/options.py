"""Which options do several commands share?

No `from __future__ import annotations` here and in the commands: Typer evaluates annotations,
and strings cost it as much time as the rest of its start.
"""

from typing import Annotated, Literal

import typer

from memidx.errors import InputError

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
HoldOutOption = Annotated[
    float | None,
    typer.Option(
        "--hold-out",
        metavar="SHARE",
        help="Keep this share of the queries aside to check with. On a suite it is written down "
        "in evals/splits.yaml beside it, and holds from then on.",
    ),
]
SplitOption = Annotated[
    str | None,
    typer.Option(
        "--split",
        metavar="FILE",
        help="The file of the split. Default: evals/splits.yaml beside the suite; none for --beir.",
    ),
]


def check_subject(command: str, *, suite: str | None, beir: str | None, store: str | None) -> None:
    """Refuse options that do not say what to try settings on, or say it twice.

    Raises:
        InputError: With what is expected.
    """
    hint = f"memidx {command} --help"
    if beir is not None and suite is not None:
        raise InputError(f"SUITE cannot be used here: {command} --beir has a collection", hint=hint)
    if beir is not None and store is not None:
        raise InputError("--store cannot be used here: it goes with a suite", hint=hint)
    if beir is None and suite is None:
        raise InputError(f"nothing to {command} on", expected="SUITE, or --beir DIR", hint=hint)
