"""What did a file become?

Reads files and makes their documents and lines: pure functions of a task, so that a crew can share
them. Who asked puts the results together (`memidx.indexing.scan`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple, Protocol

from memidx.config import SourceConfig
from memidx.crew import current_crew
from memidx.documents import Document, Seen, make_document, see
from memidx.errors import FileError, InputError
from memidx.files import is_missing, may_pass, read_bytes
from memidx.garbage import collector_paused
from memidx.indexing.packing import DocRef
from memidx.sources import FILE_KINDS
from memidx.sources.artifacts import is_artifact
from memidx.sources.base import Item, Parsed, Skip
from memidx.store.layout import SHARD_CAP_BYTES
from memidx.store.line import encode_line, line_sum

# Bytes of files that a process reads at once.
_BATCH_BYTES = 1 << 20
# Towards the end of shared reading a batch has one of so many parts, for each process, of what is
# left, but at least so many bytes.
_LAST_BATCHES, _LEAST_BATCH_BYTES = 2, 1 << 17
# What a file costs beside its bytes.
_FILE_BYTES = 1 << 10
# So much is read alone before a crew has started.
_LEAST_BYTES = 1 << 22


class Made:
    """Documents of one file or part, until all of it was read.

    Attributes:
        refs: Of each document, by `doc_id`; `lines`, `documents` and `follows` likewise.
        skips: What was left out.
    """

    __slots__ = ("documents", "follows", "lines", "refs", "skips")

    def __init__(self) -> None:
        self.refs: dict[str, DocRef] = {}
        self.skips: list[Skip] = []
        self.lines: dict[str, bytes] = {}
        self.documents: dict[str, Document] = {}
        self.follows: dict[str, tuple[str, ...]] = {}


class Task(NamedTuple):
    """A file to read.

    Attributes:
        source: The source it belongs to.
        path: Identity.
        disk_path: Absolute path as on disk.
        size_bytes: What it held when it was listed.
        digest: Of the bytes whose documents are known, or None.
        max_bytes: Cap of a document.
    """

    source: SourceConfig
    path: str
    disk_path: str
    size_bytes: int
    digest: str | None
    max_bytes: int


class Read(NamedTuple):
    """What reading a file gave.

    Attributes:
        digest: Hash of its bytes.
        made: Its documents; None where its bytes are the known ones, or could not be read.
        refusal: Why it could not be read, or None.
        is_missing: Whether it is not there.
        may_pass: Whether the refusal says something about the moment, and not about the file.
    """

    digest: str = ""
    made: Made | None = None
    refusal: str | None = None
    is_missing: bool = False
    may_pass: bool = False


class Observer(Protocol):
    """Makes more of documents in the process that reads them, and then keeps that alone.

    Attributes:
        make: What to make of the documents of some files; it and its results must be picklable.
    """

    make: Callable[[list[tuple[Document, DocRef]]], Any]

    def get_ready(self) -> None:
        """Load what `make` needs here: asked for when helpers have something to do."""
        ...

    def take(self, made: Any) -> None:
        """Take in a result, in the order of the files."""
        ...


def read_files(tasks: Iterable[Task], observer: Observer | None = None) -> Iterator[Read]:
    """Results in the order of the tasks, with the crew's help where that saves time.

    Args:
        tasks: Files; gone through twice.
        observer: It gets the documents; the results are without them then.
    """
    crew = current_crew()
    size = sum(task.size_bytes + _FILE_BYTES for task in tasks)
    is_shared = crew is not None and size >= _LEAST_BYTES
    if observer is None and not is_shared:
        yield from map(read_file, tasks)
        return
    make, get_ready = (observer.make, observer.get_ready) if observer else (None, None)
    work = partial(_read_batch, make)
    if crew is not None and is_shared:
        batches = _batches(tasks, size, _LAST_BATCHES * crew.size)
        results = crew.map(work, batches, get_ready=get_ready)
    else:
        if get_ready is not None:
            get_ready()
        results = map(work, _batches(tasks, size, 1))
    for reads, made in results:
        if observer is not None:
            observer.take(made)
        yield from reads


def read_file(task: Task) -> Read:
    """Read a file and make its documents."""
    found = _parse(task)
    return found if isinstance(found, Read) else _read(found)


class _File(NamedTuple):
    """A file whose items are known: its task, the hash of its bytes, and the items."""

    task: Task
    digest: str
    parsed: Parsed


def _parse(task: Task) -> _File | Read:
    """The items of a file, or what there is to say without any."""
    try:
        data = read_bytes(task.disk_path)
    except FileError as error:
        return Read(refusal=error.what, is_missing=is_missing(error), may_pass=may_pass(error))
    digest = hashlib.blake2b(data, digest_size=16).hexdigest()
    if digest == task.digest:
        return Read(digest)
    if is_artifact(data):
        return _File(task, digest, Parsed())
    return _File(task, digest, FILE_KINDS[task.source.kind].parse(task.source, task.path, data))


def _read(file: _File, seen: Iterator[Seen] | None = None) -> Read:
    """The documents of a file; `seen` has a word about each of its items."""
    task, digest, parsed = file
    made = Made()
    made.skips += parsed.skips
    anchors: set[str] = set()
    for item in parsed.items:
        of_item = next(seen) if seen else None
        made.skips.extend(
            add_item(task.source, item, anchors, made, max_bytes=task.max_bytes, seen=of_item)
        )
    return Read(digest, made)


def add_item(
    source: SourceConfig,
    item: Item,
    anchors: set[str],
    made: Made,
    *,
    max_bytes: int,
    seen: Seen | None = None,
) -> tuple[Skip, ...]:
    """Add an item's document to what was made, and say what was left out of it."""
    document, skips = make_document(
        item, source, anchor_seen=anchors, max_bytes=max_bytes, seen=seen
    )
    if document is None:
        return skips
    try:
        line = encode_line(document)
    except InputError as error:
        return (*skips, Skip(item.path, error.what, item.line, source.name))
    if len(line) > SHARD_CAP_BYTES:
        reason = f"its line of {len(line):,} bytes does not fit in a shard"
        return (*skips, Skip(item.path, reason, item.line, source.name))
    made.lines[document.doc_id] = line
    made.documents[document.doc_id] = document
    made.refs[document.doc_id] = DocRef(document.doc_id, line_sum(line), item.line)
    return skips


def _read_batch(
    make: Callable[[list[tuple[Document, DocRef]]], Any] | None, tasks: list[Task]
) -> tuple[list[Read], Any]:
    with collector_paused():
        files = [*map(_parse, tasks)]
        items = [item for file in files if isinstance(file, _File) for item in file.parsed.items]
        seen = iter(see(items, tasks[0].max_bytes))
        reads = [file if isinstance(file, Read) else _read(file, seen) for file in files]
        if make is None:
            return reads, None
        made = [read.made for read in reads if read.made is not None]
        found = make(
            [(doc, one.refs[doc.doc_id]) for one in made for doc in one.documents.values()]
        )
        for one in made:
            one.documents.clear()
        return reads, found


def _batches(tasks: Iterable[Task], left_bytes: int, n_last: int) -> Iterator[list[Task]]:
    """Tasks to be done together: fewer when few are left, so that nobody waits for the last.

    Args:
        left_bytes: Of all tasks.
        n_last: No batch has more than one of so many parts of what is left.
    """
    batch: list[Task] = []
    size = 0
    for task in tasks:
        batch.append(task)
        size += task.size_bytes + _FILE_BYTES
        if size >= min(_BATCH_BYTES, max(_LEAST_BATCH_BYTES, left_bytes // n_last)):
            yield batch
            left_bytes -= size
            batch, size = [], 0
    if batch:
        yield batch
