"""Are thousands of files as they were?

A search on an unchanged project asks of the recorded look only that. So signatures are kept as one
array that is compared as a whole.
"""

from __future__ import annotations

import contextlib
import json
from array import array
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from memidx.files import Signature
from memidx.indexing.amended import Amended, plain
from memidx.indexing.packing import to_json

_N_NUMBERS = len(Signature._fields)
_AS_ARRAY, _AS_JSON = b"q", b"j"


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
        self._newest_ns: int | None = None

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
        # A look lists the same files in the same order, so this is how it ends as a rule; who asks
        # again, as an index that is kept open does, is better served by a table.
        if self._table is None and not self._was_compared:
            self._was_compared = True
            if _numbers(other) == self._numbers and to_json([*other]) == self._names:
                return True
        return self.unpacked() == (other if isinstance(other, dict) else dict(other))

    __hash__ = None  # type: ignore[assignment]  # as of every mapping

    def packed(self) -> tuple[bytes, bytes]:
        """As `pack_signatures` gave it."""
        return self._names, _pack_numbers(self._numbers)

    def with_values(self, changed: Mapping[str, Signature]) -> PackedSignatures:
        """The same paths, some of them with another signature; the table is not needed for it.

        Raises:
            ValueError: One of them is not here.
        """
        names = json.loads(self._names)
        numbers = self._numbers[:]
        for path, signature in changed.items():
            place = names.index(path) * _N_NUMBERS
            numbers = _put(numbers, place, signature)
        return PackedSignatures(self._names, numbers)

    def younger(self, limit_ns: int) -> list[str]:
        """Paths whose file was written or moved at a time or later."""
        if self._newest_ns is None:
            times = (self._numbers[1::_N_NUMBERS], self._numbers[2::_N_NUMBERS])
            self._newest_ns = max(map(max, times)) if self._numbers else 0
        return [] if self._newest_ns < limit_ns else _younger(self.unpacked(), limit_ns)

    def unpacked(self) -> dict[str, Signature]:
        """All of them as a dict, made once."""
        if self._table is None:
            rows = zip(*[iter(self._numbers)] * _N_NUMBERS, strict=True)
            self._table = dict(
                zip(json.loads(self._names), map(Signature._make, rows), strict=True)
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
    if isinstance(watched, Amended):
        whole, changed = watched.whole, watched.changed
        if isinstance(whole, PackedSignatures):
            try:
                watched = whole.with_values(changed)
            except ValueError:  # another record's paths: it tells nothing of what was found
                return False
        else:
            watched = plain(watched)
    return watched == found


def pack_signatures(signatures: Mapping[str, Signature]) -> tuple[bytes, bytes]:
    """What `unpack_signatures` reads: the names, and the numbers."""
    signatures = plain(signatures) if isinstance(signatures, Amended) else signatures
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


def _put(numbers: Sequence[int], place: int, signature: Signature) -> Sequence[int]:
    """The numbers with those of one signature replaced."""
    end = place + _N_NUMBERS
    with contextlib.suppress(OverflowError):
        if isinstance(numbers, array):
            numbers[place:end] = array("q", signature)
            return numbers
    return [*numbers[:place], *signature, *numbers[end:]]


def _pack_numbers(numbers: Sequence[int]) -> bytes:
    if isinstance(numbers, array):
        return _AS_ARRAY + numbers.tobytes()
    return _AS_JSON + to_json(numbers)
