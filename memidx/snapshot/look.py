"""What is the index's content, given the store and the sources?

A `Look` is one comparison: the stored lines, a scan of the sources, and the plan between them.
Its content is the store with the plan applied; a search derives a snapshot from it, and `build`
writes it to the shards.
"""

from __future__ import annotations

import os.path
from collections.abc import Iterator, Mapping
from functools import partial

from memidx.analysis.base import Analyzer
from memidx.documents import Document
from memidx.errors import FileError, StoreCorrupt, StoreMissing
from memidx.files import Signature
from memidx.files.spooling import IN_MEMORY, Scratch
from memidx.indexing.plan import Plan, make_plan, newest
from memidx.indexing.reading import Observer
from memidx.indexing.scan import Scan, Scanner
from memidx.indexing.state import State
from memidx.indexing.veil import veiled
from memidx.light import cached_property
from memidx.snapshot import Workspace
from memidx.snapshot.builder import build_snapshot
from memidx.snapshot.derive import Content as Held
from memidx.snapshot.derive import Delta, facts_of, key_of
from memidx.snapshot.observing import Observations
from memidx.snapshot.rows import Placed
from memidx.snapshot.workers import MakeAnalyzer
from memidx.store import MANIFEST_NAME, store_signature
from memidx.store.line import DamagedLine, decode_line
from memidx.store.lines import ChosenLines, Lines, Sums, sums
from memidx.store.manifest import Manifest
from memidx.store.reader import (
    Damage,
    index_build_id,
    read_shards,
    read_store,
)
from memidx.values import Value, replace

# A file that changes on each of this many reads is being written all the time.
_ATTEMPTS = 5


class Look(Value):
    """Store and sources, compared.

    Attributes:
        lines: `doc_id` -> line of the content, in ascending order of `doc_id`.
        begins: `doc_id` -> line where the document begins in its file, where that is known.
        plan: What the store lacks; empty when the sources were not looked at.
        scan: The sources; None when they were not looked at.
        damage: What of the store could not be read.
    """

    lines: Lines
    begins: Mapping[str, int]
    plan: Plan
    scan: Scan | None
    damage: tuple[Damage, ...]

    __slots__ = ("__dict__",)  # for what is found out once

    @cached_property
    def build_id(self) -> str:
        """Names the documents, whatever the analyzer."""
        return index_build_id(sums(self.lines))

    def key(self, analyzer: Analyzer) -> str:
        """Key of the snapshot of this content under an analyzer."""
        begins = ((doc_id, self.begins.get(doc_id, 1)) for doc_id in self.lines)
        return key_of(self.build_id, begins, analyzer)

    def placed(self, doc_id: str) -> Placed:
        """One document."""
        made = self.scan.documents if self.scan else {}
        # It is let go of: a second time, it is made from its line again.
        document = made.pop(doc_id, None) or _decoded(doc_id, self.lines[doc_id])
        return Placed(document, self.lines.sum(doc_id), self.begins.get(doc_id, 1))

    def delta(self, held: Mapping[str, Held]) -> Delta:
        """What of this content other content lacks."""
        placed, moved = {}, {}
        for doc_id, line_sum in sums(self.lines):
            before = held.get(doc_id)
            if before is None or before.sum != line_sum:
                placed[doc_id] = self.placed(doc_id)
            elif before.line != self.begins.get(doc_id, 1):
                moved[doc_id] = self.begins.get(doc_id, 1)
        return Delta(placed, held.keys() - self.lines.keys(), moved)

    def snapshot(
        self,
        analyzer: Analyzer,
        scratch: Scratch,
        *,
        jobs: int = 1,
        make_analyzer: MakeAnalyzer | None = None,
        observed: Observations | None = None,
    ) -> Iterator[bytes]:
        """Bytes of the snapshot of this content; `jobs` processes analyse what is not observed."""

        def entry(doc_id: str) -> Placed | int:
            number = observed.find(doc_id, self.lines.sum(doc_id)) if observed else None
            return self.placed(doc_id) if number is None else number

        numbers = observed.chosen if observed else None
        return build_snapshot(
            map(entry, self.lines) if numbers is None else numbers,
            analyzer,
            facts=facts_of(self.build_id, analyzer),
            jobs=jobs,
            make_analyzer=make_analyzer,
            scratch=scratch,
            observed=observed,
        )


class Content(Value):
    """What could be read of a store.

    Attributes:
        lines: `doc_id` -> sound line.
        damage: Everything that is not as it was written, a lost manifest included.
        manifest: The store's own, or the default where it is damaged.
        manifest_sound: Whether it is the store's own.
        signatures: File of the store -> signature of what was read.
    """

    lines: Mapping[str, bytes]
    damage: tuple[Damage, ...]
    manifest: Manifest
    manifest_sound: bool
    signatures: Mapping[str, Signature]


def read_content(store: str) -> Content:
    """Read a store, and what is left of it where its manifest is damaged or missing.

    A writer may replace shards meanwhile: then it is read again. Only the lock excludes a mix of
    shards from before and after a write, so whoever derives something from this holds it.

    Raises:
        StoreMissing: There is no store.
        StoreVersion: Another version wrote it.
    """
    for _ in range(_ATTEMPTS):
        signatures = store_signature(store)
        content = _read_once(store, signatures)
        if store_signature(store) == signatures:
            break
    return content


def _read_once(store: str, signatures: Mapping[str, Signature]) -> Content:
    try:
        stored = read_store(store)
    except (StoreCorrupt, StoreMissing) as error:
        # Without its manifest, the shards in the folder are still the documents.
        rest = read_shards(store)
        if isinstance(error, StoreMissing) and not rest.signatures:
            raise
        what = "the manifest is missing" if isinstance(error, StoreMissing) else error.what
        lost = Damage(os.path.join(store, MANIFEST_NAME), error.line, what)
        return Content(rest.lines, (lost, *rest.damage), rest.manifest, False, signatures)
    return Content(stored.lines, stored.damage, stored.manifest, True, signatures)


def _decoded(doc_id: str, line: bytes) -> Document:
    """The document of a stored line; its checksum is right, but another program may write too."""
    try:
        return decode_line(line)
    except DamagedLine as error:
        raise StoreCorrupt(
            f"the line of {doc_id} is whole, but no document: {error.reason}",
            hint="run `memidx build --full` where the sources are",
        ) from error


def look_at_store(lines: Mapping[str, bytes], damage: tuple[Damage, ...]) -> Look:
    """The store's own content, when its sources are not looked at.

    Raises:
        StoreCorrupt: Documents are lost, and the sources cannot replace them here.
    """
    refuse_damage(damage, "its sources were not looked at")
    nothing = Plan((), (), (), {}, {})
    return Look(ChosenLines(sorted(lines), (), {}, lines), {}, nothing, None, damage)


def look_at_sources(
    workspace: Workspace,
    root: str,
    stored: Mapping[str, bytes],
    damage: tuple[Damage, ...],
    known: State | None,
    scratch: Scratch = IN_MEMORY,
    observer: Observer | None = None,
) -> Look:
    """Compare store and sources, and read what is needed of the sources.

    Args:
        stored: `doc_id` -> line in the store; damaged lines are missing, and so heal.
        known: The last look under the same settings and root, which saves reading.
        scratch: Where lines are put aside that are too many for memory.
        observer: It gets the documents of files as they are read.

    Raises:
        StoreCorrupt: Documents are lost, and a failed source may have been theirs.
    """
    scanner = Scanner(
        root,
        workspace.sources,
        max_bytes=workspace.max_bytes,
        own=workspace.own,
        env=workspace.env,
        scratch=scratch,
    )
    held = Sums(stored)
    for attempt in range(_ATTEMPTS):
        scan = scanner.scan(known, observer)
        if scan.vanished and attempt + 1 < _ATTEMPTS:
            continue
        for name, path in scan.vanished:
            scan.failed.setdefault(name, f"{path}: keeps vanishing while it is read")
        plan = make_plan(held, scan.files, kept_source=partial(is_kept, scan, stored))
        # A file that did not change, but whose documents the store lacks, is read after all.
        lacking: dict[str, list[str]] = {}
        for doc_id, path in plan.origin.items():
            if doc_id not in scan.lines:
                lacking.setdefault(path, []).append(doc_id)
        for path, doc_ids in lacking.items():
            scanner.read(scan, path, doc_ids)
        if all(doc_id in scan.lines for doc_id in plan.origin):
            break
        known = None
    else:
        raise FileError("the sources keep changing while they are read", path=root)
    if scan.failed:
        names = ", ".join(sorted(scan.failed))
        refuse_damage(damage, f"a source failed ({names}) that may hold the lost documents")
    elif scan.unread:
        refuse_damage(damage, f"{min(scan.unread)} cannot be read, and may hold the lost documents")
    removed = {*plan.removed}
    order = sorted([*(doc_id for doc_id in held if doc_id not in removed), *plan.added])
    content = ChosenLines(order, plan.origin, scan.lines, stored)
    return Look(content, plan.lines, plan, scan, damage)


def is_kept(scan: Scan, stored: Mapping[str, bytes], doc_id: str) -> bool:
    """Whether a stored document stays that no source gives: its own source could not tell."""
    if not scan.failed and not scan.unread:
        return False
    document = decode_line(stored[doc_id])
    return document.source in scan.failed or document.path in scan.unread


def without_newest(
    look: Look,
    workspace: Workspace,
    root: str,
    stored: Mapping[str, bytes],
    damage: tuple[Damage, ...],
    known: State | None,
) -> tuple[Look, tuple[str, ...]]:
    """Which documents of a look's plan are only newer than the store, and need not be in it.

    What builds on what is known of a feed only when all of it was read; so it may be read again.
    The other arguments are those the look was made with.

    Returns:
        The look, or the second one; and the ids.
    """
    if look.plan.added and look.scan is not None and look.scan.partly:
        feeds = look.scan.tokens
        files = {} if known is None else known.files
        rest = {path: file for path, file in files.items() if path not in feeds}
        again = None if known is None else replace(known, files=rest)
        look = look_at_sources(workspace, root, stored, damage, again)
    if look.scan is None:
        return look, ()
    return look, newest(look.plan.added, stored, look.scan.follows)


def refuse_damage(damage: tuple[Damage, ...], why: str) -> None:
    """Raise when documents were lost.

    Raises:
        StoreCorrupt: Naming the first damaged place, and why it cannot be healed here.
    """
    lost = [found for found in damage if found.lost]
    if lost:
        first = lost[0]
        more = f", and {len(lost) - 1} more places" if len(lost) > 1 else ""
        raise StoreCorrupt(
            f"{first.reason}{more}; {why}",
            path=first.path,
            line=first.line,
            hint="run `memidx build` where the sources are, or restore the file from git",
        )


def record(
    look: Look,
    workspace: Workspace,
    *,
    key: str,
    store: Mapping[str, Signature],
    recorded_ns: int,
) -> State:
    """What to remember of a look, so that the next one can be quick."""
    scan = look.scan
    survey = scan.listing.survey if scan else None
    files = survey.files if survey else {}
    plan = look.plan
    # What is not recorded is new to the next look.
    unsettled = scan.unsettled if scan else ()
    return State(
        root=workspace.root or "",
        settings=workspace.settings,
        recorded_ns=recorded_ns,
        watched=veiled(
            {p: s for p, s in files.items() if p not in unsettled},
            scan.listing.suspicious if scan else None,
        ),
        bases_failed=veiled(survey.failed) if survey else {},
        files=dict(scan.files) if scan else {},
        failed=dict(scan.failed) if scan else {},
        skips=(*scan.listing.skips, *scan.unreadable) if scan else (),
        unsupported=dict(survey.others) if survey else {},
        store=dict(store),
        damage=tuple((found.path, found.line, found.reason) for found in look.damage),
        snapshot=key,
        unlike={doc_id: plan.stored.get(doc_id) for doc_id in plan.touched()},
        tokens=dict(scan.tokens) if scan else {},
    )
