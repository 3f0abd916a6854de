"""Does a question find the same when it is written otherwise?

A metamorphic suite: no label is needed, for what is right is what the question itself found. Each
query whose first hit can be trusted is asked in other ways (`memidx.evals.variations`); the same
document has to come first, or one that scores the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from memidx.evals.cells import count, one_line, table
from memidx.evals.outcome import Outcome, verdict_line
from memidx.evals.run import NO_TIMES, Searchable, newest_time
from memidx.evals.suite import Suite
from memidx.evals.variations import VARIATIONS, vary
from memidx.search.answer import Ranked

FUZZ_SCHEMA = "memidx.fuzz/1"
# How far down the document is looked for that should have come first.
_DEPTH = 20
# Sums of the same parts in another order differ in the last digits.
_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Broken:
    """A way to write a query with which another document comes first.

    Attributes:
        kind: Of the variation; `text` is the query so written.
        expected: `doc_id` that came first for the query as it stands in the suite.
        found: What came first instead; None where nothing came.
        rank: Where the expected one is; None where it is not among the first 20.
    """

    query_id: str
    kind: str
    text: str
    expected: str
    found: str | None
    rank: int | None


@dataclass(frozen=True, slots=True)
class KindCount:
    """How many variations of a kind were tried, and how many of them broke."""

    kind: str
    n_tried: int
    n_broken: int


@dataclass(frozen=True, slots=True)
class FuzzReport:
    """What came of all variations.

    Attributes:
        n_queries: Queries that were asked in other ways.
        left_out: Ids of queries without a first hit above `weak`: there is nothing to keep.
        kinds: Every kind, tried or not.
        broken: In the order of the suite.
    """

    suite: str
    n_queries: int
    left_out: tuple[str, ...]
    kinds: tuple[KindCount, ...]
    broken: tuple[Broken, ...]
    freshness: str

    @property
    def outcome(self) -> Outcome:
        """`FAILED` where a variation broke; `INCONCLUSIVE` where nothing could be tried."""
        if self.broken:
            return Outcome.FAILED
        if self.freshness == "stale" or not self.n_queries:
            return Outcome.INCONCLUSIVE
        return Outcome.PASSED

    @property
    def verdict(self) -> str:
        """The last line of every rendering: which kinds broke, and how often."""
        n_tried = sum(kind.n_tried for kind in self.kinds)
        parts = [f"{count(n_tried, 'variation')} of {count(self.n_queries, 'query')}"]
        parts += [
            f"{kind.kind} {kind.n_broken} of {kind.n_tried} broken"
            for kind in self.kinds
            if kind.n_broken
        ]
        if self.freshness == "stale":
            parts.append("the index is stale")
        return verdict_line(self.outcome, ", ".join(parts))

    def to_dict(self) -> dict[str, Any]:
        """The report in its published JSON shape."""
        return {
            "schema": FUZZ_SCHEMA,
            "suite": self.suite,
            "outcome": self.outcome.value,
            "exit_code": self.outcome.exit_code,
            "verdict": self.verdict,
            "n_queries": self.n_queries,
            "left_out": list(self.left_out),
            "kinds": [asdict(kind) for kind in self.kinds],
            "broken": [asdict(found) for found in self.broken],
        }


def fuzz(suite: Suite, index: Searchable, *, strategy: str | None = None) -> FuzzReport:
    """Ask every query of a suite in every other way.

    Args:
        suite: As read; its labels have no say.
        index: An open index; it is refreshed first, in memory only.
        strategy: None for the index's own.
    """
    refreshed = index.refresh()
    as_of = suite.as_of or newest_time(row.time for row in index.catalog()) or NO_TIMES

    def rank(texts: Sequence[str]) -> Sequence[Sequence[Ranked]]:
        found: Any = index.rank(texts, _DEPTH, strategy=strategy, as_of=as_of)
        return found  # type: ignore[no-any-return]  # what ranks gives scores too

    originals = rank([query.text for query in suite.queries])
    chosen, left_out = [], []
    for query, ranking in zip(suite.queries, originals, strict=True):
        if ranking and ranking[0].confidence != "weak":
            chosen.append((query.query_id, query.text, ranking[0].doc_id))
        else:
            left_out.append(query.query_id)
    tried = [
        (query_id, kind, text, expected)
        for query_id, original, expected in chosen
        for kind, text in vary(original)
    ]
    broken = []
    for (query_id, kind, text, expected), ranking in zip(
        tried, rank([text for _, _, text, _ in tried]), strict=True
    ):
        if not _keeps(ranking, expected):
            ids = [hit.doc_id for hit in ranking]
            broken.append(
                Broken(
                    query_id=query_id,
                    kind=kind,
                    text=text,
                    expected=expected,
                    found=ids[0] if ids else None,
                    rank=ids.index(expected) + 1 if expected in ids else None,
                )
            )
    return FuzzReport(
        suite=suite.file,
        n_queries=len(chosen),
        left_out=tuple(left_out),
        kinds=tuple(
            KindCount(
                kind,
                sum(entry[1] == kind for entry in tried),
                sum(found.kind == kind for found in broken),
            )
            for kind in VARIATIONS
        ),
        broken=tuple(broken),
        freshness=refreshed.freshness,
    )


def _keeps(ranking: Sequence[Ranked], expected: str) -> bool:
    """Whether the document is first, or as good as the first."""
    for hit in ranking:
        if hit.composite < ranking[0].composite - _TOLERANCE:
            return False
        if hit.doc_id == expected:
            return True
    return False


def render_fuzz(report: FuzzReport) -> str:
    """For a terminal: every kind with its counts, what broke, the verdict."""
    kinds = [[kind.kind, str(kind.n_tried), str(kind.n_broken)] for kind in report.kinds]
    broken = [
        [
            one_line(found.query_id),
            found.kind,
            one_line(found.text),
            one_line(found.expected),
            "–" if found.rank is None else str(found.rank),
            one_line(found.found or "–"),
        ]
        for found in report.broken
    ]
    heads = ["query", "kind", "written", "should be first", "is at", "is first"]
    blocks = [table(kinds, ["kind", "tried", "broken"])]
    if broken:
        blocks.append(f"Broken\n{table(broken, heads)}")
    if report.left_out:
        said = "Without a first hit above weak, and so left out"
        blocks.append(one_line(f"{said}: {', '.join(report.left_out)}."))
    return "\n\n".join([*blocks, one_line(report.verdict)]) + "\n"
