"""What does tuning say?

Plain values, the finding, and the sentences behind it; text is made in
`memidx.evals.tuning_text`. Nothing here depends on the clock, the machine or the folder, so the
same queries over the same documents give the same bytes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from memidx.evals.choosing import Choice, Needed, equal_measures, region_of
from memidx.evals.grid_values import GridValues
from memidx.evals.outcome import Outcome
from memidx.evals.report import ARTIFACT_TYPE
from memidx.evals.statistics import ALPHA, fewest_differing, largest_unseen_share
from memidx.evals.thresholds import Bin, Promise, Thresholds
from memidx.search.kernels import LexicalParameters

TUNING_SCHEMA = "memidx.tuning-report/1"
Finding = Literal["non-differentiating", "keep", "change"]


@dataclass(frozen=True)
class TuningReport:
    """What tuning on one suite or collection says.

    Attributes:
        name: Of the suite or the collection, without its folder.
        facts: What the run was made of.
        measure: What decides.
        problems: What kept the run from a full answer; each makes it inconclusive.
    """

    name: str
    facts: Mapping[str, Any]
    measure: str
    values: GridValues
    choice: Choice
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
        """Mean by measure and point."""
        return {
            name: tuple(round(math.fsum(row) / len(row), 12) for row in rows)
            for name, rows in self.values.values.items()
        }

    @cached_property
    def n_differing(self) -> Mapping[str, int]:
        """By measure, queries that are not the same at all points."""
        return {
            name: sum(len(set(column)) > 1 for column in zip(*rows, strict=True))
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
        return "change" if self.choice.is_supported else "keep"

    @property
    def verdict(self) -> str:
        """The last line of every rendering."""
        current, best = self.point(self.choice.current), self.point(self.choice.best)
        said = {
            "non-differentiating": f"NON-DIFFERENTIATING (exit {self.exit_code}): these queries "
            f"do not tell the {len(self.means[self.measure])} points apart; nothing supports "
            f"leaving {show(current)}",
            "keep": f"KEEP (exit {self.exit_code}): nothing supports leaving {show(current)}",
            "change": f"CHANGE (exit {self.exit_code}): {show(best)} is better than "
            f"{show(current)}, also on queries that did not choose it",
        }[self.finding]
        return f"{said}; inconclusive: {self.problems[0]}" if self.problems else said

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why the finding is what it is, and what it would take to know more."""
        choice, n_queries = self.choice, len(self.values.query_ids)
        n_points = len(choice.means)
        said = []
        if self.thresholds.strategy == "vector":
            said.append("k1 and b have no part in the vector strategy: its points are one.")
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

    def point(self, number: int) -> LexicalParameters:
        """The point of that number."""
        return self.values.points[number]

    def to_dict(self) -> dict[str, Any]:
        """The report in its published JSON shape."""
        choice, checked = self.choice, self.choice.cross_validation
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
            "current": _point(self.point(choice.current)),
            "best": _point(self.point(choice.best)),
            "worst": _point(self.point(choice.worst)),
            "gain": _needed(choice.gain),
            "span": _needed(choice.span),
            "cross_validation": None
            if checked is None
            else {
                "mean": checked.mean,
                "gain": checked.gain,
                "interval": list(checked.interval),
                "folds": [
                    {"n_queries": fold.n_queries, **_point(self.point(fold.point))}
                    for fold in checked.folds
                ],
            },
            "plateau": {
                "region": self.plateau,
                "points": [_point(self.point(number)) for number in choice.plateau],
            },
            "n_differing": dict(self.n_differing),
            "equal_success": list(self.equal_success),
            "points": [
                {
                    **_point(point),
                    "means": {name: means[n] for name, means in self.means.items()},
                    "n_passed": self.values.n_passed[n] if self.values.n_passed else None,
                    "p_against_best": choice.p_values[n],
                }
                for n, point in enumerate(self.values.points)
            ],
            "thresholds": self._thresholds(),
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

    def _thresholds(self) -> dict[str, Any]:
        current, found = self.point(self.choice.current), self.thresholds
        return {
            "fitted_on": {
                "corpus": self.facts["corpus"],
                "analyzer_fingerprint": self.facts["analyzer_fingerprint"],
                "strategy": found.strategy,
                **_point(current),
            },
            "n_answers": found.n_answers,
            "n_fallback": found.n_fallback,
            "curve": [_bin(row) for row in found.curve],
            "published": [_bin(row) for row in found.published],
            "promises": [_promise(promise) for promise in found.promises],
        }


def show(point: LexicalParameters) -> str:
    """A point in words."""
    return f"k1 {point.k1:g} b {point.b:g}"


def _listed(names: tuple[str, ...] | list[str], word: str = "and") -> str:
    if len(names) == 1:
        return f"{names[0]}" if word == "or" else f"{names[0]} is"
    listed = f"{', '.join(names[:-1])} {word} {names[-1]}"
    return listed if word == "or" else f"{listed} are"


def _point(point: LexicalParameters) -> dict[str, float]:
    return {"k1": point.k1, "b": point.b}


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


def _bin(row: Bin) -> dict[str, Any]:
    return {
        "at_or_above": row.name,
        "n": row.n,
        "n_right": row.n_right,
        "share": row.share,
        "precision": row.precision,
        "interval": list(row.interval),
    }


def _promise(promise: Promise) -> dict[str, Any]:
    return {
        "label": promise.label,
        "precision": promise.precision,
        "fitted": promise.fitted,
        "on_fitted": _bin(promise.on_fitted),
        "observed": _bin(promise.observed),
        "is_kept": promise.is_kept,
        "threshold": promise.threshold,
        "on_all": _bin(promise.on_all),
    }
