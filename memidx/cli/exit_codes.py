"""Which number does a command end with?

The one table that turns verdicts, outcomes and errors into exit codes:

    0    yes: any hit; gate passed; store sound; built
    1    a clean no: nothing found; gate failed; store damaged or behind
    2    the caller's mistake: usage, configuration, suite, empty query
    3    could not finish, or inconclusive
    130  interrupted
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memidx.errors import InputError, MemidxError

if TYPE_CHECKING:
    from memidx.results import BuildReport, Explanation, VerifyReport
    from memidx.search.answer import Answer

YES = 0
NO = 1
MISTAKE = 2
UNFINISHED = 3
INTERRUPTED = 130

# Where several apply: the caller's mistake first, then a clean no, then an unfinished yes.
_PRECEDENCE = (MISTAKE, NO, UNFINISHED, YES)


def worst(*codes: int) -> int:
    """The code that wins where several apply."""
    return min(codes, key=_PRECEDENCE.index, default=YES)


def for_error(error: MemidxError) -> int:
    """Code of an error memidx raised on purpose."""
    return MISTAKE if isinstance(error, InputError) else UNFINISHED


def for_answer(answer: Answer) -> int:
    """Code of a search; an empty answer is a clean no only when all of the index was searched."""
    if answer.verdict == "empty_query":
        return MISTAKE
    if answer.verdict == "hits":
        return YES
    if answer.sources_failed or answer.freshness == "stale":
        return UNFINISHED
    return NO


def for_explanation(explanation: Explanation) -> int:
    """Code of the question why: whether the answer shows the document."""
    if explanation.status == "empty_query":
        return MISTAKE
    return YES if explanation.status == "shown" else NO


def for_build(report: BuildReport, *, check: bool) -> int:
    """Code of a build, or of the question whether one is due."""
    behind = NO if check and report.behind else YES
    return worst(behind, UNFINISHED if report.sources_failed else YES)


def for_verify(report: VerifyReport) -> int:
    """Code of a verification; what could not be looked at is neither sound nor damaged."""
    unknown = UNFINISHED if report.unchecked or report.sources_failed else YES
    found = report.damage or report.behind or report.manifest_differs
    broken = NO if found or not (report.sound or unknown) else YES
    return worst(broken, unknown)


def for_outcome(outcome: str) -> int:
    """Code of an evaluation's outcome, the one its report names.

    A report is a file, and says the code too; so an outcome's code stands with the outcome.
    """
    from memidx.evals.outcome import Outcome  # a search does not pay for the import

    return Outcome(outcome).exit_code
