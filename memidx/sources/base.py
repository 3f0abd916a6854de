"""What does a source hand over?

A source kind turns files into `Item`s: decoded text and what the file says of it.
What makes an item a document (identity, redaction, title, size cap) is one layer up, in
`memidx.documents`, so that every kind gets it alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from memidx.config import SourceConfig
from memidx.files import Signature

# Here and not beside each kind, because a search has to know them and need not load the kinds.
SUFFIXES: Mapping[str, frozenset[str]] = {
    "markdown": frozenset((".md", ".markdown", ".mdx", ".rst", ".txt")),
    "records": frozenset((".jsonl", ".ndjson", ".json", ".yaml", ".yml", ".csv", ".tsv")),
}


RULES_VERSION = 1
"""Raise it whenever a file's bytes could give another document than before (a parser's rule, a
redaction, a title): what was recorded of files under earlier rules is then read anew."""


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A file that belongs to a source.

    Attributes:
        path: Identity: POSIX, NFC, relative to root.
        disk_path: Absolute path as the file system spells it.
        signature: What `stat` said when the file was listed.
    """

    path: str
    disk_path: str
    signature: Signature


@dataclass(frozen=True, slots=True)
class Item:
    """One piece of a source file, before it is a document.

    Attributes:
        path: Identity of the file it came from.
        anchor: What names it inside the file (a record's id); None for a whole file.
        text: Decoded text with LF line ends, not yet redacted.
        title: What the file says its title is, or None.
        time: ISO 8601 date or date-time from content, or None.
        tags: In the file's order.
        meta: Further facts; JSON values only.
        line: 1-based line of the file where the text begins.
    """

    path: str
    anchor: str | None
    text: str
    title: str | None = None
    time: str | None = None
    tags: tuple[str, ...] = ()
    meta: Mapping[str, Any] = field(default_factory=dict)
    line: int = 1


@dataclass(frozen=True, slots=True)
class Skip:
    """Something that was not indexed, or not whole, and why."""

    path: str
    reason: str
    line: int | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a source kind made of one file."""

    items: tuple[Item, ...] = ()
    skips: tuple[Skip, ...] = ()


class SourceKind(Protocol):
    """One kind of source; a module each in this package."""

    name: str
    suffixes: frozenset[str]

    def parse(self, source: SourceConfig, path: str, data: bytes) -> Parsed:
        """Items of one file; never raises for what the file holds."""
        ...
