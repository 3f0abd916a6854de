"""Stores of schema 2.0, as memidx 0.1 wrote them, still open and still have the same bytes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memidx.errors import StoreVersion
from memidx.store.line import decode_line
from memidx.store.reader import read_store
from tests.unit.store.helpers import MANIFEST, clean_bytes, committed, numbered

FIXTURES = Path(__file__).parents[1] / "fixtures" / "store-2.0"
CAPS = {"one-shard": 10**6, "shards": 1500}


@pytest.mark.parametrize("name", CAPS)
def test_a_kept_store_opens(name: str) -> None:
    """All 24 documents, none damaged."""
    stored = read_store(str(FIXTURES / name))
    assert stored.damage == ()
    assert stored.manifest.sources == MANIFEST.sources
    documents = [decode_line(line) for line in stored.lines.values()]
    assert {document.doc_id: document.text for document in documents} == {
        f"notes/{i:03}.md": f"note {i} about locks\n" for i in range(24)
    }


@pytest.mark.parametrize("name", CAPS)
def test_a_kept_store_is_written_the_same_today(name: str, tmp_path: Path) -> None:
    """A change of a single byte needs a new format version, a page, a fixture and this test."""
    today = clean_bytes(tmp_path / "store", numbered(24), cap=CAPS[name])
    assert today == committed(FIXTURES / name)


@pytest.mark.parametrize("version", ["1.0", "1.1", "1.2", "1.3", "3.0", "10.4"])
def test_other_majors_are_refused_by_name(version: str, tmp_path: Path) -> None:
    """As a manifest in a store, and as a file in place of the store."""
    index = {"artifact_type": "memory-index", "memory_index_schema_version": version}
    (tmp_path / "manifest.json").write_text(json.dumps(index))
    for path in (tmp_path, tmp_path / "manifest.json"):
        with pytest.raises(StoreVersion, match=version.replace(".", r"\.")) as caught:
            read_store(str(path))
        assert caught.value.found == version
        assert caught.value.hint
