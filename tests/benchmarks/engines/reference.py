"""A stand-in for the published reference: plain Python and one JSON file.

Written from its description (docs/scoring.md, "ascii-compat") and sharing no line with memidx, so
that it serves as the naive scorer that memidx's `ascii-compat` has to equal. Terms are runs of
ASCII letters, digits, `_` and `-` from three characters on, minus 49 words; postings are
`{term: [{doc_id, tf}]}`; a query adds BM25 up in dictionaries.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from collections.abc import Iterable
from typing import Any

from tests.benchmarks.engines import list_files, read_text

_STOP = (
    "the and for with that this from into are was were but not you your our their have has had "
    "will can could should would been being they them its his her she him who what when where why "
    "how any all some one two three may also than"
)
_STOP_WORDS = frozenset(_STOP.split())
_TERM = re.compile(r"[A-Za-z][A-Za-z0-9_-]{2,}")
_BLANK_LINES = re.compile(r"\n\s*\n")
_PARAGRAPHS, _PARAGRAPH_CHARACTERS, _SNIPPET_CHARACTERS = 20, 480, 240
_K1, _B = 1.5, 0.75


def terms(text: str) -> list[str]:
    """The terms of a text, in their order."""
    found = (word.lower() for word in _TERM.findall(text))
    return [word for word in found if word not in _STOP_WORDS]


def make(texts: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """The whole index, of (path, text) pairs; a text without a term is left out."""
    documents: list[dict[str, Any]] = []
    postings: dict[str, list[dict[str, int]]] = {}
    for path, text in texts:
        tf: dict[str, int] = {}
        for term in terms(text):
            tf[term] = tf.get(term, 0) + 1
        if not tf:
            continue
        doc_id = len(documents)
        for term, count in tf.items():
            postings.setdefault(term, []).append({"doc_id": doc_id, "tf": count})
        paragraphs = [" ".join(part.split()) for part in _BLANK_LINES.split(text)]
        paragraphs = [part[:_PARAGRAPH_CHARACTERS] for part in paragraphs if part][:_PARAGRAPHS]
        documents.append(
            {
                "doc_id": doc_id,
                "path": path,
                "title": next((p[2:] for p in paragraphs if p.startswith("# ")), path),
                "length": sum(tf.values()),
                "snippet": paragraphs[0][:_SNIPPET_CHARACTERS],
                "paragraphs": paragraphs,
                "source_hash": hashlib.sha256(text.encode("utf-8", "replace")).hexdigest(),
            }
        )
    total = sum(document["length"] for document in documents)
    return {
        "N": len(documents),
        "avgdl": total / len(documents) if documents else 0.0,
        "documents": documents,
        "postings": postings,
    }


def scores(index: dict[str, Any], query: str) -> list[tuple[int, float]]:
    """(document, BM25) of every document with a term of the query, best first, then by number."""
    n_docs, avgdl, documents = index["N"], index["avgdl"], index["documents"]
    found: dict[int, float] = {}
    for term in terms(query):
        listed = index["postings"].get(term)
        if listed is None:
            continue
        idf = math.log(1 + (n_docs - len(listed) + 0.5) / (len(listed) + 0.5))
        for posting in listed:
            doc_id, tf = posting["doc_id"], posting["tf"]
            norm = _K1 * (1 - _B + _B * documents[doc_id]["length"] / avgdl)
            part = idf * tf * (_K1 + 1) / (tf + norm)
            found[doc_id] = found.get(doc_id, 0.0) + part
    return sorted(found.items(), key=lambda item: (-item[1], item[0]))


def build(root: str, target: str) -> None:
    """One JSON file."""
    index = make((name, read_text(root, name)) for name in list_files(root))
    os.makedirs(target, exist_ok=True)
    with open(os.path.join(target, "index.json"), "w", encoding="utf-8") as file:
        file.write(json.dumps(index, separators=(",", ":")))


class Engine:
    """The JSON file in memory."""

    def __init__(self, target: str) -> None:
        with open(os.path.join(target, "index.json"), encoding="utf-8") as file:
            self._index = json.loads(file.read())
        self.n_docs = self._index["N"]

    def ids(self, query: str, k: int) -> list[str]:
        documents = self._index["documents"]
        return [documents[doc_id]["path"] for doc_id, _ in scores(self._index, query)[:k]]

    def answer(self, query: str, k: int) -> list[tuple[str, str]]:
        wanted, hits = set(terms(query)), []
        for doc_id, _ in scores(self._index, query)[:k]:
            document = self._index["documents"][doc_id]
            holding = (p for p in document["paragraphs"] if not wanted.isdisjoint(terms(p)))
            snippet = next(holding, document["snippet"])[:_SNIPPET_CHARACTERS]
            hits.append((document["path"], snippet))
        return hits

    def close(self) -> None:
        pass
