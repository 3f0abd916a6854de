"""`memidx merge-driver`: what git calls to merge one file of a store."""

# No `from __future__ import annotations`: see memidx.cli.options.
from typing import Annotated

import typer

from memidx.cli import exit_codes
from memidx.cli.terminal import tell, write_out

_File = Annotated[str, typer.Argument(show_default=False)]


def merge_driver_command(
    base: _File,
    ours: _File,
    theirs: _File,
    path: _File,
    marker_size: Annotated[
        int, typer.Option(min=1, metavar="N", help="Characters of a conflict marker.")
    ] = 7,
) -> None:
    """Merge one file of the store by document, into OURS; git calls it.

    `memidx init --git` tells git about it.
    On stdout stands `merged` or `conflict`; without either, git's own merge takes over.
    """
    from memidx.store.driver import merge_file

    merged = merge_file(base, ours, theirs, path, marker_size=marker_size)
    if merged is None or merged.clean:
        write_out("merged")
        return
    from memidx.cli.merge_text import driver_text

    doc_ids = [clash.doc_id for clash in merged.clashes]
    tell(driver_text(path, doc_ids, too_large=merged.too_large))
    write_out("conflict")
    raise typer.Exit(exit_codes.NO)
