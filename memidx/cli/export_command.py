"""`memidx export`: the store as one published JSON file."""

# No `from __future__ import annotations`: see memidx.cli.options.
import os
from typing import Annotated, Literal

import typer

from memidx.cli.options import RootOption, StoreOption
from memidx.cli.terminal import tell, write_out

ExportFormat = Literal["memory-index-1.3"]


def export_command(
    out: Annotated[
        str,
        typer.Argument(metavar="[OUT]", help="File to write; - is standard output."),
    ] = "-",
    form: Annotated[
        ExportFormat, typer.Option("--format", help="Form of the file.")
    ] = "memory-index-1.3",
    store: StoreOption = None,
    root: RootOption = None,
) -> None:
    """Write the store as one JSON file that other programs read.

    The same documents give the same bytes; SOURCE_DATE_EPOCH sets the time the file bears.
    """
    from memidx.exchange import export_store, write_export  # help does not pay for the import

    exported = export_store(store, root=root, env=os.environ)
    if out == "-":
        write_out(exported.to_bytes().decode())
    else:
        size_bytes = write_export(exported, out, store, os.environ)
        tell(f"Wrote {out}: {exported.index['N']:,} documents, {size_bytes:,} bytes")
    if exported.left_out:
        from memidx.cli.exchange_text import left_out_text

        tell(left_out_text(exported.left_out))
