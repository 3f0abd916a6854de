"""How would another engine's run do in this suite?

A run file knows queries and documents, no text, no source and no label. Sources are looked up in
the index; every hit counts as one that was meant, so a query that should find nothing passes only
where the run gives nothing for it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memidx.evals.handing_out import check_ids
from memidx.evals.lint import OnDisk
from memidx.evals.patterns import Row
from memidx.evals.report import Report
from memidx.evals.run import Refreshed, Searchable, evaluate
from memidx.evals.suite import Suite
from memidx.evals.trec import Run, spaced


@dataclass(frozen=True, slots=True)
class Place:
    """One place of a foreign run; it has no doubts."""

    doc_id: str
    source: str
    confidence: str = "reliable"


def judge_run(
    suite: Suite, index: Searchable, run: Run, *, on_disk: OnDisk | None = None
) -> Report:
    """Apply the suite to a run that was read.

    Args:
        suite: As read.
        index: Whose documents the labels are about; it is refreshed first, in memory only.
        run: As read; ids may be written as memidx writes them, or as they are.
        on_disk: As in `lint_suite`.

    Returns:
        A report whose fact `strategy` names the run, and whose notes say what is not in both.

    Raises:
        InputError: Two queries of the suite have one id.
    """
    check_ids(suite)
    served = _Served(index, suite, run)
    report = evaluate(suite, served, on_disk=on_disk)
    name = f"run {run.tag}"
    facts = {**report.facts, "strategy": name, "run_hash": _hash(run)}
    return replace(report, facts=facts, notes=(*report.notes, *served.notes()))


class _Served:
    """An index that ranks as the run did."""

    def __init__(self, index: Searchable, suite: Suite, run: Run) -> None:
        self._index = index
        self._suite = suite
        ids = [query.query_id for query in suite.queries]
        self._rankings = _by_known_id(run.rankings, ids)
        self._unknown: set[str] = set()

    @property
    def build_id(self) -> str:
        return self._index.build_id

    @property
    def fingerprint(self) -> str:
        return self._index.fingerprint

    @property
    def configuration(self) -> Mapping[str, Any]:
        return self._index.configuration

    def refresh(self) -> Refreshed:
        return self._index.refresh()

    def catalog(self) -> Sequence[Row]:
        return self._index.catalog()

    def rank(
        self,
        queries: Sequence[str],
        k: int,
        *,
        strategy: str | None = None,
        as_of: str | None = None,
    ) -> Sequence[Sequence[Place]]:
        """What the run holds for each query of the suite, in the order of the suite."""
        source = {row.doc_id: row.source for row in self._index.catalog()}
        answers = []
        for query in self._suite.queries:
            ranking = self._rankings.get(query.query_id, ())
            known = [name if name in source else spaced(name) for name in ranking]
            self._unknown.update(name for name in known if name not in source)
            answers.append([Place(name, source.get(name, "")) for name in known[:k]])
        return answers

    def notes(self) -> tuple[str, ...]:
        ids = {query.query_id for query in self._suite.queries}
        without = [q.query_id for q in self._suite.queries if not self._rankings.get(q.query_id)]
        said = []
        if without:
            said.append(f"Queries that the run has nothing for: {_listed(without)}.")
        if extra := sorted(self._rankings.keys() - ids):
            said.append(f"Queries of the run that the suite does not have: {_listed(extra)}.")
        if self._unknown:
            said.append(
                f"Documents of the run that the index does not have, taken as not relevant: "
                f"{_listed(sorted(self._unknown))}."
            )
        return tuple(said)


def _by_known_id(
    rankings: Mapping[str, tuple[str, ...]], known: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    names = set(known)
    return {
        written if written in names else spaced(written): ranking
        for written, ranking in rankings.items()
    }


def _hash(run: Run) -> str:
    return hashlib.sha256(json.dumps(run.rankings).encode()).hexdigest()


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return ", ".join(names[:5]) + more
