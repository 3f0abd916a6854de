"""SQLite's FTS5 with its porter stemmer: what every Python has."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing

from tests.benchmarks.engines import list_files, read_text, words

_TABLE = "CREATE VIRTUAL TABLE docs USING fts5(path UNINDEXED, text, tokenize='porter unicode61')"
_IDS = "SELECT path FROM docs WHERE docs MATCH ? ORDER BY rank LIMIT ?"
_ANSWER = _IDS.replace("path", "path, snippet(docs, 1, '', '', '…', 40)")


def why_not() -> str | None:
    """SQLite may have been compiled without it."""
    try:
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.execute(_TABLE)
    except sqlite3.OperationalError as error:
        return f"FTS5 is left out: {error}"
    return None


def build(root: str, target: str) -> None:
    """One transaction of all files."""
    os.makedirs(target, exist_ok=True)
    connection = sqlite3.connect(os.path.join(target, "docs.db"))
    connection.execute(_TABLE)
    with connection:
        rows = ((name, read_text(root, name)) for name in list_files(root))
        connection.executemany("INSERT INTO docs VALUES (?, ?)", rows)
    connection.close()


class Engine:
    """An open database."""

    def __init__(self, target: str) -> None:
        self._connection = sqlite3.connect(os.path.join(target, "docs.db"))

    @property
    def n_docs(self) -> int:
        return int(self._connection.execute("SELECT count(*) FROM docs").fetchone()[0])

    def ids(self, query: str, k: int) -> list[str]:
        return [row[0] for row in self._connection.execute(_IDS, (_match(query), k))]

    def answer(self, query: str, k: int) -> list[tuple[str, str]]:
        return self._connection.execute(_ANSWER, (_match(query), k)).fetchall()

    def update(self, root: str, names: list[str]) -> None:
        """Take in documents that changed."""
        with self._connection:
            for name in names:
                row = (read_text(root, name), name)
                self._connection.execute("UPDATE docs SET text = ? WHERE path = ?", row)

    def close(self) -> None:
        self._connection.close()


def _match(query: str) -> str:
    """The words of a query in FTS5's language."""
    return " OR ".join(f'"{word}"' for word in words(query))
