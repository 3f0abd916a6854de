"""docs/store-format.md shows the bytes that the code writes."""

from __future__ import annotations

import re
from dataclasses import replace
from hashlib import blake2b, sha256
from pathlib import Path

from memidx.documents import Document
from memidx.store.layout import SHARD_CAP_BYTES, sort_key
from memidx.store.line import decode_line, encode_line
from memidx.store.manifest import Manifest
from memidx.store.reader import read_store
from memidx.store.writer import write_store
from tests.unit.store.helpers import committed

PAGE = "docs/store-format.md"
NOTE_TEXT = "# File lock\n\nOne writer at a time; “readers” never wait.\n"
RECORD_TEXT = "The lock times out after 2 s."


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()


NOTE = Document(
    doc_id="docs/lock.md",
    source="docs",
    kind="markdown",
    path="docs/lock.md",
    title="File lock",
    time="2026-03-01",
    tags=("store",),
    meta={},
    source_hash=_hash(NOTE_TEXT),
    text=NOTE_TEXT,
)
RECORD = Document(
    doc_id="learnings.jsonl#17",
    source="learnings",
    kind="records",
    path="learnings.jsonl",
    title="Lock timeout",
    time=None,
    tags=(),
    meta={"author": "ci", "line_count": 1},
    source_hash=_hash(RECORD_TEXT),
    text=RECORD_TEXT,
)
MANIFEST = Manifest(
    project_name="example",
    sources=(
        {"name": "docs", "kind": "markdown", "include": ["docs/**"]},
        {"name": "learnings", "kind": "records", "include": ["learnings.jsonl"]},
    ),
)


def _blocks(repository: Path) -> dict[str, bytes]:
    """File name -> the fenced block that follows its name in bold."""
    text = (repository / PAGE).read_text(encoding="utf-8")
    found = re.findall(r"\*\*`([^`]+)`\*\*\n\n```\w*\n(.*?)```\n", text, re.DOTALL)
    return {name: block.encode() for name, block in found}


def test_the_example_store_is_what_is_written(repository: Path, tmp_path: Path) -> None:
    """Byte for byte, both files."""
    lines = {document.doc_id: encode_line(document) for document in (NOTE, RECORD)}
    write_store(str(tmp_path / "store"), MANIFEST, lines)
    assert committed(tmp_path / "store") == _blocks(repository)


def test_the_example_store_is_read(repository: Path, tmp_path: Path) -> None:
    """The page's bytes, put into files, are a sound store with those documents."""
    for name, data in _blocks(repository).items():
        (tmp_path / name).write_bytes(data)
    stored = read_store(str(tmp_path))
    assert stored.damage == ()
    assert stored.manifest == replace(MANIFEST, shards=("docs.jsonl",))
    assert [decode_line(line) for line in stored.lines.values()] == sorted(
        (NOTE, RECORD), key=lambda document: sort_key(document.doc_id)
    )


def test_the_page_states_the_facts(repository: Path) -> None:
    """Cap, hash of the example's doc_id and checksum rule as the code has them."""
    text = (repository / PAGE).read_text(encoding="utf-8")
    assert f"{SHARD_CAP_BYTES:,} bytes" in text
    for document in (NOTE, RECORD):
        digest = blake2b(document.doc_id.encode(), digest_size=8).hexdigest()
        assert f"`{document.doc_id}` | `{digest}`" in text
