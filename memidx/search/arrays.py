"""Which hits, when many queries are asked of one snapshot?

The lexical strategy over whole arrays, for indexes that stay open: what a term gives to every
document is remembered from query to query, and only documents that can be among the best are
looked at one by one. Places, scores and labels are those of the plain kernel, to the bit: each
document's score is the same sequence of additions. Needs numpy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memidx.search import kernels
from memidx.search.kernels import LexicalParameters, ScoredTerm
from memidx.snapshot.parts import Numbers
from memidx.snapshot.snapshot import Snapshot

# Memory for what terms give to documents; when it is full, all of it is worked out again.
MAX_REMEMBERED_BYTES = 64 * 2**20
# A term that more than this share of the documents holds is added as a whole row.
_DENSE_SHARE = 1 / 16
# Scores this close may be one relevance after rounding, and then the order of documents decides.
_CLOSE = 1.0 - 1e-12

Floats = NDArray[np.float64]
Docs = NDArray[np.intp]


class Given(NamedTuple):
    """What one term gives in one field: to `docs`, or (None) to every document in order."""

    docs: Docs | None
    values: Floats


class Memory:
    """What terms give, as far as it was asked for: one per snapshot."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._given: dict[tuple[int, Numbers, float, float, float], Given] = {}
        self._size_bytes = 0
        self._factors: tuple[Any, Floats] | None = None

    def given(
        self, position: int, numbers: Numbers, factor: float, parameters: LexicalParameters
    ) -> Given:
        """BM25 of a term in one field, times `factor`, for every document that holds it."""
        key = (position, numbers, factor, parameters.k1, parameters.b)
        found = self._given.get(key)
        if found is None:
            found = self._work_out(position, numbers, factor, parameters)
            size_bytes = found.values.nbytes + (0 if found.docs is None else found.docs.nbytes)
            if self._size_bytes + size_bytes > MAX_REMEMBERED_BYTES:
                self._given.clear()
                self._size_bytes = 0
            self._given[key] = found
            self._size_bytes += size_bytes
        return found

    def factors(self, key: Any, make: Callable[[int], float]) -> Floats:
        """Weight times decay per document; `make` gives one's, under settings named by `key`."""
        if self._factors is None or self._factors[0] != key:
            size = self._snapshot.size
            factors = np.fromiter(map(make, range(size)), dtype=np.float64, count=size)
            self._factors = (key, factors)
        return self._factors[1]

    def _work_out(
        self, position: int, numbers: Numbers, factor: float, parameters: LexicalParameters
    ) -> Given:
        snapshot = self._snapshot
        k1, b = parameters.k1, parameters.b
        base, gain = 1.0 - b, k1 + 1.0
        docs, tf, lengths = kernels.postings_arrays(snapshot, position, numbers)
        norm = k1 * (base + b * lengths / snapshot.avgdl[position])
        values: Floats = factor * (tf * gain) / (tf + norm)
        if len(docs) <= snapshot.size * _DENSE_SHARE:
            return Given(docs.astype(np.intp), values)
        row = np.zeros(snapshot.size)
        row[docs] = values
        return Given(None, row)


def memory_of(snapshot: Snapshot) -> Memory:
    """The snapshot's memory; it lives as long as the snapshot."""
    found = snapshot.remembered.get(Memory)
    if found is None:
        found = snapshot.remembered[Memory] = Memory(snapshot)
    return found


def score_all(
    snapshot: Snapshot, terms: Sequence[ScoredTerm], parameters: LexicalParameters
) -> tuple[Floats, bool]:
    """BM25 of every document, 0 where it holds no term; and whether a match may score 0, too."""
    memory = memory_of(snapshot)
    scores = np.zeros(snapshot.size)
    may_be_zero = False
    for term in terms:
        if term.numbers is None:
            continue
        for position, field_weight in term.fields:
            factor = term.weight * field_weight * term.idf
            if factor <= 0.0:
                may_be_zero = True
                continue
            docs, values = memory.given(position, term.numbers, factor, parameters)
            if docs is None:
                scores += values
            else:
                scores[docs] += values
    return scores, may_be_zero


class Best(NamedTuple):
    """Documents in served order, and what ordered them; all parallel."""

    docs: Docs
    relevance: Floats
    composite: Floats


def best_of(
    snapshot: Snapshot, scores: Floats, bound: float, factors: Floats | None, k: int
) -> Best:
    """The best `k` of the documents that score above 0.

    Args:
        scores: Per document.
        bound: The largest score there could be, > 0.
        factors: What turns relevance into composite, per document; None when it is 1.
        k: How many, >= 1.
    """
    if factors is None:
        # Relevance rises with the score, but for rounding: so close ones are candidates too.
        candidates = _at_least(scores, k, scores)
        relevance = np.minimum(1.0, scores[candidates] / bound)
        composite = relevance
    else:
        every = np.minimum(1.0, scores / bound)
        every *= factors
        candidates = _at_least(every, k, scores)
        relevance = np.minimum(1.0, scores[candidates] / bound)
        composite = relevance * factors[candidates]
    places = candidates
    if not snapshot.is_one:
        ordered = map(snapshot.order, candidates.tolist())
        places = np.fromiter(ordered, dtype=np.intp, count=len(candidates))
    order = np.lexsort((places, -composite))[:k]
    return Best(candidates[order], relevance[order], composite[order])


def _at_least(values: Floats, k: int, scores: Floats) -> Docs:
    """Documents that may be among the `k` of the largest values, of those with a score."""
    if k < len(values):
        least = np.partition(values, len(values) - k)[len(values) - k] * _CLOSE
        if least > 0.0:
            return np.flatnonzero(values >= least)
    return np.flatnonzero(scores)
