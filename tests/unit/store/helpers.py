"""Small documents and stores, made by rule, for the tests of the store."""

from __future__ import annotations

import os
from collections.abc import Iterable
from hashlib import sha256
from typing import Any

from memidx.documents import Document
from memidx.store.line import encode_line
from memidx.store.manifest import Manifest
from memidx.store.writer import write_store

MANIFEST = Manifest(
    project_name="demo",
    framework="",
    sources=({"name": "docs", "kind": "markdown", "include": ["**"]},),
)


def make_doc(doc_id: str, text: str = "", **fields: Any) -> Document:
    """A markdown document whose title and hash follow from its id and text."""
    values: dict[str, Any] = {
        "doc_id": doc_id,
        "source": "docs",
        "kind": "markdown",
        "path": doc_id.partition("#")[0],
        "title": f"Title of {doc_id}",
        "time": None,
        "tags": (),
        "meta": {},
        "source_hash": sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
        "text": text,
    }
    return Document(**(values | fields))


def make_lines(documents: Iterable[Document]) -> dict[str, bytes]:
    """doc_id -> line."""
    return {document.doc_id: encode_line(document) for document in documents}


def numbered(n: int, text: str = "note {} about locks\n", start: int = 0) -> dict[str, bytes]:
    """Lines of `n` notes, `notes/000.md` and on."""
    return make_lines(make_doc(f"notes/{i:03}.md", text.format(i)) for i in range(start, start + n))


def write(path: object, lines: dict[str, bytes], **options: Any) -> Any:
    """`write_store` with the tests' manifest."""
    return write_store(str(path), MANIFEST, lines, **options)


def committed(path: object) -> dict[str, bytes]:
    """Name -> bytes of everything in the store's folder but its cache."""
    found = {}
    for name in sorted(os.listdir(str(path))):
        if name != ".cache":
            with open(os.path.join(str(path), name), "rb") as handle:
                found[name] = handle.read()
    return found


def clean_bytes(path: object, lines: dict[str, bytes], **options: Any) -> dict[str, bytes]:
    """What a store of `lines` holds when it is written where nothing was."""
    write(path, lines, **options)
    return committed(path)
