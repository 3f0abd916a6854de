"""A disk that fails, dies or forgets at any call, under everything memidx does.

All that memidx asks of the disk goes through `memidx.files`, and there through functions of `os`.
`Disk` stands between the two: it numbers the calls, and a fault decides about each one. Whatever
is built on `memidx.files` later is covered without a change here.
"""

from __future__ import annotations

import errno
import mmap as real_mmap
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from memidx import files

# Functions of `os` by the name they are counted under.
_CHANGES = """create write pwrite writev fsync fdatasync replace rename renames unlink remove mkdir
    makedirs rmdir removedirs chmod fchmod link symlink truncate ftruncate utime sendfile"""
_READS = "open read pread stat lstat fstat scandir listdir readlink access map"
CHANGES = frozenset(_CHANGES.split())
_COUNTED = CHANGES.union(_READS.split())

# Which calls a system refuses for which reason.
_REFUSED = {
    errno.ENOSPC: "create write pwrite fsync replace rename mkdir link symlink",
    errno.EIO: " ".join(_COUNTED),
    errno.EACCES: "create open replace rename unlink mkdir rmdir chmod stat scandir map link",
    errno.EROFS: "create replace rename unlink mkdir rmdir chmod link truncate",
    errno.EMFILE: "create open scandir map",
}
REASONS = {number: frozenset(kinds.split(" ")) for number, kinds in _REFUSED.items()}


class Killed(BaseException):
    """Stands for the process being gone: nothing in the package may catch it."""


@dataclass(slots=True)
class Call:
    """One call: its number from 1, what it is, and the path it is about."""

    number: int
    kind: str
    path: str
    arguments: tuple[Any, ...]

    @property
    def changes(self) -> bool:
        """Whether the disk is another one after it."""
        return self.kind in CHANGES


@dataclass
class Disk:
    """Counts the calls and lets `decide` raise before any of them.

    Attributes:
        decide: Called before each call; may raise `OSError` or `Killed`.
        calls: What was asked for, in order.
        dead: Nothing is done any more, as after a kill.
    """

    decide: Callable[[Disk, Call], None] = lambda disk, call: None
    calls: list[Call] = field(default_factory=list)
    dead: bool = False
    _paths: dict[int, str] = field(default_factory=dict)

    @contextmanager
    def under(self) -> Iterator[Disk]:
        """Stand between `memidx.files` and the system while the block runs."""
        with pytest.MonkeyPatch.context() as patch:
            layer = _Os(self)
            named = {getattr(os, name): name for name in _COUNTED if hasattr(os, name)}
            modules = [
                module
                for name, module in sorted(sys.modules.items())
                if name == files.__name__ or name.startswith(f"{files.__name__}.")
            ]
            assert modules
            for module in modules:
                for name, value in list(vars(module).items()):
                    if value is os:
                        patch.setattr(module, name, layer)
                    elif value is real_mmap:
                        patch.setattr(module, name, _Mmap(self))
                    elif callable(value) and value in named:
                        patch.setattr(module, name, getattr(layer, named[value]))
                patch.setattr(module, "open", self._wrap("open", open), raising=False)
                if hasattr(module, "entry_signature"):
                    patch.setattr(module, "entry_signature", self._entry(module.entry_signature))
                    patch.setattr(
                        module, "entry_signatures", self._entries(module.entry_signatures)
                    )
            yield self

    def ask(self, kind: str, path: object, arguments: tuple[Any, ...]) -> Call:
        """Count a call, and let the fault decide about it."""
        if self.dead:
            raise Killed
        shown = self._paths.get(path, "") if isinstance(path, int) else os.fsdecode(str(path))
        call = Call(len(self.calls) + 1, kind, shown, arguments)
        self.calls.append(call)
        self.decide(self, call)
        return call

    def _wrap(self, kind: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            what = kind
            if kind == "open" and len(arguments) > 1 and isinstance(arguments[1], int):
                what = "create" if arguments[1] & os.O_CREAT else "open"
            self.ask(what, arguments[0] if arguments else "", arguments)
            result = real(*arguments, **named)
            if kind == "open" and isinstance(result, int):
                self._paths[result] = os.fsdecode(arguments[0])
            return result

        return call

    def _entry(self, real: Callable[..., Any]) -> Callable[..., Any]:
        """A folder's entry stats itself in C: stand before it."""

        def call(entry: os.DirEntry[str]) -> Any:
            self._ask_entry(entry)
            return real(entry)

        return call

    def _entries(self, real: Callable[..., Any]) -> Callable[..., Any]:
        """Likewise before many of them."""

        def call(entries: list[os.DirEntry[str]], *before: Any) -> Any:
            for entry in entries:
                self._ask_entry(entry)
            return real(entries, *before)

        return call

    def _ask_entry(self, entry: os.DirEntry[str]) -> None:
        try:
            self.ask("stat", entry.path, (entry,))
        except OSError as error:
            raise files.failed("look at", entry.path, error) from error


class _Os:
    """`os` with its file functions counted."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk

    def __getattr__(self, name: str) -> Any:
        real = getattr(os, name)
        wrapped = self._disk._wrap(name, real) if name in _COUNTED else real
        setattr(self, name, wrapped)
        return wrapped


class _Mmap:
    def __init__(self, disk: Disk) -> None:
        self._disk = disk

    def __getattr__(self, name: str) -> Any:
        real = getattr(real_mmap, name)
        return self._disk._wrap("map", real) if name == "mmap" else real


# Faults


def dies_at(n: int, *, half: bool = False) -> Callable[[Disk, Call], None]:
    """The process is gone before its n-th changing call, or half way through it if a write."""
    seen = 0

    def decide(disk: Disk, call: Call) -> None:
        nonlocal seen
        seen += call.changes
        if seen == n and call.changes:
            disk.dead = True
            if half and call.kind == "write":
                os.write(call.arguments[0], call.arguments[1][: len(call.arguments[1]) // 2])
            raise Killed

    return decide


def fails_at(n: int, number: int, *, lasting: bool = False) -> Callable[[Disk, Call], None]:
    """The n-th call is refused; `lasting` also every later one of the kinds that reason refuses.

    A full disk stays full, and yet takes what removes something.
    """

    def decide(disk: Disk, call: Call) -> None:
        if call.number == n or (lasting and call.number > n and call.kind in REASONS[number]):
            raise OSError(number, os.strerror(number), call.path)

    return decide


# What may lie in a store


_KEPT = re.compile(
    r"manifest\.json|docs(-[0-9a-f]+)?\.jsonl|\.cache(/\.gitignore|/lock|/root|/(?:settings|state(?:-edit)?)\.json|/tmp"
    r"|/incremental-update\.sed"
    r"|/(snapshot|base|overlay|segment)-[0-9a-z-]+\.[a-z]+(\.ok)?)?"
)


def stray_files(store: Path) -> list[str]:
    """What no finished run leaves: temporaries, backups, halves, shards nobody names."""
    if not store.is_dir():
        return []
    from memidx.errors import StoreError
    from memidx.store.reader import read_manifest

    try:
        named = {"manifest.json", *read_manifest(str(store)).shards}
    except StoreError:
        named = set()
    found = []
    for path in sorted(store.rglob("*")):
        name = path.relative_to(store).as_posix()
        unnamed = "/" not in name and name != ".cache" and name not in named
        if unnamed or not _KEPT.fullmatch(name):
            found.append(name)
    return found


def temporary_files(store: Path) -> list[str]:
    """What a write puts aside before it is whole."""
    return [
        path.relative_to(store).as_posix()
        for path in sorted(store.rglob("*"))
        if path.name.endswith(".tmp") or path.parent.name == "tmp"
    ]


# A disk that forgets


@dataclass(slots=True)
class _Op:
    """A change of a folder that its fsync makes durable."""

    folders: tuple[str, ...]
    kind: str
    path: str
    to: str = ""
    inode: int = 0


class Volatile:
    """What a power cut may leave, from the calls of one run.

    Bytes are sure once their file was synced, a name once its folder was. Whatever else happened
    may be there or not: in the states of `after`, none of it, all of it, all names but no bytes,
    and some of it at random.

    Args:
        folder: What is watched; read when the run begins.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = str(folder)
        self._bytes: dict[int, bytes] = {}
        self._synced: dict[int, bytes] = {}
        self._names: dict[str, int | None] = {}
        self._pending: list[_Op] = []
        self._descriptors: dict[int, int] = {}
        self._n = 0
        self.states: list[tuple[str, dict[str, bytes | None]]] = []
        for path in sorted(folder.rglob("*")):
            if path.is_dir():
                self._names[str(path)] = None
            else:
                inode = self._new(path.read_bytes())
                self._synced[inode] = self._bytes[inode]
                self._names[str(path)] = inode
        self._now = dict(self._names)

    def _new(self, data: bytes) -> int:
        self._n += 1
        self._bytes[self._n] = data
        self._synced[self._n] = b""
        return self._n

    @contextmanager
    def recorded(self) -> Iterator[Disk]:
        """Record a run: the real calls are done, and kept here as a cut would leave them."""
        disk = Disk(self._see)
        with disk.under():
            yield disk
        self._cut("the end")

    def _see(self, disk: Disk, call: Call) -> None:
        if not call.changes:
            return
        self._cut(f"{call.number}: {call.kind} {os.path.basename(call.path)}")
        path, inside = call.path, call.path.startswith(self._folder)
        if call.kind in ("write", "fsync") and not inside:
            return
        match call.kind:
            case "create":
                if inside:
                    inode = self._new(b"")
                    self._do(_Op((os.path.dirname(path),), "name", path, inode=inode))
            case "write":
                # What is written under the name of a folder is a file without a name: a cut takes
                # all of it.
                if inode := self._now.get(path):
                    self._bytes[inode] += bytes(call.arguments[1])
            case "fsync" if path in self._now and self._now[path] is not None:
                inode = self._now[path] or 0
                self._synced[inode] = self._bytes[inode]
            case "fsync":
                self._settle(path)
            case "replace" | "rename":
                to = os.fsdecode(call.arguments[1])
                folders = (os.path.dirname(path), os.path.dirname(to))
                self._do(_Op(folders, "move", path, to, self._now[path] or 0))
            case "unlink" | "remove":
                if path in self._now:
                    self._do(_Op((os.path.dirname(path),), "remove", path))
            case "mkdir":
                if path not in self._now:
                    self._do(_Op((os.path.dirname(path),), "folder", path))
            case "chmod" | "fchmod":
                pass
            case _:
                raise AssertionError(f"the model does not know {call.kind}")

    def _do(self, op: _Op) -> None:
        _apply(self._now, op)
        self._pending.append(op)

    def _settle(self, folder: str) -> None:
        """A folder was synced: what changed in it is sure; a rename counts for its target."""
        rest = []
        for op in self._pending:
            if op.folders[-1] == folder:
                _apply(self._names, op)
            else:
                rest.append(op)
        self._pending = rest

    def _cut(self, when: str) -> None:
        """The power goes now."""
        n = len(self._pending)
        chosen: list[tuple[str, tuple[bool, ...], str]] = [
            ("nothing unsynced", (False,) * n, "synced"),
            ("everything", (True,) * n, "all"),
            ("names without bytes", (True,) * n, "synced"),
            ("names with half the bytes", (True,) * n, "half"),
        ]
        chosen += [
            (f"all but change {i}", tuple(j != i for j in range(n)), "synced") for i in range(n)
        ]
        chosen += [(f"change {i} alone", tuple(j == i for j in range(n)), "half") for i in range(n)]
        for how, keep, data in chosen:
            names = dict(self._names)
            for op, kept in zip(self._pending, keep, strict=True):
                if kept:
                    _apply(names, op)
            self.states.append((f"{when}; {how}", self._content(names, data)))

    def _content(self, names: dict[str, int | None], how: str) -> dict[str, bytes | None]:
        found: dict[str, bytes | None] = {}
        for path, inode in names.items():
            # What lies in a folder whose own name was lost is lost with it.
            parents = [p for p in _parents(path) if p.startswith(self._folder + os.sep)]
            if any(parent not in names for parent in parents):
                continue
            name = os.path.relpath(path, self._folder)
            if inode is None:
                found[name] = None
                continue
            whole, sure = self._bytes[inode], self._synced[inode]
            half = sure + whole[len(sure) : (len(sure) + len(whole)) // 2]
            found[name] = {"all": whole, "synced": sure, "half": half}[how]
        return found

    def distinct(self) -> Iterator[tuple[str, dict[str, bytes | None]]]:
        """The states without repeats, in order."""
        seen = set()
        for how, state in self.states:
            key = frozenset(state.items())
            if key not in seen:
                seen.add(key)
                yield how, state


def _parents(path: str) -> Iterator[str]:
    while (parent := os.path.dirname(path)) != path:
        yield parent
        path = parent


def _apply(names: dict[str, int | None], op: _Op) -> None:
    match op.kind:
        case "name":
            names[op.path] = op.inode
        case "folder":
            names[op.path] = None
        case "remove":
            names.pop(op.path, None)
        case "move":
            names.pop(op.path, None)
            names[op.to] = op.inode


@contextmanager
def in_memory(otherwise: Path) -> Iterator[Path]:
    """A folder where small files are quick, if the system has such a place; removed at the end."""
    place = "/dev/shm"
    if not os.access(place, os.W_OK):
        yield otherwise
        return
    with tempfile.TemporaryDirectory(prefix="memidx-", dir=place) as folder:
        yield Path(folder).resolve()


def lay_out(folder: Path, state: dict[str, bytes | None]) -> None:
    """Put a state on the real disk."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in sorted(state.items()):
        path = folder / name
        if data is None:
            path.mkdir(parents=True, exist_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
