"""What did each of thousands of files become, when hardly anybody asks?

A search on an unchanged project does not, and one after an edit asks about one of them. So each is
kept as a line of JSON, and read when somebody asks for that file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memidx.indexing.amended import Amended
from memidx.light import TYPE_CHECKING, parse_json
from memidx.sources.base import Skip
from memidx.values import NamedTuple, Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any


class DocRef(NamedTuple):
    """One document a file became: its id, its line's checksum, the line where it begins."""

    doc_id: str
    sum: str
    line: int


class PackedDocs(Sequence[DocRef]):
    """The documents of a part of a feed, as one text until somebody asks for them.

    There may be tens of thousands, and a search whose feeds are as they were needs none of them.
    """

    __slots__ = ("_refs", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._refs: tuple[DocRef, ...] | None = None

    def __len__(self) -> int:
        return self._text.count("\n")

    def __getitem__(self, index: int | slice) -> Any:
        return self._unpacked()[index]

    def __iter__(self) -> Iterator[DocRef]:
        return iter(self._unpacked())

    def text(self) -> str:
        """As `pack` gave it."""
        return self._text

    def _unpacked(self) -> tuple[DocRef, ...]:
        if self._refs is None:
            rows = (row.split("\t") for row in self._text.split("\n")[:-1])
            self._refs = tuple(DocRef(doc_id, sum_, int(line)) for doc_id, sum_, line in rows)
        return self._refs


def pack(docs: Iterable[DocRef]) -> PackedDocs:
    """A line a document; a `doc_id` holds neither tab nor line feed."""
    return PackedDocs("".join(f"{doc_id}\t{sum_}\t{line}\n" for doc_id, sum_, line in docs))


class KnownFile(Value):
    """What one source file, or one part of a feed, was and became when it was last read.

    Attributes:
        source: The source that took it.
        disk_path: Root-relative path as on disk; empty for a part of a feed.
        digest: Hash of its bytes; of a part of a feed, the token of its state.
        docs: The documents it became.
        skips: What of it was not indexed.
    """

    source: str
    disk_path: str
    digest: str
    docs: Sequence[DocRef]
    skips: tuple[Skip, ...] = ()


class PackedFiles(Mapping[str, KnownFile]):
    """Identity path -> what the file became, each unpacked when asked for.

    Args:
        paths: A JSON list of the paths.
        rows: A line of JSON for each, in the same order.
        skipping: The paths of which something was skipped.
    """

    def __init__(
        self, paths: bytes | memoryview, rows: bytes | memoryview, skipping: Sequence[str]
    ) -> None:
        self._packed = paths, rows
        self._table: dict[str, bytes | KnownFile] | None = None
        self.skipping = skipping

    def __getitem__(self, path: str) -> KnownFile:
        table = self._unpacked()
        known = table[path]
        if isinstance(known, bytes):
            known = table[path] = file_of(parse_json(known))
        return known

    def __contains__(self, path: object) -> bool:
        return path in self._unpacked()

    def __iter__(self) -> Iterator[str]:
        return iter(self._unpacked())

    def __len__(self) -> int:
        return len(self._unpacked())

    def packed(self) -> tuple[bytes, bytes]:
        """As `pack_files` gave it."""
        paths, rows = self._packed
        return bytes(paths), bytes(rows)

    def with_values(self, changed: Mapping[str, KnownFile]) -> PackedFiles:
        """The same paths, some of them another file by now; the others are not unpacked."""
        from memidx.indexing.compact import to_json  # only who writes

        paths, packed = self.packed()
        rows = packed.splitlines()
        places = {path: place for place, path in enumerate(parse_json(paths))}
        for path, known in changed.items():
            rows[places[path]] = to_json(file_row(known))
        skipping = paths_with_skips(Amended(self, changed))
        return PackedFiles(paths, b"\n".join(rows), skipping)

    def _unpacked(self) -> dict[str, bytes | KnownFile]:
        if self._table is None:
            paths, rows = self.packed()
            self._table = dict(zip(parse_json(paths), rows.splitlines(), strict=True))
        return self._table


def pack_files(files: Mapping[str, KnownFile]) -> tuple[bytes, bytes]:
    """What `PackedFiles` reads: the paths, and a row for each."""
    if isinstance(files, Amended) and isinstance(files.whole, PackedFiles):
        files = files.whole.with_values(files.changed)
    if isinstance(files, PackedFiles):
        return files.packed()
    import io

    from memidx.indexing.compact import quoted, to_json  # only who writes

    # Joining would hold every row twice.
    rows = io.BytesIO()
    for known in files.values():
        if known.skips or isinstance(known.docs, PackedDocs):
            rows.write(to_json(file_row(known)))
        else:
            # The same, spelt out: for so small a value the encoder takes thrice as long.
            docs = ",".join(
                [f"[{quoted(doc)},{quoted(sum_)},{line}]" for doc, sum_, line in known.docs]
            )
            about = f"{quoted(known.source)},{quoted(known.disk_path)},{quoted(known.digest)}"
            rows.write(f"[{about},[{docs}],[]]".encode("ascii"))
        rows.write(b"\n")
    rows.truncate(max(0, rows.tell() - 1))
    return to_json([*files]), rows.getvalue()


def paths_with_skips(files: Mapping[str, KnownFile]) -> list[str]:
    """The files of which something was skipped, in their order but for those that changed."""
    if isinstance(files, Amended):
        changed = files.changed
        rest = [path for path in paths_with_skips(files.whole) if path not in changed]
        return rest + paths_with_skips(changed)
    if isinstance(files, PackedFiles):
        return [*files.skipping]
    return [path for path, known in files.items() if known.skips]


def skip_rows(skips: Iterable[Skip]) -> list[list[Any]]:
    """Skips as JSON values."""
    return [[skip.path, skip.reason, skip.line, skip.source] for skip in skips]


def skips_of(rows: Iterable[Sequence[Any]]) -> tuple[Skip, ...]:
    """Skips from JSON values."""
    return tuple(Skip(*row) for row in rows)


def file_row(known: KnownFile) -> list[Any]:
    """A known file as JSON values."""
    docs = known.docs.text() if isinstance(known.docs, PackedDocs) else known.docs
    return [known.source, known.disk_path, known.digest, docs, skip_rows(known.skips)]


def file_of(row: Sequence[Any]) -> KnownFile:
    """A known file from its JSON values."""
    source, disk_path, digest, docs, skips = row
    packed = isinstance(docs, str)
    refs = PackedDocs(docs) if packed else tuple(DocRef(*ref) for ref in docs)
    return KnownFile(source, disk_path, digest, refs, skips_of(skips))
