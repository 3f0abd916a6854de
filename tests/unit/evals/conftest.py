"""An index that answers from a table, so that what an evaluation makes of it can be worked out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from memidx.evals import Suite, parse_suite


@dataclass(frozen=True)
class Row:
    doc_id: str
    source: str = "docs"
    path: str = ""
    title: str = "Untitled"
    time: str | None = None
    kind: str = "markdown"


@dataclass(frozen=True)
class Place:
    doc_id: str
    source: str
    confidence: str = "reliable"


@dataclass(frozen=True)
class Failed:
    source: str | None
    reason: str
    path: str = ""


@dataclass(frozen=True)
class Refreshed:
    freshness: str = "fresh"
    sources_failed: Sequence[Failed] = ()


@dataclass
class FakeIndex:
    """Ranks by table: `rankings[query text]` lists `doc_id`, or `doc_id~confidence`."""

    rows: Sequence[Row]
    rankings: Mapping[str, Sequence[str]]
    freshness: str = "fresh"
    sources_failed: Sequence[Failed] = ()
    configuration: Mapping[str, Any] = field(
        default_factory=lambda: {"search": {"strategy": "lexical"}, "sources": {}}
    )
    build_id: str = "build-1"
    fingerprint: str = "analyzer-1"
    asked: dict[str, Any] = field(default_factory=dict)

    def refresh(self) -> Refreshed:
        """What the table says."""
        return Refreshed(self.freshness, self.sources_failed)

    def catalog(self) -> Sequence[Row]:
        """The documents of the table."""
        return self.rows

    def texts(self) -> Iterator[tuple[str, str]]:
        """A document's text is the words of its name."""
        return ((row.doc_id, row.doc_id.replace("-", " ")) for row in self.rows)

    def rank(
        self, queries: Sequence[str], k: int, sources: Sequence[str] = (), **options: Any
    ) -> list[list[Place]]:
        """The rankings of the table; remembers how it was asked."""
        self.asked = {"k": k, **options}
        source = {row.doc_id: row.source for row in self.rows}
        answers = []
        for query in queries:
            places = []
            for name in self.rankings.get(query, ()):
                doc_id, _, confidence = name.partition("~")
                place = Place(doc_id, source.get(doc_id, "?"), confidence or "reliable")
                if not sources or place.source in sources:
                    places.append(place)
            answers.append(places)
        return answers


@pytest.fixture
def make_row() -> Callable[..., Row]:
    """`make_row(doc_id, source=…, title=…, time=…)`; the path is what stands before `#`."""

    def make(doc_id: str, source: str = "docs", **more: Any) -> Row:
        return Row(doc_id, source, more.pop("path", doc_id.partition("#")[0]), **more)

    return make


@pytest.fixture
def make_index(make_row: Callable[..., Row]) -> Callable[..., FakeIndex]:
    """`make_index(rows or doc_ids, rankings, …)`."""

    def make(rows: Sequence[Any], rankings: Mapping[str, Sequence[str]], **more: Any) -> FakeIndex:
        made = [make_row(row) if isinstance(row, str) else row for row in rows]
        return FakeIndex(made, rankings, **more)

    return make


@pytest.fixture
def fail() -> Callable[[str], Failed]:
    """A source that could not be read."""
    return lambda source: Failed(source, "its base folder is missing")


@pytest.fixture
def make_suite() -> Callable[..., Suite]:
    """`make_suite(entry, …, head=…)`: a suite of queries in flow style, one a line from line 3."""

    def make(*entries: str, head: str = "") -> Suite:
        lines = ["version: 1", *head.splitlines(), "queries:", *(f"- {{{e}}}" for e in entries)]
        return parse_suite("\n".join(lines) + "\n", "queries.yaml")

    return make
