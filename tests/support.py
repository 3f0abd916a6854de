"""Small worlds for tests: documents, snapshots in memory, projects on disk."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from memidx.analysis import get_analyzer
from memidx.config import SearchConfig
from memidx.documents import Document
from memidx.files import spooling
from memidx.search.prepared import prepare
from memidx.search.ranking import Ranking, RankSettings, SourceFactors, rank
from memidx.snapshot import inversion, runs, workers
from memidx.snapshot.builder import snapshot_in_memory
from memidx.snapshot.rows import Placed
from memidx.snapshot.snapshot import Snapshot
from memidx.store import lines, reader


@contextmanager
def little_memory() -> Iterator[None]:
    """A few bytes, lines and postings are too many for memory while the block runs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "IN_MEMORY_BYTES", 500)
        patch.setattr(reader, "IN_MEMORY_BYTES", 500)
        patch.setattr(spooling, "_PIECE_BYTES", 100)
        patch.setattr(inversion, "_RUN", 50)
        patch.setattr(runs, "_MERGED", 20)
        patch.setattr(workers, "_CHUNK_CHARACTERS", 300)
        yield


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


def let_anybody_enter(folder: Path) -> None:
    """Let every user into a test's folder: those of pytest are for its own user."""
    for place in (folder, *folder.parents):
        mode = stat.S_IMODE(place.stat().st_mode)
        if mode & 0o055 != 0o055:
            place.chmod(mode | 0o055)


@contextmanager
def without_rights(folder: Path, *modes: tuple[str, int]) -> Iterator[None]:
    """Other modes for folders below one that anybody may enter, and no root to overrule them."""
    is_root = os.geteuid() == 0
    if is_root:
        let_anybody_enter(folder)
    for name, mode in modes:
        (folder / name).chmod(mode)
    if is_root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)
        for name, _ in modes:
            (folder / name).chmod(0o755)
