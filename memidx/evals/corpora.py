"""How are many corpora of much the same documents indexed?

Each document is analysed once, however many corpora it is part of.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from memidx.analysis.base import Analyzer
from memidx.documents import Document
from memidx.snapshot.snapshot import Snapshot


class Corpora:
    """Makes snapshots in memory; `n_analysed` counts the documents that were analysed for them."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._analyzer: Any = _Remembering(analyzer)

    @property
    def n_analysed(self) -> int:
        """Distinct documents so far."""
        return len(self._analyzer.known)

    def index(self, documents: Iterable[Document]) -> Snapshot:
        """A snapshot of some documents, in any order; their ids are unique."""
        from memidx.collection import index_documents  # indexing pulls in all a search needs

        return index_documents(documents, self._analyzer)


class _Remembering:
    """An analyzer that gives the terms of a document it has met from memory."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._inner = analyzer
        self.known: dict[tuple[str, str, str], Any] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def document(self, *, title: str, path: str, text: str) -> Any:
        key = (title, path, text)
        if key not in self.known:
            self.known[key] = self._inner.document(title=title, path=path, text=text)
        return self.known[key]
