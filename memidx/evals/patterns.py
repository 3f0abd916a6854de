"""Which indexed documents does a pattern of a suite mean?

A pattern is a `doc_id` (or the path of a file that holds several documents), taken literally
where there is one; otherwise a glob over `doc_id`, or over the path alone where the pattern has
no `#`. In the path, `*` and `?` stay inside a folder and `**` crosses folders; in the anchor
after `#`, `*` matches anything. `[x].md` therefore means the file of that name where it exists.
"""

from __future__ import annotations

import fnmatch
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

_WILD = re.compile(r"[*?\[]")
_ACROSS = "**"


class Row(Protocol):
    """What is known of an indexed document (`CatalogRow` of `memidx.index`)."""

    @property
    def doc_id(self) -> str: ...  # noqa: D102
    @property
    def source(self) -> str: ...  # noqa: D102
    @property
    def path(self) -> str: ...  # noqa: D102
    @property
    def title(self) -> str: ...  # noqa: D102
    @property
    def time(self) -> str | None: ...  # noqa: D102


class Resolver:
    """Patterns to documents of one catalog; each pattern is looked up once."""

    def __init__(self, catalog: Iterable[Row]) -> None:
        self.rows = {row.doc_id: row for row in catalog}
        self.sources = frozenset(row.source for row in self.rows.values())
        self._by_path: dict[str, set[str]] = {}
        for row in self.rows.values():
            self._by_path.setdefault(row.path, set()).add(row.doc_id)
        self._known: dict[str, frozenset[str]] = {}

    def documents(self, pattern: str) -> frozenset[str]:
        """The `doc_id`s that a pattern means; empty when it means none."""
        found = self._known.get(pattern)
        if found is None:
            found = self._known[pattern] = self._look_up(clean(pattern))
        return found

    def any_of(self, patterns: Iterable[str]) -> frozenset[str]:
        """The `doc_id`s that one of the patterns means."""
        return frozenset().union(*(self.documents(pattern) for pattern in patterns))

    def _look_up(self, pattern: str) -> frozenset[str]:
        if pattern in self.rows:
            return frozenset((pattern,))
        if pattern in self._by_path:
            return frozenset(self._by_path[pattern])
        if not is_glob(pattern):
            return frozenset()
        begins, ends = _fixed_ends(pattern)
        fits = matcher(pattern)
        if "#" not in pattern:
            paths = [p for p in self._by_path if p.startswith(begins) and p.endswith(ends)]
            return frozenset(d for p in paths if fits(p, None) for d in self._by_path[p])
        rows = [
            row
            for doc_id, row in self.rows.items()
            if doc_id.startswith(begins) and doc_id.endswith(ends)
        ]
        return frozenset(row.doc_id for row in rows if fits(row.path, _anchor(row)))


def clean(pattern: str) -> str:
    """A pattern in the form identities have: NFC, without a leading `./`."""
    return unicodedata.normalize("NFC", pattern).removeprefix("./")


def is_glob(pattern: str) -> bool:
    """Whether it holds a character that a glob reads as a wildcard."""
    return _WILD.search(pattern) is not None


def matcher(pattern: str) -> Callable[[str, str | None], bool]:
    """A test of `(path, anchor)` for a glob.

    A `#` may belong to a file's name as well as begin the anchor, so each is tried.
    """
    cuts = [i for i, character in enumerate(pattern) if character == "#"]
    whole = _path_matcher(pattern)
    parts = [(_path_matcher(pattern[:i]), _text_matcher(pattern[i + 1 :])) for i in cuts]

    def fits(path: str, anchor: str | None) -> bool:
        # Without `#` the pattern is about the path alone, whatever the anchor.
        if (not cuts or anchor is None) and whole(path):
            return True
        return anchor is not None and any(
            path_fits(path) and anchor_fits(anchor) for path_fits, anchor_fits in parts
        )

    return fits


def _fixed_ends(pattern: str) -> tuple[str, str]:
    """What every match of a glob begins and ends with: cheap to look at first."""
    wild = [i for i, character in enumerate(pattern) if character in "*?[]"]
    # `**/a.md` matches `a.md`, so the slash is not fixed.
    return pattern[: wild[0]], pattern[wild[-1] + 1 :].lstrip("/")


def _path_matcher(pattern: str) -> Callable[[str], bool]:
    segments = [part if part == _ACROSS else _text_matcher(part) for part in pattern.split("/")]
    return lambda path: _segments_fit(segments, path.split("/"))


def _segments_fit(pattern: Sequence[str | Callable[[str], bool]], names: Sequence[str]) -> bool:
    """Whether the names fit; `**` stands for any number of them, at the end for at least one.

    `open_at` holds every number of names that the segments so far can have taken, so the work
    is at most segments times names, however many `**` there are.
    """
    open_at = {0}
    for position, segment in enumerate(pattern):
        if isinstance(segment, str):
            least = min(open_at) + (position == len(pattern) - 1)
            open_at = set(range(least, len(names) + 1))
        else:
            open_at = {at + 1 for at in open_at if at < len(names) and segment(names[at])}
        if not open_at:
            return False
    return len(names) in open_at


def _text_matcher(pattern: str) -> Callable[[str], bool]:
    # `fnmatch.translate` makes expressions that do not backtrack across a `*`.
    compiled = re.compile(fnmatch.translate(pattern))
    return lambda text: compiled.match(text) is not None


def _anchor(row: Row) -> str | None:
    return row.doc_id[len(row.path) + 1 :] if len(row.doc_id) > len(row.path) else None
