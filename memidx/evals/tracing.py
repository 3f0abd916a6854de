"""Where in git is the state that a recorded run came from, and what moved its queries since?

A recorded run names its parts by hashes. The commit that holds its file is looked at first, then
the commits that touched each part; what is not found is said, and the nearest state stands for it.
"""

from __future__ import annotations

import os.path
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from memidx import files
from memidx.config import CONFIG_FILES
from memidx.errors import MemidxError
from memidx.evals.baseline import Baseline
from memidx.evals.compared import Cause, Comparison, Why
from memidx.evals.past import Past, Places, Side
from memidx.evals.report import Report
from memidx.evals.revisions import Commit, Revisions
from memidx.evals.run import hash_of
from memidx.evals.why import find_why

# How far back a configuration or a suite is looked for by its hash.
_MOST = 50
_FACTOR_OF = {
    "corpus_fingerprint": "corpus",
    "n_docs": "corpus",
    "suite_hash": "labels",
    "configuration_hash": "configuration",
    "strategy": "configuration",
    "analyzer_fingerprint": "analyzer",
}


def places_of(revisions: Revisions, *, store: str, home: str, suite: str) -> Places:
    """Where the parts of a run lie in the repository.

    Raises:
        InputError: One of them lies outside.
    """
    return Places(revisions.relative(store), revisions.relative(home), revisions.relative(suite))


def has_moved(comparison: Comparison) -> bool:
    """Whether there is anything to find a cause for."""
    return bool(comparison.moves or comparison.unjudged or comparison.changed)


def with_why(
    report: Report,
    baseline: Baseline,
    before: Callable[[], Side],
    after: Callable[[], Side],
) -> Report:
    """The report whose comparison says why queries moved, as far as that can be found.

    Args:
        report: With its comparison.
        baseline: What it was compared with.
        before: What that was made of; called only when something moved. It may raise.
        after: What the run was made of, likewise.
    """
    comparison = report.comparison
    if comparison is None or not has_moved(comparison):
        return report
    try:
        why = find_why(comparison, report, baseline, before(), after())
    except MemidxError as error:
        why = _by_facts(comparison, error.message)
    return replace(report, comparison=replace(comparison, why=why))


def _by_facts(comparison: Comparison, problem: str) -> Why:
    """What can be told without the earlier state: where one factor differs, it was that one."""
    differing = {_FACTOR_OF[d.fact] for d in comparison.differs if d.fact in _FACTOR_OF}
    if len(differing) != 1 or any(d.fact == "version" for d in comparison.differs):
        return Why(problem=f"not known: {problem}")
    (factor,) = differing
    causes = tuple(Cause(move.query_id, ((factor,),)) for move in comparison.moves)
    said = f"told by elimination, as nothing but the {factor} differs; not run again: {problem}"
    return Why(causes=causes, problem=said)


def find_side(past: Past, path: str, facts: Mapping[str, Any]) -> Side:
    """The parts of a recorded run, from git.

    Args:
        past: The repository.
        path: The file of the recorded run.
        facts: What it says it was made of.

    Raises:
        MemidxError: No state can stand for a part.
    """
    revisions, places = past.revisions, past.places
    first = list(_holding(past, path))
    corpus = past.find_corpus(str(facts.get("corpus_fingerprint")), first) or first[0]

    def is_configured(commit: Commit) -> bool:
        settings = asdict(past.setup(commit)[0])
        return hash_of(settings) == facts.get("configuration_hash")

    def is_suite(commit: Commit) -> bool:
        return past.suite(commit).digest == facts.get("suite_hash")

    of_config = [os.path.normpath(os.path.join(places.home, name)) for name in CONFIG_FILES]
    tried = [*first, corpus]
    configured = _first(is_configured, tried, lambda: revisions.touching(of_config, limit=_MOST))
    suited = _first(is_suite, tried, lambda: revisions.touching([places.suite], limit=_MOST))
    settings, analyzer, analysis = past.setup(configured or first[0])
    return Side(
        name=corpus.short,
        corpus=past.corpus(corpus),
        settings=settings,
        strategy=str(facts["strategy"]) if facts.get("strategy") else None,
        analyzer=analyzer,
        analysis=analysis,
        suite=past.suite(suited or first[0]),
    )


def _holding(past: Past, path: str) -> Iterator[Commit]:
    """The commit that brought this file as it is, where there is one; then HEAD."""
    try:
        name = past.revisions.relative(path)
        for commit in past.revisions.touching([name], limit=1):
            if past.revisions.is_committed(name, commit.sha, files.read_bytes(path)):
                yield commit
    except MemidxError:
        pass  # a file outside the repository, or none: the hashes have to do
    yield past.revisions.commit("HEAD")


def _first(
    fits: Callable[[Commit], bool],
    tried: Sequence[Commit],
    others: Callable[[], Sequence[Commit]],
) -> Commit | None:
    def candidates() -> Iterator[Commit]:
        yield from tried
        yield from others()

    for commit in candidates():
        try:
            if fits(commit):
                return commit
        except MemidxError:
            continue  # nothing usable there
    return None
