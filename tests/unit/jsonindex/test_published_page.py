"""docs/published-format.md shows the bytes that an export writes."""

from __future__ import annotations

import json
from pathlib import Path

from memidx.jsonindex.exporting import export_documents
from memidx.jsonindex.parsing import READ_VERSIONS
from memidx.store.line import decode_line


def test_the_example_is_what_an_export_writes(repository: Path) -> None:
    """Of the two documents that docs/store-format.md shows, to the byte but for the layout."""
    store_page = (repository / "docs/store-format.md").read_text(encoding="utf-8")
    lines = [
        line
        for line in store_page.splitlines()
        if line.startswith('{"doc_id":') and line.endswith('"}')
    ]
    assert len(lines) == 2
    exported = export_documents(
        [decode_line(f"{line}\n".encode()) for line in lines], project_name="example", framework=""
    )
    page = (repository / "docs/published-format.md").read_text(encoding="utf-8")
    shown = page.partition("## An example")[2].partition("```json\n")[2].partition("\n```")[0]
    index = json.loads(shown)
    compact = json.dumps(index, ensure_ascii=False, separators=(",", ":"))
    assert f"{compact}\n".encode() == exported.to_bytes()


def test_the_schema_names_the_versions_that_are_read(repository: Path) -> None:
    """The page, the schema and the code agree."""
    schema = json.loads((repository / "docs/memory-index.schema.json").read_text())
    versions = schema["properties"]["memory_index_schema_version"]["enum"]
    assert tuple(versions) == READ_VERSIONS
