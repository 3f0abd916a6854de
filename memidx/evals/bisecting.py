"""Since which commit of the store does a query no longer find a document?

A binary search over commits that touched the store: each one's store is read from git and ranked
with the code and the settings of today, so that only the corpus differs. The search finds a commit
at which the document was lost, whatever the history; whether it is the only one is checked on
further commits, and said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from memidx.analysis.base import Analyzer
from memidx.errors import MemidxError
from memidx.evals.bisection import Bisection, Ending, Probe
from memidx.evals.changes import documents_line
from memidx.evals.measures import DEPTH
from memidx.evals.past import Past
from memidx.evals.patterns import Resolver
from memidx.evals.revisions import Commit
from memidx.evals.run import NO_TIMES, newest_time
from memidx.frozen import FrozenIndex, freeze
from memidx.search.ranking import RankSettings

# Commits looked at beyond the search, to see whether what it found is all there is.
CHECKS = 8
# Commits looked at for one that finds it.
MOST_TRIED = 64


@dataclass(slots=True)
class Prober:
    """Asks one query of the store of any commit; each commit once."""

    past: Past
    analyzer: Analyzer
    settings: RankSettings
    query: str
    expect: str
    strategy: str | None = None
    known: dict[str, Probe] = field(default_factory=dict)

    def probe(self, commit: Commit) -> Probe:
        """What that commit's store gives."""
        if commit.sha not in self.known:
            self.known[commit.sha] = self._look(commit)
        return self.known[commit.sha]

    def _look(self, commit: Commit) -> Probe:
        try:
            corpus = self.past.corpus(commit)
        except MemidxError as error:
            return Probe(commit, None, 0, (), False, error.message)
        snapshot = freeze(corpus.documents, self.analyzer, corpus.build_id)
        index = FrozenIndex(snapshot, self.analyzer, self.settings)
        targets = Resolver(index.catalog()).documents(self.expect)
        as_of = newest_time(document.time for document in corpus.documents) or NO_TIMES
        (hits,) = index.rank([self.query], DEPTH, strategy=self.strategy, as_of=as_of)
        ids = [hit.doc_id for hit in hits]
        rank = next((n for n, doc_id in enumerate(ids, 1) if doc_id in targets), None)
        above = ids[: rank - 1] if rank is not None else ids
        return Probe(commit, rank, len(corpus.documents), tuple(above), bool(targets))


def bisect(
    prober: Prober,
    commits: Sequence[Commit],
    *,
    k: int,
    good: int | None = None,
    every: bool = False,
) -> Bisection:
    """Search a history.

    Args:
        prober: What is asked.
        commits: The oldest first, at least one; the last is the one that is asked about.
        k: Among how many hits the document must be.
        good: Position of a commit at which it is found, where one is known.
        every: Look at every commit.
    """

    def is_good(position: int) -> bool | None:
        """Whether it is found there; None where the store cannot be searched."""
        probe = prober.probe(commits[position])
        if probe.problem:
            return None
        return probe.rank is not None and probe.rank <= k

    last = len(commits) - 1
    if every:
        for position in range(len(commits)):
            is_good(position)
    while last > 0 and is_good(last) is None:
        last -= 1

    def done(ending: Ending, **found: Any) -> Bisection:
        order = [commit for commit in commits if commit.sha in prober.known]
        probes = tuple(prober.known[commit.sha] for commit in order)
        return Bisection(prober.query, prober.expect, k, ending, len(commits), probes, **found)

    state = is_good(last)
    if state is None:
        return done("unreadable")
    if state:
        return done("not_broken")
    if good is None:
        good = next((at for at in islice(spread(last), MOST_TRIED) if is_good(at)), None)
        if good is None:
            return done("never_found", notes=_never(prober))
    low, high, skipped = _narrow(is_good, good, last)
    checked = _check(is_good, low, high, last)
    before, culprit = prober.probe(commits[low]), prober.probe(commits[high])
    changed = documents_line(prober.past.corpus(before.commit), prober.past.corpus(culprit.commit))
    notes = [*_why(prober, before, culprit), *_monotone(checked, commits, low, high)]
    return done(
        "found",
        before=before,
        culprit=culprit,
        skipped=tuple(commits[at] for at in skipped),
        changed=changed,
        notes=tuple(notes),
    )


def spread(n: int) -> Iterator[int]:
    """0 and n - 1, then the middles of what is left: every position below n, once."""
    seen: set[int] = set()
    gaps = [(0, n - 1)]
    for position in (0, n - 1):
        if 0 <= position < n and position not in seen:
            seen.add(position)
            yield position
    while gaps:
        below, above = gaps.pop(0)
        if above - below < 2:
            continue
        middle = (below + above) // 2
        yield middle
        gaps += [(middle, above), (below, middle)]


def _narrow(
    is_good: Callable[[int], bool | None], good: int, bad: int
) -> tuple[int, int, list[int]]:
    """The last good and the first bad position that only unreadable ones part."""
    skipped: set[int] = set()
    while True:
        between = [at for at in range(good + 1, bad) if at not in skipped]
        if not between:
            return good, bad, sorted(at for at in skipped if good < at < bad)
        middle = between[len(between) // 2]
        state = is_good(middle)
        if state is None:
            skipped.add(middle)
        elif state:
            good = middle
        else:
            bad = middle


def _check(
    is_good: Callable[[int], bool | None], low: int, high: int, last: int
) -> dict[int, bool]:
    """States of some commits on both sides of what was found, and of all that are known."""
    after = [high + 1 + at for at in spread(last - high)][: CHECKS // 2]
    earlier = list(spread(low))[: CHECKS // 2]
    states = {at: is_good(at) for at in sorted({*earlier, *after, low, high, last})}
    return {at: state for at, state in states.items() if state is not None}


def _monotone(
    states: Mapping[int, bool], commits: Sequence[Commit], low: int, high: int
) -> Iterator[str]:
    """Sentences about a history in which it came and went more than once."""
    after = [at for at, state in states.items() if at > high and state]
    if after:
        names = ", ".join(commits[at].short for at in after)
        yield f"Not the only change: after it, it was found again at {names}, and lost again."
    earlier = sorted(at for at in states if at <= low)
    first = next((at for at in earlier if states[at]), low)
    lost = [at for at in earlier if at > first and not states[at]]
    if lost:
        names = ", ".join(commits[at].short for at in lost)
        yield f"Not the only change: before it, it was lost at {names}, and found again."


def _why(prober: Prober, before: Probe, culprit: Probe) -> Iterator[str]:
    if not culprit.is_stored:
        yield f"{prober.expect} left the store with this commit."
        return
    rank = "not found" if culprit.rank is None else f"rank {culprit.rank}"
    yield f"Rank {before.rank} before, {rank} since."
    old = set(before.above)
    new = [doc_id for doc_id in culprit.above if doc_id not in old][:3]
    if new:
        yield f"Above it since: {', '.join(new)}."


def _never(prober: Prober) -> tuple[str, ...]:
    readable = [probe for probe in prober.known.values() if not probe.problem]
    if not any(probe.is_stored for probe in readable):
        return (f"No store that was looked at holds {prober.expect}.",)
    ranks = [probe.rank for probe in readable if probe.rank is not None]
    return (f"Its best rank was {min(ranks)}.",) if ranks else ("It was never matched.",)
