"""How do several processes analyse documents?

Each process gets chunks of documents and gives back flat arrays with a vocabulary of its own; the
parent renumbers them. The order of documents is kept, and terms are numbered anew when a snapshot
is inverted, so the snapshot's bytes do not depend on how many processes there were.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from memidx.analysis.base import Analyzer, FieldTerms

Text = tuple[str, str, str]  # title, path, text
MakeAnalyzer = Callable[[], Analyzer]

_CHUNK = 128


class Vocabulary(dict[str, int]):
    """Term -> number, handed out in order of first sight."""

    def __missing__(self, term: str) -> int:
        number = self[term] = len(self)
        return number


class Columns:
    """Postings of one field, in order of arrival: by document, then by term as met."""

    def __init__(self) -> None:
        self.terms = array("I")
        self.tf = array("I")
        self.counts = array("I")
        self.lengths = array("I")

    def add(self, field: FieldTerms, vocabulary: Vocabulary) -> None:
        """Append one document."""
        self.terms.extend(map(vocabulary.__getitem__, field.tf))
        self.tf.extend(field.tf.values())
        self.counts.append(len(field.tf))
        self.lengths.append(field.length)

    def extend(self, other: Columns, numbers: array[int]) -> None:
        """Append the documents of another vocabulary; `numbers` translates its terms."""
        self.terms.extend(map(numbers.__getitem__, other.terms))
        self.tf.extend(other.tf)
        self.counts.extend(other.counts)
        self.lengths.extend(other.lengths)


class Analysed(NamedTuple):
    """A chunk of documents, analysed."""

    terms: list[str]
    columns: list[Columns]


def analyse(texts: Iterable[Text], analyzer: Analyzer) -> Analysed:
    """Analyse documents in this process."""
    vocabulary = Vocabulary()
    columns = [Columns() for _ in analyzer.fields]
    for title, path, text in texts:
        fields = analyzer.document(title=title, path=path, text=text)
        for column, field in zip(columns, fields, strict=True):
            column.add(field, vocabulary)
    return Analysed(list(vocabulary), columns)


def analyse_in_processes(
    texts: Iterable[Text], make_analyzer: MakeAnalyzer, jobs: int
) -> Iterator[Analysed]:
    """Analyse documents in `jobs` processes, chunk by chunk, in order.

    Args:
        texts: Title, path and text of each document.
        make_analyzer: Makes the analyzer in each process; must be picklable.
        jobs: Processes, >= 2.
    """
    # Loaded only by who asks for more than one process.
    import multiprocessing

    # Fresh processes: a fork would copy locks that threads of this process may hold.
    context = multiprocessing.get_context("spawn")
    with context.Pool(jobs, initializer=_start, initargs=(make_analyzer,)) as pool:
        yield from pool.imap(_work, _chunks(texts))


_analyzer: Analyzer | None = None


def _start(make_analyzer: MakeAnalyzer) -> None:
    global _analyzer  # one analyzer a process: it remembers what it has analysed
    _analyzer = make_analyzer()


def _work(texts: list[Text]) -> Analysed:
    if _analyzer is None:
        raise RuntimeError("the process was not started by analyse_in_processes")
    return analyse(texts, _analyzer)


def _chunks(texts: Iterable[Text]) -> Iterator[list[Text]]:
    rest = iter(texts)
    while chunk := list(islice(rest, _CHUNK)):
        yield chunk
