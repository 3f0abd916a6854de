"""How do the terms of documents become postings by term?

Two ways that give the same bytes: sorting flat arrays with numpy, for many documents, and plain
dicts, for the few of an overlay, so that an edit does not cost the import of numpy. Postings come
out by term (in order of UTF-8 bytes), then by `doc_ord`.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from memidx.analysis.base import FieldTerms
from memidx.scoring import idf
from memidx.snapshot.counting import Columns
from memidx.snapshot.format import blob_sections

if TYPE_CHECKING:
    from numpy.typing import NDArray

Section = tuple[str, bytes]


class Inverted(NamedTuple):
    """Sections of the postings, what the header says of them, and distinct terms per document."""

    sections: dict[str, Section]
    facts: dict[str, Any]
    n_terms: array[int]


class FlatPostings(NamedTuple):
    """Postings of one field in any order.

    Attributes:
        terms: Number of each posting's term, in order of the terms' bytes; int64.
        docs: `doc_ord` of each posting; uint32.
        tf: Occurrences; uint32.
        lengths: Field length per document; uint32.
    """

    terms: NDArray[Any]
    docs: NDArray[Any]
    tf: NDArray[Any]
    lengths: NDArray[Any]


def invert_columns(
    vocabulary: Iterable[str], columns: Sequence[Columns], names: Sequence[str]
) -> Inverted:
    """Postings of documents that were analysed one after another.

    Args:
        vocabulary: Terms by the numbers the columns have them under.
        columns: Per field.
        names: Of the fields.
    """
    import numpy as np  # only who builds a snapshot pays for it

    encoded = [term.encode() for term in vocabulary]
    order = sorted(range(len(encoded)), key=encoded.__getitem__)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    fields = []
    for column in columns:
        counts = np.frombuffer(column.counts, dtype=np.uint32).astype(np.int64)
        fields.append(
            FlatPostings(
                rank[np.frombuffer(column.terms, dtype=np.uint32)],
                np.repeat(np.arange(len(counts), dtype=np.uint32), counts),
                np.frombuffer(column.tf, dtype=np.uint32),
                np.frombuffer(column.lengths, dtype=np.uint32),
            )
        )
    return invert([encoded[number] for number in order], fields, names)


def invert(
    terms: Sequence[bytes], fields: Sequence[FlatPostings], names: Sequence[str]
) -> Inverted:
    """Postings by term, with numpy.

    Args:
        terms: Ascending; each occurs in at least one posting.
        fields: Per field; the postings of one term are in ascending order of documents.
        names: Of the fields.
    """
    import numpy as np  # only who builds a snapshot pays for it

    sections = blob_sections("term", terms)
    n_docs = len(fields[0].lengths)
    largest_df = np.zeros(len(terms), dtype=np.int64)
    n_terms = np.zeros(n_docs, dtype=np.int64)
    totals: dict[str, list[int]] = {}
    first: tuple[Any, Any, Any] | None = None
    for name, field in zip(names, fields, strict=True):
        by_term = np.argsort(field.terms, kind="stable")
        df = np.bincount(field.terms, minlength=len(terms))
        at = np.zeros(len(terms) + 1, dtype=np.uint64)
        np.cumsum(df, out=at[1:])
        docs, tf = field.docs[by_term], field.tf[by_term]
        np.maximum(largest_df, df, out=largest_df)
        n_terms += np.bincount(docs, minlength=n_docs)
        lengths = field.lengths
        totals[name] = [int(np.count_nonzero(lengths)), int(lengths.sum(dtype=np.int64))]
        sections[f"{name}.at"] = ("Q", at.tobytes())
        sections[f"{name}.ord"] = ("I", docs.tobytes())
        sections[f"{name}.tf"] = ("I", tf.tobytes())
        sections[f"{name}.len"] = ("I", lengths.tobytes())
        first = first or (df, docs, tf)
    n_searchable = int(np.count_nonzero(n_terms))
    sections["df"] = ("I", largest_df.astype(np.uint32).tobytes())
    norms = np.zeros(n_docs)
    if first is not None:
        table = [idf(n_searchable, count) for count in range(n_searchable + 1)]
        df, docs, tf = first
        norms = norms_by_idf(np.array(table)[largest_df], df, docs, tf, n_docs)
    sections["norm"] = ("d", norms.tobytes())
    return Inverted(sections, _facts(n_searchable, totals), array("I", n_terms.tolist()))


def norms_by_idf(
    term_idf: NDArray[Any], df: NDArray[Any], docs: NDArray[Any], tf: NDArray[Any], n_docs: int
) -> NDArray[Any]:
    """Euclidean length of each document's `tf * idf`, summed in the order of its terms."""
    import numpy as np  # see `invert`

    weights = tf * np.repeat(term_idf, df)
    # float64 also where there is nothing to count.
    squares = np.bincount(docs, weights=weights * weights, minlength=n_docs).astype(np.float64)
    norms: NDArray[Any] = np.sqrt(squares)
    return norms


def invert_few(documents: Sequence[Sequence[FieldTerms]], names: Sequence[str]) -> Inverted:
    """What `invert` gives, in plain Python.

    Args:
        documents: `[doc_ord][field]`.
        names: Of the fields.
    """
    postings: list[dict[str, list[tuple[int, int]]]] = [{} for _ in names]
    vocabulary: set[str] = set()
    for doc_ord, fields in enumerate(documents):
        for found, field in zip(postings, fields, strict=True):
            vocabulary.update(field.tf)
            for term, tf in field.tf.items():
                found.setdefault(term, []).append((doc_ord, tf))
    # Code points order as their UTF-8 bytes do; no term holds a lone surrogate.
    terms = sorted(vocabulary)
    sections = blob_sections("term", (term.encode() for term in terms))
    totals: dict[str, list[int]] = {}
    for position, (name, found) in enumerate(zip(names, postings, strict=True)):
        at = array("Q", [0])
        ords, tfs = array("I"), array("I")
        for term in terms:
            for doc_ord, tf in found.get(term, ()):
                ords.append(doc_ord)
                tfs.append(tf)
            at.append(len(ords))
        lengths = array("I", (fields[position].length for fields in documents))
        totals[name] = [sum(length > 0 for length in lengths), sum(lengths)]
        sections[f"{name}.at"] = ("Q", at.tobytes())
        sections[f"{name}.ord"] = ("I", ords.tobytes())
        sections[f"{name}.tf"] = ("I", tfs.tobytes())
        sections[f"{name}.len"] = ("I", lengths.tobytes())
    n_terms = array("I", (sum(len(field.tf) for field in fields) for fields in documents))
    n_searchable = sum(count > 0 for count in n_terms)
    df = [max(len(found.get(term, ())) for found in postings) for term in terms]
    sections["df"] = ("I", array("I", df).tobytes())
    squares = [0.0] * len(documents)
    for term, count in zip(terms, df, strict=True):
        term_idf = idf(n_searchable, count)
        for doc_ord, tf in postings[0].get(term, ()):
            weight = tf * term_idf
            squares[doc_ord] += weight * weight
    sections["norm"] = ("d", array("d", map(math.sqrt, squares)).tobytes())
    return Inverted(sections, _facts(n_searchable, totals), n_terms)


def _facts(n_searchable: int, totals: dict[str, list[int]]) -> dict[str, Any]:
    return {"n_searchable": n_searchable, "totals": totals}
