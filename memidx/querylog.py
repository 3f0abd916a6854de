"""What was asked here, and which documents were opened after it?

A log for whoever writes golden queries, one JSON object a line in the store's cache: local, never
committed, kept only where `log.queries` says so, and of bounded size. What goes in is redacted
first. Nothing reads it but `memidx suggest`.
"""

from __future__ import annotations

import json
import os.path
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memidx import files
from memidx.files.appending import append
from memidx.search.answer import Answer
from memidx.store.folders import prepare_store, scratch_dir
from memidx.text.redact import redact

LOG_NAME = "queries.jsonl"
# Some thousand queries. Beyond it the older half goes, so that few queries pay for that.
MAX_BYTES = 2**20
# A longer line is not logged: one query must not push out the others.
MAX_LINE_BYTES = 2**14
_MAX_TEXT = 1000
_N_HITS = 5


@dataclass(frozen=True, slots=True)
class LoggedHit:
    """One of the first hits that were shown."""

    rank: int
    doc_id: str
    confidence: str


@dataclass(frozen=True, slots=True)
class LoggedQuery:
    """A query as it was asked, and what came back.

    Attributes:
        day: ISO date, UTC.
        text: The query, redacted.
        filters: Those that were given, by the names of the options.
    """

    day: str
    text: str
    verdict: str
    n_matched: int
    hits: tuple[LoggedHit, ...] = ()
    filters: Mapping[str, Any] = field(default_factory=dict)
    strategy: str = ""
    build_id: str = ""


@dataclass(frozen=True, slots=True)
class LoggedOpening:
    """A document that somebody opened."""

    day: str
    doc_id: str


def log_path(store: str) -> str:
    """Where the log of a store is; `store` is the path of its folder."""
    return os.path.join(store, ".cache", LOG_NAME)


def note_query(store: str, answer: Answer, filters: Mapping[str, Any], day: str) -> None:
    """Add a query to the log.

    Args:
        store: Path of the store's folder.
        answer: What the query got.
        filters: Option -> value; those that filter nothing are left out.
        day: ISO date.

    Raises:
        FileError: The log cannot be written.
    """
    hits = [
        {"rank": hit.rank, "doc_id": hit.doc_id, "confidence": hit.confidence}
        for hit in answer.hits[:_N_HITS]
    ]
    entry = {
        "day": day,
        "query": answer.text,
        "filters": {name: value for name, value in filters.items() if value},
        "verdict": answer.verdict,
        "n_matched": answer.n_matched,
        "hits": hits,
        "strategy": answer.strategy,
        "build_id": answer.build_id,
    }
    _append(store, entry)


def note_opened(store: str, doc_id: str, day: str) -> None:
    """Add to the log that a document was opened; arguments and errors as for `note_query`."""
    _append(store, {"day": day, "opened": doc_id})


def read_log(store: str) -> tuple[list[LoggedQuery | LoggedOpening], int]:
    """What is in the log, the oldest first, and how many lines could not be read.

    Raises:
        FileError: There is a log, and it cannot be read.
    """
    path = log_path(store)
    if not files.exists(path):
        return [], 0
    entries: list[LoggedQuery | LoggedOpening] = []
    n_unreadable = 0
    for line in files.read_bytes(path, 2 * MAX_BYTES).split(b"\n"):
        if not line:
            continue
        try:
            entries.append(_entry(json.loads(line)))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            # A process that was killed leaves half a line, and a person may have edited it.
            n_unreadable += 1
    return entries, n_unreadable


def _append(store: str, entry: Mapping[str, Any]) -> None:
    text = json.dumps(_redacted(entry), ensure_ascii=False, separators=(",", ":"))
    # What an argument holds beside characters becomes `\udc80`, which JSON reads.
    line = text.encode("utf-8", "backslashreplace") + b"\n"
    if len(line) > MAX_LINE_BYTES:
        return
    prepare_store(store)  # the cache keeps itself out of git
    path = log_path(store)
    if append(path, line) > MAX_BYTES:
        # What others add in this instant is lost; a lock would cost more than it is worth.
        kept = files.read_bytes(path)[-MAX_BYTES // 2 :].partition(b"\n")[2]
        files.write_atomic(path, kept, scratch_dir=scratch_dir(store), durable=False)


def _redacted(value: Any) -> Any:
    if isinstance(value, str):
        # Cut afterwards: half a secret has another shape.
        return redact(value)[:_MAX_TEXT]
    if isinstance(value, Mapping):
        return {key: _redacted(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_redacted(inner) for inner in value]
    return value


def _entry(line: Any) -> LoggedQuery | LoggedOpening:
    if "opened" in line:
        return LoggedOpening(_text(line["day"]), _text(line["opened"]))
    hits = [
        LoggedHit(int(hit["rank"]), _text(hit["doc_id"]), _text(hit["confidence"]))
        for hit in line["hits"]
    ]
    return LoggedQuery(
        day=_text(line["day"]),
        text=_text(line["query"]),
        verdict=_text(line["verdict"]),
        n_matched=int(line["n_matched"]),
        hits=tuple(hits),
        filters=dict(line["filters"]),
        strategy=_text(line["strategy"]),
        build_id=_text(line["build_id"]),
    )


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not text")
    return value
