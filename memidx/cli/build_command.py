"""`memidx build`: take the sources into the store."""

# No `from __future__ import annotations`: see memidx.cli.options.
import os
from typing import Annotated

import typer

import memidx
from memidx.cli import exit_codes
from memidx.cli.options import ReportFormatOption, RootOption, StoreOption
from memidx.cli.terminal import tell, to_json, write_out


def build_command(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PATHS...",
            help="Files and folders to take in. Default: the configured sources, else root.",
            show_default=False,
        ),
    ] = None,
    root: RootOption = None,
    store: StoreOption = None,
    shard: Annotated[
        bool | None,
        typer.Option(
            "--shard/--no-shard",
            help="Split the store into files of 20 MiB at most (the default), or refuse to.",
            show_default=False,
        ),
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="Read every source again; the result is the same.")
    ] = False,
    check: Annotated[
        bool,
        typer.Option("--check", help="Write nothing; exit 1 when the store is behind."),
    ] = False,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            min=1,
            metavar="N",
            help="Processes to read with, where there is much to read. Default: one for each core.",
            show_default=False,
        ),
    ] = None,
    form: ReportFormatOption = "table",
) -> None:
    """Take the sources into the store.

    One document is one line, and the same documents give the same bytes on every machine.
    """
    report = memidx.build(
        tuple(paths or ()),
        root=root,
        store=store,
        full=full,
        check=check,
        shard=shard,
        jobs=jobs or _n_cores(),
    )
    if form == "json":
        write_out(to_json(report.to_dict()))
    else:
        from memidx.cli.build_text import build_problems, build_text

        problems = build_problems(report)
        if problems:
            tell(problems)
        write_out(build_text(report, check=check))
    raise typer.Exit(exit_codes.for_build(report, check=check))


def _n_cores() -> int:
    """Cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
