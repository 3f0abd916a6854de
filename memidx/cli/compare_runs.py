"""How are two runs found, made and compared from the command line?

A run is a file that `memidx eval` wrote, `now`, or a git revision: the store, configuration and
suite committed there, run with the code of today.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from typing import NamedTuple

from memidx import files
from memidx.cli import exit_codes
from memidx.cli.eval_suite import open_or_build
from memidx.cli.runs import open_past, present_side
from memidx.cli.terminal import columns, is_terminal, to_json, write_out
from memidx.errors import InputError
from memidx.evals import (
    ComparedRuns,
    Report,
    compare_two,
    evaluate,
    load_suite,
    on_disk,
    read_run,
    render_compared,
    render_compared_markdown,
)
from memidx.evals.again import Again
from memidx.evals.past import Past, Side
from memidx.evals.present import NOW
from memidx.evals.recorded import as_baseline
from memidx.evals.tracing import find_side, with_why
from memidx.index import Index
from memidx.opening import Opened, open_store


class _Run(NamedTuple):
    """A run, and how to find what it was made of."""

    name: str
    report: Report
    side: Callable[[], Side]


def compare_runs(
    before: str, after: str, *, suite_file: str, store: str | None, why: bool, form: str
) -> int:
    """Compare two runs, show what came of it, and give the exit code."""
    with ExitStack() as stack:
        finder = _Finder(suite_file, store, stack)
        first = finder.run(before, None)
        second = finder.run(after, first.report)
        # A baseline knows its queries' words only from another run.
        if files.is_file(before) and before != NOW:
            first = first._replace(report=read_run(before, second.report))
        compared = compare_two(first.report, first.name, second.report, second.name)
        if why:
            report = with_why(
                compared.report, as_baseline(first.report, first.name), first.side, second.side
            )
            compared = _with_report(compared, report)
    write_out(_text(compared, form))
    return exit_codes.for_outcome(compared.outcome.value)


class _Finder:
    """Finds and makes runs; what several need is opened once."""

    def __init__(self, suite_file: str, store: str | None, stack: ExitStack) -> None:
        self._suite_file = suite_file
        self._store = store
        self._stack = stack
        self._index: Index | None = None
        self._past: Past | None = None

    def run(self, name: str, known: Report | None) -> _Run:
        """The run of that name."""
        if name == NOW:
            return self._now()
        if files.is_file(name):
            report = read_run(name, known)
            return _Run(name, report, lambda: find_side(self.past(), name, report.facts))
        if not files.is_file(self._suite_file):
            raise InputError(
                "neither a file nor, without a suite, a revision",
                found=name,
                hint=f"there is no {self._suite_file}; name the suite with --suite",
            )
        side = self.past().side(self.past().revisions.commit(name))
        label = name if name.startswith(side.name) else f"{name} ({side.name})"
        return _Run(label, Again(side, side).run(frozenset()), lambda: side)

    def past(self) -> Past:
        """The repository."""
        if self._past is None:
            self._past = open_past(self._opened(), self._suite_file)
        return self._past

    def _now(self) -> _Run:
        index, suite = self._open(), load_suite(self._suite_file)
        exists = None if index.root is None else on_disk(index.root)
        report = evaluate(suite, index, on_disk=exists)
        strategy = str(report.facts["strategy"])
        return _Run(NOW, report, lambda: present_side(index, self._opened(), suite, strategy))

    def _open(self) -> Index:
        if self._index is None:
            folder = os.path.dirname(self._suite_file)
            self._index = self._stack.enter_context(open_or_build(self._store, folder))
        return self._index

    def _opened(self) -> Opened:
        # What git knows needs no index, and a store that is not there now may have been there.
        if self._index is not None:
            return open_store(self._index.store, self._index.root, os.environ)
        folder = os.path.dirname(self._suite_file) or "."
        return open_store(self._store, None if self._store else folder, os.environ)


def _with_report(compared: ComparedRuns, report: Report) -> ComparedRuns:
    if report.comparison is None:
        return compared
    return replace(compared, report=report, comparison=report.comparison)


def _text(compared: ComparedRuns, form: str) -> str:
    match form:
        case "json":
            return to_json(compared.to_dict())
        case "md":
            return render_compared_markdown(compared)
        case _:
            width = columns(sys.stdout) if is_terminal(sys.stdout) else None
            return render_compared(compared, width)
