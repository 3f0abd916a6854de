"""Above which relevance can the first hit be trusted?

For answers of one strategy over one corpus: how many there are at or above each relevance, and
how many of those are right; the lowest relevance at which a wanted precision is held; and whether
what one half of the queries promises is kept on the other half. Pure. Rules: docs/tuning.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memidx.config import SearchConfig
from memidx.evals.choosing import folds_of
from memidx.evals.grid_values import TopAnswer
from memidx.evals.splits import Split
from memidx.evals.statistics import Interval, wilson_interval
from memidx.search.calibrated import FITTED_ON

PRECISIONS = (0.9, 0.5)
# A precision is promised where its lower bound reaches it: one-sided, at this confidence.
CONFIDENCE = 0.8
MIN_ANSWERS = 10
# How often the queries are halved anew to see how promises fare on the other half.
HALVINGS = 100
_STEPS = 20
_LABELS = ("reliable", "candidate")


@dataclass(frozen=True, slots=True)
class Bin:
    """Answers at or above a threshold: how many, how many right."""

    name: str
    n: int
    n_right: int
    n_answers: int

    @property
    def share(self) -> float:
        """Of all answers, 0..1."""
        return self.n / self.n_answers if self.n_answers else 0.0

    @property
    def precision(self) -> float | None:
        """Share of right ones, 0..1; None without any answer."""
        return self.n_right / self.n if self.n else None

    @property
    def interval(self) -> Interval:
        """95 % interval of the precision."""
        return wilson_interval(self.n_right, self.n)


@dataclass(frozen=True, slots=True)
class Halvings:
    """What becomes of a promise when the queries are halved again and again.

    Attributes:
        n: Halvings; in `n_fitted` of them one half gave a threshold that the other could check.
        n_kept: In so many the other half was at least as precise.
        observed: Mean precision of the other half, 0..1; None where `n_fitted` is 0.
    """

    n: int
    n_fitted: int
    n_kept: int
    observed: float | None


@dataclass(frozen=True, slots=True)
class Promise:
    """A wanted precision, and what becomes of it.

    Attributes:
        precision: What is wanted, 0..1.
        fitted: Threshold that one half of the queries gives (with a split, those to choose on);
            None where it is out of reach.
        on_fitted: That half, at or above it.
        observed: The other half, at or above it.
        threshold: What all queries give; None where it is out of reach.
        on_all: All answers, at or above that.
        most: The largest precision that the fitting half can promise, 0..1.
        halvings: The promise on other halves.
    """

    label: str
    precision: float
    fitted: float | None
    on_fitted: Bin
    observed: Bin
    threshold: float | None
    on_all: Bin
    most: float
    halvings: Halvings

    @property
    def is_broken(self) -> bool:
        """Whether the other half says that the precision is lower, and that is not chance."""
        return self.observed.n > 0 and self.observed.interval.high < self.precision

    @property
    def is_kept(self) -> bool | None:
        """Whether the other half is at least as precise; None where nothing can be said."""
        if self.fitted is None or self.observed.precision is None:
            return None
        return self.observed.precision >= self.precision


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What relevance says about the first hit.

    Attributes:
        curve: By threshold, ascending; only those that leave fewer answers than the one before.
        published: First hits that the published label calls reliable, then candidate or better.
        n_fallback: Answers that another strategy ranked; they take no part.
    """

    strategy: str
    n_answers: int
    n_fallback: int
    curve: tuple[Bin, ...]
    published: tuple[Bin, ...]
    promises: tuple[Promise, ...]


def calibrate(
    top: Sequence[TopAnswer],
    *,
    strategy: str,
    precisions: Sequence[float],
    seed: int,
    split: Split | None = None,
) -> Thresholds:
    """Fit thresholds, and check them.

    Args:
        top: First hits.
        strategy: Whose thresholds.
        precisions: Wanted, for `reliable` and then `candidate`.
        seed: Decides which queries fit and which check, without a split.
        split: Which queries fit and which check.
    """
    answers = [answer for answer in top if answer.strategy == strategy]
    fitting, checking = _halves(answers, seed)
    if split is not None:
        held_out, tuning = set(split.held_out), set(split.tuning)
        fitting = [answer for answer in answers if answer.query_id in tuning]
        checking = [answer for answer in answers if answer.query_id in held_out]
    promises = []
    for label, precision in zip(_LABELS, precisions, strict=False):
        fitted, threshold = fit(fitting, precision), fit(answers, precision)
        promises.append(
            Promise(
                label=label,
                precision=precision,
                fitted=fitted,
                on_fitted=_above(fitting, fitted),
                observed=_above(checking, fitted),
                threshold=threshold,
                on_all=_above(answers, threshold),
                most=most_promised(fitting),
                halvings=_halve(answers, precision, seed),
            )
        )
    steps = [_above(answers, step / _STEPS) for step in range(_STEPS)]
    reliable = [a for a in answers if a.label == "reliable"]
    known = [a for a in answers if a.label != "weak"]
    return Thresholds(
        strategy=strategy,
        n_answers=len(answers),
        n_fallback=len(top) - len(answers),
        curve=tuple(
            row for n, row in enumerate(steps) if row.n and (n == 0 or row.n < steps[n - 1].n)
        ),
        published=tuple(
            Bin(name, len(chosen), sum(a.is_right for a in chosen), len(answers))
            for name, chosen in (("reliable", reliable), ("candidate or better", known))
        ),
        promises=tuple(promises),
    )


def fit(answers: Sequence[TopAnswer], precision: float) -> float | None:
    """The lowest relevance at or above which answers are right often enough.

    Often enough: at least `MIN_ANSWERS` answers, and the lower end of the Wilson interval, taken
    one-sided at `CONFIDENCE`, reaches the precision. The share alone does not do: the lowest
    threshold whose share happens to reach it is one of many, and keeps its promise less often
    than not.
    """
    found = None
    for n, n_right, relevance in _steps(answers):
        if n >= MIN_ANSWERS and _lower_bound(n_right, n) >= precision:
            # Cut, not rounded, so that the printed figure is the threshold and takes these in.
            found = math.floor(relevance * 10_000) / 10_000
    return found


def most_promised(answers: Sequence[TopAnswer]) -> float:
    """The largest precision that some threshold can promise, 0..1; 0 with too few answers."""
    bounds = (_lower_bound(right, n) for n, right, _ in _steps(answers) if n >= MIN_ANSWERS)
    return max(bounds, default=0.0)


def fitted_on(strategy: str, facts: Mapping[str, Any], search: SearchConfig) -> dict[str, Any]:
    """What thresholds of a strategy hold for, and mean nothing without."""
    return {
        "corpus": facts["corpus"],
        "n_docs": facts["n_docs"],
        "analyzer_fingerprint": facts["analyzer_fingerprint"],
        "strategy": strategy,
        **{key: getattr(search, key) for key in FITTED_ON[strategy]},
    }


def thresholds_dict(found: Thresholds) -> dict[str, Any]:
    """Thresholds as JSON values."""
    return {
        "n_answers": found.n_answers,
        "n_fallback": found.n_fallback,
        "curve": [_bin(row) for row in found.curve],
        "published": [_bin(row) for row in found.published],
        "promises": [_promise(promise) for promise in found.promises],
    }


def _steps(answers: Sequence[TopAnswer]) -> Iterator[tuple[int, int, float]]:
    """At each possible threshold, from the top: how many answers, how many right, and where."""
    n_right = 0
    ordered = sorted(answers, key=lambda answer: -answer.relevance)
    for n, answer in enumerate(ordered, 1):
        n_right += answer.is_right
        if n < len(ordered) and ordered[n].relevance == answer.relevance:
            continue  # a threshold takes all equal ones or none
        yield n, n_right, answer.relevance


def _lower_bound(n_right: int, n: int) -> float:
    return wilson_interval(n_right, n, 2.0 * CONFIDENCE - 1.0).low


def _halves(answers: Sequence[TopAnswer], seed: int) -> tuple[list[TopAnswer], list[TopAnswer]]:
    side_of = folds_of([answer.query_id for answer in answers], 2, seed)
    first = [answer for answer, side in zip(answers, side_of, strict=True) if side == 0]
    return first, [answer for answer, side in zip(answers, side_of, strict=True) if side == 1]


def _halve(answers: Sequence[TopAnswer], precision: float, seed: int) -> Halvings:
    observed = []
    for n in range(HALVINGS):
        fitting, checking = _halves(answers, seed + n)
        seen = _above(checking, fit(fitting, precision))
        if seen.precision is not None:
            observed.append(seen.precision)
    return Halvings(
        n=HALVINGS,
        n_fitted=len(observed),
        n_kept=sum(share >= precision for share in observed),
        observed=math.fsum(observed) / len(observed) if observed else None,
    )


def _above(answers: Sequence[TopAnswer], threshold: float | None) -> Bin:
    chosen = [a for a in answers if threshold is not None and a.relevance >= threshold]
    name = "–" if threshold is None else f"{threshold:.4f}"
    return Bin(name, len(chosen), sum(answer.is_right for answer in chosen), len(answers))


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
        "most": promise.most,
        "halvings": {
            "n": promise.halvings.n,
            "n_fitted": promise.halvings.n_fitted,
            "n_kept": promise.halvings.n_kept,
            "observed": promise.halvings.observed,
        },
    }
