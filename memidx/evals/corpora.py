"""How are many corpora of much the same documents indexed?

Each document is analysed once, however many corpora it is part of, as far as memory allows.
"""

from __future__ import annotations

from collections.abc import Iterable

from memidx.analysis.base import Analyzer
from memidx.analysis.pieces import FieldTerms
from memidx.documents import Document
from memidx.snapshot.snapshot import Snapshot

# Terms of documents that are remembered, near 100 bytes each; what is beyond is analysed anew.
MAX_TERMS = 2_000_000


class Corpora:
    """Makes snapshots in memory; `n_analysed` counts how often a document was analysed for them."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._analyzer = _Remembering(analyzer)

    @property
    def n_analysed(self) -> int:
        """The work so far: each distinct document once, while memory lasts."""
        return self._analyzer.n_analysed

    def index(self, documents: Iterable[Document]) -> Snapshot:
        """A snapshot of some documents, in any order; their ids are unique."""
        from memidx.collection import index_documents  # indexing pulls in all a search needs

        return index_documents(documents, self._analyzer)


class _Remembering:
    """An analyzer that gives the terms of a document it has met from memory.

    It has no pieces (`memidx.analysis.pieces.PieceAnalyzer`), so that documents come here whole.
    """

    def __init__(self, analyzer: Analyzer) -> None:
        self._inner = analyzer
        self.name, self.fields = analyzer.name, analyzer.fields
        self.fingerprint = analyzer.fingerprint
        self.query, self.spans = analyzer.query, analyzer.spans
        self.n_analysed = 0
        self._n_terms = 0
        self._known: dict[tuple[str, str, str], tuple[FieldTerms, ...]] = {}

    def document(self, *, title: str, path: str, text: str) -> tuple[FieldTerms, ...]:
        key = (title, path, text)
        found = self._known.get(key)
        if found is None:
            found = self._inner.document(title=title, path=path, text=text)
            self.n_analysed += 1
            n_terms = sum(len(field.tf) for field in found)
            if self._n_terms + n_terms <= MAX_TERMS:
                self._n_terms += n_terms
                self._known[key] = found
        return found
