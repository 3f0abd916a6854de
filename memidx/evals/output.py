"""Which files does an evaluation leave?

Reports begin with their artifact type, so that memidx never indexes them, and hold no time
stamp, so that the same evaluation writes the same bytes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from memidx import files
from memidx.errors import InputError
from memidx.evals.history import History, render_history
from memidx.evals.markdown import render_markdown
from memidx.evals.report import Report

_SPACE = re.compile(r"\s")


def write_report(report: Report, folder: str) -> tuple[str, ...]:
    """Write `report.md` and `report.json` and return their paths.

    Raises:
        FileError: When the folder or a file cannot be written.
    """
    files.make_dir(folder)
    document = json.dumps(report.to_dict(), indent=2) + "\n"
    paths = []
    for name, text in (("report.md", render_markdown(report)), ("report.json", document)):
        path = f"{folder}/{name}"
        files.write_atomic(path, text.encode("utf-8", "replace"), scratch_dir=folder)
        paths.append(path)
    return tuple(paths)


def write_history(history: History, folder: str) -> str:
    """Write the last runs as `history.md` beside the report and return its path.

    Raises:
        FileError: When the folder or the file cannot be written.
    """
    files.make_dir(folder)
    path = f"{folder}/history.md"
    text = render_history(history)
    files.write_atomic(path, text.encode("utf-8", "replace"), scratch_dir=folder)
    return path


def write_run(run: Mapping[str, Sequence[str]], path: str, *, tag: str = "memidx") -> int:
    """Write a TREC run file: `query_id Q0 doc_id rank score tag`.

    trec_eval sorts by score, so the score is made from the rank: whole numbers that fall by one,
    the last being 1.

    Args:
        run: `doc_id`s in served order, by query_id.
        path: The file; replaced when it is there.
        tag: Name of the run.

    Returns:
        How many lines were written.

    Raises:
        InputError: For an id that holds white space: the format has no way to write it.
        FileError: When the file cannot be written.
    """
    lines = list(_run_lines(run, tag))
    folder = path.rpartition("/")[0] or ("/" if path.startswith("/") else ".")
    files.write_atomic(path, "".join(lines).encode("utf-8", "replace"), scratch_dir=folder)
    return len(lines)


def _run_lines(run: Mapping[str, Sequence[str]], tag: str) -> Iterator[str]:
    for query_id, ranking in run.items():
        for rank, doc_id in enumerate(ranking, 1):
            for name in (query_id, doc_id, tag):
                if not name or _SPACE.search(name):
                    raise InputError(
                        "a run file cannot hold this id: its columns are set apart by spaces",
                        found=repr(name),
                    )
            yield f"{query_id} Q0 {doc_id} {rank} {len(ranking) - rank + 1} {tag}\n"
