"""How far can a hit be trusted?

`reliable`, `candidate` or `weak`, from the raw score of one channel with repeated query words
counted once, and from how much of the query the document covers. The thresholds are the published
ones until a corpus is calibrated; because idf grows with the corpus, one rare word is a
`candidate` among ten documents and `reliable` among a thousand (docs/scoring.md, "Labels").
Calibrated thresholds are on relevance instead (`memidx.search.calibrated`).
"""

from __future__ import annotations

from memidx.errors import ConfigError
from memidx.light import TYPE_CHECKING
from memidx.scoring import MIN_COVERAGE, VECTOR_THRESHOLDS
from memidx.search.kernels import LexicalParameters, ScoredTerm, lexical_bound
from memidx.values import Value, replace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memidx.analysis.base import QueryWord
    from memidx.config import SearchConfig
    from memidx.search.answer import Confidence
    from memidx.snapshot.parts import Numbers
    from memidx.snapshot.snapshot import Snapshot

_ORDER: tuple[Confidence, ...] = ("weak", "candidate", "reliable")


def label(score: float, thresholds: tuple[float, float]) -> Confidence:
    """Label of a raw score, or of a relevance where the thresholds are calibrated.

    Args:
        score: What is looked at.
        thresholds: For reliable and for candidate, inclusive.
    """
    reliable, candidate = thresholds
    if score >= reliable:
        return "reliable"
    return "candidate" if score >= candidate else "weak"


def relevance_once(terms: Sequence[ScoredTerm], at: LexicalParameters, score_once: float) -> float:
    """Lexical relevance with repeated query words counted once, from such a score.

    Saying a word again raises score and bound alike, but not in the same measure for every
    document, so a label that looked at the plain relevance could be talked up.
    """
    bound = lexical_bound(list(map(once, terms)), at)
    return min(1.0, score_once / bound) if bound else 0.0


def once(term: ScoredTerm) -> ScoredTerm:
    """A term as if the query said it once."""
    return replace(term, weight=term.weight_once)


def better(first: Confidence, second: Confidence) -> Confidence:
    """The stronger of two labels."""
    return max(first, second, key=_ORDER.index)


def check_threshold(search: SearchConfig) -> None:
    """Refuse a `min_score` that hides hits a label calls at least `candidate`.

    A cosine is its own relevance, so a vector hit of the candidate threshold has that relevance;
    a lexical hit can reach 1. Under weighted fusion a channel gives its share of the weights;
    under reciprocal ranks a hit far down the list gives nearly nothing, and is kept by what its
    channel gives it alone. A channel without weight takes no part.

    Raises:
        ConfigError: With the inequality that does not hold.
    """
    _, candidate = VECTOR_THRESHOLDS
    total = search.lexical_weight + search.vector_weight
    bounds: list[tuple[str, str, float]] = []
    for channel, weight, reachable in (
        ("lexical", search.lexical_weight, 1.0),
        ("vector", search.vector_weight, candidate),
    ):
        if search.strategy == channel or (
            search.strategy == "hybrid" and search.fusion == "rrf" and weight > 0.0
        ):
            bounds.append((channel, f"{reachable:g}", reachable))
        elif search.strategy == "hybrid" and weight > 0.0:
            formula = f"{weight} * {reachable:g} / {total}"
            bounds.append((channel, formula, weight * reachable / total))
    for channel, formula, bound in bounds:
        if bound < search.min_score:
            raise ConfigError(
                f"min_score hides {channel} hits that are at least candidate: "
                f"{formula} < {search.min_score}",
                expected=f"min_score <= {bound:.6g}",
                found=str(search.min_score),
                hint="lower search.min_score",
            )


class ContentWord(Value):
    """A word of a query, looked up: the term it is as a whole, and all its terms."""

    whole: Numbers | None
    terms: tuple[Numbers | None, ...]


class Coverage:
    """How much of a query's content words a document holds.

    Args:
        snapshot: Where to look.
        words: The query's words, repeats included.
    """

    def __init__(self, snapshot: Snapshot, words: Sequence[QueryWord]) -> None:
        self._snapshot = snapshot
        self._content = {word.whole: word for word in words if word.content}
        self._numbers: dict[str, Numbers | None] = {}
        self._documents: dict[Numbers, set[int]] | None = None

    def words(self) -> list[ContentWord]:
        """The distinct content words, looked up."""
        find = self._snapshot.term
        return [
            ContentWord(find(whole), tuple([find(term) for term, _ in word.terms]))
            for whole, word in self._content.items()
        ]

    def gather(self) -> None:
        """Look every word's documents up at once, for callers that ask about many documents."""
        if self._documents is None:
            numbers = {n for word in self.words() for n in (word.whole, *word.terms)}
            self._documents = {
                number: self._snapshot.documents(number) for number in numbers if number is not None
            }

    def share(self, doc: int) -> float:
        """Share of the distinct content words, 0..1; 1 when the query has none.

        A word counts whole when the document holds it whole, and else by the share of its parts:
        a path of five names is not covered by its suffix.
        """
        return self._share(doc, 1.0)

    def suffices(self, doc: int) -> bool:
        """Whether a match may be more than `weak`."""
        return self._share(doc, MIN_COVERAGE) >= MIN_COVERAGE

    def _share(self, doc: int, enough: float) -> float:
        """The share of words, as far as it has to be known: up to `enough`."""
        n_words = len(self._content)
        if not n_words:
            return 1.0
        covered = share = 0.0
        for whole, word in self._content.items():
            if self._holds(whole, doc):
                covered += 1.0
            elif word.terms:
                covered += sum([self._holds(term, doc) for term, _ in word.terms]) / len(word.terms)
            # Further words never make it less, so one or two often settle it.
            share = covered / n_words
            if share >= enough:
                break
        return share

    def _holds(self, term: str, doc: int) -> bool:
        if term not in self._numbers:
            self._numbers[term] = self._snapshot.term(term)
        numbers = self._numbers[term]
        if numbers is None:
            return False
        if self._documents is not None:
            return doc in self._documents[numbers]
        return self._snapshot.holds(numbers, doc)
