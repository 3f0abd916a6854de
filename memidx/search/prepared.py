"""What does a query look like inside one snapshot?

Words of the query language become weighted terms with their numbers in the vocabulary, phrases
become tests of a document's text, exclusions become terms and phrases to stay clear of.
"""

from __future__ import annotations

from memidx.light import TYPE_CHECKING
from memidx.search.kernels import ScoredTerm, look_up
from memidx.search.labels import Coverage
from memidx.search.parse import ParsedQuery, parse
from memidx.values import Value

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from memidx.analysis.base import Analyzer, QueryWord
    from memidx.config import SearchConfig
    from memidx.search.exclusions import Exclusion
    from memidx.search.phrases import Phrase
    from memidx.snapshot.snapshot import Snapshot


class Prepared(Value):
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
    everywhere = every_field(snapshot, search)
    words = analyzer.query(parsed.words)
    if parsed.is_plain:
        terms = look_up(snapshot, occurrences(words), everywhere)
        return Prepared(parsed, words, terms, (), (), (), Coverage(snapshot, words))
    title_only = everywhere[1:] or everywhere
    title_words = analyzer.query(parsed.title_words)
    if title_only == everywhere:
        terms = look_up(snapshot, occurrences((*words, *title_words)), everywhere)
    else:
        terms = (
            *look_up(snapshot, occurrences(words), everywhere),
            *look_up(snapshot, occurrences(title_words), title_only),
        )
    excluded = look_up(
        snapshot,
        [
            (word.whole, 1.0)
            for phrase in parsed.excluded
            if _is_word(phrase, analyzer)
            for word in analyzer.query(phrase)
        ],
        everywhere,
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


def every_field(snapshot: Snapshot, search: SearchConfig) -> tuple[tuple[int, float], ...]:
    """Every field with its weight: those behind the text count as the title does."""
    further = range(1, len(snapshot.fields))
    return ((0, 1.0), *[(position, search.title_weight) for position in further])


def occurrences(words: Iterable[QueryWord]) -> list[tuple[str, float]]:
    """Terms of a query's words with their weights, in order, repeats included."""
    return [occurrence for word in words for occurrence in word.terms]


def _is_word(text: str, analyzer: Analyzer) -> bool:
    """Whether an exclusion is one word; what is made of several is looked for as a phrase."""
    return len(analyzer.query(text)) == 1
