"""Which golden queries would be worth having?

From the log of what was asked: queries after which a document was opened, that were put in other
words until they found something, that found nothing, that are asked again and again. From the
documents: titles of those that no query of the suite expects. Every label is a guess, and its
provenance says whose: `log` (what people did), `retriever` (what the index ranked), `title`. A
lint refuses all three, so that nothing counts before a person has confirmed it.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, zip_longest
from typing import Literal
from zlib import crc32

from memidx.analysis.vocabulary import FUNCTION_WORDS, STOP_WORDS
from memidx.evals.lint import leaks_title, normal
from memidx.evals.patterns import Resolver, Row
from memidx.evals.suite import Suite
from memidx.querylog import LoggedOpening, LoggedQuery
from memidx.text.redact import PLACEHOLDERS

Provenance = Literal["log", "retriever", "title"]

# A word, and the dash that takes it out of an answer: `-word` asks for something else.
_WORD = re.compile(r"(?:(?<!\S)-)?\w+")
_LITTLE = STOP_WORDS | FUNCTION_WORDS
_ASKING = frozenset(["what", "when", "where", "which", "who", "whom", "whose", "why", "how"])
_SURROGATE = re.compile("[\ud800-\udfff]")
_IDENTIFIER = re.compile(r"\w_\w|[a-z][A-Z]|\w[.:]+\w")
# Words in common, of all words of two queries, from which on they ask the same.
_SAME = 0.8
# How many queries later, on the same day, an opening or other words may still belong to a query.
_REACH = 5
_OFTEN = 2
_MAX_LABELS = 3
# Fewer words would be as good for a dozen of its neighbours.
_TITLE_WORDS = range(4, 13)
_MAX_TITLE_QUERY = 6


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A query that a suite might hold.

    Attributes:
        expect_paths: `doc_id`s; none means that nothing is expected to be found.
        why: What speaks for it.
        provenance: Where the labels come from.
    """

    query_id: str
    text: str
    category: str
    why: str
    provenance: Provenance
    expect_paths: tuple[str, ...] = ()


def suggest(
    log: Iterable[LoggedQuery | LoggedOpening],
    catalog: Iterable[Row],
    suite: Suite | None = None,
    *,
    limit: int = 20,
) -> list[Suggestion]:
    """Queries that the suite lacks, those with the best evidence first.

    Args:
        log: What was asked and opened, the oldest first.
        catalog: What is indexed; a label names nothing else.
        suite: What there is already: queries nearly alike are left out, and so are titles of
            documents that it expects.
        limit: Most suggestions, >= 1.
    """
    resolver = Resolver(catalog)
    queries = suite.queries if suite is not None else ()
    there = [_content(query.text) for query in queries]
    ids = {query.query_id for query in queries}
    covered = {
        doc_id
        for query in queries
        for entry in query.expectations
        for doc_id in resolver.any_of(entry.any_of)
    }
    found: list[Suggestion] = []
    for candidate in chain(
        _from_log(log, resolver.rows.keys()), _from_titles(resolver.rows.values())
    ):
        if len(found) == limit:
            break
        words = _content(candidate.text)
        if any(_alike(words, other) >= _SAME for other in there):
            continue
        if candidate.provenance == "title" and not covered.isdisjoint(candidate.expect_paths):
            continue
        query_id = _free_id(candidate, ids)
        ids.add(query_id)
        there.append(words)
        covered.update(candidate.expect_paths)
        found.append(replace(candidate, query_id=query_id))
    return found


# From the log


@dataclass(slots=True)
class _Asked:
    """What is known of one question, however often it was asked."""

    first: int
    latest: LoggedQuery
    n_asked: int = 0
    opened: Counter[str] = field(default_factory=Counter)
    # The questions, in other words, that found something later.
    rephrased: dict[frozenset[str], str] = field(default_factory=dict)


def _from_log(
    log: Iterable[LoggedQuery | LoggedOpening], doc_ids: Collection[str]
) -> Iterator[Suggestion]:
    asked = _questions(log)
    drafts = [draft for one in asked.values() if (draft := _draft(one, asked, doc_ids))]
    for _, _, _, suggestion in sorted(drafts, key=lambda draft: draft[:3]):
        yield suggestion


def _questions(log: Iterable[LoggedQuery | LoggedOpening]) -> dict[frozenset[str], _Asked]:
    """The questions of a log by their words, each with what followed it."""
    asked: dict[frozenset[str], _Asked] = {}
    recent: deque[tuple[frozenset[str], LoggedQuery]] = deque(maxlen=_REACH)
    for entry in log:
        while recent and recent[0][1].day != entry.day:
            recent.popleft()
        if isinstance(entry, LoggedOpening):
            for words, query in reversed(recent):
                if any(hit.doc_id == entry.doc_id for hit in query.hits):
                    asked[words].opened[entry.doc_id] += 1
                    break
            continue
        words = _content(entry.text)
        if not words or not _is_askable(entry):
            continue
        one = asked.setdefault(words, _Asked(len(asked), entry))
        one.n_asked += 1
        one.latest = entry
        if _top(entry, "reliable") is not None:
            for earlier, query in recent:
                if earlier != words and earlier & words and _found_nothing(query):
                    asked[earlier].rephrased[words] = entry.text
        recent.append((words, entry))
    return asked


def _is_askable(query: LoggedQuery) -> bool:
    """Whether a suite could ask it: without filters, as it was, in characters that YAML holds."""
    redacted = any(mark in query.text for mark in PLACEHOLDERS)
    return not query.filters and not redacted and not _SURROGATE.search(query.text)


def _draft(
    one: _Asked, asked: dict[frozenset[str], _Asked], doc_ids: Collection[str]
) -> tuple[int, int, int, Suggestion] | None:
    """The suggestion that the best evidence gives; before it what it is ordered by."""
    text = one.latest.text
    times = "once" if one.n_asked == 1 else f"{one.n_asked} times"

    def draft(
        evidence: int, provenance: Provenance, why: str, labels: Sequence[str], category: str = ""
    ) -> tuple[int, int, int, Suggestion]:
        suggestion = Suggestion(
            "", text, category or _category(text), why, provenance, tuple(labels)
        )
        return evidence, -one.n_asked, one.first, suggestion

    opened = _best(one.opened, doc_ids)
    if opened:
        n_opened = sum(one.opened.values())
        why = f"asked {times}; what it found was opened afterwards ({n_opened})"
        return draft(0, "log", why, opened)
    if _found_nothing(one.latest):
        for words, other in one.rephrased.items():
            why = f"asked {times} and found nothing; put as {other!r} it did"
            if opened := _best(asked[words].opened, doc_ids):
                return draft(1, "log", why, opened, "paraphrase")
            top = _top(asked[words].latest, "reliable")
            if top in doc_ids:
                return draft(1, "retriever", why, [str(top)], "paraphrase")
        why = f"asked {times} and found nothing above weak: a gap, or rightly so"
        return draft(2, "retriever", why, (), "no-answer")
    top = _top(one.latest, "reliable", "candidate")
    if one.n_asked >= _OFTEN and top in doc_ids:
        return draft(3, "retriever", f"asked {times}; this is its first hit", [str(top)])
    return None


def _found_nothing(query: LoggedQuery) -> bool:
    return all(hit.confidence == "weak" for hit in query.hits)


def _top(query: LoggedQuery, *labels: str) -> str | None:
    """The first hit, where it has one of these labels."""
    first = next(iter(query.hits), None)
    return first.doc_id if first and first.rank == 1 and first.confidence in labels else None


def _best(opened: Counter[str], doc_ids: Collection[str]) -> list[str]:
    return [doc_id for doc_id, _ in opened.most_common() if doc_id in doc_ids][:_MAX_LABELS]


# From the documents


def _from_titles(rows: Iterable[Row]) -> Iterator[Suggestion]:
    """A query for each document with a telling title, from one source after the other."""
    # In the order of a hash, so that the first ones are not all of one folder.
    rows = sorted(rows, key=lambda row: (crc32(row.doc_id.encode()), row.doc_id))
    n_titled = Counter(normal(row.title) for row in rows)
    n_holding = Counter(word for row in rows for word in set(_telling(row.title)))
    by_source: dict[str, list[Suggestion]] = {}
    for row in rows:
        words = _telling(row.title)
        if len(words) not in _TITLE_WORDS or n_titled[normal(row.title)] > 1:
            continue
        # The word that most titles have goes first: the whole title would find itself.
        least = sorted(words, key=lambda word: (-n_holding[word], words.index(word)))
        dropped = set(least[: max(1, len(words) - _MAX_TITLE_QUERY)])
        text = " ".join(word for word in words if word not in dropped)
        if leaks_title(text, normal(row.title)):
            continue
        why = f"no query expects this document, titled {row.title!r}"
        draft = Suggestion("", text, _category(text), why, "title", (row.doc_id,))
        by_source.setdefault(row.source, []).append(draft)
    for turn in zip_longest(*by_source.values()):
        yield from (draft for draft in turn if draft is not None)


def _telling(title: str) -> list[str]:
    """The words of a title that say what it is about, each once."""
    words = dict.fromkeys(normal(title).split())
    return [w for w in words if len(w) > 1 and w not in _LITTLE and not w.isdecimal()]


# Words


def _content(text: str) -> frozenset[str]:
    """The words that say what is asked; all of them where each says little."""
    words = frozenset(_WORD.findall(text.casefold()))
    return words - _LITTLE or words


def _alike(words: frozenset[str], others: frozenset[str]) -> float:
    """Share of the words of both that they have in common (Jaccard), 0..1."""
    return len(words & others) / len(words | others) if words or others else 1.0


def _category(text: str) -> str:
    if text.rstrip().endswith("?") or next(iter(normal(text).split()), "") in _ASKING:
        return "question"
    return "identifier" if _IDENTIFIER.search(text) else "keyword"


def _free_id(suggestion: Suggestion, taken: Collection[str]) -> str:
    words = "-".join(normal(suggestion.text).split()[:5])[:50]
    base = f"{suggestion.provenance}-{words}"
    names = chain([base], (f"{base}-{n}" for n in range(2, len(taken) + 3)))
    return next(name for name in names if name not in taken)
