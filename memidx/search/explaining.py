"""Where does a document's score come from?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memidx.scoring import bm25
from memidx.search.kernels import LexicalParameters, lexical_bound, term_frequency
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
            field = snapshot.fields[position]
            tf = 0 if term.number is None else term_frequency(field, term.number, doc)
            score = 0.0
            if tf:
                score = bm25(
                    tf,
                    field.lengths[doc],
                    avgdl=field.avgdl,
                    idf=term.weight * field_weight * term.idf,
                    k1=k1,
                    b=b,
                )
            total += score
            parts.append(
                {
                    "term": term.term,
                    "field": field.name,
                    "tf": tf,
                    "df": 0 if term.number is None else snapshot.df[term.number],
                    "idf": term.idf,
                    "doc_len": field.lengths[doc],
                    "avgdl": field.avgdl,
                    "weight": term.weight * field_weight,
                    "score": score,
                }
            )
    return total, lexical_bound(prepared.terms, LexicalParameters(k1, b)), tuple(parts)
