"""Is this file a published JSON index, and what does it hold?

Versions 1.1, 1.2 and 1.3 are read, recognised by what the file says of itself and never by its
name; of a later 1.x, what is known. Everything a search relies on is checked here once, so that
nothing behind it can fail: whatever is wrong is named by file, place, expected and found.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, NoReturn

from memidx import files
from memidx.errors import InputError, StoreCorrupt, StoreError, StoreVersion
from memidx.files import Signature
from memidx.jsonindex.checking import LARGEST_COUNT, Absent, Checker, is_text, shown
from memidx.sources.base import SUFFIXES
from memidx.store.manifest import ARTIFACT_TYPE

READ_VERSIONS = ("1.1", "1.2", "1.3")
"""Schema versions that are read whole."""

_LARGEST_BYTES = 2**30
# Writers round the mean; the one that is used is computed from the lengths.
_AVGDL_TOLERANCE = 0.01
_VERSION = re.compile(r"([0-9]{1,9})\.([0-9]{1,9})(?:\.[0-9]{1,9})*")
_READ_SUFFIXES = sorted(
    {suffix for known in SUFFIXES.values() for suffix in known} | {".py", ".sh", ".bash"}
)
# `#` may stand in a file's name; after a suffix that memidx reads it begins an anchor.
_ANCHORED = re.compile(
    rf"(git:[^#]+|sql:[^#]+|[^#]*?(?:{'|'.join(map(re.escape, _READ_SUFFIXES))}))#.", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class PublishedDocument:
    """One document of a published index.

    Attributes:
        doc_id: The path, with `-2` and so on where the index holds it again.
        path: `doc_id` without what names a part of the file.
        given: The path as the index spells it.
        length: In terms.
        tf: Term -> how often the document holds it.
        mtime: Seconds since the epoch, or None.
        source_hash: In hex; None before schema 1.3.
        norm_sq: `vector_norm_sq`, where the index holds it.
    """

    doc_id: str
    path: str
    given: str
    title: str
    length: int
    snippet: str
    paragraphs: tuple[str, ...]
    tf: Mapping[str, int]
    mtime: float | None
    source_hash: str | None
    norm_sq: float | None

    @property
    def text(self) -> str:
        """What the index holds of the text: its paragraphs, else its snippet."""
        return "\n\n".join(self.paragraphs) or self.snippet


@dataclass(frozen=True, slots=True)
class PublishedFile:
    """A published index that was read and checked.

    Attributes:
        version: Schema version.
        documents: In ascending order of `doc_id`, which is unique.
        build_id: `index_build_id`, or a hash of the file where it has none.
        fingerprint: `source_fingerprint`, where it has one.
        missing: Keys of the format that it lacks and a search does without.
        size_bytes: Of the file.
        signature: Of the file when it was read.
    """

    path: str
    version: str
    documents: tuple[PublishedDocument, ...]
    project_name: str
    framework: str
    built_at: str | None
    source_count: int | None
    build_id: str
    fingerprint: str | None
    missing: tuple[str, ...]
    signature: Signature

    @property
    def size_bytes(self) -> int:
        """Size of the file."""
        return self.signature.size

    @property
    def is_newer(self) -> bool:
        """Whether it may hold what this version does not know."""
        return self.version not in READ_VERSIONS


def read_published(path: str) -> PublishedFile:
    """Read a published index.

    Raises:
        InputError: The file is something else altogether.
        StoreVersion: Its schema is one that is not read.
        StoreCorrupt: It is not what such a file has to be.
        FileError: It cannot be read.
    """
    signature = files.signature(path)
    if signature is not None and signature.size > _LARGEST_BYTES:
        raise StoreError(
            "the index is too large to be read whole",
            path=path,
            expected=f"at most {_LARGEST_BYTES} bytes",
            found=f"{signature.size} bytes",
            hint="build a store from the sources instead: `memidx build`",
        )
    data, signature = files.read_signed(path)
    return parse_published(data, path, signature)


def parse_published(data: bytes, path: str, signature: Signature) -> PublishedFile:
    """The index that a file's bytes hold; raises as `read_published` does."""
    values = _object(data, path)
    check = Checker(path)
    version = _check_version(values, path)
    documents = _documents(values, check)
    _check_figures(values, documents, check)
    build_id = check.text(values, "index_build_id", optional=True)
    return PublishedFile(
        path=path,
        version=version,
        documents=tuple(sorted(documents, key=lambda document: document.doc_id)),
        project_name=check.text(values, "project_name", optional=True) or "",
        framework=check.text(values, "framework", optional=True) or "",
        built_at=check.text(values, "built_at", optional=True),
        source_count=check.count(values, "source_count", optional=True),
        build_id=build_id or sha256(data).hexdigest(),
        fingerprint=check.text(values, "source_fingerprint", optional=True),
        missing=tuple(
            key
            for key in ("project_name", "framework", "built_at", "source_count")
            if values.get(key) is None
        ),
        signature=signature,
    )


def _object(data: bytes, path: str) -> dict[str, Any]:
    """The JSON object of a file that claims to be an index."""
    start = data[:64].lstrip(b"\xef\xbb\xbf \t\r\n")
    if data.strip() and start[:1] not in (b"{", b"["):
        raise InputError(
            "not a store",
            path=path,
            expected="a store's folder, or a published JSON index",
            found="a file of another kind",
        )
    try:
        values = json.loads(data.decode("utf-8-sig"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None)
        raise StoreCorrupt(
            f"the index is not JSON: {str(error) or 'nested too deep'}",
            path=path,
            line=line if isinstance(line, int) else None,
            found=None if data.strip() else "an empty file",
            hint="make the file again, or restore it from git",
        ) from error
    if not isinstance(values, dict) or values.get("artifact_type") != ARTIFACT_TYPE:
        found = values.get("artifact_type") if isinstance(values, dict) else values
        raise StoreCorrupt(
            "not a memory index",
            path=path,
            expected=f'an object with "artifact_type": "{ARTIFACT_TYPE}"',
            found=shown(found),
            hint="name a store's folder, or a published JSON index",
        )
    return values


def _check_version(values: Mapping[str, Any], path: str) -> str:
    """The version, if the file is one that is read: 1.1 and later, but no other major."""
    found = values.get("memory_index_schema_version")
    match = _VERSION.fullmatch(found) if isinstance(found, str) else None
    if match is None:
        raise StoreCorrupt(
            "no usable memory_index_schema_version",
            path=path,
            expected="a version such as 1.3",
            found=shown(found),
        )
    major, minor = int(match[1]), int(match[2])
    if major == 1 and minor >= 1:
        return f"{major}.{minor}"
    if major == 2:
        what = f"a part of a store (schema {match[0]}), and not a whole index"
        hint = "name the folder that holds manifest.json"
    elif major > 1:
        what = f"the index was written by a newer program (schema {match[0]})"
        hint = "upgrade memidx, or build a store from the sources: `memidx build`"
    else:
        what = f"a published JSON index of schema {match[0]} is too old to be read"
        hint = "build a store from the sources instead: `memidx build`"
    expected = f"schema {READ_VERSIONS[0]} to {READ_VERSIONS[-1]}"
    raise StoreVersion(what, path=path, expected=expected, found=match[0], hint=hint)


def _documents(values: Mapping[str, Any], check: Checker) -> list[PublishedDocument]:
    listed = check.value(values, "documents", optional=False, expected="a list of objects")
    if not isinstance(listed, list):
        check.refuse("documents", "a list of objects", listed)
    numbers: dict[int | str, int] = {}
    for place, document in enumerate(listed):
        here = Checker(check.path, f"documents[{place}]")
        if not isinstance(document, dict):
            here.refuse("", "an object", document)
        given = here.value(document, "doc_id", optional=False, expected="a number or a string")
        if type(given) not in (int, str):
            here.refuse("doc_id", "a number or a string", given)
        if given in numbers:
            expected = f"another doc_id than that of documents[{numbers[given]}]"
            here.refuse("doc_id", expected, given)
        numbers[given] = place
    terms = _terms(values, numbers, check)
    made: list[PublishedDocument] = []
    taken: dict[str, int] = {}
    for place, document in enumerate(listed):
        here = Checker(check.path, f"documents[{place}]")
        made.append(_document(document, terms[place], taken, here))
    return made


def _terms(
    values: Mapping[str, Any], numbers: Mapping[int | str, int], check: Checker
) -> list[dict[str, int]]:
    """Term -> tf of each document, by its place in the list."""
    expected = "an object of lists"
    postings = check.value(values, "postings", optional=False, expected=expected)
    if not isinstance(postings, dict):
        check.refuse("postings", expected, postings)
    terms: list[dict[str, int]] = [{} for _ in numbers]
    for term, entries in postings.items():
        if not is_text(term):
            check.refuse("postings", "terms without half characters", ascii(term))
        if not isinstance(entries, list):
            check.refuse(f"postings[{shown(term)}]", "a list of {doc_id, tf}", entries)
        for nth, posting in enumerate(entries):
            doc_id, tf = (
                (posting.get("doc_id"), posting.get("tf"))
                if isinstance(posting, dict)
                else (None, None)
            )
            number = numbers.get(doc_id) if isinstance(doc_id, int | str) else None
            if (
                number is None
                or doc_id is True
                or doc_id is False
                or term in terms[number]
                or type(tf) is not int
                or not 0 < tf <= LARGEST_COUNT
            ):
                here = Checker(check.path, f"postings[{shown(term)}][{nth}]")
                _refuse_posting(posting, is_known=number is not None, check=here)
            terms[number][term] = tf
    return terms


def _refuse_posting(posting: Any, *, is_known: bool, check: Checker) -> NoReturn:
    """Say what is wrong with a posting."""
    if not isinstance(posting, dict):
        check.refuse("", "an object with doc_id and tf", posting)
    doc_id = posting.get("doc_id", Absent("no such key"))
    if not is_known or isinstance(doc_id, bool):
        check.refuse("doc_id", "the doc_id of a document", doc_id)
    check.count(posting, "tf", least=1)
    check.refuse("doc_id", "each document once for a term", doc_id)


def _document(
    values: Mapping[str, Any], tf: Mapping[str, int], taken: dict[str, int], check: Checker
) -> PublishedDocument:
    given = check.text(values, "path")
    if not given or "\0" in given:
        check.refuse("path", "a path", given)
    named = values["doc_id"]
    own = isinstance(named, str) and named.startswith(f"{given}#") and is_text(named)
    doc_id = unique = named if own else given
    while unique in taken:
        taken[doc_id] += 1
        unique = f"{doc_id}-{taken[doc_id]}"
    taken[unique] = 1
    anchored = _ANCHORED.match(given)
    paragraphs = values.get("paragraphs")
    if paragraphs is None:
        paragraphs = []
    if not isinstance(paragraphs, list):
        check.refuse("paragraphs", "a list of strings", paragraphs)
    for nth, paragraph in enumerate(paragraphs):
        if not isinstance(paragraph, str) or not is_text(paragraph):
            check.refuse(f"paragraphs[{nth}]", "a string", paragraph)
    return PublishedDocument(
        doc_id=unique,
        path=given if own or anchored is None else anchored[1],
        given=given,
        title=check.text(values, "title") or given.rpartition("/")[2],
        length=check.count(values, "length", least=1 if tf else 0) or 0,
        snippet=check.text(values, "snippet") or "",
        paragraphs=tuple(paragraphs),
        tf=tf,
        mtime=check.number(values, "source_mtime", optional=True),
        source_hash=check.text(values, "source_hash", optional=True) or None,
        norm_sq=check.number(values, "vector_norm_sq", optional=True),
    )


def _check_figures(
    values: Mapping[str, Any], documents: list[PublishedDocument], check: Checker
) -> None:
    """N and avgdl count the documents, or those that hold a term: a reader can tell no others."""
    n_docs = check.count(values, "N")
    searchable = [document.length for document in documents if document.tf]
    if n_docs not in (len(documents), len(searchable)):
        check.refuse("N", f"{len(documents)}, the number of documents", n_docs)
    avgdl = check.number(values, "avgdl", optional=False) or 0.0
    total = sum(document.length for document in documents)
    means = {total / count for count in (len(documents), len(searchable)) if count}
    if documents and not any(abs(avgdl - mean) <= _AVGDL_TOLERANCE for mean in means):
        mean = total / (len(searchable) or len(documents))
        check.refuse("avgdl", f"{mean:.6f}, the mean length", avgdl)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")
