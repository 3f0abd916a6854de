"""Which settings does a suite or a collection support?

Ranks every query at every point from one snapshot, judges the grid on one measure, asks queries
kept aside and other corpora whether the choice holds, and fits thresholds at the current setting.
Nothing is applied: a report has the lines that a person may copy. Rules: docs/tuning.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memidx.documents import Document
from memidx.errors import ConfigError, InputError
from memidx.evals.choosing import Choice, choose
from memidx.evals.grid_values import Progress, depth_of, grid_values
from memidx.evals.robustness import BOOTSTRAP_DRAWS, Perturbed, bootstrap_choice, perturb
from memidx.evals.splits import Split
from memidx.evals.statistics import bootstrap_interval, paired_randomization
from memidx.evals.subject import Subject, Tunable, subject_of_collection, subject_of_suite
from memidx.evals.suite import Suite
from memidx.evals.thresholds import PRECISIONS, calibrate
from memidx.evals.tuning_report import HeldOut, Refused, TuningReport
from memidx.search.grid_ranker import GridRanker
from memidx.search.labels import check_threshold
from memidx.search.points import Point, current_point, settings_at
from memidx.search.ranking import RankInputs
from memidx.version import VERSION

SHOWN_MEASURES = ("nDCG@10", "RR@10", "Success@1", "Success@3")
# Points that are looked at on another corpus: the current one and the best.
_LOOKED_AT = 10


@dataclass(frozen=True, slots=True)
class TuneSettings:
    """How a grid is judged.

    Attributes:
        points: The grid; the current setting is added where it is not one of them.
        measure: What decides.
        n_folds: Of the cross-validation, >= 2.
        seed: Of folds, halves and draws.
        precisions: Wanted of `reliable`, and of `candidate`, each above 0 and below 1.
        split: Queries kept aside; None for none.
        n_perturbed: Corpora with fewer documents, and as many with more, that are tried.
    """

    points: tuple[Point, ...]
    measure: str = "nDCG@10"
    strategy: str | None = None
    n_folds: int = 5
    seed: int = 0
    precisions: tuple[float, ...] = PRECISIONS
    split: Split | None = None
    n_perturbed: int = 1

    @property
    def measures(self) -> tuple[str, ...]:
        """What is computed: the measure that decides, and those beside it."""
        return tuple(dict.fromkeys([self.measure, *SHOWN_MEASURES]))

    def check(self) -> None:
        """Refuse what cannot be judged.

        Raises:
            InputError: With what is expected.
        """
        depth_of(self.measure)
        if self.n_folds < 2:
            raise InputError("too few folds", expected="at least 2", found=str(self.n_folds))
        check_precisions(self.precisions)


def check_precisions(precisions: Sequence[float]) -> None:
    """Refuse precisions that no label can have.

    Raises:
        InputError: With what is expected.
    """
    if not 1 <= len(precisions) <= 2:
        expected = "one, or two: for reliable, then for candidate"
        raise InputError("so many precisions have no label", expected=expected)
    for precision in precisions:
        if not 0.0 < precision < 1.0:
            expected = "a number between 0 and 1"
            raise InputError("not a precision", expected=expected, found=str(precision))
    if list(precisions) != sorted(precisions, reverse=True):
        expected = "reliable hits to be right at least as often as candidates"
        raise InputError("the precisions are the wrong way round", expected=expected)


def tune_collection(
    folder: str,
    settings: TuneSettings,
    *,
    analyzer: str = "default",
    progress: Progress | None = None,
) -> TuningReport:
    """Tune on a collection in BEIR layout, against memidx's defaults.

    Args:
        folder: The collection.
        settings: How.
        analyzer: Name of an analyzer.
        progress: Told after each query.

    Raises:
        InputError: Settings that cannot be used.
        SuiteError: The collection cannot be used.
    """
    settings.check()
    return tune(subject_of_collection(folder, analyzer=analyzer), settings, progress=progress)


def tune_suite(
    suite: Suite, index: Tunable, settings: TuneSettings, *, progress: Progress | None = None
) -> TuningReport:
    """Tune on a suite, against the index's own configuration.

    Args:
        suite: As read.
        index: An open index; it is refreshed first, in memory only.
        settings: How.
        progress: Told after each query.

    Raises:
        InputError: Settings that cannot be used.
        SuiteError: No query has relevant items, so that no measure is defined.
    """
    settings.check()
    subject = subject_of_suite(suite, index, strategy=settings.strategy)
    return tune(subject, settings, progress=progress)


def tune(
    subject: Subject, settings: TuneSettings, *, progress: Progress | None = None
) -> TuningReport:
    """Judge the grid on a subject.

    Raises:
        InputError: A point is about a source that there is not, or no query is left to choose on.
    """
    inputs = _with_strategy(subject.inputs, settings.strategy)
    points, refused, at = _usable(inputs, settings.points)
    ranker = GridRanker(inputs, points, plain=subject.plain)
    values = grid_values(
        ranker,
        subject.questions,
        settings.measures,
        current=at,
        is_right=subject.is_right,
        progress=progress,
    )
    table = values.values[settings.measure]
    chosen_on, held_out = _sides(values.query_ids, settings.split)
    ids = [values.query_ids[q] for q in chosen_on]
    choice = choose(
        points,
        ids,
        [[row[q] for q in chosen_on] for row in table],
        current=at,
        n_folds=settings.n_folds,
        seed=settings.seed,
    )
    problems = [*subject.problems]
    if settings.split is not None and (new := settings.split.unknown(values.query_ids)):
        problems.append(
            f"queries that the split does not know, left out: {', '.join(new[:10])} "
            "(--hold-out deals them)"
        )
    return TuningReport(
        name=subject.name,
        facts={
            **subject.facts,
            "strategy": ranker.strategy,
            "measure": settings.measure,
            "n_queries": len(values.query_ids),
            "n_chosen_on": len(chosen_on),
            "n_held_out": len(held_out),
            "n_points": len(values.points),
            "n_folds": settings.n_folds,
            "n_draws": BOOTSTRAP_DRAWS,
            "seed": settings.seed,
            "version": VERSION,
        },
        measure=settings.measure,
        search=inputs.settings.search,
        values=values,
        chosen_on=chosen_on,
        choice=choice,
        held_out=_check(table, choice, held_out, settings.seed),
        stability=bootstrap_choice(
            [[row[q] for q in chosen_on] for row in table],
            current=at,
            best=choice.best,
            seed=settings.seed,
        ),
        perturbed=_perturb(subject, inputs, settings, choice, points),
        refused=refused,
        thresholds=calibrate(
            values.top,
            strategy=ranker.strategy,
            precisions=settings.precisions,
            seed=settings.seed,
            split=settings.split,
        ),
        problems=tuple(problems),
    )


def _with_strategy(inputs: RankInputs, strategy: str | None) -> RankInputs:
    if strategy is None:
        return inputs
    search = replace(inputs.settings.search, strategy=strategy)
    return inputs._replace(settings=replace(inputs.settings, search=search))


def _usable(
    inputs: RankInputs, wanted: Sequence[Point]
) -> tuple[tuple[Point, ...], tuple[Refused, ...], int]:
    """The points an index would open with, those it would refuse, and where the current one is."""
    current = current_point(wanted[0].axes, inputs.settings)
    usable, refused = [], []
    for at in dict.fromkeys([*wanted, current]):
        search = settings_at(at, inputs.settings).search
        try:
            if search.lexical_weight + search.vector_weight == 0.0:
                raise ConfigError("lexical_weight and vector_weight are both 0")
            check_threshold(search)
        except ConfigError as error:
            refused.append(Refused(at, error.what))
        else:
            usable.append(at)
    if current not in usable:
        # Only a strategy that was asked for can have it: no index opens with such a setting.
        raise InputError(f"the current setting is refused: {refused[-1].reason}")
    usable.sort(
        key=lambda at: tuple((str(v), 0.0) if isinstance(v, str) else ("", v) for _, v in at.values)
    )
    return tuple(usable), tuple(refused), usable.index(current)


def _sides(query_ids: Sequence[str], split: Split | None) -> tuple[list[int], list[int]]:
    """Numbers of the queries to choose on, and of those to check with."""
    if split is None:
        return list(range(len(query_ids))), []
    held_out, tuning = set(split.held_out), set(split.tuning)
    chosen_on = [n for n, query_id in enumerate(query_ids) if query_id in tuning]
    if not chosen_on:
        raise InputError(
            f"the split of {split.name} leaves no query to choose on",
            hint="--hold-out a smaller share, or add queries",
        )
    return chosen_on, [n for n, query_id in enumerate(query_ids) if query_id in held_out]


def _check(
    table: Sequence[Sequence[float]], choice: Choice, held_out: Sequence[int], seed: int
) -> HeldOut | None:
    """What the choice gains on queries kept aside."""
    if not held_out:
        return None
    best = [table[choice.best][q] for q in held_out]
    gains = [value - table[choice.current][q] for value, q in zip(best, held_out, strict=True)]
    return HeldOut(
        promised=choice.gain.test.gain,
        mean=sum(best) / len(best),
        test=paired_randomization(gains, seed=seed),
        interval=bootstrap_interval(gains, seed=seed),
    )


def _perturb(
    subject: Subject,
    inputs: RankInputs,
    settings: TuneSettings,
    choice: Choice,
    points: Sequence[Point],
) -> tuple[Perturbed, ...]:
    order = sorted(range(len(points)), key=lambda n: (-choice.means[n], n))
    looked_at = list(dict.fromkeys([choice.current, choice.best, *order]))[:_LOOKED_AT]
    if not settings.n_perturbed:
        return ()
    from memidx.collection import index_documents  # indexing pulls in all that a search needs

    def measure_points(documents: Sequence[Document]) -> Sequence[Sequence[float]]:
        snapshot = index_documents(documents, inputs.analyzer)
        ranker = GridRanker(
            inputs._replace(snapshot=snapshot), [points[n] for n in looked_at], plain=subject.plain
        )
        asked = [replace(q, passes=None) for q in subject.questions if q.relevant]
        found = grid_values(
            ranker, asked, [settings.measure], current=0, is_right=lambda query_id, doc_id: None
        )
        chosen_on, _ = _sides(found.query_ids, settings.split)
        return [[row[q] for q in chosen_on] for row in found.values[settings.measure]]

    return perturb(
        list(subject.documents()),
        subject.judged,
        measure_points,
        looked_at=looked_at,
        current=choice.current,
        best=choice.best,
        n_times=settings.n_perturbed,
        seed=settings.seed,
    )
