"""What is said beside an answer that does not answer?

Words that documents hold, for words of the question that none does; and where there is nothing to
rely on, documents to rephrase the question by.
"""

from __future__ import annotations

from memidx.analysis.base import Analyzer
from memidx.search.answer import Answer
from memidx.search.prepared import Prepared
from memidx.search.ranking import RankSettings
from memidx.search.suggestions import suggest, unknown_words
from memidx.snapshot.snapshot import Snapshot
from memidx.values import replace


def with_help(
    snapshot: Snapshot,
    analyzer: Analyzer,
    prepared: Prepared,
    settings: RankSettings,
    found: Answer,
    *,
    batch: bool,
) -> Answer:
    """An answer with what to rephrase the question by, if it needs any."""
    needs_help = _needs_help(found)
    if needs_help or any(term.numbers is None for term in prepared.terms):
        found = _with_suggestions(snapshot, analyzer, prepared, found)
    if not needs_help:
        return found
    from memidx.search.nearest import nearest_documents  # a sure answer needs none

    shown = {hit.doc_id for hit in found.hits}
    nearest = nearest_documents(
        snapshot, analyzer, prepared, settings, found.suggestions, shown, batch=batch
    )
    return replace(found, nearest=nearest)


def _needs_help(found: Answer) -> bool:
    """Whether there is nothing to rely on, but something to rephrase by."""
    if found.verdict in ("empty_query", "empty_index"):
        return False
    # A page behind the last hit says nothing of the hits before it.
    is_behind_the_end = found.verdict == "hits" and not found.hits
    return not is_behind_the_end and all(hit.confidence == "weak" for hit in found.hits)


def _with_suggestions(
    snapshot: Snapshot, analyzer: Analyzer, prepared: Prepared, found: Answer
) -> Answer:
    """An answer with words that documents hold, for those that none does."""
    suggestions = suggest(snapshot, analyzer, unknown_words(prepared.words, snapshot))
    notes = [f"near {near.word}: {', '.join(near.near)}" for near in suggestions]
    return replace(found, suggestions=suggestions, notes=(*found.notes, *notes))
