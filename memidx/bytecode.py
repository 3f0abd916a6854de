"""How do fifty modules load nearly as quickly as one?

Python keeps the bytecode of each module in a file of its own. A process that asks one question
loads fifty of them, and to find, open and judge so many takes it nearly as long as the search. So
their bytecode also lies in one file beside the others, the *bundle*, which is read at once.

It is Python's own bytecode, and good on Python's own condition, that the source has the time and
the size of the one it was made from, and is the one that Python would find. What is not good, or
not in it, is loaded as ever, and then the bundle is made anew, where Python writes bytecode. The
finder is there for one import and gone after it; the modules look as if Python had found them.
"""

from __future__ import annotations

import gc
import marshal
import os
import sys
from _frozen_importlib import (  # type: ignore[attr-defined]  # what `import` itself calls
    BuiltinImporter,
    FrozenImporter,
    _load_unlocked,
    _ModuleLockManager,
)
from _frozen_importlib_external import MAGIC_NUMBER, FileFinder, PathFinder, SourceFileLoader
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
    # The source's state; source; bytecode's file; whether it is a package; code, or None where
    # Python judges by something else.
    Entry = tuple[State | None, str, str, bool, CodeType | None]

_WORD = 0xFFFFFFFF
_BY_TIME = bytes(4)
"""Flags of a file of bytecode (PEP 552) that is judged by time and size of its source."""
_DAMAGED = (OSError, EOFError, ValueError, TypeError, MemoryError, SystemError)
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
    if PathFinder not in finders:
        return
    was_enabled = gc.isenabled()
    gc.disable()
    finder = _Finder(package, cached)
    # Who is asked before Python looks into folders still is.
    before = finders[: finders.index(PathFinder)]
    finders.insert(len(before), finder)
    try:
        finder.run_all([one for one in before if one not in (BuiltinImporter, FrozenImporter)])
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
        self._package, self._origin = package.name, package.origin
        self._new_spec: Any = type(package)
        # The one of Python's that reads source and bytecode, looks at files and writes them.
        self._loader: Any = package.loader
        folder, _, tags = cached.rpartition("__init__.")
        # Another one for each Python and each level of optimisation.
        self._path = f"{folder}{package.name}.{tags.removesuffix('pyc')}bundle"
        # What has to be the same beside the sources, before a byte of it is understood.
        head = f"{sys.version}\n{package.origin}\n"
        self._head = head.encode("utf-8", "surrogateescape")
        self._thread = get_ident()
        self._asked: list[str] = []
        self._hiding: dict[str, set[str]] = {}
        # Modules that are ready before their package is there, which imports them.
        self._unbound: list[ModuleType] = []
        self._entries = self._read()

    def run_all(self, others: Sequence[Any]) -> None:
        """Run all modules of the bundle, if all are good, without asking for one another.

        They lie in the order in which they were ready when the bundle was made, so that each finds
        there what it imports; if it does not, Python asks this finder. Other threads may import
        meanwhile: each module is loaded under its lock, as by Python, so there is one of it.

        Args:
            others: Finders that Python would ask first; what one of them has is left to Python.
        """
        if not all(self._is_good(name, entry) for name, entry in self._entries.items()):
            return
        for name, entry in self._entries.items():
            spec = self._spec(name, entry)
            if spec is None or name in sys.modules:
                continue
            if any(_has(finder, name, self._place(name, entry)) for finder in others):
                return
            with _ModuleLockManager(name):
                if name not in sys.modules:
                    module = _load_unlocked(spec)
                    self._unbound.append(module)
                    self._bind()

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """What Python asks a finder."""
        if not name.startswith(self._package + ".") or get_ident() != self._thread:
            return None  # what another thread imports is no part of this
        self._asked.append(name)
        entry = self._entries.get(name)
        if entry is None or not self._is_good(name, entry):
            self.has_missed = True
            return None
        return self._spec(name, entry)

    def create_module(self, spec: ModuleSpec) -> None:
        """What Python asks of a loader; a module like any other will do."""

    def exec_module(self, module: ModuleType) -> None:
        """Run a module that was found, and leave it as the usual loader would."""
        spec: Any = module.__spec__
        spec.loader = module.__loader__ = type(self._loader)(spec.name, spec.origin)
        code: Any = self._entries[spec.name][-1]
        self._bind()
        exec(code, module.__dict__)

    def write(self) -> None:
        """Make the bundle of what was there and what was asked for, where that may be written."""
        if sys.dont_write_bytecode or not os.access(os.path.dirname(self._path), os.W_OK):
            return
        entries: dict[str, Entry] = {}
        wanted = {*self._entries, *self._asked}
        # A module is put at the end when it is ready.
        for name, module in list(sys.modules.items()):
            spec = module.__spec__ if name in wanted else None
            if spec is None or not spec.origin or not spec.cached:
                continue
            is_package = spec.submodule_search_locations is not None
            try:
                data = self._loader.get_data(spec.cached)
                is_usual = data[:8] == MAGIC_NUMBER + _BY_TIME
                code = marshal.loads(data[16:]) if is_usual else None
            except _DAMAGED:
                continue  # Python could not keep it; next time, perhaps
            if code:
                _fix_co_filename(code, spec.origin)  # it may have been compiled elsewhere
            made_of = int.from_bytes(data[8:12], "little"), int.from_bytes(data[12:16], "little")
            state = made_of if code else self._state(spec.origin)
            entries[name] = (state, spec.origin, spec.cached, is_package, code)
        # Whoever may read the package's source may read the bundle.
        self._loader._cache_bytecode(self._origin, self._path, self._head + marshal.dumps(entries))

    def _read(self) -> dict[str, Entry]:
        """What is in the bundle; nothing when there is none of this Python and this place."""
        try:
            data = self._loader.get_data(self._path)
            if not data.startswith(self._head):
                return {}
            found: Any = marshal.loads(memoryview(data)[len(self._head) :])
        except _DAMAGED:
            return {}
        return found if isinstance(found, dict) else {}

    def _bind(self) -> None:
        """Make modules attributes of their packages, as far as those are there."""
        unbound, self._unbound = self._unbound, []
        for module in unbound:
            parent, _, name = module.__name__.rpartition(".")
            if parent in sys.modules:
                setattr(sys.modules[parent], name, module)
            else:
                self._unbound.append(module)

    def _is_good(self, name: str, entry: Entry) -> bool:
        """Whether Python would find this source for a module, and it is as it was."""
        state, source, _, is_package, _ = entry
        if state != self._state(source):
            return False
        parent, _, tail = name.rpartition(".")
        package = sys.modules.get(parent)
        if package and getattr(package, "__path__", None) != [self._place(name, entry)]:
            return False
        folder = os.path.dirname(source)
        if folder not in self._hiding:
            self._hiding[folder] = _hiding(folder)
        return ("__init__" if is_package else tail) not in self._hiding[folder]

    def _place(self, name: str, entry: Entry) -> str:
        """The folder that a module is found in."""
        folder = os.path.dirname(entry[1])
        return os.path.dirname(folder) if entry[3] else folder

    def _spec(self, name: str, entry: Entry) -> ModuleSpec | None:
        """Of a module in the bundle; None where Python has to judge."""
        _, source, bytecode, is_package, code = entry
        if code is None:
            return None
        spec: ModuleSpec = self._new_spec(name, self, origin=source, is_package=is_package)
        spec.has_location = True
        spec.cached = bytecode
        if is_package:
            spec.submodule_search_locations = [os.path.dirname(source)]
        return spec

    def _state(self, source: str) -> State | None:
        """Of a source as it is; None if it is gone."""
        try:
            found = self._loader.path_stats(source)
        except OSError:
            return None
        return int(found["mtime"]) & _WORD, found["size"] & _WORD


def _has(finder: Any, name: str, place: str) -> bool:
    """Whether another finder has a module, or cannot be asked."""
    find_spec = getattr(finder, "find_spec", None)
    return find_spec is None or find_spec(name, [place], None) is not None


def _hiding(folder: str) -> set[str]:
    """Modules that Python finds as folders or extensions, whatever `.py` lies beside them."""
    finder: Any = FileFinder(folder)
    finder._fill_cache()
    return {
        name.partition(".")[0]
        for name in finder._path_cache
        if "." not in name or name.endswith((".so", ".pyd"))
    }
