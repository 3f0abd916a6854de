"""How is a published JSON index searched like a store?

Its postings and lengths become a snapshot in memory, under the analyzer whose terms they are, so
that ranking, labels and answers are those of every search. Nothing is written. The file is read
again when it is another one; its sources are compared where root is known.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

from memidx import files
from memidx.analysis.ascii_compat import AsciiCompatAnalyzer
from memidx.analysis.pieces import FieldTerms
from memidx.documents import Document
from memidx.indexing.state import State
from memidx.jsonindex.compare import Comparison, Hashes, compare
from memidx.jsonindex.parsing import PublishedDocument, PublishedFile, read_published
from memidx.snapshot import Workspace
from memidx.snapshot.builder import snapshot_in_memory
from memidx.snapshot.refresh import Ready, Refresher, skips_of
from memidx.snapshot.rows import Placed
from memidx.snapshot.snapshot import Snapshot
from memidx.text.dates import time_from_seconds

SOURCE = "published"
"""Name and kind of the source of every document: such a file does not say where it is from."""

_HOLDS_PARTS = (
    "a published index holds the first paragraphs of a document: phrases, snippets and line "
    "numbers are those of the paragraphs"
)


class PublishedReader(Refresher):
    """Stands in for the refresher of a store.

    Args:
        workspace: Its `store` is the file.
    """

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._loaded: tuple[PublishedFile, Snapshot] | None = None
        self._hashes: Hashes = {}

    def ready(self, *, refresh: bool, now_ns: int) -> Ready:
        """The snapshot of the file as it is now, and what became of its sources.

        Raises:
            StoreError: The file is missing, damaged, or of a version that is not read.
        """
        published, snapshot = self._load()
        compared = Comparison()
        notes = [_HOLDS_PARTS]
        if published.is_newer:
            notes.append(
                f"the index says schema {published.version}: what it has beyond 1.3 is not read"
            )
        n_empty = sum(not document.tf for document in published.documents)
        if n_empty:
            notes.append(f"{n_empty:,} of its documents hold no term, and count in no figure")
        if refresh and self.workspace.root is not None:
            compared = compare(published, self.workspace.root, self._hashes)
            notes.append(
                f"compared with the files it names ({compared.n_same:,} as they were, "
                f"{len(compared.changed):,} changed, {compared.n_unknown:,} not comparable); "
                "a file that was added since is not seen"
            )
        state = _state(compared)
        return Ready(
            snapshot, compared.freshness, state, notes=tuple(notes), skipped=skips_of(state)
        )

    def require_store(self) -> None:
        """Make sure that the file is an index; raises as `ready` does."""
        self._load()

    def forget(self) -> None:
        """Let go of the snapshot."""
        self._loaded = None

    @property
    def published(self) -> PublishedFile:
        """The index as it is now; raises as `ready` does."""
        return self._load()[0]

    def _load(self) -> tuple[PublishedFile, Snapshot]:
        path = self.workspace.store
        if self._loaded is None or files.signature(path) != self._loaded[0].signature:
            published = read_published(path)
            self._loaded = (published, snapshot_of(published))
        return self._loaded


def snapshot_of(published: PublishedFile) -> Snapshot:
    """The snapshot of a published index, in memory."""
    analyzer = _StoredTerms(published)
    facts = {
        "build_id": published.build_id,
        "analyzer": analyzer.fingerprint(),
        "analyzer_name": analyzer.name,
    }
    return snapshot_in_memory(_placed(published), analyzer, facts, published.path)


class _StoredTerms:
    """Gives the terms that the index holds of a document, whatever text is shown of it.

    Documents of one path are asked for in order of `doc_id`, as a snapshot has them.
    """

    def __init__(self, published: PublishedFile) -> None:
        whole = AsciiCompatAnalyzer()
        self.name, self.fields = whole.name, whole.fields
        self.fingerprint, self.query, self.spans = whole.fingerprint, whole.query, whole.spans
        self._terms: dict[str, deque[FieldTerms]] = {}
        for document in published.documents:
            terms = FieldTerms(document.tf, document.length if document.tf else 0)
            self._terms.setdefault(document.path, deque()).append(terms)

    def document(self, *, title: str, path: str, text: str) -> tuple[FieldTerms, ...]:
        """The terms of the next document of this path."""
        return (self._terms[path].popleft(),)


def _placed(published: PublishedFile) -> Iterator[Placed]:
    for document in published.documents:
        yield Placed(_document(document), "", 1)


def _document(document: PublishedDocument) -> Document:
    return Document(
        doc_id=document.doc_id,
        source=SOURCE,
        kind=SOURCE,
        path=document.path,
        title=document.title,
        time=time_of(document.mtime),
        tags=(),
        meta={},
        source_hash=document.source_hash or "",
        text=document.text,
    )


def time_of(mtime: float | None) -> str | None:
    """A modification time as a document's time: a midnight as its day, the epoch as none."""
    # No sensible file is from before the epoch, and an export writes the epoch for "undated".
    if mtime is None or not 0 < mtime < 1e12:
        return None
    time = time_from_seconds(int(mtime))
    return time.removesuffix("T00:00:00Z") if time and mtime.is_integer() else time


def _state(compared: Comparison) -> State:
    """The look of an index that has none but this comparison."""
    nothing: Mapping[str, Any] = {}
    return State(
        root="",
        settings="",
        recorded_ns=0,
        watched=nothing,
        bases_failed=nothing,
        files=nothing,
        failed=nothing,
        skips=compared.changed,
        unsupported=nothing,
        store=nothing,
        damage=(),
        snapshot="",
    )
