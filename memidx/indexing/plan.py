"""What has to change for the index to hold what the sources hold?

Pure: stored checksums and a scan in, a plan out. `build --check` asks whether it is empty, a
search applies it beside the store, `build` applies it to the shards, and damage heals because a
damaged line counts as missing.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence

from memidx.indexing.packing import DocRef, KnownFile
from memidx.values import Value, field


class Plan(Value):
    """Edits from the store to the sources, by `doc_id` in ascending order.

    Attributes:
        added: New documents.
        changed: Documents whose line differs.
        removed: Documents no source has any more.
        origin: Added or changed `doc_id` -> identity path of its file.
        lines: `doc_id` -> line where it begins in its file, for every document that is kept,
            added or changed and whose file was seen.
        stored: `doc_id` -> checksum of its line in the store, for what is changed or removed.
    """

    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    origin: Mapping[str, str]
    lines: Mapping[str, int]
    stored: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether store and sources agree."""
        return not (self.added or self.changed or self.removed)

    def done(self) -> Plan:
        """The plan after it was applied: nothing left to do."""
        return Plan((), (), (), {}, self.lines)

    @property
    def size(self) -> int:
        """Documents the plan touches."""
        return len(self.added) + len(self.changed) + len(self.removed)

    def touched(self) -> tuple[str, ...]:
        """Every `doc_id` the plan names."""
        return (*self.added, *self.changed, *self.removed)


def make_plan(
    stored: Mapping[str, str],
    files: Mapping[str, KnownFile],
    *,
    kept_source: Callable[[str], bool],
) -> Plan:
    """Compare.

    Args:
        stored: `doc_id` -> checksum of its line in the store, damaged lines left out.
        files: Identity path -> what the file became.
        kept_source: Whether a stored document that no file gives stays all the same, because
            its source failed: it is missing from the look, not from the world.
    """
    wanted: dict[str, tuple[DocRef, str]] = {}
    for path, known in files.items():
        for ref in known.docs:
            wanted[ref.doc_id] = (ref, path)
    added, changed = [], []
    for doc_id, (ref, _) in wanted.items():
        # Not by `get`, which makes an error and catches it for each that is not there.
        if doc_id not in stored:
            added.append(doc_id)
        elif stored[doc_id] != ref.sum:
            changed.append(doc_id)
    removed = [doc_id for doc_id in stored if doc_id not in wanted and not kept_source(doc_id)]
    return Plan(
        added=tuple(sorted(added)),
        changed=tuple(sorted(changed)),
        removed=tuple(sorted(removed)),
        origin={doc_id: wanted[doc_id][1] for doc_id in (*added, *changed)},
        lines={doc_id: ref.line for doc_id, (ref, _) in wanted.items()},
        stored={doc_id: stored[doc_id] for doc_id in (*changed, *removed)},
    )


def newest(
    added: Iterable[str], stored: Container[str], follows: Mapping[str, Sequence[str]]
) -> tuple[str, ...]:
    """Those added documents that no stored one builds on: what came after the store was written.

    Args:
        added: As in a plan.
        stored: Documents of the store.
        follows: `doc_id` -> the documents it builds on, for every document of the feeds that grow
            by themselves.
    """
    built_on: set[str] = set()
    todo = [doc_id for doc_id in follows if doc_id in stored]
    while todo:
        for below in follows.get(todo.pop(), ()):
            if below not in built_on:
                built_on.add(below)
                todo.append(below)
    return tuple(doc_id for doc_id in added if doc_id in follows and doc_id not in built_on)
