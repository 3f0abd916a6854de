"""Which thresholds label the hits of this corpus, and may they be applied?

Ranks every query by each strategy, without the fallback, so that no label has a say in what it is
fitted on; fits thresholds for the wanted precisions on one side of the queries, and checks them on
the other. A promise that could not be checked is not made. Rules: docs/tuning.md, "Calibration".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from memidx.config import SearchConfig
from memidx.errors import InputError
from memidx.evals.grid_values import Progress, TopAnswer
from memidx.evals.outcome import Outcome, combine, verdict_line
from memidx.evals.report import ARTIFACT_TYPE
from memidx.evals.splits import Split
from memidx.evals.subject import Subject
from memidx.evals.thresholds import (
    MIN_ANSWERS,
    PRECISIONS,
    Promise,
    Thresholds,
    calibrate,
    fitted_on,
    thresholds_dict,
)
from memidx.evals.tuning import check_precisions
from memidx.search.calibrated import CALIBRATION_SCHEMA, CALIBRATION_TYPE
from memidx.search.grid_ranker import GridRanker
from memidx.search.points import point
from memidx.search.ranking import STRATEGIES
from memidx.version import VERSION

REPORT_SCHEMA = "memidx.calibration-report/1"


@dataclass(frozen=True, slots=True)
class CalibrateSettings:
    """What is to be promised.

    Attributes:
        strategies: To calibrate; empty takes the configured one.
        precisions: Wanted of reliable hits, then of candidates, each above 0 and below 1.
        seed: Decides which queries fit and which check, without a split.
        split: Which queries fit and which check.
    """

    strategies: tuple[str, ...] = ()
    precisions: tuple[float, ...] = PRECISIONS
    seed: int = 0
    split: Split | None = None

    def check(self) -> None:
        """Refuse what no label can promise.

        Raises:
            InputError: With what is expected.
        """
        for name in self.strategies:
            if name not in STRATEGIES:
                expected = f"{', '.join(STRATEGIES)} or all"
                raise InputError("there is no such strategy", expected=expected, found=name)
        check_precisions(self.precisions)
        if len(self.precisions) != 2:
            expected = "two: of reliable hits, and of candidates"
            raise InputError("a calibration needs two precisions", expected=expected)


@dataclass(frozen=True, slots=True)
class StrategyCalibration:
    """Thresholds of one strategy, and whether they may be applied.

    Attributes:
        found: What was fitted, and what became of it.
        n_uncovered: First hits that hold too little of their query to be more than weak; they
            take no part.
        outcome: `PASSED` when both promises were made and none was broken; `FAILED` when the
            other side of the queries breaks one; else `INCONCLUSIVE`.
        reason: Why it is not `PASSED`.
    """

    found: Thresholds
    n_uncovered: int
    outcome: Outcome
    reason: str

    @property
    def strategy(self) -> str:
        """Whose thresholds."""
        return self.found.strategy


@dataclass(frozen=True)
class CalibrationReport:
    """What calibrating on one suite or collection says.

    Attributes:
        name: Of the suite or the collection, without its folder.
        facts: What the run was made of.
        search: Settings in force.
        strategies: In the order they were asked for.
        problems: What kept the run from a full answer; each makes it inconclusive.
    """

    name: str
    facts: Mapping[str, Any]
    search: SearchConfig
    strategies: tuple[StrategyCalibration, ...]
    problems: tuple[str, ...] = ()

    @property
    def outcome(self) -> Outcome:
        """The one that stands for all strategies."""
        doubts = [Outcome.INCONCLUSIVE] if self.problems else []
        return combine([*(found.outcome for found in self.strategies), *doubts])

    @property
    def exit_code(self) -> int:
        """The outcome's exit code."""
        return self.outcome.exit_code

    @property
    def verdict(self) -> str:
        """The last line of every rendering."""
        worst = next((s for s in self.strategies if s.outcome is self.outcome), None)
        if self.outcome is Outcome.PASSED:
            names = ", ".join(found.strategy for found in self.strategies)
            return verdict_line(self.outcome, f"{names}: both promises are kept")
        if worst is not None:
            return verdict_line(self.outcome, f"{worst.strategy}: {worst.reason}")
        return verdict_line(self.outcome, self.problems[0])

    @property
    def usable(self) -> tuple[StrategyCalibration, ...]:
        """Those that may be applied: none when the run has problems."""
        if self.problems:
            return ()
        return tuple(found for found in self.strategies if found.outcome is Outcome.PASSED)

    def to_dict(self) -> dict[str, Any]:
        """The report in its published JSON shape."""
        return {
            "artifact_type": ARTIFACT_TYPE,
            "schema": REPORT_SCHEMA,
            "name": self.name,
            "outcome": self.outcome.value,
            "exit_code": self.exit_code,
            "verdict": self.verdict,
            "problems": list(self.problems),
            "facts": dict(self.facts),
            "strategies": [
                {
                    "strategy": found.strategy,
                    "outcome": found.outcome.value,
                    "reason": found.reason,
                    "n_uncovered": found.n_uncovered,
                    "fitted_on": fitted_on(found.strategy, self.facts, self.search),
                    **thresholds_dict(found.found),
                }
                for found in self.strategies
            ],
        }

    def to_calibration(self, before: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """What a search reads, with the thresholds that may be applied.

        Args:
            before: Entries by strategy that are there; those of other strategies stay.
        """
        entries = dict(before or {})
        for found in self.usable:
            reliable, candidate = found.found.promises
            entries[found.strategy] = {
                "reliable": reliable.fitted,
                "candidate": candidate.fitted,
                "fitted_on": fitted_on(found.strategy, self.facts, self.search),
                "promises": [_kept(promise) for promise in found.found.promises],
                "suite": self.name,
            }
        return {
            "artifact_type": CALIBRATION_TYPE,
            "schema": CALIBRATION_SCHEMA,
            "version": VERSION,
            "strategies": {name: entries[name] for name in sorted(entries)},
        }


def calibrate_subject(
    subject: Subject, settings: CalibrateSettings, *, progress: Progress | None = None
) -> CalibrationReport:
    """Fit thresholds on a subject's queries, and check them.

    Raises:
        InputError: Precisions that no label can promise.
    """
    settings.check()
    search = subject.inputs.settings.search
    strategies = tuple(dict.fromkeys(settings.strategies)) or (search.strategy,)
    problems = [*subject.problems]
    if settings.split is not None:
        new = settings.split.unknown(question.query_id for question in subject.questions)
        if new:
            problems.append(f"queries that the split does not know: {', '.join(new[:10])}")
    return CalibrationReport(
        name=subject.name,
        facts={
            # The configuration's hash covers the thresholds in force, which have no say here.
            **{k: v for k, v in subject.facts.items() if k != "configuration_hash"},
            "n_queries": len(subject.questions),
            "n_held_out": len(settings.split.held_out) if settings.split else None,
            "seed": settings.seed,
            "version": VERSION,
        },
        search=search,
        strategies=tuple(
            _calibrate(subject, strategy, settings, progress) for strategy in strategies
        ),
        problems=tuple(problems),
    )


def _calibrate(
    subject: Subject, strategy: str, settings: CalibrateSettings, progress: Progress | None
) -> StrategyCalibration:
    answers, n_uncovered = _first_hits(subject, strategy, progress)
    found = calibrate(
        answers,
        strategy=strategy,
        precisions=settings.precisions,
        seed=settings.seed,
        split=settings.split,
    )
    outcome, reason = _judge(found, subject.inputs.settings.search)
    return StrategyCalibration(found, n_uncovered, outcome, reason)


def _first_hits(
    subject: Subject, strategy: str, progress: Progress | None
) -> tuple[list[TopAnswer], int]:
    """The first hit of every query, by this strategy alone."""
    inputs = subject.inputs
    search = replace(inputs.settings.search, strategy=strategy, min_score=0.0)
    inputs = inputs._replace(settings=replace(inputs.settings, search=search))
    ranker = GridRanker(inputs, [point({})], plain=subject.plain, fallback=False)
    answers = []
    n_uncovered = 0
    for n_done, question in enumerate(subject.questions, 1):
        found = ranker.rank(question.text, 1)
        hits, trust = found.ranked(0), found.trust(0)
        right = subject.is_right(question.query_id, hits[0].doc_id) if hits else None
        if right is not None and trust is None:
            n_uncovered += 1
        elif right is not None and trust is not None:
            label = hits[0].confidence
            answers.append(TopAnswer(question.query_id, strategy, trust, label, right))
        if progress:
            progress(n_done, len(subject.questions))
    return answers, n_uncovered


def _judge(found: Thresholds, search: SearchConfig) -> tuple[Outcome, str]:
    """Whether thresholds may be applied, and why not."""
    if found.n_answers < 2 * MIN_ANSWERS:
        return Outcome.INCONCLUSIVE, (
            f"too few judged first hits: {found.n_answers}, and it takes {2 * MIN_ANSWERS} to fit "
            "and to check"
        )
    for promise in found.promises:
        if promise.is_broken:
            low, high = promise.observed.interval
            return Outcome.FAILED, (
                f"{promise.label} promised {promise.precision:g}, and on the other queries it is "
                f"{promise.observed.precision:.3f} [{low:.3f}, {high:.3f}]"
            )
    for promise in found.promises:
        if promise.fitted is None:
            return Outcome.INCONCLUSIVE, (
                f"{promise.precision:g} is out of reach for {promise.label}: the most that these "
                f"queries can promise is {promise.most:.2f}"
            )
        if promise.observed.n < MIN_ANSWERS:
            return Outcome.INCONCLUSIVE, (
                f"{promise.label} could not be checked: {promise.observed.n} of the other queries' "
                f"answers reach {promise.fitted:.4f}, and it takes {MIN_ANSWERS}"
            )
        if not promise.is_kept:
            return Outcome.INCONCLUSIVE, (
                f"{promise.label} promised {promise.precision:g}, and on the other queries it is "
                f"{promise.observed.precision:.3f}, which may be chance"
            )
    candidate = found.promises[-1].fitted
    if candidate is not None and search.min_score > candidate:
        return Outcome.INCONCLUSIVE, (
            f"min_score hides hits that would be candidate: {candidate:g} < {search.min_score:g}"
        )
    return Outcome.PASSED, ""


def _kept(promise: Promise) -> dict[str, Any]:
    return {
        "label": promise.label,
        "precision": promise.precision,
        "observed": promise.observed.precision,
        "n": promise.observed.n,
        "interval": list(promise.observed.interval),
    }
