"""A look after an edit is the one before it, but for what changed."""

from __future__ import annotations

import pytest

from memidx.files import Signature
from memidx.indexing.amended import Amended, amended, changed_since
from memidx.indexing.compact import to_json
from memidx.indexing.packing import (
    DocRef,
    KnownFile,
    PackedFiles,
    file_row,
    pack_files,
    paths_with_skips,
)
from memidx.indexing.signatures import (
    are_signatures,
    pack_signatures,
    unpack_signatures,
    younger,
)
from memidx.sources.base import Skip

WHOLE = {"a": 1, "b": 2, "c": 3}
SIGNED = {f"{n}.md": Signature(n, 10 * n, 5, n) for n in range(1, 6)} | {
    '1.md","2.md': Signature(1, 1, 1, 2**63)
}


def test_an_amended_mapping_is_the_changed_one() -> None:
    """In every way a mapping can be asked, after one change and after another."""
    once = amended(WHOLE, {"b": 5})
    twice = amended(once, {"b": 6, "c": 7})
    for found, expected in ((once, WHOLE | {"b": 5}), (twice, WHOLE | {"b": 6, "c": 7})):
        assert isinstance(found, Amended)
        assert found.whole is WHOLE
        assert found == expected == dict(found)
        assert [*found] == [*expected]
        assert len(found) == len(expected)
        assert ("b" in found, "x" in found, found.get("x")) == (True, False, None)
    assert amended(WHOLE, {}) is WHOLE


@pytest.mark.parametrize("before", [WHOLE, amended(WHOLE, {"a": 9})])
@pytest.mark.parametrize(
    "after", [WHOLE, amended(WHOLE, {"b": 5}), amended(WHOLE, {"a": 9, "c": 3}), {**WHOLE, "c": 0}]
)
def test_what_changed_is_what_differs(before: dict[str, int], after: dict[str, int]) -> None:
    """Over one whole mapping, or compared value by value; what changed and changed back, too."""
    expected = {key: after[key] for key in after if before[key] != after[key]}
    assert changed_since(before, after) == expected
    assert changed_since(before, {"a": 1}) is None


def test_amended_signatures_are_compared_as_a_whole() -> None:
    """Packed or not, with numbers of any size; a path that is not there makes them others."""
    packed = unpack_signatures(*pack_signatures(SIGNED))
    narrow = {path: sign for path, sign in SIGNED.items() if sign.inode < 2**63}
    for whole in (SIGNED, packed, narrow, unpack_signatures(*pack_signatures(narrow))):
        for number in (7, 2**64 - 1):
            changed = {"2.md": Signature(9, 8, 7, number)}
            later = amended(whole, changed)
            assert are_signatures(later, {**whole, **changed})
            assert not are_signatures(later, {**whole})
            assert not are_signatures(later, {**whole, **changed, "5.md": Signature(0, 0, 0, 0)})
            assert unpack_signatures(*pack_signatures(later)) == {**whole, **changed}
            assert are_signatures(whole, {**whole})
    assert not are_signatures(Amended(packed, {"x.md": Signature(1, 1, 1, 1)}), SIGNED)


def test_young_files_are_found_in_an_amended_look() -> None:
    """Those that changed count as they are by now."""
    for whole in (SIGNED, unpack_signatures(*pack_signatures(SIGNED))):
        later = amended(whole, {"5.md": Signature(1, 1, 1, 1), "1.md": Signature(1, 1, 99, 1)})
        assert younger(later, 40) == ["4.md", "1.md"]
        assert younger(later, 100) == []


def test_known_files_are_packed_without_the_others_being_unpacked() -> None:
    """The rows of files that did not change are the bytes they were."""
    skip = Skip("b.md", "cut")
    files = {
        name: KnownFile("docs", name, "d", (), (skip,) if name == "b.md" else ())
        for name in ("a.md", "b.md", "c.md")
    }
    paths, rows = pack_files(files)
    changed = {
        "b.md": KnownFile("docs", "b.md", "e", ()),
        "c.md": KnownFile("docs", "c.md", "f", (), (skip,)),
    }
    later = amended(PackedFiles(paths, rows, paths_with_skips(files)), changed)
    assert paths_with_skips(later) == ["c.md"] == paths_with_skips({**files, **changed})
    assert pack_files(later) == pack_files({**files, **changed})


def test_files_are_packed_as_json() -> None:
    """Row by row, whatever stands in names, and whether anything was skipped."""
    skip = Skip("a.md", "is empty", 3, "docs")
    files = {
        "a.md": KnownFile('so"urce', "a\\b\udcff.md", "0f", (DocRef("a\n#é", "s", 1),)),
        "b.md": KnownFile("docs", "b.md", "0f", (DocRef("b", "s", 1), DocRef("c", "t", 20)), ()),
        "c.md": KnownFile("docs", "c.md", "0f", (), (skip,)),
        "d.md": KnownFile("docs", "d.md", "0f", ()),
    }
    assert pack_files(files)[1] == b"\n".join(to_json(file_row(file)) for file in files.values())
