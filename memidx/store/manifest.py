"""What does the store say of itself?

One small file that changes only when the configuration or the set of shards does. It names
the shards: replacing it is what commits a split. Its checksum is its last key, as in a line.
Bytes: docs/store-format.md, section "The manifest".
"""

from __future__ import annotations

from memidx.errors import InputError, StoreCorrupt, StoreVersion
from memidx.hashing import blake2b
from memidx.light import TYPE_CHECKING, parse_json
from memidx.store import shard_prefix
from memidx.values import Value

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

ARTIFACT_TYPE = "memory-index"
SCHEMA_VERSION = "2.0"
FORMAT_VERSION = "jsonl-shards-v1"
WRITE_OWNER = "memidx"
VECTOR_RUNTIME_MODE = "sparse-tfidf-cosine"
FALLBACK_POLICY = "non-blocking-file-read-then-search"

_SCHEMA_MAJOR = 2
_SUM_DIGITS = 16
_SUM_KEY, _END = b',\n  "sum": "', b'"\n}\n'
_MARKER = rb"^(<<<<<<<|=======|>>>>>>>|\|\|\|\|\|\|\|)(?= |\r?$)"
_VERSION_KEY = rb'"memory_index_schema_version"\s*:\s*"([^"\\]{1,32})"'


class Manifest(Value):
    """What a store says of itself besides its documents.

    Attributes:
        sources: Source definitions relative to root, as `source_to_dict` spells them.
        shards: Names of the shard files in the order of their prefixes; `write_store` fills
            them in, so a caller that writes leaves the default.
    """

    project_name: str = ""
    framework: str = ""
    sources: tuple[Mapping[str, Any], ...] = ()
    shards: tuple[str, ...] = ()


def manifest_bytes(manifest: Manifest) -> bytes:
    """The manifest's file: a pure function of its fields.

    Raises:
        InputError: A field holds what JSON cannot.
    """
    values = {
        "artifact_type": ARTIFACT_TYPE,
        "memory_index_schema_version": SCHEMA_VERSION,
        "index_format_version": FORMAT_VERSION,
        "index_write_owner": WRITE_OWNER,
        "project_name": manifest.project_name,
        "framework": manifest.framework,
        "vector_runtime_mode": VECTOR_RUNTIME_MODE,
        "vector_model_id": None,
        "vector_dim": None,
        "fallback_policy": FALLBACK_POLICY,
        "sources": [dict(source) for source in manifest.sources],
        "shards": list(manifest.shards),
    }
    import json  # a search only reads

    try:
        text = json.dumps(values, ensure_ascii=False, indent=2, allow_nan=False)
        body = text.removesuffix("\n}").encode("utf-8")
    except (TypeError, ValueError) as error:
        raise InputError(f"the manifest cannot be stored: {error}") from error
    return b"".join((body, _SUM_KEY, _digest(body), _END))


def parse_manifest(data: bytes, path: str) -> Manifest:
    """The manifest a file holds.

    Args:
        data: The file's bytes.
        path: Named in errors.

    Raises:
        StoreVersion: Another major version than this one reads, an import of 1.x among them.
        StoreCorrupt: Not a manifest, or not the bytes that were written.
    """
    try:
        values = parse_json(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise _unreadable(data, path, error) from error
    if not isinstance(values, dict) or values.get("artifact_type") != ARTIFACT_TYPE:
        raise StoreCorrupt(
            "not a manifest",
            path=path,
            expected=f'an object with "artifact_type": "{ARTIFACT_TYPE}"',
        )
    check_version(values.get("memory_index_schema_version"), path)
    body, _, end = data.rpartition(_SUM_KEY)
    if end != _digest(body) + _END:
        raise StoreCorrupt(
            "the manifest was changed after it was written: its checksum does not match",
            path=path,
            hint="`memidx build` writes it again",
        )
    if values.get("index_format_version") != FORMAT_VERSION:
        raise StoreVersion(
            "the store's format is not one this version reads",
            path=path,
            expected=FORMAT_VERSION,
            found=str(values.get("index_format_version")),
        )
    return _from_values(values, path)


def check_version(found: object, path: str) -> None:
    """Refuses what another major version wrote.

    Raises:
        StoreVersion: Naming the version, and what to do about it.
        StoreCorrupt: `found` is no version.
    """
    major = found.partition(".")[0] if isinstance(found, str) else ""
    if not (major.isascii() and major.isdecimal() and len(major) <= 9):
        raise StoreCorrupt("no usable memory_index_schema_version", path=path, found=repr(found))
    if int(major) == _SCHEMA_MAJOR:
        return
    if int(major) < _SCHEMA_MAJOR:
        what = f"a published JSON index, schema {found}, is one file and no store"
        hint = "search the file as it is with --store, or make a store of it: `memidx import`"
    else:
        what = f"the store was written by a newer memidx (schema {found})"
        hint = "upgrade memidx"
    raise StoreVersion(
        what, path=path, expected=f"schema {_SCHEMA_MAJOR}.x", found=str(found), hint=hint
    )


def find_version(data: bytes) -> str | None:
    """The schema version that a JSON index names, wherever in the file; None when it is none.

    A whole-index file can be hundreds of megabytes: its version is looked up, not parsed for.
    """
    if b'"artifact_type"' not in data:
        return None
    import re  # a store's files never come here

    match = re.search(_VERSION_KEY, data)
    return None if match is None else match[1].decode("utf-8", "replace")


def _from_values(values: dict[str, Any], path: str) -> Manifest:
    """Fields of checked bytes; only a foreign writer's can be of the wrong type."""
    name, framework = values.get("project_name"), values.get("framework")
    sources, shards = values.get("sources"), values.get("shards")
    if not isinstance(name, str) or not isinstance(framework, str):
        raise StoreCorrupt("project_name and framework must be strings", path=path)
    if not isinstance(sources, list) or not all(isinstance(item, dict) for item in sources):
        raise StoreCorrupt("sources must be a list of objects", path=path)
    # Names are joined to the store's path: nothing but a shard's name gets that far.
    if (
        not isinstance(shards, list)
        or not all(isinstance(item, str) and shard_prefix(item) is not None for item in shards)
        or sorted(set(shards), key=lambda item: shard_prefix(item) or "") != shards
    ):
        raise StoreCorrupt("shards must be names of shard files, in order", path=path)
    return Manifest(name, framework, tuple(sources), tuple(shards))


def _unreadable(data: bytes, path: str, error: Exception) -> StoreCorrupt:
    import re  # a good manifest never comes here

    marker = re.search(_MARKER, data, re.MULTILINE)
    if marker is not None:
        return StoreCorrupt(
            f"conflict marker {marker[1].decode('ascii')} of an unfinished merge",
            path=path,
            line=data.count(b"\n", 0, marker.start()) + 1,
            hint="`memidx build` writes the manifest again from the configuration",
        )
    line = getattr(error, "lineno", None)
    return StoreCorrupt(
        f"the manifest is not JSON: {error}",
        path=path,
        line=line if isinstance(line, int) else None,
        hint="`memidx build` writes it again",
    )


def _digest(body: bytes) -> bytes:
    return blake2b(body, digest_size=_SUM_DIGITS // 2).hexdigest().encode("ascii")
