"""What would mend a miss? Only what was tried on the suite is said.

For words that the expected document lacks: an alias to a word that is typical of it, with which
the query passes; then every query of the suite that the alias reaches is run again. For a stale
label: the document with the nearest name, with which the query passes.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from memidx.analysis.base import Analyzer, QueryWord
from memidx.evals.judge import judge
from memidx.evals.measures import DEPTH
from memidx.evals.miss_words import fold
from memidx.evals.missed import Hint, Miss
from memidx.evals.misses import ExplainingIndex, Misses
from memidx.evals.report import Report
from memidx.evals.stale import mend, patterns_of
from memidx.evals.suite import GoldenQuery, Suite
from memidx.search.answer import Ranked
from memidx.search.parse import parse
from memidx.search.ranking import rank_many

# The run's analyzer with further aliases.
MakeAnalyzer = Callable[[Mapping[str, tuple[str, ...]]], Analyzer]

# Trying costs a ranking each; so many misses, words of a query and words of a document are tried.
MOST_MISSES = 20
_MOST_WORDS = 3
_MOST_TERMS = 6
_MOST_LOOKED_AT = 300
_NEAR = 0.6


class Hints:
    """Tries changes on the suite of one run.

    Args:
        suite: The suite that was run.
        index: The index it was run against, not refreshed since.
        report: What came of it.
        found: Its misses.
        make_analyzer: Gives the run's analyzer with further aliases.
    """

    def __init__(
        self,
        suite: Suite,
        index: ExplainingIndex,
        report: Report,
        found: Misses,
        make_analyzer: MakeAnalyzer,
    ) -> None:
        self._suite = suite
        self._index = index
        self._found = found
        self._make = make_analyzer
        self._inputs = index.rank_inputs(found.as_of)
        self._passed = {
            query.line: result.status == "passed"
            for query, result in zip(suite.queries, report.queries, strict=True)
            if result.status != "inconclusive"
        }
        self._by_id = {query.query_id: query for query in suite.queries}
        self._read = [_reads(self._inputs.analyzer, query) for query in suite.queries]

    def add(self, misses: Sequence[Miss]) -> list[Miss]:
        """The same misses, each of the first of them with what mends it."""
        hinted = list(misses)
        for position, miss in enumerate(hinted[:MOST_MISSES]):
            query = self._by_id[miss.query_id]
            if miss.kind == "stale_label":
                hinted[position] = replace(miss, hint=self._label(query))
            elif miss.kind in ("vocabulary_gap", "analysis_gap", "ranking_loss") and miss.missing:
                hint, n_tried = self._alias(query, miss)
                hinted[position] = replace(miss, hint=hint, n_tried=n_tried)
        return hinted

    def _alias(self, query: GoldenQuery, miss: Miss) -> tuple[Hint | None, int]:
        """The alias that fixes most and breaks least, of those with which the query passes."""
        best: Hint | None = None
        n_tried = 0
        for word, meanings in self._candidates(query, miss):
            n_tried += 1
            analyzer = self._make({word: meanings})
            if not self._passes(query, analyzer, query.k):
                continue
            hint = self._check(word, meanings, analyzer)
            if best is None or _worth(hint) > _worth(best):
                best = hint
            if not hint.n_broken:
                break
        return best, n_tried

    def _candidates(self, query: GoldenQuery, miss: Miss) -> Iterator[tuple[str, tuple[str, ...]]]:
        """A word the document lacks, and words of the document that it could stand for."""
        if miss.document is None:
            return
        terms = self._typical(query, miss.document)
        for word in miss.missing[:_MOST_WORDS]:
            if any(sign in word for sign in "=,#"):
                continue  # an alias file has no way to write it
            for term in terms:
                yield word, (term,)
        for word in miss.missing[:_MOST_WORDS]:
            if len(terms) > 1 and not any(sign in word for sign in "=,#"):
                yield word, tuple(terms[:3])

    def _typical(self, query: GoldenQuery, document: str) -> list[str]:
        """Words of a document that weigh most in it, none of which the query asks for."""
        asked = {term for word in self._inputs.analyzer.query(query.text) for term, _ in word.terms}
        surfaces: dict[str, str] = {}
        text = self._found.text(document)
        for span in self._inputs.analyzer.spans(text):
            word = text[span.start : span.end]
            if span.terms and asked.isdisjoint(span.terms) and word.isalpha() and len(word) > 2:
                surfaces.setdefault(span.terms[0], fold(word))
            if len(surfaces) >= _MOST_LOOKED_AT:
                break
        scores: dict[str, float] = {}
        for part in self._index.explain(" ".join(surfaces.values()), document).parts:
            if part["term"] in surfaces:
                scores[part["term"]] = scores.get(part["term"], 0.0) + part["score"]
        best = sorted(scores, key=lambda term: (-scores[term], term))
        return list(dict.fromkeys(surfaces[term] for term in best if scores[term]))[:_MOST_TERMS]

    def _check(self, word: str, meanings: tuple[str, ...], analyzer: Analyzer) -> Hint:
        """Run every query again that the alias reaches; the others cannot change.

        An alias acts where its words are asked for. Which queries read otherwise is compared, not
        guessed; but a query that has none of the words need not be read again.
        """
        own = {asked.whole for asked in self._inputs.analyzer.query(word)}
        n_fixed = n_broken = n_reached = 0
        for query, read in zip(self._suite.queries, self._read, strict=True):
            if query.line not in self._passed or own.isdisjoint(w.whole for w in read):
                continue
            if read == _reads(analyzer, query):
                continue
            n_reached += 1
            passes = self._passes(query, analyzer, DEPTH)
            n_fixed += passes and not self._passed[query.line]
            n_broken += self._passed[query.line] and not passes
        return Hint(f"alias {word} = {', '.join(meanings)}", n_fixed, n_broken, n_reached)

    def _passes(self, query: GoldenQuery, analyzer: Analyzer, k: int) -> bool:
        inputs = self._inputs
        # A label of confidence is the same in a shorter list; a rank below it is no pass.
        (ranking,) = rank_many(
            inputs.snapshot,
            analyzer,
            inputs.settings,
            [query.text],
            k=k,
            strategy=self._found.strategy,
        )
        return not judge(query, ranking, self._found.resolver).failures

    def _label(self, query: GoldenQuery) -> Hint | None:
        """The nearest names for labels that match nothing, if the query passes with them."""
        resolver = self._found.resolver
        names = list(dict.fromkeys([*resolver.rows, *(r.path for r in resolver.rows.values())]))
        moved: dict[str, str] = {}
        for pattern in patterns_of(query):
            if not resolver.documents(pattern):
                near = difflib.get_close_matches(pattern, names, n=1, cutoff=_NEAR)
                if near:
                    moved[pattern] = near[0]
        mended = mend(query, moved)
        if mended == query or not self._stands(mended, self._found.rank([query.text])[0]):
            return None
        said = ", ".join(f"{old} -> {new}" for old, new in moved.items())
        return Hint(f"label {said}", 1, 0, 1)

    def _stands(self, query: GoldenQuery, ranking: Sequence[Ranked]) -> bool:
        return not judge(query, ranking, self._found.resolver).failures


def find_misses(
    suite: Suite,
    index: ExplainingIndex,
    report: Report,
    make_analyzer: MakeAnalyzer | None = None,
) -> tuple[Miss, ...]:
    """Why each query that did not pass did not, and with `make_analyzer` what mends it."""
    if all(result.status == "passed" for result in report.queries):
        return ()
    found = Misses(suite, index, report)
    misses = found.find()
    if make_analyzer is not None:
        misses = Hints(suite, index, report, found, make_analyzer).add(misses)
    return tuple(misses)


def _worth(hint: Hint) -> tuple[int, int]:
    return -hint.n_broken, hint.n_fixed


def _reads(analyzer: Analyzer, query: GoldenQuery) -> list[QueryWord]:
    """Every word of a query, excluded ones too, as an analyzer reads it."""
    parsed = parse(query.text)
    texts = (parsed.words, parsed.title_words, *parsed.excluded)
    return [word for text in texts for word in analyzer.query(text)]
