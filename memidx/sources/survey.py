"""What do the sources' folders hold right now?

This runs on every search, so it does little more than list folders and stat files: no pattern is
matched and no file is read (but a folder's `manifest.json`, to know another store when it sees
one). Comparing `Survey.files` with an earlier one tells whether anything changed.
"""

from __future__ import annotations

import os.path
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from memidx import files
from memidx.errors import FileError
from memidx.files import Signature
from memidx.sources.base import Skip
from memidx.text.paths import is_within, printable, relative_to

IGNORE_FILE = ".memidxignore"
# Folders of tools, judged by their name below root, never by what root itself lies in.
SCRATCH_FOLDERS = frozenset(
    """.git .hg .svn .jj node_modules .venv venv __pycache__ .mypy_cache .pytest_cache .ruff_cache
    .tox .nox .hypothesis .cache .ipynb_checkpoints .eggs .gradle .terraform""".split()  # noqa: SIM905 - short names, one a word
)
_MANIFEST = "manifest.json"
_MANIFEST_LIMIT = 1 << 16


@dataclass(frozen=True, slots=True)
class Survey:
    """One look at the folders.

    Attributes:
        files: Root-relative path, as the disk spells it with `/` between parts, -> signature; the
            files with a wanted suffix and the `.memidxignore` files.
        others: Suffix -> number of files that no source reads; they are not looked at further.
        failed: Base folder -> why its content is not known.
        skips: Links and other things that were met but cannot be read, with the reason.
    """

    files: Mapping[str, Signature]
    others: Mapping[str, int]
    failed: Mapping[str, str]
    skips: tuple[Skip, ...]


def survey(
    root: str, bases: Iterable[str], suffixes: Collection[str], own: Iterable[str] = ()
) -> Survey:
    """Walk the base folders below root.

    Args:
        root: Absolute path.
        bases: Root-relative folders (or single files), "" for root itself; one inside another is
            walked once.
        suffixes: Lower-case suffixes with their dot, such as `.md`.
        own: Absolute paths that memidx writes: not entered, not reported.
    """
    walk = _Walk(root, tuple(sorted(suffixes)), frozenset(files.realpath(path) for path in own))
    wanted = sorted(set(bases))
    outer = _outermost(wanted)
    for base in outer:
        walk.base(base)
    walk.follow_links()
    # A folder inside another one is walked with it, but if it is a source's base, its absence
    # must not look like the deletion of everything in it.
    for base in wanted:
        if base not in outer:
            walk.inner_base(base)
    return Survey(
        walk.files,
        dict(sorted(walk.others.items())),
        walk.failed,
        tuple(sorted(walk.skips, key=lambda skip: skip.path)),
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

    def __init__(self, root: str, suffixes: tuple[str, ...], own: frozenset[str]) -> None:
        self.files: dict[str, Signature] = {}
        self.others: dict[str, int] = {}
        self.failed: dict[str, str] = {}
        self.skips: list[Skip] = []
        self._root = root
        self._real_root = files.realpath(root)
        self._suffixes = suffixes
        self._own = own
        self._own_parents = frozenset(os.path.dirname(path) for path in own)
        # Folders that were walked, by resolved path; links wait until all real ones were.
        self._seen: set[str] = set()
        self._links: list[tuple[str, str]] = []
        self._unreadable: dict[str, str] = {}

    def base(self, base: str) -> None:
        path = os.path.join(self._root, base) if base else self._root
        self._watch_ignores_above(base)
        real = files.realpath(path)
        if self._leaves_root(base, real):
            return
        if files.is_dir(path):
            if base and self._closed(real):
                return
            self._folder(path, base, real, of_base=base)
        elif files.is_file(path):
            folder, _, name = base.rpartition("/")
            self._file(name, path, f"{folder}/" if folder else "")
        elif files.exists(path):
            self.failed[base] = "is neither a folder nor a file"
        else:
            self.failed[base] = "is not there"

    def inner_base(self, base: str) -> None:
        """Check a base whose files were recorded on the walk of another base around it."""
        path = os.path.join(self._root, base)
        real = files.realpath(path)
        if self._leaves_root(base, real):
            return
        if not files.exists(path):
            self.failed[base] = "is not there"
        elif real in self._unreadable:
            self.failed[base] = self._unreadable[real]

    def follow_links(self) -> None:
        """Enter linked folders that were not walked under their own name, in order of path."""
        while self._links:
            links, self._links = sorted(self._links), []
            for relative, real in links:
                if real in self._seen:
                    self._skip(relative, "link to a folder that is read under another name")
                elif not self._closed(real):
                    self._folder(os.path.join(self._root, relative), relative, real)

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
            found = files.signature(os.path.join(self._root, folder + IGNORE_FILE))
            if found is not None:
                self.files[folder + IGNORE_FILE] = found

    def _folder(self, top: str, relative: str, real: str, of_base: str | None = None) -> None:
        """Walk a folder and all below it."""
        todo = [(top, f"{relative}/" if relative else "", real)]
        while todo:
            path, prefix, real = todo.pop()
            if real in self._seen:
                continue
            self._seen.add(real)
            try:
                entries = files.scan_dir(path)
            except FileError as error:
                self._unreadable[real] = error.what
                self._unlisted(prefix, error, of_base if path == top else None)
                continue
            if _MANIFEST in [entry.name for entry in entries] and _is_store(path):
                continue
            inner = real if real.endswith(os.sep) else real + os.sep
            if real in self._own_parents:
                entries = [entry for entry in entries if inner + entry.name not in self._own]
            for entry in self._take_plain_files(entries, prefix):
                name = entry.name
                if entry.is_dir(follow_symlinks=False):
                    if name not in SCRATCH_FOLDERS:
                        todo.append((entry.path, f"{prefix}{name}/", inner + name))
                elif entry.is_symlink():
                    self._link(name, entry.path, prefix)
                elif self._wanted(name) or name == IGNORE_FILE:
                    if entry.is_file(follow_symlinks=False):
                        self._file(name, entry.path, prefix)
                    else:
                        self._skip(prefix + name, "not a regular file")
                else:
                    self._count(name)

    def _take_plain_files(
        self, entries: list[os.DirEntry[str]], prefix: str
    ) -> list[os.DirEntry[str]]:
        """Record the regular files among a folder's entries; returns what is something else.

        Nearly every entry is such a file, and a search waits for all of them, hence these
        comprehensions; whatever is unusual takes the slow way.
        """
        suffixes, sign = self._suffixes, files.entry_signature
        plain = [
            entry
            for entry in entries
            if entry.name.endswith(suffixes) and entry.is_file(follow_symlinks=False)
        ]
        try:
            signed = [(prefix + entry.name, sign(entry)) for entry in plain]
        except FileError:
            return entries
        self.files.update(signed)
        if len(plain) == len(entries):
            return []
        taken = set(plain)
        return [entry for entry in entries if entry not in taken]

    def _wanted(self, name: str) -> bool:
        return name.lower().endswith(self._suffixes)

    def _count(self, name: str) -> None:
        """Count a file that no source reads, under its suffix."""
        dot = name.rfind(".")
        suffix = name[dot:].lower() if dot > 0 else ""
        self.others[suffix] = self.others.get(suffix, 0) + 1

    def _file(self, name: str, path: str, prefix: str) -> None:
        try:
            signature = files.signature(path)
        except FileError as error:
            self._refused(prefix + name, error)
            return
        if signature is not None:
            self.files[prefix + name] = signature

    def _link(self, name: str, path: str, prefix: str) -> None:
        """A link counts as what it leads to, if that lies below root."""
        relative = prefix + name
        wanted = self._wanted(name) or name == IGNORE_FILE
        try:
            real = files.realpath(path)
        except FileError as error:
            self._refused(relative, error)
            return
        if files.is_dir(path):
            if not is_within(real, self._real_root):
                self._skip(relative, "link leads out of root")
            elif name not in SCRATCH_FOLDERS:
                self._links.append((relative, real))
        elif not wanted:
            self._count(name)
        elif not files.exists(path):
            self._skip(relative, "link leads nowhere")
        elif not is_within(real, self._real_root):
            self._skip(relative, "link leads out of root")
        elif not files.is_file(path):
            self._skip(relative, "link leads to something that is not a regular file")
        elif not self._closed(real):
            self._file(name, path, prefix)

    def _closed(self, real: str) -> bool:
        """Whether a resolved path lies in a scratch folder or in something memidx writes."""
        inside = relative_to(real, self._real_root).split("/")
        folders = inside if files.is_dir(real) else inside[:-1]
        return any(part in SCRATCH_FOLDERS for part in folders) or any(
            is_within(real, path) for path in self._own
        )

    def _unlisted(self, prefix: str, error: FileError, base: str | None) -> None:
        if base is not None:
            self.failed[base] = error.what
        elif not files.is_missing(error):  # else it vanished, which is no more than a deletion
            self._skip(prefix.rstrip("/"), f"the folder cannot be read: {error.what}")

    def _refused(self, relative: str, error: FileError) -> None:
        if not files.is_missing(error):
            self._skip(relative, error.what)

    def _skip(self, relative: str, reason: str) -> None:
        self.skips.append(Skip(printable(relative), reason))


def _is_store(folder: str) -> bool:
    """Whether a folder is a store of memidx, whatever it is called."""
    try:
        data = files.read_bytes(os.path.join(folder, _MANIFEST), _MANIFEST_LIMIT)
    except FileError:
        return False
    if b'"artifact_type"' not in data:
        return False
    # Loaded only for the rare folder that may be one.
    import json

    try:
        manifest = json.loads(data)
    except (ValueError, RecursionError):
        return False
    kind = manifest.get("artifact_type") if isinstance(manifest, dict) else None
    return isinstance(kind, str) and kind.startswith("memory-index")
