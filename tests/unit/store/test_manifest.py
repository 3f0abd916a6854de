"""The manifest is canonical bytes, checksummed, and refuses other majors by name."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import blake2b

import pytest

from memidx.errors import InputError, StoreCorrupt, StoreVersion
from memidx.store.manifest import Manifest, find_version, manifest_bytes, parse_manifest
from tests.unit.store.helpers import MANIFEST

ONE_SHARD = replace(MANIFEST, shards=("docs.jsonl",))
DATA = manifest_bytes(ONE_SHARD)


def _edited(**changes: object) -> bytes:
    """The manifest with other values, its checksum right again."""
    values = json.loads(DATA)
    del values["sum"]
    body = json.dumps(values | changes, ensure_ascii=False, indent=2).removesuffix("\n}").encode()
    total = blake2b(body, digest_size=8).hexdigest().encode()
    return body + b',\n  "sum": "' + total + b'"\n}\n'


def test_the_manifest_has_the_documented_keys() -> None:
    """Published keys and values, in fixed order, pretty, with a line end."""
    values = json.loads(DATA)
    total = values.pop("sum")
    assert len(total) == 16
    assert values == {
        "artifact_type": "memory-index",
        "memory_index_schema_version": "2.0",
        "index_format_version": "jsonl-shards-v1",
        "index_write_owner": "memidx",
        "project_name": "demo",
        "framework": "",
        "vector_runtime_mode": "sparse-tfidf-cosine",
        "vector_model_id": None,
        "vector_dim": None,
        "fallback_policy": "non-blocking-file-read-then-search",
        "sources": [{"name": "docs", "kind": "markdown", "include": ["**"]}],
        "shards": ["docs.jsonl"],
    }
    assert list(values) == list(json.loads(_edited()))[:-1]
    assert DATA.startswith(b'{\n  "artifact_type": "memory-index",\n')
    assert DATA.endswith(b'"\n}\n')


def test_the_round_trip_gives_the_same_manifest() -> None:
    """What is written is read."""
    manifest = replace(MANIFEST, project_name='é "x"', shards=("docs-0.jsonl", "docs-3f.jsonl"))
    assert parse_manifest(manifest_bytes(manifest), "m") == manifest


def test_a_newer_major_is_refused_by_name() -> None:
    """The message names both versions, and says what to do."""
    with pytest.raises(StoreVersion, match="newer memidx") as caught:
        parse_manifest(_edited(memory_index_schema_version="3.1"), "m")
    assert (caught.value.found, caught.value.expected) == ("3.1", "schema 2.x")
    assert caught.value.hint == "upgrade memidx"


def test_a_newer_minor_is_read() -> None:
    """Keys this version does not know are passed over."""
    assert parse_manifest(_edited(memory_index_schema_version="2.9", extra=[1]), "m") == ONE_SHARD


def test_a_published_version_is_refused_by_name() -> None:
    """1.x is named, and the way out."""
    with pytest.raises(StoreVersion, match=r"schema 1\.3.*one file and no store"):
        parse_manifest(_edited(memory_index_schema_version="1.3"), "m")


def test_another_format_is_refused() -> None:
    """The same schema in other bytes is not guessed at."""
    with pytest.raises(StoreVersion, match="format"):
        parse_manifest(_edited(index_format_version="jsonl-shards-v2"), "m")


@pytest.mark.parametrize(
    "changes",
    [
        {"artifact_type": "code-index"},
        {"memory_index_schema_version": 2},
        {"memory_index_schema_version": "two"},
        {"memory_index_schema_version": None},
        {"project_name": 1},
        {"sources": {}},
        {"sources": ["x"]},
        {"shards": "docs.jsonl"},
        {"shards": ["../docs.jsonl"]},
        {"shards": ["docs-1.jsonl", "docs-0.jsonl"]},
        {"shards": ["docs-1.jsonl", "docs-1.jsonl"]},
        {"shards": [1]},
    ],
)
def test_what_is_no_manifest_is_refused(changes: dict[str, object]) -> None:
    """A right checksum does not make it one; shard names cannot lead out of the folder."""
    with pytest.raises(StoreCorrupt):
        parse_manifest(_edited(**changes), "m")


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b"\xff", b"null", b'"memory-index"'])
def test_what_is_not_json_is_refused(data: bytes) -> None:
    """Never anything but StoreCorrupt."""
    with pytest.raises(StoreCorrupt):
        parse_manifest(data, "m")


def test_a_conflict_marker_is_named_with_its_line() -> None:
    """An unfinished merge is called that."""
    data = DATA.replace(b'  "framework"', b'<<<<<<< HEAD\n  "framework"')
    with pytest.raises(StoreCorrupt, match="conflict marker <<<<<<<") as caught:
        parse_manifest(data, "m")
    assert caught.value.line == 7


def test_a_source_without_json_is_the_callers_mistake() -> None:
    """NaN and the like are refused before anything is written."""
    with pytest.raises(InputError):
        manifest_bytes(Manifest(sources=({"weight": float("nan")},)))
    with pytest.raises(InputError):
        manifest_bytes(Manifest(project_name="\ud800"))


def test_the_version_of_a_large_index_is_looked_up() -> None:
    """Wherever the key stands; a text that quotes it is not taken for it."""
    index = {"documents": [{"title": '"memory_index_schema_version": "9.9"'}]}
    index |= {"artifact_type": "memory-index", "memory_index_schema_version": "1.2"}
    assert find_version(json.dumps(index).encode()) == "1.2"
    assert find_version(b'{"memory_index_schema_version": "1.2"}') is None
    assert find_version(b"\x00\xff") is None
