"""`ascii-compat` equals a scorer of twenty lines, lexical and vector, order included."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

import memidx
from memidx.evals import evaluate_collection
from tests.support import write_tree

STOP = set(
    """the and for with that this from into are was were but not you your our their have has had
    will can could should would been being they them its his her she him who what when where why
    how any all some one two three may also than""".split()  # noqa: SIM905 - words, one a word
)
QUERIES = [
    "refresh index query-index synopsis CLI flags",
    "security security hardening",
    "the orchestrator delegates to agents",
    "UPPER_SNAKE_CASE placeholder unknownwordxyz",
    "memory",
    "bridge offline investigation of stale artifacts in generated teams",
]


def naive(texts: Mapping[str, str], query: str, *, vector: bool) -> list[tuple[str, float]]:
    """The published formulas, written out once more: id -> score, best first."""
    terms = lambda text: [  # noqa: E731 - twenty lines
        word for word in re.findall(r"[A-Za-z][A-Za-z0-9_-]{2,}", text.lower()) if word not in STOP
    ]
    docs = {i: Counter(terms(re.sub("<path>|<secret>", "", t))) for i, t in texts.items()}
    docs = {i: tf for i, tf in docs.items() if tf}
    n, avgdl = len(docs), sum(sum(tf.values()) for tf in docs.values()) / len(docs)
    df = Counter(term for tf in docs.values() for term in tf)
    idf = {term: math.log(1 + (n - f + 0.5) / (f + 0.5)) for term, f in df.items()}
    asked = Counter(term for term in terms(query) if term in df)
    scores = {}
    for i, tf in docs.items():
        if not set(asked) & set(tf):
            continue
        if vector:
            dot = sum(c * idf[t] * tf[t] * idf[t] for t, c in asked.items())
            norms = [math.sqrt(sum((c * idf[t]) ** 2 for t, c in v.items())) for v in (asked, tf)]
            scores[i] = dot / (norms[0] * norms[1])
        else:
            norm = 1.5 * (1 - 0.75 + 0.75 * sum(tf.values()) / avgdl)
            scores[i] = sum(c * idf[t] * tf[t] * 2.5 / (tf[t] + norm) for t, c in asked.items())
    return sorted(scores.items(), key=lambda item: (-round(item[1], 12), item[0]))


def assert_equal(root: Path, store: Path, queries: list[str]) -> None:
    """Every hit of every query, in both strategies, has the naive scorer's place and score."""
    memidx.build([str(root)], store=str(store), env={})
    with memidx.open(str(store), root=str(root), env={}, analyzer="ascii-compat") as index:
        index.refresh()
        snapshot = index._last().snapshot
        texts = {snapshot.doc_id(n): snapshot.text(n) for n in snapshot.docs()}
        for strategy in ("lexical", "vector"):
            for query in queries:
                expected = naive(texts, query, vector=strategy == "vector")
                served = index.rank([query], k=10_000, strategy=strategy)[0]
                if served and strategy == "lexical" and not _lexical(index, query):
                    continue
                assert [(hit.doc_id, round(hit.score, 6)) for hit in served] == [
                    (doc_id, round(score, 6)) for doc_id, score in expected
                ]


def _lexical(index: memidx.Index, query: str) -> bool:
    """Whether the lexical channel ranked, and not the vector in its stead."""
    return index.search(query, strategy="lexical", k=1).strategy == "lexical"


def test_small_corpus(tmp_path: Path) -> None:
    """A corpus made here, with an empty document, repeats and redacted paths."""
    words = ["lock", "timeout", "the", "shard", "index", "agent-team", "A1b", "ab", "memory"]
    files = {
        f"{n}.md": " ".join(words[(n * 7 + k * k) % len(words)] for k in range(n % 11 + 1))
        for n in range(40)
    }
    root = write_tree(tmp_path / "p", {**files, "e.md": "", "h.md": "in /home/someone/lock/x"})
    assert_equal(root, tmp_path / "store", ["lock", "lock lock shard", "agent-team index zzz"])


@pytest.mark.shared
def test_real_corpus(shared: Path, tmp_path: Path) -> None:
    """481 documents of a real agent team."""
    assert_equal(shared / "corpora/agentteams", tmp_path / "store", QUERIES)


@pytest.mark.shared
@pytest.mark.parametrize("strategy", ["lexical", "vector"])
def test_the_published_evaluation(shared: Path, strategy: str) -> None:
    """9 of 10 first and 10 of 10 among the first three, as published, in both strategies."""
    report = evaluate_collection(
        str(shared / "collections/agentteams_eval"), analyzer="ascii-compat", strategy=strategy
    )
    values = report.to_dict()["means"]
    assert (values["Success@1"], values["Success@3"]) == (0.9, 1.0)
