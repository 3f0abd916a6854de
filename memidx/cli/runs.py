"""What does a command know of the runs it compares?"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from memidx import files
from memidx.opening import Opened, open_store

if TYPE_CHECKING:
    from memidx.analysis.base import Analyzer
    from memidx.evals.baseline import Baseline
    from memidx.evals.missed import Miss
    from memidx.evals.past import Past, Side
    from memidx.evals.report import Report
    from memidx.evals.suite import Suite
    from memidx.index import Index


def trace(report: Report, baseline: Baseline, suite: Suite, index: Index) -> Report:
    """The report, with why its queries moved where any did."""
    # Git, and a second index, are for a run in which something moved.
    from memidx.evals.tracing import find_side, with_why

    opened = open_store(index.store, index.root, os.environ)
    return with_why(
        report,
        baseline,
        lambda: find_side(open_past(opened, suite.file), baseline.path, baseline.facts),
        lambda: present_side(index, opened, suite, str(report.facts["strategy"])),
    )


def open_past(opened: Opened, suite_file: str) -> Past:
    """The repository around a suite, store and configuration.

    Raises:
        InputError: There is none, or they do not lie in the same one.
    """
    from memidx.evals.past import Past
    from memidx.evals.revisions import Revisions
    from memidx.evals.tracing import places_of

    revisions = Revisions(os.path.dirname(suite_file) or ".", os.environ)
    places = places_of(revisions, store=opened.workspace.store, home=opened.home, suite=suite_file)
    return Past(revisions, places, os.environ)


def present_side(index: Index, opened: Opened, suite: Suite, strategy: str | None) -> Side:
    """What a run over an open index is made of."""
    from memidx.evals.past import analysis_options
    from memidx.evals.present import side_of

    analysis = analysis_options(opened.config, _aliases(opened))
    return side_of(index, suite, strategy, analysis)


def look_into(report: Report, suite: Suite, index: Index, *, hints: bool) -> tuple[Miss, ...]:
    """Why queries did not pass, and with `hints` what would mend that."""
    from memidx.analysis import get_analyzer
    from memidx.evals.hints import find_misses

    opened = open_store(index.store, index.root, os.environ)
    known = _aliases(opened) or {}

    def with_aliases(more: Mapping[str, tuple[str, ...]]) -> Analyzer:
        together = {**known}
        for words, terms in more.items():
            together[words] = together.get(words, ()) + terms
        return get_analyzer(opened.config.analysis.analyzer, aliases=together)

    return find_misses(suite, index, report, with_aliases if hints else None)


def _aliases(opened: Opened) -> Mapping[str, tuple[str, ...]] | None:
    """What the configured alias file says; None where there is none."""
    name = opened.config.analysis.aliases
    if name is None:
        return None
    from memidx.analysis.aliases import parse_aliases
    from memidx.text.decode import decode

    path = os.path.join(opened.home, name)
    return parse_aliases(decode(files.read_bytes(path)), path)
