"""What does a comparison say?

Plain values: what is different from the baseline (`Comparison`), and how plainer ways to search
do on the same queries (`Beside`). `memidx.evals.against` and `memidx.evals.beside` make them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple

# From the worst to the best: a `must` that no longer passes, another query that does not, a
# lower rank, one lower and one higher, a higher rank, a query that passes now.
CHANGES = ("regressed", "lost", "worse", "mixed", "better", "won")
Change = Literal["regressed", "lost", "worse", "mixed", "better", "won"]


class Difference(NamedTuple):
    """A fact of the run that the baseline's run had otherwise."""

    fact: str
    before: Any
    after: Any


class RankMove(NamedTuple):
    """An expectation's rank before and now; None: not found."""

    label: str
    before: int | None
    after: int | None


@dataclass(frozen=True, slots=True)
class Move:
    """A query that came out otherwise than in the baseline.

    Attributes:
        before: Status then, `after` now.
        ranks: One entry an expectation.
        now_above: `doc_id`s that stand above an expected document now and did not then.
    """

    query_id: str
    text: str
    category: str
    severity: str
    change: Change
    before: str
    after: str
    ranks: tuple[RankMove, ...]
    now_above: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """JSON values, keys as the fields."""
        return {
            "query_id": self.query_id,
            "query": self.text,
            "category": self.category,
            "severity": self.severity,
            "change": self.change,
            "before": self.before,
            "after": self.after,
            "ranks": [rank._asdict() for rank in self.ranks],
            "now_above": list(self.now_above),
        }


@dataclass(frozen=True, slots=True)
class Tally:
    """One measure over the queries that were measured then and now.

    Attributes:
        scope: A category, or `overall`.
        n: How many queries.
        before: Mean then, `after` now.
        wins: Queries that are better now.
        p: Of the two-sided paired randomization test; None where it was not asked.
        p_holm: That p adjusted for the number of categories; None where there is but one scope.
        low: Lower end of the 95 % bootstrap interval of the difference of means, `high` the upper;
            None where they were not asked.
    """

    scope: str
    measure: str
    n: int
    before: float
    after: float
    wins: int
    ties: int
    losses: int
    p: float | None = None
    p_holm: float | None = None
    low: float | None = None
    high: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """JSON values, keys as the fields."""
        return asdict(self)


class FactorChange(NamedTuple):
    """A factor that is not the same in both runs, and what of it."""

    factor: str
    detail: str


class Share(NamedTuple):
    """What a factor did to the mean of a measure; all shares add up to its change."""

    measure: str
    factor: str
    change: float


@dataclass(frozen=True, slots=True)
class Cause:
    """Why one query came out otherwise.

    Attributes:
        factors: Each entry is a smallest set of factors that, changed alone, gives today's
            result; several entries do it each by itself. `code` and `unknown` are what is left
            where a run made again of all that was then does not give what was recorded.
        detail: What else is known, a sentence; or empty.
    """

    query_id: str
    factors: tuple[tuple[str, ...], ...]
    detail: str = ""

    def to_dict(self) -> dict[str, Any]:
        """JSON values, keys as the fields."""
        return {
            "query_id": self.query_id,
            "factors": [list(together) for together in self.factors],
            "detail": self.detail,
        }


@dataclass(frozen=True, slots=True)
class Why:
    """Why queries moved, found by making the runs between again.

    Attributes:
        state: Where the earlier state was read from, such as `a1b2c3d4e5`; empty where it was not
            found.
        n_runs: How many runs were made.
        problem: What kept it from being found, or makes it uncertain; empty where nothing did.
    """

    state: str = ""
    n_runs: int = 0
    changes: tuple[FactorChange, ...] = ()
    causes: tuple[Cause, ...] = ()
    shares: tuple[Share, ...] = ()
    problem: str = ""

    def cause_of(self, query_id: str) -> Cause | None:
        """Why that query moved; None where it is not known."""
        return next((cause for cause in self.causes if cause.query_id == query_id), None)

    def to_dict(self) -> dict[str, Any]:
        """JSON values, keys as the fields."""
        return {
            "state": self.state,
            "n_runs": self.n_runs,
            "changes": [change._asdict() for change in self.changes],
            "causes": [cause.to_dict() for cause in self.causes],
            "shares": [share._asdict() for share in self.shares],
            "problem": self.problem,
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """A run beside its baseline.

    Attributes:
        baseline: Path of the baseline, as given.
        n_compared: Queries that are in both, ask the same, and could be judged.
        differs: Facts that are not the same.
        added: Ids of queries that only the suite has, `removed` that only the baseline has.
        changed: Ids of queries that expect something else now; they are not compared.
        relaxed: Ids of queries that gated in the baseline and do not now.
        unjudged: Ids of queries that the baseline judged and this run could not.
        moves: The worst first.
        tallies: Every measure overall, then by category.
        why: Why queries moved; None where nothing did, or nobody asked.
    """

    baseline: str
    n_compared: int
    differs: tuple[Difference, ...] = ()
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    relaxed: tuple[str, ...] = ()
    unjudged: tuple[str, ...] = ()
    moves: tuple[Move, ...] = ()
    tallies: tuple[Tally, ...] = ()
    why: Why | None = None

    @property
    def regressed(self) -> tuple[str, ...]:
        """Ids of `must` queries that passed in the baseline and fail now."""
        return tuple(move.query_id for move in self.moves if move.change == "regressed")

    @property
    def counts(self) -> Mapping[str, int]:
        """How many queries moved in which way, the ways that there were."""
        found = [move.change for move in self.moves]
        return {change: found.count(change) for change in CHANGES if change in found}

    def to_dict(self) -> dict[str, Any]:
        """JSON values, keys as the fields."""
        return {
            "baseline": self.baseline,
            "n_compared": self.n_compared,
            "differs": [difference._asdict() for difference in self.differs],
            "added": list(self.added),
            "removed": list(self.removed),
            "changed": list(self.changed),
            "relaxed": list(self.relaxed),
            "unjudged": list(self.unjudged),
            "regressed": list(self.regressed),
            "moves": [move.to_dict() for move in self.moves],
            "tallies": [tally.to_dict() for tally in self.tallies],
            "why": None if self.why is None else self.why.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class Beside:
    """How one way to search does on the judged queries of a run.

    Attributes:
        name: `memidx` itself, `grep`, or `source NAME`: the index narrowed to that source.
        n_passed: Queries that would pass, of `n_queries`.
        n_found: Expected documents among the first k, of `n_expected`.
        n_sources_found: Expected sources with a hit there, of `n_sources_expected`.
        n_matched: Documents that matched, over all queries, no more than 1,000 a query.
    """

    name: str
    n_queries: int
    n_passed: int
    n_expected: int
    n_found: int
    n_sources_expected: int
    n_sources_found: int
    n_matched: int
    measures: Mapping[str, float]

    def to_dict(self) -> dict[str, Any]:
        """JSON values, keys as the fields."""
        return {**asdict(self), "measures": dict(self.measures)}
