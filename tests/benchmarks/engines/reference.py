"""A stand-in for the published reference: plain Python and one JSON file.

Written from what is published of it (docs/published-format.md; docs/scoring.md, "ascii-compat") and
sharing no line with memidx, so that it serves as the naive scorer that memidx's `ascii-compat` has
to equal. Terms are runs of ASCII letters, digits, `_` and `-` from three characters on, minus 49
words; postings are `{term: [{doc_id, tf}]}`; a query adds BM25 up in dictionaries. A build does
what the published one does, step by step, because half of its time is a bar; only the file is
written without indentation, which takes a third of the published program's time.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tests.benchmarks.engines import list_files

_STOP = (
    "the and for with that this from into are was were but not you your our their have has had "
    "will can could should would been being they them its his her she him who what when where why "
    "how any all some one two three may also than"
)
_STOP_WORDS = frozenset(_STOP.split())
_TERM = re.compile(r"[A-Za-z][A-Za-z0-9_-]{2,}")
_WORD = re.compile(r"[A-Za-z0-9_-]+")
_BLANK_LINES = re.compile(r"\n\s*\n")
_PARAGRAPHS, _PARAGRAPH_CHARACTERS, _SNIPPET_CHARACTERS = 20, 480, 240
_WORDS_OF_A_PARAGRAPH = 8
_K1, _B = 1.5, 0.75


def terms(text: str) -> list[str]:
    """The terms of a text, in their order."""
    return [word.lower() for word in _TERM.findall(text) if word.lower() not in _STOP_WORDS]


def make(texts: Iterable[tuple[str, str]], mtimes: Mapping[str, float] | None = None) -> Any:
    """The whole index as it is written, of (path, text) pairs; a text without a term is left out.

    Args:
        texts: In the order of the documents.
        mtimes: When each file was changed; none says never.
    """
    documents: list[dict[str, Any]] = []
    postings: dict[str, list[dict[str, int]]] = {}
    for path, text in texts:
        found = terms(text)
        if not found:
            continue
        doc_id = len(documents)
        tf: dict[str, int] = {}
        for term in found:
            tf[term] = tf.get(term, 0) + 1
        for term, count in tf.items():
            postings.setdefault(term, []).append({"doc_id": doc_id, "tf": count})
        paragraphs = _paragraphs(text)
        first = paragraphs[0] if paragraphs else _first_line(text)
        documents.append(
            {
                "doc_id": doc_id,
                "path": path,
                "title": _title(text) or os.path.basename(path),
                "length": len(found),
                "snippet": first[:_SNIPPET_CHARACTERS],
                "paragraphs": paragraphs,
                "source_hash": _sha256(text),
                "source_mtime": mtimes[path] if mtimes else 0.0,
            }
        )
    squares = [0.0] * len(documents)
    for listed in postings.values():
        idf = _idf(len(documents), len(listed))
        for posting in listed:
            weight = posting["tf"] * idf
            squares[posting["doc_id"]] += weight * weight
    for document, square in zip(documents, squares, strict=True):
        document["vector_norm_sq"] = square
    by_path = sorted(documents, key=lambda document: str(document["path"]))
    total = sum(document["length"] for document in documents)
    return {
        "artifact_type": "memory-index",
        "memory_index_schema_version": "1.3",
        "source_fingerprint": _sha256("|".join(f"{d['path']}:{d['source_hash']}" for d in by_path)),
        "documents": documents,
        "postings": postings,
        "avgdl": total / len(documents) if documents else 0.0,
        "N": len(documents),
    }


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _title(text: str) -> str:
    """The first heading of the first order; nothing if there is none."""
    for line in text.splitlines():
        bare = line.strip()
        if bare.startswith("# "):
            return bare[2:].strip()
    return ""


def _paragraphs(text: str) -> list[str]:
    """The first 20 that say something, each on one line, without their headings."""
    kept: list[str] = []
    for piece in [piece.strip() for piece in _BLANK_LINES.split(text) if piece.strip()]:
        if _says_something(piece):
            lines = [line for line in piece.splitlines() if not line.strip().startswith("#")]
            kept.append(" ".join(line.strip() for line in lines if line.strip()))
            kept[-1] = kept[-1][:_PARAGRAPH_CHARACTERS]
            if len(kept) == _PARAGRAPHS:
                break
    return kept


def _says_something(piece: str) -> bool:
    """Eight words that are no comment, table, badge or mere heading."""
    if piece.lower().startswith(("<!--", "[![", "|")) or "---|" in piece:
        return False
    lines = [line.strip() for line in piece.splitlines() if line.strip()]
    if all(line.startswith("#") for line in lines):
        return False
    return len(_WORD.findall(piece)) >= _WORDS_OF_A_PARAGRAPH


def _first_line(text: str) -> str:
    """What stands for a text without paragraphs: its first line that is no heading."""
    lines = (line.strip() for line in text.splitlines())
    return next((line for line in lines if line and not line.startswith("#")), "")


def _idf(n_docs: int, df: int) -> float:
    return math.log(1 + (n_docs - df + 0.5) / (df + 0.5))


def scores(index: dict[str, Any], query: str) -> list[tuple[int, float]]:
    """(document, BM25) of every document with a term of the query, best first, then by number."""
    n_docs, avgdl, documents = index["N"], index["avgdl"], index["documents"]
    found: dict[int, float] = {}
    for term in terms(query):
        listed = index["postings"].get(term)
        if listed is None:
            continue
        idf = _idf(n_docs, len(listed))
        for posting in listed:
            doc_id, tf = posting["doc_id"], posting["tf"]
            norm = _K1 * (1 - _B + _B * documents[doc_id]["length"] / avgdl)
            part = idf * tf * (_K1 + 1) / (tf + norm)
            found[doc_id] = found.get(doc_id, 0.0) + part
    return sorted(found.items(), key=lambda item: (-item[1], item[0]))


def build(root: str, target: str) -> None:
    """One JSON file."""
    names = list_files(root)
    mtimes = {name: Path(root, name).stat().st_mtime for name in names}
    texts = ((name, Path(root, name).read_text("utf-8", "replace")) for name in names)
    index = make(texts, mtimes)
    os.makedirs(target, exist_ok=True)
    with open(os.path.join(target, "index.json"), "w", encoding="utf-8") as file:
        file.write(json.dumps(index))


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
