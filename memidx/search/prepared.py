"""What does a query look like inside one snapshot?

Words of the query language become weighted terms with their numbers in the vocabulary, phrases
become tests of a document's text, exclusions become terms and phrases to stay clear of.
"""

from __future__ import annotations

from memidx.analysis.base import Analyzer, QueryWord
from memidx.config import SearchConfig
from memidx.light import TYPE_CHECKING
from memidx.search import kernels
from memidx.search.kernels import ScoredTerm
from memidx.search.labels import Coverage
from memidx.search.parse import ParsedQuery, parse
from memidx.snapshot.snapshot import Snapshot
from memidx.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from memidx.search.exclusions import Exclusion
    from memidx.search.phrases import Phrase


@dataclass(frozen=True, slots=True)
class Prepared:
    """A query, looked up in one snapshot."""

    parsed: ParsedQuery
    words: tuple[QueryWord, ...]
    terms: tuple[ScoredTerm, ...]
    phrases: tuple[Phrase, ...]
    excluded: tuple[ScoredTerm, ...]
    excluded_phrases: tuple[Exclusion, ...]
    coverage: Coverage

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to search for."""
        return not self.terms

    @property
    def narrows(self) -> bool:
        """Whether the query holds more than words that add up."""
        return bool(self.phrases or self.excluded or self.excluded_phrases or self.parsed.sources)

    @property
    def repeats(self) -> bool:
        """Whether a term occurs more than once."""
        return any(term.weight != term.weight_once for term in self.terms)


def prepare(
    snapshot: Snapshot,
    analyzer: Analyzer,
    text: str,
    search: SearchConfig,
    *,
    plain: bool = False,
) -> Prepared:
    """Take a query apart and look its terms up.

    Args:
        plain: The text is words and nothing else: a test collection's questions are not written
            in this query language, and their quotation marks and hyphens mean nothing.
    """
    parsed = ParsedQuery(text, words=text) if plain else parse(text)
    everywhere = _everywhere(len(snapshot.fields), search.title_weight)
    words = analyzer.query(parsed.words)
    occurrences = [(term, weight, everywhere) for word in words for term, weight in word.terms]
    if parsed.is_plain:
        coverage = Coverage(snapshot, words)
        terms = kernels.look_up(snapshot, occurrences)
        return Prepared(parsed, words, terms, (), (), (), coverage)
    title_only = everywhere[1:] or everywhere
    title_words = analyzer.query(parsed.title_words)
    occurrences += [
        (term, weight, title_only) for word in title_words for term, weight in word.terms
    ]
    terms = kernels.look_up(snapshot, occurrences)
    excluded = kernels.look_up(
        snapshot,
        [
            (word.whole, 1.0, everywhere)
            for phrase in parsed.excluded
            if _is_word(phrase, analyzer)
            for word in analyzer.query(phrase)
        ],
    )
    every_word = (*words, *title_words)
    coverage = Coverage(snapshot, every_word)
    return Prepared(
        parsed,
        every_word,
        terms,
        _phrases(snapshot, analyzer, parsed.phrases),
        excluded,
        (
            *_exclusions_of_fields(snapshot, analyzer, parsed),
            *_phrases(
                snapshot,
                analyzer,
                [text for text in parsed.excluded if not _is_word(text, analyzer)],
            ),
        ),
        coverage,
    )


def _phrases(snapshot: Snapshot, analyzer: Analyzer, texts: Collection[str]) -> tuple[Phrase, ...]:
    if not texts:
        return ()
    from memidx.search.phrases import Phrase  # most questions have none

    return tuple(Phrase(snapshot, analyzer, text) for text in texts)


def _exclusions_of_fields(
    snapshot: Snapshot, analyzer: Analyzer, parsed: ParsedQuery
) -> Sequence[Exclusion]:
    if not (parsed.excluded_sources or parsed.excluded_titles):
        return ()
    from memidx.search.exclusions import exclusions_of_fields  # likewise

    return exclusions_of_fields(snapshot, analyzer, parsed)


def _everywhere(n_fields: int, title_weight: float) -> tuple[tuple[int, float], ...]:
    """Every field with its weight: those behind the text count as the title does."""
    return ((0, 1.0), *[(position, title_weight) for position in range(1, n_fields)])


def _is_word(text: str, analyzer: Analyzer) -> bool:
    """Whether an exclusion is one word; what is made of several is looked for as a phrase."""
    return len(analyzer.query(text)) == 1
