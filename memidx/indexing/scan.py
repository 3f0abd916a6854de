"""What do the sources hold now?

Lists the files, reads those that are new or changed, and says which documents each became. A
file whose signature proves it unchanged is not read; one changed too shortly before it was
recorded is read and compared by hash.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

from memidx.config import SourceConfig
from memidx.documents import Document, make_document
from memidx.errors import FileError, InputError
from memidx.files import read_bytes
from memidx.indexing.state import RACY_NS, DocRef, KnownFile, State
from memidx.sources import KINDS
from memidx.sources.artifacts import is_artifact
from memidx.sources.base import FileEntry, Parsed, Skip
from memidx.sources.listing import Listing, list_files
from memidx.store.layout import SHARD_CAP_BYTES
from memidx.store.line import encode_line, line_sum


@dataclass(slots=True)
class Scan:
    """The sources as one look found them.

    Attributes:
        listing: Which file belongs to which source, and what was watched.
        files: Identity path -> what it became.
        entries: Identity path -> the file as it was listed.
        lines: `doc_id` -> encoded line, for the files that were parsed.
        documents: The same documents, as they are.
        n_read: Files whose bytes were read.
        n_parsed: Files whose documents were made anew.
    """

    listing: Listing
    files: dict[str, KnownFile] = field(default_factory=dict)
    lines: dict[str, bytes] = field(default_factory=dict)
    documents: dict[str, Document] = field(default_factory=dict)
    entries: dict[str, FileEntry] = field(default_factory=dict)
    unreadable: list[Skip] = field(default_factory=list)
    n_read: int = 0
    n_parsed: int = 0

    @property
    def skips(self) -> tuple[Skip, ...]:
        """Everything that is not in the index, or not whole."""
        return (
            *self.listing.skips,
            *self.unreadable,
            *(skip for known in self.files.values() for skip in known.skips),
        )


class Scanner:
    """Reads files of configured sources.

    Args:
        root: Absolute path the sources are relative to.
        sources: In order of precedence.
        max_bytes: Size cap of one document, in UTF-8 bytes.
        own: Absolute paths memidx writes itself.
    """

    def __init__(
        self, root: str, sources: Sequence[SourceConfig], *, max_bytes: int, own: Sequence[str]
    ) -> None:
        self._root = root
        self._sources = {source.name: source for source in sources}
        self._max_bytes = max_bytes
        self._own = tuple(own)

    def scan(self, known: State | None) -> Scan:
        """Look at every source; `known` is the last look under the same settings, if any."""
        listing = list_files(self._root, tuple(self._sources.values()), self._own)
        found = Scan(listing)
        for name, entries in listing.by_source.items():
            source = self._sources[name]
            for entry in entries:
                found.entries[entry.path] = entry
                self._visit(source, entry, known, found)
        return found

    def read(self, scan: Scan, path: str) -> None:
        """Read a file again whose documents' lines are wanted though it did not change."""
        source = self._sources[scan.files[path].source]
        self._parse(source, scan.entries[path], scan)

    def _visit(
        self, source: SourceConfig, entry: FileEntry, known: State | None, found: Scan
    ) -> None:
        before = known.files.get(entry.path) if known else None
        if known is None or before is None or before.source != source.name:
            self._parse(source, entry, found)
            return
        recorded = known.watched.get(before.disk_path)
        limit = known.recorded_ns - RACY_NS
        same = recorded == entry.signature
        if same and max(entry.signature.mtime_ns, entry.signature.ctime_ns) < limit:
            found.files[entry.path] = before
        else:
            self._parse(source, entry, found, before)

    def _parse(
        self,
        source: SourceConfig,
        entry: FileEntry,
        found: Scan,
        before: KnownFile | None = None,
    ) -> None:
        try:
            data = read_bytes(entry.disk_path)
        except FileError as error:
            found.unreadable.append(Skip(entry.path, error.what, source=source.name))
            return
        found.n_read += 1
        digest = hashlib.blake2b(data, digest_size=16).hexdigest()
        if before is not None and before.digest == digest:
            found.files[entry.path] = before
            return
        found.n_parsed += 1
        parsed = (
            Parsed() if is_artifact(data) else KINDS[source.kind].parse(source, entry.path, data)
        )
        skips = [*parsed.skips]
        docs: list[DocRef] = []
        anchors: set[str] = set()
        for item in parsed.items:
            document, more = make_document(
                item, source, anchor_seen=anchors, max_bytes=self._max_bytes
            )
            skips.extend(more)
            if document is None:
                continue
            try:
                line = encode_line(document)
            except InputError as error:
                skips.append(Skip(entry.path, error.what, item.line, source.name))
                continue
            if len(line) > SHARD_CAP_BYTES:
                reason = f"its line of {len(line):,} bytes does not fit in a shard"
                skips.append(Skip(entry.path, reason, item.line, source.name))
                continue
            found.lines[document.doc_id] = line
            found.documents[document.doc_id] = document
            docs.append(DocRef(document.doc_id, line_sum(line), item.line))
        found.files[entry.path] = KnownFile(
            source=source.name,
            disk_path=entry.disk_path[len(self._root) :].lstrip("/"),
            digest=digest,
            docs=tuple(docs),
            skips=tuple(skips),
        )
