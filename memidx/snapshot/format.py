"""How do a snapshot's arrays lie in one file?

    bytes 0..7    magic `MIDXSNP` and the format version, one byte
    bytes 8..15   length of the header, unsigned little-endian
    bytes 16..23  checksum of the header (CRC-32), unsigned little-endian
    then          header: JSON with facts and a table {section: [typecode, offset, count]}
    then          sections, each starting at a multiple of 8; checksums cover the padding too

Sections are arrays in this machine's byte order (a snapshot never leaves it), read in place from
a memory map; `memoryview.cast` and `numpy.frombuffer` see the same bytes. Variable-length values
are a blob section `NAME` with offsets in `NAME.at` (one more than there are values).
"""

from __future__ import annotations

import zlib
from array import array

from memidx.errors import StoreCorrupt
from memidx.light import TYPE_CHECKING, parse_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

FORMAT_VERSION = 4
_MAGIC = b"MIDXSNP" + bytes([FORMAT_VERSION])
_PREFIX = 24
_ALIGN = 8


class Sections:
    """Arrays of one snapshot, read in place.

    Args:
        data: The whole file.
        name: What to call it in an error.
    """

    def __init__(self, data: memoryview, name: str) -> None:
        if bytes(data[:8]) != _MAGIC:
            raise StoreCorrupt("not a snapshot of this version", path=name)
        length = int.from_bytes(data[8:16], "little")
        head = bytes(data[_PREFIX : _PREFIX + length])
        # Nothing has the checksum 0, which is also what lost bytes read as.
        if not head or zlib.crc32(head) != int.from_bytes(data[16:_PREFIX], "little"):
            raise StoreCorrupt("the snapshot's header is damaged", path=name)
        header = parse_json(head)
        if len(data) != header["size_bytes"]:
            raise StoreCorrupt(
                "the snapshot is cut short",
                path=name,
                expected=f"{header['size_bytes']} bytes",
                found=str(len(data)),
            )
        self.facts: dict[str, Any] = header["facts"]
        self._table: dict[str, tuple[str, int, int, int]] = header["sections"]
        self._data = data
        self._header_bytes = length
        self._start = _aligned(_PREFIX + length)

    def array(self, name: str) -> Any:
        """Section `name` as a typed memoryview."""
        code, offset, count, _ = self._table[name]
        begin = self._start + offset
        view = self._data[begin : begin + count * array(code).itemsize]
        return view if code == "B" else view.cast(code)  # type: ignore[call-overload]  # from a file

    def is_sound(self) -> bool:
        """Whether every section is as it was written; reads the whole file."""
        at = self._start
        for code, offset, count, checksum in self._table.values():
            end = self._start + _aligned(offset + count * array(code).itemsize)
            if at != self._start + offset or zlib.crc32(self._data[at:end]) != checksum:
                return False
            at = end
        return not any(self._data[_PREFIX + self._header_bytes : self._start])


class Blobs:
    """Variable-length values of one section, decoded when asked for."""

    __slots__ = ("_at", "_data")

    def __init__(self, sections: Sections, name: str) -> None:
        self._at = sections.array(f"{name}.at")
        self._data = sections.array(name)

    def __len__(self) -> int:
        return len(self._at) - 1

    def raw(self, index: int) -> bytes:
        """Value `index` as bytes."""
        return bytes(self._data[self._at[index] : self._at[index + 1]])

    def __getitem__(self, index: int) -> str:
        return str(self._data[self._at[index] : self._at[index + 1]], "utf-8")

    def find(self, value: bytes) -> int | None:
        """Position of `value` among values sorted by their bytes, or None."""
        at, data = self._at, self._data
        low, high = 0, len(at) - 1
        while low < high:
            middle = (low + high) >> 1
            found = bytes(data[at[middle] : at[middle + 1]])
            if found < value:
                low = middle + 1
            elif found > value:
                high = middle
            else:
                return middle
        return None


def serialise(
    facts: Mapping[str, Any], sections: Mapping[str, tuple[str, bytes]]
) -> Iterator[bytes]:
    """Bytes of a snapshot file.

    Args:
        facts: What the header says about the snapshot; JSON values.
        sections: Name -> (array typecode, bytes).

    Yields:
        Pieces to be written one after another.
    """
    import json  # a search only reads

    table: dict[str, tuple[str, int, int, int]] = {}
    offset = 0
    for name, (code, data) in sections.items():
        padding = bytes(_aligned(len(data)) - len(data))
        checksum = zlib.crc32(padding, zlib.crc32(data))
        table[name] = (code, offset, len(data) // array(code).itemsize, checksum)
        offset += len(data) + len(padding)
    header, start = b"", 0
    size = -1
    # The header holds the file's size, and its own length is part of that size.
    while size != start + offset:
        size = start + offset
        document = {"facts": facts, "sections": table, "size_bytes": size}
        header = json.dumps(document, separators=(",", ":")).encode()
        start = _aligned(_PREFIX + len(header))
    yield _MAGIC + len(header).to_bytes(8, "little")
    yield zlib.crc32(header).to_bytes(8, "little")
    yield header
    yield bytes(start - _PREFIX - len(header))
    for _, data in sections.values():
        yield data
        yield bytes(_aligned(len(data)) - len(data))


def blob_sections(name: str, values: Iterable[bytes]) -> dict[str, tuple[str, bytes]]:
    """The two sections that hold variable-length values."""
    at = array("Q", [0])
    pieces: list[bytes] = []
    total = 0
    for value in values:
        pieces.append(value)
        total += len(value)
        at.append(total)
    return {f"{name}.at": ("Q", at.tobytes()), name: ("B", b"".join(pieces))}


def _aligned(offset: int) -> int:
    return -(-offset // _ALIGN) * _ALIGN
