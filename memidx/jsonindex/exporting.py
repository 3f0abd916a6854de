"""How does a store become one published JSON file?

Pure: documents in, the bytes of an index of schema 1.3 out, the same for the same documents on
every day and machine. Times are those of the content or one that is given, never a clock's.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from memidx.analysis.ascii_compat import AsciiCompatAnalyzer
from memidx.documents import Document
from memidx.jsonindex.shape import Entry, assemble
from memidx.text import days_since_epoch
from memidx.text.dates import time_from_seconds

_DAY_SECONDS = 86_400


@dataclass(frozen=True, slots=True)
class Exported:
    """A published index, and what is not in it.

    Attributes:
        index: The dict, as `json.load` would give it.
        left_out: `doc_id`s of documents without a single term, which no index of this format has.
    """

    index: dict[str, Any]
    left_out: tuple[str, ...]

    def to_bytes(self) -> bytes:
        """The file: compact JSON on one line."""
        text = json.dumps(self.index, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        return f"{text}\n".encode()


def export_documents(
    documents: Iterable[Document],
    *,
    project_name: str,
    framework: str,
    epoch_s: int | None = None,
) -> Exported:
    """The published index of these documents.

    Documents are numbered in order of `doc_id`, so that ties go the same way as in a store, and
    are called by their `doc_id`: for a whole file that is its path.

    Args:
        documents: In any order, no `doc_id` twice.
        project_name: Kept in the index.
        framework: Kept in the index.
        epoch_s: `SOURCE_DATE_EPOCH`: when the index was built, and the time of undated documents.
    """
    analyzer = AsciiCompatAnalyzer()
    entries: list[Entry] = []
    left_out: list[str] = []
    paths: set[str] = set()
    for document in sorted(documents, key=lambda document: document.doc_id):
        paths.add(document.path)
        (terms,) = analyzer.document(title=document.title, path=document.path, text=document.text)
        if not terms.tf:
            left_out.append(document.doc_id)
            continue
        entries.append(
            Entry(
                path=document.doc_id,
                title=document.title,
                text=document.text,
                tf=terms.tf,
                length=terms.length,
                source_hash=document.source_hash,
                mtime=_seconds(document.time, epoch_s or 0),
            )
        )
    latest = max((int(entry.mtime) for entry in entries), default=0)
    index = assemble(
        entries,
        project_name=project_name,
        framework=framework,
        built_at=time_from_seconds(latest if epoch_s is None else epoch_s) or "",
        source_count=len(paths),
    )
    index["postings"] = dict(sorted(index["postings"].items()))
    return Exported(index, tuple(left_out))


def _seconds(time: str | None, undated: int) -> float:
    """Seconds since the epoch of a document's time."""
    if time is None:
        return float(undated)
    try:
        # A day is no exact fraction; a time has no more than six digits of a second.
        return round(days_since_epoch(time) * _DAY_SECONDS, 3)
    except ValueError:  # another program wrote the line
        return float(undated)
