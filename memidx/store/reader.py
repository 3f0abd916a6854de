"""Which documents does a store hold, and what in it is damaged?

Reads without a lock. A writer that splits or joins shards commits by replacing the
manifest, so a shard that is not there, or a manifest that changed meanwhile, means: read
again. Damage is named by file and line and left out; healing is somebody else's job.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from hashlib import sha256

from memidx import files
from memidx.errors import FileError, InputError, StoreMissing
from memidx.files import Signature
from memidx.files.spooling import OpenFile
from memidx.store import MANIFEST_NAME, shard_prefix
from memidx.store.layout import sort_key
from memidx.store.line import DamagedLine, check_line, line_doc_id
from memidx.store.lines import IN_MEMORY_BYTES, Place, StoredLines
from memidx.store.manifest import (
    Manifest,
    check_version,
    find_version,
    parse_manifest,
)
from memidx.values import Value

# A store that never rests is whole as it was read; and a shard that is missing this often under one
# manifest is (a writer may have split, joined, and made the same manifest anew meanwhile).
_ATTEMPTS = 5
# A writer that splits and joins without rest is slower than this many reads, on a busy machine too.
_MOST_ATTEMPTS = 200
_WHOLE_INDEX_LIMIT_BYTES = 2**30


class Damage(Value):
    """One thing in the store that is not as it was written.

    Attributes:
        path: The file.
        line: 1-based; None when it is about the whole file.
        reason: For a person to read.
        doc_id: Of the document concerned, where that can still be told.
        lost: Whether a document went missing with it; False where the content is sound and
            only its place is wrong.
    """

    path: str
    line: int | None
    reason: str
    doc_id: str | None = None
    lost: bool = True


class Stored(Value):
    """What a store holds.

    Attributes:
        lines: doc_id -> its line with the LF; sound lines only, in the order of the files.
        damage: Everything that is not as written, in the order of the files.
        signatures: File name -> signature of the bytes that were read.
    """

    manifest: Manifest
    lines: StoredLines
    damage: tuple[Damage, ...]
    signatures: dict[str, Signature]


def read_store(path: str) -> Stored:
    """Reads every line and checks it.

    Raises:
        StoreMissing: There is no store: no folder, or no manifest in it.
        StoreVersion: Another version wrote it.
        StoreCorrupt: The manifest itself is damaged. `read_shards` reads what is left.
        FileError: A file is there and cannot be read.
    """
    n_alike = 0
    for n_before in range(_MOST_ATTEMPTS):
        manifest, data, signature = _read_manifest(path)
        stored = read_shards(path, manifest)
        complete = all(name in stored.signatures for name in manifest.shards)
        stored.signatures[MANIFEST_NAME] = signature
        is_alike = _manifest_data(path) == data
        n_alike += is_alike
        if n_alike == _ATTEMPTS or (complete and (is_alike or n_before + 1 >= _ATTEMPTS)):
            break
    return stored


def read_manifest(path: str) -> Manifest:
    """The manifest of the store at `path`; raises as `read_store` does."""
    return _read_manifest(path)[0]


def read_shards(path: str, manifest: Manifest | None = None) -> Stored:
    """Reads the shards a manifest names or, where it is lost, every shard in the folder."""
    if manifest is None:
        found = [name for name in files.names(path) if shard_prefix(name) is not None]
        manifest = Manifest(shards=tuple(sorted(found, key=lambda n: shard_prefix(n) or "")))
    lines = StoredLines()
    damage: list[Damage] = []
    signatures: dict[str, Signature] = {}
    n_bytes = 0
    # Documents of which there are several lines, none of them to be trusted -> the first one.
    disputed: dict[str, Place] = {}
    for name in manifest.shards:
        file = os.path.join(path, name)
        try:
            data, signatures[name] = files.read_signed(file)
        except FileError as error:
            if not files.is_missing(error):
                raise
            damage.append(Damage(file, None, "the shard is missing"))
            continue
        if not data:
            # What a power cut leaves of a file on some file systems; no writer makes one.
            damage.append(Damage(file, None, "the shard is empty"))
        n_bytes += len(data)
        content = data if n_bytes <= IN_MEMORY_BYTES else _kept_open(file, signatures[name]) or data
        lines.begin(name, content)
        _read_lines(data, file, name, lines, disputed, damage)
    return Stored(manifest, lines, tuple(damage), signatures)


def index_build_id(sums: Iterable[tuple[str, str]]) -> str:
    """Hash over every (doc_id, checksum of its line), in any order: names these documents."""
    digest = sha256()
    for doc_id, line_sum in sorted(sums):
        digest.update(f"{doc_id}\0{line_sum}\n".encode())
    return digest.hexdigest()


def source_fingerprint(hashes: Iterable[tuple[str, str]]) -> str:
    """Hash over every (doc_id, source_hash), in any order: names the sources as they were.

    For whole files it is the published reference's formula, so that the figures compare.
    """
    joined = "|".join(f"{doc_id}:{source_hash}" for doc_id, source_hash in sorted(hashes))
    return sha256(joined.encode()).hexdigest()


def refuse_file(path: str) -> InputError:
    """Says what a file in place of the store's folder is: perhaps a published JSON index.

    Raises:
        StoreVersion: It is one.
    """
    version = find_version(files.read_bytes(path, _WHOLE_INDEX_LIMIT_BYTES))
    if version is not None:
        check_version(version, path)
    return InputError("not a store", path=path, expected="a folder", found="a file")


def _manifest_data(path: str) -> bytes | None:
    try:
        return files.read_bytes(os.path.join(path, MANIFEST_NAME))
    except FileError as error:
        if files.is_missing(error):
            return None
        raise


def _read_manifest(path: str) -> tuple[Manifest, bytes, Signature]:
    if files.is_file(path):
        raise refuse_file(path)
    file = os.path.join(path, MANIFEST_NAME)
    try:
        data, signature = files.read_signed(file)
    except FileError as error:
        if not files.is_missing(error):
            raise
        raise StoreMissing(
            "there is no store here", path=path, expected=MANIFEST_NAME, hint="run `memidx build`"
        ) from error
    return parse_manifest(data, file), data, signature


def _kept_open(file: str, signature: Signature) -> OpenFile | None:
    """The very file whose bytes were read, or None where another one took its place meanwhile."""
    opened = OpenFile(file)
    return opened if opened.signature == signature else None


def _read_lines(
    data: bytes,
    file: str,
    name: str,
    lines: StoredLines,
    disputed: dict[str, Place],
    damage: list[Damage],
) -> None:
    """Adds one shard's sound lines to `lines`, and what is wrong to `damage`."""
    prefix = shard_prefix(name) or ""
    last = ("", "")
    start, number = 0, 0
    while start < len(data):
        end = data.find(b"\n", start) + 1 or len(data)
        number += 1
        line, offset = data[start:end], start
        start = end
        try:
            check_line(line)
            doc_id = line_doc_id(line)
        except DamagedLine as error:
            damage.append(Damage(file, number, error.reason, _guess_doc_id(line), error.lost))
            continue
        if doc_id in lines or doc_id in disputed:
            damage.append(_duplicate(doc_id, line, file, number, lines, disputed))
            continue
        key = sort_key(doc_id)
        if not key[0].startswith(prefix):
            wrong = "the line belongs in another shard"
        elif key < last:
            wrong = "the line is out of order"
        else:
            wrong, last = "", key
        if wrong:
            damage.append(Damage(file, number, wrong, doc_id, lost=False))
        lines.add(doc_id, line, number, offset)


def _duplicate(
    doc_id: str,
    line: bytes,
    file: str,
    number: int,
    lines: StoredLines,
    disputed: dict[str, Place],
) -> Damage:
    """Of two different lines for one document neither can be trusted; of two equal ones, one.

    The place of the first line is kept, so that a third one is noticed too.
    """
    first = disputed.get(doc_id) or lines.place(doc_id)
    if lines.get(doc_id) == line:
        other, lost = "the same line", False
    else:
        if doc_id in lines:
            lines.drop(doc_id)
        disputed[doc_id] = first
        other, lost = "another line", True
    reason = f"the document is there twice: {other} is {first.shard}:{first.line}"
    return Damage(file, number, reason, doc_id, lost)


def _guess_doc_id(line: bytes) -> str | None:
    """The doc_id at the head of a damaged line: a help for the reader, perhaps damaged too."""
    try:
        return line_doc_id(line)
    except DamagedLine:
        return None
