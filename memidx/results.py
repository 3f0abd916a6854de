"""What do build, refresh, verify and rank report?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from memidx.indexing.state import Freshness
from memidx.search.answer import Problem


@dataclass(frozen=True, slots=True)
class PatchReport:
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


@dataclass(frozen=True, slots=True)
class BuildReport:
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


@dataclass(frozen=True, slots=True)
class RefreshReport:
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


@dataclass(frozen=True, slots=True)
class VerifyReport:
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


@dataclass(frozen=True, slots=True)
class CatalogRow:
    """One indexed document, without its text."""

    doc_id: str
    source: str
    kind: str
    path: str
    title: str
    time: str | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """Where one document's lexical score comes from.

    Attributes:
        doc_id: The document.
        score: Sum of the parts.
        bound: The largest score this query could give.
        coverage: Share of the query's content words the document holds, 0..1.
        parts: One per term and field: term, field, tf, df, idf, doc_len, avgdl, weight, score.
    """

    doc_id: str
    score: float
    bound: float
    coverage: float
    parts: tuple[Mapping[str, Any], ...] = field(default=())

    def to_dict(self) -> dict[str, Any]:
        """The explanation as JSON values."""
        return {"schema": "memidx.explain/1", **asdict(self)}
