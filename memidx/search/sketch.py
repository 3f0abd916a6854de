"""Which documents are the best, when nobody asks for their scores?

Ids alone need no exact scores: sums in single precision, of one row a term, say which documents
can be among the best and in which order, but for those so close to each other that the error
could decide. Their scores are worked out exactly, one by one, by the formula of the plain kernel.
So ids and order are those of exact scores, for half the additions and a quarter of the memory
traffic. Needs numpy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memidx.search.given import Docs, Floats, Memory
from memidx.search.kernels import ScoredTerm
from memidx.snapshot.snapshot import Snapshot

# One rounding in single precision, of the value itself.
_ROUNDING = 2.0**-23
# Fewer documents than this are a list; adding to a list of 64 takes as long as adding a row of
# 5,000, and in larger snapshots the list may be longer (measured at 4,728 and at 100,000).
_MIN_ROW = 64
# Documents a term gives most to, which say early what the k-th best score at least.
_N_CHAMPIONS = 64
# What a term gives is added up in single precision from the first of these to the second: there
# each number carries an error in proportion, and the terms of no query reach the end of the range.
_LEAST, _MOST = 1e-30, 1e30
# More candidates than this are not told apart one by one.
_MAX_CANDIDATES = 400
_OVERHEAD_BYTES = 700

Singles = NDArray[np.float32]


class Sketch(NamedTuple):
    """What a term gives in all its fields together, roughly.

    Attributes:
        docs: Who gets it; None for every document in order.
        values: What each gets.
        champions: Documents that get most.
        most: The largest value.
        is_whole: Whether no document that holds the term gets nothing, in a field without weight.
    """

    docs: Docs | None
    values: Singles
    champions: Docs
    most: float
    is_whole: bool


class Sketches:
    """Sketches of terms that are looked for in the same fields, under the same parameters.

    Args:
        memory: The snapshot's.
        fields: As in `ScoredTerm`.
        at: k1 and b.
    """

    def __init__(
        self, memory: Memory, fields: tuple[tuple[int, float], ...], at: tuple[float, float]
    ) -> None:
        self._memory = memory
        self._at = at
        # A number, because hashing what it stands for takes as long as finding a sketch.
        self._number = memory.number_of((fields, at))

    def of(self, snapshot: Snapshot, term: ScoredTerm) -> Sketch | None:
        """The sketch of a term that occurs; None where single precision does not hold it."""
        kept = self._memory.sketches
        key = (term.term, term.weight, self._number)
        young = kept.young.get(key)
        found: Sketch | None = kept.get(key) if young is None else young[0]
        if found is None:
            pieces = self._memory.pieces(snapshot, term, self._at)
            is_whole = len(pieces) == len(term.fields)
            pieces = [piece for piece in pieces if len(piece[0])]
            if not all(_LEAST <= values.min() and values.max() <= _MOST for _, values in pieces):
                return None
            found = _make(snapshot.size, pieces, is_whole)
            arrays = (found.values, found.champions, *(() if found.docs is None else (found.docs,)))
            kept.put(key, found, sum(array.nbytes for array in arrays) + _OVERHEAD_BYTES)
        return found


def best_docs(
    snapshot: Snapshot,
    sketches: Sequence[Sketch],
    factors: Floats | None,
    exact: Callable[[int], float],
    k: int,
) -> tuple[list[int], Singles] | None:
    """The best `k` documents in served order, and about what every document scores.

    Args:
        snapshot: Of the documents.
        sketches: Of the query's terms that occur.
        factors: What turns relevance into composite, per document; None when it is 1.
        exact: Composite of a document.
        k: How many, >= 1.

    Returns:
        None where too many documents are too close.
    """
    scores = _add_up(sketches, snapshot.size)
    values = scores if factors is None else scores * factors
    # Each value carries the rounding of its terms and of their additions, twice in a comparison.
    close = 1.0 - (2 * len(sketches) + 8) * _ROUNDING
    least = _early_guess(values, sketches, k)
    candidates = (values >= least * close if least > 0.0 else values > 0.0).nonzero()[0]
    if k <= _MAX_CANDIDATES < len(candidates):
        # The guess was too low: the weightiest term says little of a query of many.
        some = values[candidates]
        least = float(np.partition(some, len(some) - k)[-k])
        candidates = candidates[some >= least * close]
    if len(candidates) > _MAX_CANDIDATES:
        return None
    negative = (-values[candidates]).tolist()
    rows = sorted(zip(negative, candidates.tolist(), strict=True))
    last = 0.0
    for minus, _ in rows[: k + 1]:
        if minus <= last * close and last:
            return _told_apart(rows, close, exact, snapshot, k), scores
        last = minus
    return [doc for _, doc in rows[:k]], scores


def _told_apart(
    rows: list[tuple[float, int]],
    close: float,
    exact: Callable[[int], float],
    snapshot: Snapshot,
    k: int,
) -> list[int]:
    """The best `k`, where runs of documents too close to each other are ordered exactly."""
    best: list[int] = []
    run: list[int] = []
    last = 0.0
    for minus, doc in rows:
        if run and minus > last * close:
            best += _ordered(run, exact, snapshot)
            run = []
            if len(best) >= k:
                break
        run.append(doc)
        last = minus
    best += _ordered(run, exact, snapshot)
    return best[:k]


def _ordered(run: list[int], exact: Callable[[int], float], snapshot: Snapshot) -> list[int]:
    if len(run) < 2:
        return run
    return sorted(run, key=lambda doc: (-exact(doc), snapshot.order(doc)))


def _add_up(sketches: Sequence[Sketch], size: int) -> Singles:
    scores: Singles | None = None
    is_ours = False  # a row of the memory must stay as it is
    for docs, values, _, _, _ in sketches:
        if docs is not None:
            if scores is None:
                scores = np.zeros(size, np.float32)
            elif not is_ours:
                scores = scores.copy()
            is_ours = True
            scores[docs] += values
        elif scores is None:
            scores = values
        elif is_ours:
            scores += values
        else:
            scores = scores + values
            is_ours = True
    return np.zeros(size, np.float32) if scores is None else scores


def _early_guess(values: NDArray[np.floating], sketches: Sequence[Sketch], k: int) -> float:
    """At most the k-th largest value, and not much less; 0 where nothing says it."""
    best: Docs | None = None
    most = 0.0
    for _, _, champions, at_most, _ in sketches:
        if at_most > most and len(champions) >= k:
            best, most = champions, at_most
    if best is not None:
        some = values[best]
        some.sort()  # quicker than a partition of so few
        return float(some[-k])
    if k > _N_CHAMPIONS and k < len(values):
        return float(np.partition(values, len(values) - k)[-k])
    return 0.0


def _make(size: int, pieces: Sequence[tuple[Docs, Floats]], is_whole: bool) -> Sketch:
    n_docs = max((len(docs) for docs, _ in pieces), default=0)
    if n_docs >= max(_MIN_ROW, size / 27 - 200):
        row = np.zeros(size, np.float32)
        for docs, values in pieces:
            row[docs] += values.astype(np.float32)
        # Among those that hold it: over all, nine times as long, for most are equal, at zero.
        champions = (row > 0.0).nonzero()[0]
        if len(champions) > _N_CHAMPIONS:
            best = np.argpartition(row[champions], len(champions) - _N_CHAMPIONS)[-_N_CHAMPIONS:]
            champions = champions[best]
            champions.sort()
        return Sketch(None, row, champions, float(row[champions].max()), is_whole)
    if len(pieces) == 1:
        every, total = pieces[0][0], pieces[0][1].astype(np.float32)
    else:
        every = np.unique(np.concatenate([np.empty(0, np.intp), *(docs for docs, _ in pieces)]))
        total = np.zeros(len(every), np.float32)
        for docs, values in pieces:
            total[np.searchsorted(every, docs)] += values.astype(np.float32)
    champions = every
    if len(every) > _N_CHAMPIONS:
        champions = every[np.argpartition(total, len(every) - _N_CHAMPIONS)[-_N_CHAMPIONS:]]
        champions.sort()
    return Sketch(every, total, champions, float(total.max(initial=0.0)), is_whole)
