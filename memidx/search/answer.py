"""What does a search answer, and why is it empty when it is?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Verdict = Literal[
    "hits",
    "no_match",
    "no_terms_in_index",
    "empty_query",
    "filtered_out",
    "below_threshold",
    "empty_index",
]
Freshness = Literal["fresh", "refreshed", "unchecked", "stale"]
Confidence = Literal["reliable", "candidate", "weak"]

ANSWER_SCHEMA = "memidx.answer/1"


@dataclass(frozen=True, slots=True)
class Snippet:
    """A passage of a hit: at most 240 characters, in original characters.

    Attributes:
        text: The words shown.
        line_start: First line of the passage it was cut from, 1-based.
        line_end: Last line of that passage.
    """

    text: str
    line_start: int
    line_end: int


@dataclass(frozen=True, slots=True)
class Hit:
    """One place in the ranking. `score` is raw, `relevance` 0..1, `composite` orders."""

    rank: int
    doc_id: str
    source: str
    kind: str
    path: str
    anchor: str | None
    title: str
    score: float
    relevance: float
    composite: float
    confidence: Confidence
    snippet: str
    snippets: tuple[Snippet, ...]
    line_start: int | None
    line_end: int | None
    time: str | None
    tags: tuple[str, ...]
    flags: tuple[str, ...]
    store: str


@dataclass(frozen=True, slots=True)
class Problem:
    """A skipped file, a damaged line or a failed source, and why."""

    path: str
    reason: str
    line: int | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What one search found, how fresh that is, and what could not be searched.

    Attributes:
        text: The query as given.
        terms: Distinct terms that were scored.
        excluded: Words of the query that took documents out.
        strategy: The channel that ranked: `lexical`, `vector` or `hybrid`.
        as_of: ISO date that ages were counted from.
        n_matched: Documents that matched after filters and threshold, not only those shown.
        sources_failed: Sources that could not be read; their stored documents were searched.
        skipped: The first of what is not in the index, or damaged; `n_skipped` counts all.
        notes: Sentences for a person: what was unusual about this answer.
    """

    text: str
    terms: tuple[str, ...]
    excluded: tuple[str, ...]
    verdict: Verdict
    freshness: Freshness
    strategy: str
    as_of: str
    n_matched: int
    n_by_source: Mapping[str, int]
    sources_failed: tuple[Problem, ...]
    skipped: tuple[Problem, ...]
    n_skipped: int
    build_id: str
    fingerprint: str
    n_docs: int
    hits: tuple[Hit, ...]
    notes: tuple[str, ...] = ()
    timing: Mapping[str, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The answer in its published JSON shape (docs/answer.schema.json)."""
        raise NotImplementedError
