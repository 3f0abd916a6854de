"""An edit is recorded beside the whole look, and counts for that look alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memidx.files import Signature
from memidx.indexing import state_edit
from memidx.indexing.packing import DocRef, KnownFile
from memidx.indexing.state import State
from memidx.indexing.state_edit import apply_edit, encode_edit
from tests.unit.indexing.test_state import STATE

EDITED = replace(
    STATE,
    recorded_ns=STATE.recorded_ns + 5,
    snapshot="l-a",
    unlike={"a.md": "00"},
    unsupported={".py": 4},
    store={"manifest.json": Signature(5, 6, 9, 9), "docs.jsonl": Signature(1, 1, 1, 1)},
    watched={**STATE.watched, "a.md": Signature(9, 9, 9, 9)},
    files={"a.md": KnownFile("docs", "a.md", "e", (DocRef("a.md", "1", 1),))},
)


def test_a_whole_look_and_an_edit_are_the_later_look() -> None:
    """What changed is in the small record, and the rest in the large one."""
    data = encode_edit(STATE, EDITED)
    assert data is not None
    assert b"new.md" not in data
    assert apply_edit(STATE, data) == EDITED


@pytest.mark.parametrize(
    "other",
    [
        replace(EDITED, watched={"a.md": Signature(9, 9, 9, 9)}),
        replace(EDITED, files={}),
        replace(EDITED, failed={}),
        replace(EDITED, damage=()),
    ],
    ids=["a file less", "a known file less", "a source", "damage"],
)
def test_what_is_more_than_edits_is_recorded_whole(other: State) -> None:
    """A set that changed, a source that failed or damage: there is no small record."""
    assert encode_edit(STATE, other) is None


def test_many_edits_are_recorded_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """The small record stays small."""
    monkeypatch.setattr(state_edit, "MAX_EDITED", 1)
    assert encode_edit(STATE, EDITED) is None


def test_an_edit_of_another_look_does_not_count() -> None:
    """Another process recorded the whole look anew since."""
    data = encode_edit(STATE, EDITED)
    assert data is not None
    assert apply_edit(replace(STATE, recorded_ns=1), data) is None


def test_no_flipped_byte_of_an_edit_is_believed() -> None:
    """Each single byte is covered by the digest."""
    data = encode_edit(STATE, EDITED)
    assert data is not None
    for place in range(len(data)):
        flipped = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
        assert apply_edit(STATE, flipped) is None
