"""The recorded look survives its own file, and nothing else passes for it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memidx.files import Signature
from memidx.indexing.packing import DocRef, KnownFile, pack
from memidx.indexing.signatures import pack_signatures, unpack_signatures, younger
from memidx.indexing.state import RACY_NS, State, read_state
from memidx.sources.base import Skip

STATE = State(
    root="/r",
    settings="s",
    recorded_ns=10 * RACY_NS,
    watched={"a.md": Signature(1, 2, 3, 4), "new.md": Signature(1, 10 * RACY_NS - 1, 3, 4)},
    bases_failed={"x": "is not there"},
    files={
        "a.md": KnownFile("docs", "a.md", "d", (DocRef("a.md", "0", 1),), (Skip("a.md", "cut"),))
    },
    tokens={"git:.": "at 0123", "sql:x": None},
    failed={"notes": "x: is not there"},
    skips=(Skip("b\udcff.md", "the name is not UTF-8", None, "docs"),),
    unsupported={".py": 3},
    store={"manifest.json": Signature(5, 6, 7, 8)},
    damage=(("store/docs.jsonl", 3, "cut"),),
    snapshot="k-a",
    unlike={"a.md": "00", "b.md": None},
)


def test_what_is_written_is_read() -> None:
    """Every field comes back, undecodable names too."""
    assert read_state(STATE.to_bytes()) == STATE


def test_documents_of_a_feed_are_packed() -> None:
    """They come back as they were, however many there are, when somebody asks for them."""
    docs = (DocRef("git:a b#01", "0f", 1), DocRef("git:a b#02", "1f", 1))
    state = replace(STATE, files={"git:a b": KnownFile("commits", "", "at 01", pack(docs))})
    again = read_state(state.to_bytes())
    assert again is not None
    known = again.files["git:a b"]
    assert (len(known.docs), tuple(known.docs), known.docs[1]) == (2, docs, docs[1])
    assert again.to_bytes() == state.to_bytes()
    assert len(pack(())) == 0
    assert tuple(pack(())) == ()


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b"{}", b"null", STATE.to_bytes()[:-20], b'{"version": 99}']
)
def test_damaged_or_foreign_bytes_are_no_state(data: bytes) -> None:
    """Then everything is looked at anew; nothing is believed by half."""
    assert read_state(data) is None


def test_an_entry_changed_just_before_it_was_recorded_is_racy() -> None:
    """Two seconds, as git allows for coarse clocks."""
    assert STATE.racy() == ["new.md"]


def test_signatures_are_compared_as_a_whole_and_in_any_order() -> None:
    """Equal are the same paths with the same numbers, however many bits these take."""
    wide = {"a": Signature(1, -2, 3, 2**64 - 1), "\udcff\n": Signature(5, 6, 7, 8)}
    for signatures in (STATE.watched, wide, {}):
        packed = unpack_signatures(*pack_signatures(signatures))
        assert packed == signatures
        assert signatures == packed
        assert packed == dict(reversed(signatures.items()))
        assert dict(packed) == signatures
        assert pack_signatures(packed) == pack_signatures(signatures)
        assert packed != {**signatures, "b": Signature(1, 2, 3, 4)}
        for path, signature in signatures.items():
            assert packed != {**signatures, path: signature._replace(inode=0)}
            assert packed != {path + "x": signatures[path] for path in signatures}
    for limit, found in ((7, ["\udcff\n"]), (8, []), (3, ["a", "\udcff\n"])):
        assert younger(unpack_signatures(*pack_signatures(wide)), limit) == found
        assert younger(wide, limit) == found
    assert younger(unpack_signatures(*pack_signatures({})), 0) == []


def test_what_was_read_is_written_as_it_was() -> None:
    """A record that comes from a record has its bytes, unpacked by then or not."""
    again = read_state(STATE.to_bytes())
    assert again is not None
    assert again.racy() == STATE.racy()
    assert [*again.file_skips()] == [Skip("a.md", "cut")] == [*STATE.file_skips()]
    assert again.files["a.md"].docs == (DocRef("a.md", "0", 1),)
    assert "b.md" not in again.files
    assert again.to_bytes() == STATE.to_bytes()


def test_no_flipped_byte_passes() -> None:
    """One byte that differs anywhere makes it no record at all."""
    data = STATE.to_bytes()
    for place in range(len(data)):
        damaged = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
        assert read_state(damaged) is None


def test_a_record_without_racy_files_says_so_at_once() -> None:
    """The newest time alone tells."""
    later = read_state(replace(STATE, recorded_ns=100 * RACY_NS).to_bytes())
    assert later is not None
    assert later.racy() == []
