"""`memidx verify`: is every line of the store what it was when it was written?"""

# No `from __future__ import annotations`: see memidx.cli.options.
import typer

import memidx
from memidx.cli import exit_codes
from memidx.cli.options import ReportFormatOption, RootOption, StoreOption
from memidx.cli.terminal import tell_error, to_json, write_out
from memidx.errors import StoreCorrupt


def verify_command(
    store: StoreOption = None, root: RootOption = None, form: ReportFormatOption = "table"
) -> None:
    """Check every line of the store, and compare it with its sources."""
    try:
        with memidx.open(store, root=root) as index:
            report = index.verify()
    except StoreCorrupt as error:
        # Elsewhere this means "could not finish"; here it is the answer.
        tell_error(error.message, error.hint)
        raise typer.Exit(exit_codes.NO) from error
    if form == "json":
        write_out(to_json(report.to_dict()))
    else:
        from memidx.cli.verify_text import verify_text

        write_out(verify_text(report))
    raise typer.Exit(exit_codes.for_verify(report))
