"""What is a run of now made of?

The index as it was searched, changed files taken in, with the settings in force. Only what every
index gives is asked: its catalogue, its texts, and what it ranks from.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from memidx.documents import Document
from memidx.evals.past import Corpus, Side
from memidx.evals.suite import Suite
from memidx.results import CatalogRow
from memidx.search.ranking import RankInputs

NOW = "now"


class WholeIndex(Protocol):
    """What is asked of an index (`memidx.index.Index` has it)."""

    @property
    def build_id(self) -> str: ...  # noqa: D102
    def catalog(self) -> Sequence[CatalogRow]: ...  # noqa: D102
    def texts(self) -> Iterable[tuple[str, str]]: ...  # noqa: D102
    def rank_inputs(self, as_of: str | None = None) -> RankInputs: ...  # noqa: D102


def side_of(
    index: WholeIndex, suite: Suite, strategy: str | None, analysis: Mapping[str, Any]
) -> Side:
    """The parts of a run over an open index.

    Args:
        index: Refreshed.
        suite: The suite.
        strategy: As asked for.
        analysis: Options of the analyzer (`memidx.evals.past.analysis_options`).
    """
    inputs = index.rank_inputs()
    return Side(
        name=NOW,
        corpus=corpus_of(index),
        settings=inputs.settings,
        strategy=strategy,
        analyzer=inputs.analyzer,
        analysis=analysis,
        suite=suite,
    )


def corpus_of(index: WholeIndex) -> Corpus:
    """The documents of an index, as far as a ranking depends on them."""
    texts = dict(index.texts())
    return Corpus(
        index.build_id,
        tuple(
            Document(
                doc_id=row.doc_id,
                source=row.source,
                kind=row.kind,
                path=row.path,
                title=row.title,
                time=row.time,
                tags=(),
                meta={},
                source_hash="",
                text=texts[row.doc_id],
            )
            for row in index.catalog()
        ),
    )
