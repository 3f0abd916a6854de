"""`memidx import`: a store from a published JSON file."""

# No `from __future__ import annotations`: see memidx.cli.options.
import os
from typing import Annotated

import typer

from memidx.cli.options import ReportFormatOption, RootOption, StoreOption
from memidx.cli.terminal import tell, to_json, write_out


def import_command(
    index: Annotated[
        str,
        typer.Argument(
            metavar="INDEX", help="The published JSON index, schema 1.1 to 1.3.", show_default=False
        ),
    ],
    store: StoreOption = None,
    root: RootOption = None,
    replace: Annotated[
        bool,
        typer.Option("--replace", help="Replace a store that is there, with all it holds."),
    ] = False,
    form: ReportFormatOption = "table",
) -> None:
    """Make a store of a published JSON index.

    Texts come from the sources where they are as they were; of the others the store holds the
    paragraphs that the index has, and each of them is named.
    """
    from memidx.exchange import import_index  # help does not pay for the import

    report = import_index(index, store=store, root=root, replace=replace, env=os.environ)
    if form == "json":
        write_out(to_json(report.to_dict()))
        return
    from memidx.cli.exchange_text import import_problems, import_text

    found = import_problems(report)
    if found:
        tell(found)
    write_out(import_text(report))
