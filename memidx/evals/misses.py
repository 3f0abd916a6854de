"""Why did a query fail?

For everything a failing query missed: was the label stale, did a source fail, did the query's own
clauses or the threshold shut the document out, does the document lack the words, does it hold them
in a form that makes other terms, or did another document win, and by which words? Whatever is said
was looked up or tried. The kinds: docs/evaluation.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from memidx.analysis.base import Analyzer, QueryWord
from memidx.evals.judge import judge
from memidx.evals.measures import DEPTH
from memidx.evals.miss_words import (
    clauses_of,
    factor_of,
    fold,
    kind_of,
    open_misses,
    says_missing,
    standing_word,
)
from memidx.evals.missed import Kind, Miss, WordShare
from memidx.evals.patterns import Resolver
from memidx.evals.present import WholeIndex
from memidx.evals.report import Report
from memidx.evals.run import NO_TIMES
from memidx.evals.suite import GoldenQuery, Suite
from memidx.results import Explanation
from memidx.search.answer import Ranked
from memidx.search.parse import ParsedQuery, parse
from memidx.search.ranking import rank_many

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
                misses += open_misses(result)
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
        for clause, without in clauses_of(inquiry.parsed):
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
        standing = {word.surface: standing_word(word.surface, folded) for word in missing}
        written = [word for word in missing if standing[word.surface]]
        others = [hit for hit in inquiry.ranking if hit.doc_id != document]
        winner = others[place - 1] if len(others) >= place else None
        shares: list[WordShare] = []
        if winner is not None:
            theirs = self._scores(inquiry, winner.doc_id)
            shares = [WordShare(name, own[name], theirs[name]) for name in own]
            shares.sort(key=lambda share: share.expected - share.winner)
        kind = kind_of(missing, written, shares, rank)
        detail = "; ".join(
            part
            for part in (
                says_missing(missing, written, standing, document),
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
                f"(factor {factor_of(winner):.3f} to {factor_of(ours):.3f})"
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
