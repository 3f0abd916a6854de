"""What does a search through the history of a store say?

Plain values, and how a person reads them; `memidx.evals.bisecting` makes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from memidx.evals.cells import cut, one_line, table
from memidx.evals.revisions import Commit

BISECTION_SCHEMA = "memidx.bisection/1"
Ending = Literal["found", "not_broken", "never_found", "unreadable"]
_SAID: Mapping[Ending, tuple[str, int]] = {
    "found": ("FOUND", 0),
    "not_broken": ("NOT BROKEN", 1),
    "never_found": ("NEVER FOUND", 1),
    "unreadable": ("INCONCLUSIVE", 3),
}


class Probe(NamedTuple):
    """What one commit's store gives.

    Attributes:
        rank: Best rank of the expected document, None where it is not among the first 1,000.
        above: What stands above it there, or the first hits where it is not found.
        is_stored: Whether the store holds the expected document at all.
        problem: Why the store cannot be searched; empty where it can.
    """

    commit: Commit
    rank: int | None
    n_docs: int
    above: tuple[str, ...]
    is_stored: bool
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Bisection:
    """What a search through the history found.

    Attributes:
        n_commits: Commits that touched the store, up to the last one asked about.
        probes: What was looked at, the oldest first.
        before: The last commit at which it was found, `culprit` the first at which it was not.
        skipped: Commits between the two that could not be searched.
        changed: What the culprit changed in the corpus.
        notes: Sentences for a person.
    """

    query: str
    expect: str
    k: int
    ending: Ending
    n_commits: int
    probes: tuple[Probe, ...]
    before: Probe | None = None
    culprit: Probe | None = None
    skipped: tuple[Commit, ...] = ()
    changed: str = ""
    notes: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        """0 a commit was found, 1 there is none, 3 nobody can say."""
        return _SAID[self.ending][1]

    @property
    def verdict(self) -> str:
        """The last line of every rendering."""
        word, code = _SAID[self.ending]
        return f"{word} (exit {code}): {self._detail}"

    @property
    def _detail(self) -> str:
        looked = f"{len(self.probes)} of {self.n_commits} commits looked at"
        match self.ending:
            case "found" if self.culprit is not None:
                commit = self.culprit.commit
                among = f" or one of {len(self.skipped)} before it" if self.skipped else ""
                return f"lost at {commit.short} ({commit.subject}){among}, {looked}"
            case "not_broken":
                return f"the last commit finds it at rank {self.probes[-1].rank}, {looked}"
            case "never_found":
                return f"no commit that was looked at finds it, {looked}"
            case _:
                return f"the stores cannot be read, {looked}"

    def to_dict(self) -> dict[str, Any]:
        """The result in its published JSON shape."""
        return {
            "schema": BISECTION_SCHEMA,
            "query": self.query,
            "expect": self.expect,
            "k": self.k,
            "ending": self.ending,
            "exit_code": self.exit_code,
            "verdict": self.verdict,
            "n_commits": self.n_commits,
            "culprit": _probe(self.culprit),
            "before": _probe(self.before),
            "skipped": [commit._asdict() for commit in self.skipped],
            "changed": self.changed,
            "probes": [_probe(probe) for probe in self.probes],
            "notes": list(self.notes),
        }


def _probe(probe: Probe | None) -> dict[str, Any] | None:
    if probe is None:
        return None
    return {
        **probe.commit._asdict(),
        "rank": probe.rank,
        "n_docs": probe.n_docs,
        "above": list(probe.above[:10]),
        "is_stored": probe.is_stored,
        "problem": probe.problem,
    }


def render_bisection(found: Bisection) -> str:
    """For a terminal: what was looked at, what the culprit did, the verdict."""
    rows = [
        [
            probe.commit.short,
            probe.commit.date,
            probe.problem or ("–" if probe.rank is None else str(probe.rank)),
            str(probe.n_docs),
            cut(one_line(probe.commit.subject), 60),
        ]
        for probe in found.probes
    ]
    blocks = [table(rows, ["commit", "day", "rank", "documents", "subject"])]
    if found.culprit is not None:
        commit = found.culprit.commit
        lines = [f"{commit.sha} {commit.date} {commit.subject}", f"Changed: {found.changed}."]
        blocks.append("\n".join(map(one_line, [*lines, *found.notes])))
    elif found.notes:
        blocks.append("\n".join(map(one_line, found.notes)))
    return "\n\n".join([*blocks, one_line(found.verdict)]) + "\n"
