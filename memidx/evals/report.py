"""What does an evaluation say?

Plain values: what was asked of the index, what came back, what that means for each query, for
each category and for the gate. Nothing here depends on the clock or the machine, so the same
suite over the same documents gives the same report.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from memidx.evals.compared import Beside, Comparison
from memidx.evals.lint import LintFinding
from memidx.evals.missed import Miss
from memidx.evals.outcome import Outcome, verdict_line

ARTIFACT_TYPE = "memidx-report"
REPORT_SCHEMA = "memidx.report/1"
# A verdict is one line: it names this many queries.
_NAMED = 3

Status = Literal["passed", "failed", "inconclusive"]


@dataclass(frozen=True, slots=True)
class Found:
    """Where an expectation was found: `rank` is 1-based in the whole ranking, None if nowhere."""

    label: str
    grade: int
    rank: int | None
    doc_id: str | None


@dataclass(frozen=True, slots=True)
class QueryResult:
    """What came of one query.

    Attributes:
        reasons: Why it failed or cannot be judged; empty when it passed.
        expected: One entry an expectation.
        sources_found: Expected sources with a hit among the first k, in the suite's order.
        sources_expected: All of them.
        false_positive: Something above `weak` came back though nothing should; None where that
            was not the question.
        measures: Empty for a query without relevant items, and for an inconclusive one.
        hits: `doc_id`s of the first k hits.
        n_hits: Length of the ranking that was measured.
        question: Digest of what is asked and expected.
    """

    query_id: str
    text: str
    category: str
    severity: str
    k: int
    line: int
    status: Status
    reasons: tuple[str, ...]
    expected: tuple[Found, ...]
    sources_found: tuple[str, ...]
    sources_expected: tuple[str, ...]
    false_positive: bool | None
    measures: Mapping[str, float]
    hits: tuple[str, ...]
    n_hits: int
    why: str = ""
    question: str = ""

    @property
    def unexpected_pass(self) -> bool:
        """A known gap that is none any more."""
        return self.severity == "known_gap" and self.status == "passed"

    def to_dict(self) -> dict[str, Any]:
        """JSON values, keys as the fields."""
        return {
            "query_id": self.query_id,
            "query": self.text,
            "question": self.question,
            "category": self.category,
            "severity": self.severity,
            "k": self.k,
            "line": self.line,
            "status": self.status,
            "reasons": list(self.reasons),
            "unexpected_pass": self.unexpected_pass,
            "expected": [
                {"label": e.label, "grade": e.grade, "rank": e.rank, "doc_id": e.doc_id}
                for e in self.expected
            ],
            "sources_expected": list(self.sources_expected),
            "sources_found": list(self.sources_found),
            "false_positive": self.false_positive,
            "measures": dict(self.measures),
            "hits": list(self.hits),
            "n_hits": self.n_hits,
            "why": self.why,
        }


@dataclass(frozen=True, slots=True)
class Group:
    """Figures of one category, or of all queries (`overall`).

    Attributes:
        n_measured: Queries that the means are over.
        n_sources_expected: Expected sources in all its queries; `n_sources_found` of them came.
        n_empty: Queries that should find nothing; `n_false_positives` of them found something.
    """

    name: str
    n_queries: int
    n_passed: int
    n_failed: int
    n_inconclusive: int
    n_measured: int
    measures: Mapping[str, float]
    n_sources_expected: int
    n_sources_found: int
    n_empty: int
    n_false_positives: int

    @property
    def false_positive_rate(self) -> float | None:
        """Share of no-answer queries with a hit above `weak`; None without such queries."""
        return self.n_false_positives / self.n_empty if self.n_empty else None

    def to_dict(self) -> dict[str, Any]:
        """JSON values, keys as the fields."""
        return {
            "name": self.name,
            "n_queries": self.n_queries,
            "n_passed": self.n_passed,
            "n_failed": self.n_failed,
            "n_inconclusive": self.n_inconclusive,
            "n_measured": self.n_measured,
            "measures": dict(self.measures),
            "n_sources_expected": self.n_sources_expected,
            "n_sources_found": self.n_sources_found,
            "n_empty": self.n_empty,
            "n_false_positives": self.n_false_positives,
            "false_positive_rate": self.false_positive_rate,
        }


@dataclass(frozen=True, slots=True)
class FloorResult:
    """Whether a floor holds; `value` is the mean over the queries that could be judged."""

    scope: str
    measure: str
    minimum: float
    value: float | None
    status: Status
    line: int

    def to_dict(self) -> dict[str, Any]:
        """JSON values, keys as the fields."""
        return {
            "scope": self.scope,
            "measure": self.measure,
            "minimum": self.minimum,
            "value": self.value,
            "status": self.status,
            "line": self.line,
        }


@dataclass(frozen=True, slots=True)
class Report:
    """What one run of a suite says.

    Attributes:
        suite: The suite's file, as given.
        facts: What the run was made of (`memidx.evals.run.RUN_FACTS`); two runs compare when
            these agree, else the comparison names what differs.
        overall: All queries; `categories` each of theirs, in the order of the design.
        measures: Names, in the order of the columns.
        problems: What kept the run from a full answer; each makes it inconclusive.
        notes: Sentences for a person.
        comparison: With the baseline; None where there is none.
        beside: The run, plain grep, and each source alone on the same queries.
        misses: Why queries did not pass, in the order of the suite.
    """

    suite: str
    outcome: Outcome
    facts: Mapping[str, Any]
    measures: tuple[str, ...]
    overall: Group
    categories: tuple[Group, ...]
    queries: tuple[QueryResult, ...]
    floors: tuple[FloorResult, ...] = ()
    lints: tuple[LintFinding, ...] = ()
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    comparison: Comparison | None = None
    beside: tuple[Beside, ...] = ()
    misses: tuple[Miss, ...] = ()

    @property
    def exit_code(self) -> int:
        """The outcome's exit code."""
        return self.outcome.exit_code

    @property
    def verdict(self) -> str:
        """The last line of every rendering: outcome, exit code and the count behind it."""
        must = [result for result in self.queries if result.severity == "must"]
        n_passed = sum(result.status == "passed" for result in must)
        parts = [f"{n_passed} of {len(must)} must queries"]
        regressed = self.comparison.regressed if self.comparison else ()
        if regressed:
            more = ", …" if len(regressed) > _NAMED else ""
            parts.append(f"{len(regressed)} regressed ({', '.join(regressed[:_NAMED])}{more})")
        n_missed = sum(floor.status == "failed" for floor in self.floors)
        if n_missed:
            parts.append(f"{n_missed} of {len(self.floors)} floors missed")
        if self.overall.n_inconclusive:
            parts.append(f"{self.overall.n_inconclusive} inconclusive")
        parts.extend(self.problems[:1])
        return verdict_line(self.outcome, ", ".join(parts))

    @property
    def unexpected_passes(self) -> tuple[str, ...]:
        """Known gaps that passed: time to make them `must`."""
        return tuple(result.query_id for result in self.queries if result.unexpected_pass)

    def to_dict(self) -> dict[str, Any]:
        """The report in its published JSON shape."""
        return {
            "artifact_type": ARTIFACT_TYPE,
            "schema": REPORT_SCHEMA,
            "suite": self.suite,
            "outcome": self.outcome.value,
            "exit_code": self.exit_code,
            "verdict": self.verdict,
            "facts": dict(self.facts),
            "measures": list(self.measures),
            "overall": self.overall.to_dict(),
            "categories": [group.to_dict() for group in self.categories],
            "floors": [floor.to_dict() for floor in self.floors],
            "comparison": self.comparison.to_dict() if self.comparison else None,
            "beside": [row.to_dict() for row in self.beside],
            "misses": [miss.to_dict() for miss in self.misses],
            "unexpected_passes": list(self.unexpected_passes),
            "problems": list(self.problems),
            "notes": list(self.notes),
            "lints": [finding.to_dict() for finding in self.lints],
            "queries": [result.to_dict() for result in self.queries],
        }
