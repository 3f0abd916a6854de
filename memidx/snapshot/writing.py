"""How do a snapshot's arrays get into one file?

The header says where each section begins and what its checksum is, so a section that comes piece
by piece is put aside until all of it is there (`Long`); memory then holds no more than a piece.
"""

from __future__ import annotations

import json
import zlib
from array import array
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from memidx.files.spooling import Spool
from memidx.snapshot.format import MAGIC, PREFIX, aligned

if TYPE_CHECKING:
    from numpy.typing import NDArray

_AT_ONCE = 1 << 16


class Long:
    """A section that comes piece by piece, and may be more than memory should hold.

    Args:
        code: Array typecode.
        spool: Where its bytes wait until those before it are written.

    Attributes:
        checksum: Of the bytes so far.
    """

    def __init__(self, code: str, spool: Spool) -> None:
        self.code = code
        self.checksum = 0
        self._spool = spool

    def __len__(self) -> int:
        return self._spool.size

    def add(self, data: bytes | memoryview) -> None:
        """Take in what comes next."""
        self.checksum = zlib.crc32(data, self.checksum)
        self._spool.append(data)

    def read(self, begin: int, end: int) -> bytes:
        """Some of its bytes."""
        return self._spool.read(begin, end - begin)

    def pieces(self) -> Iterator[bytes]:
        """Its bytes, some at a time."""
        return self._spool.pieces()


Section = tuple[str, bytes] | Long
"""An array: its typecode and its bytes, or a `Long` one."""


class LongBlobs:
    """Variable-length values that become the two sections `NAME.at` and `NAME`."""

    def __init__(self, spool: Spool) -> None:
        self._at = array("Q", [0])
        self._values = Long("B", spool)
        # Most values are small: they are put aside many at a time.
        self._last: list[bytes] = []
        self._size = 0

    def __len__(self) -> int:
        return len(self._at) - 1

    def add(self, value: bytes) -> None:
        """Take in the next value."""
        self._last.append(value)
        self._size += len(value)
        self._at.append(self._size)
        if self._size - len(self._values) > _AT_ONCE:
            self._put_aside()

    def add_many(self, values: bytes, lengths: NDArray[Any]) -> None:
        """Take in the next values, which stand one after another."""
        import numpy as np  # only who builds a snapshot pays for numpy

        self._put_aside()
        self._values.add(values)
        self._at.frombytes((np.cumsum(lengths, dtype=np.uint64) + np.uint64(self._size)).tobytes())
        self._size += len(values)

    def _put_aside(self) -> None:
        self._values.add(b"".join(self._last))
        self._last.clear()

    def __getitem__(self, index: int) -> bytes:
        self._put_aside()
        return self._values.read(self._at[index], self._at[index + 1])

    def sections(self, name: str) -> dict[str, Section]:
        """As `blob_sections` gives them."""
        self._put_aside()
        return {f"{name}.at": ("Q", self._at.tobytes()), name: self._values}


def serialise(facts: Mapping[str, Any], sections: Mapping[str, Section]) -> Iterator[bytes]:
    """Bytes of a snapshot file.

    Args:
        facts: What the header says about the snapshot; JSON values.
        sections: By name.

    Yields:
        Pieces to be written one after another.
    """
    table: dict[str, tuple[str, int, int, int]] = {}
    offset = 0
    for name, section in sections.items():
        if isinstance(section, Long):
            code, size, checksum = section.code, len(section), section.checksum
        else:
            code, data = section
            size, checksum = len(data), zlib.crc32(data)
        padding = bytes(aligned(size) - size)
        checksum = zlib.crc32(padding, checksum)
        table[name] = (code, offset, size // array(code).itemsize, checksum)
        offset += size + len(padding)
    header, start = b"", 0
    total = -1
    # The header holds the file's size, and its own length is part of that size.
    while total != start + offset:
        total = start + offset
        document = {"facts": facts, "sections": table, "size_bytes": total}
        header = json.dumps(document, separators=(",", ":")).encode()
        start = aligned(PREFIX + len(header))
    yield MAGIC + len(header).to_bytes(8, "little")
    yield zlib.crc32(header).to_bytes(8, "little")
    yield header
    yield bytes(start - PREFIX - len(header))
    for section in sections.values():
        if isinstance(section, Long):
            yield from section.pieces()
            size = len(section)
        else:
            yield section[1]
            size = len(section[1])
        yield bytes(aligned(size) - size)


def blob_sections(name: str, values: Iterable[bytes]) -> dict[str, Section]:
    """The two sections that hold variable-length values."""
    at = array("Q", [0])
    pieces: list[bytes] = []
    total = 0
    for value in values:
        pieces.append(value)
        total += len(value)
        at.append(total)
    return {f"{name}.at": ("Q", at.tobytes()), name: ("B", b"".join(pieces))}
