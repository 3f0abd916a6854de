"""What is kept of results that cost more to work out than to look up?

What was asked for last stays, within a bound in bytes. Values live in two generations: one that is
asked for moves to the younger, and where room is needed, the older loses what came to it first.
When nothing is left of the older one, the younger becomes it. So nothing has to be moved or counted
when a value of the younger is found, which is what nearly every call does.
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
        size_bytes: What is kept, as those who put it there counted it.
    """

    __slots__ = ("_max_bytes", "_old", "size_bytes", "young")

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self.young: dict[Key, tuple[Value, int]] = {}
        self._old: dict[Key, tuple[Value, int]] = {}
        self.size_bytes = 0

    def __len__(self) -> int:
        return len(self.young) + len(self._old)

    def get(self, key: Key) -> Value | None:
        """The value of a key, or None when it is not kept."""
        found = self.young.get(key)
        if found is None:
            found = self._old.pop(key, None)
            if found is None:
                return None
            self.young[key] = found
        return found[0]

    def put(self, key: Key, value: Value, size_bytes: int) -> None:
        """Keep a value in place of what was kept by its key; one that is too large is not kept."""
        known = self.young.pop(key, None) or self._old.pop(key, None)
        if known is not None:
            self.size_bytes -= known[1]
        if size_bytes > self._max_bytes // 2:
            return
        while self.size_bytes + size_bytes > self._max_bytes:
            if not self._old:
                self._old, self.young = self.young, {}
            first = next(iter(self._old))
            self.size_bytes -= self._old.pop(first)[1]
        self.young[key] = (value, size_bytes)
        self.size_bytes += size_bytes
