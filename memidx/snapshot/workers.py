"""How do several processes analyse documents?

Each process gets chunks of documents and gives back flat arrays with a vocabulary of its own; the
parent renumbers them. The order of documents is kept, and terms are numbered anew when a snapshot
is inverted, so the snapshot's bytes do not depend on how many processes there were.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from memidx.analysis.base import Analyzer
from memidx.snapshot.counting import Columns, Counted, Counter, Numbers, Text

MakeAnalyzer = Callable[[], Analyzer]

# Characters of text that a process gets at once.
_CHUNK_CHARACTERS = 1 << 20
# Less text than this is analysed before another process has started.
_LEAST_CHARACTERS = 1 << 21


class Analysed(NamedTuple):
    """Documents, analysed.

    Attributes:
        terms: By their numbers; each occurs in a document.
        columns: Per field.
    """

    terms: list[str]
    columns: list[Columns]


def analyse(
    texts: Iterable[Text],
    analyzer: Analyzer,
    *,
    jobs: int = 1,
    make_analyzer: MakeAnalyzer | None = None,
) -> Analysed:
    """Analyse documents: in this process, or in several where there is enough text.

    Args:
        texts: Title, path and text of each document.
        analyzer: What counts as a term.
        jobs: Processes, >= 1.
        make_analyzer: Makes the analyzer in another process; needed for more than one.
    """
    if jobs > 1 and make_analyzer is not None:
        few, rest = _first(texts)
        if rest is not None:
            return _in_processes(chain(few, rest), analyzer, make_analyzer, jobs)
        texts = few
    return Analysed(*Counter(analyzer).count(texts))


def _first(texts: Iterable[Text]) -> tuple[list[Text], Iterator[Text] | None]:
    """The first texts, as many as one process does in no time, and the rest if there is one."""
    few: list[Text] = []
    rest = iter(texts)
    size = 0
    for text in rest:
        few.append(text)
        size += len(text[2])
        if size >= _LEAST_CHARACTERS:
            return few, rest
    return few, None


def _in_processes(
    texts: Iterable[Text], analyzer: Analyzer, make_analyzer: MakeAnalyzer, jobs: int
) -> Analysed:
    # Loaded only by who needs more than one process.
    import multiprocessing

    numbers = Numbers()
    columns = [Columns() for _ in analyzer.fields]
    # For each process, the number here of each of its terms.
    known: dict[int, list[int]] = {}
    # Fresh processes: a fork would copy locks that threads of this process may hold.
    context = multiprocessing.get_context("spawn")
    with context.Pool(jobs, initializer=_start, initargs=(make_analyzer,)) as pool:
        for process, counted in pool.imap(_work, _chunks(texts)):
            translation = known.setdefault(process, [])
            # A process gets its chunks in order, and says of each which terms are new to it.
            translation.extend(map(numbers.__getitem__, counted.terms))
            for column, part in zip(columns, counted.columns, strict=True):
                column.extend(part, translation)
    return Analysed(list(numbers), columns)


_counter: Counter | None = None


def _start(make_analyzer: MakeAnalyzer) -> None:
    global _counter  # one a process: it remembers what it has analysed
    _counter = Counter(make_analyzer())


def _work(texts: list[Text]) -> tuple[int, Counted]:
    if _counter is None:
        raise RuntimeError("the process was not started by analyse")
    return os.getpid(), _counter.count(texts)


def _chunks(texts: Iterable[Text]) -> Iterator[list[Text]]:
    chunk: list[Text] = []
    size = 0
    for text in texts:
        chunk.append(text)
        size += len(text[2])
        if size >= _CHUNK_CHARACTERS:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk
