"""How are documents searched under settings of another day?

An index in memory over documents that are given, with an analyzer and settings that are given: no
store, no sources, no clock. What an evaluation asks of an index, it answers as `Index` does, so
that one run can be made again with the corpus, the settings or the analyzer of another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from operator import attrgetter
from typing import Any

from memidx.analysis.base import Analyzer
from memidx.config import Config, SourceConfig
from memidx.documents import Document
from memidx.errors import InputError
from memidx.results import CatalogRow, Explanation, RefreshReport
from memidx.search.answer import Ranked
from memidx.search.explaining import explain_lexical
from memidx.search.prepared import prepare
from memidx.search.ranking import RankInputs, RankSettings, SourceFactors, rank_many
from memidx.snapshot.builder import snapshot_in_memory
from memidx.snapshot.rows import Placed
from memidx.snapshot.snapshot import Snapshot
from memidx.text import days_since_epoch

_UNCHANGED = RefreshReport(
    freshness="fresh",
    n_added=0,
    n_changed=0,
    n_removed=0,
    n_read=0,
    n_parsed=0,
    sources_failed=(),
    skipped=(),
)


def freeze(documents: Iterable[Document], analyzer: Analyzer, build_id: str) -> Snapshot:
    """A snapshot in memory; `build_id` names the documents."""
    placed = [Placed(document, "", 1) for document in sorted(documents, key=attrgetter("doc_id"))]
    facts = {
        "build_id": build_id,
        "analyzer": analyzer.fingerprint(),
        "analyzer_name": analyzer.name,
    }
    return snapshot_in_memory(placed, analyzer, facts, build_id)


def settings_of(config: Config, sources: Iterable[SourceConfig]) -> RankSettings:
    """What turns matches into an order, ages counted from the first of all days."""
    factors = {s.name: SourceFactors(s.weight, s.decay, s.decay_floor) for s in sources}
    return RankSettings(config.search, factors)


class FrozenIndex:
    """Searches one snapshot under given settings.

    Args:
        snapshot: The documents.
        analyzer: The one the snapshot was made with, or one that differs in its aliases only:
            these change queries, and no document.
        settings: What turns matches into an order.
    """

    def __init__(self, snapshot: Snapshot, analyzer: Analyzer, settings: RankSettings) -> None:
        self._snapshot = snapshot
        self._analyzer = analyzer
        self._settings = replace(settings, as_of_day=days_since_epoch("1970-01-01"))

    @property
    def build_id(self) -> str:
        """Names the documents."""
        return str(self._snapshot.facts["build_id"])

    @property
    def fingerprint(self) -> str:
        """Fingerprint of the analyzer."""
        return self._analyzer.fingerprint()

    @property
    def configuration(self) -> Mapping[str, Any]:
        """The settings a ranking depends on, as JSON values."""
        return asdict(self._settings)

    def refresh(self) -> RefreshReport:
        """Nothing changes here."""
        return _UNCHANGED

    def catalog(self) -> list[CatalogRow]:
        """Every document in order of `doc_id`, without its text."""
        from memidx.inspecting import catalog  # not needed by those that only rank

        return catalog(self._snapshot)

    def texts(self) -> Iterator[tuple[str, str]]:
        """`doc_id` and text of every document, in order of `doc_id`."""
        snapshot = self._snapshot
        return ((snapshot.doc_id(doc), snapshot.text(doc)) for doc in snapshot.docs())

    def rank_inputs(self, as_of: str | None = None) -> RankInputs:
        """What `rank` ranks from."""
        settings = self._settings
        if as_of is not None:
            settings = replace(settings, as_of_day=days_since_epoch(as_of))
        return RankInputs(self._snapshot, self._analyzer, settings)

    def rank(
        self,
        queries: Sequence[str],
        k: int = 10,
        *,
        strategy: str | None = None,
        as_of: str | None = None,
        sources: Sequence[str] = (),
    ) -> list[list[Ranked]]:
        """Rankings of many queries, as `Index.rank` gives them."""
        inputs = self.rank_inputs(as_of)
        return rank_many(*inputs, queries, k=k, strategy=strategy, sources=sources)

    def explain(self, query: str, doc_id: str) -> Explanation:
        """Where a document's lexical score comes from, as `Index.explain` says it.

        Raises:
            InputError: There is no such document.
        """
        doc = self._snapshot.find(doc_id)
        if doc is None:
            raise InputError("no such document in the index", found=doc_id)
        search = self._settings.search
        prepared = prepare(self._snapshot, self._analyzer, query, search)
        score, bound, parts = explain_lexical(
            self._snapshot, prepared, doc, k1=search.k1, b=search.b
        )
        return Explanation(doc_id, score, bound, prepared.coverage.share(doc), parts)
