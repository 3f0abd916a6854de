"""Which keys does a published JSON index have, and what of a document is in them?

Pure: documents in, one dict out. `build_memory_index` and the export make their dicts here, so
that both have the same shape. The format is described in docs/published-format.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from memidx.scoring import idf
from memidx.store.manifest import ARTIFACT_TYPE, FALLBACK_POLICY, VECTOR_RUNTIME_MODE, WRITE_OWNER
from memidx.store.reader import source_fingerprint

PUBLISHED_SCHEMA_VERSION = "1.3"
PUBLISHED_FORMAT_VERSION = "json-bm25-postings-v2"

MAX_PARAGRAPHS = 20
PARAGRAPH_CHARACTERS = 480
SNIPPET_CHARACTERS = 240
_MIN_PARAGRAPH_WORDS = 8
_BLANK_LINES = re.compile(r"\n\s*\n")
_WORD = re.compile(r"[A-Za-z0-9_-]+")
# The opening sentence of every changelog of the usual kind says nothing about this one.
_BOILERPLATE = ("<!--", "[![", "|", "all notable changes to this project will be documented")


@dataclass(frozen=True, slots=True)
class Entry:
    """What a published document is made from.

    Attributes:
        path: What the index calls it by.
        title: Never empty.
        text: Whole, redacted.
        tf: Term -> how often the text holds it; not empty.
        length: Terms of the text, repeats included.
        source_hash: SHA-256 of the text before redaction, in hex.
        mtime: Seconds since the epoch.
    """

    path: str
    title: str
    text: str
    tf: Mapping[str, int]
    length: int
    source_hash: str
    mtime: float


def assemble(
    entries: Iterable[Entry],
    *,
    project_name: str,
    framework: str,
    built_at: str,
    source_count: int,
) -> dict[str, Any]:
    """A whole index of schema 1.3; documents are numbered in the order given.

    Args:
        built_at: ISO 8601 time stamp.
        source_count: Sources that were named, those without a document included.
    """
    documents: list[dict[str, Any]] = []
    postings: dict[str, list[dict[str, int]]] = {}
    for doc_id, entry in enumerate(entries):
        for term, tf in entry.tf.items():
            postings.setdefault(term, []).append({"doc_id": doc_id, "tf": tf})
        shown = paragraphs(entry.text)
        first = shown[0] if shown else first_line(entry.text)
        documents.append(
            {
                "doc_id": doc_id,
                "path": entry.path,
                "title": entry.title,
                "length": entry.length,
                "snippet": first[:SNIPPET_CHARACTERS],
                "paragraphs": shown,
                "source_hash": entry.source_hash,
                "source_mtime": entry.mtime,
            }
        )
    norms = norms_sq(postings, range(len(documents)), len(documents))
    for document in documents:
        document["vector_norm_sq"] = norms[document["doc_id"]]
    lengths = [document["length"] for document in documents]
    fingerprint = source_fingerprint((d["path"], d["source_hash"]) for d in documents)
    named = f"{fingerprint}|{built_at}|{source_count}"
    return {
        "artifact_type": ARTIFACT_TYPE,
        "memory_index_schema_version": PUBLISHED_SCHEMA_VERSION,
        "index_format_version": PUBLISHED_FORMAT_VERSION,
        "index_build_id": sha256(named.encode("utf-8")).hexdigest(),
        "index_write_owner": WRITE_OWNER,
        "vector_runtime_mode": VECTOR_RUNTIME_MODE,
        "vector_model_id": None,
        "vector_dim": None,
        "fallback_policy": FALLBACK_POLICY,
        "source_fingerprint": fingerprint,
        "project_name": project_name,
        "framework": framework,
        "built_at": built_at,
        "source_count": source_count,
        "documents": documents,
        "postings": postings,
        "avgdl": sum(lengths) / len(lengths) if lengths else 0.0,
        "N": len(documents),
    }


def norms_sq(
    postings: Mapping[str, list[dict[str, Any]]], doc_ids: Iterable[Any], n_docs: int
) -> dict[Any, float]:
    """`doc_id` -> squared length of its vector of tf * idf, over all of its terms."""
    norms = dict.fromkeys(doc_ids, 0.0)
    for entries in postings.values():
        weight = idf(n_docs, len(entries))
        for posting in entries:
            value = posting["tf"] * weight
            norms[posting["doc_id"]] += value * value
    return norms


def title_of(text: str) -> str:
    """The first heading of the first level outside fences, or an empty string."""
    fence = ""
    for line in map(str.strip, text.split("\n")):
        if line.startswith(("```", "~~~")):
            fence = "" if line.startswith(fence or "\0") else fence or line[:3]
        elif not fence and line.startswith("# "):
            return line[2:].strip()
    return ""


def paragraphs(text: str) -> list[str]:
    """The first paragraphs that say something, each on one line, headings above them gone."""
    kept: list[str] = []
    for block in _BLANK_LINES.split(text):
        lines = [line.strip() for line in block.split("\n") if line.strip()]
        body = " ".join(line for line in lines if not line.startswith("#"))
        whole = block.strip()
        if (
            body
            and not whole.lower().startswith(_BOILERPLATE)
            and "---|" not in whole
            and len(_WORD.findall(whole)) >= _MIN_PARAGRAPH_WORDS
        ):
            kept.append(body[:PARAGRAPH_CHARACTERS])
            if len(kept) == MAX_PARAGRAPHS:
                break
    return kept


def first_line(text: str) -> str:
    """What is shown of a document without such a paragraph: its first line of text."""
    lines = (line.strip() for line in text.split("\n"))
    return next((line for line in lines if line and not line.startswith("#")), "")
