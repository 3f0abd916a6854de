"""What would a person use instead?

SQLite's FTS5 with its porter stemmer, and bm25s with a Snowball stemmer; words of a query are
OR-ed in both, as memidx does. `python -m tests.benchmarks.peers fts5|bm25s ROOT TARGET` builds.
"""

from __future__ import annotations

import os
import re
import sqlite3
import sys
from pathlib import Path
from typing import Any

from tests.benchmarks.corpus import markdown_files

IDS = "SELECT path FROM docs WHERE docs MATCH ? ORDER BY rank LIMIT 10"
ANSWER = IDS.replace("path", "path, snippet(docs, 1, '', '', '…', 40)").replace("10", "5")


def match(query: str) -> str:
    """A query of words in FTS5's language."""
    return " OR ".join(f'"{word}"' for word in re.findall(r"\w+", query))


def build_fts5(root: Path, database: str) -> sqlite3.Connection:
    """Read every file and insert it, in one transaction."""
    connection = sqlite3.connect(database)
    connection.execute(
        "CREATE VIRTUAL TABLE docs USING fts5(path UNINDEXED, text, tokenize='porter unicode61')"
    )
    with connection:
        rows = ((str(p), p.read_text("utf-8", "replace")) for p in markdown_files(root))
        connection.executemany("INSERT INTO docs VALUES (?, ?)", rows)
    return connection


def scan(root: str) -> dict[str, tuple[int, int, int, int]]:
    """The bare loop: list every folder, stat every file."""
    found = {}
    waiting = [root]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                elif entry.name.endswith(".md"):
                    s = entry.stat()
                    found[entry.path] = (s.st_size, s.st_mtime_ns, s.st_ctime_ns, s.st_ino)
    return found


def take_in_edits(connection: sqlite3.Connection, root: str, known: dict[str, Any]) -> None:
    """What a program around FTS5 does after an edit: scan, read what differs, update the row."""
    now = scan(root)
    with connection:
        for path in (path for path, state in now.items() if known.get(path) != state):
            text = Path(path).read_text("utf-8", "replace")
            connection.execute("UPDATE docs SET text = ? WHERE path = ?", (text, path))
    known.update(now)


class Bm25s:
    """bm25s over the same files, in memory."""

    def __init__(self, root: Path) -> None:
        import bm25s  # who asks FTS5 does not pay for numpy
        import Stemmer

        self._module, self._stemmer = bm25s, Stemmer.Stemmer("english")
        texts = [path.read_text("utf-8", "replace") for path in markdown_files(root)]
        self._retriever = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
        self._retriever.index(self._tokens(texts), show_progress=False)

    def ids(self, queries: list[str]) -> Any:
        """Numbers of the ten best documents of each query."""
        return self._retriever.retrieve(self._tokens(queries), k=10, show_progress=False).documents

    def _tokens(self, texts: list[str]) -> Any:
        options = {"stopwords": "en", "stemmer": self._stemmer, "show_progress": False}
        return self._module.tokenize(texts, **options)


if __name__ == "__main__":
    if sys.argv[1] == "fts5":
        build_fts5(Path(sys.argv[2]), f"{sys.argv[3]}/{os.getpid()}.db").close()
    else:
        Bm25s(Path(sys.argv[2]))
