"""bm25s: scores computed at build time, kept as arrays that are memory-mapped; no snippets."""

from __future__ import annotations

import json
import os
from typing import Any

import bm25s
import Stemmer

from tests.benchmarks.engines import list_files, read_text


def build(root: str, target: str) -> None:
    """The arrays, and the names of the documents."""
    names = list_files(root)
    retriever = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
    texts = [read_text(root, name) for name in names]
    retriever.index(_tokens(texts, Stemmer.Stemmer("english")), show_progress=False)
    retriever.save(target, show_progress=False)
    with open(os.path.join(target, "names.json"), "w", encoding="utf-8") as file:
        json.dump(names, file)


class Engine:
    """Open arrays."""

    def __init__(self, target: str) -> None:
        self._retriever = bm25s.BM25.load(target, mmap=True)
        self._stemmer = Stemmer.Stemmer("english")
        with open(os.path.join(target, "names.json"), encoding="utf-8") as file:
            self._names = json.load(file)
        self.n_docs = len(self._names)

    def ids(self, query: str, k: int) -> list[str]:
        return self.batch([query], k)[0]

    def batch(self, queries: list[str], k: int) -> list[list[str]]:
        """Many queries at once, which is what it is made for."""
        tokens, k = _tokens(queries, self._stemmer), min(k, self.n_docs)
        found = self._retriever.retrieve(tokens, k=k, show_progress=False)
        # Places without a match are filled up with documents of score 0.
        rows = zip(found.documents.tolist(), found.scores.tolist(), strict=True)
        return [
            [self._names[doc] for doc, score in zip(*row, strict=True) if score > 0] for row in rows
        ]

    def answer(self, query: str, k: int) -> list[tuple[str, str]]:
        return [(name, "") for name in self.ids(query, k)]

    def close(self) -> None:
        pass


def _tokens(texts: list[str], stemmer: Any) -> Any:
    return bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False)
