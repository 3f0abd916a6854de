"""Outcomes and exit codes."""

from __future__ import annotations

import pytest

from memidx.evals.outcome import Outcome, combine, verdict_line

CODES = {"passed": 0, "failed": 1, "regressed": 1, "invalid": 2, "inconclusive": 3}


@pytest.mark.parametrize("outcome", Outcome)
def test_exit_code_is_the_documented_one(outcome: Outcome) -> None:
    """Each outcome has the exit code of the design."""
    assert outcome.exit_code == CODES[outcome.value]


@pytest.mark.parametrize("outcome", Outcome)
def test_the_command_line_has_the_same_code(outcome: Outcome) -> None:
    """What a report says is what the process ends with."""
    from memidx.cli.exit_codes import for_outcome

    assert for_outcome(outcome.value) == outcome.exit_code


@pytest.mark.parametrize("outcome", Outcome)
def test_verdict_line_names_the_code_of_its_outcome(outcome: Outcome) -> None:
    """The line's word and number come from the same outcome."""
    expected = f"{outcome.value.upper()} (exit {CODES[outcome.value]}): why"
    assert verdict_line(outcome, "why") == expected


def test_combine_prefers_invalid_then_failed_then_inconclusive() -> None:
    """Where several apply, the exit code is 2, then 1, then 3, then 0."""
    rest = [Outcome.PASSED, Outcome.INCONCLUSIVE, Outcome.FAILED, Outcome.REGRESSED]
    assert combine([*rest, Outcome.INVALID]) is Outcome.INVALID
    assert combine(rest) is Outcome.REGRESSED
    assert combine(rest[:3]) is Outcome.FAILED
    assert combine(rest[:2]) is Outcome.INCONCLUSIVE
    assert combine(rest[:1]) is Outcome.PASSED
    assert combine([]) is Outcome.PASSED
