"""Which documents score best, over whole arrays?

Scores are sums of what the terms give (`memidx.search.given`); only documents that can be among
the best are looked at one by one. Places and scores are those of the plain kernel, to the bit:
each document's score is the same sequence of additions. Needs numpy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from memidx.search.given import Docs, Flags, Floats, Given
from memidx.snapshot.snapshot import Snapshot

# Scores this close may be one relevance after rounding, and then the order of documents decides.
_CLOSE = 1.0 - 1e-12
# So many more than wanted may be looked at one by one before it pays to thin them out.
_FEW_MORE = 10


class Place(NamedTuple):
    """A document's place in a ranking."""

    doc: int
    score: float
    relevance: float
    composite: float


def score_all(given: Sequence[Given], size: int) -> Floats:
    """BM25 of every document, 0 where it holds no term; `given` in the order of the terms."""
    scores: Floats | None = None
    for one in given:
        for docs, values in one.pieces:
            if docs is None:
                if scores is None:
                    scores = values.copy()  # in place of adding it to zeros: 2 of 20 µs
                else:
                    scores += values
            else:
                if scores is None:
                    scores = np.zeros(size)
                scores[docs] += values
    return np.zeros(size) if scores is None else scores


def best_of(
    snapshot: Snapshot,
    scores: Floats,
    bound: float,
    values: Floats,
    factors: Floats | None,
    given: Sequence[Given],
    k: int,
    matched: Callable[[], Flags],
) -> list[Place]:
    """The best `k` of the documents that match, in served order.

    Args:
        snapshot: Of the documents.
        scores: Raw, per document.
        bound: The largest score there could be: relevance is the share of it, 0 when it is 0.
        values: What rises with composite, per document, but for rounding; 0 or less where a
            document does not match.
        factors: What turns relevance into composite, per document; None when it is 1.
        given: What the terms give, for an early guess at the k-th best.
        k: How many, >= 1.
        matched: Which documents match, asked for where a value of 0 may be among the best.
    """
    candidates = _candidates(values, given, k)
    if candidates is None:
        candidates = matched().nonzero()[0]
    docs = candidates.tolist()
    raw = scores[candidates].tolist()
    relevance = [min(1.0, score / bound) for score in raw] if bound else [0.0] * len(raw)
    if factors is None:
        negative = [-share for share in relevance]
    else:
        weights = factors[candidates].tolist()
        negative = [-share * weight for share, weight in zip(relevance, weights, strict=True)]
    order = docs if snapshot.is_one else map(snapshot.order, docs)
    rows = sorted(zip(negative, order, docs, raw, relevance, strict=True))
    return [Place(doc, score, share, -minus) for minus, _, doc, score, share in rows[:k]]


def _candidates(values: Floats, given: Sequence[Given], k: int) -> Docs | None:
    """Documents that may be among the best `k`; None where that may be any that matches."""
    least = _early_guess(values, given, k)
    if least <= 0.0:
        if k >= len(values):
            return None
        least = float(np.partition(values, len(values) - k)[len(values) - k])
        if least <= 0.0:
            return None
    candidates = (values >= least * _CLOSE).nonzero()[0]
    if len(candidates) > k + _FEW_MORE:
        among = values[candidates]
        least = float(np.partition(among, len(among) - k)[len(among) - k])
        candidates = candidates[among >= least * _CLOSE]
    return candidates


def _early_guess(values: Floats, given: Sequence[Given], k: int) -> float:
    """At most the k-th largest value, and not much less: the k-th largest of some; 0 if unknown.

    The documents one term gives most to are good ones: looking at 64 is ten times as quick as
    dividing all values at the k-th.
    """
    best: Given | None = None
    for one in given:
        if len(one.champions) >= k and (best is None or one.most > best.most):
            best = one
    if best is None:
        return 0.0
    some = values[best.champions]
    some.partition(len(some) - k)
    return float(some[len(some) - k])
