"""How do several processes analyse documents?

Each process gets chunks of documents and gives back flat arrays with a vocabulary of its own; the
parent renumbers them. The order of documents is kept, and terms are numbered anew when a snapshot
is inverted, so the snapshot's bytes do not depend on how many processes there were.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, count

from memidx.analysis.base import Analyzer
from memidx.crew import current_crew
from memidx.garbage import collector_paused
from memidx.snapshot.counting import Counted, Counter, Text

MakeAnalyzer = Callable[[], Analyzer]

# Characters of text that a process gets at once.
_CHUNK_CHARACTERS = 1 << 20
# Less text than this is analysed before another process has started.
_LEAST_CHARACTERS = 1 << 21


def analyse(
    texts: Iterable[Text],
    analyzer: Analyzer,
    *,
    jobs: int = 1,
    make_analyzer: MakeAnalyzer | None = None,
) -> Iterator[Counted]:
    """Analyse documents: in this process, or in several where there is enough text.

    Args:
        texts: Title, path and text of each document.
        analyzer: What counts as a term.
        jobs: Processes; more than one are those of the build's crew.
        make_analyzer: Makes the analyzer in another process; needed for more than one.

    Yields:
        The documents in their order, some at a time.
    """
    crew = current_crew() if jobs > 1 else None
    if crew is not None and make_analyzer is not None:
        few, rest = ([], iter(texts)) if crew.is_started else _first(texts)
        if rest is not None:
            work = partial(_work, packed_maker(make_analyzer))
            yield from crew.map(work, _chunks(chain(few, rest)))
            return
        texts = few
    counter = Counter(analyzer)
    yield from map(counter.count, _chunks(texts))


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


_calls = count()
# In a process of the crew, one counter for one call: it remembers what it has analysed.
_counters: dict[bytes, Counter] = {}


def packed_maker(make_analyzer: MakeAnalyzer | None) -> bytes:
    """What `counter_for` makes a counter from.

    With a number of its own for each call: what a process says of its terms builds on what it said.
    """
    return pickle.dumps((next(_calls), make_analyzer))


def counter_for(maker: bytes) -> Counter:
    """This process's counter for one call."""
    counter = _counters.get(maker)
    if counter is None:
        _, make_analyzer = pickle.loads(maker)
        _counters.clear()
        counter = _counters[maker] = Counter(make_analyzer())
    return counter


def forget_counters() -> None:
    """Let go of what this process's counter remembers; who ends a build need not wait for it."""
    _counters.clear()


def _work(maker: bytes, texts: list[Text]) -> Counted:
    with collector_paused():
        return counter_for(maker).count(texts)


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
