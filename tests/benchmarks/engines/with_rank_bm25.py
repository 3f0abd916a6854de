"""rank_bm25, as its page shows it: lower-cased words, Okapi, a pickle to keep it; no snippets."""

from __future__ import annotations

import os
import pickle
import re

import numpy as np
import rank_bm25

from tests.benchmarks.engines import list_files, read_text

_WORDS = re.compile(r"\w+")


def build(root: str, target: str) -> None:
    """Counts of every document."""
    names = list_files(root)
    index = rank_bm25.BM25Okapi([_WORDS.findall(read_text(root, n).lower()) for n in names])
    os.makedirs(target, exist_ok=True)
    with open(os.path.join(target, "index.pickle"), "wb") as file:
        pickle.dump((names, index), file, protocol=pickle.HIGHEST_PROTOCOL)


class Engine:
    """The pickle in memory."""

    def __init__(self, target: str) -> None:
        with open(os.path.join(target, "index.pickle"), "rb") as file:
            self._names, self._index = pickle.load(file)
        self.n_docs = len(self._names)

    def ids(self, query: str, k: int) -> list[str]:
        scores = self._index.get_scores(_WORDS.findall(query.lower()))
        k = min(k, self.n_docs)
        best = np.argpartition(scores, -k)[-k:]
        best = best[np.argsort(-scores[best], kind="stable")]
        return [self._names[doc] for doc in best.tolist() if scores[doc] > 0]

    def answer(self, query: str, k: int) -> list[tuple[str, str]]:
        return [(name, "") for name in self.ids(query, k)]

    def close(self) -> None:
        pass
