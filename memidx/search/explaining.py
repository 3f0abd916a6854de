"""Where does a document's score come from?

Term by term and field by field, in the order in which the kernels add, and by which rule a label
was given.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memidx.scoring import LEXICAL_THRESHOLDS, MIN_COVERAGE, VECTOR_THRESHOLDS, bm25, vector_norm
from memidx.search.cosine import query_vector
from memidx.search.kernels import LexicalParameters, lexical_bound, score_document
from memidx.search.labels import label
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


def explain_vector(
    snapshot: Snapshot, prepared: Prepared, doc: int
) -> tuple[float, tuple[Mapping[str, Any], ...]]:
    """The cosine of one document, term by term.

    Returns:
        The cosine, and per known term: term, tf, idf, weight in the query, share of the cosine.
    """
    terms = [term for term in prepared.terms if any(position == 0 for position, _ in term.fields)]
    weights = query_vector(terms)
    norms = vector_norm(list(weights.values())) * snapshot.norms[doc]
    parts: list[Mapping[str, Any]] = []
    total = 0.0
    for term in terms:
        # One term in several fields of a query is one dimension.
        if term.numbers is None or term.numbers not in weights:
            continue
        weight = weights.pop(term.numbers)
        tf = snapshot.frequency(0, term.numbers, doc)
        product = weight * term.idf * tf
        total += product
        parts.append(
            {
                "term": term.term,
                "tf": tf,
                "idf": term.idf,
                "weight": weight,
                "score": product / norms if norms else 0.0,
            }
        )
    return (total / norms if norms else 0.0), tuple(parts)


def explain_label(
    snapshot: Snapshot, prepared: Prepared, doc: int, strategy: str, parameters: LexicalParameters
) -> tuple[str, tuple[str, ...]]:
    """The label of a hit, and the rules that gave it, a sentence each."""
    found = []
    rules = []
    if strategy != "vector":
        score = score_document(snapshot, prepared.terms, parameters, doc)
        found.append(label(score, LEXICAL_THRESHOLDS))
        rules.append(
            threshold_rule("lexical score, repeated words once,", score, LEXICAL_THRESHOLDS)
        )
    if strategy != "lexical":
        cosine, _ = explain_vector(snapshot, prepared, doc)
        found.append(label(cosine, VECTOR_THRESHOLDS))
        rules.append(threshold_rule("cosine", cosine, VECTOR_THRESHOLDS))
    best = max(found, key=("weak", "candidate", "reliable").index)
    share = prepared.coverage.share(doc)
    if share < MIN_COVERAGE and best != "weak":
        rules.append(
            f"holds {share:.0%} of the query's content words, less than {MIN_COVERAGE:.0%}: "
            "weak at most"
        )
        best = "weak"
    return best, tuple(rules)


def threshold_rule(what: str, value: float, thresholds: tuple[float, float]) -> str:
    """How a value stands to the thresholds for reliable and for candidate."""
    reliable, candidate = thresholds
    given = label(value, thresholds)
    bound = {"reliable": f">= {reliable:g}", "candidate": f">= {candidate:g}"}.get(
        given, f"< {candidate:g}"
    )
    return f"{what} {value:.4g} {bound}: {given}"
