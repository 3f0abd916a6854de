"""Is a folder among the sources a store of memidx, whatever it is called?

What a store holds is no source of another one: every document would be found twice.
"""

from __future__ import annotations

import os.path

from memidx import files
from memidx.errors import FileError

MANIFEST = "manifest.json"
_MANIFEST_LIMIT = 1 << 20
_ARTIFACT_TYPE = "memory-index"


def is_of_store(name: str) -> bool:
    """Whether a file in a store's folder is the store's: its manifest or a shard."""
    if name in (MANIFEST, "docs.jsonl"):
        return True
    if not (name.startswith("docs-") and name.endswith(".jsonl")):
        return False
    prefix = name[len("docs-") : -len(".jsonl")]
    return prefix != "" and not prefix.strip("0123456789abcdef")


def is_store(folder: str) -> bool:
    """Whether a folder is a store of memidx, whatever it is called."""
    try:
        data = files.read_bytes(os.path.join(folder, MANIFEST), _MANIFEST_LIMIT)
    except FileError as error:
        if files.may_pass(error):
            raise
        return False
    if b'"artifact_type"' not in data:
        return False
    # Loaded only for the rare folder that may be one.
    import json

    try:
        manifest = json.loads(data)
    except (ValueError, RecursionError):
        return False
    return isinstance(manifest, dict) and manifest.get("artifact_type") == _ARTIFACT_TYPE
