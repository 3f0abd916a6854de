"""What does tuning say?

Plain values, the finding, and the sentences behind it; text is made in
`memidx.evals.tuning_text`. Nothing here depends on the clock, the machine or the folder, so the
same queries over the same documents give the same bytes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from memidx.config import SearchConfig
from memidx.evals.choosing import Choice, CrossValidation, Needed, equal_measures, region_of
from memidx.evals.grid_values import GridValues
from memidx.evals.outcome import Outcome
from memidx.evals.report import ARTIFACT_TYPE
from memidx.evals.robustness import Perturbed, Stability
from memidx.evals.statistics import (
    ALPHA,
    Interval,
    PairedTest,
    fewest_differing,
    largest_unseen_share,
)
from memidx.evals.thresholds import Thresholds, fitted_on, thresholds_dict
from memidx.search.points import Point

TUNING_SCHEMA = "memidx.tuning-report/2"
Finding = Literal["non-differentiating", "keep", "change"]


# Axes that a strategy does not look at; `fusion` and its weights are a hybrid's alone.
_UNUSED = {
    "vector": ("k1", "b", "title_weight", "lexical_weight", "vector_weight", "fusion"),
    "lexical": ("lexical_weight", "vector_weight", "fusion"),
    "hybrid": (),
}


@dataclass(frozen=True, slots=True)
class Refused:
    """A point that no index opens with, and why; it was not looked at."""

    point: Point
    reason: str


@dataclass(frozen=True, slots=True)
class HeldOut:
    """The choice on queries that were kept aside.

    Attributes:
        promised: Gain of the best point on the queries that chose it.
        mean: Of the measure at the best point, here.
        test: The best against the current setting, here; `interval` is the gain's, 95 %.
    """

    promised: float
    mean: float
    test: PairedTest
    interval: Interval


@dataclass(frozen=True)
class TuningReport:
    """What tuning on one suite or collection says.

    Attributes:
        name: Of the suite or the collection, without its folder.
        facts: What the run was made of.
        measure: What decides.
        search: Settings in force.
        values: At all points, of all queries that can be judged.
        chosen_on: Numbers of the queries that `choice` is about; the means shown are theirs.
        held_out: The choice on the others; None without a split.
        stability: What draws of the queries would have chosen.
        perturbed: The choice on corpora with fewer and with more documents.
        refused: Points that were left out.
        problems: What kept the run from a full answer; each makes it inconclusive.
    """

    name: str
    facts: Mapping[str, Any]
    measure: str
    search: SearchConfig
    values: GridValues
    chosen_on: Sequence[int]
    choice: Choice
    held_out: HeldOut | None
    stability: Stability
    perturbed: tuple[Perturbed, ...]
    refused: tuple[Refused, ...]
    thresholds: Thresholds
    problems: tuple[str, ...] = ()

    @property
    def outcome(self) -> Outcome:
        """`PASSED`: whatever the finding, it is an answer. `INCONCLUSIVE` beside a problem."""
        return Outcome.INCONCLUSIVE if self.problems else Outcome.PASSED

    @property
    def exit_code(self) -> int:
        """The outcome's exit code."""
        return self.outcome.exit_code

    @cached_property
    def means(self) -> Mapping[str, tuple[float, ...]]:
        """Mean by measure and point, over the queries that are chosen on."""
        return {
            name: tuple(
                round(math.fsum(row[q] for q in self.chosen_on) / len(self.chosen_on), 12)
                for row in rows
            )
            for name, rows in self.values.values.items()
        }

    @cached_property
    def n_differing(self) -> Mapping[str, int]:
        """By measure, queries that are not the same at all points."""
        return {
            name: sum(len({row[q] for row in rows}) > 1 for q in self.chosen_on)
            for name, rows in self.values.values.items()
        }

    @property
    def equal_success(self) -> tuple[str, ...]:
        """Success measures with one mean at all points, if that is all of them; else none."""
        names = [name for name in self.means if name.startswith("Success@")]
        equal = list(equal_measures(self.means, names))
        if self.values.n_passed:
            names.append("passed")
            if len(set(self.values.n_passed)) == 1:
                equal.append("passed")
        return tuple(names) if equal == names else ()

    @property
    def finding(self) -> Finding:
        """What a person should take from it; nothing acts on it."""
        if self.equal_success or self.choice.is_flat:
            return "non-differentiating"
        return "change" if self.choice.is_supported and self.holds else "keep"

    @property
    def holds(self) -> bool:
        """Whether the best is ahead on the queries kept aside and on every other corpus too."""
        checked = self.held_out is None or self.held_out.test.gain > 0.0
        return checked and all(other.gain > 0.0 for other in self.perturbed)

    @property
    def verdict(self) -> str:
        """The last line of every rendering."""
        current, best = self.point(self.choice.current), self.point(self.choice.best)
        said = {
            "non-differentiating": f"NON-DIFFERENTIATING (exit {self.exit_code}): these queries "
            f"do not tell the {len(self.means[self.measure])} points apart; nothing supports "
            f"leaving {current}",
            "keep": f"KEEP (exit {self.exit_code}): nothing supports leaving {current}",
            "change": f"CHANGE (exit {self.exit_code}): {best} is better than "
            f"{current}, also on queries that did not choose it",
        }[self.finding]
        return f"{said}; inconclusive: {self.problems[0]}" if self.problems else said

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why the finding is what it is, and what it would take to know more."""
        choice, n_queries = self.choice, len(self.chosen_on)
        n_points = len(choice.means)
        said = []
        axes, strategy = self.point(choice.current).axes, self.thresholds.strategy
        unused = [axis for axis in axes if axis in _UNUSED[strategy] and "strategy" not in axes]
        if unused:
            names = unused[0] if len(unused) == 1 else _joined(unused)
            verb = "has" if len(unused) == 1 else "have"
            one = ": its points are one" if len(unused) == len(axes) else ""
            said.append(f"{names} {verb} no part in the {strategy} strategy{one}.")
        if self.equal_success:
            said.append(f"{_listed(self.equal_success)} equal at all {n_points} points.")
        said.append(
            f"Queries whose {self.measure} is not the same at all points: "
            f"{self.n_differing[self.measure]} of {n_queries}."
        )
        if choice.is_flat:
            said.append(
                f"No point differs significantly from the best in {self.measure} "
                f"(smallest adjusted p {min(choice.p_values):.4f})."
            )
        else:
            n_worse = n_points - len(choice.plateau)
            said.append(f"{n_worse} of {n_points} points are significantly worse than the best.")
        if choice.best == choice.current:
            said.append("The current setting is the best point.")
        else:
            said.append(self._needed("The best against the current setting", choice.gain))
        if choice.worst not in (choice.best, choice.current):
            said.append(self._needed("The best against the worst point", choice.span))
        if choice.is_supported and not self.holds:
            said.append(
                "The gain is not kept on queries that were held out, or on a corpus with fewer or "
                "more unrelated documents."
            )
        if self.refused:
            first = self.refused[0]
            said.append(
                f"Points refused, and left out: {len(self.refused)}; the first is {first.point}: "
                f"{first.reason}."
            )
        silent = [
            name
            for name in self.equal_success
            if name in self.n_differing and not self.n_differing[name]
        ]
        if silent:
            share = largest_unseen_share(n_queries)
            least = math.ceil(fewest_differing() / share)
            said.append(
                f"No query changes its {_listed(silent, 'or')}: with {n_queries} queries, up to "
                f"{share:.0%} of all could (95 % bound), and at least {fewest_differing()} that "
                f"change, all one way, are needed for p <= {ALPHA:g}: {least} queries at the "
                "very least."
            )
        return tuple(said)

    @property
    def plateau(self) -> str:
        """The plateau as a region."""
        return region_of(self.values.points, self.choice.plateau)

    def point(self, number: int) -> Point:
        """The point of that number."""
        return self.values.points[number]

    def to_dict(self) -> dict[str, Any]:
        """The report in its published JSON shape."""
        choice = self.choice
        return {
            "artifact_type": ARTIFACT_TYPE,
            "schema": TUNING_SCHEMA,
            "name": self.name,
            "finding": self.finding,
            "outcome": self.outcome.value,
            "exit_code": self.exit_code,
            "verdict": self.verdict,
            "reasons": list(self.reasons),
            "problems": list(self.problems),
            "facts": dict(self.facts),
            "current": self.point(choice.current).to_dict(),
            "best": self.point(choice.best).to_dict(),
            "worst": self.point(choice.worst).to_dict(),
            "gain": _needed(choice.gain),
            "span": _needed(choice.span),
            "cross_validation": self._folds(choice.cross_validation),
            "nested": self._folds(choice.nested),
            "held_out": None if self.held_out is None else _held_out(self.held_out),
            "bootstrap": {
                "n_draws": self.stability.n_draws,
                "ahead": self.stability.ahead,
                "winners": [
                    {"share": share, **self.point(number).to_dict()}
                    for number, share in self.stability.winners
                ],
            },
            "perturbed": [
                {
                    "change": other.change,
                    "n_docs": other.n_docs,
                    "gain": other.gain,
                    "winner": self.point(other.winner).to_dict(),
                }
                for other in self.perturbed
            ],
            "refused": [
                {**refused.point.to_dict(), "reason": refused.reason} for refused in self.refused
            ],
            "plateau": {
                "region": self.plateau,
                "points": [self.point(number).to_dict() for number in choice.plateau],
            },
            "n_differing": dict(self.n_differing),
            "equal_success": list(self.equal_success),
            "points": [
                {
                    **point.to_dict(),
                    "means": {name: means[n] for name, means in self.means.items()},
                    "n_passed": self.values.n_passed[n] if self.values.n_passed else None,
                    "p_against_best": choice.p_values[n],
                }
                for n, point in enumerate(self.values.points)
            ],
            "thresholds": {
                "fitted_on": fitted_on(self.thresholds.strategy, self.facts, self.search),
                **thresholds_dict(self.thresholds),
            },
        }

    def _needed(self, what: str, needed: Needed) -> str:
        test = needed.test
        how = "exact" if test.exact else f"{test.n_draws:,} draws"
        said = (
            f"{what}: {test.gain:+.4f} {self.measure}, {test.n_differing} of {test.n_queries} "
            f"queries differ, p = {test.p:.4f} ({how})"
        )
        if needed.n_queries is None:
            return f"{said}: there is no difference to see."
        said += f"; seeing such a difference at 80 % power takes {needed.n_queries:,} such queries"
        if test.n_differing < fewest_differing():
            said += f", and no p <= {ALPHA:g} is possible before {fewest_differing()} differ"
        return f"{said}."

    def _folds(self, checked: CrossValidation | None) -> dict[str, Any] | None:
        if checked is None:
            return None
        return {
            "mean": checked.mean,
            "gain": checked.gain,
            "interval": list(checked.interval),
            "folds": [
                {"n_queries": fold.n_queries, **self.point(fold.point).to_dict()}
                for fold in checked.folds
            ],
        }


def _held_out(found: HeldOut) -> dict[str, Any]:
    return {
        "promised": found.promised,
        "mean": found.mean,
        "gain": found.test.gain,
        "interval": list(found.interval),
        "n_queries": found.test.n_queries,
        "n_differing": found.test.n_differing,
        "p": found.test.p,
    }


def _joined(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _listed(names: tuple[str, ...] | list[str], word: str = "and") -> str:
    if len(names) == 1:
        return f"{names[0]}" if word == "or" else f"{names[0]} is"
    listed = f"{', '.join(names[:-1])} {word} {names[-1]}"
    return listed if word == "or" else f"{listed} are"


def _needed(needed: Needed) -> dict[str, Any]:
    test = needed.test
    return {
        "gain": test.gain,
        "n_queries": test.n_queries,
        "n_differing": test.n_differing,
        "p": test.p,
        "exact": test.exact,
        "n_needed": needed.n_queries,
    }
