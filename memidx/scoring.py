"""How much is a match worth?

Pure formulas, in double precision, one operation order. Logarithms, exponentials and roots are
taken here with `math`, once per term or document; the kernels in `memidx.search.kernels` only
add, multiply and divide, so that plain Python and numpy give the same bits.
References are listed in docs/scoring.md.
"""

from __future__ import annotations

import math

RRF_K = 60  # [CCB09]

# Published thresholds on the raw score of a channel: (reliable, candidate).
LEXICAL_THRESHOLDS = (3.0, 1.0)
VECTOR_THRESHOLDS = (0.30, 0.20)

# A match on a smaller share of the query's content words is at most `weak`.
MIN_COVERAGE = 0.30


def idf(n_docs: int, df: int) -> float:
    """Inverse document frequency, never negative: `ln(1 + (N - df + 0.5) / (df + 0.5))`.

    The form of Lucene's BM25 [RZ09 with the 1 added]. A term no document holds has `df` = 0 and
    the largest value.

    Args:
        n_docs: Documents with at least one term, >= 0.
        df: Documents that hold the term, 0..n_docs.

    Returns:
        A value >= 0.
    """
    return math.log(1.0 + (n_docs - df + 0.5) / (df + 0.5))


def length_norm(doc_len: int, avgdl: float, k1: float, b: float) -> float:
    """What BM25 adds to `tf` in the denominator: `k1 * (1 - b + b * dl / avgdl)` [RZ09]."""
    return k1 * (1.0 - b + b * doc_len / avgdl)


def bm25(tf: int, doc_len: int, *, avgdl: float, idf: float, k1: float, b: float) -> float:
    """BM25 of one term in one field of one document [RZ09].

    Args:
        tf: Occurrences of the term, >= 1.
        doc_len: Length of the field in this document, in terms.
        avgdl: Mean length over documents that have the field, > 0.
        idf: The term's weight, see `idf`.
        k1: Saturation, >= 0.
        b: Length normalisation, 0..1.

    Returns:
        `idf * tf*(k1+1) / (tf + k1*(1 - b + b*dl/avgdl))`, below `bm25_bound(idf, k1)`.
    """
    return idf * (tf * (k1 + 1.0)) / (tf + length_norm(doc_len, avgdl, k1, b))


def bm25_bound(idf: float, k1: float) -> float:
    """The value `bm25` tends to as `tf` grows: what a match can be worth at most."""
    return idf * (k1 + 1.0)


def vector_norm(weights: list[float]) -> float:
    """Euclidean length of a sparse vector, summed in the order given."""
    total = 0.0
    for weight in weights:
        total += weight * weight
    return math.sqrt(total)


def decay(days: float | None, *, rate: float, floor: float) -> float:
    """Age penalty: `floor + (1 - floor) * exp(-rate * max(0, days))`.

    Args:
        days: Age counted from `as_of`; None for an undated document, which gets the floor.
        rate: Per day; 0 switches the penalty off for every document.
        floor: The smallest value, 0..1.

    Returns:
        A factor in `floor`..1. It reorders; it never removes a hit.
    """
    if rate == 0.0:
        return 1.0
    if days is None:
        return floor
    return floor + (1.0 - floor) * math.exp(-rate * max(0.0, days))
