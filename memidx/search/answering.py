"""How does a ranking become an answer a person or a program can act on?

Adds to each hit what it says (snippets with line numbers) and to the whole what it means (verdict,
counts, problems, notes).
"""

from __future__ import annotations

from memidx.analysis.base import Analyzer
from memidx.indexing.state import Freshness
from memidx.light import TYPE_CHECKING
from memidx.search.answer import (
    Answer,
    Cursors,
    Hit,
    Problem,
    Snippet,
    Verdict,
    decide_verdict,
    problems,
)
from memidx.search.pages import pages_of
from memidx.search.passages import snippets
from memidx.search.places import Finder
from memidx.search.prepared import Prepared
from memidx.search.ranking import Ranking, Scored
from memidx.snapshot.parts import Numbers
from memidx.snapshot.snapshot import Snapshot
from memidx.text import CUT, TOLD_KINDS
from memidx.values import Value, replace

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from memidx.sources.base import Skip

# What an answer lists of the documents that are not in the index; the count is always whole.
MAX_SKIPPED = 20


class Circumstances(Value):
    """What is true of an answer besides its ranking.

    Attributes:
        stores: Their paths, by number.
        skipped: What is not in the index, or damaged.
        sources: Gives the names that exist.
    """

    stores: tuple[str, ...]
    freshness: Freshness
    as_of: str
    sources_failed: tuple[Problem, ...]
    skipped: tuple[Skip, ...]
    notes: tuple[str, ...]
    sources: Callable[[], Collection[str]]


def answer(
    snapshot: Snapshot,
    analyzer: Analyzer,
    prepared: Prepared,
    ranking: Ranking,
    circumstances: Circumstances,
    *,
    k: int,
    offset: int = 0,
    requested: str,
    also: tuple[str, ...] = (),
    n_listed: int | None = None,
    page: Cursors | None = None,
) -> Answer:
    """The answer to one query.

    Args:
        ranking: At least `offset` + k best hits.
        k: Hits to show.
        offset: Hits to leave out at the front.
        requested: The strategy that was asked for, to say when another one ranked.
        also: Other phrasings that were asked.
        n_listed: Hits there are to page through; None when that is all that matched.
        page: Gives cursors of the answer.
    """
    shown = ranking.best[offset : offset + k]
    numbers = {term.term: term.numbers for term in prepared.terms if term.numbers is not None}
    weights = {term.term: term.weight * term.idf for term in prepared.terms if term.term in numbers}
    finder = Finder(analyzer, weights)
    stores = circumstances.stores
    hits = tuple(
        [
            _hit(snapshot, finder, numbers, scored, rank, stores)
            for rank, scored in enumerate(shown, start=offset + 1)
        ]
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
        excluded=prepared.parsed.exclusions,
        verdict=verdict,
        freshness=circumstances.freshness,
        strategy=ranking.strategy,
        as_of=circumstances.as_of,
        n_matched=ranking.n_matched,
        n_by_source=counts,
        sources_failed=circumstances.sources_failed,
        skipped=problems(circumstances.skipped[:MAX_SKIPPED]),
        n_skipped=len(circumstances.skipped),
        build_id=snapshot.build_id,
        fingerprint=snapshot.facts["analyzer"],
        n_docs=snapshot.n_docs,
        hits=hits,
        notes=tuple(notes),
        timing={},
        also=also,
        suggestions=(),
        nearest=(),
        n_listed=ranking.n_matched if n_listed is None else n_listed,
        page=page,
    )


def _by_name(snapshot: Snapshot, counts: Mapping[int, int]) -> dict[str, int]:
    """Counts by a source's name; one name in two stores is one source."""
    found: dict[str, int] = {}
    for number, count in counts.items():
        name = snapshot.sources[number]
        found[name] = found.get(name, 0) + count
    return found


def _hit(
    snapshot: Snapshot,
    finder: Finder,
    numbers: Mapping[str, Numbers],
    scored: Scored,
    rank: int,
    stores: Sequence[str],
) -> Hit:
    doc = scored.doc
    begin, kind = snapshot.line_of[doc], snapshot.kinds[snapshot.kind_of[doc]]
    which, doc_ord = snapshot.locate(doc)
    segment = snapshot.parts[which].segment
    kept = pages_of(segment).page(segment, doc_ord)
    page, facts = kept.page, kept.facts

    def find() -> Callable[[], Iterator[Snippet]]:
        # Of the snapshot now: it may be another one's turn when somebody reads the snippets.
        indexed = [term for term, n in numbers.items() if snapshot.frequency(0, n, doc)]
        return lambda: _in_file(
            snippets(page, finder, facts.title, line_offset=begin - 1, indexed=indexed),
            kind=kind,
            text=page.text,
            begin=begin,
        )

    return Hit.showing(
        kept.shown(finder.question, begin, find),
        rank=rank,
        doc_id=facts.doc_id,
        source=snapshot.sources[snapshot.source_of[doc]],
        kind=kind,
        path=facts.path,
        anchor=facts.doc_id[len(facts.path) + 1 :] or None,
        title=facts.title,
        score=scored.score,
        relevance=scored.relevance,
        composite=scored.composite,
        confidence=scored.confidence,
        time=facts.time,
        tags=facts.tags,
        flags=snapshot.flags.get(doc, ()),
        store=stores[snapshot.store_of(doc)],
    )


def _in_file(snippets: Iterator[Snippet], *, kind: str, text: str, begin: int) -> Iterator[Snippet]:
    """The snippets with lines of the file.

    The text of most documents is a run of lines of a file. Where it is told in other words, or
    lines were taken out of it, only the line where the document begins is known, and none is made
    up.

    Args:
        snippets: With lines as if the text were in the file as it is.
        kind: Kind of the document's source.
        text: Of the document.
        begin: Line of the file where the document begins.
    """
    if kind in TOLD_KINDS:
        last = 0
    elif kind == "code" and CUT in text:
        last = begin + text.count("\n", 0, text.index(CUT))
    else:
        return snippets
    return (
        snippet if snippet.line_end <= last else replace(snippet, line_start=begin, line_end=begin)
        for snippet in snippets
    )


def _notes(
    verdict: Verdict,
    prepared: Prepared,
    ranking: Ranking,
    requested: str,
    hits: Sequence[Hit],
    sources: Callable[[], Collection[str]],
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
    named = (*prepared.parsed.sources, *prepared.parsed.excluded_sources)
    if named and (strangers := [name for name in named if name not in sources()]):
        notes.append(
            f"no source is named {', '.join(dict.fromkeys(strangers))}; there are: "
            + ", ".join(sorted(sources()))
        )
    if prepared.parsed.n_left_out:
        notes.append(
            f"the query is long: its last {prepared.parsed.n_left_out} characters are not searched"
        )
    if verdict == "hits" and not hits:
        notes.append("the ranking ends before this offset")
    return notes
