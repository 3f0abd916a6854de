"""How does a caller of the published reference change only its import?

The functions under the published names, with the published dict shapes: one whole index as a
dict, hits as dicts. They use the `ascii-compat` analyzer and the published formulas only: no
fields, no weights, no decay, no fallback. Differences, all on purpose: texts and paths are
redacted before anything is kept, every encoding that memidx reads is read, and a file whose
time lies in the future does not make an index stale for ever.
"""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from memidx import files
from memidx.analysis import get_analyzer
from memidx.errors import FileError
from memidx.jsonindex.shape import (
    PUBLISHED_FORMAT_VERSION,
    PUBLISHED_SCHEMA_VERSION,
    SNIPPET_CHARACTERS,
    Entry,
    assemble,
    norms_sq,
    title_of,
)
from memidx.scoring import idf
from memidx.text.decode import Undecodable, decode
from memidx.text.paths import identity, is_utf8, is_within, relative_to
from memidx.text.redact import holds_secret, redact, redact_local_paths

_K1, _B = 1.5, 0.75
_MAX_SNIPPETS = 3
_LAST_SECOND = 253402300799.0  # of the year 9999
_ANALYZER = get_analyzer("ascii-compat")
# What `documents[doc_id]` finds, for every `doc_id` of a posting.
_Documents = list[dict[str, Any]] | dict[Any, dict[str, Any]]

__all__ = [
    "PUBLISHED_FORMAT_VERSION",
    "PUBLISHED_SCHEMA_VERSION",
    "build_memory_index",
    "is_index_stale",
    "query_index",
    "redact_local_paths",
]


def build_memory_index(
    sources: Iterable[str | os.PathLike[str]],
    *,
    project_name: str = "",
    framework: str = "",
    root: str | os.PathLike[str] | None = None,
) -> dict[str, Any]:
    """Builds a whole index over the given files, in the given order.

    A file that is missing, unreadable, not text or without a single term is left out.

    Args:
        sources: Files.
        project_name: Kept in the index.
        framework: Kept in the index.
        root: Relative sources and the paths in the index are relative to it, and a source
            that lies outside of it, links resolved, is left out. Without it, paths are kept
            as given (their private part redacted) and relative to the working folder.
    """
    named = list(_locate(sources, root))
    entries = [
        Entry(
            path=source.path,
            title=title_of(read.text) or redact(source.path.rpartition("/")[2]),
            text=read.text,
            tf=read.tf,
            length=read.length,
            source_hash=read.source_hash,
            mtime=read.mtime,
        )
        for source in named
        if (read := _read(source)) is not None
    ]
    return assemble(
        entries,
        project_name=project_name,
        framework=framework,
        built_at=_built_at([entry.mtime for entry in entries]),
        source_count=len(named),
    )


def is_index_stale(
    index: Mapping[str, Any],
    sources: Iterable[str | os.PathLike[str]],
    *,
    root: str | os.PathLike[str] | None = None,
) -> bool:
    """Whether building the index again from these sources would, or might, give another one.

    True when a source was added, taken from the list or deleted, when the text of one has
    another hash than in the index, and when one was modified after the index was built.
    Documents without `source_hash` go by modification time alone. An index without a usable
    `built_at` is stale.
    """
    built_at = _timestamp(index.get("built_at"))
    if built_at is None:
        return True
    known: dict[str, list[Mapping[str, Any]]] = {}
    for document in index.get("documents") or ():
        known.setdefault(str(document.get("path")), []).append(document)
    for source in _locate(sources, root):
        entries = known.get(source.path)
        document = entries.pop(0) if entries else None
        if _is_changed(source, document, built_at):
            return True
    return any(known.values())


def query_index(
    index: Mapping[str, Any], query: str, *, k: int = 5, strategy: str = "lexical"
) -> list[dict[str, Any]]:
    """The `k` best documents: dicts `doc_id path title score snippet snippets`, best first.

    Scores are rounded to 6 decimals after ordering; equal ones go by `doc_id`.

    Args:
        index: As `build_memory_index` makes it, or read from a published file (1.1 to 1.3).
        query: Words; those the index does not know are passed over.
        k: How many at most.
        strategy: `lexical` (BM25; repeated words add up) or `vector` (cosine).

    Raises:
        ValueError: On another strategy.
    """
    if strategy not in ("lexical", "vector"):
        raise ValueError(f"unknown strategy {strategy!r} (expected lexical or vector)")
    postings, documents = index.get("postings") or {}, _by_id(index.get("documents") or [])
    n_docs = index.get("N") or 0
    words = [word.whole for word in _ANALYZER.query(query) if word.whole in postings]
    if not words or not n_docs:
        return []
    weights = {term: idf(n_docs, len(postings[term])) for term in words}
    if strategy == "lexical":
        scores = _bm25(words, weights, postings, documents, index.get("avgdl") or 1.0)
    else:
        words = list(weights)
        counts = Counter(w.whole for w in _ANALYZER.query(query))
        scores = _cosine(counts, weights, postings, documents, n_docs)
    best = sorted(scores.items(), key=lambda item: (-item[1], item[0]))[: max(k, 0)]
    return [_hit(documents[doc_id], doc_id, score, words, weights) for doc_id, score in best]


def _by_id(documents: list[dict[str, Any]]) -> _Documents:
    """The documents by what postings call them: their place in the list, as a rule."""
    last = len(documents) - 1
    if not documents or (documents[0].get("doc_id"), documents[last].get("doc_id")) == (0, last):
        return documents
    return {document.get("doc_id"): document for document in documents}


def _bm25(
    words: list[str],
    weights: Mapping[str, float],
    postings: Mapping[str, list[dict[str, Any]]],
    documents: _Documents,
    avgdl: float,
) -> dict[Any, float]:
    scores: dict[Any, float] = {}
    for term in words:
        for posting in postings[term]:
            doc_id, tf = posting["doc_id"], posting["tf"]
            norm = _K1 * (1.0 - _B + _B * documents[doc_id]["length"] / avgdl)
            gain = weights[term] * (tf * (_K1 + 1.0) / (tf + norm))
            scores[doc_id] = scores.get(doc_id, 0.0) + gain
    return scores


def _cosine(
    counts: Mapping[str, int],
    weights: Mapping[str, float],
    postings: Mapping[str, list[dict[str, Any]]],
    documents: _Documents,
    n_docs: int,
) -> dict[Any, float]:
    """Known words only, in the query's norm too; the documents' norms are over all terms."""
    query = {term: counts[term] * weight for term, weight in weights.items()}
    query_norm = math.sqrt(sum(value * value for value in query.values()))
    dots: dict[Any, float] = {}
    for term, value in query.items():
        for posting in postings[term]:
            doc_id = posting["doc_id"]
            dots[doc_id] = dots.get(doc_id, 0.0) + value * posting["tf"] * weights[term]
    if all("vector_norm_sq" in documents[doc_id] for doc_id in dots):
        squares = {doc_id: documents[doc_id]["vector_norm_sq"] for doc_id in dots}
    else:
        doc_ids = documents if isinstance(documents, dict) else range(len(documents))
        squares = norms_sq(postings, doc_ids, n_docs)
    norms = {doc_id: math.sqrt(squares[doc_id]) * query_norm for doc_id in dots}
    return {doc_id: dot / norms[doc_id] for doc_id, dot in dots.items() if norms[doc_id] > 0.0}


def _hit(
    document: Mapping[str, Any],
    doc_id: Any,
    score: float,
    words: list[str],
    weights: Mapping[str, float],
) -> dict[str, Any]:
    snippets = _snippets(document.get("paragraphs") or (), words, weights)
    snippets = snippets or [document["snippet"]]
    return {
        "doc_id": doc_id,
        "path": document["path"],
        "title": document["title"],
        "score": round(score, 6),
        "snippet": snippets[0],
        "snippets": snippets,
    }


def _snippets(
    paragraphs: Iterable[str], words: list[str], weights: Mapping[str, float]
) -> list[str]:
    """The best paragraphs by BM25 with the length left out, each once, the earlier one first."""
    ranked: list[tuple[float, int, str]] = []
    for place, paragraph in enumerate(paragraphs):
        (terms,) = _ANALYZER.document(title="", path="", text=paragraph)
        found = ((weights[word], terms.tf.get(word, 0)) for word in words)
        gain = sum(weight * tf * (_K1 + 1.0) / (tf + _K1) for weight, tf in found)
        ranked.append((-gain, place, paragraph))
    ranked.sort()
    chosen = dict.fromkeys(paragraph for _, _, paragraph in ranked[:_MAX_SNIPPETS])
    return [paragraph[:SNIPPET_CHARACTERS] for paragraph in chosen]


class _Source(NamedTuple):
    """A file: the path the index calls it by, and where it is (None: outside of root)."""

    path: str
    disk_path: str | None


class _Read(NamedTuple):
    text: str
    tf: Mapping[str, int]
    length: int
    source_hash: str
    mtime: float


def _locate(
    sources: Iterable[str | os.PathLike[str]], root: str | os.PathLike[str] | None
) -> Iterator[_Source]:
    base = None if root is None else files.realpath(os.fspath(root))
    for source in sources:
        given = os.fspath(source)
        if base is None:
            yield _named(given, given if is_utf8(given) else None)
            continue
        # A link keeps its own name; where it leads decides whether it may be read.
        placed = os.path.normpath(os.path.join(base, given))
        if not is_within(placed, base):
            placed = files.realpath(placed)
        inside = is_within(files.realpath(placed), base) and is_utf8(placed)
        path = identity(relative_to(placed, base)) if inside else given
        yield _named(path, placed if inside else None)


def _named(path: str, disk_path: str | None) -> _Source:
    """A path that itself holds a secret is not read, so that it gets into no index."""
    return _Source(redact_local_paths(path), None if holds_secret(path) else disk_path)


def _read(source: _Source) -> _Read | None:
    """The file's text, redacted, and its terms; None when there is nothing to index."""
    if source.disk_path is None:
        return None
    try:
        data, signature = files.read_signed(source.disk_path)
        text = decode(data)
    except (FileError, Undecodable):
        return None
    redacted = redact(text)
    (terms,) = _ANALYZER.document(title="", path=source.path, text=redacted)
    if not terms.tf:
        return None
    # As `os.stat` rounds it, so that the figure equals the published one.
    seconds, nanoseconds = divmod(signature.mtime_ns, 10**9)
    mtime = seconds + 1e-9 * nanoseconds
    return _Read(redacted, terms.tf, terms.length, _sha256(text), mtime)


def _is_changed(source: _Source, document: Mapping[str, Any] | None, built_at: float) -> bool:
    """Whether one source, and what the index holds of it, no longer belong together."""
    read = _read(source)
    if document is None or read is None:
        # Neither indexed nor to be indexed: nothing to be stale about.
        return (document is None) != (read is None)
    if document.get("source_hash") and document["source_hash"] != read.source_hash:
        return True
    return read.mtime > built_at


def _timestamp(value: object) -> float | None:
    """Seconds since the epoch of an ISO time stamp; None when it is none."""
    from datetime import datetime  # only this and `_built_at` need it

    if not isinstance(value, str):
        return None
    try:
        return datetime.fromisoformat(value).timestamp()
    except (ValueError, OverflowError):
        return None


def _built_at(mtimes: list[float]) -> str:
    """Now or, where a source's time lies ahead of the clock, that time.

    Otherwise such a source would make every index over it stale for ever.
    """
    from datetime import UTC, datetime

    # Rounded up: a time stamp has microseconds, a modification time may have more.
    latest_s = math.ceil(max(mtimes, default=0.0) * 1e6) / 1e6
    latest = datetime.fromtimestamp(min(max(latest_s, 0.0), _LAST_SECOND), UTC)
    return max(datetime.now(UTC), latest).isoformat().replace("+00:00", "Z")


def _sha256(text: str) -> str:
    from hashlib import sha256

    return sha256(text.encode("utf-8")).hexdigest()
