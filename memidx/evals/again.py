"""What comes of a run that is made again with some parts from then and the others from now?

Two runs differ in up to four factors. Every combination of them can be run; a snapshot is made
once for each pair of corpus and analyzer.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from memidx.evals.past import Corpus, Side
from memidx.evals.report import Report
from memidx.evals.run import evaluate
from memidx.frozen import FrozenIndex, freeze
from memidx.snapshot.snapshot import Snapshot

FACTORS = ("corpus", "configuration", "analyzer", "labels")
Factors = frozenset[str]


def differing(before: Side, after: Side) -> tuple[str, ...]:
    """The factors that are not the same."""
    differs = {
        "corpus": before.corpus.build_id != after.corpus.build_id,
        "configuration": (before.settings.search, before.settings.factors, _strategy(before))
        != (after.settings.search, after.settings.factors, _strategy(after)),
        "analyzer": before.analyzer.fingerprint() != after.analyzer.fingerprint(),
        "labels": before.suite.digest != after.suite.digest,
    }
    return tuple(factor for factor in FACTORS if differs[factor])


def subsets(factors: tuple[str, ...]) -> Iterator[Factors]:
    """Every set of factors, the smaller ones first."""
    for size in range(len(factors) + 1):
        yield from map(frozenset, combinations(factors, size))


class Again:
    """Runs combinations of two sides.

    Args:
        before: Where a factor is not taken from after.
        after: The other.
    """

    def __init__(self, before: Side, after: Side) -> None:
        self.before = before
        self.after = after
        self.n_runs = 0
        self._snapshots: dict[tuple[str, str], Snapshot] = {}

    def index(self, new: Factors) -> FrozenIndex:
        """The index with these factors from after, the others from before."""
        corpus: Corpus = self._of("corpus", new).corpus
        analyzer = self._of("analyzer", new).analyzer
        key = corpus.build_id, analyzer.fingerprint()
        if key not in self._snapshots:
            self._snapshots[key] = freeze(corpus.documents, analyzer, corpus.build_id)
        return FrozenIndex(self._snapshots[key], analyzer, self._of("configuration", new).settings)

    def run(self, new: Factors) -> Report:
        """The suite, run with these factors from after, the others from before."""
        self.n_runs += 1
        configured = self._of("configuration", new)
        return evaluate(
            self._of("labels", new).suite, self.index(new), strategy=configured.strategy
        )

    def _of(self, factor: str, new: Factors) -> Side:
        return self.after if factor in new else self.before


def _strategy(side: Side) -> str:
    return side.strategy or side.settings.search.strategy
