"""The layout is a pure function of (doc_id, size), capped, in hash order."""

from __future__ import annotations

import random
from hashlib import blake2b

import pytest

from memidx.errors import InputError
from memidx.store import shard_name, shard_prefix
from memidx.store.layout import SHARD_CAP_BYTES, layout, sort_key


def _hash(doc_id: str) -> str:
    return blake2b(doc_id.encode(), digest_size=8).hexdigest()


def _with_prefix(prefix: str, n: int) -> list[str]:
    """The first `n` ids of the form `N.md` whose hash begins with `prefix`."""
    found: list[str] = []
    number = 0
    while len(found) < n:
        if _hash(f"{number}.md").startswith(prefix):
            found.append(f"{number}.md")
        number += 1
    return found


def test_the_cap_is_twenty_mebibytes() -> None:
    """Exactly 20 * 2**20 bytes."""
    assert SHARD_CAP_BYTES == 20_971_520


def test_no_documents_are_no_file() -> None:
    """An empty file is always damage, so an empty store has none."""
    assert layout([]) == {}


def test_lines_are_in_order_of_their_hash() -> None:
    """The order is by hash of the doc_id, so neighbours in name are not neighbours in file."""
    doc_ids = [f"{i}.md" for i in range(100)]
    assert layout((d, 10) for d in doc_ids) == {"docs.jsonl": sorted(doc_ids, key=_hash)}


def test_the_cap_is_the_last_size_that_fits() -> None:
    """At the cap one file, one byte above it several."""
    doc_ids = [f"{i}.md" for i in range(10)]
    assert list(layout(((d, 10) for d in doc_ids), 100)) == ["docs.jsonl"]
    sizes = [(d, 10) for d in doc_ids[:-1]] + [(doc_ids[-1], 11)]
    assert "docs.jsonl" not in layout(sizes, 100)


def test_a_shard_holds_what_its_name_says() -> None:
    """Each document is in the file that its hash begins with; files follow in hash order."""
    doc_ids = [f"{i}.md" for i in range(500)]
    shards = layout(((d, 10) for d in doc_ids), 400)
    assert [d for names in shards.values() for d in names] == sorted(doc_ids, key=_hash)
    for name, members in shards.items():
        prefix = shard_prefix(name)
        assert prefix
        assert members
        assert all(_hash(d).startswith(prefix) for d in members)
        assert len(members) * 10 <= 400
    assert list(shards) == sorted(shards)


def test_only_a_prefix_above_the_cap_is_split_again() -> None:
    """Sixteen files at first; the one that grows becomes its sixteen, the others stay."""
    doc_ids = [d for digit in "0123456789abcdef" for d in _with_prefix(digit, 2)]
    sixteen = layout(((d, 10) for d in doc_ids), 40)
    assert list(sixteen) == [f"docs-{digit}.jsonl" for digit in "0123456789abcdef"]
    grown = layout(((d, 10) for d in {*doc_ids, *_with_prefix("3", 6)}), 40)
    assert "docs-3.jsonl" not in grown
    assert {name for name in grown if name.startswith("docs-3")} == {
        f"docs-3{_hash(d)[1]}.jsonl" for d in _with_prefix("3", 6)
    }
    assert {n: m for n, m in grown.items() if not n.startswith("docs-3")} == {
        n: m for n, m in sixteen.items() if n != "docs-3.jsonl"
    }


def test_documents_of_one_prefix_are_split_as_deep_as_needed() -> None:
    """When every hash begins alike the names grow longer, and there are no empty files."""
    doc_ids = _with_prefix("ab", 4)
    shards = layout(((d, 10) for d in doc_ids), 15)
    assert all(name.startswith("docs-ab") for name in shards)
    assert all(len(members) == 1 for members in shards.values())


def test_the_order_of_the_input_does_not_matter() -> None:
    """Shuffled input, same layout."""
    sizes = [(f"{i}.md", 10 + i % 7) for i in range(300)]
    expected = layout(sizes, 500)
    random.Random(1).shuffle(sizes)
    assert layout(sizes, 500) == expected


def test_a_line_above_the_cap_is_refused_by_name() -> None:
    """A document no shard can hold is named, with both sizes."""
    with pytest.raises(InputError, match="too large") as caught:
        layout([("a.md", 5), ("big.md", 101)], 100)
    assert (caught.value.path, caught.value.found) == ("big.md", "101 bytes")


def test_one_file_on_request_is_refused_above_the_cap() -> None:
    """`shard=False` does not silently make more files, and is fine below the cap."""
    sizes = [(f"{i}.md", 10) for i in range(11)]
    with pytest.raises(InputError, match="do not fit one file"):
        layout(sizes, 100, shard=False)
    assert list(layout(sizes[:10], 100, shard=False)) == ["docs.jsonl"]


@pytest.mark.parametrize("prefix", ["", "0", "3f", "0123456789abcdef"])
def test_names_and_prefixes_translate_both_ways(prefix: str) -> None:
    """A shard's name says which hashes it holds."""
    assert shard_prefix(shard_name(prefix)) == prefix


@pytest.mark.parametrize(
    "name",
    [
        "docs-.jsonl",
        "docs-g.jsonl",
        "docs-A.jsonl",
        "docs.jsonl.tmp",
        "x/docs.jsonl",
        "manifest.json",
        "docs-0123456789abcdef0.jsonl",
        "docs.json",
        "DOCS.jsonl",
        "docs.jsonl\n",
    ],
)
def test_other_names_are_no_shards(name: str) -> None:
    """Nothing else in the folder is taken for a shard."""
    assert shard_prefix(name) is None


def test_the_sort_key_is_the_documented_hash() -> None:
    """BLAKE2b with 8 bytes over the UTF-8 of the doc_id; RFC 7693's function, known answer."""
    assert sort_key("a.md") == (_hash("a.md"), "a.md")
    assert sort_key("é.md")[0] == blake2b(b"\xc3\xa9.md", digest_size=8).hexdigest()
