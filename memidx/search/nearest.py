"""Which documents could a question be rephrased by, when it found nothing to rely on?

Titles and paths of what its words, and words near those, stand in: without filters, phrases,
exclusions and thresholds, which may be what emptied the answer.
"""

from __future__ import annotations

from memidx.analysis.base import Analyzer
from memidx.light import TYPE_CHECKING
from memidx.search.prepared import Prepared, prepare
from memidx.search.ranking import RankSettings, rank
from memidx.search.suggestions import Suggestion
from memidx.snapshot.snapshot import Snapshot
from memidx.values import Value

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

MAX_NEAREST = 5
MAX_TITLE = 120


class Nearest(Value):
    """A document that may say how to put the question in other words."""

    doc_id: str
    title: str
    path: str


def nearest_documents(
    snapshot: Snapshot,
    analyzer: Analyzer,
    prepared: Prepared,
    settings: RankSettings,
    suggestions: Sequence[Suggestion],
    shown: Collection[str],
    *,
    batch: bool = False,
) -> tuple[Nearest, ...]:
    """The best documents by words alone, less those that are `shown` already (`doc_id`s).

    With `batch` by the numpy kernels, which give the same.
    """
    near = (word for suggestion in suggestions for word in suggestion.near)
    own = (word.surface for word in prepared.words)
    words = prepare(snapshot, analyzer, " ".join((*own, *near)), settings.search, plain=True)
    k = MAX_NEAREST + len(shown)
    ranking = rank(snapshot, words, settings, k=k, min_score=0.0, batch=batch)
    found = []
    for scored in ranking.best:
        doc_id = snapshot.doc_id(scored.doc)
        if doc_id not in shown:
            title = snapshot.card(scored.doc).title[:MAX_TITLE]
            found.append(Nearest(doc_id, title, snapshot.path(scored.doc)))
    return tuple(found[:MAX_NEAREST])
