"""What is counted of documents while they are read?

Whoever builds a snapshot of everything needs of each document its row and the counts of its terms.
Both are made in the process that reads the file, so that no text is sent to be analysed; what comes
back is put aside here in the order in which it comes, and put in order at the end.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, partial
from typing import NamedTuple

from memidx.analysis.base import Analyzer
from memidx.crew import load_numpy
from memidx.documents import Document
from memidx.errors import FileError
from memidx.files.spooling import Scratch
from memidx.indexing.packing import DocRef
from memidx.snapshot.counting import Counted, Text
from memidx.snapshot.inversion import Inverted, Postings
from memidx.snapshot.rows import Placed, Row, Rows, row_of
from memidx.snapshot.workers import (
    MakeAnalyzer,
    counter_for,
    forget_counters,
    packed_maker,
)
from memidx.store.lines import Lines


class Observed(NamedTuple):
    """Documents of one batch of files, in their order."""

    doc_ids: list[str]
    rows: list[Row]
    counted: Counted


class Observations:
    """Rows and postings of the documents of a build.

    Args:
        analyzer: What counts as a term.
        make_analyzer: Makes it in another process.
        scratch: Where they are put aside.
        env: The environment; see `memidx.crew.load_numpy`.

    Attributes:
        make: What is to be done where files are read; picklable.
        rows: Of all documents, in the order in which they came.
        chosen: The number of each document of the build, once it is known that all were observed.
    """

    def __init__(
        self,
        analyzer: Analyzer,
        make_analyzer: MakeAnalyzer | None,
        scratch: Scratch,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self._fields = analyzer.fields
        self._scratch = scratch
        self._env = env or {}
        self._maker = packed_maker(make_analyzer)
        self._has_counter = make_analyzer is not None
        self.make: Callable[[list[tuple[Document, DocRef]]], Observed] = partial(
            _observe, self._maker
        )
        self.rows = Rows(scratch)
        # `doc_id` -> which of them it is; of a file that was read twice the later one counts.
        self._numbers: dict[str, int] = {}
        # Checksums of their lines: the very strings that the files are told with, again.
        self._sums: list[str] = []
        self._inverted: Inverted | FileError | None = None
        self.chosen: array[int] | None = None

    @cached_property
    def postings(self) -> Postings:
        """Those of all documents, in the order in which they came."""
        own = counter_for(self._maker) if self._has_counter else None
        return Postings(self._fields, self._scratch, own)

    def get_ready(self) -> None:
        """Load what counting needs."""
        load_numpy(self._env)
        _ = self.postings

    def take(self, observed: Observed) -> None:
        """Keep what was made of a batch."""
        for doc_id, row in zip(observed.doc_ids, observed.rows, strict=True):
            self._numbers[doc_id] = len(self._sums)
            self._sums.append(row.sum)
            self.rows.add(row)
        self.postings.add(observed.counted)

    def find(self, doc_id: str, line_sum: str) -> int | None:
        """Which of them a document is, where the one with this line was observed."""
        number = self._numbers.get(doc_id)
        is_it = number is not None and self._sums[number] == line_sum
        return number if is_it else None

    def choose(self, lines: Lines) -> None:
        """Find out whether all documents of these lines were observed."""
        numbers = array("L")
        for doc_id in lines:
            number = self.find(doc_id, lines.sum(doc_id))
            if number is None:
                return
            numbers.append(number)
        self.chosen = numbers

    def invert(self) -> None:
        """Invert the postings now, where all documents were observed."""
        if self.chosen is not None:
            forget_counters()
            try:
                self._inverted = self.postings.inverted(self.chosen)
            except FileError as error:
                self._inverted = error  # raised where a full disk costs no answer

    def inverted(self, numbers: array[int]) -> Inverted:
        """The postings of the documents of these numbers; they are used up."""
        if isinstance(self._inverted, FileError):
            raise self._inverted
        return self._inverted or self.postings.inverted(numbers)

    def rest(self, placed: Iterable[Placed | int], numbers: array[int]) -> Iterator[Text]:
        """Take the rows of further documents, and hand on what is to be counted.

        Args:
            placed: Documents, or the numbers of those that were observed.
            numbers: Gets the number of each.
        """
        for entry in placed:
            if isinstance(entry, int):
                numbers.append(entry)
                continue
            numbers.append(len(self.rows))
            self.rows.add(row_of(entry))
            document = entry.document
            yield document.title, document.path, document.text


def _observe(maker: bytes, documents: list[tuple[Document, DocRef]]) -> Observed:
    rows = [row_of(Placed(document, ref.sum, ref.line)) for document, ref in documents]
    texts = ((document.title, document.path, document.text) for document, _ in documents)
    # The very strings that the documents' files are told with: sent together, they stay one.
    doc_ids = [ref.doc_id for _, ref in documents]
    return Observed(doc_ids, rows, counter_for(maker).count(texts))
