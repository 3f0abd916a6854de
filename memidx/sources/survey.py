"""What do the sources' folders hold right now?

This runs on every search, so it does little more than list folders and stat files: no pattern is
matched and no file is read (but what may be another store's manifest, see `other_stores`).
Comparing `Survey.files` and `failed` with earlier ones tells whether anything changed.

What is not found is taken for deleted by the callers, so nothing may be missing without a word: a
look during which something vanished is taken again, and a folder that cannot be read has failed.
"""

from __future__ import annotations

import os.path
from operator import attrgetter

from memidx import files
from memidx.errors import FileError
from memidx.files import Signature
from memidx.light import TYPE_CHECKING
from memidx.sources.base import Skip, has_suffix
from memidx.sources.links import Led, follow, is_gone
from memidx.sources.other_stores import MANIFEST, is_of_store, is_store
from memidx.sources.shelves import Before, Shelf, Shelves, files_of
from memidx.text.paths import is_within, printable, relative_to
from memidx.values import dataclass, field

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

IGNORE_FILE = ".memidxignore"
# Folders of tools, judged by their name below root, never by what root itself lies in.
SCRATCH_FOLDERS = frozenset(
    """.git .hg .svn .jj node_modules .venv venv __pycache__ .mypy_cache .pytest_cache .ruff_cache
    .tox .nox .hypothesis .cache .ipynb_checkpoints .eggs .gradle .terraform""".split()  # noqa: SIM905 - short names, one a word
)
NOT_THERE = "is not there"
_LOOKS = 3

_name_of: Callable[[os.DirEntry[str]], str] = attrgetter("name")


@dataclass(frozen=True, slots=True)
class Survey:
    """One look at the folders.

    Attributes:
        files: Root-relative path, as the disk spells it with `/` between parts, -> signature; the
            files with a wanted suffix, the `.memidxignore` files, and bases that are plain files.
        others: Suffix -> number of files that no source reads; they are not looked at further.
        failed: Base folder, or folder below one, -> why its content is not known.
        skips: Links and other things that were met but cannot be read, with the reason.
        unlisted: Those of `failed` that are in the way of every base above them too: folders that
            are there, but whose content could not be told. A missing base is not one of them.
        changed: What of `files` has another signature than at the survey before; None where there
            was none, or the files were others.
        shelves: Folder with a `/` behind it -> what of `files` lies there, for the next survey.
        rest: What else is in `files`.
        folders: Folders that decide about it, with a `/` behind: those whose content was listed,
            and those above a base, in which an ignore file or the base itself may appear.
        links: Root-relative path of each link -> where it leads, and to what.
        ways: The same of each base, and each ignore file above one, that is reached over a link.
    """

    files: Mapping[str, Signature]
    others: Mapping[str, int]
    failed: Mapping[str, str]
    skips: tuple[Skip, ...]
    unlisted: frozenset[str] = frozenset()
    changed: Mapping[str, Signature] | None = None
    shelves: Mapping[str, Shelf] = field(default_factory=dict)
    rest: Mapping[str, Signature] = field(default_factory=dict)
    folders: frozenset[str] = frozenset()
    links: Mapping[str, Led] = field(default_factory=dict)
    ways: Mapping[str, Led] = field(default_factory=dict)


def survey(
    root: str,
    bases: Iterable[str],
    suffixes: Collection[str],
    own: Iterable[str] = (),
    before: Survey | None = None,
) -> Survey:
    """Walk the base folders below root.

    Args:
        root: Absolute path.
        bases: Root-relative folders (or single files), "" for root itself; one inside another is
            walked once.
        suffixes: Lower-case suffixes with their dot, such as `.md`.
        own: Absolute paths that memidx writes: files that are left out, and store folders, of which
            only the store's files are.
        before: An earlier survey with the same arguments: what is as it was is taken from there.
    """
    ending, theirs = tuple(sorted(suffixes)), frozenset(files.realpath(path) for path in own)
    wanted = sorted(set(bases))
    for _ in range(_LOOKS):
        walk = _Walk(root, ending, theirs, before.shelves if before else {})
        walk.all(wanted)
        if not walk.vanished:
            break
    else:
        walk.give_up()
    shelves = walk.shelves.taken
    last = None if before is None else Before(before.files, before.shelves, before.rest)
    found, changed = files_of(shelves, walk.rest, last)
    return Survey(
        found,
        dict(sorted(walk.others.items())),
        walk.failed,
        tuple(sorted(walk.skips, key=lambda skip: skip.path)),
        frozenset(walk.unlisted),
        changed,
        shelves,
        walk.rest,
        frozenset(walk.folders),
        walk.links,
        walk.ways,
    )


def _outermost(bases: Iterable[str]) -> list[str]:
    """Those of the sorted bases that lie in no other one."""
    kept: list[str] = []
    for base in bases:
        if not any(outer == "" or base.startswith(outer + "/") for outer in kept):
            kept.append(base)
    return kept


class _Walk:
    """The state of one survey: where it has been and what it found."""

    def __init__(
        self,
        root: str,
        suffixes: tuple[str, ...],
        own: frozenset[str],
        before: Mapping[str, Shelf],
    ) -> None:
        self.shelves = Shelves(suffixes, before)
        self.rest: dict[str, Signature] = {}
        self.others: dict[str, int] = {}
        self.failed: dict[str, str] = {}
        self.skips: list[Skip] = []
        self.unlisted: set[str] = set()
        self.folders: set[str] = set()
        self.links: dict[str, Led] = {}
        self.ways: dict[str, Led] = {}
        # The folder that is not wholly known for it, and the path that was listed and is not there.
        self.vanished: list[tuple[str, str]] = []
        self._root = root
        self._real_root = files.realpath(root)
        self._suffixes = suffixes
        self._own = own
        self._own_parents = frozenset(os.path.dirname(path) for path in own)
        # Folders that were walked, by resolved path; links wait until all real ones were.
        self._seen: set[str] = set()
        self._todo_links: list[tuple[str, str]] = []
        self._unreadable: dict[str, str] = {}

    def all(self, bases: Sequence[str]) -> None:
        """Walk the sorted bases."""
        outer = _outermost(bases)
        for base in outer:
            self._base(base)
        self._follow_links()
        # A base inside another one was walked with it, unless a folder in between cannot be listed;
        # but its absence must not look like the deletion of everything in it.
        for base in bases:
            if base not in outer:
                self._base(base)
        self._follow_links()

    def give_up(self) -> None:
        """Count the folders as failed in which something vanished: nothing proves it deleted."""
        for folder, relative in self.vanished:
            self._fail(folder, "keeps changing while it is looked at")
            self._skip(relative, "vanished while it was looked at")

    def _base(self, base: str) -> None:
        try:
            self._visit(base)
        except FileError as error:
            # The system did not say what is there.
            self._fail(base, error.what)

    def _visit(self, base: str) -> None:
        path = os.path.join(self._root, base) if base else self._root
        real = files.realpath(path)
        if self._leaves_root(base, real):
            return
        self._note_way(base, real)
        if real in self._unreadable:
            self.failed[base] = self._unreadable[real]
        elif files.is_dir(path):
            if real not in self._seen and not (base and self._closed(real)):
                self._watch_ignores_above(base)
                self._folder(path, base, real)
        elif files.is_file(path):
            # Recorded whatever its suffix: it may have been a folder before.
            self._watch_ignores_above(base)
            folder, _, name = base.rpartition("/")
            self._file(name, path, f"{folder}/" if folder else "")
        elif files.exists(path):
            self.failed[base] = "is neither a folder nor a file"
        else:
            self.failed[base] = NOT_THERE
            self._watch_way_to(base)

    def _follow_links(self) -> None:
        """Enter linked folders that were not walked under their own name, in order of path."""
        while self._todo_links:
            links, self._todo_links = sorted(self._todo_links), []
            for relative, real in links:
                if real in self._seen:
                    self._skip(relative, "link to a folder that is read under another name")
                    continue
                try:
                    if not self._closed(real):
                        self._folder(os.path.join(self._root, relative), relative, real)
                except FileError as error:
                    self._fail(relative, error.what)

    def _leaves_root(self, base: str, real: str) -> bool:
        inside = is_within(real, self._real_root) and base.split("/", 1)[0] != ".."
        if not inside:
            self.failed[base] = "leads out of root: only what lies below root is read"
        return not inside

    def _watch_ignores_above(self, base: str) -> None:
        """The ignore files of root and of the folders down to a base decide about it too."""
        folder = ""
        for part in ["", *base.split("/")[:-1]] if base else []:
            folder = f"{folder}{part}/" if part else folder
            self.folders.add(folder)
            path = os.path.join(self._root, folder + IGNORE_FILE)
            try:
                self._note_way(folder + IGNORE_FILE, files.realpath(path))
                found = files.signature(path)
            except FileError as error:
                self._skip(folder + IGNORE_FILE, error.what)
                continue
            if found is not None:
                self.rest[folder + IGNORE_FILE] = found

    def _note_way(self, relative: str, real: str) -> None:
        """Note where a path leads if there is a link on its way, which no folder tells of."""
        if relative and real != os.path.join(self._real_root, *relative.split("/")):
            self.ways[relative] = follow(os.path.join(self._root, relative))

    def _watch_way_to(self, base: str) -> None:
        """Of the folders down to a base that is not there, those that are."""
        folder = ""
        for part in ["", *base.split("/")[:-1]]:
            folder = f"{folder}{part}/" if part else folder
            if not files.is_dir(os.path.join(self._root, folder)):
                break
            self.folders.add(folder)

    def _folder(self, top: str, relative: str, real: str) -> None:
        """Walk a folder and all below it."""
        todo = [(top, f"{relative}/" if relative else "", real)]
        while todo:
            path, prefix, real = todo.pop()
            if real in self._seen:
                continue
            self._seen.add(real)
            self.folders.add(prefix)
            try:
                entries = files.scan_dir(path)
            except FileError as error:
                folder = prefix.rstrip("/")
                if files.is_missing(error):
                    self.vanished.append((folder, folder))
                else:
                    self._unreadable[real] = error.what
                    self._fail(folder, error.what)
                continue
            names = [*map(_name_of, entries)]
            inner = real if real.endswith(os.sep) else real + os.sep
            try:
                of_store = real in self._own or (MANIFEST in names and is_store(path))
            except FileError as error:
                self._fail(prefix.rstrip("/"), error.what)
                continue
            if of_store:
                entries = [entry for entry in entries if not is_of_store(entry.name)]
            if real in self._own_parents:
                entries = [
                    entry
                    for entry in entries
                    if inner + entry.name not in self._own or entry.is_dir(follow_symlinks=False)
                ]
            if len(entries) != len(names):
                names = [*map(_name_of, entries)]
            for entry in self.shelves.take(prefix, names, entries):
                name = entry.name
                try:
                    if not entry.is_dir(follow_symlinks=False):
                        self._entry(entry, prefix)
                    elif name not in SCRATCH_FOLDERS:
                        todo.append((entry.path, f"{prefix}{name}/", inner + name))
                except FileError as error:
                    self._fail(prefix.rstrip("/"), error.what)

    def _entry(self, entry: os.DirEntry[str], prefix: str) -> None:
        """Take in what is not a folder."""
        name = entry.name
        if entry.is_symlink():
            self._link(name, entry.path, prefix)
        elif self._wanted(name) or name == IGNORE_FILE:
            if entry.is_file(follow_symlinks=False):
                self._file(name, entry.path, prefix)
            elif files.exists(entry.path):
                self._skip(prefix + name, "not a regular file")
            else:
                self._lost(name, prefix)
        else:
            self._count(name)

    def _wanted(self, name: str) -> bool:
        return has_suffix(name, self._suffixes)

    def _count(self, name: str) -> None:
        """Count a file that no source reads, under its suffix."""
        dot = name.rfind(".")
        suffix = name[dot:].lower() if dot > 0 else ""
        self.others[suffix] = self.others.get(suffix, 0) + 1

    def _file(self, name: str, path: str, prefix: str) -> None:
        try:
            signature = files.signature(path)
        except FileError as error:
            # It is the folder that forbids to look at a file.
            self._fail(prefix.rstrip("/"), error.what)
            return
        if signature is None:
            self._lost(name, prefix)
        else:
            self.rest[prefix + name] = signature

    def _link(self, name: str, path: str, prefix: str) -> None:
        """A link counts as what it leads to, if that lies below root."""
        relative = prefix + name
        wanted = self._wanted(name) or name == IGNORE_FILE
        try:
            real, kind, _ = self.links[relative] = follow(path)
        except FileError as error:
            self._skip(relative, error.what)
            return
        if kind == "folder":
            if not is_within(real, self._real_root):
                self._skip(relative, "link leads out of root")
            elif name not in SCRATCH_FOLDERS:
                self._todo_links.append((relative, real))
        elif kind == "nothing" and is_gone(path, name, real):
            self._lost(name, prefix)
        elif not wanted:
            self._count(name)
        elif kind == "nothing":
            self._skip(relative, "link leads nowhere")
        elif not is_within(real, self._real_root):
            self._skip(relative, "link leads out of root")
        elif kind == "other":
            self._skip(relative, "link leads to something that is not a regular file")
        elif not self._closed(real):
            self._file(name, path, prefix)

    def _closed(self, real: str) -> bool:
        """Whether a resolved path lies in a scratch folder or is something memidx writes."""
        inside = relative_to(real, self._real_root).split("/")
        if files.is_dir(real):
            return not SCRATCH_FOLDERS.isdisjoint(inside)
        if real in self._own or not SCRATCH_FOLDERS.isdisjoint(inside[:-1]):
            return True
        folder, name = os.path.split(real)
        return is_of_store(name) and (folder in self._own or is_store(folder))

    def _lost(self, name: str, prefix: str) -> None:
        self.vanished.append((prefix.rstrip("/"), prefix + name))

    def _fail(self, folder: str, reason: str) -> None:
        self.failed[folder] = reason
        self.unlisted.add(folder)

    def _skip(self, relative: str, reason: str) -> None:
        self.skips.append(Skip(printable(relative), reason))
