"""What is one document?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Document:
    """One document, as the store keeps it.

    Attributes:
        doc_id: Stable external identity: `path`, or `path#anchor`.
        source: Name of the source it came from.
        kind: Kind of that source (`markdown`, `records`, …).
        path: POSIX, NFC, relative to root.
        title: Never empty.
        time: ISO 8601 date or date-time taken from content, or None.
        tags: In the file's order, without repeats.
        meta: Further facts; JSON values only, redacted.
        source_hash: Hash of the document's own text before redaction.
        text: Decoded, redacted, LF line ends; otherwise the file's own words.
    """

    doc_id: str
    source: str
    kind: str
    path: str
    title: str
    time: str | None
    tags: tuple[str, ...]
    meta: Mapping[str, Any]
    source_hash: str
    text: str

    @property
    def anchor(self) -> str | None:
        """What follows the path in `doc_id`, or None for a whole file."""
        return self.doc_id[len(self.path) + 1 :] if len(self.doc_id) > len(self.path) else None
