"""Small worlds for tests: documents, snapshots in memory, projects on disk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from memidx.analysis import get_analyzer
from memidx.config import SearchConfig
from memidx.documents import Document
from memidx.search.prepared import prepare
from memidx.search.ranking import Ranking, RankSettings, SourceFactors, rank
from memidx.snapshot.builder import snapshot_in_memory
from memidx.snapshot.rows import Placed
from memidx.snapshot.snapshot import Snapshot


def make(
    path: str,
    text: str,
    *,
    title: str | None = None,
    source: str = "docs",
    time: str | None = None,
    tags: Sequence[str] = (),
) -> Document:
    """A document as a markdown source would give it."""
    return Document(
        doc_id=path,
        source=source,
        kind="markdown",
        path=path.partition("#")[0],
        title=path if title is None else title,
        time=time,
        tags=tuple(tags),
        meta={},
        source_hash=f"{hash_of(text)}",
        text=text,
    )


def hash_of(text: str) -> str:
    """A stand-in for the hash of a text: equal texts, equal hashes."""
    import hashlib

    return hashlib.sha256(text.encode()).hexdigest()


def snapshot_of(documents: Sequence[Document], analyzer: str = "default") -> Snapshot:
    """A snapshot in memory."""
    placed = sorted((Placed(d, "", 1) for d in documents), key=lambda p: p.document.doc_id)
    facts = {"build_id": "test", "analyzer": "test"}
    return snapshot_in_memory(placed, get_analyzer(analyzer), facts)


def ranking_of(
    documents: Sequence[Document] | Snapshot,
    query: str,
    *,
    k: int = 10,
    analyzer: str = "default",
    search: SearchConfig | None = None,
    factors: Mapping[str, SourceFactors] | None = None,
    as_of_day: float = 0.0,
    **options: object,
) -> tuple[Ranking, list[str]]:
    """Rank, and name the hits."""
    snapshot = documents if isinstance(documents, Snapshot) else snapshot_of(documents, analyzer)
    settings = RankSettings(search or SearchConfig(), factors or {}, as_of_day)
    prepared = prepare(snapshot, get_analyzer(analyzer), query, settings.search)
    found = rank(snapshot, prepared, settings, k=k, **options)  # type: ignore[arg-type]
    return found, [snapshot.doc_id(hit.doc) for hit in found.best]


def write_tree(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files below `root` and return it."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return root
