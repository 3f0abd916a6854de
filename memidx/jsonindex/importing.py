"""Which lines of a store does a published index become?

Such a file holds terms and the first paragraphs, not the text. Where the source is below root and
proves to be what was indexed (by `source_hash`, or before schema 1.3 by its terms), the document is
made from the source, exactly as a build makes it. Else it holds the paragraphs, says so in its
`meta`, and is reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from memidx import files
from memidx.analysis.ascii_compat import AsciiCompatAnalyzer
from memidx.config import DEFAULT_SOURCE, SourceConfig
from memidx.documents import Document, make_document
from memidx.errors import FileError
from memidx.jsonindex.compare import place_of
from memidx.jsonindex.parsing import PublishedDocument, PublishedFile
from memidx.sources import FEED_KINDS, FILE_KINDS
from memidx.sources.base import Item, Skip, SourceFailed
from memidx.sources.listing import list_files
from memidx.store.line import encode_line
from memidx.text import FEEDS
from memidx.text.paths import identity, is_within, printable, relative_to
from memidx.text.redact import holds_secret, redact, redact_local_paths

_GONE = "its source is not below root"
_CHANGED = "its source changed since it was indexed"
_NO_ROOT = "root is not known"


@dataclass(frozen=True, slots=True)
class Imported:
    """What a published index became.

    Attributes:
        lines: `doc_id` -> line.
        partial: Documents that hold their paragraphs alone, and why.
        skipped: Documents that were left out, and why.
    """

    lines: Mapping[str, bytes]
    partial: tuple[Skip, ...]
    skipped: tuple[Skip, ...]


def import_documents(
    published: PublishedFile,
    *,
    root: str | None,
    sources: Sequence[SourceConfig],
    max_bytes: int,
    own: Sequence[str],
    env: Mapping[str, str],
) -> Imported:
    """Lines of the documents of an index.

    Args:
        published: The index.
        root: Absolute path below which the sources are looked for; None looks for none.
        sources: In order of precedence.
        max_bytes: Size cap of one document.
        own: Absolute paths that are never a source.
        env: The environment, for sources that run another program.
    """
    entries = [_placed(document, root) for document in published.documents]
    there = {} if root is None else _there(entries, root, sources, max_bytes, own, env)
    lines: dict[str, bytes] = {}
    partial: list[Skip] = []
    skipped: list[Skip] = []
    seen: set[str] = set()
    fallback = next((s for s in sources if s.kind == "markdown"), DEFAULT_SOURCE)
    for entry in entries:
        name = printable(entry.doc_id)
        if holds_secret(entry.doc_id):
            skipped.append(Skip(redact(name), "its path holds a secret"))
            continue
        document = there.get(entry.doc_id)
        whole = document is not None and entry.doc_id not in seen and _is_same(document, entry)
        if not whole:
            reason = _NO_ROOT if root is None else _CHANGED if document is not None else _GONE
            document = _from_paragraphs(entry, published.version, fallback, seen, max_bytes)
            if document is None:
                skipped.append(Skip(name, "the index holds no text of it"))
                continue
            n_kept = len(entry.paragraphs)
            held = f"{n_kept:,} paragraph{'' if n_kept == 1 else 's'}" if n_kept else "a snippet"
            partial.append(Skip(document.doc_id, f"only {held} of it: {reason}"))
        if document is not None:
            seen.add(document.doc_id)
            lines[document.doc_id] = encode_line(document)
    return Imported(lines, tuple(partial), tuple(skipped))


def _placed(document: PublishedDocument, root: str | None) -> PublishedDocument:
    """The document under the identity that its file has below root."""
    path = document.path
    if root is not None and path.startswith("/") and is_within(path, root):
        path = relative_to(path, root)
    else:
        path = redact_local_paths(path)
    if not path.startswith(("git:", "sql:")):
        path = identity(path).lstrip("/")
        while path.startswith("../"):
            # A name in the store must not lead out of it.
            path = path[3:].lstrip("/")
    return replace(
        document,
        path=path,
        doc_id=path + document.doc_id[len(document.path) :],
        given=path + document.given[len(document.path) :],
    )


def _there(
    entries: Sequence[PublishedDocument],
    root: str,
    sources: Sequence[SourceConfig],
    max_bytes: int,
    own: Sequence[str],
    env: Mapping[str, str],
) -> dict[str, Document]:
    """`doc_id` -> document as a build would make it now, for what the index holds."""
    wanted = {entry.path: entry for entry in entries}
    made: dict[str, Document] = {}
    listing = list_files(root, tuple(sources), own)
    for source in sources:
        taken = [entry for entry in listing.by_source[source.name] if entry.path in wanted]
        for file in taken:
            del wanted[file.path]
            _read(source, file.path, file.disk_path, max_bytes, made)
    for path, entry in wanted.items():
        # A file that no source takes was perhaps named one by one.
        place = place_of(entry, root)
        if place is not None and files.is_file(place):
            _read(DEFAULT_SOURCE, path, place, max_bytes, made)
    for source in sources:
        if source.kind in FEEDS:
            for item in _fed(source, entries, root, env):
                _make(item, source, set(), max_bytes, made)
    return made


def _read(
    source: SourceConfig, path: str, disk_path: str, max_bytes: int, made: dict[str, Document]
) -> None:
    try:
        data = files.read_bytes(disk_path)
    except FileError:
        return  # and so it is not there
    anchors: set[str] = set()
    for item in FILE_KINDS[source.kind].parse(source, path, data).items:
        _make(item, source, anchors, max_bytes, made)


def _make(
    item: Item,
    source: SourceConfig,
    anchors: set[str],
    max_bytes: int,
    made: dict[str, Document],
) -> None:
    document, _ = make_document(item, source, anchor_seen=anchors, max_bytes=max_bytes)
    if document is not None:
        made[document.doc_id] = document


def _fed(
    source: SourceConfig, entries: Sequence[PublishedDocument], root: str, env: Mapping[str, str]
) -> Iterator[Item]:
    """Items of a feed for documents of the index, as far as it still has them."""
    kind = FEED_KINDS[source.kind]
    for part in kind.parts(source):
        anchors = {
            entry.doc_id[len(part) + 1 :]
            for entry in entries
            if entry.doc_id.startswith(f"{part}#")
        }
        if not anchors:
            continue
        try:
            token = kind.token(source, part, root)
            fed = kind.read(source, part, root, token=token, since=None, env=env)
            yield from (i for i in fed.items if isinstance(i, Item) and i.anchor in anchors)
        except SourceFailed:
            continue  # its documents keep their paragraphs


def _is_same(document: Document, entry: PublishedDocument) -> bool:
    """Whether a document is the one that was indexed."""
    if entry.source_hash is not None:
        return document.source_hash == entry.source_hash
    (terms,) = AsciiCompatAnalyzer().document(
        title=document.title, path=document.path, text=document.text
    )
    return dict(terms.tf) == dict(entry.tf)


def _from_paragraphs(
    entry: PublishedDocument,
    version: str,
    source: SourceConfig,
    seen: set[str],
    max_bytes: int,
) -> Document | None:
    """What the index itself holds of a document, marked as a part."""
    rest = entry.doc_id[len(entry.path) :]
    item = Item(
        path=entry.path,
        anchor=rest[1:] if rest.startswith("#") else None,
        text=f"{entry.text}\n" if entry.text.strip() else "",
        title=entry.title,
        meta={"imported": {"from": f"memory-index {version}", "partial": True}},
    )
    document, _ = make_document(item, source, anchor_seen=seen, max_bytes=max_bytes)
    if document is None or entry.source_hash is None:
        return document
    # The hash of what it was made from: once that is there again, a build finds it unchanged.
    return replace(document, source_hash=entry.source_hash)
