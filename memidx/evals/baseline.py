"""What did the last blessed run find?

A baseline is one committed JSON file: the facts of the run, its means, and a line for every
query, so that a review shows which queries moved. It holds no time stamp and is a pure function
of the run. It carries a checksum over what it says: a file that was edited, or that a merge put
together, was not blessed by anybody. Rules: docs/evaluation.md; why: decision 0010.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from memidx import files
from memidx.errors import InputError
from memidx.evals.outcome import Outcome
from memidx.evals.report import Report

BASELINE_TYPE = "memidx-baseline"
BASELINE_SCHEMA = "memidx.baseline/1"
DEFAULT_BASELINE = "evals/baseline.json"
_DIGITS = 6


@dataclass(frozen=True, slots=True)
class BaselineQuery:
    """What came of one query.

    Attributes:
        question: Digest of what is asked and expected (`GoldenQuery.question`).
        ranks: One an expectation, None where it was not found.
        hits: `doc_id`s of the first k hits.
        measures: Rounded; empty for a query without relevant items.
    """

    query_id: str
    question: str
    severity: str
    status: str
    ranks: tuple[int | None, ...]
    hits: tuple[str, ...]
    measures: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Baseline:
    """A blessed run; `suite` is the name of the suite's file without its folder."""

    path: str
    suite: str
    facts: Mapping[str, Any]
    queries: Mapping[str, BaselineQuery]


class Unusable(NamedTuple):
    """A baseline that nothing can be held against, and why.

    `gates` is false where nobody asked for it: it is another suite's.
    """

    path: str
    reason: str
    gates: bool = True


def baseline_path(suite_file: str, named: str | None) -> str:
    """The baseline that was named, else the one beside the suite."""
    return named or os.path.join(os.path.dirname(suite_file), DEFAULT_BASELINE)


def find_baseline(suite_file: str, named: str | None) -> Baseline | Unusable | None:
    """What a run of this suite is compared with; None where there is no baseline yet.

    A baseline that is there counts as named: else a damaged one would silently gate nothing.

    Raises:
        FileError: It is there and cannot be read.
    """
    path = baseline_path(suite_file, named)
    if not files.exists(path):
        return Unusable(path, "there is no such baseline") if named else None
    found = read_baseline(path)
    suite = os.path.basename(suite_file)
    if named is None and isinstance(found, Baseline) and found.suite != suite:
        return Unusable(path, f"it is the baseline of {found.suite}, not of {suite}", gates=False)
    return found


def read_baseline(path: str) -> Baseline | Unusable:
    """A baseline from its file, or why it is none.

    Raises:
        FileError: The file cannot be read.
    """
    try:
        data = json.loads(files.read_bytes(path))
    except ValueError:
        return Unusable(path, "it is not blessed: not JSON (a merge left it so?)")
    if not isinstance(data, dict) or data.get("artifact_type") != BASELINE_TYPE:
        return Unusable(path, "it is not blessed: --bless did not write it")
    if data.get("schema") != BASELINE_SCHEMA:
        return Unusable(path, f"it is not comparable: written as {data.get('schema')}")
    if data.pop("sum", None) != _sum_of(data):
        return Unusable(path, "it is not blessed: it was changed after --bless wrote it")
    return Baseline(
        path=path,
        suite=data["suite"],
        facts=data["facts"],
        queries={
            query["query_id"]: _query_from(query, data["measures"]) for query in data["queries"]
        },
    )


def refuse_blessing(report: Report) -> str | None:
    """Why this run cannot become the baseline; None when it can.

    Only a run that passed can: what fails or could not be judged is nothing to hold others to.
    """
    if report.outcome is Outcome.PASSED:
        return None
    return f"the run {_BECAME[report.outcome]}, and a baseline is a run that passed"


def check_blessing(suite_file: str, path: str) -> None:
    """Whether a run of this suite may be written to this file, before it is run.

    Nothing but a baseline of the same suite is written over; a damaged one counts as that.

    Raises:
        InputError: The file is something else, or another suite's baseline.
        FileError: It cannot be read.
    """
    if not files.exists(path):
        return
    suite = os.path.basename(suite_file)
    found = read_baseline(path)
    if isinstance(found, Baseline) and found.suite != suite:
        raise InputError(
            "this is the baseline of another suite",
            path=path,
            expected=suite,
            found=found.suite,
            hint="name another file with --baseline, or remove this one",
        )
    beginning = files.read_bytes(path, len(_HEAD.encode()))
    if isinstance(found, Unusable) and beginning != _HEAD.encode():
        raise InputError(
            "this is no baseline, and nothing is written over it",
            path=path,
            hint="name another file with --baseline",
        )


def write_baseline(report: Report, path: str) -> None:
    """Make a run the baseline.

    Raises:
        InputError: The run did not pass, or the file is something else than this suite's
            baseline.
        FileError: It cannot be written.
    """
    refusal = refuse_blessing(report)
    if refusal is not None:
        raise InputError(f"not blessed: {refusal}")
    check_blessing(report.suite, path)
    folder = os.path.dirname(path) or "."
    files.make_dir(folder)
    files.write_atomic(path, _bytes_of(report), scratch_dir=folder)


def rounded(measures: Mapping[str, float]) -> dict[str, float]:
    """Values as a baseline holds them: the last digits may differ between machines."""
    return {name: round(value, _DIGITS) for name, value in measures.items()}


_BECAME = {
    Outcome.FAILED: "failed",
    Outcome.REGRESSED: "regressed",
    Outcome.INVALID: "is invalid",
    Outcome.INCONCLUSIVE: "is inconclusive",
}


# How every baseline begins: what is known of one that is damaged further down.
_HEAD = f'{{"artifact_type": "{BASELINE_TYPE}"'


def _bytes_of(report: Report) -> bytes:
    """The file: one line a fact, a mean, a query; keys in fixed order."""
    suite = os.path.basename(report.suite)
    facts = dict(report.facts)
    means = {
        group.name: rounded(group.measures)
        for group in (report.overall, *report.categories)
        if group.measures
    }
    queries = [
        {
            "query_id": result.query_id,
            "question": result.question,
            "severity": result.severity,
            "status": result.status,
            "ranks": [found.rank for found in result.expected],
            "hits": list(result.hits),
            "measures": list(rounded(result.measures).values()),
        }
        for result in report.queries
    ]
    data = {
        "artifact_type": BASELINE_TYPE,
        "schema": BASELINE_SCHEMA,
        "suite": suite,
        "facts": facts,
        "measures": list(report.measures),
        "means": means,
        "queries": queries,
    }
    lines = [
        f"{_HEAD},",
        f'"schema": {_json(BASELINE_SCHEMA)},',
        f'"suite": {_json(suite)},',
        f'"sum": {_json(_sum_of(data))},',
        '"facts": {',
        *_listed(f"{_json(name)}: {_json(value)}" for name, value in facts.items()),
        "},",
        f'"measures": {_json(data["measures"])},',
        '"means": {',
        *_listed(f"{_json(name)}: {_json(value)}" for name, value in means.items()),
        "},",
        '"queries": [',
        *_listed(_json(query) for query in queries),
        "]}",
    ]
    return ("\n".join(lines) + "\n").encode()


def _listed(entries: Any) -> list[str]:
    """Entries one a line, with a comma after each but the last."""
    lines = [f"{entry}," for entry in entries]
    if lines:
        lines[-1] = lines[-1][:-1]
    return lines


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _sum_of(data: Mapping[str, Any]) -> str:
    canonical = json.dumps(data, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:16]


def _query_from(query: Mapping[str, Any], measures: list[str]) -> BaselineQuery:
    values = query["measures"]
    return BaselineQuery(
        query_id=query["query_id"],
        question=query["question"],
        severity=query["severity"],
        status=query["status"],
        ranks=tuple(query["ranks"]),
        hits=tuple(query["hits"]),
        measures=dict(zip(measures, values, strict=True)) if values else {},
    )
