"""memidx itself: a store with its snapshot, asked without comparing the sources."""

from __future__ import annotations

import os

import memidx


def build(root: str, target: str, jobs: int = 2) -> None:
    """The committed store, and the snapshot a query reads."""
    memidx.build(root=root, store=target, jobs=jobs, env={})


class Engine:
    """An open store.

    Args:
        target: The store.
        words_only: Score the text alone, as the peers do, and not title and path.
    """

    def __init__(self, target: str, *, words_only: bool = False) -> None:
        env = {"MEMIDX_TITLE_WEIGHT": "0"} if words_only else {}
        self.index = memidx.open(os.fspath(target), env=env)

    @property
    def n_docs(self) -> int:
        return self.index.n_docs

    def ids(self, query: str, k: int) -> list[str]:
        return self.index.search_ids([query], k)[0]

    def answer(self, query: str, k: int) -> list[tuple[str, str]]:
        hits = self.index.search(query, k, refresh=False).hits
        return [(hit.doc_id, hit.snippet) for hit in hits]

    def close(self) -> None:
        self.index.close()
