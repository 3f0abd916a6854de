"""Where does a document's score come from?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memidx.scoring import bm25
from memidx.search.kernels import LexicalParameters, lexical_bound
from memidx.search.prepared import Prepared
from memidx.snapshot.snapshot import Snapshot


def explain_lexical(
    snapshot: Snapshot, prepared: Prepared, doc: int, *, k1: float, b: float
) -> tuple[float, float, tuple[Mapping[str, Any], ...]]:
    """BM25 of one document, term by term and field by field.

    Returns:
        The score (sum of the parts in the kernel's order), its upper bound, the parts.
    """
    parts: list[Mapping[str, Any]] = []
    total = 0.0
    for term in prepared.terms:
        for position, field_weight in term.fields:
            numbers, length = term.numbers, snapshot.lengths[position][doc]
            tf = 0 if numbers is None else snapshot.frequency(position, numbers, doc)
            score = 0.0
            if tf:
                score = bm25(
                    tf,
                    length,
                    avgdl=snapshot.avgdl[position],
                    idf=term.weight * field_weight * term.idf,
                    k1=k1,
                    b=b,
                )
            total += score
            parts.append(
                {
                    "term": term.term,
                    "field": snapshot.fields[position],
                    "tf": tf,
                    "df": term.df,
                    "idf": term.idf,
                    "doc_len": length,
                    "avgdl": snapshot.avgdl[position],
                    "weight": term.weight * field_weight,
                    "score": score,
                }
            )
    return total, lexical_bound(prepared.terms, LexicalParameters(k1, b)), tuple(parts)
