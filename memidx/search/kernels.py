"""How much does a matching document score?

All that match, or those alone that can be among the best: in plain Python, for a one-shot query.
`memidx.search.kernels_batch` does it by numpy, `memidx.search.cosine` for the vector channel.
They all give identical bits: terms are visited in one order, and every document's score is the same
sequence of additions, multiplications and divisions of doubles (`memidx.scoring` has the formulas).
"""

from __future__ import annotations

from memidx.light import TYPE_CHECKING, bisect_left
from memidx.scoring import bm25_bound, idf
from memidx.values import Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memidx.snapshot.parts import Numbers
    from memidx.snapshot.snapshot import Snapshot

# Terms of queries that are remembered with what was found of them, and under how many weights of
# the fields: an open index has one, and tuning tries many.
_MAX_REMEMBERED = 20_000
_MAX_FIELDS = 4
# Of the sum of all bounds: scores may differ by less from sums of the same in another order.
_SLACK = 1e-9
# Weights beyond make sums that say nothing of what was added up.
_COMPARABLE = (1e-100, 1e100)
# So many more than wanted may be scored before it pays to tell them apart.
_FEW_MORE = 10


class ScoredTerm(Value):
    """A distinct term of a query, looked up.

    Attributes:
        term: The term.
        numbers: Its numbers in the vocabularies, or None when no document holds it.
        df: Documents that hold it.
        idf: Its weight; the largest for an unknown term.
        weight: Sum of the weights of all its occurrences in the query.
        weight_once: The largest weight of one occurrence: what a label looks at.
        fields: `(position in snapshot.fields, field weight)` where it is looked for.
    """

    term: str
    numbers: Numbers | None
    df: int
    idf: float
    weight: float
    weight_once: float
    fields: tuple[tuple[int, float], ...]


class LexicalParameters(Value):
    """BM25's parameters: `k1` >= 0 (saturation) and `b` in 0..1 (length normalisation)."""

    k1: float
    b: float


def look_up(
    snapshot: Snapshot,
    occurrences: Sequence[tuple[str, float]],
    fields: tuple[tuple[int, float], ...],
) -> tuple[ScoredTerm, ...]:
    """Distinct terms in order of first occurrence, with their idf.

    Args:
        snapshot: Where to look.
        occurrences: `(term, weight)` per occurrence in the query; the same term adds up.
        fields: Where they are looked for, as in `ScoredTerm`.
    """
    weights: dict[str, tuple[float, float]] = {}
    for term, weight in occurrences:
        known = weights.get(term)
        if known is None:
            weights[term] = (weight, weight)
        else:
            weights[term] = (known[0] + weight, max(known[1], weight))
    by_fields = snapshot.remembered.get(ScoredTerm)
    if by_fields is None:
        by_fields = snapshot.remembered[ScoredTerm] = {}
    remembered: dict[tuple[str, tuple[float, float]], ScoredTerm] | None = by_fields.get(fields)
    if remembered is None:
        if len(by_fields) >= _MAX_FIELDS:
            by_fields.clear()
        remembered = by_fields[fields] = {}
    found = []
    for key in weights.items():
        scored = remembered.get(key)
        if scored is None:
            term, (weight, once) = key
            df = snapshot.document_frequency(term)
            value = idf(snapshot.n_searchable, df)
            scored = ScoredTerm(term, snapshot.term(term), df, value, weight, once, fields)
            if len(remembered) >= _MAX_REMEMBERED:
                remembered.clear()
            remembered[key] = scored
        found.append(scored)
    return tuple(found)


def lexical_bound(terms: Sequence[ScoredTerm], parameters: LexicalParameters) -> float:
    """The largest score a document could reach: every term, saturated, in every field."""
    total = 0.0
    k1 = parameters.k1
    for term in terms:
        bound = term.weight * bm25_bound(term.idf, k1)
        for _, field_weight in term.fields:
            total += field_weight * bound
    return total


class _Given:
    """What one term gives to the documents that hold it in one field.

    Attributes:
        docs: These documents, ascending.
        bound: What none of them gets more than.
    """

    __slots__ = ("_at", "_avgdl", "_factor", "_lengths", "_tfs", "bound", "docs")

    def __init__(
        self,
        snapshot: Snapshot,
        term: ScoredTerm,
        numbers: Numbers,
        position: int,
        field_weight: float,
        at: LexicalParameters,
    ) -> None:
        self.docs, self._tfs = snapshot.columns(position, numbers)
        self._factor = term.weight * field_weight * term.idf
        self._lengths, self._avgdl = snapshot.lengths[position], snapshot.avgdl[position]
        self._at = at
        self.bound = bm25_bound(self._factor, at.k1)

    def add_to_all(self, scores: dict[int, float]) -> None:
        """Add it to every document that holds the term."""
        k1, b = self._at.k1, self._at.b
        base, gain = 1.0 - b, k1 + 1.0
        factor, lengths, avgdl = self._factor, self._lengths, self._avgdl
        get = scores.get
        for doc, tf in zip(self.docs, list(self._tfs), strict=True):
            norm = k1 * (base + b * lengths[doc] / avgdl)
            scores[doc] = get(doc, 0.0) + factor * (tf * gain) / (tf + norm)

    def add_to_known(self, scores: dict[int, float]) -> None:
        """Add it to those documents that have a score, by the same operations."""
        k1, b = self._at.k1, self._at.b
        base, gain = 1.0 - b, k1 + 1.0
        factor, lengths, avgdl = self._factor, self._lengths, self._avgdl
        docs, tfs = self.docs, self._tfs
        n_docs = len(docs)
        for doc in scores:
            place = bisect_left(docs, doc)
            if place < n_docs and docs[place] == doc:
                tf = tfs[place]
                norm = k1 * (base + b * lengths[doc] / avgdl)
                scores[doc] += factor * (tf * gain) / (tf + norm)


def _given(
    snapshot: Snapshot, terms: Sequence[ScoredTerm], parameters: LexicalParameters
) -> list[_Given]:
    """What terms give, in the order in which it is added up."""
    return [
        _Given(snapshot, term, term.numbers, position, weight, parameters)
        for term in terms
        if term.numbers is not None
        for position, weight in term.fields
    ]


def score_lexical(
    snapshot: Snapshot, terms: Sequence[ScoredTerm], parameters: LexicalParameters
) -> dict[int, float]:
    """BM25 summed over terms and weighted fields, for every document that holds a term.

    Returns:
        document -> score (> 0 where idf > 0), in order of first match.
    """
    scores: dict[int, float] = {}
    for given in _given(snapshot, terms, parameters):
        given.add_to_all(scores)
    return scores


def score_leading(
    snapshot: Snapshot,
    terms: Sequence[ScoredTerm],
    parameters: LexicalParameters,
    k: int,
    evenness: float = 1.0,
) -> tuple[dict[int, float], set[int]]:
    """`score_lexical` of those documents alone that can be among the best `k`.

    Five hits are wanted of thousands that match. What terms give is taken in order of how much
    that can be (MaxScore); when all the rest cannot lift another document among the best,
    only those met so far are followed, fewer with each term. The few that are left are scored.

    Args:
        k: How many are wanted, >= 1.
        evenness: The smallest factor of a document's score in the order, divided by the largest.

    Returns:
        document -> score, of the best `k` by any such factors and some more; all that match.
    """
    every = _given(snapshot, terms, parameters)
    matching: set[int] = set().union(*[given.docs for given in every])
    rest = total = sum([given.bound for given in every])
    if len(matching) <= k + _FEW_MORE or not _COMPARABLE[0] < total < _COMPARABLE[1]:
        return score_lexical(snapshot, terms, parameters), matching
    # Sums in another order differ in the last bits, by far less than this.
    slack = total * _SLACK
    met: dict[int, float] = {}
    least = -slack
    in_order = iter(sorted(every, key=lambda given: -given.bound))
    for given in in_order:
        given.add_to_all(met)
        rest -= given.bound
        # Nothing has more than the bounds so far: below that it is not worth a look.
        if rest < (total - rest) * evenness and len(met) >= k:
            least = sorted(met.values())[-k] * evenness - slack
            if rest < least:
                break
    leading = {doc: score for doc, score in met.items() if score >= least - rest}
    for given in in_order:
        if len(leading) <= k + _FEW_MORE:
            break
        given.add_to_known(leading)
        rest -= given.bound
        least = sorted(leading.values())[-k] * evenness - slack
        leading = {doc: score for doc, score in leading.items() if score >= least - rest}
    scores = dict.fromkeys(leading, 0.0)
    for given in every:
        given.add_to_known(scores)
    return scores, matching


def score_document(
    snapshot: Snapshot,
    terms: Sequence[ScoredTerm],
    parameters: LexicalParameters,
    doc: int,
    *,
    once: bool = True,
) -> float:
    """One document's lexical score; with `once`, repeated query words are counted once."""
    k1, b = parameters.k1, parameters.b
    base, gain = 1.0 - b, k1 + 1.0
    score = 0.0
    for term in terms:
        if term.numbers is None:
            continue
        weight = term.weight_once if once else term.weight
        for position, field_weight in term.fields:
            tf = snapshot.frequency(position, term.numbers, doc)
            if tf:
                factor = weight * field_weight * term.idf
                length, avgdl = snapshot.lengths[position][doc], snapshot.avgdl[position]
                norm = k1 * (base + b * length / avgdl)
                score += factor * (tf * gain) / (tf + norm)
    return score
