"""What do the sources hold now?

Lists the files, reads those that are new or changed, and says which documents each became. A
file whose signature proves it unchanged is not read; one changed too shortly before it was
recorded is read and compared by hash. A part of a feed is read when its token is another one, and
then only what changed since, where the feed can tell.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from memidx.config import SourceConfig
from memidx.documents import Document
from memidx.files.spooling import IN_MEMORY, Scratch
from memidx.garbage import collector_paused
from memidx.indexing.packing import KnownFile, pack
from memidx.indexing.reading import Made, Observer, Read, Task, add_item, read_file, read_files
from memidx.indexing.state import RACY_NS, State
from memidx.sources import FEED_KINDS
from memidx.sources.base import Fed, FileEntry, Gone, Skip, SourceFailed
from memidx.sources.listing import Listing, list_files
from memidx.sources.survey import Survey
from memidx.store.lines import NewLines
from memidx.text import FEEDS
from memidx.text.redact import holds_private
from memidx.values import replace


@dataclass(slots=True)
class Scan:
    """The sources as one look found them.

    Attributes:
        listing: Which file belongs to which source, and what was watched.
        files: Identity path of a file, or of a part of a feed -> what it became.
        lines: `doc_id` -> encoded line, for what was parsed.
        documents: The same documents, as they are, but for those that an observer got; none of
            them where the lines are too many for memory, for each can be made from its line.
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
    lines: NewLines = field(default_factory=NewLines)
    documents: dict[str, Document] = field(default_factory=dict)
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


class Scanner:
    """Reads the configured sources.

    Args:
        root: Absolute path the sources are relative to.
        sources: In order of precedence.
        max_bytes: Size cap of one document, in UTF-8 bytes.
        own: Absolute paths memidx writes itself.
        env: The environment, for sources that run another program.
        scratch: Where lines are put aside that are too many for memory.
    """

    def __init__(
        self,
        root: str,
        sources: Sequence[SourceConfig],
        *,
        max_bytes: int,
        own: Sequence[str],
        env: Mapping[str, str],
        scratch: Scratch = IN_MEMORY,
    ) -> None:
        self._root = root
        self.sources = {source.name: source for source in sources}
        self._max_bytes = max_bytes
        self._own = tuple(own)
        self._env = env
        self._scratch = scratch

    def scan(self, known: State | None, observer: Observer | None = None) -> Scan:
        """Look at every source.

        Args:
            known: The last look under the same settings, if any.
            observer: It gets the documents of the files that are read, and `Scan.documents` does
                not.
        """
        with collector_paused():
            return self._scan(known, observer)

    def _scan(self, known: State | None, observer: Observer | None) -> Scan:
        listing = list_files(self._root, tuple(self.sources.values()), self._own)
        found = Scan(listing, failed=dict(listing.failed), lines=NewLines(self._scratch))
        self._visit(listing, known, found, observer)
        for source in self.sources.values():
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

        Returns:
            A scan whose `files` are those alone, without what cannot be read any more.
        """
        listing = Listing(seen, {}, dict(known.failed), known.skips)
        found = Scan(listing, failed=dict(known.failed), tokens=dict(known.tokens))
        for path, disk_path in edits:
            before = known.files[path]
            entry = FileEntry(path, self._root, disk_path, seen.files[disk_path])
            self._parse(self.sources[before.source], entry, found, before)
        return found

    def read(self, scan: Scan, path: str, wanted: Collection[str]) -> None:
        """Read a file or part again whose documents' lines are wanted though it did not change."""
        source = self.sources[scan.files[path].source]
        if source.kind in FEEDS:
            self._pick(source, path, wanted, scan)
        else:
            entry = scan.listing.entry(source.name, path)
            if entry is not None:
                self._parse(source, entry, scan)

    def _visit(
        self, listing: Listing, known: State | None, found: Scan, observer: Observer | None
    ) -> None:
        """Take in every listed file; those that may have changed are read."""
        listed = _Listed(self, listing, known)
        results = read_files(listed, observer)
        for source, entry, before, is_fresh in listed.rows():
            if not is_fresh:
                self._take_in(next(results), source, entry, before, found)
            elif before is not None:
                found.files[entry.path] = before

    def _parse(
        self,
        source: SourceConfig,
        entry: FileEntry,
        found: Scan,
        before: KnownFile | None = None,
    ) -> None:
        self._take_in(read_file(self.task(source, entry, before)), source, entry, before, found)

    def task(self, source: SourceConfig, entry: FileEntry, before: KnownFile | None) -> Task:
        """What reading a file takes."""
        digest = before.digest if before else None
        size = entry.signature.size
        return Task(source, entry.path, entry.disk_path, size, digest, self._max_bytes)

    def _take_in(
        self,
        read: Read,
        source: SourceConfig,
        entry: FileEntry,
        before: KnownFile | None,
        found: Scan,
    ) -> None:
        """Add what a file gave."""
        if read.refusal is not None:
            if read.is_missing:
                found.vanished.append((source.name, entry.path))
            else:
                found.unread.add(entry.path)
            if read.may_pass:
                # It says something about the moment: the next look tries again.
                found.failed.setdefault(source.name, f"{entry.path}: {read.refusal}")
                found.unsettled.add(entry.place)
                return
            found.unreadable.append(Skip(entry.path, read.refusal, source=source.name))
            return
        found.n_read += 1
        if read.made is None:
            if before is not None:
                found.files[entry.path] = before
            return
        found.n_parsed += 1
        self._take(read.made, found)
        docs, skips = tuple(read.made.refs.values()), tuple(read.made.skips)
        # All fields in their order: to bind names takes longer.
        found.files[entry.path] = KnownFile(source.name, entry.place, read.digest, docs, skips)

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
            made = Made()
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
            made = Made()
            self._drain(source, fed, part, made)
            self._take(made, found)

    def _drain(self, source: SourceConfig, fed: Fed, part: str, made: Made) -> None:
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
            for skip in add_item(source, given, anchors, made, max_bytes=self._max_bytes):
                made.skips.append(replace(skip, path=doc_id))
            if grows:
                made.follows[doc_id] = tuple(f"{part}#{anchor}" for anchor in given.follows)

    def _take(self, made: Made, found: Scan) -> None:
        for doc_id, line in made.lines.items():
            found.lines.add(doc_id, line)
        if found.lines.are_aside:
            found.documents.clear()
        else:
            found.documents.update(made.documents)
        found.follows.update(made.follows)


class _Listed:
    """The tasks of reading what may have changed; a list of a million of them would be long."""

    def __init__(self, scanner: Scanner, listing: Listing, known: State | None) -> None:
        self._scanner = scanner
        self._listing = listing
        self._known = known

    def __iter__(self) -> Iterator[Task]:
        for source, entry, before, is_fresh in self.rows():
            if not is_fresh:
                yield self._scanner.task(source, entry, before)

    def rows(self) -> Iterator[tuple[SourceConfig, FileEntry, KnownFile | None, bool]]:
        """Every file, what is known of it, and whether it surely is as it was."""
        known = self._known
        for name, entries in self._listing.by_source.items():
            source = self._scanner.sources[name]
            for entry in entries:
                before = known.files.get(entry.path) if known else None
                if before is not None and before.source != name:
                    before = None
                is_fresh = bool(known and before and _is_fresh(before, entry, known))
                yield source, entry, before, is_fresh


def _is_fresh(before: KnownFile, entry: FileEntry, known: State) -> bool:
    """Whether its signature proves that a file is as it was."""
    if known.watched.get(before.disk_path) != entry.signature:
        return False
    limit = known.recorded_ns - RACY_NS
    return max(entry.signature.mtime_ns, entry.signature.ctime_ns) < limit
