"""Which documents are the best, by sums that are only nearly right?

Sums of sketches (`memidx.search.sketch`) say which documents can be among the best and in which
order, but for those so close to each other that the error could decide. Their scores are worked
out exactly, one by one, by the formula of the plain kernel. So ids and order are those of exact
scores, for half the additions and a quarter of the memory traffic. Needs numpy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memidx.search.given import Floats
from memidx.search.sketch import ROUNDING, Singles, Sketch
from memidx.snapshot.snapshot import Snapshot

# More candidates than this, and than twice as many as are wanted, are thinned out; and where the
# most are left, nobody tells them apart one by one.
_MANY, _MAX_CANDIDATES = 40, 400

Exact = Callable[[int], float]


class Chooser:
    """Chooses among the documents of one snapshot, again and again.

    Sums and comparisons go into the same two arrays each time (5 bytes a document): at 100,000
    documents, making new ones would take as long as filling them.

    Args:
        size: Document numbers of the snapshot.
        factors: What turns relevance into composite, per document; None when it is 1.
    """

    def __init__(self, size: int, factors: Floats | None) -> None:
        self._factors = factors
        self._sums: Singles = np.empty(size, np.float32)
        self._flags = np.empty(size, np.bool_)

    def best(
        self,
        snapshot: Snapshot,
        sketches: Sequence[Sketch],
        exact: Callable[[], Exact],
        k: int,
    ) -> tuple[list[int], Singles] | None:
        """The best `k` documents in served order, and about what every document scores.

        Args:
            snapshot: The chooser's.
            sketches: Of the query's terms that occur.
            exact: Makes what gives the composite of a document; few queries need it.
            k: How many, >= 1.

        Returns:
            None where too many documents are too close. The scores are good until the next call.
        """
        scores = self._add_up(sketches)
        values = scores if self._factors is None else scores * self._factors
        # Of a value: the seven roundings in a sketch, one more where it has two fields, and one
        # for each sketch that is added; twice in a comparison, each half of ROUNDING; and some
        # more for the rounding of the limit itself.
        close = 1.0 - (2 * len(sketches) + 8) * ROUNDING
        least = _early_guess(values, sketches, k)
        if least > 0.0:
            flags = np.greater_equal(values, least * close, self._flags)
        else:
            flags = np.greater(values, 0.0, self._flags)
        candidates = flags.nonzero()[0]
        some = values[candidates]
        if len(some) > max(_MANY, 2 * k):
            # The guess was too low: the weightiest term says little of a query of many.
            least = float(np.partition(some, len(some) - k)[-k])
            is_left = some >= least * close
            candidates, some = candidates[is_left], some[is_left]
        if len(some) > _MAX_CANDIDATES:
            return None
        rows = sorted(zip(some.tolist(), candidates.tolist(), strict=True), reverse=True)
        # One more than wanted: the last place, too, is told apart from the one behind it.
        last = float("inf")
        for value, _ in rows[: k + 1]:
            if value >= last:
                return _told_apart(rows, close, exact(), snapshot, k), scores
            last = value * close
        return [doc for _, doc in rows[:k]], scores

    def _add_up(self, sketches: Sequence[Sketch]) -> Singles:
        """What the terms give together."""
        sums = self._sums
        rows = [sketch.values for sketch in sketches if sketch.docs is None]
        if len(rows) > 1:
            np.add(rows[0], rows[1], sums)
            for row in rows[2:]:
                np.add(sums, row, sums)
        elif not rows:
            sums.fill(0.0)
        elif len(sketches) == 1:
            return rows[0]
        else:
            np.copyto(sums, rows[0])
        for sketch in sketches:
            if sketch.docs is not None:
                # No document is in it twice, but `sums[docs] += values` takes twice as long.
                np.add.at(sums, sketch.docs, sketch.values)
        return sums


def _early_guess(values: NDArray[np.floating[Any]], sketches: Sequence[Sketch], k: int) -> float:
    """At most the k-th largest value, and not much less; 0 where nothing says it.

    The documents that the weightiest term gives most to are good ones: looking at 64 takes 2 µs
    where dividing 4,728 values at the k-th takes 8.
    """
    weightiest: Sketch | None = None
    for sketch in sketches:
        if sketch.n_champions >= k and (weightiest is None or sketch.weight > weightiest.weight):
            weightiest = sketch
    if weightiest is not None:
        some = values[weightiest.champions]
        some.sort()  # quicker than a partition of so few
        return float(some[-k])
    if any(sketch.n_docs >= k for sketch in sketches):
        return float(np.partition(values, len(values) - k)[-k])
    return 0.0


def _told_apart(
    rows: Sequence[tuple[float, int]],
    close: float,
    exact: Exact,
    snapshot: Snapshot,
    k: int,
) -> list[int]:
    """The best `k`, where runs of documents too close to each other are ordered exactly."""
    best: list[int] = []
    run: list[int] = []
    last = 0.0
    for value, doc in rows:
        if run and value < last * close:
            best += _ordered(run, exact, snapshot)
            run = []
            if len(best) >= k:
                break
        run.append(doc)
        last = value
    best += _ordered(run, exact, snapshot)
    return best[:k]


def _ordered(run: list[int], exact: Exact, snapshot: Snapshot) -> list[int]:
    if len(run) < 2:
        return run
    return sorted(run, key=lambda doc: (-exact(doc), snapshot.order(doc)))
