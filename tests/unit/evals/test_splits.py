"""A split keeps its queries apart for good."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from memidx.errors import InputError, SuiteError
from memidx.evals.splits import Split, load_splits, make_split, write_split
from memidx.sources.artifacts import is_artifact


def _ids(n: int, category: str = "keyword") -> dict[str, str]:
    return {f"{category}-{i}": category for i in range(n)}


def test_each_category_gives_its_share() -> None:
    """3 of 10 and 2 of 5 are held out at 0.3 (1.5 and a half up); the others are tuned on."""
    split = make_split("q.yaml", {**_ids(10), **_ids(5, "question")}, 0.3)
    assert sum(q.startswith("keyword") for q in split.held_out) == 3
    assert sum(q.startswith("question") for q in split.held_out) == 2
    assert len(split.tuning) == 10
    assert not set(split.tuning) & set(split.held_out)


def test_the_smallest_hashes_of_ids_are_held_out() -> None:
    """So neither the order of a suite nor a clock nor a seed has a say."""
    ids = _ids(20)
    by_hash = sorted(ids, key=lambda q: hashlib.sha256(q.encode()).digest())
    assert set(make_split("q", ids, 0.25).held_out) == set(by_hash[:5])
    assert make_split("q", dict(reversed(ids.items())), 0.25) == make_split("q", ids, 0.25)


def test_a_query_never_changes_sides() -> None:
    """Forty queries later, the first ten are where they were, and the share is kept."""
    before = make_split("q", _ids(10), 0.5)
    after = make_split("q", _ids(50), 0.5, before)
    assert set(before.held_out) <= set(after.held_out)
    assert set(before.tuning) <= set(after.tuning)
    assert len(after.held_out) == len(after.tuning) == 25
    # A query that left the suite keeps its side, should it come back.
    assert make_split("q", _ids(50), 0.5, after) == after
    assert make_split("q", _ids(3), 0.5, after) == after


def test_a_query_on_neither_side_is_known_to_be_new() -> None:
    """Before it is dealt, nobody may choose on it or check with it."""
    split = Split("q", 0.5, ("a",), ("b",))
    assert split.unknown(["a", "c", "b", "d"]) == ("c", "d")


@pytest.mark.parametrize("share", [0.0, 1.0, -1.0, float("nan")])
def test_a_share_that_leaves_a_side_empty_is_refused(share: float) -> None:
    """As is one that is no number."""
    with pytest.raises(InputError, match="not a share"):
        make_split("q", _ids(4), share)


def test_another_share_than_before_is_refused() -> None:
    """Else queries would be dealt anew until the check comes out well."""
    with pytest.raises(InputError, match="another share"):
        make_split("q", _ids(4), 0.3, make_split("q", _ids(4), 0.5))


def test_a_file_holds_several_splits(tmp_path: Path) -> None:
    """One id a line, any id; the same splits give the same bytes, and no source takes them."""
    path = str(tmp_path / "evals" / "splits.yaml")
    assert load_splits(path) == {}
    odd = Split("odd.yaml", 0.5, ('a: "b"', "no", "部署", "1"), ("- x", "y # z"))
    write_split(make_split("q.yaml", _ids(4), 0.5), path)
    write_split(odd, path)
    read = load_splits(path)
    assert set(read) == {"q.yaml", "odd.yaml"}
    assert set(read["odd.yaml"].held_out) == set(odd.held_out)
    assert set(read["odd.yaml"].tuning) == set(odd.tuning)
    data = Path(path).read_bytes()
    write_split(read["q.yaml"], path)
    assert Path(path).read_bytes() == data
    assert data.count(b"\n  - ") == 10
    assert is_artifact(data)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "version: 2\nsplits: []\n",
        "version: 1\nsplits: {}\n",
        "version: 1\nsplits: [{name: q}]\n",
        "version: 1\nsplits: [{name: q, share: 2.0, held_out: [], tuning: []}]\n",
        "version: 1\nsplits: [{name: q, share: 0.5, held_out: [1], tuning: []}]\n",
        "version: 1\nsplits: [{name: q, share: 0.5, held_out: [a], tuning: [a]}]\n",
        "version: 1\n<<<<<<< ours\nsplits: []\n",
        "version: 1\nsplits: !!python/object/apply:os.getcwd []\n",
    ],
)
def test_a_file_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    """By name; nothing of it is run."""
    path = tmp_path / "splits.yaml"
    path.write_text(text)
    with pytest.raises(SuiteError, match=r"splits\.yaml"):
        load_splits(str(path))
