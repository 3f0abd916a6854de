"""Are thousands of files as they were?

A search on an unchanged project asks of the recorded look only that. So signatures are kept as one
array that is compared as a whole.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from itertools import chain

from memidx.files import Signature
from memidx.indexing.amended import Amended, plain
from memidx.light import TYPE_CHECKING, parse_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    Numbers = array[int] | list[int]

_N_NUMBERS = len(Signature._fields)
_AS_ARRAY, _AS_JSON = b"q", b"j"


class PackedSignatures(Mapping[str, Signature]):
    """Path -> signature, compared as a whole.

    Args:
        names: A JSON list of the paths.
        numbers: The numbers of their signatures, one after another.
        newest_ns: The latest time among them.
    """

    def __init__(self, names: bytes | memoryview, numbers: Numbers, newest_ns: int) -> None:
        self._names = names
        self._numbers = numbers
        self._table: dict[str, Signature] | None = None
        self._was_compared = False
        self._newest_ns = newest_ns

    def __getitem__(self, path: str) -> Signature:
        return self.unpacked()[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self.unpacked())

    def __len__(self) -> int:
        return len(self._numbers) // _N_NUMBERS

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mapping):
            return NotImplemented
        if len(other) != len(self):
            return False
        # Who asks again, as an index that is kept open does, is better served by a table.
        if self._table is None and not self._was_compared:
            self._was_compared = True
            if self.are(other, {}):
                return True
        return self.unpacked() == (other if isinstance(other, dict) else dict(other))

    __hash__ = None  # type: ignore[assignment]  # as of every mapping

    def packed(self) -> tuple[bytes, bytes]:
        """As `pack_signatures` gave it."""
        return bytes(self._names), _pack_numbers(self._numbers, self._newest_ns)

    def are(self, found: Mapping[str, Signature], changed: Mapping[str, Signature]) -> bool:
        """Whether files were found with these signatures, but for the changed ones, in this order.

        A look lists the same files in the same order, so this is how nearly every comparison ends;
        a False proves nothing.
        """
        if len(found) != len(self):
            return False
        names, numbers = [*found], _numbers(found)
        if type(numbers) is not type(self._numbers):
            return False
        for path, signature in changed.items():
            if found.get(path) != signature:
                return False
            place = names.index(path) * _N_NUMBERS
            part = slice(place, place + _N_NUMBERS)
            numbers[part] = self._numbers[part]  # type: ignore[assignment]  # of one type
        return numbers == self._numbers and names == parse_json(bytes(self._names))

    def younger(self, limit_ns: int) -> list[str]:
        """Paths whose file was written or moved at a time or later."""
        return [] if self._newest_ns < limit_ns else _younger(self.unpacked(), limit_ns)

    def unpacked(self) -> dict[str, Signature]:
        """All of them as a dict, made once."""
        if self._table is None:
            rows = zip(*[iter(self._numbers)] * _N_NUMBERS, strict=True)
            self._table = dict(
                zip(parse_json(bytes(self._names)), map(Signature._make, rows), strict=True)
            )
        return self._table


def younger(signatures: Mapping[str, Signature], limit_ns: int) -> list[str]:
    """Paths whose file was written or moved at a time or later."""
    if isinstance(signatures, Amended):
        changed = signatures.changed
        rest = [path for path in younger(signatures.whole, limit_ns) if path not in changed]
        return rest + _younger(changed, limit_ns)
    if isinstance(signatures, PackedSignatures):
        return signatures.younger(limit_ns)
    return _younger(signatures, limit_ns)


def _younger(signatures: Mapping[str, Signature], limit_ns: int) -> list[str]:
    return [
        path
        for path, (_, mtime_ns, ctime_ns, _) in signatures.items()
        if mtime_ns >= limit_ns or ctime_ns >= limit_ns
    ]


def are_signatures(watched: Mapping[str, Signature], found: Mapping[str, Signature]) -> bool:
    """Whether a record's signatures are those that were found, compared as a whole."""
    if not isinstance(watched, Amended):
        return watched == found
    whole, changed = watched.whole, watched.changed
    if isinstance(whole, PackedSignatures) and whole.are(found, changed):
        return True
    return plain(watched) == found


def pack_signatures(signatures: Mapping[str, Signature]) -> tuple[bytes, bytes]:
    """What `unpack_signatures` reads: the names, and the numbers."""
    signatures = plain(signatures) if isinstance(signatures, Amended) else signatures
    if isinstance(signatures, PackedSignatures):
        return signatures.packed()
    from memidx.indexing.compact import to_json  # only who writes

    numbers = _numbers(signatures)
    times = (*numbers[1::_N_NUMBERS], *numbers[2::_N_NUMBERS])
    return to_json([*signatures]), _pack_numbers(numbers, max(times, default=0))


def unpack_signatures(names: bytes | memoryview, packed: bytes | memoryview) -> PackedSignatures:
    """The signatures that were packed."""
    kind, data = bytes(packed[:1]), bytes(packed[1:])
    numbers = array("q", data) if kind == _AS_ARRAY else parse_json(data)
    newest_ns = numbers.pop()
    return PackedSignatures(names, numbers, newest_ns)


def _numbers(signatures: Mapping[str, Signature]) -> Numbers:
    numbers = chain.from_iterable(signatures.values())
    try:
        return array("q", numbers)
    except OverflowError:  # some file systems number inodes with all 64 bits
        return [*chain.from_iterable(signatures.values())]


def _pack_numbers(numbers: Numbers, newest_ns: int) -> bytes:
    if isinstance(numbers, array):
        return _AS_ARRAY + numbers.tobytes() + array("q", [newest_ns]).tobytes()
    from memidx.indexing.compact import to_json  # see above

    return _AS_JSON + to_json([*numbers, newest_ns])
