"""Which engines are measured, and what is asked of each?

An engine is a module of this folder:

    build(root, target)   read every markdown file below root, write an index into the folder target
    Engine(target)        open it: `n_docs`, `ids(query, k)`, `answer(query, k)`, `close()`
    Engine.update         only where a person would change one document of an open index

Words of a query are OR-ed in all of them, as memidx does. A cold process imports this module too,
so that it holds nothing that has to be paid for.
"""

from __future__ import annotations

import os

# Checkers take it for true. A cold process of any engine imports this module, and `typing` would
# take it longer than some engines take to answer.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol
else:
    Protocol = object

ENGINES: dict[str, tuple[str, ...]] = {
    "memidx": ("with_memidx",),
    "tantivy": ("with_tantivy", "tantivy"),
    "FTS5": ("with_fts5", "sqlite3"),
    "bm25s": ("with_bm25s", "bm25s", "Stemmer"),
    "rank_bm25": ("with_rank_bm25", "rank_bm25", "numpy"),
    "reference": ("reference",),
}
"""Name in tables -> module, and what must be installed for it; in the order of the tables."""

Answer = list[tuple[str, str]]  # path, snippet


class Engine(Protocol):
    """An open index over one folder of files; a document's id is its path below that folder."""

    n_docs: int

    def ids(self, query: str, k: int) -> list[str]:
        """Ids of the best `k` documents that hold a word of the query, best first."""

    def answer(self, query: str, k: int) -> Answer:
        """The same with a snippet each, where the engine makes snippets; else without."""

    def close(self) -> None:
        """Let go of files."""


def why_not(name: str) -> str | None:
    """Why an engine cannot be measured here; None where it can."""
    import importlib.util  # a cold process does not pay for it

    missing = [need for need in ENGINES[name][1:] if importlib.util.find_spec(need) is None]
    if missing:
        return f"{name} is left out: {', '.join(missing)} is not installed (pip install '.[bench]')"
    check = getattr(load(name), "why_not", None)
    return check() if check else None


def load(name: str) -> Any:
    """An engine's module."""
    import importlib  # see `why_not`

    return importlib.import_module(f"{__name__}.{ENGINES[name][0]}")


def list_files(root: str) -> list[str]:
    """Every markdown file below `root`, relative to it, in order."""
    found, waiting = [], [root]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                elif entry.name.endswith(".md"):
                    found.append(os.path.relpath(entry.path, root))
    return sorted(found)


def read_text(root: str, name: str) -> str:
    """The text of one file, as every engine gets it."""
    with open(os.path.join(root, name), encoding="utf-8", errors="replace") as file:
        return file.read()


def words(query: str) -> list[str]:
    """Its runs of letters, digits and `_`; without `re`, which a cold process would load for it."""
    return "".join([c if c.isalnum() or c == "_" else " " for c in query]).split()
