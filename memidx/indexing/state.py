"""What did the last look at the sources see?

Local knowledge, never committed: signatures of every watched file, what each file became, and
which snapshot was derived from it. A search compares it with the disk; when nothing differs, no
file is read.
"""

from __future__ import annotations

import zlib

from memidx.files import Signature
from memidx.light import TYPE_CHECKING, parse_json
from memidx.values import Value, field

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any, Literal

    from memidx.indexing.packing import KnownFile
    from memidx.sources.base import Skip

    # How an answer relates to its sources: docs/glossary.md, "freshness".
    Freshness = Literal["fresh", "refreshed", "unchecked", "stale"]
else:
    Freshness = str

__all__ = ["RACY_NS", "Freshness", "State", "read_state", "read_summary"]

STATE_VERSION = 8

# An entry changed this shortly before it was recorded may have changed again within the same
# tick of the file system's clock: it is read again, as git does with its index.
RACY_NS = 2_000_000_000

# A checksum, and the line end before or behind it.
_MARK_BYTES = 9
# Bytes that hold what a search asks of a look whose files it does not compare, as a rule.
SUMMARY_BYTES = 1 << 15


class State(Value):
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

    @property
    def is_whole(self) -> bool:
        """Whether `watched` and `files` are there, and not only what stands before them."""
        return self.watched is not _UNREAD

    def racy(self, among: Iterable[str] | None = None) -> list[str]:
        """Watched paths whose signature does not prove that they are unchanged.

        Args:
            among: All that can be, where that is known.
        """
        from memidx.indexing.signatures import younger  # see `read_summary`

        watched = self.watched
        if among is not None:
            watched = {path: watched[path] for path in among}
        return younger(watched, self.recorded_ns - RACY_NS)

    def known_at(self, disk_path: str) -> tuple[str, KnownFile] | None:
        """Identity and record of the file at a root-relative path as on disk, if it has one."""
        from memidx.text.paths import identity  # few files are asked for

        path = identity(disk_path)
        known = self.files.get(path)
        # Two names that are one after normalisation belong to the file that was met first.
        return None if known is None or known.disk_path != disk_path else (path, known)

    def file_skips(self) -> Iterator[Skip]:
        """What of the files was skipped."""
        if not self.is_whole:
            return  # `read_summary` saw to it that there is none
        from memidx.indexing.packing import paths_with_skips

        for path in paths_with_skips(self.files):
            yield from self.files[path].skips

    def to_bytes(self) -> bytes:
        """The bytes of `pieces`."""
        return b"".join(self.pieces())

    def pieces(self) -> list[bytes]:
        """A line of JSON with a checksum of its own, then what is long, packed, then a checksum."""
        from memidx.indexing.compact import to_json
        from memidx.indexing.packing import (  # only who looks at the sources writes
            pack_files,
            paths_with_skips,
            skip_rows,
        )
        from memidx.indexing.signatures import pack_signatures

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
        head = to_json(document)
        pieces = [head, b"\n", _checksum(head), b"\n", *parts]
        checksum = 0
        for piece in pieces:
            checksum = zlib.crc32(piece, checksum)
        return [*pieces, b"\n", b"%08x" % checksum]


def read_state(data: bytes) -> State | None:
    """State from its bytes; None when they are damaged or of another version (then look anew)."""
    from memidx.indexing.packing import PackedFiles  # see `read_summary`
    from memidx.indexing.signatures import unpack_signatures

    # A record is long, so no part of it is copied before somebody asks for it.
    view = memoryview(data)
    if view[-_MARK_BYTES:] != b"\n" + _checksum(view[:-_MARK_BYTES]):
        return None
    head = data[: data.find(b"\n")]
    try:
        document = _document(head)
        at, parts = len(head) + 1 + _MARK_BYTES, []
        for size in document["part_bytes"]:
            parts.append(view[at : at + size])
            at += size
        names, numbers, paths, rows = parts
        files = PackedFiles(paths, rows, document["files_skipping"])
        return _state(document, unpack_signatures(names, numbers), files)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def read_summary(data: bytes) -> State | None:
    """State from the beginning of its bytes, without `watched` and `files`.

    Most of a record is about thousands of files, which only a comparison with the sources needs.

    Returns:
        None when the bytes are damaged, of another version or too few, or when what was skipped
        of a file has to be told: then `read_state` must be asked.
    """
    head, _, rest = data.partition(b"\n")
    mark = _checksum(head)
    if rest[: len(mark)] != mark:
        return None
    try:
        document = _document(head)
        return None if document["files_skipping"] else _state(document, _UNREAD, _UNREAD)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _document(head: bytes) -> Any:
    document = parse_json(head)
    if document["version"] != STATE_VERSION:
        raise ValueError("another version")
    return document


def _state(document: Any, watched: Any, files: Any) -> State:
    skips: tuple[Skip, ...] = ()
    if document["skips"]:
        from memidx.indexing.packing import skips_of  # most projects have none

        skips = skips_of(document["skips"])
    return State(
        root=document["root"],
        settings=document["settings"],
        recorded_ns=document["recorded_ns"],
        watched=watched,
        bases_failed=document["bases_failed"],
        files=files,
        failed=document["failed"],
        skips=skips,
        unsupported=document["unsupported"],
        store={name: Signature(*row) for name, row in document["store"].items()},
        damage=tuple((path, line, reason) for path, line, reason in document["damage"]),
        snapshot=document["snapshot"],
        unlike=document["unlike"],
        tokens=document["tokens"],
    )


# Stands for a part of a look that was not read; whoever asks it for anything is mistaken.
_UNREAD: Any = object()


def _checksum(body: bytes | memoryview) -> bytes:
    return b"%08x" % zlib.crc32(body)
