"""How do fifty modules load nearly as quickly as one?

Python keeps the bytecode of each module in a file of its own. A process that asks one question
loads fifty of them, and to find, open and judge so many takes it nearly as long as the search. So
their bytecode also lies in one file beside the others, the *bundle*, which is read at once.

It is Python's own bytecode, and good on Python's own condition, that the source has the time and
the size of the one it was made from. What is not good, or not in it, is loaded as ever, and then
the bundle is made anew, where Python writes bytecode. The finder is there for one import and gone
after it; the modules look as if Python had found them.
"""

from __future__ import annotations

import gc
import marshal
import os
import sys

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


def load(name: str, package: ModuleSpec) -> None:
    """Load a module and all it imports of its package, out of the bundle where that is good.

    The collector waits meanwhile: what modules make stays, and it would go through all of it.

    Args:
        name: The module's whole name.
        package: The package's own spec.
    """
    cached = package.cached
    if name in sys.modules or not cached or not hasattr(package.loader, "path_stats"):
        return  # it is there already, or the package is in no folder
    was_enabled = gc.isenabled()
    gc.disable()
    finder = _Finder(package, cached)
    sys.meta_path.insert(0, finder)
    try:
        finder.run_all()
        __import__(name)
    finally:
        sys.meta_path.remove(finder)
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
        self._package = package.name
        self._new_spec: Any = type(package)
        # The one of Python's that reads source and bytecode, looks at files and writes them.
        self._loader: Any = package.loader
        folder, _, tags = cached.rpartition("__init__.")
        # Another one for each Python and each level of optimisation.
        self._path = f"{folder}{package.name}.{tags.removesuffix('pyc')}bundle"
        # What has to be the same beside the sources.
        self._conditions = [sys.version, package.origin]
        self._asked: list[str] = []
        self._entries = self._read()

    def run_all(self) -> None:
        """Run all modules of the bundle, if all are good, without asking for one another.

        They lie in the order in which they were ready when the bundle was made, so that each finds
        there what it imports; if it does not, Python asks this finder. Other threads may import
        meanwhile: a module is made known when it is complete, and who made it known first wins.
        """
        if not all(self._is_good(entry) for entry in self._entries.values()):
            return
        ready = []
        for name, entry in self._entries.items():
            spec = self._spec(name, entry)
            if spec is None or name in sys.modules:
                continue
            module = type(sys)(name)
            module.__spec__ = spec
            module.__file__ = spec.origin
            module.__dict__["__cached__"] = spec.cached
            module.__package__ = spec.parent
            if spec.submodule_search_locations is not None:
                module.__path__ = spec.submodule_search_locations
            self.exec_module(module)
            if sys.modules.setdefault(name, module) is module:
                ready.append(module)
        for module in ready:
            package, _, name = module.__name__.rpartition(".")
            setattr(sys.modules[package], name, module)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """What Python asks a finder."""
        if not name.startswith(self._package + "."):
            return None
        self._asked.append(name)
        entry = self._entries.get(name)
        if entry is None or not self._is_good(entry):
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
                code = marshal.loads(data[16:]) if data[4:8] == _BY_TIME else None
            except (OSError, EOFError, ValueError, TypeError):
                continue  # Python could not keep it; next time, perhaps
            made_of = int.from_bytes(data[8:12], "little"), int.from_bytes(data[12:16], "little")
            state = made_of if code else self._state(spec.origin)
            entries[name] = (state, spec.origin, spec.cached, is_package, code)
        self._loader.set_data(self._path, marshal.dumps((self._conditions, entries)))

    def _read(self) -> dict[str, Entry]:
        """What is in the bundle; nothing when there is none of this Python and this place."""
        try:
            conditions, entries = marshal.loads(self._loader.get_data(self._path))
        except (OSError, EOFError, ValueError, TypeError):
            return {}
        found: dict[str, Entry] = entries if conditions == self._conditions else {}
        return found

    def _is_good(self, entry: Entry) -> bool:
        return entry[0] == self._state(entry[1])

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
