"""What did the last look at the sources see?

Local knowledge, never committed: signatures of every watched file, what each file became, and
which snapshot was derived from it. A search compares it with the disk; when nothing differs, no
file is read.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate, pairwise
from typing import Any, Literal

from memidx.files import Signature
from memidx.indexing.packing import (
    DocRef,
    KnownFile,
    PackedFiles,
    pack,
    pack_files,
    paths_with_skips,
    skip_rows,
    skips_of,
    to_json,
)
from memidx.indexing.signatures import pack_signatures, unpack_signatures, younger
from memidx.sources.base import Skip
from memidx.text.paths import identity
from memidx.values import dataclass, field

__all__ = ["RACY_NS", "DocRef", "Freshness", "KnownFile", "State", "pack", "read_state"]

STATE_VERSION = 6

# How an answer relates to its sources: docs/glossary.md, "freshness".
Freshness = Literal["fresh", "refreshed", "unchecked", "stale"]

# An entry changed this shortly before it was recorded may have changed again within the same
# tick of the file system's clock: it is read again, as git does with its index.
RACY_NS = 2_000_000_000


@dataclass(frozen=True, slots=True)
class State:
    """One recorded look.

    Attributes:
        root: Where the sources were.
        settings: Hash of whatever decides what a file becomes.
        recorded_ns: When, nanoseconds since the epoch.
        watched: Root-relative path as on disk -> signature.
        bases_failed: Folders that could not be walked, and why.
        tokens: Part of a feed -> token of the state it was seen in; None where that is not known,
            or does not tell why the part could not be read.
        files: Identity path -> what it became.
        failed: Source name -> why it failed.
        skips: What was skipped before any file was read (names, links, collisions).
        unsupported: Suffix -> files no source kind reads.
        store: File of the store -> signature.
        damage: Damaged places of the store: (path, line, reason).
        snapshot: Key of the snapshot that holds all this.
        unlike: Document that is other than in the store -> checksum of its line there, None for
            one the store has not got.
    """

    root: str
    settings: str
    recorded_ns: int
    watched: Mapping[str, Signature]
    bases_failed: Mapping[str, str]
    files: Mapping[str, KnownFile]
    failed: Mapping[str, str]
    skips: tuple[Skip, ...]
    unsupported: Mapping[str, int]
    store: Mapping[str, Signature]
    damage: tuple[tuple[str, int | None, str], ...]
    snapshot: str
    unlike: Mapping[str, str | None] = field(default_factory=dict)
    tokens: Mapping[str, str | None] = field(default_factory=dict)

    def racy(self, among: Iterable[str] | None = None) -> list[str]:
        """Watched paths whose signature does not prove that they are unchanged.

        Args:
            among: All that can be, where that is known.
        """
        watched = self.watched
        if among is not None:
            watched = {path: watched[path] for path in among}
        return younger(watched, self.recorded_ns - RACY_NS)

    def known_at(self, disk_path: str) -> tuple[str, KnownFile] | None:
        """Identity and record of the file at a root-relative path as on disk, if it has one."""
        path = identity(disk_path)
        known = self.files.get(path)
        # Two names that are one after normalisation belong to the file that was met first.
        return None if known is None or known.disk_path != disk_path else (path, known)

    def file_skips(self) -> Iterator[Skip]:
        """What of the files was skipped."""
        for path in paths_with_skips(self.files):
            yield from self.files[path].skips

    def to_bytes(self) -> bytes:
        """A line of JSON, then what is long and seldom read, packed, then a checksum."""
        parts = (*pack_signatures(self.watched), *pack_files(self.files))
        document: dict[str, Any] = {
            "version": STATE_VERSION,
            "root": self.root,
            "settings": self.settings,
            "recorded_ns": self.recorded_ns,
            "bases_failed": self.bases_failed,
            "files_skipping": paths_with_skips(self.files),
            "failed": self.failed,
            "skips": skip_rows(self.skips),
            "unsupported": self.unsupported,
            "store": self.store,
            "damage": self.damage,
            "snapshot": self.snapshot,
            "unlike": self.unlike,
            "tokens": self.tokens,
            "part_bytes": [*map(len, parts)],
        }
        body = b"".join((to_json(document), b"\n", *parts))
        return body + b"\n" + _checksum(body)


def read_state(data: bytes) -> State | None:
    """State from its bytes; None when they are damaged or of another version (then look anew)."""
    body, _, found = data.rpartition(b"\n")
    if found != _checksum(body):
        return None
    head, _, rest = body.partition(b"\n")
    try:
        document = json.loads(head)
        if document["version"] != STATE_VERSION:
            return None
        ends = [*accumulate(document["part_bytes"], initial=0)]
        names, numbers, paths, rows = (rest[begin:end] for begin, end in pairwise(ends))
        return State(
            root=document["root"],
            settings=document["settings"],
            recorded_ns=document["recorded_ns"],
            watched=unpack_signatures(names, numbers),
            bases_failed=document["bases_failed"],
            files=PackedFiles(paths, rows, document["files_skipping"]),
            failed=document["failed"],
            skips=skips_of(document["skips"]),
            unsupported=document["unsupported"],
            store={name: Signature(*row) for name, row in document["store"].items()},
            damage=tuple((path, line, reason) for path, line, reason in document["damage"]),
            snapshot=document["snapshot"],
            unlike=document["unlike"],
            tokens=document["tokens"],
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _checksum(body: bytes) -> bytes:
    return b"%08x" % zlib.crc32(body)
