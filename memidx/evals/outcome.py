"""What came of an evaluation, and which exit code says so?

The code is a property of the outcome, and the last line of a report is made from the outcome,
so the two cannot disagree. Nothing else in `memidx.evals` names a code.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum


class Outcome(Enum):
    """What came of an evaluation.

    `PASSED` and `FAILED` are about the gate: every `must` query and every floor.
    `REGRESSED` needs a baseline to compare with; nothing gives it yet.
    `INVALID` is the suite's or the caller's fault, `INCONCLUSIVE` nobody's answer: a label
    went stale or a source could not be read.
    """

    PASSED = "passed"
    FAILED = "failed"
    REGRESSED = "regressed"
    INVALID = "invalid"
    INCONCLUSIVE = "inconclusive"

    @property
    def exit_code(self) -> int:
        """0, 1, 2 or 3, as the command line documents them."""
        return _EXIT_CODES[self]


_EXIT_CODES = {
    Outcome.PASSED: 0,
    Outcome.FAILED: 1,
    Outcome.REGRESSED: 1,
    Outcome.INVALID: 2,
    Outcome.INCONCLUSIVE: 3,
}
# Where several apply, the first of these stands: 2, then 1, then 3. A regression says more
# than a failure.
_PRECEDENCE = (
    Outcome.INVALID,
    Outcome.REGRESSED,
    Outcome.FAILED,
    Outcome.INCONCLUSIVE,
    Outcome.PASSED,
)


def combine(outcomes: Iterable[Outcome]) -> Outcome:
    """The one outcome that stands for all of them; `PASSED` when there are none."""
    found = set(outcomes)
    return next((outcome for outcome in _PRECEDENCE if outcome in found), Outcome.PASSED)


def verdict_line(outcome: Outcome, detail: str) -> str:
    """The last line of a table: `PASSED (exit 0): 12 of 12 must queries`."""
    return f"{outcome.name} (exit {outcome.exit_code}): {detail}"
