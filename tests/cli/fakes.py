"""Answers and reports as the library gives them, to test the command line without an index."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

from memidx.results import BuildReport, VerifyReport
from memidx.search.answer import Answer, Hit, Problem, Snippet


def hit(rank: int = 1, **changes: Any) -> Hit:
    """A hit in `docs/locks.md`, line 12."""
    values: dict[str, Any] = {
        "rank": rank,
        "doc_id": "docs/locks.md",
        "source": "docs",
        "kind": "markdown",
        "path": "docs/locks.md",
        "anchor": None,
        "title": "File locks",
        "score": 4.25,
        "relevance": 0.5,
        "composite": 0.5,
        "confidence": "reliable",
        "snippet": "A lock that cannot be taken\nin two seconds is given up.",
        "snippets": (Snippet("A lock that cannot be taken\nin two seconds is given up.", 12, 13),),
        "line_start": 12,
        "line_end": 13,
        "time": "2026-11-02",
        "tags": ("store",),
        "flags": (),
        "store": "store",
    }
    return Hit(**{**values, **changes})


def answer(*hits: Hit, **changes: Any) -> Answer:
    """An answer of a fresh index of 120 documents."""
    values: dict[str, Any] = {
        "text": "file lock",
        "terms": ("file", "lock"),
        "excluded": (),
        "verdict": "hits" if hits else "no_match",
        "freshness": "fresh",
        "strategy": "lexical",
        "as_of": "2026-11-30",
        "n_matched": len(hits),
        "n_by_source": {"docs": len(hits)} if hits else {},
        "sources_failed": (),
        "skipped": (),
        "n_skipped": 0,
        "build_id": "b1",
        "fingerprint": "f1",
        "n_docs": 120,
        "hits": hits,
    }
    return Answer(**{**values, **changes})


FAILED = Problem(path="notes", reason="no such folder", source="notes")


@dataclass
class FakeIndex:
    """Answers with what it was made with, and keeps what it was asked."""

    answer: Answer | None = None
    status_dict: dict[str, Any] = field(default_factory=dict)
    report: Any = None
    error: BaseException | None = None
    asked: dict[str, Any] = field(default_factory=dict)
    logs_queries: bool = False

    def __enter__(self) -> FakeIndex:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def search(self, query: str, k: int = 5, **options: Any) -> Answer:
        """The answer it was made with."""
        self.asked = {"query": query, "k": k, **options}
        if self.error is not None:
            raise self.error
        assert self.answer is not None
        return self.answer

    def status(self) -> dict[str, Any]:
        """The status it was made with."""
        return self.status_dict

    def verify(self) -> Any:
        """The report it was made with."""
        return self.report


def build_report(**changes: Any) -> BuildReport:
    """A build of three documents that changed nothing."""
    values: dict[str, Any] = {
        "store": os.path.abspath("store"),
        "root": os.path.abspath("."),
        "n_docs": 3,
        "n_added": 0,
        "n_changed": 0,
        "n_removed": 0,
        "n_unchanged": 3,
        "n_read": 0,
        "n_shards": 1,
        "shards_written": 0,
        "lines_written": 0,
        "bytes_written": 0,
        "behind": False,
        "manifest_differs": False,
        "added": (),
        "changed": (),
        "removed": (),
        "skips": (),
        "unsupported": {},
        "sources": {"docs": 3},
        "sources_failed": (),
        "damage": (),
        "elapsed_ms": 1234.0,
    }
    return BuildReport(**{**values, **changes})


def verify_report(**changes: Any) -> VerifyReport:
    """A sound store of three documents."""
    values: dict[str, Any] = {
        "sound": True,
        "damage": (),
        "behind": (),
        "manifest_differs": False,
        "sources_failed": (),
        "skipped": (),
        "unchecked": False,
        "n_docs": 3,
        "n_lines": 3,
    }
    return VerifyReport(**{**values, **changes})
