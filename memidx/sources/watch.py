"""What do the sources' folders hold, as far as it changed since the last look?

The kernel tells in which folders something changed (`memidx.files.events`). Those alone are listed
again; a survey of everything is made wherever more changed than the content of plain files, and
once a minute whatever the kernel says.
"""

from __future__ import annotations

import os.path
from collections.abc import Collection, Iterable, Mapping

from memidx import files
from memidx.errors import FileError
from memidx.files import Signature
from memidx.files.events import FolderEvents
from memidx.sources.links import Led, follow
from memidx.sources.other_stores import MANIFEST, is_of_store
from memidx.sources.shelves import Shelf, Shelves
from memidx.sources.survey import NOT_THERE, SCRATCH_FOLDERS, Survey, survey
from memidx.text.paths import printable
from memidx.values import replace

TRUSTED_NS = 60 * 10**9
"""How long the kernel is believed: what no event tells of is seen after that."""


class Watch:
    """The sources below one root, which are surveyed again and again with the same arguments.

    Args:
        root: Absolute path.
        bases: As `survey` takes them, and so the others.

    Attributes:
        refusal: Why the folders cannot be watched; each survey is one of everything then.
    """

    def __init__(
        self, root: str, bases: Iterable[str], suffixes: Collection[str], own: Iterable[str]
    ) -> None:
        self._root = root
        self._bases, self._suffixes, self._own = tuple(bases), suffixes, tuple(own)
        self._events: FolderEvents | None = None
        # The last survey of all, and when it was made.
        self._last: Survey | None = None
        self._whole_ns = 0
        self._root_is = files.signature(root)
        # What the links led to when the folders behind them were watched.
        self._led: Mapping[str, Led] = {}
        self.refusal: str | None = None

    def survey(self, now_ns: int) -> Survey:
        """What `memidx.sources.survey.survey` gives.

        Args:
            now_ns: The clock, nanoseconds since the epoch.
        """
        last, self._last = self._last, None  # not to be gone on from if something fails
        found = None
        if last is not None and 0 <= now_ns - self._whole_ns < TRUSTED_NS:
            found = self._changes(last)
        if found is None:
            found = self._all(last)
            self._whole_ns = now_ns
        self._last = found
        return found

    def close(self) -> None:
        """Watch no more."""
        self._last = None
        self._stop()

    def _stop(self) -> None:
        if self._events is not None:
            self._events.close()
        self._events = None

    def _changes(self, last: Survey) -> Survey | None:
        """The last survey with what changed since; None where that is not enough."""
        if self._events is None or not self._is_same_root():
            return None
        changed = self._events.take()
        if changed is None:
            self._stop()
            return None
        return look_again(self._root, last, map(self._prefix, changed), self._suffixes)

    def _all(self, last: Survey | None) -> Survey:
        """A survey of everything, after which its folders are watched."""
        found = self._survey(last)
        wanted = {self._root + prefix for prefix in _with_slash(found.folders)}
        if self._events is not None and not (
            self._events.folders == wanted and self._led == _led(found) and self._is_same_root()
        ):
            self._stop()  # a folder that is watched may be another one by now
        if self.refusal is not None or self._events is not None or not _may_follow(found):
            return found
        self._root_is, self._led = files.signature(self._root), _led(found)
        try:
            self._events = FolderEvents(wanted)
        except FileError as error:
            if not files.is_missing(error):  # else it went a moment ago
                self.refusal = error.message
            return found
        # What changed before the watch began is seen now, and all that comes later is told of.
        again = self._survey(found)
        if again.folders != found.folders or self._led != _led(again):
            self._stop()
        if found.changed is None or again.changed is None:
            return replace(again, changed=None)
        return replace(again, changed={**found.changed, **again.changed})

    def _survey(self, before: Survey | None) -> Survey:
        return survey(self._root, self._bases, self._suffixes, self._own, before)

    def _is_same_root(self) -> bool:
        now, before = files.signature(self._root), self._root_is
        return now is not None and before is not None and now.inode == before.inode

    def _prefix(self, folder: str) -> str:
        return folder[len(self._root) + 1 :]


def _led(seen: Survey) -> Mapping[str, Led]:
    return {**seen.links, **seen.ways}


def _with_slash(prefixes: Iterable[str]) -> Iterable[str]:
    return (f"/{prefix}" for prefix in prefixes)


def look_again(
    root: str, before: Survey, prefixes: Iterable[str], suffixes: Collection[str]
) -> Survey | None:
    """A survey from an earlier one and another look at some of its folders.

    Args:
        root: Absolute path.
        before: With the same suffixes.
        prefixes: Root-relative folders in which something changed, with a `/` behind.
        suffixes: Of the files that are wanted.

    Returns:
        None where it would take a survey of everything to tell.
    """
    if not _may_follow(before):
        return None
    shelves: dict[str, Shelf] = {}
    changed: dict[str, Signature] = {}
    try:
        for prefix in prefixes:
            shelf = before.shelves.get(prefix)
            again = None if shelf is None else _look_into(root, before, prefix, shelf, suffixes)
            if shelf is None or again is None:
                return None
            earlier = dict(zip(shelf.names(), shelf.signatures, strict=True))
            for name, signature in zip(again.names(), again.signatures, strict=True):
                if signature != earlier[name]:
                    changed[prefix + name] = signature
            shelves[prefix] = again
        # Where a link leads may change in a folder that is none of these.
        if any(follow(os.path.join(root, path)) != led for path, led in _led(before).items()):
            return None
        for path, last in before.rest.items():
            now = files.signature(os.path.join(root, path))
            if now is None:
                return None
            if now != last:
                changed[path] = now
        # Under its other name it changed in a folder that no event tells of.
        if any(files.has_other_names(os.path.join(root, path)) for path in changed):
            return None
    except FileError:
        return None
    if not changed:
        return replace(before, changed={}) if before.changed != {} else before
    return replace(
        before,
        files={**before.files, **changed},
        changed=changed,
        shelves={**before.shelves, **shelves},
        rest={path: changed.get(path, sign) for path, sign in before.rest.items()},
    )


def _may_follow(seen: Survey) -> bool:
    """Whether a survey saw all there is, but for bases that were not there.

    Whether a link leads to a file of a store is told by a manifest, which no event tells of.
    """
    if seen.unlisted or not all(why == NOT_THERE for why in seen.failed.values()):
        return False
    return not any(is_of_store(os.path.basename(led.real)) for led in seen.links.values())


def _look_into(
    root: str, before: Survey, prefix: str, shelf: Shelf, suffixes: Collection[str]
) -> Shelf | None:
    """The plain files of a folder as they are now; None where other things are there."""
    entries = files.scan_dir(os.path.join(root, prefix))
    names = [entry.name for entry in entries]
    # A file that took the place of another one may be listed elsewhere. What a manifest says may
    # make the folder another store.
    if MANIFEST in names or sorted(names) != sorted(shelf.listed):
        return None
    skipped = {skip.path for skip in before.skips}
    looking = Shelves(tuple(sorted(suffixes)), {prefix: shelf})
    for entry in looking.take(prefix, names, entries):
        path = prefix + entry.name
        was_folder = f"{path}/" in before.folders
        if printable(path) in skipped or entry.is_symlink() != (path in before.links):
            return None
        if entry.is_symlink():
            continue
        if entry.is_dir(follow_symlinks=False):
            if not was_folder and entry.name not in SCRATCH_FOLDERS:
                return None
        elif was_folder or not entry.is_file(follow_symlinks=False):
            return None
    again = looking.taken.get(prefix)
    return again if again is not None and {*again.names()} == {*shelf.names()} else None
