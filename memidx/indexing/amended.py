"""What is a recorded look after an edit, when hardly anything in it is another?

An edit changes one of thousands of files, so the look after it is the one before it and what became
of that file. Nothing else is copied, unpacked or compared.
"""

from __future__ import annotations

from collections.abc import Mapping

from memidx.light import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, TypeVar

    _Value = TypeVar("_Value")
else:
    _Value = object


class Amended(Mapping[str, _Value]):
    """A mapping some of whose values are others by now; its keys are the same.

    Args:
        whole: As it was; never an amended one.
        changed: Key -> other value. Every key is one of `whole`.
    """

    __slots__ = ("changed", "whole")

    def __init__(self, whole: Mapping[str, _Value], changed: Mapping[str, _Value]) -> None:
        self.whole = whole
        self.changed = changed

    def __getitem__(self, key: str) -> _Value:
        return self.changed[key] if key in self.changed else self.whole[key]

    def __contains__(self, key: object) -> bool:
        return key in self.whole

    def __iter__(self) -> Iterator[str]:
        return iter(self.whole)

    def __len__(self) -> int:
        return len(self.whole)


def amended(before: Mapping[str, _Value], changed: Mapping[str, _Value]) -> Mapping[str, _Value]:
    """A mapping with other values for some of its keys."""
    if not changed:
        return before
    if isinstance(before, Amended):
        return Amended(before.whole, {**before.changed, **changed})
    return Amended(before, changed)


def shares(before: Mapping[str, _Value], after: Mapping[str, _Value]) -> bool:
    """Whether what two mappings have in common is the very same, so that comparing them is free."""
    return _apart(before)[0] is _apart(after)[0]


def changed_since(
    before: Mapping[str, _Value], after: Mapping[str, _Value]
) -> dict[str, _Value] | None:
    """Entries with another value, or None when the keys are others."""
    if shares(before, after):
        # A key that was changed before, and is not any more, has its first value again.
        touched = dict.fromkeys([*_apart(before)[1], *_apart(after)[1]])
        return {key: after[key] for key in touched if before[key] != after[key]}
    before, after = plain(before), plain(after)
    if before.keys() != after.keys():
        return None
    # Nearly all are the very objects they were: that is quicker to see than that they are equal.
    return {
        key: value
        for key, value in after.items()
        if before[key] is not value and before[key] != value
    }


def plain(values: Mapping[str, _Value]) -> Mapping[str, _Value]:
    """The same as a dict, where that is at hand: thousands of look-ups take half the time."""
    if isinstance(values, Amended):
        return {**plain(values.whole), **values.changed}
    unpacked = getattr(values, "unpacked", None)
    return values if unpacked is None else unpacked()


def _apart(values: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    return (values.whole, values.changed) if isinstance(values, Amended) else (values, {})
