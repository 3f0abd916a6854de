"""How is an answer said in a sentence, above all an empty one?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from memidx.cli import exit_codes
from memidx.cli.terminal import printable

if TYPE_CHECKING:
    from memidx.search.answer import Answer

# Verdict -> why there are no hits, and what to do about it.
_EMPTY: Mapping[str, tuple[str, str]] = {
    "no_match": (
        "No document matches the query as a whole.",
        "Take a phrase out of its quotes, or leave out title: and source:.",
    ),
    "no_terms_in_index": (
        "No word of the query occurs in any document.",
        "Check the spelling, or say it in other words.",
    ),
    "empty_query": (
        "The query holds nothing to search for.",
        "Name at least one word; -word only excludes beside others.",
    ),
    "filtered_out": (
        "Documents match, but filters or excluded words took all of them out.",
        "Widen --source, --kind, --tag, --path, --since or --until, "
        "or drop --exclude-invalidated or -word.",
    ),
    "below_threshold": (
        "Documents match, but none reaches the minimum score.",
        "--min-score 0 shows them.",
    ),
    "empty_index": (
        "The index holds no documents.",
        "memidx build fills it; --check says what it would take in.",
    ),
    "hits": (
        "There are no further hits.",
        "Use a smaller --offset.",
    ),
}


def why_empty(answer: Answer) -> tuple[str, str]:
    """Why an answer has no hits, and what to do, a sentence each."""
    why, advice = _EMPTY[answer.verdict]
    if exit_codes.for_answer(answer) == exit_codes.UNFINISHED:
        why += " That is not certain: " + (
            "a source could not be read."
            if answer.sources_failed
            else "the index is older than its sources."
        )
    return why, advice


def nearest_lines(answer: Answer) -> list[str]:
    """Titles and places of documents to rephrase the question by; none where a hit is sure."""
    if not answer.nearest:
        return []
    head = "Nearest documents:" if not answer.hits else "Nothing sure; near it there are also:"
    return [
        head,
        *(f"- {cut(near.title, 80)} ({printable(near.doc_id)})" for near in answer.nearest),
    ]


def closing_line(answer: Answer) -> str:
    """One line: verdict, counts, freshness, and what was not searched."""
    parts = [
        f"{answer.verdict}: {_counts(answer)}",
        answer.freshness,
        answer.strategy,
        f"{plural(answer.n_docs, 'document')} searched",
    ]
    if answer.also:
        parts.append(f"asked in {len(answer.also) + 1} ways")
    if answer.excluded:
        parts.append("without " + ", ".join(printable(word) for word in answer.excluded))
    if answer.n_skipped:
        parts.append(f"{answer.n_skipped} skipped (memidx verify lists them)")
    if answer.sources_failed:
        parts.append(
            "FAILED "
            + ", ".join(
                printable(f"{problem.source or problem.path} ({problem.reason})")
                for problem in answer.sources_failed
            )
        )
    return "; ".join(parts)


def plural(count: int, noun: str) -> str:
    """`1 document`, `2 documents`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def cut(text: str, width: int) -> str:
    """Text on one line, at most `width` characters long."""
    line = printable(text)
    return line if len(line) <= width else line[: width - 3].rstrip() + "..."


def place(doc_id: str, line: int | None) -> str:
    """Where a hit stands: `doc_id:line`."""
    return printable(doc_id) if line is None else f"{printable(doc_id)}:{line}"


def _counts(answer: Answer) -> str:
    counts = f"{answer.n_matched:,} matched"
    if len(answer.n_by_source) > 1:
        by_source = sorted(answer.n_by_source.items(), key=lambda item: (-item[1], item[0]))
        counts += " (" + ", ".join(f"{printable(name)} {n:,}" for name, n in by_source) + ")"
    return f"{len(answer.hits)} shown of {counts}" if answer.hits else counts
