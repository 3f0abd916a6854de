"""Which k1 and b does a suite or a collection support, and which thresholds?

Ranks every query at every point from one snapshot, judges the grid on one measure, and fits
thresholds at the current setting. Nothing is applied: a report has the lines that a person may
copy. Rules: docs/tuning.md.
"""

from __future__ import annotations

import os.path
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from memidx.config import SearchConfig
from memidx.errors import InputError, SuiteError
from memidx.evals.beir import Collection, load_collection
from memidx.evals.choosing import choose
from memidx.evals.collection import collection_hash
from memidx.evals.disk import on_disk
from memidx.evals.gate import is_measured
from memidx.evals.grid_values import GridValues, Progress, Question, depth_of, grid_values
from memidx.evals.judge import judge, relevant_items
from memidx.evals.measures import DEPTH
from memidx.evals.patterns import Resolver
from memidx.evals.run import NO_TIMES, Searchable, evaluate
from memidx.evals.suite import GoldenQuery, Suite
from memidx.evals.thresholds import PRECISIONS, calibrate
from memidx.evals.tuning_report import TuningReport
from memidx.search.grid import GridRanker
from memidx.search.kernels import LexicalParameters
from memidx.search.ranking import RankInputs
from memidx.version import VERSION

SHOWN_MEASURES = ("nDCG@10", "RR@10", "Success@1", "Success@3")


@dataclass(frozen=True, slots=True)
class TuneSettings:
    """How a grid is judged.

    Attributes:
        points: The grid; the current setting is added where it is not one of them.
        measure: What decides.
        n_folds: Of the cross-validation, >= 2.
        seed: Of folds, halves and draws.
        precisions: Wanted of `reliable`, and of `candidate`, each above 0 and below 1.
    """

    points: tuple[LexicalParameters, ...]
    measure: str = "nDCG@10"
    strategy: str | None = None
    n_folds: int = 5
    seed: int = 0
    precisions: tuple[float, ...] = PRECISIONS

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
        if not 1 <= len(self.precisions) <= 2:
            expected = "one, or two: for reliable, then for candidate"
            raise InputError("so many precisions have no label", expected=expected)
        for precision in self.precisions:
            if not 0.0 < precision < 1.0:
                expected = "a number between 0 and 1"
                raise InputError("not a precision", expected=expected, found=str(precision))


class Tunable(Searchable, Protocol):
    """What tuning asks of an index, beside what an evaluation does."""

    @property
    def root(self) -> str | None: ...  # noqa: D102
    def rank_inputs(self, as_of: str | None = None) -> RankInputs: ...  # noqa: D102


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
    # Indexing pulls in all that a search needs; reading a collection does not.
    from memidx.collection import CollectionIndex

    settings.check()
    collection = load_collection(folder)
    index = CollectionIndex(collection.documents, analyzer=analyzer)
    inputs = index.rank_inputs()
    ranker, current = _ranker(inputs, settings, plain=True)
    values = grid_values(
        ranker,
        _collection_questions(collection),
        settings.measures,
        current=current,
        is_right=lambda query_id, doc_id: collection.qrels[query_id].get(doc_id, 0) > 0,
        progress=progress,
    )
    facts = {
        "corpus": collection_hash(collection),
        "n_docs": len(collection.documents),
        "analyzer": analyzer,
        "analyzer_fingerprint": index.fingerprint,
    }
    name = os.path.basename(os.path.abspath(folder))
    return _report(name, facts, settings, ranker, values, current)


def tune_suite(
    suite: Suite, index: Tunable, settings: TuneSettings, *, progress: Progress | None = None
) -> TuningReport:
    """Tune on a suite, against the index's own configuration.

    The suite is evaluated first: queries that are inconclusive there say nothing here either.

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
    before = evaluate(
        suite,
        index,
        strategy=settings.strategy,
        on_disk=None if index.root is None else on_disk(index.root),
    )
    doubtful = [result.query_id for result in before.queries if result.status == "inconclusive"]
    queries = {
        query.query_id: query
        for query, result in zip(suite.queries, before.queries, strict=True)
        if result.status != "inconclusive"
    }
    if not any(map(is_measured, queries.values())):
        raise SuiteError(
            "no query that can be judged has relevant items: there is nothing to tune on",
            path=suite.file,
            expected="expect_paths or top1",
            hint=f"memidx eval {suite.file} --lint",
        )
    resolver = Resolver(index.catalog())
    inputs = index.rank_inputs(before.facts["as_of"] or NO_TIMES)
    ranker, current = _ranker(inputs, settings, plain=False)

    def is_right(query_id: str, doc_id: str) -> bool | None:
        query = queries[query_id]
        if query.expect_empty:
            return False
        wanted = [pattern for entry in query.expectations for pattern in entry.any_of]
        return doc_id in resolver.any_of(wanted) if wanted else None

    values = grid_values(
        ranker,
        [_suite_question(query, resolver) for query in queries.values()],
        settings.measures,
        current=current,
        is_right=is_right,
        progress=progress,
    )
    facts = {
        "corpus": before.facts["corpus_fingerprint"],
        "n_docs": before.facts["n_docs"],
        "suite_hash": before.facts["suite_hash"],
        "configuration_hash": before.facts["configuration_hash"],
        "analyzer_fingerprint": before.facts["analyzer_fingerprint"],
        "as_of": before.facts["as_of"],
    }
    problems = [*before.problems]
    if doubtful:
        problems.append(f"queries that cannot be judged, left out: {', '.join(doubtful[:10])}")
    name = os.path.splitext(os.path.basename(suite.file))[0]
    return _report(name, facts, settings, ranker, values, current, tuple(problems))


def _collection_questions(collection: Collection) -> list[Question]:
    """Every judged query; one without a text finds nothing and counts 0, as in an evaluation."""

    def question(query_id: str, grades: Mapping[str, int]) -> Question:
        text = collection.queries.get(query_id, "")
        return Question(query_id, text, lambda ranking: (grades, ranking))

    return [question(query_id, grades) for query_id, grades in collection.qrels.items()]


def _suite_question(query: GoldenQuery, resolver: Resolver) -> Question:
    return Question(
        query_id=query.query_id,
        text=query.text,
        relevant=(lambda ranking: relevant_items(query, ranking, resolver))
        if is_measured(query)
        else None,
        passes=lambda hits: not judge(query, hits, resolver).failures,
        n_hits=DEPTH if query.expect_empty else query.k,
    )


def _ranker(inputs: RankInputs, settings: TuneSettings, *, plain: bool) -> tuple[GridRanker, int]:
    """What ranks at all points, and the number of the current one."""
    search: SearchConfig = inputs.settings.search
    current = LexicalParameters(search.k1, search.b)
    points = sorted({*settings.points, current}, key=lambda point: (point.k1, point.b))
    ranker = GridRanker(inputs, points, strategy=settings.strategy, plain=plain)
    return ranker, points.index(current)


def _report(
    name: str,
    facts: Mapping[str, Any],
    settings: TuneSettings,
    ranker: GridRanker,
    values: GridValues,
    current: int,
    problems: tuple[str, ...] = (),
) -> TuningReport:
    choice = choose(
        values.points,
        values.query_ids,
        values.values[settings.measure],
        current=current,
        n_folds=settings.n_folds,
        seed=settings.seed,
    )
    return TuningReport(
        name=name,
        facts={
            **facts,
            "strategy": ranker.strategy,
            "measure": settings.measure,
            "n_queries": len(values.query_ids),
            "n_points": len(values.points),
            "n_folds": settings.n_folds,
            "seed": settings.seed,
            "version": VERSION,
        },
        measure=settings.measure,
        values=values,
        choice=choice,
        thresholds=calibrate(
            values.top,
            strategy=ranker.strategy,
            precisions=settings.precisions,
            seed=settings.seed,
        ),
        problems=problems,
    )
