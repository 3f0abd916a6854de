"""Which questions must find what?

A suite is the golden queries of one corpus, as read from `queries.yaml`. Everything remembers
the line it stands on, so that any message can name it. Format: docs/evaluation.md and
docs/suite.schema.json.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from memidx import files
from memidx.errors import SuiteError
from memidx.text.decode import Undecodable, decode

CATEGORIES = (
    "keyword",
    "identifier",
    "paraphrase",
    "question",
    "negation",
    "multi-source",
    "freshness",
    "no-answer",
)
SEVERITIES = ("must", "should", "known_gap")
OVERALL = "overall"
DEFAULT_K = 5
MAX_K = 1000
GRADES = range(1, 4)


@dataclass(frozen=True, slots=True)
class Expectation:
    """One entry of `expect_paths`: one relevant item, whichever document takes its place.

    Attributes:
        any_of: Patterns; a document that fits one of them fulfils the expectation.
        grade: How relevant, 1 to 3.
        line: 1-based line of the suite.
    """

    any_of: tuple[str, ...]
    grade: int
    line: int

    @property
    def label(self) -> str:
        """The patterns as a report shows them."""
        return " | ".join(self.any_of)


@dataclass(frozen=True, slots=True)
class GoldenQuery:
    """One query and what must come back.

    Attributes:
        query_id: The suite's `id`.
        text: The words of the query.
        k: How many hits count for the pass rule.
        line: Line the query begins on; `lines` has those of its keys.
    """

    query_id: str
    text: str
    category: str
    severity: str
    k: int
    line: int
    why: str = ""
    expect_paths: tuple[Expectation, ...] = ()
    expect_sources: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()
    top1: str | None = None
    expect_empty: bool = False
    provenance: str | None = None
    lines: Mapping[str, int] = field(default_factory=dict)

    def line_of(self, key: str) -> int:
        """Line of one of its keys, or of the query where the key is not given."""
        return self.lines.get(key, self.line)

    @property
    def question(self) -> str:
        """Digest of what is asked and expected: runs compare queries for which it is the same.

        What it does not depend on may change without making it another question: id, category,
        severity, the reasons given, and the line.
        """
        asked = (
            self.text,
            self.k,
            [(entry.any_of, entry.grade) for entry in self.expectations],
            len(self.expect_paths),
            self.expect_sources,
            self.must_not,
            self.top1,
            self.expect_empty,
        )
        return hashlib.sha256(json.dumps(asked).encode()).hexdigest()[:12]

    @property
    def expectations(self) -> tuple[Expectation, ...]:
        """The relevant items: `expect_paths`, and `top1` unless one of them names it already.

        A `top1` of its own has the best grade of its query.
        """
        if self.top1 is None or any(self.top1 in entry.any_of for entry in self.expect_paths):
            return self.expect_paths
        best = max((entry.grade for entry in self.expect_paths), default=1)
        return (*self.expect_paths, Expectation((self.top1,), best, self.line_of("top1")))


@dataclass(frozen=True, slots=True)
class Floor:
    """The least value a measure may have, overall or in one category."""

    scope: str
    measure: str
    minimum: float
    line: int


@dataclass(frozen=True, slots=True)
class Suite:
    """A suite, as read.

    Attributes:
        file: The path it was read from, as given.
        as_of: ISO date that ages count from, or None: the newest document time.
        digest: Hash of what the suite says; comments and layout do not change it.
    """

    file: str
    queries: tuple[GoldenQuery, ...]
    floors: tuple[Floor, ...] = ()
    as_of: str | None = None
    digest: str = ""


def load_suite(path: str) -> Suite:
    """Read a suite.

    Raises:
        SuiteError: With file and line, when it is not a suite; the hint lists what else is wrong.
        FileError: When the file cannot be read.
    """
    data = files.read_bytes(path)
    try:
        text = decode(data)
    except Undecodable as error:
        raise SuiteError(f"not a text file: {error}", path=path) from error
    return parse_suite(text, path)


def parse_suite(text: str, file: str) -> Suite:
    """A suite from its text; `file` is what messages call it.

    Raises:
        SuiteError: As `load_suite`.
    """
    # Reading YAML and checking it are only needed when there is a suite.
    from memidx.evals.located import read_located
    from memidx.evals.validate import suite_from

    return suite_from(*read_located(text, file), file)
