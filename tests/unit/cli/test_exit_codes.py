"""Exit codes follow the table of the documentation."""

from __future__ import annotations

import pytest

from memidx.cli import exit_codes
from memidx.errors import ConfigError, FileError, MemidxError, StoreMissing, SuiteError
from memidx.results import BuildReport, VerifyReport
from tests.cli.fakes import FAILED, answer, build_report, hit, verify_report


@pytest.mark.parametrize(
    ("verdict", "code"),
    [
        ("no_match", 1),
        ("no_terms_in_index", 1),
        ("filtered_out", 1),
        ("below_threshold", 1),
        ("empty_index", 1),
        ("empty_query", 2),
    ],
)
def test_an_empty_answer_is_a_clean_no_or_a_mistake(verdict: str, code: int) -> None:
    """Every verdict without hits has its code when all of the index was searched."""
    assert exit_codes.for_answer(answer(verdict=verdict)) == code


@pytest.mark.parametrize("changes", [{"freshness": "stale"}, {"sources_failed": (FAILED,)}])
def test_an_empty_answer_is_no_no_when_not_all_was_searched(changes: dict[str, object]) -> None:
    """Nothing found in a stale index, or beside a failed source, is inconclusive."""
    assert exit_codes.for_answer(answer(**changes)) == 3
    assert exit_codes.for_answer(answer(verdict="empty_query", **changes)) == 2


@pytest.mark.parametrize("changes", [{}, {"freshness": "stale"}, {"sources_failed": (FAILED,)}])
def test_any_hit_is_a_yes(changes: dict[str, object]) -> None:
    """A hit answers the question, whatever else could not be searched."""
    assert exit_codes.for_answer(answer(hit(), **changes)) == 0


def test_hits_that_were_passed_over_are_still_a_yes() -> None:
    """An offset beyond the last hit does not turn a yes into a no."""
    assert exit_codes.for_answer(answer(verdict="hits", n_matched=3)) == 0


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ConfigError("x"), 2),
        (SuiteError("x"), 2),
        (StoreMissing("x"), 3),
        (FileError("x"), 3),
        (MemidxError("x"), 3),
    ],
)
def test_an_error_is_the_callers_or_ours(error: MemidxError, code: int) -> None:
    """The caller's mistakes end with 2, what could not be finished with 3."""
    assert exit_codes.for_error(error) == code


@pytest.mark.parametrize(
    ("report", "check", "code"),
    [
        (build_report(), False, 0),
        (build_report(behind=True), False, 0),
        (build_report(behind=True), True, 1),
        (build_report(), True, 0),
        (build_report(sources_failed=(FAILED,)), False, 3),
        (build_report(sources_failed=(FAILED,)), True, 3),
        (build_report(sources_failed=(FAILED,), behind=True), True, 1),
    ],
)
def test_build_says_whether_the_store_is_behind(
    report: BuildReport, check: bool, code: int
) -> None:
    """`--check` ends with 1 when a build is due; a failed source leaves a build unfinished."""
    assert exit_codes.for_build(report, check=check) == code


@pytest.mark.parametrize(
    ("report", "code"),
    [
        (verify_report(), 0),
        (verify_report(sound=False, damage=(FAILED,)), 1),
        (verify_report(sound=False, behind=("a.md",)), 1),
        (verify_report(sound=False), 1),
        (verify_report(sound=False, manifest_differs=True, sources_failed=(FAILED,)), 1),
        (verify_report(sound=False, unchecked=True), 3),
        (verify_report(unchecked=True), 3),
        (verify_report(sources_failed=(FAILED,)), 3),
        (verify_report(sound=False, damage=(FAILED,), unchecked=True), 1),
    ],
)
def test_verify_tells_damage_from_what_could_not_be_checked(
    report: VerifyReport, code: int
) -> None:
    """Damage is a clean no; what could not be compared is inconclusive; damage goes first."""
    assert exit_codes.for_verify(report) == code


def test_the_callers_mistake_goes_first() -> None:
    """Where several codes apply it is 2, then 1, then 3."""
    assert exit_codes.worst(0, 3, 1, 2) == 2
    assert exit_codes.worst(0, 3, 1) == 1
    assert exit_codes.worst(0, 3) == 3
    assert exit_codes.worst() == 0


@pytest.mark.parametrize(
    ("outcome", "code"),
    [("passed", 0), ("failed", 1), ("regressed", 1), ("invalid", 2), ("inconclusive", 3)],
)
def test_an_evaluation_ends_with_its_outcome(outcome: str, code: int) -> None:
    """Outcomes have the codes of the documentation."""
    assert exit_codes.for_outcome(outcome) == code
