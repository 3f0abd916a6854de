"""How is a record of thousands of files read in no time?

A search on an unchanged project asks of the recorded look only whether every signature is as it
was. So signatures are kept as one array that is compared as a whole, and what each file became as
a line of JSON that is read when somebody asks for that file.
"""

from __future__ import annotations

import io
import json
from array import array
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import overload

from memidx.files import Signature
from memidx.light import TYPE_CHECKING
from memidx.sources.base import Skip
from memidx.values import NamedTuple, dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

_N_NUMBERS = len(Signature._fields)
_AS_ARRAY, _AS_JSON = b"q", b"j"


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


class PackedSignatures(Mapping[str, Signature]):
    """Path -> signature, compared as a whole.

    Args:
        names: A JSON list of the paths.
        numbers: The numbers of their signatures, one after another.
    """

    def __init__(self, names: bytes, numbers: Sequence[int]) -> None:
        self._names = names
        self._numbers = numbers
        self._table: dict[str, Signature] | None = None
        self._was_compared = False

    def __getitem__(self, path: str) -> Signature:
        return self._unpacked()[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._unpacked())

    def __len__(self) -> int:
        return len(self._numbers) // _N_NUMBERS

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mapping):
            return NotImplemented
        if len(other) != len(self):
            return False
        # A look lists the same files in the same order, so this is how it ends as a rule; who asks
        # again, as an index that is kept open does, is better served by a table.
        if self._table is None and not self._was_compared:
            self._was_compared = True
            if _numbers(other) == self._numbers and to_json([*other]) == self._names:
                return True
        return self._unpacked() == (other if isinstance(other, dict) else dict(other))

    __hash__ = None  # type: ignore[assignment]  # as of every mapping

    def packed(self) -> tuple[bytes, bytes]:
        """As `pack_signatures` gave it."""
        return self._names, _pack_numbers(self._numbers)

    def newest_ns(self) -> int:
        """The latest time in any signature; 0 without one."""
        times = (self._numbers[1::_N_NUMBERS], self._numbers[2::_N_NUMBERS])
        return max(map(max, times)) if self._numbers else 0

    def _unpacked(self) -> dict[str, Signature]:
        if self._table is None:
            rows = zip(*[iter(self._numbers)] * _N_NUMBERS, strict=True)
            self._table = dict(
                zip(json.loads(self._names), map(Signature._make, rows), strict=True)
            )
        return self._table


def pack_signatures(signatures: Mapping[str, Signature]) -> tuple[bytes, bytes]:
    """What `unpack_signatures` reads: the names, and the numbers."""
    if isinstance(signatures, PackedSignatures):
        return signatures.packed()
    return to_json([*signatures]), _pack_numbers(_numbers(signatures))


def unpack_signatures(names: bytes, packed: bytes) -> PackedSignatures:
    """The signatures that were packed."""
    if packed[:1] == _AS_ARRAY:
        return PackedSignatures(names, array("q", packed[1:]))
    return PackedSignatures(names, json.loads(packed[1:]))


def _numbers(signatures: Mapping[str, Signature]) -> Sequence[int]:
    numbers = chain.from_iterable(signatures.values())
    try:
        return array("q", numbers)
    except OverflowError:  # some file systems number inodes with all 64 bits
        return [*chain.from_iterable(signatures.values())]


def _pack_numbers(numbers: Sequence[int]) -> bytes:
    if isinstance(numbers, array):
        return _AS_ARRAY + numbers.tobytes()
    return _AS_JSON + to_json(numbers)


class PackedFiles(Mapping[str, KnownFile]):
    """Identity path -> what the file became, each unpacked when asked for.

    Args:
        paths: A JSON list of the paths.
        rows: A line of JSON for each, in the same order.
        skipping: The paths of which something was skipped.
    """

    def __init__(self, paths: bytes, rows: bytes, skipping: Sequence[str]) -> None:
        self._packed = paths, rows
        self._table: dict[str, bytes | KnownFile] | None = None
        self.skipping = skipping

    def __getitem__(self, path: str) -> KnownFile:
        table = self._unpacked()
        known = table[path]
        if isinstance(known, bytes):
            known = table[path] = file_of(json.loads(known))
        return known

    def __contains__(self, path: object) -> bool:
        return path in self._unpacked()

    def __iter__(self) -> Iterator[str]:
        return iter(self._unpacked())

    def __len__(self) -> int:
        return len(self._unpacked())

    def packed(self) -> tuple[bytes, bytes]:
        """As `pack_files` gave it."""
        return self._packed

    def _unpacked(self) -> dict[str, bytes | KnownFile]:
        if self._table is None:
            paths, rows = self._packed
            self._table = dict(zip(json.loads(paths), rows.splitlines(), strict=True))
        return self._table


def pack_files(files: Mapping[str, KnownFile]) -> tuple[bytes, bytes]:
    """What `PackedFiles` reads: the paths, and a row for each."""
    if isinstance(files, PackedFiles):
        return files.packed()
    # Joining would hold every row twice.
    rows = io.BytesIO()
    for known in files.values():
        rows.write(to_json(file_row(known)))
        rows.write(b"\n")
    rows.truncate(max(0, rows.tell() - 1))
    return to_json([*files]), rows.getvalue()


def paths_with_skips(files: Mapping[str, KnownFile]) -> list[str]:
    """The files of which something was skipped, in their order."""
    if isinstance(files, PackedFiles):
        return [*files.skipping]
    return [path for path, known in files.items() if known.skips]


def skip_rows(skips: Iterable[Skip]) -> list[list[Any]]:
    """Skips as JSON values."""
    return [[skip.path, skip.reason, skip.line, skip.source] for skip in skips]


def skips_of(rows: Iterable[Sequence[Any]]) -> tuple[Skip, ...]:
    """Skips from JSON values."""
    return tuple(Skip(*row) for row in rows)


def file_row(known: KnownFile) -> list[Any]:
    """A known file as JSON values."""
    docs = known.docs.text() if isinstance(known.docs, PackedDocs) else known.docs
    return [known.source, known.disk_path, known.digest, docs, skip_rows(known.skips)]


def file_of(row: Sequence[Any]) -> KnownFile:
    """A known file from its JSON values."""
    source, disk_path, digest, docs, skips = row
    packed = isinstance(docs, str)
    refs = PackedDocs(docs) if packed else tuple(DocRef(*ref) for ref in docs)
    return KnownFile(source, disk_path, digest, refs, skips_of(skips))


# ASCII keeps the lone surrogates of undecodable file names out of the encoder's way.
_encode = json.JSONEncoder(separators=(",", ":")).encode


def to_json(value: Any) -> bytes:
    """Compact JSON without line feeds."""
    return _encode(value).encode("ascii")
