"""Collections in BEIR layout."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from memidx.errors import SuiteError
from memidx.evals import CollectionReport, evaluate_collection, render_collection
from memidx.evals.beir import load_collection

Write = Callable[..., str]
CORPUS = [{"_id": "d1", "title": "T", "text": "alpha"}, {"_id": "d2", "text": "beta"}]
QUERIES = [{"_id": "q1", "text": "alpha"}, {"_id": "q2", "text": "beta"}]
QRELS = "query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td2\t2\n"


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a collection; a list is written as JSON lines, text as it is, None not at all."""

    def run(corpus: Any = CORPUS, queries: Any = QUERIES, qrels: Any = QRELS) -> str:
        named = {"corpus.jsonl": corpus, "queries.jsonl": queries, "qrels.tsv": qrels}
        for name, content in named.items():
            if isinstance(content, list):
                content = "".join(json.dumps(record) + "\n" for record in content)
            if isinstance(content, str):
                content = content.encode("utf-8")
            if content is not None:
                (tmp_path / name).write_bytes(content)
        return str(tmp_path)

    return run


@dataclass
class Place:
    doc_id: str
    source: str = ""
    confidence: str = "reliable"


class FakeIndex:
    """Returns the documents whose text is the query, and remembers how it was made."""

    fingerprint = "analyzer-1"

    def __init__(self, documents: Iterable[tuple[str, str, str]], **options: Any) -> None:
        self.docs = list(documents)
        self.options = options

    def rank(
        self, queries: Sequence[str], k: int, *, strategy: str | None = None
    ) -> list[list[Place]]:
        """Hits whose text is the query, then nothing."""
        assert k == 1000
        return [[Place(d) for d, _, text in self.docs if text == query] for query in queries]


def run(folder: str, **options: Any) -> CollectionReport:
    """Evaluate with the fake index."""
    return evaluate_collection(folder, index_with=FakeIndex, **options)


def test_a_collection_is_read(write: Write) -> None:
    """Documents, queries and grades land where they belong; a title may be absent."""
    collection = load_collection(write())
    assert collection.documents == (("d1", "T", "alpha"), ("d2", "", "beta"))
    assert collection.queries == {"q1": "alpha", "q2": "beta"}
    assert collection.qrels == {"q1": {"d1": 1}, "q2": {"d2": 2}}


@pytest.mark.parametrize(
    "qrels",
    [
        "q1\td1\t1\nq2\td2\t2\n",
        "query-id\tcorpus-id\tscore\r\nq1\td1\t1\r\nq2\td2\t2\r\n",
        "\ufeffquery-id\tcorpus-id\tscore\nq1\td1\t1\n\nq2\td2\t2",
        QRELS + "q1\td1\t1\n",
    ],
)
def test_headers_line_ends_and_repeats_do_not_matter(write: Write, qrels: str) -> None:
    """A header is optional; CRLF, a byte order mark, blank and repeated lines are fine."""
    assert load_collection(write(qrels=qrels)).qrels == {"q1": {"d1": 1}, "q2": {"d2": 2}}


def test_unicode_line_separators_stay_in_the_text(write: Write) -> None:
    """Only a line feed ends a record."""
    corpus = '{"_id": "d1", "text": "a\u2028b\x85c"}\n{"_id": 2, "title": null, "text": ""}\n'
    documents = load_collection(write(corpus=corpus)).documents
    assert documents == (("d1", "", "a\u2028b\x85c"), ("2", "", ""))


def test_qrels_in_the_usual_subfolder_are_found(write: Write, tmp_path: Path) -> None:
    """The published collections keep them in `qrels/test.tsv`."""
    folder = write(qrels=None)
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text(QRELS, encoding="utf-8")
    assert load_collection(folder).qrels["q1"] == {"d1": 1}


@pytest.mark.parametrize(
    ("files", "where", "what"),
    [
        ({"corpus": None}, "corpus.jsonl", "missing"),
        ({"qrels": None}, "qrels.tsv", "missing"),
        ({"corpus": ""}, "corpus.jsonl", "empty"),
        ({"qrels": "query-id\tcorpus-id\tscore\n"}, "qrels.tsv", "no judgements"),
        ({"corpus": '{"_id": "d1", "text": "a"}\n{"_id"\n'}, "corpus.jsonl:2", "not JSON"),
        ({"corpus": "[" * 100_000}, "corpus.jsonl:1", "not JSON"),
        ({"corpus": "[1]\n"}, "corpus.jsonl:1", "not a JSON object"),
        ({"corpus": [*CORPUS, CORPUS[0]]}, "corpus.jsonl:3", "'d1' is there twice"),
        ({"corpus": [{"text": "a"}]}, "corpus.jsonl:1", "_id is missing"),
        ({"corpus": [{"_id": True, "text": "a"}]}, "corpus.jsonl:1", "_id is missing"),
        ({"corpus": [{"_id": "d1"}]}, "corpus.jsonl:1", "text is missing"),
        ({"corpus": [{"_id": "d1", "title": 5, "text": "a"}]}, "corpus.jsonl:1", "title is"),
        ({"corpus": b'{"_id": "\xff"}\n'}, "corpus.jsonl:1", "not UTF-8"),
        ({"queries": [*QUERIES, {"_id": "q3"}]}, "queries.jsonl:3", "text is missing"),
        ({"queries": [*QUERIES, QUERIES[0]]}, "queries.jsonl:3", "'q1' is there twice"),
        ({"qrels": "q1\td1\n"}, "qrels.tsv:1", "not a judgement"),
        ({"qrels": "q1 0 d1 1\n"}, "qrels.tsv:1", "not a judgement"),
        ({"qrels": QRELS + "q1\td2\tx\n"}, "qrels.tsv:4", "not a grade"),
        ({"qrels": "q1\td2\t0.5\n"}, "qrels.tsv:1", "not a grade"),
        ({"qrels": QRELS + "q1\td1\t3\n"}, "qrels.tsv:4", "two grades"),
        ({"qrels": "q1\td1\t99999\n"}, "qrels.tsv:1", "out of range"),
    ],
)
def test_what_is_wrong_is_named_by_file_and_line(
    write: Write, files: dict[str, Any], where: str, what: str
) -> None:
    """A collection that cannot be used says where and why."""
    folder = write(**files)
    with pytest.raises(SuiteError) as caught:
        load_collection(folder)
    assert caught.value.message.startswith(f"{folder}/{where}: {what}") or (
        f"/{where}: " in caught.value.message and what in caught.value.message
    )


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    """A misspelt folder is the caller's mistake."""
    with pytest.raises(SuiteError, match="no such folder"):
        load_collection(str(tmp_path / "nowhere"))


def test_a_run_is_measured(write: Write) -> None:
    """Both queries find their document first."""
    report = run(write(), k1=0.9, b=0.4)
    assert report.means == dict.fromkeys(report.means, 1.0)
    assert list(report.means) == ["nDCG@10", "RR@10", "AP", "R@100", "Success@1", "Success@3"]
    assert (report.facts["k1"], report.facts["b"], report.facts["strategy"]) == (
        0.9,
        0.4,
        "lexical",
    )
    assert report.run == {"q1": ["d1"], "q2": ["d2"]}
    assert report.exit_code == 0


def test_missing_unjudged_and_unknown_are_counted_and_named(write: Write) -> None:
    """Three judged queries: one finds, one finds nothing, one has no text; one is not judged."""
    report = run(
        write(
            queries=[*QUERIES, {"_id": "q3", "text": "gamma"}, {"_id": "q4", "text": "alpha"}],
            qrels="q1\td1\t1\nq3\td2\t1\nghost\td9\t1\n",
        )
    )
    assert (report.n_queries, report.n_judged, report.n_unjudged) == (4, 3, 2)
    assert report.missing == ("q3",)
    assert (report.unknown_queries, report.unknown_documents) == (("ghost",), ("d9",))
    assert report.means["nDCG@10"] == pytest.approx(1 / 3)
    text = render_collection(report)
    assert "2 queries without judgements, left out" in text
    assert "1 judged queries without a result, counted as 0: q3" in text
    assert "1 judged queries that are not in queries.jsonl, counted as 0: ghost" in text
    assert text.splitlines()[-1] == "PASSED (exit 0): 3 judged queries measured, no gate"


def test_the_report_is_json(write: Write) -> None:
    """Figures by query are in it, so that two runs can be compared."""
    data = json.loads(json.dumps(run(write()).to_dict()))
    assert data["artifact_type"] == "memidx-report"
    assert data["schema"] == "memidx.collection-report/1"
    assert data["by_query"]["q1"]["AP"] == 1.0
    assert data["means"]["AP"] == 1.0


def test_the_collection_hash_follows_its_content(write: Write) -> None:
    """Another grade is another collection."""
    first = run(write()).facts["collection_hash"]
    assert run(write()).facts["collection_hash"] == first
    changed = run(write(qrels=QRELS.replace("2\n", "1\n"))).facts["collection_hash"]
    assert changed != first


@pytest.mark.shared
def test_shared_collections_are_read(shared: Path) -> None:
    """Every collection beside the project can be loaded."""
    folders = sorted(p for p in (shared / "collections").iterdir() if p.is_dir())
    assert folders
    for folder in folders:
        collection = load_collection(str(folder))
        assert collection.qrels.keys() <= collection.queries.keys()
