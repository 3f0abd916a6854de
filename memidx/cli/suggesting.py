"""How are golden queries proposed on the command line?"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence

import memidx
from memidx import files
from memidx.cli import exit_codes
from memidx.cli.answer_words import plural
from memidx.cli.eval_suite import open_or_build
from memidx.cli.terminal import tell, write_out
from memidx.errors import InputError, SuiteError
from memidx.evals import load_suite
from memidx.evals.suggesting import Suggestion, suggest
from memidx.evals.suggestion_text import render_suggestions
from memidx.querylog import LoggedQuery, read_log


def suggest_queries(
    suite_file: str | None, *, store: str | None, limit: int, out: str | None
) -> int:
    """Propose, write what came of it, and give the exit code: 1 when there is nothing."""
    if out is not None and files.exists(out):
        raise InputError(
            "suggestions never replace a file",
            path=out,
            expected="the name of a new one",
            hint="move what you want of them into the suite by hand",
        )
    suite = None
    if suite_file is not None:
        if not files.is_file(suite_file):
            raise SuiteError(
                "there is no such suite", path=suite_file, hint="memidx suggest --help"
            )
        suite = load_suite(suite_file)
    # As for `eval`: a suite has its store beside it.
    folder = os.path.dirname(suite_file or "")
    with memidx.open(store) if suite is None else open_or_build(store, folder) as index:
        catalog = index.catalog()
        log, n_unreadable = read_log(index.store)
    found = suggest(log, catalog, suite, limit=limit)
    n_queries = sum(isinstance(entry, LoggedQuery) for entry in log)
    said = [_summary(found, n_queries)]
    if n_unreadable:
        said.append(f"{plural(n_unreadable, 'line')} of the log could not be read.")
    if not n_queries:
        said.append("No query is logged; `queries = true` in [log] keeps a log of them.")
    if suite is None:
        said.append("No suite was given, so nothing was left out for being in one.")
    if found:
        text = render_suggestions(found)
        if out is None:
            write_out(text)
        else:
            files.write_atomic(out, text.encode(), scratch_dir=os.path.dirname(out) or ".")
            said.append(f"Wrote {out}")
    tell("\n".join(said))
    return exit_codes.YES if found else exit_codes.NO


def _summary(found: Sequence[Suggestion], n_queries: int) -> str:
    of = Counter("titles" if one.provenance == "title" else "log" for one in found)
    return (
        f"{plural(len(found), 'suggestion')}: {of['log']} from a log of "
        f"{n_queries:,} {'query' if n_queries == 1 else 'queries'}, {of['titles']} from titles."
    )
