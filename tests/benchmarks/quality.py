"""How good is the ranking, beside bm25s, on public collections?

    python tests/benchmarks/quality.py [NAME…] [--collections DIR]

Prints, per collection in BEIR layout, nDCG@10 of memidx as it comes and of bm25s (Lucene's BM25,
k1 1.5, b 0.75, Snowball English, English stop words), the difference, the queries won and lost,
and how likely so large a difference is by chance (paired randomisation test, 10,000 sign flips,
fixed seed). The last line is the mean over collections. Needs `pip install memidx[bench]`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import bm25s
import ir_measures
import numpy as np
import Stemmer
from ir_measures import nDCG

from memidx.collection import index_collection

DEFAULT_COLLECTIONS = Path(__file__).resolve().parents[3] / "shared" / "collections"
CUTOFF = 10
FLIPS = 10_000

Collection = tuple[list[tuple[str, str, str]], dict[str, str], dict[str, dict[str, int]]]


def read_collection(folder: Path) -> Collection:
    """Documents (id, title, text), queries with a judgement, and the judgements."""
    qrels: dict[str, dict[str, int]] = {}
    for line in (folder / "qrels.tsv").read_text("utf-8").splitlines()[1:]:
        query_id, doc_id, grade = line.split("\t")
        qrels.setdefault(query_id, {})[doc_id] = int(grade)
    documents = [
        (row["_id"], row.get("title") or "", row["text"]) for row in _rows(folder / "corpus.jsonl")
    ]
    queries = {row["_id"]: row["text"] for row in _rows(folder / "queries.jsonl")}
    return documents, {q: text for q, text in queries.items() if q in qrels}, qrels


def rank_with_memidx(
    documents: Sequence[tuple[str, str, str]], queries: Sequence[str]
) -> list[list[str]]:
    """Ten best documents of each query, memidx with its defaults."""
    index = index_collection(documents)
    return [[hit.doc_id for hit in ranking] for ranking in index.rank(queries, CUTOFF)]


def rank_with_bm25s(
    documents: Sequence[tuple[str, str, str]], queries: Sequence[str]
) -> list[list[str]]:
    """Ten best documents of each query; equal scores by id, documents without a match left out."""
    stemmer = Stemmer.Stemmer("english")
    corpus = [f"{title}\n\n{text}" if title else text for _, title, text in documents]
    retriever = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
    tokens = bm25s.tokenize(corpus, stopwords="en", stemmer=stemmer, show_progress=False)
    retriever.index(tokens, show_progress=False)
    by_id = np.argsort(np.array([doc_id for doc_id, _, _ in documents]), kind="stable")
    place = np.empty(len(documents), dtype=np.int64)
    place[by_id] = np.arange(len(documents))
    rankings = []
    for words in bm25s.tokenize(
        list(queries), stopwords="en", stemmer=stemmer, show_progress=False, return_ids=False
    ):
        scores = retriever.get_scores(words) if words else np.zeros(len(documents))
        best = np.lexsort((place, -scores))[:CUTOFF]
        rankings.append([documents[n][0] for n in best if scores[n] > 0])
    return rankings


def ndcg(
    rankings: Sequence[Sequence[str]],
    query_ids: Sequence[str],
    qrels: Mapping[str, Mapping[str, int]],
) -> np.ndarray:
    """nDCG@10 of each query, in served order; a query without results counts 0."""
    run = {
        query_id: {doc_id: float(-rank) for rank, doc_id in enumerate(ranking)}
        for query_id, ranking in zip(query_ids, rankings, strict=True)
    }
    measured = {
        metric.query_id: metric.value
        for metric in ir_measures.iter_calc([nDCG @ CUTOFF], qrels, run)
    }
    return np.array([measured.get(query_id, 0.0) for query_id in query_ids])


def chance(differences: np.ndarray) -> float:
    """Two-sided p-value of a paired randomisation test."""
    if not differences.any():
        return 1.0
    rng = np.random.default_rng(20240501)
    observed = abs(differences.mean())
    reached = 0
    for _ in range(FLIPS // 100):
        signs = rng.choice((-1.0, 1.0), size=(100, len(differences)))
        means = np.abs((signs * differences).mean(axis=1))
        reached += int((means >= observed - 1e-12).sum())
    return (reached + 1) / (FLIPS + 1)


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--collections", type=Path, default=DEFAULT_COLLECTIONS)
    arguments = parser.parse_args()
    names = arguments.names or sorted(
        folder.name for folder in arguments.collections.iterdir() if folder.is_dir()
    )
    print(f"{'collection':22}{'queries':>8}{'memidx':>9}{'bm25s':>9}{'diff':>9}", end="")
    print(f"{'won':>6}{'lost':>6}{'p':>9}")
    means = []
    for name in names:
        documents, queries, qrels = read_collection(arguments.collections / name)
        ids, texts = list(queries), list(queries.values())
        ours = ndcg(rank_with_memidx(documents, texts), ids, qrels)
        theirs = ndcg(rank_with_bm25s(documents, texts), ids, qrels)
        difference = ours - theirs
        means.append((ours.mean(), theirs.mean()))
        print(f"{name:22}{len(ids):8}{ours.mean():9.4f}{theirs.mean():9.4f}", end="")
        print(f"{difference.mean():+9.4f}{(difference > 0).sum():6}", end="")
        print(f"{(difference < 0).sum():6}{chance(difference):9.4f}", flush=True)
    ours_mean, theirs_mean = np.array(means).mean(axis=0)
    print(f"{'mean':22}{'':8}{ours_mean:9.4f}{theirs_mean:9.4f}{ours_mean - theirs_mean:+9.4f}")


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


if __name__ == "__main__":
    main()
