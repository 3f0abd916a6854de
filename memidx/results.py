"""What do build, refresh, verify and rank report?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memidx.indexing.state import Freshness
from memidx.search.answer import Problem
from memidx.values import Value, asdict, field


class PatchReport(Value):
    """Whether a build patched the one changed line (`incremental_sed`).

    Attributes:
        declined: Name of the reason it did not, and wrote the store the ordinary way.
        detail: The reason for a person, empty when it was applied.
        doc_id: The document whose line was patched.
        shard: The file the line is in.
        line: 1-based.
    """

    applied: bool
    declined: str | None = None
    detail: str = ""
    doc_id: str | None = None
    shard: str | None = None
    line: int | None = None


class BuildReport(Value):
    """What a build did, or with `check` would do.

    Attributes:
        store: Absolute path.
        root: Absolute path.
        n_docs: Documents in the index afterwards.
        n_read: Source files whose bytes were read.
        n_analysed: Documents whose text was tokenized for the snapshot.
        lines_written: Lines of the store that are new or changed.
        bytes_written: Bytes of the shards and the manifest that were written.
        behind: Whether the store lacked anything; with `check`, anything but `pending`.
        pending: Those of `added` that reach searches by themselves and that no store can ever
            hold completely: committing it makes the next one (`git` without `until`).
        manifest_differs: Whether the configuration part of the store was behind.
        unsupported: Suffix -> files no source kind reads.
        sources: Source name -> documents.
        patch: None where no patch was asked for, with `full` and with `check`.
    """

    store: str
    root: str
    n_docs: int
    n_added: int
    n_changed: int
    n_removed: int
    n_unchanged: int
    n_read: int
    n_shards: int
    shards_written: int
    lines_written: int
    bytes_written: int
    behind: bool
    manifest_differs: bool
    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    skips: tuple[Problem, ...]
    unsupported: Mapping[str, int]
    sources: Mapping[str, int]
    sources_failed: tuple[Problem, ...]
    damage: tuple[Problem, ...]
    elapsed_ms: float
    notes: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()
    n_analysed: int = 0
    patch: PatchReport | None = None

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON values."""
        return {"schema": "memidx.build/1", **asdict(self)}


class RefreshReport(Value):
    """What one comparison with the sources found.

    Attributes:
        n_added: Documents the store lacks; `n_changed` and `n_removed` alike.
        n_read: Source files whose bytes were read.
        n_parsed: Source files whose documents were made anew.
        n_analysed: Documents whose text was tokenized.
    """

    freshness: Freshness
    n_added: int
    n_changed: int
    n_removed: int
    n_read: int
    n_parsed: int
    sources_failed: tuple[Problem, ...]
    skipped: tuple[Problem, ...]
    notes: tuple[str, ...] = ()
    n_analysed: int = 0


class VerifyReport(Value):
    """Whether a store is what its sources would give.

    Attributes:
        sound: No damage, and not behind.
        behind: `doc_id`s the store lacks, holds in an old version, or holds without a source.
        manifest_differs: Whether the configuration part of the store is behind.
        unchecked: Whether the sources could not be compared, because root is not known.
        n_docs: Sound documents.
        n_lines: Lines read, damaged ones included.
        pending: Newer documents that a store may lack, as in `BuildReport`.
    """

    sound: bool
    damage: tuple[Problem, ...]
    behind: tuple[str, ...]
    manifest_differs: bool
    sources_failed: tuple[Problem, ...]
    skipped: tuple[Problem, ...]
    unchecked: bool
    n_docs: int
    n_lines: int
    pending: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON values."""
        return {"schema": "memidx.verify/1", **asdict(self)}


class CatalogRow(Value):
    """One indexed document, without its text."""

    doc_id: str
    source: str
    kind: str
    path: str
    title: str
    time: str | None


class Excerpt(Value):
    """Lines of one document, or that there is no such document.

    Attributes:
        place: What was asked for.
        doc_id: The document; empty when the index has none of that name.
        line_start: First line of `text`, in the file; `line_end` the last, before the first when
            the document ends sooner.
        doc_line_start: Where the document begins and ends in its file.
        is_line_cut: Whether even the one line that is shown is longer than the bound.
        next_line: Where to read on, or None at the document's end.
        text: The lines, each with its line end.
        near: Paths like the one asked for, when there is no such document.
    """

    place: str
    doc_id: str = ""
    path: str = ""
    title: str = ""
    source: str = ""
    kind: str = ""
    time: str | None = None
    store: str = ""
    line_start: int = 0
    line_end: int = 0
    doc_line_start: int = 0
    doc_line_end: int = 0
    is_line_cut: bool = False
    next_line: int | None = None
    text: str = ""
    near: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The excerpt as JSON values."""
        return {"schema": "memidx.excerpt/1", **asdict(self)}


class Explanation(Value):
    """Why one document is where it is in an answer, or is not in it.

    Attributes:
        doc_id: The document.
        score: Its lexical score: the sum of the parts.
        bound: The largest lexical score this query could give.
        coverage: Share of the query's content words the document holds, 0..1.
        parts: One per term and field: term, field, tf, df, idf, doc_len, avgdl, weight, score.
        status: `shown`, or why it is not: `beyond_k`, `left_out`, `below_threshold`,
            `filtered_out`, `excluded`, `no_phrase`, `no_term`, `not_indexed`, `empty_query`.
        why: The status in a sentence.
        strategy: What ranked.
        rank: Place in the whole list, or None.
        n_matched: Documents that matched.
        channels: Channel -> score, relevance and place in it alone.
        fusion: How the relevance was put together: formula and value per channel or phrasing.
        vector_parts: One per term: term, tf, idf, weight, score (its share of the cosine).
        relevance: 0..1; None when the document does not match.
        source: Name of its source, with `source_weight`.
        age_days: Days before `as_of`; None for an undated document.
        decay: What its age makes of it, 0..1.
        composite: `relevance * source_weight * decay`.
        confidence: Its label, and `label_rules`, the sentences that gave it.
        above: Hits before it: doc_id, rank, composite, relevance, factor, and the terms that
            give them more than this document gets.
        near: Paths like the one asked for, when it is not indexed.
    """

    doc_id: str
    score: float = 0.0
    bound: float = 0.0
    coverage: float = 0.0
    parts: tuple[Mapping[str, Any], ...] = ()
    query: str = ""
    status: str = ""
    why: str = ""
    strategy: str = ""
    as_of: str = ""
    k: int = 0
    rank: int | None = None
    n_matched: int = 0
    channels: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    fusion: Mapping[str, Any] | None = None
    vector_parts: tuple[Mapping[str, Any], ...] = ()
    relevance: float | None = None
    source: str = ""
    source_weight: float = 1.0
    age_days: float | None = None
    decay: float = 1.0
    composite: float | None = None
    confidence: str | None = None
    label_rules: tuple[str, ...] = ()
    above: tuple[Mapping[str, Any], ...] = ()
    near: tuple[str, ...] = ()
    store: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The explanation as JSON values."""
        return {"schema": "memidx.explain/1", **asdict(self)}
