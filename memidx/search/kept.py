"""What is kept of results that cost more to work out than to look up?

What was asked for last stays, within a bound in bytes. Values live in two generations: a value
that is asked for moves to the younger one, and when that one is half of what may be kept, it
becomes the older one and what the older one still held is let go. So nothing has to be moved or
counted when a value is found, which is what nearly every call does.
"""

from __future__ import annotations

from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class Kept(Generic[Key, Value]):
    """Values by key, those that were asked for last.

    Args:
        max_bytes: What all of them may take together.

    Attributes:
        young: Key -> value and its size, of the younger generation: looked at first, in place of
            calling `get`, where that matters.
    """

    __slots__ = ("_max_young", "_old", "_young_bytes", "young")

    def __init__(self, max_bytes: int) -> None:
        self._max_young = max_bytes // 2
        self.young: dict[Key, tuple[Value, int]] = {}
        self._old: dict[Key, tuple[Value, int]] = {}
        self._young_bytes = 0

    def __len__(self) -> int:
        return len(self.young) + len(self._old)

    @property
    def size_bytes(self) -> int:
        """What is kept, as those who put it there counted it."""
        return self._young_bytes + sum(size for _, size in self._old.values())

    def get(self, key: Key) -> Value | None:
        """The value of a key, or None when it is not kept."""
        found = self.young.get(key)
        if found is not None:
            return found[0]
        found = self._old.pop(key, None)
        if found is None:
            return None
        self.put(key, *found)
        return found[0]

    def put(self, key: Key, value: Value, size_bytes: int) -> None:
        """Keep a value; one that is too large for its generation is not kept."""
        if size_bytes > self._max_young:
            return
        if self._young_bytes + size_bytes > self._max_young:
            self._old, self.young, self._young_bytes = self.young, {}, 0
        self.young[key] = (value, size_bytes)
        self._young_bytes += size_bytes
