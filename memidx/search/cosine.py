"""How near is a document to a query, as vectors of tf-idf?

The plain kernel of the vector channel; that by numpy is in `memidx.search.kernels_batch`.
"""

from __future__ import annotations

from memidx.light import TYPE_CHECKING
from memidx.search.kernels import ScoredTerm
from memidx.snapshot.parts import Numbers
from memidx.snapshot.snapshot import Snapshot

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def query_vector(terms: Sequence[ScoredTerm]) -> dict[Numbers, float]:
    """Sparse tf-idf vector of a query: weight * idf, known terms only, by their numbers."""
    vector: dict[Numbers, float] = {}
    for term in terms:
        if term.numbers is not None:
            vector[term.numbers] = vector.get(term.numbers, 0.0) + term.weight * term.idf
    return vector


def score_vector(
    snapshot: Snapshot,
    vector: Mapping[Numbers, float],
    query_norm: float,
    idfs: Mapping[Numbers, float],
) -> dict[int, float]:
    """Cosine of query and document over `tf * idf`, with the full norm of the document.

    Args:
        snapshot: Where to look; the first field is the vector's.
        vector: Numbers of a term -> weight of the query.
        query_norm: Euclidean length of `vector`.
        idfs: Numbers of a term -> idf.

    Returns:
        document -> cosine, 0..1.
    """
    scores: dict[int, float] = {}
    get = scores.get
    for numbers, weight in vector.items():
        factor = weight * idfs[numbers]
        for postings in snapshot.postings(0, numbers):
            for doc, tf in postings.pairs():
                scores[doc] = get(doc, 0.0) + factor * tf
    norm = snapshot.norms
    return {
        doc: score / (query_norm * norm[doc]) if norm[doc] and query_norm else 0.0
        for doc, score in scores.items()
    }
