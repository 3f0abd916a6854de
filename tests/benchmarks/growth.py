"""What happens from 1,000 documents to 100,000?

Documents are paragraphs of real ones, put together anew by a fixed seed, so that words are as
common or rare as people use them; each has one word of its own, by which it can be found. Their
vocabulary stops growing where that of real notes would go on.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from itertools import pairwise
from random import Random

from tabulate import tabulate

from tests.benchmarks import corpus, measure
from tests.benchmarks.engines import ENGINES, list_files, load, read_text
from tests.benchmarks.known_items import KnownItem, check
from tests.benchmarks.tables import show

SEED = 20261130
CONTESTANTS = ("memidx", "tantivy")

_FILES_A_FOLDER = 1000
_BLANK_LINES = re.compile(r"\n\s*\n")
_BUILD = (
    "import sys; from tests.benchmarks.engines import {} as engine\n"
    "engine.build(sys.argv[1], sys.argv[2])"
)
# A word no stemmer cuts and no language has.
_SYLLABLES = [c + v for c in "bdgkmpvz" for v in "aou"]


def paragraphs(root: str) -> list[str]:
    """Paragraphs of 60 to 800 characters, outside code."""
    found = (
        part.strip() for n in list_files(root) for part in _BLANK_LINES.split(read_text(root, n))
    )
    return [part for part in found if 60 <= len(part) <= 800 and "```" not in part]


def own_word(number: int) -> str:
    """The word that only document `number` has."""
    digits = []
    for _ in range(5):
        number, digit = divmod(number, len(_SYLLABLES))
        digits.append(_SYLLABLES[digit])
    return "x" + "".join(digits) + "k"


def documents(parts: Sequence[str], count: int) -> Iterator[tuple[str, str]]:
    """`count` paths and texts, the same for the same paragraphs; the first n of n + m are the n."""
    rng = Random(SEED)
    for number in range(count):
        body = "\n\n".join(rng.choices(parts, k=rng.randint(2, 8)))
        path = f"{number // _FILES_A_FOLDER:03}/{number:06}.md"
        yield path, f"# Note {own_word(number)}\n\n{body}\n\n{own_word(number)}\n"


def write(root: str, parts: Sequence[str], count: int) -> int:
    """Write them below `root`, and say how many bytes they are."""
    total = 0
    for path, text in documents(parts, count):
        if path.endswith("000.md"):
            os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
        data = text.encode()
        with open(os.path.join(root, path), "wb") as file:
            file.write(data)
        total += len(data)
    return total


def table(
    source: str, folder: str, sizes: Sequence[int], note: Callable[[str], None]
) -> tuple[str, list[str]]:
    """The growth table, and the checks that were passed for it.

    Args:
        source: Folder of the real documents.
        folder: Where everything is written.
        sizes: Numbers of documents, ascending.
        note: Told what is going on.
    """
    names = [name for name in CONTESTANTS if name in available()]
    parts = paragraphs(source)
    rows: list[list[str]] = []
    checks: list[str] = []
    costs: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
    for count in sizes:
        note(f"growth: {count:,} documents")
        here = os.path.join(folder, str(count))
        root = os.path.join(here, "root")
        size = write(root, parts, count)
        targets = {name: os.path.join(here, ENGINES[name][0]) for name in names}

        def builder(name: str, root: str, target: str) -> Callable[[int], list[str]]:
            def arguments(number: int) -> list[str]:
                os.makedirs(f"{target}-{number}")
                return ["-c", _BUILD.format(ENGINES[name][0]), root, f"{target}-{number}"]

            return arguments

        rounds = 1 if count > 20_000 else 3
        builders = {name: builder(name, root, targets[name]) for name in names}
        built = measure.processes(builders, rounds)
        items = [
            KnownItem(own_word(n), frozenset({f"{n // _FILES_A_FOLDER:03}/{n:06}.md"}))
            for n in Random(SEED).sample(range(count), min(20, count))
        ]
        asked = corpus.draw_queries(root, 200)
        with ExitStack() as stack:
            engines = {
                name: stack.enter_context(closing(load(name).Engine(f"{targets[name]}-0")))
                for name in names
            }
            checks += [check(name, engine, count, items) for name, engine in engines.items()]
            ids: measure.Contestants = {
                name: (lambda query, ids=engine.ids: ids(query, 10))
                for name, engine in engines.items()
            }
            p50, p95 = measure.queries(ids, asked, 3)
        for name in names:
            peak = built[name].peak_mb * 1e6
            costs[name].append((built[name].seconds, peak))
            rows.append(
                [
                    f"{count:,}",
                    show(size, "B"),
                    name,
                    show(built[name].seconds, "s"),
                    show(built[name].seconds / count, "s"),
                    show(peak, "B"),
                    show(peak / count, "B"),
                    show(p50[name].seconds, "s"),
                    show(p95[name].seconds, "s"),
                ]
            )
    heads = ["documents", "files", "engine", "build", "build, each", "peak", "peak, each"]
    heads += ["ids p50", "ids p95"]
    lines = [tabulate(rows, heads, "github", disable_numparse=True), ""]
    for name, measured in costs.items():
        lines += _further(name, sizes, measured)
    return "\n".join(lines) + "\n", checks


def _further(
    name: str, sizes: Sequence[int], measured: Sequence[tuple[float, float]]
) -> Iterator[str]:
    """What each further document costs from one size to the next: the same, where it is linear."""
    steps = zip(pairwise(sizes), pairwise(measured), strict=True)
    for (few, many), ((time, peak), (later, higher)) in steps:
        each = [(later - time) / (many - few), (higher - peak) / (many - few)]
        yield (
            f"- {name}, from {few:,} to {many:,}: each further document takes "
            f"{show(each[0], 's')} of building and {show(max(0.0, each[1]), 'B')} of memory."
        )


def available() -> list[str]:
    """Engines that can be measured here."""
    from tests.benchmarks.engines import why_not

    return [name for name in ENGINES if why_not(name) is None]
