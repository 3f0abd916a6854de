"""`memidx merge`: decide what git left undecided of the store."""

# No `from __future__ import annotations`: see memidx.cli.options.
import os
import time

import typer

from memidx.cli import exit_codes
from memidx.cli.options import ReportFormatOption, RootOption, StoreOption
from memidx.cli.terminal import tell, to_json, write_out


def merge_command(
    root: RootOption = None, store: StoreOption = None, form: ReportFormatOption = "table"
) -> None:
    """Finish a merge of the store, from the sources as they are merged.

    Call it when git stopped for a conflict and the sources are decided.
    Versions that git could not merge are merged by document, the rest is made from the sources.
    """
    from memidx.cli.merge_text import merge_problems, merge_text
    from memidx.merging import run_merge

    report = run_merge(root, store, os.environ, now_ns=time.time_ns())
    if form == "json":
        write_out(to_json(report.to_dict()))
    else:
        problems = merge_problems(report)
        if problems:
            tell(problems)
        write_out(merge_text(report))
    raise typer.Exit(exit_codes.for_build(report.build, check=False))
