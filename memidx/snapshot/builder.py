"""How do documents become the arrays a query reads?

Documents are analysed one by one, their terms collected as flat arrays, and inverted at the end
with one stable sort: postings come out by term, then by `doc_ord`. The result is a pure function
of the documents, the analyzer and the lines where records begin.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from memidx.analysis.base import Analyzer
from memidx.documents import Document
from memidx.garbage import collector_paused
from memidx.scoring import idf
from memidx.snapshot.counting import Columns, Text
from memidx.snapshot.format import blob_sections, serialise
from memidx.snapshot.workers import MakeAnalyzer, analyse
from memidx.text.dates import days_since_epoch

NO_DAY = float("-inf")  # an undated document is older than any date


class Placed(NamedTuple):
    """A document, the checksum of its line, and where it begins in its file."""

    document: Document
    sum: str
    line: int


def build_snapshot(
    placed: Iterable[Placed],
    analyzer: Analyzer,
    *,
    facts: Mapping[str, Any],
    jobs: int = 1,
    make_analyzer: MakeAnalyzer | None = None,
) -> Iterator[bytes]:
    """Bytes of a snapshot of `placed`.

    Args:
        placed: Every document, in ascending order of `doc_id` (code points), without repeats.
        analyzer: What counts as a term.
        facts: What the header shall say besides the statistics.
        jobs: Processes that analyse; the bytes are the same for any number.
        make_analyzer: Makes the analyzer in another process; needed for more than one.

    Returns:
        Pieces of the file, to be written one after another.
    """
    rows = _Rows()
    with collector_paused():
        texts = rows.gather(placed)
        terms, columns = analyse(texts, analyzer, jobs=jobs, make_analyzer=make_analyzer)
    for counts in zip(*(column.counts for column in columns), strict=True):
        rows.n_searchable += any(counts)
    sections, statistics = _invert(terms, columns, analyzer.fields, rows.n_searchable)
    sections.update(rows.sections())
    return serialise(
        {
            **facts,
            **statistics,
            "fields": list(analyzer.fields),
            "n_docs": len(rows.ids),
            "n_searchable": rows.n_searchable,
            "sources": rows.sources.names(),
            "kinds": rows.kinds.names(),
        },
        sections,
    )


class _Rows:
    """What a snapshot keeps of each document besides its terms."""

    def __init__(self) -> None:
        self.ids: list[bytes] = []
        self.cards: list[bytes] = []
        self.texts: list[bytes] = []
        self.path_bytes = array("I")
        self.source = array("H")
        self.kind = array("H")
        self.day = array("d")
        self.line = array("I")
        self.sources = _Names()
        self.kinds = _Names()
        self.n_searchable = 0

    def gather(self, placed: Iterable[Placed]) -> Iterator[Text]:
        """Take the facts of each document, and hand on what is to be analysed."""
        for entry in placed:
            self._add(entry)
            document = entry.document
            yield document.title, document.path, document.text

    def _add(self, entry: Placed) -> None:
        document = entry.document
        card = [document.title, document.time, document.tags, document.source_hash, entry.sum]
        self.ids.append(document.doc_id.encode())
        self.path_bytes.append(len(document.path.encode()))
        self.cards.append(json.dumps(card, ensure_ascii=False, separators=(",", ":")).encode())
        self.texts.append(document.text.encode())
        self.source.append(self.sources.number(document.source))
        self.kind.append(self.kinds.number(document.kind))
        self.day.append(_day(document.time))
        self.line.append(entry.line)

    def sections(self) -> dict[str, tuple[str, bytes]]:
        return {
            **blob_sections("doc.id", self.ids),
            **blob_sections("doc.card", self.cards),
            "doc.path_bytes": ("I", self.path_bytes.tobytes()),
            "doc.source": ("H", self.source.tobytes()),
            "doc.kind": ("H", self.kind.tobytes()),
            "doc.day": ("d", self.day.tobytes()),
            "doc.line": ("I", self.line.tobytes()),
            **blob_sections("doc.text", self.texts),
        }


def _day(time: str | None) -> float:
    """The day of a document; a time that another program wrote and nobody can read is none."""
    try:
        return NO_DAY if time is None else days_since_epoch(time)
    except ValueError:
        return NO_DAY


class _Names:
    """Small table of repeated names."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, name: str) -> int:
        return self._numbers.setdefault(name, len(self._numbers))

    def names(self) -> list[str]:
        return list(self._numbers)


def _invert(
    vocabulary: Sequence[str],
    columns: list[Columns],
    fields: tuple[str, ...],
    n_searchable: int,
) -> tuple[dict[str, tuple[str, bytes]], dict[str, Any]]:
    # numpy is not on the query path: only who builds a snapshot pays for it.
    import numpy as np

    encoded = [term.encode() for term in vocabulary]
    order = sorted(range(len(encoded)), key=encoded.__getitem__)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    sections = blob_sections("term", [encoded[number] for number in order])
    largest_df = np.zeros(len(order), dtype=np.int64)
    totals: dict[str, list[int]] = {}
    postings: dict[str, tuple[Any, Any, Any]] = {}
    for name, column in zip(fields, columns, strict=True):
        counts = np.frombuffer(column.counts, dtype=np.uint32).astype(np.int64)
        terms = rank[np.frombuffer(column.terms, dtype=np.uint32)]
        docs = np.repeat(np.arange(len(counts), dtype=np.uint32), counts)
        by_term = np.argsort(terms, kind="stable")
        df = np.bincount(terms, minlength=len(order))
        at = np.zeros(len(order) + 1, dtype=np.uint64)
        np.cumsum(df, out=at[1:])
        docs = docs[by_term]
        tf = np.frombuffer(column.tf, dtype=np.uint32)[by_term]
        lengths = np.frombuffer(column.lengths, dtype=np.uint32)
        np.maximum(largest_df, df, out=largest_df)
        totals[name] = [int(np.count_nonzero(lengths)), int(lengths.sum(dtype=np.int64))]
        postings[name] = (df, docs, tf)
        sections[f"{name}.at"] = ("Q", at.tobytes())
        sections[f"{name}.ord"] = ("I", docs.tobytes())
        sections[f"{name}.tf"] = ("I", tf.tobytes())
        sections[f"{name}.len"] = ("I", lengths.tobytes())
    table = [idf(n_searchable, df) for df in range(n_searchable + 1)]
    term_idf = np.array(table, dtype=np.float64)[largest_df]
    df, docs, tf = postings[fields[0]]
    weights = tf * np.repeat(term_idf, df)
    n_rows = len(columns[0].lengths)
    squares = np.bincount(docs, weights=weights * weights, minlength=n_rows)
    sections["df"] = ("I", largest_df.astype(np.uint32).tobytes())
    sections["norm"] = ("d", np.sqrt(squares).tobytes())
    return sections, {"totals": totals}
