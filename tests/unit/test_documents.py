"""What an item becomes: redacted, titled, identified, capped."""

from __future__ import annotations

import hashlib
import json

import pytest

from memidx.config import SourceConfig
from memidx.documents import Document, make_document
from memidx.sources.base import Item, Skip

SOURCE = SourceConfig("notes", kind="records")
TOKEN = "ghp_" + "a1B2c3D4e5" * 4


def make(item: Item, *, seen: set[str] | None = None, max_bytes: int = 2**20) -> Document:
    """The document of an item that is kept whole."""
    document, skips = make_document(
        item, SOURCE, anchor_seen=set() if seen is None else seen, max_bytes=max_bytes
    )
    assert document is not None
    assert not skips
    return document


def test_an_item_becomes_a_document() -> None:
    """Fields are taken over, the hash is that of the text as it was read."""
    item = Item("d/a.jsonl", "7", "text", "Title", "2024-01-05", ("x", "y", "x"), {"k": [1, None]})
    assert make(item) == Document(
        doc_id="d/a.jsonl#7",
        source="notes",
        kind="records",
        path="d/a.jsonl",
        title="Title",
        time="2024-01-05",
        tags=("x", "y"),
        meta={"k": [1, None]},
        source_hash=hashlib.sha256(b"text").hexdigest(),
        text="text",
    )


def test_a_file_is_its_path() -> None:
    """A whole file has no anchor, and its name is its title when nothing better is there."""
    document = make(Item("d/a b.md", None, "text"))
    assert (document.doc_id, document.anchor, document.title) == ("d/a b.md", None, "a b.md")
    record = make(Item("d/a.jsonl", "7", "text", title="  "))
    assert (record.anchor, record.title) == ("7", "a.jsonl 7")


def test_private_data_are_in_no_field() -> None:
    """Text, title, tags, anchor, and meta with its keys and depths hold neither path nor token."""
    private = f"/home/alice/x {TOKEN} C:\\Users\\Jane Doe\\y"
    item = Item(
        "a.jsonl",
        private,
        private,
        private,
        None,
        (private, "ok"),
        {private: private, "deep": [{private: [private]}], "api_key": "abcd1234efgh5678", "n": 1},
    )
    document = make(item)
    stored = json.dumps([getattr(document, name) for name in Document.__slots__])
    for secret in ("alice", "Jane", "Doe", TOKEN, "abcd1234"):
        assert secret not in stored
    assert document.text == "<path>/x <secret> <path>\\y"
    assert document.meta["api_key"] == "<secret>"
    assert document.source_hash == hashlib.sha256(private.encode()).hexdigest()


def test_ordinary_meta_comes_through_unchanged() -> None:
    """Values keep their types and their order."""
    meta = {"a": "b", "n": 1.5, "t": True, "none": None, "list": ["x", {"y": 2}]}
    assert make(Item("a.md", None, "t", meta=meta)).meta == meta


def test_bad_characters_never_reach_a_line() -> None:
    """NUL and half surrogates in front matter's escapes are replaced, so that a line is UTF-8."""
    bad = "a\ud800b\0c"
    document = make(Item("a.md", "x\ud800", "t", bad, None, (bad,), {bad: bad}))
    json.dumps(
        [document.title, document.tags, document.meta, document.doc_id], ensure_ascii=False
    ).encode()
    assert document.title == "a\ufffdb\ufffdc"


def test_repeats_are_numbered() -> None:
    """The second record of an id is `-2`, the third `-3`, past what is taken already."""
    seen: set[str] = set()
    ids = [make(Item("a.jsonl", anchor, "t"), seen=seen).doc_id for anchor in "kkkk"]
    assert ids == ["a.jsonl#k", "a.jsonl#k-2", "a.jsonl#k-3", "a.jsonl#k-4"]
    seen = {"a.jsonl#k", "a.jsonl#k-2"}
    assert make(Item("a.jsonl", "k", "t"), seen=seen).doc_id == "a.jsonl#k-3"
    assert make(Item("a.jsonl", "k-2", "t"), seen=seen).doc_id == "a.jsonl#k-2-2"


def test_many_repeats_are_quick() -> None:
    """Fifty thousand records of one id take no square of looks."""
    seen: set[str] = set()
    for _ in range(50_000):
        make_document(Item("a.jsonl", "k", "t"), SOURCE, anchor_seen=seen, max_bytes=100)
    assert "a.jsonl#k-50000" in seen


def test_anchors_are_composed() -> None:
    """Two ways to write one accent are one identity."""
    seen: set[str] = set()
    assert make(Item("a.jsonl", "e\u0301", "t"), seen=seen).doc_id == "a.jsonl#\u00e9"
    assert make(Item("a.jsonl", "\u00e9", "t"), seen=seen).doc_id == "a.jsonl#\u00e9-2"


def test_nothing_at_all_is_no_document() -> None:
    """An item without text and title is a skip with its line."""
    document, skips = make_document(
        Item("a.jsonl", "7", " \n", line=4), SOURCE, anchor_seen=set(), max_bytes=100
    )
    assert document is None
    assert skips == (Skip("a.jsonl", "holds no text", 4, "notes"),)


@pytest.mark.parametrize(
    ("text", "cap", "kept"),
    [
        ("abcdef", 6, "abcdef"),
        ("abcdef", 4, "abcd"),
        ("a\u00e9\u00e9", 2, "a"),
        ("a\u00e9\u00e9", 3, "a\u00e9"),
        ("\U0001f418\U0001f418", 7, "\U0001f418"),
    ],
)
def test_a_long_text_is_cut_between_characters(text: str, cap: int, kept: str) -> None:
    """The cap counts UTF-8 bytes; what is cut is reported with both sizes."""
    document, skips = make_document(
        Item("a.md", None, text), SOURCE, anchor_seen=set(), max_bytes=cap
    )
    assert document is not None
    assert document.text == kept
    assert document.source_hash == hashlib.sha256(text.encode()).hexdigest()
    if kept == text:
        assert not skips
    else:
        size = len(text.encode())
        assert [skip.reason for skip in skips] == [f"cut to {cap} of {size} bytes"]


def test_a_cut_leaves_no_half_of_a_secret() -> None:
    """A token across the cap is redacted before the text is cut, wherever the cap falls."""
    for before in (50, 60, 99, 100, 101, 69_000):
        text = "x" * before + f" {TOKEN} " + "y" * 200_000
        for cap in (before + 10, 100, before + 66_000):
            document, _ = make_document(
                Item("a.md", None, text), SOURCE, anchor_seen=set(), max_bytes=cap
            )
            assert document is not None
            assert "ghp_a" not in document.text
            assert len(document.text.encode()) <= cap
    tokens = f"{TOKEN} " * 5000
    for cap in (1000, 70_000, 100_000):
        document, _ = make_document(
            Item("a.md", None, tokens), SOURCE, anchor_seen=set(), max_bytes=cap
        )
        assert document is not None
        assert "ghp_" not in document.text


def test_titles_and_tags_are_short_single_lines() -> None:
    """A title is one line of at most 300 characters, a tag of 100, and there are 100 tags."""
    item = Item(
        "a.md", None, "t", "a\n  b\t" + "c" * 500, None, tuple(f"{n:0200}" for n in range(200))
    )
    document = make(item)
    assert document.title.startswith("a b ccc")
    assert len(document.title) == 300
    assert document.title.endswith("\u2026")
    assert max(len(tag) for tag in document.tags) == 100
    assert len(document.tags) <= 100
