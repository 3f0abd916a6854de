"""Which queries can a new suite begin with?

One for each source, from words that stand in a document and not in its title, tried before it is
written: it shows that the index answers, no more. What makes a suite worth having, a question that
somebody asked, nobody can derive; the file says so.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from memidx.analysis.base import Analyzer
from memidx.config import SearchConfig, SourceConfig
from memidx.documents import Document
from memidx.search.ranking import RankSettings, SourceFactors, rank_many
from memidx.text import FEEDS

SUITE_NAME = "queries.yaml"
K = 5
_N_WORDS = 3
_MOST_TRIED = 8
_FEWEST_WORDS = 40
_READ_CHARACTERS = 20_000
_WORD = re.compile(r"[^\W\d_]{4,20}")
_NOT_PROSE = re.compile(r"^(```+|~~~+).*?^\1|https?://\S+|<[^<>\s]*>|`[^`\n]*`", re.M | re.S)
_NOWHERE = (
    "scuba diving in antarctica",
    "recipe for lemon meringue pie",
    "football results of last saturday",
    "how to prune apple trees",
)


@dataclass(frozen=True, slots=True)
class Starter:
    """One query that was tried.

    Attributes:
        query: Its text.
        source: Source of the document it expects; None where it must find nothing.
        doc_id: The document; None likewise.
    """

    query: str
    source: str | None = None
    doc_id: str | None = None


def choose_starters(
    documents: Mapping[str, Document],
    sources: Sequence[SourceConfig],
    analyzer: Analyzer,
    search: SearchConfig,
) -> list[Starter]:
    """Queries that pass, at most one a source, and one that finds nothing.

    Args:
        documents: `doc_id` -> document, of all sources.
        sources: In the order of the configuration; feeds get no query, as their documents' names
            (commits) are not what a suite should hold on to.
        analyzer: Of the index.
        search: Settings of the index.
    """
    # Only `init` comes here, and deriving a snapshot needs numpy.
    from memidx.snapshot.builder import snapshot_in_memory
    from memidx.snapshot.rows import Placed

    if not documents:
        return [Starter(_NOWHERE[0])]
    ordered = [documents[doc_id] for doc_id in sorted(documents)]
    facts = {"build_id": "", "analyzer": analyzer.fingerprint(), "analyzer_name": analyzer.name}
    placed = (Placed(document, "", 1) for document in ordered)
    snapshot = snapshot_in_memory(placed, analyzer, facts)
    factors = {s.name: SourceFactors(s.weight, s.decay, s.decay_floor) for s in sources}
    settings = RankSettings(search, factors, 0.0)
    df = Counter(word for document in ordered for word in set(_words(document)))
    starters: list[Starter] = []
    for source in sources:
        if source.kind in FEEDS:
            continue
        mine = [document for document in ordered if document.source == source.name]
        tried = list(_queries(mine, df, len(ordered)))
        rankings = rank_many(snapshot, analyzer, settings, [text for text, _ in tried], k=K)
        for (text, doc_id), hits in zip(tried, rankings, strict=True):
            if any(hit.doc_id == doc_id for hit in hits):
                starters.append(Starter(text, source.name, doc_id))
                break
    for text, hits in zip(
        _NOWHERE, rank_many(snapshot, analyzer, settings, _NOWHERE, k=K), strict=True
    ):
        if all(hit.confidence == "weak" for hit in hits):
            starters.append(Starter(text))
            break
    return starters


def suite_text(starters: Sequence[Starter]) -> str:
    """The text of `queries.yaml`."""
    lines = [_HEAD, "queries:"]
    for starter in starters:
        lines += _entry(starter)
    return "\n".join(lines) + "\n" + _TAIL


def _entry(starter: Starter) -> list[str]:
    if starter.doc_id is None or starter.source is None:
        return [
            "  - id: nothing-there",
            f"    query: {json.dumps(starter.query)}",
            "    category: no-answer",
            "    severity: must",
            "    expect_empty: true",
            "    why: nothing here is about it, and the index has to say so",
            "",
        ]
    path = json.dumps(starter.doc_id, ensure_ascii=False)
    return [
        f"  - id: starter-{starter.source}",
        f"    query: {json.dumps(starter.query, ensure_ascii=False)}",
        "    category: keyword",
        "    severity: should",
        f"    k: {K}",
        f"    expect_paths: [{{path: {path}}}]",
        f"    expect_sources: [{json.dumps(starter.source)}]",
        "    provenance: words of the document itself",
        "    why: shows that this source answers; replace it by a question somebody asked",
        "",
    ]


def _queries(
    documents: Sequence[Document], df: Counter[str], n_docs: int
) -> Iterator[tuple[str, str]]:
    """Queries to try, from the documents whose length is the most usual one."""
    texts = [(len(words), document, words) for document in documents if (words := _words(document))]
    long_enough = [entry for entry in texts if entry[0] >= _FEWEST_WORDS] or texts
    lengths = sorted(n for n, _, _ in long_enough)
    median = lengths[len(lengths) // 2] if lengths else 0
    long_enough.sort(key=lambda entry: (abs(entry[0] - median), entry[1].doc_id))
    most = max(2, n_docs // 20)
    for _, document, words in long_enough[:_MOST_TRIED]:
        title = set(_parts(f"{document.title} {document.doc_id}"))
        tf = Counter(word for word in words if word not in title and df[word] <= most)
        weight = {word: min(n, 5) * math.log(1 + n_docs / df[word]) for word, n in tf.items()}
        best = max(_paragraphs(document), key=partial(_worth, weight), default=[])
        chosen = _best(weight, best)
        if len(chosen) == _N_WORDS:
            # In the order of the text they read more like something that is asked.
            yield " ".join(word for word in dict.fromkeys(best) if word in chosen), document.doc_id


def _worth(weight: Mapping[str, float], paragraph: Sequence[str]) -> float:
    return sum(weight[word] for word in _best(weight, paragraph))


def _best(weight: Mapping[str, float], paragraph: Sequence[str]) -> list[str]:
    """The words that tell most of a paragraph."""
    known = {word for word in paragraph if word in weight}
    return sorted(known, key=lambda word: (-weight[word], word))[:_N_WORDS]


def _paragraphs(document: Document) -> list[list[str]]:
    text = _NOT_PROSE.sub(" ", document.text[:_READ_CHARACTERS])
    return [_parts(paragraph) for paragraph in text.split("\n\n")]


def _words(document: Document) -> list[str]:
    return [word for paragraph in _paragraphs(document) for word in paragraph]


def _parts(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


_HEAD = """\
# Golden queries: what must be found, and what must not. `memidx eval queries.yaml` judges them.
# `memidx init` wrote this once; it is yours from here on and is never written over.
# The starters were tried when they were written. They show that each source answers, and say
# nothing about how good the answers are: their words were taken from the documents.
version: 1
"""
_TAIL = """\
# Write down what you really asked, in the words you used, above all where the answer was wrong:
#
#  - id: lock-timeout
#    query: why does the second writer give up
#    category: question        # keyword identifier paraphrase question negation
#                              # multi-source freshness no-answer
#    severity: must            # must gates, should is counted, known_gap is expected to fail
#    k: 5
#    expect_paths: [{path: docs/locks.md, grade: 3}, {any_of: [README.md, "docs/faq/*.md"]}]
#    why: asked on the day the build hung
"""
