"""How much does every matching document score?

Two kernels per channel: plain Python for a one-shot query, numpy for batches. They give
identical bits: terms are visited in one order, and every document's score is the same sequence of
additions, multiplications and divisions of doubles (`memidx.scoring` has the formulas).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memidx.scoring import bm25_bound, idf
from memidx.snapshot.snapshot import FieldView, Snapshot
from memidx.values import dataclass


@dataclass(frozen=True, slots=True)
class ScoredTerm:
    """A distinct term of a query, looked up.

    Attributes:
        term: The term.
        number: Its number in the vocabulary, or None when no document holds it.
        idf: Its weight; the largest for an unknown term.
        weight: Sum of the weights of all its occurrences in the query.
        weight_once: The largest weight of one occurrence: what a label looks at.
        fields: `(position in snapshot.fields, field weight)` where it is looked for.
    """

    term: str
    number: int | None
    idf: float
    weight: float
    weight_once: float
    fields: tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True)
class LexicalParameters:
    """BM25's parameters: `k1` >= 0 (saturation) and `b` in 0..1 (length normalisation)."""

    k1: float
    b: float


def look_up(
    snapshot: Snapshot, occurrences: Sequence[tuple[str, float, tuple[tuple[int, float], ...]]]
) -> tuple[ScoredTerm, ...]:
    """Distinct terms in order of first occurrence, with their idf.

    Args:
        snapshot: Where to look.
        occurrences: `(term, weight, fields)` per occurrence in the query; the same term in the
            same fields adds up.
    """
    weights: dict[tuple[str, tuple[tuple[int, float], ...]], tuple[float, float]] = {}
    for term, weight, fields in occurrences:
        total, once = weights.get((term, fields), (0.0, 0.0))
        weights[term, fields] = (total + weight, max(once, weight))
    found = []
    for (term, fields), (weight, once) in weights.items():
        number = snapshot.term(term)
        df = 0 if number is None else snapshot.df[number]
        value = idf(snapshot.n_searchable, df)
        found.append(ScoredTerm(term, number, value, weight, once, fields))
    return tuple(found)


def lexical_bound(terms: Sequence[ScoredTerm], parameters: LexicalParameters) -> float:
    """The largest score a document could reach: every term, saturated, in every field."""
    total = 0.0
    for term in terms:
        bound = term.weight * bm25_bound(term.idf, parameters.k1)
        for _, field_weight in term.fields:
            total += field_weight * bound
    return total


def score_lexical(
    snapshot: Snapshot, terms: Sequence[ScoredTerm], parameters: LexicalParameters
) -> dict[int, float]:
    """BM25 summed over terms and weighted fields, for every document that holds a term.

    Returns:
        `doc_ord` -> score (> 0 where idf > 0), in order of first match.
    """
    k1, b = parameters.k1, parameters.b
    base, gain = 1.0 - b, k1 + 1.0
    scores: dict[int, float] = {}
    get = scores.get
    for term in terms:
        if term.number is None:
            continue
        for position, field_weight in term.fields:
            field = snapshot.fields[position]
            factor = term.weight * field_weight * term.idf
            lengths, avgdl = field.lengths, field.avgdl
            begin, end = field.at[term.number], field.at[term.number + 1]
            for doc, tf in zip(field.ord[begin:end], field.tf[begin:end], strict=True):
                norm = k1 * (base + b * lengths[doc] / avgdl)
                scores[doc] = get(doc, 0.0) + factor * (tf * gain) / (tf + norm)
    return scores


def score_lexical_batch(
    snapshot: Snapshot, terms: Sequence[ScoredTerm], parameters: LexicalParameters
) -> dict[int, float]:
    """`score_lexical` with numpy: the same documents and the same bits, in `doc_ord` order."""
    import numpy as np

    k1, b = parameters.k1, parameters.b
    base, gain = 1.0 - b, k1 + 1.0
    scores = np.zeros(snapshot.n_docs)
    matched = np.zeros(snapshot.n_docs, dtype=bool)
    for term in terms:
        if term.number is None:
            continue
        for position, field_weight in term.fields:
            field = snapshot.fields[position]
            factor = term.weight * field_weight * term.idf
            docs, tf = _postings(field, term.number)
            lengths = np.frombuffer(field.lengths, dtype=np.uint32)[docs]
            norm = k1 * (base + b * lengths / field.avgdl)
            scores[docs] += factor * (tf * gain) / (tf + norm)
            matched[docs] = True
    found = np.flatnonzero(matched)
    return dict(zip(found.tolist(), scores[found].tolist(), strict=True))


def score_document(
    snapshot: Snapshot,
    terms: Sequence[ScoredTerm],
    parameters: LexicalParameters,
    doc: int,
) -> float:
    """One document's lexical score with repeated query words counted once."""
    k1, b = parameters.k1, parameters.b
    base, gain = 1.0 - b, k1 + 1.0
    score = 0.0
    for term in terms:
        if term.number is None:
            continue
        for position, field_weight in term.fields:
            field = snapshot.fields[position]
            tf = term_frequency(field, term.number, doc)
            if tf:
                factor = term.weight_once * field_weight * term.idf
                norm = k1 * (base + b * field.lengths[doc] / field.avgdl)
                score += factor * (tf * gain) / (tf + norm)
    return score


def query_vector(terms: Sequence[ScoredTerm]) -> dict[int, float]:
    """Sparse tf-idf vector of a query: weight * idf, known terms only, by term number."""
    vector: dict[int, float] = {}
    for term in terms:
        if term.number is not None:
            vector[term.number] = vector.get(term.number, 0.0) + term.weight * term.idf
    return vector


def score_vector(
    snapshot: Snapshot, vector: Mapping[int, float], query_norm: float, idfs: Mapping[int, float]
) -> dict[int, float]:
    """Cosine of query and document over `tf * idf`, with the full norm of the document.

    Args:
        snapshot: Where to look; the first field is the vector's.
        vector: Term number -> weight of the query.
        query_norm: Euclidean length of `vector`.
        idfs: Term number -> idf.

    Returns:
        `doc_ord` -> cosine, 0..1.
    """
    field = snapshot.fields[0]
    scores: dict[int, float] = {}
    get = scores.get
    for number, weight in vector.items():
        factor = weight * idfs[number]
        begin, end = field.at[number], field.at[number + 1]
        for doc, tf in zip(field.ord[begin:end], field.tf[begin:end], strict=True):
            scores[doc] = get(doc, 0.0) + factor * tf
    norm = snapshot.norm
    return {
        doc: score / (query_norm * norm[doc]) if norm[doc] and query_norm else 0.0
        for doc, score in scores.items()
    }


def score_vector_batch(
    snapshot: Snapshot, vector: Mapping[int, float], query_norm: float, idfs: Mapping[int, float]
) -> dict[int, float]:
    """`score_vector` with numpy: the same bits, in `doc_ord` order."""
    import numpy as np

    field = snapshot.fields[0]
    scores = np.zeros(snapshot.n_docs)
    matched = np.zeros(snapshot.n_docs, dtype=bool)
    for number, weight in vector.items():
        factor = weight * idfs[number]
        docs, tf = _postings(field, number)
        scores[docs] += factor * tf
        matched[docs] = True
    found = np.flatnonzero(matched)
    divisor = query_norm * np.asarray(snapshot.norm)[found]
    cosine = np.divide(scores[found], divisor, out=np.zeros(len(found)), where=divisor != 0.0)
    return dict(zip(found.tolist(), cosine.tolist(), strict=True))


def term_frequency(field: FieldView, number: int, doc: int) -> int:
    """`tf` of a term in one document, 0 when it does not occur."""
    low, high = field.at[number], field.at[number + 1]
    end = high
    while low < high:
        middle = (low + high) >> 1
        if field.ord[middle] < doc:
            low = middle + 1
        else:
            high = middle
    return field.tf[low] if low < end and field.ord[low] == doc else 0


def _postings(field: FieldView, number: int) -> tuple[Any, Any]:
    import numpy as np

    begin, end = field.at[number], field.at[number + 1]
    docs = np.frombuffer(field.ord, dtype=np.uint32)[begin:end]
    return docs, np.frombuffer(field.tf, dtype=np.uint32)[begin:end]
