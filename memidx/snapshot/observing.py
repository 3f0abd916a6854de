"""What is counted of documents while they are read?

Whoever builds a snapshot of everything needs of each document its row and the counts of its terms.
Both are made in the process that reads the file, so that no text is sent to be analysed; what comes
back is kept here until the documents' order is known.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from memidx.analysis.base import Analyzer
from memidx.documents import Document
from memidx.indexing.packing import DocRef
from memidx.snapshot.counting import Columns, Counted, Numbers
from memidx.snapshot.rows import Placed, Row, row_of
from memidx.snapshot.workers import Analysed, MakeAnalyzer, counter_for, packed_maker


class Observed(NamedTuple):
    """Documents of one batch of files, in their order; `process` is who counted their terms."""

    process: int
    rows: list[Row]
    counted: Counted


class Observations:
    """What was counted of the documents of a build.

    Args:
        analyzer: What counts as a term.
        make_analyzer: Makes it in another process.

    Attributes:
        make: What is to be done where files are read; picklable.
    """

    def __init__(self, analyzer: Analyzer, make_analyzer: MakeAnalyzer) -> None:
        self.make: Callable[[list[tuple[Document, DocRef]]], Observed] = partial(
            _observe, packed_maker(make_analyzer)
        )
        self._numbers = Numbers()
        self._columns = [Columns() for _ in analyzer.fields]
        # For each process, the number here of each of its terms.
        self._known: dict[int, array[int]] = {}
        # `doc_id` -> row, and place in the columns.
        self._rows: dict[str, tuple[Row, int]] = {}

    def take(self, observed: Observed) -> None:
        """Keep what was made of a batch."""
        process, rows, counted = observed
        place = len(self._columns[0].counts)
        self._rows.update((row.doc_id.decode(), (row, place + n)) for n, row in enumerate(rows))
        translation = self._known.setdefault(process, array("I"))
        translation.extend(map(self._numbers.__getitem__, counted.terms))
        for column, part in zip(self._columns, counted.columns, strict=True):
            column.extend(part, translation)

    def row(self, doc_id: str, line_sum: str) -> Row | None:
        """The row of a document, where the one with this line was observed."""
        row, _ = self._rows.get(doc_id, (None, 0))
        return row if row is not None and row.sum == line_sum else None

    def joined(self, rest: Analysed, doc_ids: Sequence[str | None]) -> Analysed:
        """The counts of documents of which some were observed.

        Args:
            rest: The others, analysed in their order.
            doc_ids: For each document its id, or None for one of the rest.
        """
        import numpy as np  # only who builds a snapshot pays for it

        translation = array("I", map(self._numbers.__getitem__, rest.terms))
        n_observed = len(self._columns[0].counts)
        others = iter(range(n_observed, n_observed + len(doc_ids)))
        places = [next(others) if doc_id is None else self._rows[doc_id][1] for doc_id in doc_ids]
        columns = []
        for column, more in zip(self._columns, rest.columns, strict=True):
            whole = column.copied()
            whole.extend(more, translation)
            columns.append(whole.picked(np.array(places, dtype=np.int64)))
        return Analysed(*_used(list(self._numbers), columns))


def _used(terms: list[str], columns: list[Columns]) -> tuple[list[str], list[Columns]]:
    """Terms that occur, and columns with their numbers."""
    import numpy as np  # see above

    is_used = np.zeros(len(terms), dtype=bool)
    for column in columns:
        is_used[np.frombuffer(column.terms, dtype=np.uint32)] = True
    if is_used.all():
        return terms, columns
    numbers = array("I", (np.cumsum(is_used) - 1).astype(np.uint32).tobytes())
    for column in columns:
        column.renumber(numbers)
    return [term for term, used in zip(terms, is_used.tolist(), strict=True) if used], columns


def _observe(maker: bytes, documents: list[tuple[Document, DocRef]]) -> Observed:
    rows = [row_of(Placed(document, ref.sum, ref.line)) for document, ref in documents]
    texts = ((document.title, document.path, document.text) for document, _ in documents)
    return Observed(os.getpid(), rows, counter_for(maker).count(texts))
