"""How are lines held that may be more than memory should hold?

A mapping `doc_id` -> line of which the size and the checksum of each line are known without
reading it. The lines themselves are in memory while they are few; beyond that, new ones are put
aside (`memidx.files.spooling`), and those of a store stay in its shards.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from memidx.errors import StoreCorrupt
from memidx.files.spooling import IN_MEMORY, OpenFile, Scratch
from memidx.store.line import SUM_DIGITS, DamagedLine, check_line, line_sum

# Bytes of lines that are simply kept: those of a few thousand notes, as most projects have them.
IN_MEMORY_BYTES = 1 << 25


class Lines(Mapping[str, bytes]):
    """`doc_id` -> line; each is made when it is asked for."""

    def size(self, doc_id: str) -> int:
        """Bytes of a document's line."""
        return len(self[doc_id])

    def sum(self, doc_id: str) -> str:
        """Checksum of a document's line (`line_sum`)."""
        return line_sum(self[doc_id])


class _ByKeys:
    """The keys of another mapping, by `doc_id`, for what is worked out when it is asked for."""

    def __init__(self, lines: Mapping[str, bytes]) -> None:
        self._lines = lines

    def __len__(self) -> int:
        return len(self._lines)

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)

    def __contains__(self, doc_id: object) -> bool:
        return doc_id in self._lines


class _Given(_ByKeys, Lines):
    """Lines of any other mapping."""

    def __getitem__(self, doc_id: str) -> bytes:
        return self._lines[doc_id]


def as_lines(lines: Mapping[str, bytes]) -> Lines:
    """A mapping as one that tells sizes and checksums; asked once, not for each line."""
    return lines if isinstance(lines, Lines) else _Given(lines)


class Sums(_ByKeys, Mapping[str, str]):
    """`doc_id` -> checksum of its line, read when it is asked for."""

    def __init__(self, lines: Mapping[str, bytes]) -> None:
        super().__init__(lines)
        self._sum = as_lines(lines).sum

    def __getitem__(self, doc_id: str) -> str:
        return self._sum(doc_id)


def sizes(lines: Mapping[str, bytes]) -> Iterator[tuple[str, int]]:
    """`doc_id` and bytes of each line, without reading it where that can be."""
    size = as_lines(lines).size
    return ((doc_id, size(doc_id)) for doc_id in lines)


def sums(lines: Mapping[str, bytes]) -> Iterator[tuple[str, str]]:
    """`doc_id` and checksum of each line, likewise."""
    sum_ = as_lines(lines).sum
    return ((doc_id, sum_(doc_id)) for doc_id in lines)


class _Rows(Lines):
    """Lines that are told by number: a number costs less than a tuple of facts for each."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._places = array("Q")
        self._sizes = array("I")
        self._sums = bytearray()

    def __len__(self) -> int:
        return len(self._numbers)

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __contains__(self, doc_id: object) -> bool:
        return doc_id in self._numbers

    def size(self, doc_id: str) -> int:
        return self._sizes[self._numbers[doc_id]]

    def sum(self, doc_id: str) -> str:
        begin = self._numbers[doc_id] * SUM_DIGITS
        return self._sums[begin : begin + SUM_DIGITS].decode("ascii")

    def _note(self, doc_id: str, line: bytes, place: int) -> None:
        self._numbers[doc_id] = len(self._places)
        self._places.append(place)
        self._sizes.append(len(line))
        self._sums += line_sum(line).encode("ascii")


class NewLines(_Rows):
    """Lines as they are made; of two for one document the later one counts.

    Args:
        scratch: Where they are put aside when they become too many.
    """

    def __init__(self, scratch: Scratch = IN_MEMORY) -> None:
        super().__init__()
        self._spool = scratch.spool(IN_MEMORY_BYTES)

    @property
    def are_aside(self) -> bool:
        """Whether they were too many for memory."""
        return self._spool.is_on_disk

    def add(self, doc_id: str, line: bytes) -> None:
        """Take in a line."""
        self._note(doc_id, line, self._spool.append(line))

    def __getitem__(self, doc_id: str) -> bytes:
        number = self._numbers[doc_id]
        return self._spool.read(self._places[number], self._sizes[number])


class Place(NamedTuple):
    """Where a line stands: shard name, 1-based line number, offset of its first byte."""

    shard: str
    line: int
    offset: int


class StoredLines(_Rows):
    """Sound lines of the shards of a store, in the order of the files."""

    def __init__(self) -> None:
        super().__init__()
        self._shards: list[_Shard] = []
        self._shard_of = array("I")
        self._line_of = array("I")

    def begin(self, name: str, content: bytes | OpenFile) -> None:
        """What is added from now on stands in this shard: its bytes, or the file that has them."""
        self._shards.append(_Shard(name, content))

    def add(self, doc_id: str, line: bytes, number: int, offset: int) -> None:
        """Take in line `number` of the shard."""
        self._note(doc_id, line, offset)
        self._shard_of.append(len(self._shards) - 1)
        self._line_of.append(number)

    def drop(self, doc_id: str) -> None:
        """Leave a document out after all."""
        del self._numbers[doc_id]

    def place(self, doc_id: str) -> Place:
        """Where a document's line stands."""
        number = self._numbers[doc_id]
        name = self._shards[self._shard_of[number]].name
        return Place(name, self._line_of[number], self._places[number])

    def __getitem__(self, doc_id: str) -> bytes:
        number = self._numbers[doc_id]
        shard = self._shards[self._shard_of[number]]
        begin, size = self._places[number], self._sizes[number]
        if isinstance(shard.content, bytes):
            return shard.content[begin : begin + size]
        line = shard.content.read(begin, size)
        # memidx never writes in a file that is there; others may.
        try:
            check_line(line)
            is_same = line_sum(line) == self.sum(doc_id)
        except DamagedLine:
            is_same = False
        if not is_same:
            raise StoreCorrupt(
                "the line changed after it was read",
                path=shard.content.path,
                line=self._line_of[number],
                hint="run it again",
            )
        return line


class _Shard(NamedTuple):
    name: str
    content: bytes | OpenFile


class ChosenLines(Lines):
    """Lines of documents that were chosen from new ones and stored ones.

    Args:
        order: Their `doc_id`s, ascending.
        are_new: Those whose line is the new one.
        new: Holds these.
        stored: Holds the others.
    """

    def __init__(
        self,
        order: Sequence[str],
        are_new: Collection[str],
        new: Mapping[str, bytes],
        stored: Mapping[str, bytes],
    ) -> None:
        self._order = order
        self._are_new = are_new
        self._new = as_lines(new)
        self._stored = as_lines(stored)

    def __len__(self) -> int:
        return len(self._order)

    def __iter__(self) -> Iterator[str]:
        return iter(self._order)

    def __contains__(self, doc_id: object) -> bool:
        if not isinstance(doc_id, str):
            return False
        place = bisect_left(self._order, doc_id)
        return place < len(self._order) and self._order[place] == doc_id

    def __getitem__(self, doc_id: str) -> bytes:
        return self._of(doc_id)[doc_id]

    def size(self, doc_id: str) -> int:
        """See `Lines`."""
        return self._of(doc_id).size(doc_id)

    def sum(self, doc_id: str) -> str:
        """See `Lines`."""
        return self._of(doc_id).sum(doc_id)

    def _of(self, doc_id: str) -> Lines:
        return self._new if doc_id in self._are_new else self._stored
