"""Is the file a label names there, though not indexed?

Only for the wording of a lint: a target that is on disk but not in the index is unwinnable, one
that is nowhere is dangling.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from memidx import files
from memidx.errors import FileError
from memidx.evals.patterns import clean, is_glob, matcher

# Enough for a wording; a huge tree must not make a lint slow.
_MAX_ENTRIES = 20_000
_NOT_ENTERED = frozenset({".git", "node_modules", ".venv", "venv", "__pycache__"})


def on_disk(root: str) -> Callable[[str], bool]:
    """A test whether a pattern means a file below `root`."""

    def is_there(pattern: str) -> bool:
        path = clean(pattern).partition("#")[0]
        segments = path.split("/")
        if not path or path.startswith("/") or "\\" in path or ".." in segments:
            return False
        if files.is_file(f"{root}/{path}"):
            return True
        if not is_glob(path):
            return False
        fits = matcher(path)
        base = []
        for segment in segments[:-1]:
            if is_glob(segment):
                break
            base.append(segment)
        return any(fits(name, None) for name in _walk(root, "/".join(base)))

    return is_there


def _walk(root: str, base: str) -> Iterator[str]:
    waiting, n_seen = [base], 0
    while waiting and n_seen < _MAX_ENTRIES:
        folder = waiting.pop()
        try:
            entries = files.list_dir(f"{root}/{folder}" if folder else root)
        except FileError:
            continue
        for entry in entries:
            n_seen += 1
            path = f"{folder}/{entry.name}" if folder else entry.name
            if not entry.is_dir:
                yield path
            elif entry.name not in _NOT_ENTERED:
                waiting.append(path)
