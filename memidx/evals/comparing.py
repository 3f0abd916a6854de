"""Which of two runs is better, and what says so in one line?

The verdict of a comparison of two runs, neither of which need be the baseline. The exit code is
the outcome's, as everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from memidx.evals.cells import count
from memidx.evals.compared import Comparison
from memidx.evals.outcome import Outcome, combine, verdict_line
from memidx.evals.report import Report

COMPARISON_SCHEMA = "memidx.comparison/1"


@dataclass(frozen=True, slots=True)
class ComparedRuns:
    """Two runs, compared.

    Attributes:
        before: Name of the first, as given.
        after: Name of the second.
        report: The second, with its comparison.
    """

    before: str
    after: str
    report: Report
    comparison: Comparison

    @property
    def outcome(self) -> Outcome:
        """`REGRESSED` where a `must` query fails that passed; `INCONCLUSIVE` where nobody knows.

        Nobody knows where no query is in both runs, or one that was judged cannot be judged now.
        """
        outcomes = [Outcome.REGRESSED for _ in self.comparison.regressed]
        if not self.comparison.n_compared or self.comparison.unjudged:
            outcomes.append(Outcome.INCONCLUSIVE)
        return combine(outcomes)

    @property
    def verdict(self) -> str:
        """The last line of every rendering."""
        comparison = self.comparison
        parts = [f"{count(comparison.n_compared, 'query')} compared"]
        if comparison.regressed:
            parts.append(f"{len(comparison.regressed)} regressed")
        if comparison.unjudged:
            parts.append(f"{len(comparison.unjudged)} not judged any more")
        if not comparison.regressed and comparison.n_compared:
            parts.append("none regressed")
        return verdict_line(self.outcome, ", ".join(parts))

    def to_dict(self) -> dict[str, Any]:
        """The comparison in its published JSON shape."""
        return {
            "schema": COMPARISON_SCHEMA,
            "before": self.before,
            "after": self.after,
            "outcome": self.outcome.value,
            "exit_code": self.outcome.exit_code,
            "verdict": self.verdict,
            "facts": dict(self.report.facts),
            "comparison": self.comparison.to_dict(),
        }
