"""Three versions of a store's file merge by document, and what cannot is left as git leaves it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memidx.errors import InputError, StoreCorrupt, StoreError
from memidx.store.driver import merge_file
from memidx.store.layout import sort_key
from memidx.store.manifest import Manifest, manifest_bytes, parse_manifest
from memidx.store.merge import merge_lines, merge_manifests, merge_shard, parse_shard
from tests.unit.store.helpers import MANIFEST, make_doc, make_lines, numbered


def shard(lines: dict[str, bytes]) -> bytes:
    """The bytes of a file with these lines."""
    return b"".join(lines[doc_id] for doc_id in sorted(lines, key=sort_key))


def one(doc_id: str, text: str) -> dict[str, bytes]:
    """A single note."""
    return make_lines([make_doc(doc_id, text)])


BASE = numbered(20)
VERSIONS = st.dictionaries(st.sampled_from([f"{n}.md" for n in range(6)]), st.sampled_from("abc"))


@given(VERSIONS, VERSIONS, VERSIONS)
def test_each_document_goes_the_way_of_the_side_that_changed_it(
    base: dict[str, str], ours: dict[str, str], theirs: dict[str, str]
) -> None:
    """The table of three-way merges, a document at a time: same, one side's, or a clash."""
    sides = [
        {d: make_lines([make_doc(d, text)])[d] for d, text in side.items()}
        for side in (base, ours, theirs)
    ]
    merged, clashes = merge_lines(*sides)
    clashing = {clash.doc_id for clash in clashes}
    for doc_id in {*base, *ours, *theirs}:
        was, mine, other = base.get(doc_id), ours.get(doc_id), theirs.get(doc_id)
        if mine == other:
            wanted = mine
        elif mine == was:
            wanted = other
        elif other == was:
            wanted = mine
        else:
            assert doc_id in clashing
            assert doc_id not in merged
            continue
        assert doc_id not in clashing
        found = merged.get(doc_id)
        assert found == (None if wanted is None else one(doc_id, wanted)[doc_id])


def test_neighbours_that_git_cannot_merge_are_no_conflict() -> None:
    """Every line changed on one side or the other, hunk beside hunk: both changes are there."""
    ours = BASE | {d: numbered(20, "ours")[d] for d in sorted(BASE, key=sort_key)[::2]}
    theirs = BASE | {d: numbered(20, "theirs")[d] for d in sorted(BASE, key=sort_key)[1::2]}
    merged = merge_shard("docs.jsonl", shard(BASE), shard(ours), shard(theirs))
    assert merged.clean
    wanted = {d: ours[d] if ours[d] != BASE[d] else theirs[d] for d in BASE}
    assert merged.data == shard(wanted)


def test_a_clash_stands_between_markers_in_its_place() -> None:
    """As git writes it, with the asked length; a side that removed the document has no line."""
    first, second = sorted(BASE, key=sort_key)[:2]
    ours = BASE | one(first, "mine")
    theirs = {d: line for d, line in (BASE | one(first, "other")).items() if d != second}
    ours |= one(second, "edited")
    found = merge_shard("docs.jsonl", shard(BASE), shard(ours), shard(theirs), marker_size=9)
    assert [clash.doc_id for clash in found.clashes] == [first, second]
    assert not found.clean
    assert found.data.split(b"\n")[:9] == [
        b"<<<<<<<<< ours",
        ours[first][:-1],
        b"=========",
        theirs[first][:-1],
        b">>>>>>>>> theirs",
        b"<<<<<<<<< ours",
        ours[second][:-1],
        b"=========",
        b">>>>>>>>> theirs",
    ]


def test_a_shard_that_passes_the_cap_is_not_clean() -> None:
    """Nothing is missing from it, but a build has to split it."""
    ours, theirs = BASE | one("a.md", "a" * 200), BASE | one("b.md", "b" * 200)
    both = shard(ours | theirs)
    fits = merge_shard("docs.jsonl", shard(BASE), shard(ours), shard(theirs), cap=len(both))
    assert fits.clean
    past = merge_shard("docs.jsonl", shard(BASE), shard(ours), shard(theirs), cap=len(both) - 1)
    assert (past.data, past.clashes, past.too_large, past.clean) == (both, (), True, False)


def test_two_new_stores_are_joined() -> None:
    """Each branch built its first store: there is no ancestor, and no document was removed."""
    found = merge_shard("docs.jsonl", b"", shard(one("a.md", "a")), shard(one("b.md", "b")))
    assert found.clean
    assert found.data == shard(one("a.md", "a") | one("b.md", "b"))


def test_two_splits_of_one_file_are_left_to_the_sources() -> None:
    """Without the ancestor's lines, what one side alone has may be what the other removed."""
    found = merge_shard("docs-3.jsonl", b"", shard(BASE), shard(BASE | one("new.md", "n")))
    assert [clash.doc_id for clash in found.clashes] == ["new.md"]
    same = merge_shard("docs-3.jsonl", b"", shard(BASE), shard(BASE))
    assert same.clean


def test_an_ancestor_with_a_conflict_in_it_decides_nothing() -> None:
    """Crosswise merges have such an ancestor: the document clashes unless both sides agree."""
    doc_id = next(iter(BASE))
    versions = [one(doc_id, text)[doc_id] for text in ("ours", "theirs", "third")]
    rest = {d: line for d, line in BASE.items() if d != doc_id}
    base = b"<<<<<<< a\n" + versions[0] + b"=======\n" + versions[1] + b">>>>>>> b\n" + shard(rest)
    sides = [shard(rest | {doc_id: line}) for line in (versions[0], versions[2])]
    assert [c.doc_id for c in merge_shard("docs.jsonl", base, *sides).clashes] == [doc_id]
    assert merge_shard("docs.jsonl", base, sides[0], sides[0]).data == sides[0]


@pytest.mark.parametrize("side", [0, 1, 2])
def test_a_damaged_version_is_not_merged(side: int) -> None:
    """A line that is not what was written is named by side and number, not passed on."""
    versions = [shard(BASE)] * 3
    versions[side] = versions[side].replace(b"locks", b"LOCKS", 1)
    with pytest.raises(StoreCorrupt, match="checksum") as error:
        merge_shard("docs.jsonl", *versions)
    assert error.value.path == f"docs.jsonl ({('base', 'ours', 'theirs')[side]})"
    assert error.value.line == 1


def test_damage_can_be_passed_over() -> None:
    """Where sources can heal, a damaged line is reported and the rest is read."""
    data = shard(BASE).replace(b"locks", b"LOCKS", 1)
    damaged: list[StoreCorrupt] = []
    lines = parse_shard(data, "docs.jsonl", damaged=damaged)
    assert len(lines) == len(BASE) - 1
    assert [error.line for error in damaged] == [1]


def test_manifests_merge_setting_by_setting() -> None:
    """A name from one side, sources from the other, shards of two splits."""
    base = replace(MANIFEST, shards=("docs-0.jsonl", "docs-5.jsonl"))
    ours = replace(
        base, project_name="new", shards=("docs-01.jsonl", "docs-02.jsonl", "docs-5.jsonl")
    )
    theirs = replace(base, sources=(), shards=("docs-0.jsonl", "docs-51.jsonl"))
    assert merge_manifests(base, ours, theirs) == Manifest(
        project_name="new",
        framework="",
        sources=(),
        shards=("docs-01.jsonl", "docs-02.jsonl", "docs-51.jsonl"),
    )


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ({"project_name": "a"}, {"project_name": "b"}),
        ({"sources": ()}, {"sources": ({"name": "x"},)}),
        ({"shards": ("docs.jsonl",)}, {"shards": ("docs-0.jsonl",)}),
    ],
    ids=["name", "sources", "a shard inside another"],
)
def test_manifests_that_contradict_each_other(
    ours: dict[str, object], theirs: dict[str, object]
) -> None:
    """Nobody's word is taken, and no two shards hold the same documents."""
    sides = [replace(MANIFEST, **side) for side in (ours, theirs)]  # type: ignore[arg-type]
    assert merge_manifests(MANIFEST, *sides) is None


def write_versions(folder: Path, *versions: bytes) -> list[str]:
    """The three files git hands over."""
    paths = [folder / name for name in (".merge_base", ".merge_ours", ".merge_theirs")]
    for path, data in zip(paths, versions, strict=True):
        path.write_bytes(data)
    return [str(path) for path in paths]


def test_the_driver_writes_over_ours_alone(tmp_path: Path) -> None:
    """The result is where git reads it, and nothing else is left in the folder."""
    ours, theirs = BASE | one("a.md", "a"), BASE | one("b.md", "b")
    paths = write_versions(tmp_path, shard(BASE), shard(ours), shard(theirs))
    assert merge_file(*paths, "memory/store/docs.jsonl", marker_size=7)
    assert (tmp_path / ".merge_ours").read_bytes() == shard(ours | theirs)
    assert len(list(tmp_path.iterdir())) == 3


def test_the_driver_merges_a_manifest(tmp_path: Path) -> None:
    """The merged manifest is one that can be read; a contradiction leaves ours as it was."""
    base, ours = manifest_bytes(MANIFEST), manifest_bytes(replace(MANIFEST, framework="f"))
    theirs = manifest_bytes(replace(MANIFEST, project_name="new"))
    paths = write_versions(tmp_path, base, ours, theirs)
    assert merge_file(*paths, "store/manifest.json", marker_size=7) is None
    merged = parse_manifest((tmp_path / ".merge_ours").read_bytes(), "manifest.json")
    assert merged == replace(MANIFEST, framework="f", project_name="new")
    paths = write_versions(tmp_path, base, manifest_bytes(Manifest("other")), theirs)
    with pytest.raises(StoreError, match="both sides"):
        merge_file(*paths, "store/manifest.json", marker_size=7)
    assert (tmp_path / ".merge_ours").read_bytes() == manifest_bytes(Manifest("other"))


def test_the_driver_merges_no_other_file(tmp_path: Path) -> None:
    """An attribute on the wrong path must not merge prose by checksum."""
    paths = write_versions(tmp_path, b"a\n", b"b\n", b"c\n")
    with pytest.raises(InputError, match="no file of a store"):
        merge_file(*paths, "docs/notes.jsonl", marker_size=7)
