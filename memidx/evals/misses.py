"""Why did a query fail?

For everything a failing query missed: was the label stale, did a source fail, did the query's own
clauses or the threshold shut the document out, does the document lack the words, does it hold them
in a form that makes other terms, or did another document win, and by which words? Whatever is said
was looked up or tried. The kinds: docs/evaluation.md.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from memidx.analysis.base import Analyzer, QueryWord
from memidx.evals.judge import judge
from memidx.evals.measures import DEPTH
from memidx.evals.missed import Kind, Miss, WordShare
from memidx.evals.patterns import Resolver
from memidx.evals.present import WholeIndex
from memidx.evals.report import QueryResult, Report
from memidx.evals.run import NO_TIMES
from memidx.evals.stale import STALE_RULES
from memidx.evals.suite import GoldenQuery, Suite
from memidx.results import Explanation
from memidx.search.answer import Ranked
from memidx.search.parse import ParsedQuery, parse
from memidx.search.ranking import rank_many

_WORD = re.compile(r"\w+")
_SHOWN_SHARES = 3
_SAME_SCORE = 1e-9
# Of an expectation that many documents fit, so many are looked at.
_MOST_DOCUMENTS = 20


class ExplainingIndex(WholeIndex, Protocol):
    """What is asked of an index (`memidx.index.Index` has it)."""

    def explain(self, query: str, doc_id: str) -> Explanation: ...  # noqa: D102
    def rank(  # noqa: D102
        self,
        queries: Sequence[str],
        k: int = 10,
        *,
        strategy: str | None = None,
        as_of: str | None = None,
        sources: Sequence[str] = (),
    ) -> list[list[Ranked]]: ...


@dataclass(frozen=True, slots=True)
class Inquiry:
    """One failing query, and what is needed to look into it."""

    query: GoldenQuery
    ranking: Sequence[Ranked]
    parsed: ParsedQuery
    words: tuple[QueryWord, ...]


class Misses:
    """Looks into the failing queries of one run.

    Args:
        suite: The suite that was run.
        index: The index it was run against, not refreshed since.
        report: What came of it.
    """

    def __init__(self, suite: Suite, index: ExplainingIndex, report: Report) -> None:
        self._index = index
        self._report = report
        self.resolver = Resolver(index.catalog())
        self.strategy = str(report.facts["strategy"])
        self.as_of = str(report.facts["as_of"] or NO_TIMES)
        self._analyzer: Analyzer = index.rank_inputs().analyzer
        self._texts: Mapping[str, str] | None = None
        self._failing = [
            (query, result)
            for query, result in zip(suite.queries, report.queries, strict=True)
            if result.status != "passed"
        ]

    def find(self) -> list[Miss]:
        """Every miss, in the order of the suite."""
        failed = [query for query, result in self._failing if result.status == "failed"]
        rankings = dict(
            zip(
                (query.line for query in failed),
                self.rank([query.text for query in failed]),
                strict=True,
            )
        )
        misses: list[Miss] = []
        for query, result in self._failing:
            if result.status == "failed":
                misses += self._of(self._inquiry(query, rankings[query.line]))
            else:
                misses += _open(result)
        return misses

    def rank(self, texts: Sequence[str], sources: Sequence[str] = ()) -> list[list[Ranked]]:
        """Rankings as the run made them."""
        return self._index.rank(
            texts, DEPTH, strategy=self.strategy, as_of=self.as_of, sources=sources
        )

    def text(self, doc_id: str) -> str:
        """A document's title, path and text: what is analysed."""
        if self._texts is None:
            self._texts = dict(self._index.texts())
        row = self.resolver.rows[doc_id]
        return f"{row.title}\n{row.path}\n{self._texts[doc_id]}"

    def _inquiry(self, query: GoldenQuery, ranking: Sequence[Ranked]) -> Inquiry:
        parsed = parse(query.text)
        words = (
            *self._analyzer.query(parsed.words),
            *self._analyzer.query(parsed.title_words),
        )
        return Inquiry(query, ranking, parsed, words)

    def _of(self, inquiry: Inquiry) -> Iterator[Miss]:
        """What a failed query missed, an entry each."""
        query, ranking = inquiry.query, inquiry.ranking
        if query.expect_empty:
            strong = next(n for n, hit in enumerate(ranking) if hit.confidence != "weak")
            yield self._false_positive(inquiry, strong)
            return
        judgement = judge(query, ranking, self.resolver)
        seen: set[str] = set()
        for entry, found in zip(query.expectations, judgement.expected, strict=True):
            if entry in query.expect_paths and (found.rank is None or found.rank > query.k):
                seen.update(entry.any_of)
                documents = self.resolver.any_of(entry.any_of)
                yield self._missed(inquiry, entry.label, documents, query.k)
        if query.top1 is not None and query.top1 not in seen:
            documents = self.resolver.documents(query.top1)
            if not ranking or ranking[0].doc_id not in documents:
                yield self._missed(inquiry, query.top1, documents, 1)
        for name in query.expect_sources:
            if name not in judgement.sources_found:
                yield self._missed_source(inquiry, name)
        banned = self.resolver.any_of(query.must_not)
        for place, hit in enumerate(ranking[: query.k]):
            if hit.doc_id in banned:
                yield self._false_positive(inquiry, place)

    def _missed(self, inquiry: Inquiry, label: str, documents: frozenset[str], place: int) -> Miss:
        """Why none of these documents is among the first `place` hits."""
        ranks = {hit.doc_id: rank for rank, hit in enumerate(inquiry.ranking, 1)}
        nearest = min((d for d in documents if d in ranks), key=ranks.__getitem__, default=None)
        if nearest is None:
            shut_out = self._shut_out(inquiry, documents) or self._too_low(inquiry, documents)
            if shut_out is not None:
                kind, document, detail = shut_out
                return Miss(inquiry.query.query_id, kind, label, document, detail=detail)
            nearest = max(
                sorted(documents)[:_MOST_DOCUMENTS],
                key=lambda doc_id: self._index.explain(inquiry.query.text, doc_id).score,
            )
        return self._lost(inquiry, label, nearest, ranks.get(nearest), place)

    def _missed_source(self, inquiry: Inquiry, name: str) -> Miss:
        """Why no document of a source is among the first k."""
        label = f"source {name}"
        (alone,) = self.rank([inquiry.query.text], [name])
        documents = frozenset(
            row.doc_id for row in self.resolver.rows.values() if row.source == name
        )
        if alone:
            documents = frozenset({alone[0].doc_id})
        return self._missed(inquiry, label, documents, inquiry.query.k)

    def _shut_out(
        self, inquiry: Inquiry, documents: frozenset[str]
    ) -> tuple[Kind, str, str] | None:
        """Whether a clause of the query keeps them out: it is asked again without it."""
        for clause, without in _clauses(inquiry.parsed):
            (ranking,) = self.rank([without])
            for rank, hit in enumerate(ranking, 1):
                if hit.doc_id in documents:
                    detail = (
                        f"{hit.doc_id} is shut out by {clause}: without it, it is at rank {rank}"
                    )
                    return "filtered", hit.doc_id, detail
        return None

    def _too_low(self, inquiry: Inquiry, documents: frozenset[str]) -> tuple[Kind, str, str] | None:
        """Whether `min_score` keeps them out: it is asked again without it."""
        inputs = self._index.rank_inputs(self.as_of)
        search = inputs.settings.search
        if search.min_score <= 0.0:
            return None
        settings = replace(inputs.settings, search=replace(search, min_score=0.0))
        (ranking,) = rank_many(
            inputs.snapshot,
            inputs.analyzer,
            settings,
            [inquiry.query.text],
            k=DEPTH,
            strategy=self.strategy,
        )
        for rank, hit in enumerate(ranking, 1):
            if hit.doc_id in documents:
                detail = (
                    f"{hit.doc_id} has relevance {hit.relevance:.4f}, below min_score "
                    f"{search.min_score:g}: without it, it is at rank {rank}"
                )
                return "below_threshold", hit.doc_id, detail
        return None

    def _lost(
        self, inquiry: Inquiry, label: str, document: str, rank: int | None, place: int
    ) -> Miss:
        """Words it lacks, words it holds otherwise, and who won by which words."""
        content = [word for word in inquiry.words if word.content] or list(inquiry.words)
        own = self._scores(inquiry, document)
        missing = [word for word in content if not own[word.surface]]
        folded = fold(self.text(document))
        standing = {word.surface: _standing(word.surface, folded) for word in missing}
        written = [word for word in missing if standing[word.surface]]
        others = [hit for hit in inquiry.ranking if hit.doc_id != document]
        winner = others[place - 1] if len(others) >= place else None
        shares: list[WordShare] = []
        if winner is not None:
            theirs = self._scores(inquiry, winner.doc_id)
            shares = [WordShare(name, own[name], theirs[name]) for name in own]
            shares.sort(key=lambda share: share.expected - share.winner)
        kind = _kind(missing, written, shares, rank)
        detail = "; ".join(
            part
            for part in (
                _says_missing(missing, written, standing, document),
                self._says_lost(inquiry, document, rank, winner, place, shares),
            )
            if part
        )
        return Miss(
            query_id=inquiry.query.query_id,
            kind=kind,
            target=label,
            document=document,
            rank=rank,
            winner=None if winner is None else winner.doc_id,
            missing=tuple(dict.fromkeys(word.surface for word in missing)),
            written=tuple(dict.fromkeys(word.surface for word in written)),
            shares=tuple(shares),
            detail=detail,
        )

    def _says_lost(
        self,
        inquiry: Inquiry,
        document: str,
        rank: int | None,
        winner: Ranked | None,
        place: int,
        shares: Sequence[WordShare],
    ) -> str:
        if winner is None:
            return ""
        said = f"{winner.doc_id} takes place {place}"
        ahead = [share for share in shares if share.winner > share.expected][:_SHOWN_SHARES]
        if ahead:
            said += " by " + ", ".join(
                f"{share.word} ({share.winner:.2f} to {share.expected:.2f})" for share in ahead
            )
        lead = sum(share.winner - share.expected for share in shares)
        lexical = self._index.explain(inquiry.query.text, winner.doc_id).score
        if abs(lexical - winner.score) > _SAME_SCORE:
            said += "; the order is not the lexical one, whose scores these are"
        elif lead <= 0.0 and rank is not None:
            ours = inquiry.ranking[rank - 1]
            said += (
                f"; its words are worth no more, weight and age of its source are "
                f"(factor {_factor(winner):.3f} to {_factor(ours):.3f})"
            )
        return said

    def _false_positive(self, inquiry: Inquiry, place: int) -> Miss:
        """By which words a document came that should not have come."""
        hit = inquiry.ranking[place]
        scores = self._scores(inquiry, hit.doc_id)
        shares = sorted(
            (WordShare(word, 0.0, score) for word, score in scores.items()),
            key=lambda share: -share.winner,
        )
        by = ", ".join(f"{s.word} ({s.winner:.2f})" for s in shares[:_SHOWN_SHARES] if s.winner)
        detail = f"{hit.doc_id} is {hit.confidence} at rank {place + 1}"
        return Miss(
            query_id=inquiry.query.query_id,
            kind="false_positive",
            target=hit.doc_id,
            winner=hit.doc_id,
            shares=tuple(shares),
            detail=f"{detail} by {by}" if by else detail,
        )

    def _scores(self, inquiry: Inquiry, document: str) -> dict[str, float]:
        """Lexical score that each word of the query gives a document; a term counts once."""
        by_term: dict[str, float] = {}
        for part in self._index.explain(inquiry.query.text, document).parts:
            by_term[part["term"]] = by_term.get(part["term"], 0.0) + part["score"]
        scores: dict[str, float] = {}
        for word in inquiry.words:
            found = sum(by_term.pop(term, 0.0) for term, _ in word.terms)
            scores[word.surface] = scores.get(word.surface, 0.0) + found
        return scores


def fold(text: str) -> str:
    """Text without case and accents."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def _open(result: QueryResult) -> list[Miss]:
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


def _clauses(parsed: ParsedQuery) -> Iterator[tuple[str, str]]:
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


def _kind(
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


def _standing(surface: str, folded: str) -> str:
    """The word of a text that begins with a query's word; empty where there is none."""
    wanted = fold(surface)
    at = folded.find(wanted)
    while wanted and at >= 0:
        if at == 0 or not (folded[at - 1].isalnum() and wanted[0].isascii()):
            match = _WORD.match(folded, at)
            return match[0] if match else wanted
        at = folded.find(wanted, at + 1)
    return ""


def _says_missing(
    missing: Sequence[QueryWord],
    written: Sequence[QueryWord],
    standing: Mapping[str, str],
    document: str,
) -> str:
    absent = list(dict.fromkeys(w.surface for w in missing if w not in written))
    parts = [f"{document} has no term of {', '.join(absent)}"] if absent else []
    there = list(dict.fromkeys(w.surface for w in written))
    if there:
        named = ", ".join(f"{name} (as {standing[name]})" for name in there)
        parts.append(f"{document} has it written, but under other terms: {named}")
    return "; ".join(parts)


def _factor(hit: Ranked) -> float:
    """Weight times decay."""
    return hit.composite / hit.relevance if hit.relevance else 0.0


MakeAnalyzer = Callable[[Mapping[str, tuple[str, ...]]], Analyzer]
