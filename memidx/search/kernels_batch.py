"""How much does every matching document score, by numpy?

For batches of queries: the bits of the plain kernels (`memidx.search.kernels`,
`memidx.search.cosine`), as the operations on each document are the same in the same order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memidx.search.kernels import LexicalParameters, ScoredTerm
from memidx.snapshot.parts import Numbers
from memidx.snapshot.snapshot import Snapshot


def score_lexical_batch(
    snapshot: Snapshot, terms: Sequence[ScoredTerm], parameters: LexicalParameters
) -> dict[int, float]:
    """`score_lexical` with numpy: the same documents and the same bits, in order of number."""
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


def score_vector_batch(
    snapshot: Snapshot,
    vector: Mapping[Numbers, float],
    query_norm: float,
    idfs: Mapping[Numbers, float],
) -> dict[int, float]:
    """`score_vector` with numpy: the same bits, in order of number."""
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
