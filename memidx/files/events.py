"""In which folders did something change since I asked last?

The kernel queues an event of a folder before the call that changed it returns. So one reading of
the queue, whenever somebody asks, tells of every change that was made before; nothing waits, and
no thread is needed. What the kernel does not tell of (writes through memory maps, or through a
hard link that lies elsewhere, or by another machine) has to be looked for by other means; file
systems of other machines are refused here. Linux only (inotify(7)).
"""

from __future__ import annotations

import os
import sys

from memidx.errors import FileError, InputError
from memidx.files.refusals import failed
from memidx.light import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from inotify_simple import INotify

# Whoever writes to one of these does so through this kernel.
_LOCAL = frozenset(
    {"bcachefs", "btrfs", "ext2", "ext3", "ext4", "f2fs", "jfs", "overlay", "ramfs", "tmpfs"}
    | {"xfs", "zfs"}
)
_MOUNTS = "/proc/self/mountinfo"
_ESCAPED = (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\"))


def check_events() -> None:
    """Whether folders can be watched at all.

    Raises:
        InputError: Not on this system, or a package is missing.
    """
    if sys.platform != "linux":
        raise InputError(
            "sources can be watched on Linux only",
            found=sys.platform,
            hint="leave watch out: each search looks at all of them",
        )
    try:
        import inotify_simple  # noqa: F401 - an extra
    except ImportError as error:
        raise InputError(
            "watching sources needs the package inotify-simple",
            hint="pip install 'memidx[watch]', or leave watch out",
        ) from error


class FolderEvents:
    """Events of some folders, each by itself: those inside it are folders of their own.

    Args:
        folders: Absolute paths.

    Attributes:
        folders: The same.

    Raises:
        FileError: One of them cannot be watched, for want of what the system allows, or because
            it is on a file system that others may write to unnoticed.
    """

    def __init__(self, folders: Iterable[str]) -> None:
        from inotify_simple import INotify, flags

        self.folders = frozenset(folders)
        _refuse_unknown_systems(self.folders)
        changes = flags.MODIFY | flags.ATTRIB | flags.CLOSE_WRITE | flags.CREATE | flags.DELETE
        changes |= flags.MOVED_FROM | flags.MOVED_TO | flags.DELETE_SELF | flags.MOVE_SELF
        # After one of these a path may lead to another folder than the one that is watched.
        self._ends = flags.DELETE_SELF | flags.MOVE_SELF | flags.IGNORED | flags.UNMOUNT
        self._overflow = flags.Q_OVERFLOW
        self._process = os.getpid()
        try:
            self._queue: INotify = INotify(nonblocking=True)
        except OSError as error:  # of queues, too, a user may have no more than some
            raise failed("watch", next(iter(self.folders), ""), error) from error
        self._watched: dict[int, list[str]] = {}
        for folder in sorted(self.folders):
            try:
                number = self._queue.add_watch(folder, changes | flags.ONLYDIR)
            except OSError as error:
                self.close()
                raise failed("watch", folder, error) from error
            self._watched.setdefault(number, []).append(folder)

    def take(self) -> frozenset[str] | None:
        """Folders in which something changed since the last call, or since the beginning.

        Returns:
            None where that is not known: events were lost, or a folder is another one by now; then
            nor will it be known later.
        """
        if os.getpid() != self._process:
            return None  # a fork shares the queue, and what one reads the other misses
        changed: set[str] = set()
        for number, mask, _, _ in self._queue.read(timeout=0):
            if mask & (self._overflow | self._ends):
                return None
            changed.update(self._watched[number])
        return frozenset(changed)

    def close(self) -> None:
        """Watch no more."""
        self._queue.close()


def _refuse_unknown_systems(folders: Iterable[str]) -> None:
    """Raise for a folder on a file system that is not known to belong to this machine alone."""
    kinds = _kinds_of_systems()
    for folder in folders:
        kind = _kind_at(os.path.realpath(folder), kinds)
        if kind not in _LOCAL:
            raise FileError(
                f"cannot watch: {kind} is a file system that others may write to unnoticed",
                path=folder,
            )


def _kind_at(path: str, kinds: Mapping[str, str]) -> str:
    """The file system that an absolute path without links lies in."""
    while path not in kinds and path != (above := os.path.dirname(path)):
        path = above
    return kinds.get(path, "unknown")


def _kinds_of_systems() -> Mapping[str, str]:
    """Where something is mounted -> the kind of its file system (proc(5))."""
    try:
        with open(_MOUNTS, "rb") as mounts:
            # In names all is as it is but blanks, tabs, line feeds and backslashes.
            lines = os.fsdecode(mounts.read()).rstrip("\n").split("\n")
    except OSError as error:
        raise failed("read", _MOUNTS, error) from error
    kinds: dict[str, str] = {}
    for line in lines:
        mount, _, system = line.partition(" - ")
        point = mount.split(" ")[4]
        for code, character in _ESCAPED:
            point = point.replace(code, character)
        kinds[point] = system.partition(" ")[0]  # of two mounts on each other the later one is seen
    return kinds
