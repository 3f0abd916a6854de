"""Which documents answer, when only their ids are wanted?

For queries of words alone, as most are, over sketches (`memidx.search.sketch`); whatever these do
not settle is left to the exact ranking. A chunk of a query between spaces is analysed when it is
met first, and after that a query costs a look-up for each; nothing is made of it that its ids do
not need. Needs numpy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from memidx.analysis.base import Analyzer, QueryWord
from memidx.scoring import LEXICAL_THRESHOLDS, MIN_COVERAGE
from memidx.search.batch import factors_of
from memidx.search.choosing import Chooser
from memidx.search.given import Floats, memory_of
from memidx.search.kept import Kept
from memidx.search.kernels import (
    LexicalParameters,
    lexical_bound,
    look_up,
    score_document,
)
from memidx.search.labels import Coverage
from memidx.search.parse import MAX_CHARACTERS, MAX_CLAUSES, plain_words
from memidx.search.prepared import every_field, occurrences
from memidx.search.ranking import RankSettings
from memidx.search.sketch import Key, Sketch, Sketches
from memidx.snapshot.snapshot import Snapshot

# A sketched score that is so much above a threshold is above it.
_SURELY = 1.001
_SUFFICIENT = MIN_COVERAGE * _SURELY
# Beyond these, weights and parameters could make scores, or what becomes of them, too small or too
# large for numbers that are compared by their ratio.
_MAX_PARAMETER = 1e30
_FACTORS = (1e-100, 1e100)
# What chunks of queries may take together, and each, in bytes: with a word, and for each term.
_MAX_CHUNK_BYTES = 4 * 2**20
_CHUNK_BYTES, _TERM_BYTES = 600, 200

WordsOf = Callable[[str], Sequence[QueryWord] | None]
"""Words of a chunk of a query, without stop words; None where others may change them."""


class _Asked(NamedTuple):
    """What a query, or a chunk of one, asks for.

    Attributes:
        keys: Of the sketches of its terms that occur, in order.
        wholes: Of its content words.
        words: All of its words.
    """

    keys: tuple[Key, ...]
    wholes: tuple[str, ...]
    words: tuple[QueryWord, ...]


class Ids:
    """Answers queries by the lexical strategy, under one set of settings."""

    def __init__(self, snapshot: Snapshot, analyzer: Analyzer, settings: RankSettings) -> None:
        # Without the snapshot, which may remember this: each would keep the other.
        self._analyzer = analyzer
        # An analyzer has it whose queries are what their chunks are.
        self._words_of: WordsOf | None = getattr(analyzer, "query_words", None)
        self._settings = settings
        self._at = LexicalParameters(settings.search.k1, settings.search.b)
        self._fields = every_field(snapshot, settings.search)
        self._memory = memory_of(snapshot)
        self._sketches = Sketches(self._memory, self._fields, (self._at.k1, self._at.b))
        self._factors = factors_of(snapshot, settings)
        self._chooser = Chooser(snapshot.size, self._factors)
        self._asked: Kept[str, _Asked] = Kept(_MAX_CHUNK_BYTES)
        self._serves = settings.search.min_score <= 0.0 and self._at.k1 <= _MAX_PARAMETER
        self._serves &= all(weight <= _MAX_PARAMETER for _, weight in self._fields)
        if self._factors is not None and len(self._factors):
            # One of 0 is an undated document's where nothing is left of what is old.
            least, most = _FACTORS
            self._serves &= bool(self._factors.min() >= least and self._factors.max() <= most)

    def serves(self, analyzer: Analyzer, settings: RankSettings) -> bool:
        """Whether it was made for these."""
        return self._settings is settings and self._analyzer is analyzer

    def best(self, snapshot: Snapshot, query: str, k: int) -> list[str] | None:
        """`doc_id`s of the best `k` hits; None where the exact ranking has to say."""
        if not self._serves:
            return None
        asked = self._asked_by_chunk(snapshot, query) or self._asked_as_a_whole(snapshot, query)
        sketches: list[Sketch] = []
        by_term: dict[str, Sketch] = {}
        n_content = 0
        kept = self._memory.kept.young
        for one in asked:
            n_content += len(one.wholes)
            for key in one.keys:
                known = kept.get(key)
                sketch = self._sketches.of(snapshot, key) if known is None else known[0]
                if sketch is None:
                    return None
                sketches.append(sketch)
                by_term[key[0]] = sketch
        if not sketches:
            return None

        def exact() -> _Exact:
            return _Exact(snapshot, asked, self._fields, self._at, self._factors)

        found = self._chooser.best(snapshot, sketches, lambda: exact().composite, k)
        if found is None:
            return None
        docs, scores = found
        if len(docs) < k and not all(one.is_whole for one in sketches):
            return None  # documents that match and score 0 come behind
        if docs:
            # Labels count a term that occurs again once.
            score = scores.item(docs[0]) if len(by_term) == len(sketches) else 0.0
            is_sure = _is_surely_above_weak(asked, by_term, n_content, docs[0], score)
            if is_sure or any(map(exact().is_above_weak, docs)):
                return self._memory.doc_ids(snapshot, docs)
        return None  # the vector may have to rank

    def _asked_by_chunk(self, snapshot: Snapshot, query: str) -> list[_Asked] | None:
        """What the chunks of a query ask for; None where they have to be looked at together."""
        chunks = query.split()
        words_of = self._words_of
        if words_of is None or len(query) > MAX_CHARACTERS or len(chunks) > MAX_CLAUSES:
            return None
        asked = []
        has_content = False
        known = self._asked.young
        for chunk in chunks:
            found = known.get(chunk)
            one = self._ask(snapshot, words_of, chunk) if found is None else found[0]
            if one is None:
                return None
            if one.words:
                asked.append(one)
                has_content = has_content or bool(one.wholes)
        # Of stop words and function words alone, each counts as content.
        return asked if has_content else None

    def _asked_as_a_whole(self, snapshot: Snapshot, query: str) -> list[_Asked]:
        """What a query asks for; nothing where it may be more than words."""
        text = plain_words(query)
        return [] if text is None else [self._look_up(snapshot, self._analyzer.query(text))]

    def _ask(self, snapshot: Snapshot, words_of: WordsOf, chunk: str) -> _Asked | None:
        """What a chunk asks for wherever it stands; None where that is not all of it."""
        found = self._asked.get(chunk)
        if found is None:
            # Most are letters alone, which mean nothing but themselves in the query language.
            is_plain = chunk.isalpha() or plain_words(chunk) is not None
            words = words_of(chunk) if is_plain else None
            if words is None:
                return None
            found = self._look_up(snapshot, words)
            n_bytes = _CHUNK_BYTES + len(chunk) + len(found.keys) * _TERM_BYTES
            self._asked.put(chunk, found, n_bytes)
        return found

    def _look_up(self, snapshot: Snapshot, words: Sequence[QueryWord]) -> _Asked:
        keys = [
            self._sketches.key(term, weight)
            for word in words
            for term, weight in word.terms
            if snapshot.look_up(term)[0] is not None
        ]
        wholes = [word.whole for word in words if word.content]
        return _Asked(tuple(keys), tuple(wholes), tuple(words))


class _Exact:
    """What the plain kernel says of single documents."""

    def __init__(
        self,
        snapshot: Snapshot,
        asked: Sequence[_Asked],
        fields: tuple[tuple[int, float], ...],
        at: LexicalParameters,
        factors: Floats | None,
    ) -> None:
        self._snapshot = snapshot
        self._at = at
        self._factors = factors
        self._words = [word for one in asked for word in one.words]
        self._terms = look_up(snapshot, occurrences(self._words), fields)
        self._bound = lexical_bound(self._terms, at)
        self._coverage: Coverage | None = None

    def composite(self, doc: int) -> float:
        """What orders a document, to the bit."""
        score = score_document(self._snapshot, self._terms, self._at, doc, once=False)
        relevance = min(1.0, score / self._bound) if self._bound else 0.0
        return relevance if self._factors is None else relevance * self._factors.item(doc)

    def is_above_weak(self, doc: int) -> bool:
        """Whether a hit is more than `weak`."""
        if self._coverage is None:
            self._coverage = Coverage(self._snapshot, self._words)
        _, candidate = LEXICAL_THRESHOLDS
        score = score_document(self._snapshot, self._terms, self._at, doc)
        return score >= candidate and self._coverage.suffices(doc)


def _is_surely_above_weak(
    asked: Sequence[_Asked], by_term: dict[str, Sketch], n_content: int, doc: int, score: float
) -> bool:
    """Whether the sketches suffice to call a document more than `weak`.

    Args:
        asked: What is asked for.
        by_term: A sketch of each term, under any of the weights it has in the query; used up here.
        n_content: Content words, repeats included.
        doc: A document.
        score: About what it scores; 0 where a term occurs again, which labels count once.
    """
    _, candidate = LEXICAL_THRESHOLDS
    if not score:
        score = sum([sketch.value_of(doc) for sketch in by_term.values()])
    if score < candidate * _SURELY:
        return False
    missing = n_content * _SUFFICIENT
    for one in asked:
        for whole in one.wholes:
            sketch = by_term.pop(whole, None)  # so that each counts once
            if sketch is not None and sketch.value_of(doc) > 0.0:
                missing -= 1.0
                if missing <= 0.0:
                    return True
    return missing <= 0.0
