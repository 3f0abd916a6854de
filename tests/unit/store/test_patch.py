"""Which of several obstacles is named, and what a patch holds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args

import pytest

from memidx.store.layout import layout, sort_key
from memidx.store.manifest import manifest_bytes
from memidx.store.patch import Current, Decline, DeclineReason, Patch, Wanted, decide_patch
from memidx.store.reader import Damage
from tests.unit.store.helpers import MANIFEST, make_doc, make_lines, numbered

OLD = numbered(5)
EDITED = OLD | make_lines([make_doc("notes/003.md", "edited\n")])
NEW = make_lines([make_doc("new.md")])


def shard_of(lines: dict[str, bytes]) -> bytes:
    """One shard of some lines, in the order of their hashes."""
    return b"".join(lines[doc_id] for doc_id in sorted(lines, key=sort_key))


def current(lines: dict[str, bytes] = OLD, **changes: Any) -> Current:
    """A sound store of one shard."""
    values: dict[str, Any] = {
        "manifest": manifest_bytes(replace(MANIFEST, shards=("docs.jsonl",))),
        "sizes": {"docs.jsonl": len(shard_of(lines))},
        "lines": lines,
        **changes,
    }
    return Current(**values)


def decide(store: Current, lines: dict[str, bytes], **wanted: Any) -> Patch | Decline:
    """The decision, when the shard holds what was read."""
    values: dict[str, Any] = {"manifest": MANIFEST, "lines": lines, **wanted}
    return decide_patch(store, Wanted(**values), lambda name: shard_of(dict(store.lines)))


def test_a_patch_holds_both_shards_and_the_address() -> None:
    """The line's place in the order of hashes, the bytes before and after."""
    patch = decide(current(), EDITED)
    assert isinstance(patch, Patch)
    place = sorted(OLD, key=sort_key).index("notes/003.md")
    assert (patch.shard, patch.number, patch.doc_id) == ("docs.jsonl", place + 1, "notes/003.md")
    assert (patch.before, patch.after) == (shard_of(OLD), shard_of(EDITED))
    assert patch.shards == ("docs.jsonl",)


DAMAGE = (Damage("/store/docs.jsonl", 2, "its checksum does not match"),)
OTHER = replace(MANIFEST, sources=({"name": "other"},))


@pytest.mark.parametrize(
    ("store", "lines", "wanted", "expected"),
    [
        # An obstacle is named before those below it.
        (current(manifest=None, damage=DAMAGE), NEW, {}, "missing_index_file"),
        (current(sizes={}, damage=DAMAGE), NEW, {}, "missing_index_file"),
        (current(manifest=b"{}", sizes={}), NEW, {}, "invalid_index_shape"),
        (current(damage=DAMAGE), NEW, {"manifest": OTHER}, "invalid_index_shape"),
        (current(), EDITED, {"manifest": OTHER}, "source_set_changed"),
        (current(), OLD | NEW, {}, "source_set_changed"),
        (current(), OLD | NEW, {"known": {"other.md"}}, "source_set_changed"),
        (current(), OLD | NEW, {"known": {"new.md"}}, "missing_doc_entry"),
        (current(OLD | NEW), OLD, {}, "source_set_changed"),
        (
            current(OLD | NEW),
            OLD,
            {"unusable": {"new.md": "is empty"}},
            "changed_doc_unreadable_or_empty",
        ),
        (current(OLD | NEW), EDITED, {"unusable": {"new.md": "is empty"}}, "source_set_changed"),
        (current(), OLD, {"cap": 10}, "eligible_only_single_changed_doc"),
        (current(), EDITED, {"cap": 10}, "layout_would_change"),
        (current(), EDITED, {"cap": 1000}, "layout_would_change"),
    ],
)
def test_the_first_obstacle_is_named(
    store: Current, lines: dict[str, bytes], wanted: dict[str, Any], expected: str
) -> None:
    """Whether there is a store, a sound one, of the same documents, with one edit, that stays."""
    decision = decide(store, lines, **wanted)
    assert isinstance(decision, Decline)
    assert decision.reason == expected
    assert decision.detail


def test_a_shard_of_another_size_is_not_the_one_that_was_read() -> None:
    """Every shard is looked at, though only one is patched: the others must be as they were."""
    plan = layout(((doc_id, len(line)) for doc_id, line in OLD.items()), 500)
    sizes = {name: sum(len(OLD[d]) for d in doc_ids) for name, doc_ids in plan.items()}
    manifest = manifest_bytes(replace(MANIFEST, shards=tuple(plan)))

    def read(name: str) -> bytes:
        return b"".join(OLD[doc_id] for doc_id in plan[name])

    sound = current(manifest=manifest, sizes=sizes)
    wanted = Wanted(MANIFEST, EDITED, cap=500)
    patch = decide_patch(sound, wanted, read)
    assert isinstance(patch, Patch)
    other = next(name for name in plan if name != patch.shard)
    changed = replace(sound, sizes={**sizes, other: sizes[other] + 1})
    decision = decide_patch(changed, wanted, read)
    assert isinstance(decision, Decline)
    assert (decision.reason, other in decision.detail) == ("invalid_index_shape", True)


def test_every_name_is_on_the_page(repository: Any) -> None:
    """`docs/store-format.md` has a row for each reason, and no row for another."""
    page = (repository / "docs" / "store-format.md").read_text(encoding="utf-8")
    section = page.partition("## One line by sed")[2].partition("\n## ")[0]
    rows = [line.split("|")[1].strip(" `") for line in section.split("\n") if line[:3] == "| `"]
    assert rows == list(get_args(DeclineReason))
