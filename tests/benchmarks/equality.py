"""Is memidx's `ascii-compat` the published reference, hit by hit?

Both rank the same texts: those of memidx's store, with what was redacted taken out.
"""

from __future__ import annotations

from collections.abc import Sequence

import memidx
from tests.benchmarks.engines import reference
from tests.benchmarks.known_items import WrongIndexError


def check(root: str, store: str, queries: Sequence[str], k: int = 10) -> str:
    """How many queries were compared.

    Raises:
        WrongIndexError: A query has other hits, another order, or a score that differs in the
            sixth decimal.
    """
    memidx.build(root=root, store=store, env={})
    compared = 0
    with memidx.open(store, root=root, env={}, analyzer="ascii-compat") as index:
        index.refresh()
        texts = sorted(index.texts())
        blank = [(i, t.replace("<path>", " ").replace("<secret>", " ")) for i, t in texts]
        naive = reference.make(blank)
        for query in queries:
            served = index.search(query, k, strategy="lexical", refresh=False)
            if served.strategy != "lexical":
                continue  # no hit was above `weak`, and the vector ranked instead
            ours = [(hit.doc_id, round(hit.score, 6)) for hit in served.hits]
            expected = [
                (naive["documents"][doc]["path"], round(score, 6))
                for doc, score in reference.scores(naive, query)[:k]
            ]
            if ours != expected:
                raise WrongIndexError(f"{query!r}: expected {expected}, found {ours}")
            compared += 1
    return (
        f"ascii-compat: the first {k} of {compared} queries equal the reference's, scores to 6 "
        f"decimals, over {len(texts):,} documents"
    )
