"""Does every engine index the same files?

A time counts only when the engine that took it did the work. So each has to hold as many documents
as there are files, and find known items: a query made of one document's rarest words has to bring
that document among the first three. Words are plain letters between blanks, which every engine's
own rules leave whole, and no engine decides which are asked for.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from tests.benchmarks.engines import Engine, list_files, read_text

NEAR_TOP = 3

_WORD = re.compile(r"(?<!\S)[A-Za-z]{4,15}(?!\S)")
_N_WORDS = 5


class KnownItem(NamedTuple):
    """A query, and the documents that hold all its words: any of them is right."""

    query: str
    ids: frozenset[str]


class WrongIndexError(Exception):
    """An engine that does not hold what it should: its times would mean nothing."""


def draw(root: str, count: int, seed: int) -> list[KnownItem]:
    """The same known items for the same files, each of another document."""
    words = {n: {w.lower() for w in _WORD.findall(read_text(root, n))} for n in list_files(root)}
    df = Counter(word for own in words.values() for word in own)
    rich = [name for name, own in words.items() if len(own) >= _N_WORDS]
    chosen = Random(seed).sample(rich, min(count, len(rich)))
    rarest = {n: sorted(words[n], key=lambda w: (df[w], w))[:_N_WORDS] for n in chosen}
    holders: dict[str, set[str]] = defaultdict(set)
    asked = {word for own in rarest.values() for word in own}
    for name, own in words.items():
        for word in own & asked:
            holders[word].add(name)
    return [
        KnownItem(" ".join(own), frozenset.intersection(*(frozenset(holders[w]) for w in own)))
        for own in rarest.values()
    ]


def check(name: str, engine: Engine, n_files: int, items: Sequence[KnownItem]) -> str:
    """What was found, in words.

    Raises:
        WrongIndexError: The engine misses documents, or does not find them.
    """
    # A file without a word is no document for some.
    if not 0.99 * n_files <= engine.n_docs <= n_files:
        raise WrongIndexError(f"{name} holds {engine.n_docs:,} documents (expected {n_files:,})")
    found = [(item, engine.ids(item.query, 10)) for item in items]
    missed = [(i, ids) for i, ids in found if i.ids.isdisjoint(ids[:NEAR_TOP])]
    if missed:
        item, ids = missed[0]
        raise WrongIndexError(
            f"{name} finds {len(items) - len(missed)} of {len(items)} known items; not "
            f"{item.query!r} (expected {sorted(item.ids)[0]}, found {ids[:NEAR_TOP]})"
        )
    first = sum(not item.ids.isdisjoint(ids[:1]) for item, ids in found)
    return (
        f"{name}: {engine.n_docs:,} documents, {len(items)} of {len(items)} known items among the "
        f"first {NEAR_TOP}, {first} first"
    )
