"""`memidx init`: set a repository up."""

# No `from __future__ import annotations`: see memidx.cli.options.
import os
import sys
from typing import Annotated

import typer

from memidx.cli import exit_codes
from memidx.cli.options import ReportFormatOption
from memidx.cli.terminal import tell, to_json, write_out


def init_command(
    root: Annotated[
        str | None,
        typer.Option(
            "--root",
            metavar="DIR",
            help="The folder to set up. Default: the configuration's, else the working folder.",
            show_default=False,
        ),
    ] = None,
    git: Annotated[
        bool, typer.Option("--git", help="Tell this clone's git how the store merges.")
    ] = False,
    agents: Annotated[
        bool,
        typer.Option("--agents", help="Tell agents, in AGENTS.md and the like, to ask memidx."),
    ] = False,
    print_only: Annotated[
        bool, typer.Option("--print", help="Write nothing; show what would be written.")
    ] = False,
    form: ReportFormatOption = "table",
) -> None:
    """Find out what memory a repository has, and write a configuration and a suite for it.

    Nothing that is there is overwritten; lines for files of yours stand in a marked block.
    """
    import inspect

    from memidx.cli.query_command import query_command
    from memidx.setup.project import Wanted, set_up

    wanted = Wanted(
        git=git,
        agents=agents,
        has_also="also" in inspect.signature(query_command).parameters,
        python=sys.executable,
        write=not print_only,
    )
    report = set_up(root, os.environ, wanted)
    if form == "json":
        write_out(to_json(report.to_dict()))
    else:
        from memidx.cli.init_text import init_notes, init_text

        notes = init_notes(report)
        if notes:
            tell(notes)
        write_out(init_text(report))
    raise typer.Exit(exit_codes.YES)
