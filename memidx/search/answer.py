"""What does a search answer, and why is it empty when it is?"""

from __future__ import annotations

from _thread import allocate_lock

from memidx.indexing.state import Freshness
from memidx.light import TYPE_CHECKING
from memidx.values import Value, field

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any, Literal

    from memidx.search.cursor import Cursor
    from memidx.search.nearest import Nearest
    from memidx.search.suggestions import Suggestion
    from memidx.sources.base import Skip

    Verdict = Literal[
        "hits",
        "no_match",
        "no_terms_in_index",
        "empty_query",
        "filtered_out",
        "below_threshold",
        "empty_index",
    ]
    Confidence = Literal["reliable", "candidate", "weak"]
else:
    Verdict = Confidence = str

ANSWER_SCHEMA = "memidx.answer/1"


class Snippet(Value):
    """A passage of a hit: at most 240 characters, in original characters.

    Attributes:
        text: The words shown.
        line_start: First line of the passage it was cut from, 1-based.
        line_end: Last line of that passage.
    """

    text: str
    line_start: int
    line_end: int


class Shown:
    """What a document shows to a question: snippets, found one by one as they are asked for.

    A hit that nobody reads costs nothing, and who reads one snippet does not wait for three. Any
    thread may ask.

    Args:
        find: Gives the snippets, the best first.
    """

    __slots__ = ("_find", "_found", "_lock", "_more")

    def __init__(self, find: Callable[[], Iterator[Snippet]]) -> None:
        self._find: Callable[[], Iterator[Snippet]] | None = find
        self._found: list[Snippet] = []
        self._lock = allocate_lock()
        self._more: Iterator[Snippet] | None = None

    def first(self) -> Snippet | None:
        """The best one, if there is any."""
        return next(iter(self._at_least(1)), None)

    def all(self) -> tuple[Snippet, ...]:
        """All of them, the best first."""
        return tuple(self._at_least(None))

    def _at_least(self, count: int | None) -> list[Snippet]:
        """So many, or all there are."""
        found = self._found
        with self._lock:
            try:
                while self._find is not None and (count is None or len(found) < count):
                    if self._more is None:
                        self._more = self._find()
                    snippet = next(self._more, None)
                    if snippet is None:
                        self._find = self._more = None  # what they needed may go
                    else:
                        found.append(snippet)
            except BaseException:
                # Who asks again is to get all of them, or the error again.
                self._more = None
                found.clear()
                raise
        return found


class Hit(Value):
    """One place in the ranking. `score` is raw, `relevance` 0..1, `composite` orders.

    `snippet`, `snippets` and their lines are found when they are first asked for, in the text as
    the search had it.
    """

    __slots__ = ("_shown",)
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

    @classmethod
    def showing(cls, shown: Shown, **fields: Any) -> Hit:
        """A hit of which the fields that snippets fill are still open."""
        hit = cls.__new__(cls)
        for name, value in (*fields.items(), ("_shown", shown)):
            object.__setattr__(hit, name, value)
        return hit

    if not TYPE_CHECKING:  # a checker would let every name pass

        def __getattr__(self, name: str) -> Any:
            """A field that is still open, which from then on is like the others."""
            if name not in ("snippet", "snippets", "line_start", "line_end"):
                raise AttributeError(f"a hit has no {name!r}", name=name, obj=self)
            fill = object.__setattr__
            if name == "snippets":
                fill(self, "snippets", self._shown.all())
            else:
                first = self._shown.first()
                fill(self, "snippet", first.text if first else self.title)
                fill(self, "line_start", first.line_start if first else None)
                fill(self, "line_end", first.line_end if first else None)
            return getattr(self, name)


class Ranked(Value):
    """One place of a ranking, without passages."""

    doc_id: str
    source: str
    path: str
    score: float
    relevance: float
    composite: float
    confidence: Confidence


class Problem(Value):
    """A skipped file, a damaged line or a failed source, and why."""

    path: str
    reason: str
    line: int | None = None
    source: str | None = None


class Cursors:
    """The cursors of one answer, put together when one is asked for, which is seldom.

    Args:
        offset: Hits before the first one of the answer.
        first: Gives the cursor of that place.
    """

    __slots__ = ("_first", "offset")

    def __init__(self, offset: int, first: Callable[[], Cursor]) -> None:
        self.offset = offset
        self._first = first

    def at(self, offset: int) -> Cursor:
        """The cursor of a place."""
        return self._first().at(offset)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Cursors) and self._first() == other._first()

    def __hash__(self) -> int:
        return hash(self._first())


class Answer(Value):
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
        also: Other phrasings of the question that were searched with it.
        suggestions: For words that no document holds: words near them that some do.
        nearest: Documents to rephrase by, where no hit is above `weak`.
        n_listed: Hits there are to page through: `n_matched`, less what caps leave out.
        page: Where this answer begins, to make cursors of; None where it cannot be continued.
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
    also: tuple[str, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()
    nearest: tuple[Nearest, ...] = ()
    n_listed: int = 0
    page: Cursor | Cursors | None = None

    @property
    def cursor(self) -> str | None:
        """What continues behind the last hit shown, or None when that is the last there is."""
        if self.page is None:
            return None
        end = self.page.offset + len(self.hits)
        return str(self.page.at(end)) if end < self.n_listed else None

    def to_dict(self) -> dict[str, Any]:
        """The answer in its published JSON shape (docs/answer.schema.json)."""
        return {
            "schema": ANSWER_SCHEMA,
            "query": {
                "text": self.text,
                "terms": list(self.terms),
                "excluded": list(self.excluded),
                "also": list(self.also),
            },
            "verdict": self.verdict,
            "freshness": self.freshness,
            "strategy": self.strategy,
            "as_of": self.as_of,
            "n_matched": self.n_matched,
            "n_by_source": dict(self.n_by_source),
            "sources_failed": [_problem(problem) for problem in self.sources_failed],
            "skipped": [_problem(problem) for problem in self.skipped],
            "n_skipped": self.n_skipped,
            "index": {
                "build_id": self.build_id,
                "fingerprint": self.fingerprint,
                "n_docs": self.n_docs,
            },
            "hits": [_hit(hit) for hit in self.hits],
            "suggestions": [
                {"word": suggestion.word, "near": list(suggestion.near)}
                for suggestion in self.suggestions
            ],
            "nearest": [
                {"doc_id": near.doc_id, "title": near.title, "path": near.path}
                for near in self.nearest
            ],
            "cursor": self.cursor,
            "notes": list(self.notes),
            "timing": dict(self.timing),
        }


def decide_verdict(
    *,
    has_terms: bool,
    n_docs: int,
    any_term_known: bool,
    n_before_filters: int,
    n_after_filters: int,
    n_matched: int,
) -> Verdict:
    """Why the answer is what it is; the only place that decides it.

    The first thing that empties the answer names it, in the order in which a search goes: the
    question, the index, the vocabulary, the words, the filters, the threshold.

    Args:
        has_terms: Whether the query asks for anything.
        n_docs: Documents in the index.
        any_term_known: Whether any document holds any of the terms.
        n_before_filters: Documents that match words and phrases.
        n_after_filters: Of those, documents that filters and exclusions let through.
        n_matched: Of those, documents that reach `min_score`.
    """
    if not has_terms:
        return "empty_query"
    if n_docs == 0:
        return "empty_index"
    if not any_term_known:
        return "no_terms_in_index"
    if n_before_filters == 0:
        return "no_match"
    if n_after_filters == 0:
        return "filtered_out"
    if n_matched == 0:
        return "below_threshold"
    return "hits"


def problems(skips: Iterable[Skip]) -> tuple[Problem, ...]:
    """Skips as an answer or a report lists them."""
    return tuple(Problem(skip.path, skip.reason, skip.line, skip.source) for skip in skips)


def failed_sources(failed: Iterable[tuple[str, str]]) -> tuple[Problem, ...]:
    """Failed sources (name and reason) as an answer or a report lists them."""
    return tuple(Problem(path=name, reason=reason, source=name) for name, reason in failed)


def _hit(hit: Hit) -> dict[str, Any]:
    return {
        "rank": hit.rank,
        "doc_id": hit.doc_id,
        "source": hit.source,
        "kind": hit.kind,
        "path": hit.path,
        "anchor": hit.anchor,
        "title": hit.title,
        "score": hit.score,
        "relevance": hit.relevance,
        "composite": hit.composite,
        "confidence": hit.confidence,
        "snippet": hit.snippet,
        "snippets": [
            {
                "text": snippet.text,
                "line_start": snippet.line_start,
                "line_end": snippet.line_end,
            }
            for snippet in hit.snippets
        ],
        "line_start": hit.line_start,
        "line_end": hit.line_end,
        "time": hit.time,
        "tags": list(hit.tags),
        "flags": list(hit.flags),
        "store": hit.store,
    }


def _problem(problem: Problem) -> dict[str, Any]:
    return {
        "path": problem.path,
        "line": problem.line,
        "reason": problem.reason,
        "source": problem.source,
    }
