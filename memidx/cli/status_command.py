"""`memidx status`: what is in the store, and how fresh is it?"""

# No `from __future__ import annotations`: see memidx.cli.options.
import memidx
from memidx.cli.options import ReportFormatOption, RootOption, StoreOption
from memidx.cli.terminal import to_json, write_out


def status_command(
    store: StoreOption = None, root: RootOption = None, form: ReportFormatOption = "table"
) -> None:
    """Show what the store holds, where it comes from and how fresh it is."""
    with memidx.open(store, root=root) as index:
        status = index.status()
    if form == "json":
        write_out(to_json(status))
    else:
        from memidx.cli.status_text import status_text

        write_out(status_text(status))
