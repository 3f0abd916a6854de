"""What does a source hand over?

A source kind gives `Item`s: decoded text and what the source says of it. A *file kind* is handed a
file's bytes; a *feed* (the commits of a repository) has no files and is asked what it holds.
What makes an item a document (identity, redaction, title, size cap) is one layer up, in
`memidx.documents`, so that every kind gets it alike.
"""

from __future__ import annotations

import os.path

from memidx.config import DEFAULT_INCLUDE, SourceConfig
from memidx.files import Signature
from memidx.light import TYPE_CHECKING, Protocol
from memidx.values import Value, field

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from typing import Any

# Here and not beside each kind, because a search has to know them and need not load the kinds.
_TEXT_SUFFIXES = frozenset((".md", ".markdown", ".mdx", ".rst", ".txt"))
SUFFIXES: Mapping[str, frozenset[str]] = {
    "markdown": _TEXT_SUFFIXES,
    "changelog": _TEXT_SUFFIXES,
    "records": frozenset((".jsonl", ".ndjson", ".json", ".yaml", ".yml", ".csv", ".tsv")),
    "openapi": frozenset((".json", ".yaml", ".yml")),
    "code": frozenset((".py", ".pyi", ".sh", ".bash")),
}
# Among suffixes, this stands for names without any: no name ends with it.
NO_SUFFIX = "/"


def suffixes_of(source: SourceConfig) -> frozenset[str]:
    """The suffixes that files of a source have.

    A program often has none; such files are looked at where globs were chosen for them.
    """
    suffixes = SUFFIXES[source.kind]
    if source.kind == "code" and source.include != DEFAULT_INCLUDE["code"]:
        return suffixes | {NO_SUFFIX}
    return suffixes


def has_suffix(name: str, suffixes: tuple[str, ...]) -> bool:
    """Whether a file's name, or path, ends with one of these, `NO_SUFFIX` among them or not."""
    if name.lower().endswith(suffixes):
        return True
    return NO_SUFFIX in suffixes and "." not in name[name.rfind("/") + 1 :]


class FileEntry(Value):
    """A file that belongs to a source.

    Attributes:
        path: Identity: POSIX, NFC, relative to root.
        root: Absolute path of the root.
        place: Path below root, as the file system spells it.
        signature: What `stat` said when the file was listed.
    """

    path: str
    root: str
    place: str
    signature: Signature

    @property
    def disk_path(self) -> str:
        """Absolute path as the file system spells it."""
        return os.path.join(self.root, self.place)


class Item(Value):
    """One piece of a source, before it is a document.

    Attributes:
        path: Identity of the file, or of the part of a feed, it came from.
        anchor: What names it in there (a record's id, a commit); None for a whole file.
        text: Decoded text with LF line ends, not yet redacted.
        title: What the file says its title is, or None.
        time: ISO 8601 date or date-time from content, or None.
        tags: In the file's order.
        meta: Further facts; JSON values only.
        line: 1-based line of the file where the text begins.
        follows: Anchors of the items it builds on (a commit's parents), where items do.
    """

    path: str
    anchor: str | None
    text: str
    title: str | None = None
    time: str | None = None
    tags: tuple[str, ...] = ()
    meta: Mapping[str, Any] = field(default_factory=dict)
    line: int = 1
    follows: tuple[str, ...] = ()


class Gone(Value):
    """An item that a feed gave before and does not hold any more."""

    anchor: str


class Skip(Value):
    """Something that was not indexed, or not whole, and why."""

    path: str
    reason: str
    line: int | None = None
    source: str | None = None


class Parsed(Value):
    """What a source kind made of one file."""

    items: tuple[Item, ...] = ()
    skips: tuple[Skip, ...] = ()


class FileKind(Protocol):
    """A kind of source that reads files; a module each in this package."""

    name: str
    suffixes: frozenset[str]

    def parse(self, source: SourceConfig, path: str, data: bytes) -> Parsed:
        """Items of one file; never raises for what the file holds."""


class SourceFailed(Exception):  # noqa: N818 - "the source failed" is what users are told
    """A feed cannot say what it holds; its documents stay as they are.

    Args:
        reason: Why, for a person.
        in_token: Whether the token tells it too, so that as long as the token stays the same there
            is no use in trying again.
    """

    def __init__(self, reason: str, *, in_token: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.in_token = in_token


class Fed(Value):
    """What a feed gave of one part.

    Attributes:
        items: Read once; may raise `SourceFailed` at any point, and then nothing of it counts.
        whole: Whether this is all there is, and not what was asked for alone.
    """

    items: Iterator[Item | Gone | Skip]
    whole: bool


class FeedKind(Protocol):
    """A kind of source without files, in one or more parts (repositories); a module each.

    `parts` and `token` run on every search and must be cheap to load and to run.
    """

    name: str

    def parts(self, source: SourceConfig) -> tuple[str, ...]:
        """Identities of the parts: the `path` of their items. From the configuration alone."""

    def token(self, source: SourceConfig, part: str, root: str) -> str | None:
        """What stands for the state of a part: equal tokens, equal items.

        None when that cannot be told without reading the part; answers are then `unchecked`.
        """

    def grows(self, source: SourceConfig) -> bool:
        """Whether a store that lacks the newest items is still up to date.

        True where committing the store makes an item by itself.
        """

    def read(
        self,
        source: SourceConfig,
        part: str,
        root: str,
        *,
        token: str | None,
        since: str | None,
        env: Mapping[str, str],
    ) -> Fed:
        """The items of a part in the state a token stands for.

        Args:
            token: As `token` gave it.
            since: An earlier token; what changed since then is enough.
            env: The environment, for what has to run another program.

        Raises:
            SourceFailed: They cannot be read now.
        """

    def pick(
        self,
        source: SourceConfig,
        part: str,
        root: str,
        *,
        anchors: Collection[str],
        env: Mapping[str, str],
    ) -> Fed:
        """At least these items of a part, which `read` has given before."""

    def is_at_home(
        self,
        source: SourceConfig,
        root: str,
        doc_ids: Collection[str],
        env: Mapping[str, str],
    ) -> bool:
        """Whether root is where at least one of these documents came from."""
