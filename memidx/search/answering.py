"""How does a ranking become an answer a person or a program can act on?

Adds to each hit what it says (snippets with line numbers) and to the whole what it means (verdict,
counts, problems, notes).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from memidx.analysis.base import Analyzer
from memidx.indexing.state import Freshness
from memidx.search.answer import Answer, Hit, Problem, Verdict, decide_verdict
from memidx.search.lines import in_file
from memidx.search.passages import snippets
from memidx.search.prepared import Prepared
from memidx.search.ranking import Ranking, Scored
from memidx.snapshot.snapshot import Snapshot
from memidx.values import dataclass

# What an answer lists of the documents that are not in the index; the count is always whole.
MAX_SKIPPED = 20


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What is true of an answer besides its ranking.

    Attributes:
        stores: Their paths, by number.
        sources: The names that exist.
    """

    stores: tuple[str, ...]
    freshness: Freshness
    as_of: str
    sources_failed: tuple[Problem, ...]
    skipped: tuple[Problem, ...]
    notes: tuple[str, ...] = ()
    sources: frozenset[str] = frozenset()


def answer(
    snapshot: Snapshot,
    analyzer: Analyzer,
    prepared: Prepared,
    ranking: Ranking,
    circumstances: Circumstances,
    *,
    k: int,
    offset: int = 0,
    dedupe: str | None = None,
    requested: str,
) -> Answer:
    """The answer to one query.

    Args:
        ranking: At least `offset` + k best hits.
        k: Hits to show.
        offset: Hits to leave out at the front.
        dedupe: `content` or `title`: of hits that share it, only the first is shown.
        requested: The strategy that was asked for, to say when another one ranked.
    """
    shown = _distinct(snapshot, ranking.best, dedupe)[offset : offset + k]
    weights = {
        term.term: term.weight * term.idf for term in prepared.terms if term.numbers is not None
    }
    hits = tuple(
        _hit(snapshot, analyzer, scored, weights, rank, circumstances.stores)
        for rank, scored in enumerate(shown, start=offset + 1)
    )
    counts = _by_name(snapshot, ranking.n_by_source)
    verdict = decide_verdict(
        has_terms=not prepared.is_empty,
        n_docs=snapshot.n_docs,
        any_term_known=bool(weights),
        n_before_filters=ranking.n_before_filters,
        n_after_filters=ranking.n_after_filters,
        n_matched=ranking.n_matched,
    )
    notes = [
        *circumstances.notes,
        *_notes(verdict, prepared, ranking, requested, hits, circumstances.sources),
    ]
    return Answer(
        text=prepared.parsed.text,
        terms=tuple(dict.fromkeys(term.term for term in prepared.terms)),
        excluded=prepared.parsed.excluded,
        verdict=verdict,
        freshness=circumstances.freshness,
        strategy=ranking.strategy,
        as_of=circumstances.as_of,
        n_matched=ranking.n_matched,
        n_by_source=counts,
        sources_failed=circumstances.sources_failed,
        skipped=circumstances.skipped[:MAX_SKIPPED],
        n_skipped=len(circumstances.skipped),
        build_id=snapshot.build_id,
        fingerprint=snapshot.facts["analyzer"],
        n_docs=snapshot.n_docs,
        hits=hits,
        notes=tuple(notes),
    )


def _by_name(snapshot: Snapshot, counts: Mapping[int, int]) -> dict[str, int]:
    """Counts by a source's name; one name in two stores is one source."""
    found: dict[str, int] = {}
    for number, count in counts.items():
        name = snapshot.sources[number]
        found[name] = found.get(name, 0) + count
    return found


def _distinct(snapshot: Snapshot, best: Sequence[Scored], dedupe: str | None) -> Sequence[Scored]:
    if dedupe is None:
        return best
    seen: set[str] = set()
    kept = []
    for scored in best:
        card = snapshot.card(scored.doc)
        mark = card.source_hash if dedupe == "content" else card.title.casefold()
        if mark not in seen:
            seen.add(mark)
            kept.append(scored)
    return kept


def _hit(
    snapshot: Snapshot,
    analyzer: Analyzer,
    scored: Scored,
    weights: dict[str, float],
    rank: int,
    stores: Sequence[str],
) -> Hit:
    doc = scored.doc
    card = snapshot.card(doc)
    doc_id, path = snapshot.doc_id(doc), snapshot.path(doc)
    text, begin = snapshot.text(doc), snapshot.line_of[doc]
    kind = snapshot.kinds[snapshot.kind_of[doc]]
    shown = snippets(text, analyzer, weights, card.title, line_offset=begin - 1)
    shown = in_file(shown, kind=kind, text=text, begin=begin)
    first = shown[0] if shown else None
    return Hit(
        rank=rank,
        doc_id=doc_id,
        source=snapshot.sources[snapshot.source_of[doc]],
        kind=kind,
        path=path,
        anchor=doc_id[len(path) + 1 :] or None,
        title=card.title,
        score=scored.score,
        relevance=scored.relevance,
        composite=scored.composite,
        confidence=scored.confidence,
        snippet=first.text if first else card.title,
        snippets=shown,
        line_start=first.line_start if first else None,
        line_end=first.line_end if first else None,
        time=card.time,
        tags=card.tags,
        flags=snapshot.flags.get(doc, ()),
        store=stores[snapshot.store_of(doc)],
    )


def _notes(
    verdict: Verdict,
    prepared: Prepared,
    ranking: Ranking,
    requested: str,
    hits: Sequence[Hit],
    sources: Collection[str],
) -> list[str]:
    notes = []
    if ranking.strategy != requested and verdict == "hits":
        notes.append(
            f"no {requested} hit is above weak: the same documents are ranked by {ranking.strategy}"
        )
    if verdict == "no_match" and prepared.parsed.phrases:
        notes.append("no document holds the exact phrase; without the quotes its words are OR-ed")
    known = {term.term for term in prepared.terms if term.numbers is not None}
    unknown = [w.surface for w in prepared.words if known.isdisjoint(t for t, _ in w.terms)]
    if unknown and verdict != "no_terms_in_index":
        notes.append("in no document: " + ", ".join(dict.fromkeys(unknown[:10])))
    strangers = [name for name in prepared.parsed.sources if name not in sources]
    if strangers:
        notes.append(
            f"no source is named {', '.join(dict.fromkeys(strangers))}; there are: "
            + ", ".join(sorted(sources))
        )
    if verdict == "hits" and not hits:
        notes.append("the ranking ends before this offset")
    return notes
