"""What does a recorded run say?

A run is recorded query by query in two files: the `report.json` of an evaluation, and a baseline.
Either can be held against another run; a line of the history cannot, it has no queries.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from memidx import files
from memidx.errors import InputError
from memidx.evals.against import compare_runs
from memidx.evals.baseline import (
    BASELINE_TYPE,
    Baseline,
    BaselineQuery,
    Unusable,
    read_baseline,
    rounded,
)
from memidx.evals.comparing import ComparedRuns
from memidx.evals.history import HISTORY_TYPE
from memidx.evals.outcome import Outcome
from memidx.evals.report import (
    ARTIFACT_TYPE,
    REPORT_SCHEMA,
    Found,
    Group,
    QueryResult,
    Report,
)
from memidx.evals.suite import OVERALL

_EXPECTED = "the report.json of `memidx eval`, or a baseline"


def read_run(path: str, known: Report | None = None) -> Report:
    """A run from its file.

    Args:
        path: A `report.json`, or a baseline.
        known: Another run; a baseline has no words, categories and labels of its queries, and takes
            those of the queries that ask the same there.

    Raises:
        InputError: The file records no run, or not in a form that can be read.
        FileError: It cannot be read.
    """
    data = files.read_bytes(path)
    try:
        values = json.loads(data)
    except ValueError as error:
        if HISTORY_TYPE.encode() in data.partition(b"\n")[0]:
            raise _no_queries(path) from error
        raise InputError("records no run: not JSON", path=path, expected=_EXPECTED) from error
    kind = values.get("artifact_type") if isinstance(values, dict) else None
    if kind == HISTORY_TYPE:
        raise _no_queries(path)
    if kind == BASELINE_TYPE:
        found = read_baseline(path)
        if isinstance(found, Unusable):
            raise InputError(f"cannot be compared: {found.reason}", path=path)
        return _from_baseline(found, values["measures"], known)
    if kind != ARTIFACT_TYPE or values.get("schema") != REPORT_SCHEMA:
        raise InputError(
            "records no run of a suite",
            path=path,
            expected=_EXPECTED,
            found=str(values.get("schema")) if kind else None,
        )
    try:
        return _from_report(values)
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"the report lacks what a comparison needs: {error}",
            path=path,
            hint="run `memidx eval` again with this version",
        ) from error


def as_baseline(report: Report, path: str) -> Baseline:
    """A run as something to compare with."""
    return Baseline(
        path=path,
        suite=report.suite,
        facts=report.facts,
        queries={
            result.query_id: BaselineQuery(
                query_id=result.query_id,
                question=result.question,
                severity=result.severity,
                status=result.status,
                ranks=tuple(found.rank for found in result.expected),
                hits=result.hits,
                measures=rounded(result.measures),
            )
            for result in report.queries
        },
    )


def compare_two(before: Report, before_name: str, after: Report, after_name: str) -> ComparedRuns:
    """Compare two runs, query by query."""
    comparison = compare_runs(after, as_baseline(before, before_name))
    report = replace(after, comparison=comparison)
    return ComparedRuns(before_name, after_name, report, comparison)


def _no_queries(path: str) -> InputError:
    return InputError(
        "a history has no queries, so nothing can be compared query by query",
        path=path,
        expected=_EXPECTED,
        hint="name the revision that the run was recorded at",
    )


def _from_report(values: Mapping[str, Any]) -> Report:
    return Report(
        suite=values["suite"],
        outcome=Outcome(values["outcome"]),
        facts=values["facts"],
        measures=tuple(values["measures"]),
        overall=_group(values["overall"]),
        categories=tuple(map(_group, values["categories"])),
        queries=tuple(map(_query, values["queries"])),
    )


def _group(values: Mapping[str, Any]) -> Group:
    return Group(**{name: values[name] for name in Group.__slots__})


def _query(values: Mapping[str, Any]) -> QueryResult:
    return QueryResult(
        query_id=values["query_id"],
        text=values["query"],
        category=values["category"],
        severity=values["severity"],
        k=values["k"],
        line=values["line"],
        status=values["status"],
        reasons=tuple(values["reasons"]),
        expected=tuple(Found(**found) for found in values["expected"]),
        sources_found=tuple(values["sources_found"]),
        sources_expected=tuple(values["sources_expected"]),
        false_positive=values["false_positive"],
        measures=values["measures"],
        hits=tuple(values["hits"]),
        n_hits=values["n_hits"],
        why=values["why"],
        question=values["question"],
    )


def _from_baseline(baseline: Baseline, measures: list[str], known: Report | None) -> Report:
    others = {result.query_id: result for result in known.queries} if known else {}
    queries = []
    for query in baseline.queries.values():
        other = others.get(query.query_id)
        if other is not None and other.question != query.question:
            other = None
        queries.append(_query_from(query, other))
    return Report(
        suite=baseline.suite,
        outcome=Outcome.PASSED,  # only such a run becomes a baseline
        facts=baseline.facts,
        measures=tuple(measures),
        overall=Group(OVERALL, len(queries), 0, 0, 0, 0, {}, 0, 0, 0, 0),
        categories=(),
        queries=tuple(queries),
    )


def _query_from(query: BaselineQuery, other: QueryResult | None) -> QueryResult:
    labels = [found.label for found in other.expected] if other else []
    labels += [f"expectation {n}" for n in range(len(labels) + 1, len(query.ranks) + 1)]
    return QueryResult(
        query_id=query.query_id,
        text=other.text if other else "",
        category=other.category if other else "",
        severity=query.severity,
        k=other.k if other else max(1, len(query.hits)),
        line=other.line if other else 0,
        status="passed" if query.status == "passed" else "failed",
        reasons=(),
        expected=tuple(
            Found(label, 1, rank, None) for label, rank in zip(labels, query.ranks, strict=True)
        ),
        sources_found=(),
        sources_expected=(),
        false_positive=None,
        measures=query.measures,
        hits=query.hits,
        n_hits=len(query.hits),
        question=query.question,
    )
