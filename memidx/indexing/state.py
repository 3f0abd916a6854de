"""What did the last look at the sources see?

Local knowledge, never committed: signatures of every watched file, what each file became, and
which snapshot was derived from it. A search compares it with the disk; when nothing differs, no
file is read.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Literal, NamedTuple, overload

from memidx.files import Signature
from memidx.sources.base import Skip

STATE_VERSION = 3

# How an answer relates to its sources: docs/glossary.md, "freshness".
Freshness = Literal["fresh", "refreshed", "unchecked", "stale"]

# An entry changed this shortly before it was recorded may have changed again within the same
# tick of the file system's clock: it is read again, as git does with its index.
RACY_NS = 2_000_000_000


class DocRef(NamedTuple):
    """One document a file became: its id, its line's checksum, the line where it begins."""

    doc_id: str
    sum: str
    line: int


class PackedDocs(Sequence[DocRef]):
    """The documents of a part of a feed, as one text until somebody asks for them.

    There may be tens of thousands, and a search whose feeds are as they were needs none of them.
    """

    __slots__ = ("_refs", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._refs: tuple[DocRef, ...] | None = None

    def __len__(self) -> int:
        return self._text.count("\n")

    @overload
    def __getitem__(self, index: int) -> DocRef: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[DocRef]: ...
    def __getitem__(self, index: int | slice) -> DocRef | Sequence[DocRef]:
        return self._unpacked()[index]

    def __iter__(self) -> Iterator[DocRef]:
        return iter(self._unpacked())

    def text(self) -> str:
        """As `pack` gave it."""
        return self._text

    def _unpacked(self) -> tuple[DocRef, ...]:
        if self._refs is None:
            rows = (row.split("\t") for row in self._text.split("\n")[:-1])
            self._refs = tuple(DocRef(doc_id, sum_, int(line)) for doc_id, sum_, line in rows)
        return self._refs


def pack(docs: Iterable[DocRef]) -> PackedDocs:
    """A line a document; a `doc_id` holds neither tab nor line feed."""
    return PackedDocs("".join(f"{doc_id}\t{sum_}\t{line}\n" for doc_id, sum_, line in docs))


@dataclass(frozen=True, slots=True)
class KnownFile:
    """What one source file, or one part of a feed, was and became when it was last read.

    Attributes:
        source: The source that took it.
        disk_path: Root-relative path as on disk; empty for a part of a feed.
        digest: Hash of its bytes; of a part of a feed, the token of its state.
        docs: The documents it became.
        skips: What of it was not indexed.
    """

    source: str
    disk_path: str
    digest: str
    docs: Sequence[DocRef]
    skips: tuple[Skip, ...] = ()


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

    def racy(self) -> list[str]:
        """Watched paths whose signature does not prove that they are unchanged."""
        limit = self.recorded_ns - RACY_NS
        return [
            path
            for path, signature in self.watched.items()
            if signature.mtime_ns >= limit or signature.ctime_ns >= limit
        ]

    def to_bytes(self) -> bytes:
        """Compact JSON."""
        document: dict[str, Any] = {
            "version": STATE_VERSION,
            "root": self.root,
            "settings": self.settings,
            "recorded_ns": self.recorded_ns,
            "watched": self.watched,
            "bases_failed": self.bases_failed,
            "files": {path: file_row(known) for path, known in self.files.items()},
            "failed": self.failed,
            "skips": _rows(self.skips),
            "unsupported": self.unsupported,
            "store": self.store,
            "damage": self.damage,
            "snapshot": self.snapshot,
            "unlike": self.unlike,
            "tokens": self.tokens,
        }
        return sealed(document)


def read_state(data: bytes) -> State | None:
    """State from its bytes; None when they are damaged or of another version (then look anew)."""
    try:
        document = unsealed(data)
        if document is None or document["version"] != STATE_VERSION:
            return None
        return State(
            root=document["root"],
            settings=document["settings"],
            recorded_ns=document["recorded_ns"],
            watched={path: Signature(*row) for path, row in document["watched"].items()},
            bases_failed=document["bases_failed"],
            files={path: file_of(row) for path, row in document["files"].items()},
            failed=document["failed"],
            skips=_skips(document["skips"]),
            unsupported=document["unsupported"],
            store={name: Signature(*row) for name, row in document["store"].items()},
            damage=tuple((path, line, reason) for path, line, reason in document["damage"]),
            snapshot=document["snapshot"],
            unlike=document["unlike"],
            tokens=document["tokens"],
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def file_row(known: KnownFile) -> list[Any]:
    """A known file as JSON values."""
    docs = known.docs.text() if isinstance(known.docs, PackedDocs) else known.docs
    return [known.source, known.disk_path, known.digest, docs, _rows(known.skips)]


def file_of(row: list[Any]) -> KnownFile:
    """A known file from its JSON values."""
    source, disk_path, digest, docs, skips = row
    packed = isinstance(docs, str)
    refs = PackedDocs(docs) if packed else tuple(DocRef(*ref) for ref in docs)
    return KnownFile(source, disk_path, digest, refs, _skips(skips))


def sealed(document: Mapping[str, Any]) -> bytes:
    """Compact JSON and its digest."""
    # ASCII keeps the lone surrogates of undecodable file names out of the encoder's way.
    body = json.dumps(document, separators=(",", ":")).encode("ascii")
    return body + b"\n" + _digest(body)


def unsealed(data: bytes) -> Any:
    """What was sealed; None when its digest is another one."""
    body, _, found = data.rpartition(b"\n")
    return json.loads(body) if found == _digest(body) else None


def _digest(body: bytes) -> bytes:
    return blake2b(body, digest_size=8).hexdigest().encode("ascii")


def _rows(skips: tuple[Skip, ...]) -> list[list[Any]]:
    return [[skip.path, skip.reason, skip.line, skip.source] for skip in skips]


def _skips(rows: list[list[Any]]) -> tuple[Skip, ...]:
    return tuple(Skip(*row) for row in rows)
