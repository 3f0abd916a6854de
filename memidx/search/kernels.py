"""How much does every matching document score?

Two kernels per channel: plain Python for a one-shot query, numpy for batches. They give
identical bits: terms are visited in one order, and every document's score is the same sequence of
additions, multiplications and divisions of doubles (`memidx.scoring` has the formulas).
"""

from __future__ import annotations

from memidx.light import TYPE_CHECKING
from memidx.scoring import bm25_bound, idf
from memidx.snapshot.parts import Numbers
from memidx.snapshot.snapshot import Snapshot
from memidx.values import Value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from numpy.typing import NDArray


# Terms of queries that are remembered with what was found of them, and under how many weights of
# the fields: an open index has one, and tuning tries many.
_MAX_REMEMBERED = 20_000
_MAX_FIELDS = 4


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


def score_lexical(
    snapshot: Snapshot, terms: Sequence[ScoredTerm], parameters: LexicalParameters
) -> dict[int, float]:
    """BM25 summed over terms and weighted fields, for every document that holds a term.

    Returns:
        document -> score (> 0 where idf > 0), in order of first match.
    """
    k1, b = parameters.k1, parameters.b
    base, gain = 1.0 - b, k1 + 1.0
    scores: dict[int, float] = {}
    get = scores.get
    for term in terms:
        if term.numbers is None:
            continue
        for position, field_weight in term.fields:
            factor = term.weight * field_weight * term.idf
            lengths, avgdl = snapshot.lengths[position], snapshot.avgdl[position]
            for postings in snapshot.postings(position, term.numbers):
                for doc, tf in postings.pairs():
                    norm = k1 * (base + b * lengths[doc] / avgdl)
                    scores[doc] = get(doc, 0.0) + factor * (tf * gain) / (tf + norm)
    return scores


def score_lexical_batch(
    snapshot: Snapshot, terms: Sequence[ScoredTerm], parameters: LexicalParameters
) -> dict[int, float]:
    """`score_lexical` with numpy: the same documents and the same bits, in order of number."""
    import numpy as np

    k1, b = parameters.k1, parameters.b
    base, gain = 1.0 - b, k1 + 1.0
    scores = np.zeros(snapshot.size)
    matched = np.zeros(snapshot.size, dtype=bool)
    for term in terms:
        if term.numbers is None:
            continue
        for position, field_weight in term.fields:
            factor = term.weight * field_weight * term.idf
            docs, tf, lengths = postings_arrays(snapshot, position, term.numbers)
            norm = k1 * (base + b * lengths / snapshot.avgdl[position])
            scores[docs] += factor * (tf * gain) / (tf + norm)
            matched[docs] = True
    found = np.flatnonzero(matched)
    return dict(zip(found.tolist(), scores[found].tolist(), strict=True))


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


def query_vector(terms: Sequence[ScoredTerm]) -> dict[Numbers, float]:
    """Sparse tf-idf vector of a query: weight * idf, known terms only, by their numbers."""
    vector: dict[Numbers, float] = {}
    for term in terms:
        if term.numbers is not None:
            vector[term.numbers] = vector.get(term.numbers, 0.0) + term.weight * term.idf
    return vector


def score_vector(
    snapshot: Snapshot,
    vector: Mapping[Numbers, float],
    query_norm: float,
    idfs: Mapping[Numbers, float],
) -> dict[int, float]:
    """Cosine of query and document over `tf * idf`, with the full norm of the document.

    Args:
        snapshot: Where to look; the first field is the vector's.
        vector: Numbers of a term -> weight of the query.
        query_norm: Euclidean length of `vector`.
        idfs: Numbers of a term -> idf.

    Returns:
        document -> cosine, 0..1.
    """
    scores: dict[int, float] = {}
    get = scores.get
    for numbers, weight in vector.items():
        factor = weight * idfs[numbers]
        for postings in snapshot.postings(0, numbers):
            for doc, tf in postings.pairs():
                scores[doc] = get(doc, 0.0) + factor * tf
    norm = snapshot.norms
    return {
        doc: score / (query_norm * norm[doc]) if norm[doc] and query_norm else 0.0
        for doc, score in scores.items()
    }


def score_vector_batch(
    snapshot: Snapshot,
    vector: Mapping[Numbers, float],
    query_norm: float,
    idfs: Mapping[Numbers, float],
) -> dict[int, float]:
    """`score_vector` with numpy: the same bits, in order of number."""
    import numpy as np

    scores = np.zeros(snapshot.size)
    matched = np.zeros(snapshot.size, dtype=bool)
    for numbers, weight in vector.items():
        factor = weight * idfs[numbers]
        docs, tf, _ = postings_arrays(snapshot, 0, numbers)
        scores[docs] += factor * tf
        matched[docs] = True
    found = np.flatnonzero(matched)
    divisor = query_norm * np.asarray(snapshot.norms)[found]
    cosine = np.divide(scores[found], divisor, out=np.zeros(len(found)), where=divisor != 0.0)
    return dict(zip(found.tolist(), cosine.tolist(), strict=True))


def postings_arrays(
    snapshot: Snapshot, position: int, numbers: Numbers
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Live documents that hold a term in a field, its `tf` there, and the field's length."""
    import numpy as np

    pieces = []
    for field, begin, end, part, offset in snapshot.postings(position, numbers):
        docs = np.frombuffer(field.ord, dtype=np.uint32)[begin:end]
        tf = np.frombuffer(field.tf, dtype=np.uint32)[begin:end]
        lengths = np.frombuffer(field.lengths, dtype=np.uint32)[docs]
        if part.dead:
            live = ~np.isin(docs, np.fromiter(part.dead, dtype=np.uint32, count=len(part.dead)))
            docs, tf, lengths = docs[live], tf[live], lengths[live]
        pieces.append((docs + np.uint32(offset) if offset else docs, tf, lengths))
    if len(pieces) == 1:
        return pieces[0]
    docs, tf, lengths = (np.concatenate(column) for column in zip(*pieces, strict=True))
    return docs, tf, lengths
