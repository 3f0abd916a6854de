"""What does an indexed document say, from one line on?

The text is the one that is searched: decoded, and redacted as it is in the store. Lines are those
of the file, as hits name them, so that `path:line` of a hit can be handed back as it is.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memidx.errors import InputError
from memidx.results import Excerpt
from memidx.snapshot.format import Blobs
from memidx.snapshot.snapshot import Snapshot

MAX_BYTES = 32 * 1024
MAX_NEAR = 5
MAX_COMPARED = 20_000
"""Paths that are compared with one that is not indexed."""

# `docs/a.md:12` and `docs/a.md:12:40`; an id may hold colons of its own (`git:repo#sha`).
_PLACE = re.compile(r"(?s)(?P<name>.+?)(?::(?P<line>\d{1,9})(?::(?P<count>\d{1,9}))?)?")


class Wanted(NamedTuple):
    """What a caller wants to read: a `doc_id` or a path, from a line on, so many lines."""

    name: str
    line: int | None = None
    n_lines: int | None = None


def excerpt(
    snapshot: Snapshot,
    stores: Sequence[str],
    place: str,
    *,
    line: int | None = None,
    count: int | None = None,
    max_bytes: int = MAX_BYTES,
) -> Excerpt:
    """Lines of a document, of the nearest store that has it.

    Args:
        snapshot: Where to look.
        stores: Paths of the stores, by number.
        place: `doc_id` or path, and perhaps `:LINE` or `:LINE:COUNT` behind it.
        line: First line, 1-based, in the file; None begins where the document does.
        count: Lines wanted; None takes all that fit.
        max_bytes: Bytes of text at most; a first line that is longer is cut.

    Returns:
        With an empty `doc_id` and the nearest paths when nothing has that name.

    Raises:
        InputError: A number out of range.
    """
    _check(line, count, max_bytes)
    name, doc = place, find_document(snapshot, place, line)
    if doc is None:
        wanted = read_place(place)
        if wanted.line is not None:
            line = wanted.line if line is None else line
            count = wanted.n_lines if count is None else count
            _check(line, count, max_bytes)
            name, doc = wanted.name, find_document(snapshot, wanted.name, line)
    if doc is None:
        return Excerpt(place=place, near=near_names(snapshot, name))
    return _cut(snapshot, stores, place, doc, line, count, max_bytes)


def read_place(place: str) -> Wanted:
    """Take `PATH:LINE:COUNT` apart."""
    match = _PLACE.fullmatch(place)
    if match is None:
        return Wanted(place)
    line, count = match["line"], match["count"]
    return Wanted(match["name"], int(line) if line else None, int(count) if count else None)


def find_document(snapshot: Snapshot, name: str, line: int | None = None) -> int | None:
    """The document of that id, else the one of that path which holds a line; nearest store first.

    A file of many documents (records, releases, functions) without a line gives its first.
    """
    doc = snapshot.find(name)
    if doc is not None:
        return doc
    found = sorted(_of_path(snapshot, name))
    if not found:
        return None
    nearest = [doc for store, _, doc in found if store == found[0][0]]
    if line is None:
        return nearest[0]
    before = [doc for doc in nearest if snapshot.line_of[doc] <= line]
    return before[-1] if before else nearest[0]


def near_names(snapshot: Snapshot, name: str) -> tuple[str, ...]:
    """Paths like one that is not indexed: with its file name, holding it, or spelt like it."""
    from difflib import SequenceMatcher  # only a name that is not there needs it

    wanted = name.partition("#")[0].strip("/").casefold()
    base = wanted.rpartition("/")[2]
    if not base:
        return ()
    paths = dict.fromkeys(snapshot.path(doc) for doc in snapshot.docs()[:MAX_COMPARED])
    # What nearly all names end with says nothing.
    stem = base.rpartition(".")[0] or base
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(stem)
    ranked = []
    for path in paths:
        folded = path.casefold()
        own = folded.rpartition("/")[2]
        if own == base:
            alike = 3.0
        elif base in folded:
            alike = 2.0
        else:
            matcher.set_seq1(own.rpartition(".")[0] or own)
            # Two upper bounds that are quick rule nearly everything out.
            if matcher.real_quick_ratio() < 0.6 or matcher.quick_ratio() < 0.6:
                continue
            alike = matcher.ratio()
            if alike < 0.6:
                continue
        ranked.append((-alike, path))
    return tuple(path for _, path in sorted(ranked)[:MAX_NEAR])


def _of_path(snapshot: Snapshot, path: str) -> Iterator[tuple[int, int, int]]:
    """`(store, line, doc)` of the live documents of a path."""
    marked = path.encode("utf-8", "replace")
    for part, offset in zip(snapshot.parts, snapshot.offsets, strict=True):
        ids = part.segment.doc_ids
        begin, end = (_first_from(ids, marked + edge) for edge in (b"#", b"$"))
        for doc_ord in range(begin, end):
            if doc_ord not in part.dead and part.segment.path(doc_ord) == path:
                doc = offset + doc_ord
                yield part.store, snapshot.line_of[doc], doc


def _first_from(ids: Blobs, value: bytes) -> int:
    return bisect_left(range(len(ids)), value, key=ids.raw)


def _cut(
    snapshot: Snapshot,
    stores: Sequence[str],
    place: str,
    doc: int,
    line: int | None,
    count: int | None,
    max_bytes: int,
) -> Excerpt:
    text = snapshot.text(doc)
    lines = text.split("\n")
    if len(lines) > 1 and not lines[-1]:
        lines.pop()
    first = snapshot.line_of[doc]
    start = first if line is None else max(line, first)
    wanted = lines[start - first :]
    if count is not None:
        wanted = wanted[:count]
    shown: list[str] = []
    left = max_bytes
    for one in wanted:
        size = len(one.encode("utf-8", "surrogatepass")) + 1
        if size > left:
            break
        shown.append(one)
        left -= size
    is_line_cut = bool(wanted) and not shown
    if is_line_cut:
        whole = wanted[0].encode("utf-8", "surrogatepass")
        shown = [whole[: max_bytes - 1].decode("utf-8", "ignore")]
    last = first + len(lines) - 1
    end = start + len(shown) - 1
    card = snapshot.card(doc)
    return Excerpt(
        place=place,
        doc_id=snapshot.doc_id(doc),
        path=snapshot.path(doc),
        title=card.title,
        source=snapshot.sources[snapshot.source_of[doc]],
        kind=snapshot.kinds[snapshot.kind_of[doc]],
        time=card.time,
        store=stores[snapshot.store_of(doc)],
        line_start=start,
        line_end=end,
        doc_line_start=first,
        doc_line_end=last,
        is_line_cut=is_line_cut,
        next_line=end + 1 if end < last else None,
        text="".join(f"{one}\n" for one in shown),
    )


def _check(line: int | None, count: int | None, max_bytes: int) -> None:
    """Refuse a place in a document that cannot be, and a bound that holds no line."""
    for name, value, least in (("line", line, 1), ("count", count, 1), ("max_bytes", max_bytes, 8)):
        if value is not None and value < least:
            raise InputError(
                f"{name} is out of range", expected=f"{least} or more", found=str(value)
            )
