"""Which documents are not in force any more?

What each document says of itself, and what newer ones say of it: `supersedes` names documents by
id, path, file name, record id or number, and is followed where exactly one document is meant.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from memidx.snapshot.standing import FLAGS

if TYPE_CHECKING:
    from memidx.snapshot.snapshot import Snapshot

_LINK = re.compile(
    r"\]\(<?([^()<>\s]+)>?[^()]*\)|\[\[([^\[\]|#]+)(?:#[^\[\]|]*)?(?:\|[^\[\]]*)?\]\]"
)
_NUMBERED = re.compile(r"([A-Za-z]{0,10})[-_ #]{0,2}0*(\d{1,6})(?![\d.])")
_SUFFIXES = ("", ".md", ".markdown", ".mdx", ".rst", ".txt")


def flags_of(snapshot: Snapshot) -> Mapping[int, tuple[str, ...]]:
    """Document -> its flags, for each live document that has any."""
    found: dict[int, set[str]] = {}
    names = _Names(snapshot)
    for part, offset in zip(snapshot.parts, snapshot.offsets, strict=True):
        segment = part.segment
        for place, doc_ord in enumerate(segment.standing_docs):
            if doc_ord in part.dead:
                continue
            doc = offset + doc_ord
            said = json.loads(segment.standings.raw(place))
            if said.get("flags"):
                found.setdefault(doc, set()).update(said["flags"])
            for reference in said.get("supersedes", ()):
                for other in names.meant(reference, segment.path(doc_ord), part.store):
                    if other != doc:
                        found.setdefault(other, set()).add("superseded")
    return {doc: tuple(flag for flag in FLAGS if flag in flags) for doc, flags in found.items()}


class _Names:
    """Finds documents by what people call them."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        # By store: an id is the same in all stores of a query, a mere name is not.
        self._by_name: dict[tuple[int, str], list[int]] | None = None
        self._by_number: dict[tuple[int, str, str], list[tuple[str, int]]] = {}

    def meant(self, reference: str, path: str, store: int) -> Iterator[int]:
        """The documents that a reference in a document at `path` of a store means."""
        links = [found[1] or found[2] for found in _LINK.finditer(reference)]
        for name in links or self._split(reference, path, store):
            doc = self._one(name.strip().strip("'\"`<>"), path, store)
            if doc is not None:
                yield doc

    def _split(self, reference: str, path: str, store: int) -> list[str]:
        """A list written with commas; a name may hold one, too."""
        if "," not in reference or self._one(reference, path, store) is not None:
            return [reference]
        return reference.split(",")

    def _one(self, name: str, path: str, store: int) -> int | None:
        if not name:
            return None
        folder = posixpath.dirname(path)
        relative = posixpath.normpath(posixpath.join(folder, name.removeprefix("/")))
        plain = posixpath.normpath(name.removeprefix("/"))
        suffixes = ("",) if name.endswith(_SUFFIXES[1:]) else _SUFFIXES
        for candidate in dict.fromkeys((f"{path}#{name}", relative, plain, name)):
            for suffix in suffixes:
                doc = self._snapshot.find(candidate + suffix)
                if doc is not None:
                    return doc
        # A file that is in several documents, or none, has no one that is meant.
        return self._named(name, folder, store) if "/" not in name else None

    def _named(self, name: str, folder: str, store: int) -> int | None:
        if self._by_name is None:
            self._by_name = {}
            self._index(self._by_name)
        doc = self._nearest(self._by_name.get((store, name.casefold()), []), folder)
        if doc is not None:
            return doc
        number = _NUMBERED.match(name)
        if number is None or (number.end() < len(name) and name[number.end()] not in " :-_."):
            return None
        prefix = number[1].casefold()
        numbered = [
            doc
            for own, doc in self._by_number.get((store, folder, number[2]), [])
            if own == prefix or not own or not prefix
        ]
        return numbered[0] if len(numbered) == 1 else None

    def _index(self, by_name: dict[tuple[int, str], list[int]]) -> None:
        """Every document by file name, by that without suffix, by anchor and by number."""
        for doc in self._snapshot.docs():
            doc_id, path = self._snapshot.doc_id(doc), self._snapshot.path(doc)
            store = self._snapshot.store_of(doc)
            if len(doc_id) > len(path):
                by_name.setdefault((store, doc_id[len(path) + 1 :].casefold()), []).append(doc)
                continue
            folder, name = posixpath.split(path)
            for key in dict.fromkeys((name.casefold(), name.rpartition(".")[0].casefold())):
                by_name.setdefault((store, key), []).append(doc)
            number = _NUMBERED.match(name)
            if number is not None:
                key_of = (store, folder, number[2])
                self._by_number.setdefault(key_of, []).append((number[1].casefold(), doc))

    def _nearest(self, docs: list[int], folder: str) -> int | None:
        """The only one, or the only one in the same folder."""
        if len(docs) > 1:
            docs = [doc for doc in docs if posixpath.dirname(self._snapshot.path(doc)) == folder]
        return docs[0] if len(docs) == 1 else None
