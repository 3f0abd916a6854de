"""How do a snapshot's arrays lie in one file?

    bytes 0..7    magic `MIDXSNP` and the format version, one byte
    bytes 8..15   length of the header, unsigned little-endian
    bytes 16..23  checksum of the header (CRC-32), unsigned little-endian
    then          header: JSON with facts and a table {section: [typecode, offset, count]}
    then          sections, each starting at a multiple of 8; checksums cover the padding too

Sections are arrays in this machine's byte order (a snapshot never leaves it), read in place from
a memory map; `memoryview.cast` and `numpy.frombuffer` see the same bytes. Variable-length values
are a blob section `NAME` with offsets in `NAME.at` (one more than there are values). The writer is
`memidx.snapshot.writing`.
"""

from __future__ import annotations

import zlib

from memidx.errors import StoreCorrupt
from memidx.light import TYPE_CHECKING, bisect_right, parse_json

if TYPE_CHECKING:
    from typing import Any

FORMAT_VERSION = 4
MAGIC = b"MIDXSNP" + bytes([FORMAT_VERSION])
PREFIX = 24
# Bytes of one value, by the code that `memoryview.cast` and `array` know it by. (To ask `array`
# would load it, and `collections` with it.)
_VALUE_BYTES = {"B": 1, "H": 2, "I": 4, "Q": 8, "q": 8, "d": 8}
_ALIGN = 8
# After so many searches among values, every so manieth is kept in memory (a byte a value): of
# 129,360 terms one is then found in 6 µs, in place of 14.
_FINDS_WITHOUT, _APART = 100, 64


class Sections:
    """Arrays of one snapshot, read in place.

    Args:
        data: The whole file.
        name: What to call it in an error.
    """

    def __init__(self, data: memoryview, name: str) -> None:
        if bytes(data[:8]) != MAGIC:
            raise StoreCorrupt("not a snapshot of this version", path=name)
        length = int.from_bytes(data[8:16], "little")
        head = bytes(data[PREFIX : PREFIX + length])
        # Nothing has the checksum 0, which is also what lost bytes read as.
        if not head or zlib.crc32(head) != int.from_bytes(data[16:PREFIX], "little"):
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
        self._start = aligned(PREFIX + length)

    def array(self, name: str) -> Any:
        """Section `name` as a typed memoryview."""
        code, offset, count, _ = self._table[name]
        begin = self._start + offset
        view = self._data[begin : begin + count * _VALUE_BYTES[code]]
        return view if code == "B" else view.cast(code)  # type: ignore[call-overload]  # from a file

    def is_sound(self) -> bool:
        """Whether every section is as it was written; reads the whole file."""
        at = self._start
        for code, offset, count, checksum in self._table.values():
            end = self._start + aligned(offset + count * _VALUE_BYTES[code])
            if at != self._start + offset or zlib.crc32(self._data[at:end]) != checksum:
                return False
            at = end
        return not any(self._data[PREFIX + self._header_bytes : self._start])


class Blobs:
    """Variable-length values of one section, decoded when asked for."""

    __slots__ = ("_at", "_data", "_n_finds", "_signposts")

    def __init__(self, sections: Sections, name: str) -> None:
        self._at = sections.array(f"{name}.at")
        self._data = sections.array(name)
        self._n_finds = 0
        # Every `_APART`th value, where many were looked for.
        self._signposts: list[bytes] = []

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
        self._n_finds += 1
        if self._n_finds > _FINDS_WITHOUT:
            low, high = self._between_signposts(value)
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

    def _between_signposts(self, value: bytes) -> tuple[int, int]:
        """Where a value stands if it does: from, and up to."""
        n_values = len(self)
        if not self._signposts and n_values:
            self._signposts = [self.raw(index) for index in range(0, n_values, _APART)]
        low = max(0, bisect_right(self._signposts, value) - 1) * _APART
        return low, min(low + _APART, n_values)


def aligned(offset: int) -> int:
    """Where the section behind one that ends at `offset` begins."""
    return -(-offset // _ALIGN) * _ALIGN
