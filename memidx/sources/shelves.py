"""Which plain files lie in a folder, and which of them changed since the last survey?

A search looks at every file of every source, and nearly always all is as it was. So each folder is
kept as one list of names and one of signatures, and compared as a whole with what it was before.
"""

from __future__ import annotations

import os
from itertools import compress
from operator import not_

from memidx import files
from memidx.errors import FileError
from memidx.files import Signature
from memidx.light import TYPE_CHECKING
from memidx.values import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


class Shelf(NamedTuple):
    """One folder, and the plain files in it.

    Attributes:
        listed: Every name in it, in the order of the system.
        are_plain: For each, whether it is a regular file with a wanted suffix.
        signatures: Of those that are, in that order.
    """

    listed: list[str]
    are_plain: list[bool]
    signatures: Sequence[Signature]

    def names(self) -> Iterator[str]:
        """Names of the plain files."""
        return compress(self.listed, self.are_plain)


class Shelves:
    """The plain files of a survey, folder by folder.

    Args:
        suffixes: Lower-case suffixes of the files that are wanted.
        before: Folder -> what it held at the survey before.

    Attributes:
        taken: Folder -> what it holds, of each that holds a plain file.
    """

    def __init__(self, suffixes: tuple[str, ...], before: Mapping[str, Shelf]) -> None:
        self._suffixes = suffixes
        self._before = before
        self.taken: dict[str, Shelf] = {}

    def take(
        self, folder: str, names: list[str], entries: list[os.DirEntry[str]]
    ) -> Iterable[os.DirEntry[str]]:
        """Record the plain files of a folder; returns what is something else.

        Nearly every entry is such a file, and a search waits for all of them: names that are those
        of the survey before are not judged again, and no line of Python is run for each of them.

        Args:
            folder: Root-relative, with a `/` behind it.
            names: Of the entries, in the same order.
        """
        last = self._before.get(folder)
        try:
            if last is None or last.listed != names or not self._take_again(folder, last, entries):
                suffixes = self._suffixes
                are_plain = [
                    name.endswith(suffixes) and entry.is_file(follow_symlinks=False)
                    for name, entry in zip(names, entries, strict=True)
                ]
                plain = [*compress(entries, are_plain)]
                shelf = Shelf(names, are_plain, files.entry_signatures(plain))
                if plain:
                    self.taken[folder] = shelf
            else:
                are_plain = last.are_plain
        except FileError:
            return entries  # one by one it will be seen which of them it is
        return compress(entries, map(not_, are_plain))

    def _take_again(self, folder: str, last: Shelf, entries: list[os.DirEntry[str]]) -> bool:
        """Record the same files as the survey before; False where one is another kind of thing."""
        plain = [*compress(entries, last.are_plain)]
        if any(map(os.DirEntry.is_symlink, plain)):
            return False
        signatures = files.entry_signatures(plain, last.signatures)
        if signatures is not last.signatures:
            # What has the signature it had is the file it was.
            seen = zip(plain, signatures, last.signatures, strict=True)
            changed = [entry for entry, sign, earlier in seen if sign != earlier]
            if not all(entry.is_file(follow_symlinks=False) for entry in changed):
                return False
            last = last._replace(signatures=signatures)
        self.taken[folder] = last
        return True


class Before(NamedTuple):
    """An earlier survey: its files, and where they lie, as `Survey` has them."""

    files: Mapping[str, Signature]
    shelves: Mapping[str, Shelf]
    rest: Mapping[str, Signature]


def files_of(
    shelves: Mapping[str, Shelf], rest: Mapping[str, Signature], before: Before | None
) -> tuple[Mapping[str, Signature], Mapping[str, Signature] | None]:
    """`Survey.files`, the very same where nothing changed, and `Survey.changed`."""
    if before is not None and shelves.keys() == before.shelves.keys():
        changed = _changed(shelves, rest, before)
        if changed is not None:
            return {**before.files, **changed} if changed else before.files, changed
    files: dict[str, Signature] = {}
    for folder, shelf in shelves.items():
        paths = [folder + name for name in shelf.names()]
        files.update(zip(paths, shelf.signatures, strict=True))
    files.update(rest)
    return files, None


def _changed(
    shelves: Mapping[str, Shelf], rest: Mapping[str, Signature], before: Before
) -> dict[str, Signature] | None:
    """Files that have another signature by now; None where others are there."""
    if rest.keys() != before.rest.keys():
        return None
    changed: dict[str, Signature] = {}
    for folder, shelf in shelves.items():
        last = before.shelves[folder]
        if shelf is last:
            continue
        names = [*shelf.names()]
        if names != [*last.names()]:
            return None
        signatures = zip(names, shelf.signatures, last.signatures, strict=True)
        changed |= {folder + name: sign for name, sign, earlier in signatures if sign != earlier}
    changed |= {path: sign for path, sign in rest.items() if sign != before.rest[path]}
    return changed
