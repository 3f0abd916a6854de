"""How do fifty modules load nearly as quickly as one?

Python keeps the bytecode of each module in a file of its own. A process that asks one question
loads fifty of them, and to find, open and judge so many takes it nearly as long as the search. So
their bytecode also lies in one file beside the others, the *bundle*, which is read at once.

It is Python's own bytecode, and good on Python's own condition, that the source has the time and
the size of the one it was made from; and no file came or went beside it, which Python might take
in its place. What is not good, or not in the bundle, is loaded as ever, and then the bundle is made
anew, where Python writes bytecode. Everything else is left to Python: which finders are asked
before, locks, what a module says of itself. The finder is there for one import and gone after it.
"""

from __future__ import annotations

import gc
import marshal
import os
import sys
from _frozen_importlib import BuiltinImporter
from _frozen_importlib_external import MAGIC_NUMBER, PathFinder, SourceFileLoader
from _imp import _fix_co_filename  # type: ignore[attr-defined]  # CPython's own
from _thread import get_ident

TYPE_CHECKING = False  # see `memidx.light`, which is one of the fifty
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import CodeType, ModuleType
    from typing import Any

    # Time and size of a source, as files of bytecode name them.
    State = tuple[int, int]
    # The source's state, the source, its folder, the folder that Python would find it in, its file
    # of bytecode, and code, or None where Python judges by something else.
    Entry = tuple[State | None, str, str, str, str, CodeType | None]

PLACE = "bundled"
"""The module of the package whose file of bytecode the bundle is."""
_WORD = 0xFFFFFFFF
_BY_TIME = bytes(4)
"""Flags of a file of bytecode (PEP 552) that is judged by time and size of its source."""
_DAMAGED = (OSError, EOFError, ValueError, TypeError, AttributeError, MemoryError, SystemError)
"""What reading bytecode raises that is not there, or not whole."""


def load(name: str, package: ModuleSpec) -> None:
    """Load a module and all it imports of its package, out of the bundle where that is good.

    The collector waits meanwhile: what modules make stays, and it would go through all of it.

    Args:
        name: The module's whole name.
        package: The package's own spec.
    """
    cached = package.cached
    if name in sys.modules or not cached or type(package.loader) is not SourceFileLoader:
        return  # it is there already, or the package is in no folder, or somebody changes sources
    finders = sys.meta_path
    if BuiltinImporter not in finders or PathFinder not in finders:
        return  # somebody changes how modules are found
    was_enabled = gc.isenabled()
    gc.disable()
    finder = _Finder(package, cached)
    # Behind those that somebody put before Python's own.
    finders.insert(finders.index(BuiltinImporter), finder)
    try:
        __import__(name)
    finally:
        finders.remove(finder)
        if was_enabled:
            gc.enable()
    if finder.has_missed:
        finder.write()


class _Finder:
    """Finds and loads the modules of a package that are in its bundle.

    Attributes:
        has_missed: Whether it was asked for one that is not there, or is not good any more.
    """

    def __init__(self, package: ModuleSpec, cached: str) -> None:
        self.has_missed = False
        self._package, self._origin = f"{package.name}.", package.origin
        self._new_spec: Any = type(package)
        # The one of Python's that reads source and bytecode, looks at files and writes them.
        self._loader: Any = package.loader
        folder, _, tags = cached.rpartition("__init__.")
        # Another one for each Python and each level of optimisation.
        self._path = f"{folder}{PLACE}.{tags}"
        # What has to be the same beside the sources, before a byte of it is understood.
        head = f"{sys.version}\n{package.origin}\n"
        self._head = head.encode("utf-8", "surrogateescape")
        self._thread = get_ident()
        self._asked: list[str] = []
        # When a file came or went last in each folder of sources; a folder counts while it is so.
        self._folders: dict[str, float] = {}
        self._entries: dict[str, Entry] = {}
        self._read()

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """What Python asks a finder."""
        if not name.startswith(self._package) or get_ident() != self._thread:
            return None  # what another thread imports is no part of this
        self._asked.append(name)
        entry = self._entries.get(name)
        if entry is None or not self._is_good(entry, path):
            self.has_missed = True
            return None
        _, source, folder, place, bytecode, code = entry
        if code is None:
            return None
        spec: ModuleSpec = self._new_spec(name, self, origin=source)
        spec.has_location = True
        spec.cached = bytecode
        if folder != place:
            spec.submodule_search_locations = [folder]
        return spec

    def create_module(self, spec: ModuleSpec) -> None:
        """What Python asks of a loader; a module like any other will do."""

    def exec_module(self, module: ModuleType) -> None:
        """Run a module that was found, and leave it as the usual loader would."""
        spec: Any = module.__spec__
        spec.loader = module.__loader__ = type(self._loader)(spec.name, spec.origin)
        code: Any = self._entries[spec.name][-1]
        exec(code, module.__dict__)

    def write(self) -> None:
        """Make the bundle of what was there and what was asked for, where that may be written."""
        if sys.dont_write_bytecode or not os.access(os.path.dirname(self._path), os.W_OK):
            return
        folders: dict[str, float] = {}
        entries: dict[str, Entry] = {}
        for name in dict.fromkeys([*self._entries, *self._asked]):
            spec = getattr(sys.modules.get(name), "__spec__", None)
            if spec is None or not spec.origin or not spec.cached:
                continue
            code, state = None, self._state(spec.origin)
            folder = place = os.path.dirname(spec.origin)
            if spec.submodule_search_locations is not None:
                place = os.path.dirname(folder)
            try:
                data = self._loader.get_data(spec.cached)
                if data[:8] == MAGIC_NUMBER + _BY_TIME:
                    code = marshal.loads(data[16:])
                    _fix_co_filename(code, spec.origin)  # it may have been compiled elsewhere
                    words = data[8:12], data[12:16]
                    state = int.from_bytes(words[0], "little"), int.from_bytes(words[1], "little")
                folders[folder] = self._loader.path_stats(folder)["mtime"]
            except _DAMAGED:
                code = None  # Python could not keep it
            entries[name] = state, spec.origin, folder, place, spec.cached, code
        bundle = self._head + marshal.dumps((folders, entries))
        # As Python does: whoever may read the package's source may read its bytecode.
        self._loader._cache_bytecode(self._origin, self._path, bundle)

    def _read(self) -> None:
        """Take what is in the bundle; nothing, when there is none of this Python and this place."""
        try:
            data = self._loader.get_data(self._path)
            if not data.startswith(self._head):
                return
            folders, entries = marshal.loads(memoryview(data)[len(self._head) :])
            for folder, changed in folders.items():
                if self._loader.path_stats(folder)["mtime"] == changed:
                    self._folders[folder] = changed
            self._entries.update(entries)
        except _DAMAGED:
            self._entries.clear()

    def _is_good(self, entry: Entry, path: Sequence[str] | None) -> bool:
        """Whether Python would find this source in `path`, and it is as it was."""
        state, source, folder, place, _, _ = entry
        return path == [place] and folder in self._folders and state == self._state(source)

    def _state(self, source: str) -> State | None:
        """Of a source as it is; None if it is gone."""
        try:
            found = self._loader.path_stats(source)
        except OSError:
            return None
        return int(found["mtime"]) & _WORD, found["size"] & _WORD
