"""Does a published index agree with itself, and what does it say of itself?

A search needs less than this: figures that no formula uses, and keys it does without, are looked
at here alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from memidx.jsonindex.compare import Comparison, compare
from memidx.jsonindex.parsing import PublishedFile, read_published
from memidx.scoring import idf
from memidx.sources.base import Skip
from memidx.store.reader import source_fingerprint

_NORM_TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check found.

    Attributes:
        damage: What in the file does not fit together.
        compared: What became of its sources.
    """

    damage: tuple[Skip, ...]
    compared: Comparison
    n_docs: int


def check_published(path: str, root: str | None) -> Checked:
    """Check every figure of a published index; raises as `read_published` does."""
    published = read_published(path)
    compared = Comparison() if root is None else compare(published, root, {})
    damage = (*_missing(published), *_lengths(published), *_norms(published), *_hashes(published))
    return Checked(damage, compared, len(published.documents))


def published_figures(path: str) -> dict[str, Any]:
    """What `status` says of a published index beside or in place of a store's figures."""
    published = read_published(path)
    figures: dict[str, Any] = {
        "project_name": published.project_name,
        "n_shards": 0,
        "size_bytes": published.size_bytes,
        "cache": None,
        "memory_index_schema_version": published.version,
        "framework": published.framework,
        "built_at": published.built_at,
        "source_count": published.source_count,
    }
    if published.fingerprint is not None:
        figures["source_fingerprint"] = published.fingerprint
    return figures


def _missing(published: PublishedFile) -> list[Skip]:
    return [Skip(published.path, f"has no {key}") for key in published.missing]


def _lengths(published: PublishedFile) -> list[Skip]:
    return [
        Skip(
            published.path,
            f"{document.doc_id}: its length is {document.length:,}, "
            f"and its terms are {sum(document.tf.values()):,}",
        )
        for document in published.documents
        if document.length != sum(document.tf.values())
    ]


def _norms(published: PublishedFile) -> list[Skip]:
    """Documents whose `vector_norm_sq` is not that of their terms."""
    if all(document.norm_sq is None for document in published.documents):
        return []
    df: dict[str, int] = {}
    for document in published.documents:
        for term in document.tf:
            df[term] = df.get(term, 0) + 1
    n_docs = sum(bool(document.tf) for document in published.documents)
    weights = {term: idf(n_docs, count) for term, count in df.items()}
    found = []
    for document in published.documents:
        norm_sq = sum((tf * weights[term]) ** 2 for term, tf in document.tf.items())
        stated = document.norm_sq
        if stated is not None and abs(stated - norm_sq) > _NORM_TOLERANCE * max(1.0, norm_sq):
            reason = f"{document.doc_id}: vector_norm_sq is {stated:g}, its terms give {norm_sq:g}"
            found.append(Skip(published.path, reason))
    return found


def _hashes(published: PublishedFile) -> list[Skip]:
    """Whether `source_fingerprint` names these documents; only 1.3 has what it is made from."""
    hashes = [(document.given, document.source_hash or "") for document in published.documents]
    if published.fingerprint is None or not all(source_hash for _, source_hash in hashes):
        return []
    if published.fingerprint == source_fingerprint(hashes):
        return []
    return [Skip(published.path, "source_fingerprint is not that of its documents")]
