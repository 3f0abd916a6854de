"""Which files does an evaluation leave?

Reports begin with their artifact type, so that memidx never indexes them, and hold no time
stamp, so that the same evaluation writes the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from memidx import files
from memidx.evals.history import History, render_history
from memidx.evals.markdown import render_markdown
from memidx.evals.report import Report


def write_report(
    report: Report,
    folder: str,
    *,
    history: History | None = None,
    tunings: Sequence[Mapping[str, Any]] = (),
) -> tuple[str, ...]:
    """Write `report.md`, `report.json` and `report.html` and return their paths.

    Args:
        report: The run.
        folder: Made where it is not there.
        history: Recorded runs, for the page.
        tunings: What `memidx.evals.pages.read_tuning` gave, for the page.

    Raises:
        FileError: When the folder or a file cannot be written.
    """
    # A page is only needed where a report is written.
    from memidx.evals.pages import render_page

    files.make_dir(folder)
    document = json.dumps(report.to_dict(), indent=2) + "\n"
    written = {
        "report.md": render_markdown(report),
        "report.json": document,
        "report.html": render_page(report, history, tunings),
    }
    for name, text in written.items():
        write_text(f"{folder}/{name}", text)
    return tuple(f"{folder}/{name}" for name in written)


def write_text(path: str, text: str) -> None:
    """Write a file whole or not at all; its folder is made where it is not there.

    Raises:
        FileError: When the folder or the file cannot be written.
    """
    folder = path.rpartition("/")[0] or ("/" if path.startswith("/") else ".")
    files.make_dir(folder)
    files.write_atomic(path, text.encode("utf-8", "replace"), scratch_dir=folder)


def write_history(history: History, folder: str) -> str:
    """Write the last runs as `history.md` beside the report and return its path.

    Raises:
        FileError: When the folder or the file cannot be written.
    """
    path = f"{folder}/history.md"
    write_text(path, render_history(history))
    return path
