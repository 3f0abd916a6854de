"""How long is each document's vector, when documents changed since the base was made?

Every length depends on the idf of the document's words, and these on every document; so lengths
are worked out anew over all segments, in the order in which the builder sums them up.
"""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np

from memidx.scoring import idf
from memidx.snapshot.inversion import norms_by_idf
from memidx.snapshot.snapshot import Snapshot


def norms_of(snapshot: Snapshot) -> array[float]:
    """Euclidean length of `tf * idf` over the first field, per document; dead ones' mean nothing.

    The bits are those of the base that would be made of the live documents.
    """
    live = np.ones(snapshot.size, dtype=bool)
    for part, offset in zip(snapshot.parts, snapshot.offsets, strict=True):
        live[[offset + doc_ord for doc_ord in part.dead]] = False
    frequencies = [_live_frequencies(snapshot, which, live) for which in range(len(snapshot.parts))]
    table = np.array([idf(snapshot.n_searchable, df) for df in range(snapshot.n_searchable + 1)])
    norms = array("d")
    for which, part in enumerate(snapshot.parts):
        field = part.segment.fields[0]
        n_each = np.diff(np.frombuffer(field.at, dtype=np.uint64).astype(np.int64))
        docs = np.frombuffer(field.ord, dtype=np.uint32)
        tf = np.frombuffer(field.tf, dtype=np.uint32)
        df = _added_up(snapshot, which, frequencies)
        norms.frombytes(norms_by_idf(table[df], n_each, docs, tf, part.segment.n_docs).tobytes())
    return norms


def _live_frequencies(snapshot: Snapshot, which: int, live: Any) -> Any:
    """Live documents of one segment per field and term of its vocabulary."""
    segment, offset = snapshot.parts[which].segment, snapshot.offsets[which]
    counts = []
    for field in segment.fields:
        at = np.frombuffer(field.at, dtype=np.uint64).astype(np.int64)
        ords = np.frombuffer(field.ord, dtype=np.uint32).astype(np.int64)
        before = np.zeros(len(ords) + 1, dtype=np.int64)
        np.cumsum(live[ords + offset], out=before[1:])
        counts.append(before[at[1:]] - before[at[:-1]])
    return np.array(counts)


def _added_up(snapshot: Snapshot, which: int, frequencies: list[Any]) -> Any:
    """Document frequency over all segments of each term of one of them."""
    total = frequencies[which].copy()
    own = snapshot.parts[which].segment.terms
    for other, part in enumerate(snapshot.parts):
        if other == which:
            continue
        # The smaller vocabulary is looked up in the larger one.
        terms = part.segment.terms
        if len(terms) <= len(own):
            pairs = [(own.find(terms.raw(number)), number) for number in range(len(terms))]
            found = [(mine, theirs) for mine, theirs in pairs if mine is not None]
        else:
            mirrored = [(number, terms.find(own.raw(number))) for number in range(len(own))]
            found = [(mine, theirs) for mine, theirs in mirrored if theirs is not None]
        if found:
            mine_at, theirs_at = map(list, zip(*found, strict=True))
            total[:, mine_at] += frequencies[other][:, theirs_at]
    return total.max(axis=0)
