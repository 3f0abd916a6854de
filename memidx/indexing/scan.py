"""What do the sources hold now?

Lists the files, reads those that are new or changed, and says which documents each became. A
file whose signature proves it unchanged is not read; one changed too shortly before it was
recorded is read and compared by hash. A part of a feed is read when its token is another one, and
then only what changed since, where the feed can tell.
"""

from __future__ import annotations

import contextlib
import hashlib
import os.path
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from memidx.config import SourceConfig
from memidx.documents import Document, make_document
from memidx.errors import FileError, InputError
from memidx.files import is_missing, may_pass, read_bytes
from memidx.indexing.state import RACY_NS, DocRef, KnownFile, State, pack
from memidx.sources import FEED_KINDS, FILE_KINDS
from memidx.sources.artifacts import is_artifact
from memidx.sources.base import FEEDS, Fed, FileEntry, Gone, Item, Parsed, Skip, SourceFailed
from memidx.sources.listing import Listing, list_files
from memidx.sources.survey import Survey
from memidx.store.layout import SHARD_CAP_BYTES
from memidx.store.line import encode_line, line_sum
from memidx.text.redact import holds_private


@dataclass(slots=True)
class Scan:
    """The sources as one look found them.

    Attributes:
        listing: Which file belongs to which source, and what was watched.
        files: Identity path of a file, or of a part of a feed -> what it became.
        entries: Identity path -> the file as it was listed.
        lines: `doc_id` -> encoded line, for what was parsed.
        documents: The same documents, as they are.
        unread: Identity paths of files that are there and could not be read: nothing proves that
            what they held is gone.
        unsettled: Root-relative paths as on disk of files that the system did not hand out now.
        vanished: Source and path of each file that was listed and not there to be read: perhaps
            its folder was renamed meanwhile, so nothing proves that its documents are gone.
        tokens: Part of a feed -> token, as `State.tokens` has it.
        failed: Source name -> why it is not all known; its documents must stay.
        follows: `doc_id` -> the documents it builds on, for the documents that were read of feeds
            that grow by themselves.
        partly: Whether a feed was not read whole, so that `follows` does not hold all.
        n_read: Files whose bytes were read, and parts of feeds that were asked.
        n_parsed: Files, and parts, whose documents were made anew.
    """

    listing: Listing
    files: dict[str, KnownFile] = field(default_factory=dict)
    lines: dict[str, bytes] = field(default_factory=dict)
    documents: dict[str, Document] = field(default_factory=dict)
    entries: dict[str, FileEntry] = field(default_factory=dict)
    unreadable: list[Skip] = field(default_factory=list)
    unread: set[str] = field(default_factory=set)
    unsettled: set[str] = field(default_factory=set)
    vanished: list[tuple[str, str]] = field(default_factory=list)
    tokens: dict[str, str | None] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    follows: dict[str, tuple[str, ...]] = field(default_factory=dict)
    partly: bool = False
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


@dataclass(slots=True)
class _Made:
    """Documents of one file or part, until all of it was read."""

    refs: dict[str, DocRef] = field(default_factory=dict)
    skips: list[Skip] = field(default_factory=list)
    lines: dict[str, bytes] = field(default_factory=dict)
    documents: dict[str, Document] = field(default_factory=dict)
    follows: dict[str, tuple[str, ...]] = field(default_factory=dict)


class Scanner:
    """Reads the configured sources.

    Args:
        root: Absolute path the sources are relative to.
        sources: In order of precedence.
        max_bytes: Size cap of one document, in UTF-8 bytes.
        own: Absolute paths memidx writes itself.
        env: The environment, for sources that run another program.
    """

    def __init__(
        self,
        root: str,
        sources: Sequence[SourceConfig],
        *,
        max_bytes: int,
        own: Sequence[str],
        env: Mapping[str, str],
    ) -> None:
        self._root = root
        self._sources = {source.name: source for source in sources}
        self._max_bytes = max_bytes
        self._own = tuple(own)
        self._env = env

    def scan(self, known: State | None) -> Scan:
        """Look at every source; `known` is the last look under the same settings, if any."""
        listing = list_files(self._root, tuple(self._sources.values()), self._own)
        found = Scan(listing, failed=dict(listing.failed))
        for name, entries in listing.by_source.items():
            source = self._sources[name]
            for entry in entries:
                found.entries[entry.path] = entry
                self._visit(source, entry, known, found)
        for source in self._sources.values():
            if source.kind in FEEDS:
                for part in FEED_KINDS[source.kind].parts(source):
                    self._ask(source, part, known, found)
        return found

    def scan_edits(self, known: State, seen: Survey, edits: Iterable[tuple[str, str]]) -> Scan:
        """Look at some known files again, when no other file and no feed changed.

        Args:
            known: The last look under the same settings.
            seen: The survey that found the edits.
            edits: Identity path and path as on disk of each.
        """
        listing = Listing(seen, {}, dict(known.failed), known.skips)
        found = Scan(listing, failed=dict(known.failed), files=dict(known.files))
        found.tokens = dict(known.tokens)
        for path, disk_path in edits:
            before = known.files[path]
            place = os.path.join(self._root, disk_path)
            entry = FileEntry(path, place, seen.files[disk_path])
            # What cannot be read any more is not what it was.
            del found.files[path]
            self._parse(self._sources[before.source], entry, found, before)
        return found

    def read(self, scan: Scan, path: str, wanted: Collection[str]) -> None:
        """Read a file or part again whose documents' lines are wanted though it did not change."""
        source = self._sources[scan.files[path].source]
        if source.kind in FEEDS:
            self._pick(source, path, wanted, scan)
        else:
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
            if is_missing(error):
                found.vanished.append((source.name, entry.path))
            else:
                found.unread.add(entry.path)
            if may_pass(error):
                # It says something about the moment: the next look tries again.
                found.failed.setdefault(source.name, f"{entry.path}: {error.what}")
                found.unsettled.add(self._below_root(entry))
                return
            found.unreadable.append(Skip(entry.path, error.what, source=source.name))
            return
        found.n_read += 1
        digest = hashlib.blake2b(data, digest_size=16).hexdigest()
        if before is not None and before.digest == digest:
            found.files[entry.path] = before
            return
        found.n_parsed += 1
        parsed = (
            Parsed()
            if is_artifact(data)
            else FILE_KINDS[source.kind].parse(source, entry.path, data)
        )
        made = _Made(skips=[*parsed.skips])
        anchors: set[str] = set()
        for item in parsed.items:
            made.skips.extend(self._add(source, item, anchors, made))
        self._take(made, found)
        found.files[entry.path] = KnownFile(
            source=source.name,
            disk_path=self._below_root(entry),
            digest=digest,
            docs=tuple(made.refs.values()),
            skips=tuple(made.skips),
        )

    def _below_root(self, entry: FileEntry) -> str:
        return entry.disk_path[len(self._root) :].lstrip("/")

    def _ask(self, source: SourceConfig, part: str, known: State | None, found: Scan) -> None:
        """Take in one part of a feed, or say that the source failed."""
        kind = FEED_KINDS[source.kind]
        token = kind.token(source, part, self._root)
        before = known.files.get(part) if known else None
        if before is not None and (before.source != source.name or before.disk_path):
            before = None
        found.tokens[part] = token
        if before is not None and token is not None and before.digest == token:
            found.files[part] = before
            found.partly = True
            return
        found.n_read += 1
        try:
            if part in found.files:
                raise SourceFailed("the name is taken", in_token=True)
            if holds_private(part):
                raise SourceFailed("the name holds a secret or a home folder", in_token=True)
            since = before.digest if before else None
            fed = kind.read(source, part, self._root, token=token, since=since, env=self._env)
            made = _Made()
            if before is not None and not fed.whole:
                made.refs = {ref.doc_id: ref for ref in before.docs}
                made.skips = [*before.skips]
            self._drain(source, fed, part, made)
        except SourceFailed as error:
            found.failed.setdefault(source.name, f"{part}: {error.reason}")
            if not error.in_token:
                found.tokens[part] = None
            return
        found.n_parsed += 1
        found.partly |= not fed.whole
        self._take(made, found)
        found.files[part] = KnownFile(
            source.name, "", token or "", pack(made.refs.values()), tuple(made.skips)
        )

    def _pick(self, source: SourceConfig, part: str, wanted: Collection[str], found: Scan) -> None:
        """Read some documents of a part again; where that fails, whoever needs them looks anew."""
        kind = FEED_KINDS[source.kind]
        anchors = [doc_id[len(part) + 1 :] for doc_id in wanted]
        found.n_read += 1
        with contextlib.suppress(SourceFailed):
            fed = kind.pick(source, part, self._root, anchors=anchors, env=self._env)
            made = _Made()
            self._drain(source, fed, part, made)
            self._take(made, found)

    def _drain(self, source: SourceConfig, fed: Fed, part: str, made: _Made) -> None:
        """Add what a feed gives to what it gave before."""
        grows = FEED_KINDS[source.kind].grows(source)
        anchors: set[str] = set()
        for given in fed.items:
            if isinstance(given, Skip):
                made.skips.append(given)
                continue
            doc_id = f"{part}#{given.anchor}"
            if isinstance(given, Gone):
                made.refs.pop(doc_id, None)
                made.skips = [skip for skip in made.skips if skip.path != doc_id]
                continue
            for skip in self._add(source, given, anchors, made):
                made.skips.append(replace(skip, path=doc_id))
            if grows:
                made.follows[doc_id] = tuple(f"{part}#{anchor}" for anchor in given.follows)

    def _add(
        self, source: SourceConfig, item: Item, anchors: set[str], made: _Made
    ) -> tuple[Skip, ...]:
        document, skips = make_document(
            item, source, anchor_seen=anchors, max_bytes=self._max_bytes
        )
        if document is None:
            return skips
        try:
            line = encode_line(document)
        except InputError as error:
            return (*skips, Skip(item.path, error.what, item.line, source.name))
        if len(line) > SHARD_CAP_BYTES:
            reason = f"its line of {len(line):,} bytes does not fit in a shard"
            return (*skips, Skip(item.path, reason, item.line, source.name))
        made.lines[document.doc_id] = line
        made.documents[document.doc_id] = document
        made.refs[document.doc_id] = DocRef(document.doc_id, line_sum(line), item.line)
        return skips

    def _take(self, made: _Made, found: Scan) -> None:
        found.lines.update(made.lines)
        found.documents.update(made.documents)
        found.follows.update(made.follows)
