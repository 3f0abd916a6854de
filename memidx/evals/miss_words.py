"""Which kind of miss do some facts make, and in which words is it said?

What `memidx.evals.misses` finds out is judged and worded here. Pure.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence

from memidx.analysis.base import QueryWord
from memidx.evals.missed import Kind, Miss, WordShare
from memidx.evals.report import QueryResult
from memidx.evals.stale import STALE_RULES
from memidx.search.answer import Ranked
from memidx.search.parse import ParsedQuery

_WORD = re.compile(r"\w+")


def fold(text: str) -> str:
    """Text without case and accents."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def open_misses(result: QueryResult) -> list[Miss]:
    """Why a query could not be judged, a reason each."""
    return [
        Miss(result.query_id, kind_of_doubt(reason), _subject(reason), detail=reason)
        for reason in result.reasons
    ]


def kind_of_doubt(reason: str) -> Kind:
    """What kind of miss a reason for not judging is."""
    if reason.startswith("source "):
        return "source_failed"
    if reason == "the index is stale":
        return "stale_index"
    return "stale_label" if reason.startswith(STALE_RULES) else "bad_label"


def _subject(reason: str) -> str:
    """The source a reason is about; else what the lint said after its rule."""
    words = reason.split()
    return words[1] if reason.startswith("source ") else reason.partition(": ")[2] or reason


def clauses_of(parsed: ParsedQuery) -> Iterator[tuple[str, str]]:
    """Each clause that narrows, and the query without it; at last without all of them."""
    text = parsed.text
    clauses: list[tuple[str, str]] = []
    clauses += [(f'"{phrase}"', phrase) for phrase in parsed.phrases]
    clauses += [
        (written, "")
        for name in parsed.excluded
        for written in (f'-"{name}"', f"-{name}")
        if written in text
    ]
    clauses += [
        (written, "")
        for name in parsed.sources
        for written in (f'source:"{name}"', f"source:{name}")
        if written in text
    ]
    plain = text
    for written, instead in clauses:
        plain = plain.replace(written, instead)
        yield written, text.replace(written, instead)
    if len(clauses) > 1:
        yield " with ".join(written for written, _ in clauses), plain


def kind_of(
    missing: Sequence[QueryWord],
    written: Sequence[QueryWord],
    shares: Sequence[WordShare],
    rank: int | None,
) -> Kind:
    """A gap where the words it lacks cost it more than the words it holds; else the ranking.

    A gap is one of analysis where most of the words it lacks stand in its text.
    """
    gap: Kind = "analysis_gap" if 2 * len(written) > len(missing) else "vocabulary_gap"
    if not missing:
        return "ranking_loss"
    if rank is None:
        return gap
    lacking = {word.surface for word in missing}
    lost = {share.word: max(0.0, share.winner - share.expected) for share in shares}
    by_gap = sum(value for word, value in lost.items() if word in lacking)
    return gap if by_gap > sum(lost.values()) - by_gap else "ranking_loss"


def standing_word(surface: str, folded: str) -> str:
    """The word of a text that begins with a query's word; empty where there is none."""
    wanted = fold(surface)
    at = folded.find(wanted)
    while wanted and at >= 0:
        if at == 0 or not (folded[at - 1].isalnum() and wanted[0].isascii()):
            match = _WORD.match(folded, at)
            return match[0] if match else wanted
        at = folded.find(wanted, at + 1)
    return ""


def says_missing(
    missing: Sequence[QueryWord],
    written: Sequence[QueryWord],
    standing: Mapping[str, str],
    document: str,
) -> str:
    """Words that a document lacks, and words that stand in it under other terms."""
    absent = list(dict.fromkeys(w.surface for w in missing if w not in written))
    parts = [f"{document} has no term of {', '.join(absent)}"] if absent else []
    there = list(dict.fromkeys(w.surface for w in written))
    if there:
        named = ", ".join(f"{name} (as {standing[name]})" for name in there)
        parts.append(f"{document} has it written, but under other terms: {named}")
    return "; ".join(parts)


def factor_of(hit: Ranked) -> float:
    """Weight times decay."""
    return hit.composite / hit.relevance if hit.relevance else 0.0
