"""`memidx get`: what does a document say, from this line on?"""

# No `from __future__ import annotations`: see memidx.cli.options.
import sys
from typing import Annotated, Literal

import typer

import memidx
from memidx.cli import exit_codes
from memidx.cli.options import RootOption, StoresOption
from memidx.cli.terminal import is_terminal, steerless, tell, to_json, write_out


def get_command(
    place: Annotated[
        str,
        typer.Argument(
            metavar="PATH[:LINE[:COUNT]]",
            help="A path or document id as an answer gives it, with the line to begin at.",
            show_default=False,
        ),
    ],
    line: Annotated[
        int | None, typer.Option("--line", min=1, metavar="N", help="First line, in the file.")
    ] = None,
    count: Annotated[
        int | None, typer.Option("--count", min=1, metavar="N", help="Lines to show.")
    ] = None,
    max_bytes: Annotated[
        int, typer.Option("--max-bytes", min=256, metavar="N", help="Text to show at most.")
    ] = 32768,
    stores: StoresOption = None,
    root: RootOption = None,
    no_refresh: Annotated[
        bool, typer.Option("--no-refresh", help="Show what is indexed, without a look at the file.")
    ] = False,
    form: Annotated[Literal["text", "json"], typer.Option("--format", help="Form.")] = "text",
) -> None:
    """Show the indexed text of a document.

    It is the text that is searched: home paths and secrets are taken out.
    """
    with memidx.open(stores, root=root) as index:
        found = index.get(
            place, line=line, count=count, max_bytes=max_bytes, refresh=not no_refresh
        )
    if form == "json":
        write_out(to_json(found.to_dict()))
    elif found.doc_id:
        # A pipe gets the text as it is; a terminal must not be steered by it.
        write_out(steerless(found.text) if is_terminal(sys.stdout) else found.text)
    from memidx.cli.excerpt_text import aside_of_excerpt

    if aside := aside_of_excerpt(found):
        tell(aside)
    if found.doc_id and index.logs_queries:
        from memidx.cli.noting import note_opened  # most projects log nothing

        note_opened(index, found.doc_id)
    raise typer.Exit(exit_codes.YES if found.doc_id else exit_codes.NO)
