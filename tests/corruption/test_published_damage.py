"""Whatever is wrong with a published index is said by name, and nothing else happens."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from memidx.errors import InputError, MemidxError, StoreCorrupt, StoreVersion
from memidx.files import Signature
from memidx.jsonindex.parsing import parse_published
from memidx.jsonindex.reader import snapshot_of
from tests.published_support import fixture

SIGNATURE = Signature(0, 0, 0, 0)
Change = Callable[[dict[str, Any]], object]


def parse(index: Any) -> None:
    """Read an index from its bytes and derive what a search reads."""
    data = index if isinstance(index, bytes) else json.dumps(index).encode()
    snapshot_of(parse_published(data, "index.json", SIGNATURE))


def first(index: dict[str, Any]) -> dict[str, Any]:
    """Its first document."""
    document: dict[str, Any] = index["documents"][0]
    return document


def cone(index: dict[str, Any]) -> dict[str, Any]:
    """Its only posting of `cone`."""
    posting: dict[str, Any] = index["postings"]["cone"][0]
    return posting


DAMAGE: dict[str, tuple[Change, str, str | None, str | None]] = {
    # What was done -> how, the place that is named, expected and found as far as they are told.
    "no documents": (lambda i: i.pop("documents"), "documents", "a list", "no such key"),
    "documents null": (lambda i: i.update(documents=None), "documents", "a list", "null"),
    "documents object": (lambda i: i.update(documents={}), "documents", "a list", "an object of 0"),
    "no postings": (lambda i: i.pop("postings"), "postings", "an object", "no such key"),
    "postings list": (lambda i: i.update(postings=[1]), "postings", "an object", "a list of 1"),
    "no N": (lambda i: i.pop("N"), "N", "a whole number", "no such key"),
    "N too large": (lambda i: i.update(N=4), "N", "3", "4"),
    "N a float": (lambda i: i.update(N=3.0), "N", "a whole number", "3.0"),
    "N true": (lambda i: i.update(N=True), "N", "a whole number", "True"),
    "N huge": (lambda i: i.update(N=10**40), "N", "a whole number", "1000000"),
    "no avgdl": (lambda i: i.pop("avgdl"), "avgdl", "a finite number", "no such key"),
    "avgdl other": (lambda i: i.update(avgdl=10.0), "avgdl", "12.333333", "10.0"),
    "avgdl string": (lambda i: i.update(avgdl="12"), "avgdl", "a finite number", "'12'"),
    "name number": (lambda i: i.update(project_name=7), "project_name", "a string", "7"),
    "document string": (
        lambda i: i["documents"].__setitem__(1, "x"), "documents[1]", "an object", "'x'",
    ),
    "no doc_id": (lambda i: first(i).pop("doc_id"), "documents[0].doc_id", "a number", "no such"),
    "doc_id float": (lambda i: first(i).update(doc_id=0.0), "documents[0].doc_id", "a num", "0.0"),
    "doc_id true": (lambda i: first(i).update(doc_id=True), "documents[0].doc_id", "a nu", "True"),
    "doc_id twice": (
        lambda i: i["documents"][2].update(doc_id=1),
        "documents[2].doc_id", "another doc_id than that of documents[1]", "1",
    ),
    "no path": (lambda i: first(i).pop("path"), "documents[0].path", "a string", "no such key"),
    "path empty": (lambda i: first(i).update(path=""), "documents[0].path", "a path", "''"),
    "path NUL": (lambda i: first(i).update(path="a\0b"), "documents[0].path", "a path", r"a\x00b"),
    "path half": (
        lambda i: first(i).update(path="\ud800"), "documents[0].path", "half char", r"\ud800",
    ),
    "no title": (lambda i: first(i).pop("title"), "documents[0].title", "a string", "no such"),
    "title list": (lambda i: first(i).update(title=[]), "documents[0].title", "a str", "a list of"),
    "no snippet": (lambda i: first(i).pop("snippet"), "documents[0].snippet", "a st", "no such"),
    "no length": (lambda i: first(i).pop("length"), "documents[0].length", "a whole", "no such"),
    "length 0": (lambda i: first(i).update(length=0), "documents[0].length", "from 1", "0"),
    "length less": (lambda i: first(i).update(length=-3), "documents[0].length", "from 1", "-3"),
    "length huge": (
        lambda i: first(i).update(length=2**32), "documents[0].length", "to 4294967295", "42949",
    ),
    "paragraphs string": (
        lambda i: first(i).update(paragraphs="x"), "documents[0].paragraphs", "a list", "'x'",
    ),
    "paragraph number": (
        lambda i: first(i).update(paragraphs=["x", 2]), "documents[0].paragraphs[1]", "a st", "2",
    ),
    "mtime string": (
        lambda i: first(i).update(source_mtime="now"), "documents[0].source_mtime", "finite", "now",
    ),
    "mtime huge": (
        lambda i: first(i).update(source_mtime=10**30), "documents[0].source_mtime", "finite", "1",
    ),
    "hash number": (
        lambda i: first(i).update(source_hash=1), "documents[0].source_hash", "a string", "1",
    ),
    "postings of a term": (
        lambda i: i["postings"].update(cone={}), "postings['cone']", "a list of", "an object of 0",
    ),
    "posting a number": (
        lambda i: i["postings"].update(cone=[5]), "postings['cone'][0]", "an object with", "5",
    ),
    "posting unknown": (
        lambda i: cone(i).update(doc_id=3), "postings['cone'][0].doc_id", "the doc_id of a", "3",
    ),
    "posting true": (
        lambda i: cone(i).update(doc_id=True), "postings['cone'][0].doc_id", "the doc_id", "True",
    ),
    "posting nameless": (
        lambda i: cone(i).pop("doc_id"), "postings['cone'][0].doc_id", "the doc_id", "no such key",
    ),
    "posting twice": (
        lambda i: i["postings"]["cone"].append({"doc_id": 0, "tf": 1}),
        "postings['cone'][1].doc_id", "each document once", "0",
    ),
    "no tf": (lambda i: cone(i).pop("tf"), "postings['cone'][0].tf", "from 1", "no such key"),
    "tf 0": (lambda i: cone(i).update(tf=0), "postings['cone'][0].tf", "from 1", "0"),
    "tf half": (lambda i: cone(i).update(tf=1.5), "postings['cone'][0].tf", "from 1", "1.5"),
    "tf huge": (lambda i: cone(i).update(tf=2**40), "postings['cone'][0].tf", "from 1", "10995"),
    "term half": (
        lambda i: i["postings"].update({"\ud800": []}), "postings", "half characters", r"\ud800",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_named_by_place(name: str) -> None:
    """File, place, what was expected and what was found."""
    change, place, expected, found = DAMAGE[name]
    index = fixture()
    change(index)
    with pytest.raises(StoreCorrupt) as caught:
        parse(index)
    error = caught.value
    assert error.path == "index.json"
    assert error.what == f"the index is damaged at {place}"
    assert str(expected) in str(error.expected)
    assert str(found) in str(error.found)
    assert error.hint
    assert error.message.isprintable()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "an empty file"),
        (b" \n", "an empty file"),
        (b"{", "not JSON"),
        (b'{"artifact_type": "memory-index", }', "not JSON"),
        (b'{"artifact_type": "memory-index", "N": NaN}', "NaN is no number"),
        (b'{"artifact_type": "memory-index", "N": -Infinity}', "-Infinity is no number"),
        (b'{"artifact_type": "memory-index", "N": ' + b"9" * 5000 + b"}", "not JSON"),
        (b'{"a": ' * 200_000, "not JSON"),
        (b'{"a": "\xff"}', "not JSON"),
        (b"{}", "not a memory index"),
        (b"[]", "not a memory index"),
        (b'{"artifact_type": "memidx-report"}', "'memidx-report'"),
        (b'{"artifact_type": "memory-index"}', "no usable memory_index_schema_version"),
        (b'{"artifact_type": "memory-index", "memory_index_schema_version": 1.3}', "no usable"),
        (b'{"artifact_type": "memory-index", "memory_index_schema_version": "one"}', "no usable"),
    ],
)
def test_what_is_no_index_is_said_so(data: bytes, message: str) -> None:
    """Cut, empty, not JSON, or JSON of another kind."""
    with pytest.raises(StoreCorrupt) as caught:
        parse(data)
    assert message in caught.value.message


def test_a_line_is_named_where_json_ends() -> None:
    """The place a person has to look at."""
    with pytest.raises(StoreCorrupt) as caught:
        parse(b'{\n "artifact_type": "memory-index",\n oops\n}')
    assert caught.value.line == 3


def test_an_infinite_number_is_refused() -> None:
    """1e999 is JSON, and no number a machine has."""
    data = json.dumps(fixture()).replace('"avgdl": 12.333333333333334', '"avgdl": 1e999').encode()
    with pytest.raises(StoreCorrupt, match="avgdl"):
        parse(data)


def test_every_cut_is_noticed() -> None:
    """A file that ends anywhere before its end is no index."""
    data = json.dumps(fixture()).encode()
    for end in range(0, len(data), 7):
        with pytest.raises(StoreCorrupt):
            parse(data[:end])


def test_a_flipped_bit_is_refused_or_read() -> None:
    """One bit of each byte: an error of memidx, or an index; never anything else."""
    data = json.dumps(fixture("1.1")).encode()
    outcomes: set[type[BaseException] | None] = set()
    for place in range(0, len(data), 2):
        flipped = bytearray(data)
        flipped[place] ^= 1 << (place // 2 % 8)
        try:
            parse(bytes(flipped))
            outcomes.add(None)
        except MemidxError as error:
            outcomes.add(type(error))
    assert {None, StoreCorrupt} <= outcomes <= {None, StoreCorrupt, StoreVersion, InputError}
