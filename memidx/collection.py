"""How is a test collection searched?

An index in memory over `(id, title, text)`: no store, no sources, no time; analysis, scoring and
order are the ones every search uses.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from memidx.analysis import get_analyzer
from memidx.analysis.base import Analyzer
from memidx.config import SearchConfig
from memidx.documents import Document
from memidx.errors import InputError
from memidx.search.answer import Ranked
from memidx.search.ranking import RankInputs, RankSettings, rank_many
from memidx.snapshot.builder import snapshot_in_memory
from memidx.snapshot.rows import Placed
from memidx.snapshot.snapshot import Snapshot

_SOURCE = "collection"


class CollectionIndex:
    """Searches one collection.

    Args:
        documents: `(id, title, text)`; ids unique, in any order.
        analyzer: Name of the analyzer.
        k1: BM25's saturation; None takes the default.
        b: BM25's length normalisation; None takes the default.

    Raises:
        InputError: Two documents share an id.
    """

    def __init__(
        self,
        documents: Iterable[tuple[str, str, str]],
        *,
        analyzer: str = "default",
        k1: float | None = None,
        b: float | None = None,
    ) -> None:
        self._analyzer = get_analyzer(analyzer)
        defaults = SearchConfig()
        search = replace(
            defaults,
            k1=defaults.k1 if k1 is None else k1,
            b=defaults.b if b is None else b,
        )
        self._settings = RankSettings(search)
        made = (collection_document(*row) for row in documents)
        self._snapshot = index_documents(made, self._analyzer)

    @property
    def n_docs(self) -> int:
        """Documents in the collection."""
        return self._snapshot.n_docs

    @property
    def fingerprint(self) -> str:
        """Fingerprint of the analyzer."""
        return self._analyzer.fingerprint()

    def rank(
        self, queries: Sequence[str], k: int = 10, *, strategy: str | None = None
    ) -> list[list[Ranked]]:
        """Rankings of many queries, whose text is taken as plain words."""
        return rank_many(*self.rank_inputs(), queries, k=k, strategy=strategy, plain=True)

    def rank_inputs(self) -> RankInputs:
        """What `rank` ranks from, for those that rank in other ways."""
        return RankInputs(self._snapshot, self._analyzer, self._settings)

    def search_ids(
        self, queries: Sequence[str], k: int = 10, *, strategy: str | None = None
    ) -> list[list[str]]:
        """Ids of the best `k` documents, for many queries."""
        return [[hit.doc_id for hit in found] for found in self.rank(queries, k, strategy=strategy)]


def collection_document(doc_id: str, title: str, text: str) -> Document:
    """A collection's document: its title is part of its text, as its publishers score it."""
    return Document(
        doc_id=doc_id,
        source=_SOURCE,
        kind=_SOURCE,
        path="",
        title=title,
        time=None,
        tags=(),
        meta={},
        source_hash="",
        text=f"{title}\n\n{text}" if title else text,
    )


def index_documents(documents: Iterable[Document], analyzer: Analyzer) -> Snapshot:
    """A snapshot in memory of documents in any order.

    Raises:
        InputError: Two documents share an id.
    """
    placed = [Placed(d, "", 1) for d in sorted(documents, key=lambda d: d.doc_id)]
    for before, after in pairwise(placed):
        if before.document.doc_id == after.document.doc_id:
            raise InputError("two documents share an id", found=after.document.doc_id)
    return snapshot_in_memory(placed, analyzer, {}, _SOURCE)
