"""What does a collection in BEIR layout hold?

`corpus.jsonl` (`_id title text`), `queries.jsonl` (`_id text`) and `qrels.tsv` (query-id,
corpus-id, score; also looked for as `qrels/test.tsv`). Whatever is wrong is named by file and
line. Layout: Thakur et al., "BEIR", NeurIPS 2021.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from memidx import files
from memidx.errors import SuiteError

# trec_eval keeps a counter for every grade up to the highest.
_MAX_GRADE = 1000
_WHOLE = re.compile(r"[-+]?[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class Collection:
    """A test collection.

    Attributes:
        folder: Where it was read from, as given.
        documents: `(doc_id, title, text)` in the order of the file.
        queries: Text by query_id, in the order of the file.
        qrels: `qrels[query_id][doc_id]` is the grade.
    """

    folder: str
    documents: tuple[tuple[str, str, str], ...]
    queries: Mapping[str, str]
    qrels: Mapping[str, Mapping[str, int]]


def load_collection(folder: str) -> Collection:
    """Read a collection.

    Raises:
        SuiteError: With file and line, when something is missing, malformed or there twice.
        FileError: When a file cannot be read.
    """
    if not files.is_dir(folder):
        raise SuiteError("no such folder", path=folder, expected="a collection in BEIR layout")
    documents: dict[str, tuple[str, str, str]] = {}
    for line, record, path in _records(folder, "corpus.jsonl"):
        doc_id = _identity(record, path, line, documents)
        title = "" if record.get("title") is None else _text(record, "title", path, line)
        documents[doc_id] = (doc_id, title, _text(record, "text", path, line))
    queries: dict[str, str] = {}
    for line, record, path in _records(folder, "queries.jsonl"):
        queries[_identity(record, path, line, queries)] = _text(record, "text", path, line)
    qrels = _qrels(folder)
    for name, content in (("corpus.jsonl", documents), ("queries.jsonl", queries)):
        if not content:
            raise SuiteError("empty", path=f"{folder}/{name}", expected="one record a line")
    return Collection(folder, tuple(documents.values()), queries, qrels)


def _records(folder: str, name: str) -> Iterator[tuple[int, dict[str, Any], str]]:
    """Line number, record and path of each line that is not blank."""
    path = f"{folder}/{name}"
    for number, line in _lines(path):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise SuiteError(f"not JSON: {error}", path=path, line=number) from error
        if not isinstance(record, dict):
            found = type(record).__name__
            raise SuiteError("not a JSON object", path=path, line=number, found=found)
        yield number, record, path


def _lines(path: str) -> Iterator[tuple[int, str]]:
    if not files.is_file(path):
        raise SuiteError(
            "missing", path=path, hint="a collection has corpus.jsonl, queries.jsonl, qrels.tsv"
        )
    for number, data in enumerate(files.read_lines(path), 1):
        try:
            # Only the first line can begin with a byte order mark.
            yield number, data.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise SuiteError(f"not UTF-8: {error.reason}", path=path, line=number) from error


def _identity(record: Mapping[str, Any], path: str, line: int, known: Mapping[str, object]) -> str:
    value = record.get("_id")
    # Some collections number their documents; the qrels file holds text either way.
    identity = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    if not isinstance(identity, str) or not identity:
        raise SuiteError("_id is missing or not text", path=path, line=line)
    if identity in known:
        raise SuiteError(f"the _id {identity!r} is there twice", path=path, line=line)
    return identity


def _text(record: Mapping[str, Any], key: str, path: str, line: int) -> str:
    value = record.get(key)
    if not isinstance(value, str):
        raise SuiteError(f"{key} is missing or not text", path=path, line=line)
    return value


def _qrels(folder: str) -> dict[str, dict[str, int]]:
    path = f"{folder}/qrels.tsv"
    if not files.is_file(path) and files.is_file(f"{folder}/qrels/test.tsv"):
        path = f"{folder}/qrels/test.tsv"
    qrels: dict[str, dict[str, int]] = {}
    for number, line in _lines(path):
        if not line.strip():
            continue
        cells = line.split("\t")
        if len(cells) != 3 or not cells[0] or not cells[1]:
            expected = "query-id, corpus-id and score, set apart by tabs"
            raise SuiteError("not a judgement", path=path, line=number, expected=expected)
        query_id, doc_id, score = cells
        if not _WHOLE.fullmatch(score.strip()):
            if number == 1 and not any(character.isdigit() for character in score):
                continue  # the header
            expected = "a whole number"
            raise SuiteError("not a grade", path=path, line=number, expected=expected, found=score)
        grade = int(score)
        if grade > _MAX_GRADE:
            expected = f"at most {_MAX_GRADE}"
            raise SuiteError(
                "grade is out of range", path=path, line=number, expected=expected, found=score
            )
        if qrels.setdefault(query_id, {}).setdefault(doc_id, grade) != grade:
            raise SuiteError(
                f"two grades for query {query_id!r} and document {doc_id!r}",
                path=path,
                line=number,
            )
    if not qrels:
        raise SuiteError("no judgements", path=path)
    return qrels
