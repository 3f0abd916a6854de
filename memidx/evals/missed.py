"""What does a report say of a miss?

Plain values: `memidx.evals.misses` finds them, `memidx.evals.hints` checks what would mend them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

# In the order in which a search could have failed: label, source, question, words, ranking.
Kind = Literal[
    "stale_label",
    "bad_label",
    "source_failed",
    "stale_index",
    "filtered",
    "below_threshold",
    "vocabulary_gap",
    "analysis_gap",
    "ranking_loss",
    "false_positive",
]
KINDS: tuple[Kind, ...] = get_args(Kind)


class WordShare(NamedTuple):
    """What one word of the query is worth in two documents.

    Attributes:
        expected: Lexical score it gives the expected document; 0 where its terms are not there.
        winner: The same for the document that won.
    """

    word: str
    expected: float
    winner: float


class Hint(NamedTuple):
    """What would mend a miss, tried on the whole suite.

    Attributes:
        change: Such as `alias feathered = heron`.
        n_fixed: Queries that fail now and pass with it.
        n_broken: Queries that pass now and fail with it.
        n_reached: Queries that it makes any difference to; the others need not be run again.
    """

    change: str
    n_fixed: int
    n_broken: int
    n_reached: int

    @property
    def sentence(self) -> str:
        """The change and what it did."""
        return (
            f"{self.change} fixes {self.n_fixed} and breaks {self.n_broken} of the suite "
            f"(reaches {self.n_reached})"
        )


@dataclass(frozen=True, slots=True)
class Miss:
    """One thing a query missed, and why.

    Attributes:
        target: The label that was missed, or the document that should not have come.
        document: `doc_id` of the expected document that came nearest; None where there is none.
        rank: Its rank, None where it is not among the first 1,000.
        winner: `doc_id` that stood where it would have passed; None where nothing did.
        missing: Words of the query without a term in the document.
        written: Those of them that stand in its text all the same.
        shares: What each word is worth to both, the greatest difference first.
        detail: A sentence.
        hint: What mends it; None where nothing that was tried did.
        n_tried: Changes that were tried.
    """

    query_id: str
    kind: Kind
    target: str
    document: str | None = None
    rank: int | None = None
    winner: str | None = None
    missing: tuple[str, ...] = ()
    written: tuple[str, ...] = ()
    shares: tuple[WordShare, ...] = ()
    detail: str = ""
    hint: Hint | None = None
    n_tried: int = 0

    @property
    def hint_words(self) -> str:
        """What was tried, and what came of it; empty where nothing was."""
        if self.hint is not None:
            return self.hint.sentence
        return f"none of {self.n_tried} aliases tried lets it pass" if self.n_tried else ""

    def to_dict(self) -> dict[str, Any]:
        """JSON values, keys as the fields."""
        return {
            "query_id": self.query_id,
            "kind": self.kind,
            "target": self.target,
            "document": self.document,
            "rank": self.rank,
            "winner": self.winner,
            "missing": list(self.missing),
            "written": list(self.written),
            "shares": [share._asdict() for share in self.shares],
            "detail": self.detail,
            "hint": None if self.hint is None else {**self.hint._asdict()},
            "n_tried": self.n_tried,
        }
