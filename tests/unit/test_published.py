"""The published functions: the published dicts, scores equal to a naive scorer's."""

from __future__ import annotations

import json
import math
import os
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import memidx
from memidx.published import build_memory_index, is_index_stale, query_index, redact_local_paths
from memidx.text.redact import redact

STOP = """the and for with that this from into are was were but not you your our their have has
had will can could should would been being they them its his her she him who what when where why
how any all some one two three may also than""".split()  # noqa: SIM905 - as the design lists them


def words(text: str) -> list[str]:
    """The oracle's terms."""
    found = re.findall("[A-Za-z][A-Za-z0-9_-]{2,}", re.sub("<path>|<secret>", " ", text))
    return [word.lower() for word in found if word.lower() not in STOP]


def naive(texts: list[str], query: str, strategy: str) -> list[tuple[int, float]]:
    """Scores one document after the other, straight from the formulas."""
    docs = [words(text) for text in texts if words(text)]
    n, avgdl = len(docs), sum(map(len, docs)) / len(docs)
    df = Counter(word for doc in docs for word in set(doc))
    idf = {word: math.log(1 + (n - d + 0.5) / (d + 0.5)) for word, d in df.items()}
    asked = [word for word in words(query) if word in df]
    scores = []
    for number, doc in enumerate(docs):
        tf = Counter(doc)
        if strategy == "lexical":
            norm = 1.5 * (1 - 0.75 + 0.75 * len(doc) / avgdl)
            score = sum(idf[w] * tf[w] * 2.5 / (tf[w] + norm) for w in asked if tf[w])
        else:
            q = {w: c * idf[w] for w, c in Counter(asked).items()}
            dot = sum(v * tf[w] * idf[w] for w, v in q.items())
            norms = [sum((c * idf[w]) ** 2 for w, c in tf.items()), sum(v * v for v in q.values())]
            score = dot / math.sqrt(norms[0] * norms[1]) if dot else 0.0
        if score > 0:
            scores.append((number, score))
    return sorted(scores, key=lambda item: (-item[1], item[0]))


def assert_equal_to_naive(index: dict[str, Any], texts: list[str], query: str) -> None:
    """Every hit in the same order with the same score to 6 decimals, in both strategies."""
    for strategy in ("lexical", "vector"):
        expected = naive(texts, query, strategy)
        hits = query_index(index, query, k=10**6, strategy=strategy)
        assert [(hit["doc_id"], hit["score"]) for hit in hits] == [
            (number, pytest.approx(score, abs=1.5e-6)) for number, score in expected
        ]


@pytest.fixture
def notes(tmp_path: Path) -> list[Path]:
    """Four notes; the second has no term and counts nowhere, the last two are alike."""
    texts = [
        "# Locks\n\nThe file lock waits; the lock has a timeout of ten seconds by default.\n",
        "12 34 !!\n",
        "# Timeouts\n\nA timeout ends every wait for a network answer after thirty seconds.\n",
        "# Timeouts\n\nA timeout ends every wait for a network answer after thirty seconds.\n",
    ]
    paths = [tmp_path / f"note{number}.md" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    return paths


@pytest.mark.parametrize(
    "query",
    ["lock timeout", "timeout timeout network", "unknown lock", "the", "", "file-lock WAITS"],
)
def test_scores_equal_a_naive_scorer(notes: list[Path], query: str) -> None:
    """Repeats, unknown words and stop words included."""
    index = build_memory_index(notes)
    assert_equal_to_naive(index, [path.read_text() for path in notes], query)


def test_one_score_worked_out_by_hand(tmp_path: Path) -> None:
    """Two documents of lengths 2 and 4, the word once in the first: ln 2 * 2.5 / 2.125."""
    (tmp_path / "a.md").write_text("alpha beta")
    (tmp_path / "b.md").write_text("gamma gamma gamma gamma")
    index = build_memory_index(["a.md", "b.md"], root=tmp_path)
    # df = 1 of 2: idf = ln(1 + 1.5/1.5) = ln 2; dl/avgdl = 2/3: norm = 1.5 * (0.25 + 0.5).
    (hit,) = query_index(index, "alpha")
    assert hit["score"] == round(math.log(2) * 2.5 / 2.125, 6)
    # The vectors (ln 2, ln 2) and (ln 2): the cosine of 45 degrees.
    (hit,) = query_index(index, "alpha", strategy="vector")
    assert hit["score"] == 0.707107


def test_equal_scores_go_by_doc_id_and_k_is_a_prefix(notes: list[Path]) -> None:
    """The two equal notes keep the order in which they were given."""
    index = build_memory_index(notes)
    hits = query_index(index, "network timeout", k=10)
    assert [hit["doc_id"] for hit in hits[:2]] == [1, 2]
    assert query_index(index, "network timeout", k=1) == hits[:1]
    assert query_index(index, "network timeout", k=0) == []


def test_the_index_has_the_published_shape(notes: list[Path]) -> None:
    """Keys, versions and figures of schema 1.3."""
    index = build_memory_index(notes, project_name="P", framework="claude")
    assert list(index) == [
        "artifact_type", "memory_index_schema_version", "index_format_version", "index_build_id",
        "index_write_owner", "vector_runtime_mode", "vector_model_id", "vector_dim",
        "fallback_policy", "source_fingerprint", "project_name", "framework", "built_at",
        "source_count", "documents", "postings", "avgdl", "N",
    ]  # fmt: skip
    assert (index["artifact_type"], index["memory_index_schema_version"]) == ("memory-index", "1.3")
    assert (index["project_name"], index["framework"]) == ("P", "claude")
    assert (index["source_count"], index["N"], len(index["documents"])) == (4, 3, 3)
    assert (index["vector_model_id"], index["vector_dim"]) == (None, None)
    assert len(index["index_build_id"]) == len(index["source_fingerprint"]) == 64
    first = index["documents"][0]
    assert list(first) == [
        "doc_id", "path", "title", "length", "snippet", "paragraphs", "source_hash",
        "source_mtime", "vector_norm_sq",
    ]  # fmt: skip
    assert first["path"] == str(notes[0])
    assert first["title"] == "Locks"
    assert first["length"] == 9  # locks file lock waits lock timeout ten seconds default
    assert first["source_mtime"] == notes[0].stat().st_mtime
    assert index["postings"]["lock"] == [{"doc_id": 0, "tf": 2}]
    assert json.loads(json.dumps(index)) == index


def test_a_hit_has_the_published_keys(notes: list[Path]) -> None:
    """And its snippet is the paragraph's text without the heading."""
    (hit, *_) = query_index(build_memory_index(notes), "lock")
    assert list(hit) == ["doc_id", "path", "title", "score", "snippet", "snippets"]
    assert hit["snippet"] == hit["snippets"][0]
    assert hit["snippet"].startswith("The file lock waits")


def test_no_sources_are_a_valid_empty_index(tmp_path: Path) -> None:
    """Also when none of the files is there."""
    for index in (build_memory_index([]), build_memory_index([tmp_path / "ghost.md", tmp_path])):
        assert (index["N"], index["documents"], index["postings"], index["avgdl"]) == (
            0,
            [],
            {},
            0.0,
        )
        assert query_index(index, "anything") == []


def test_another_strategy_is_a_value_error(notes: list[Path]) -> None:
    """Whatever the query and the index hold."""
    with pytest.raises(ValueError, match="hybrid"):
        query_index(build_memory_index([]), "", strategy="hybrid")


def test_old_published_indexes_are_queried(notes: list[Path]) -> None:
    """1.1 has no paragraphs and no norms: the stored snippet is shown, the scores are equal."""
    index = build_memory_index(notes)
    later = ("paragraphs", "source_hash", "vector_norm_sq")
    old = index | {
        "documents": [
            {key: value for key, value in document.items() if key not in later}
            for document in index["documents"]
        ]
    }
    for strategy in ("lexical", "vector"):
        new_hits = query_index(index, "lock timeout", strategy=strategy)
        old_hits = query_index(old, "lock timeout", strategy=strategy)
        assert [hit["score"] for hit in old_hits] == [hit["score"] for hit in new_hits]
        assert old_hits[0]["snippets"] == [index["documents"][0]["snippet"]]


def test_snippets_are_the_best_paragraphs_first(tmp_path: Path) -> None:
    """At most three of 240 characters, by their own match, repeated ones once."""
    filler = "some paragraph of other words that says nothing useful about it"
    best = "the cutover cutover cutover is described in this paragraph here " + "x" * 300
    text = "\n\n".join([filler, "second paragraph mentions cutover only once among its words",
                        "# Head\n" + best, best, filler + " again"])  # fmt: skip
    (tmp_path / "a.md").write_text(text)
    (hit,) = query_index(build_memory_index([tmp_path / "a.md"]), "cutover")
    assert [snippet[:12] for snippet in hit["snippets"]] == ["the cutover ", "second parag"]
    assert len(hit["snippet"]) == 240


def test_what_says_nothing_is_no_paragraph(tmp_path: Path) -> None:
    """Comments, badges, tables, lone headings, short lines; the last resort is a first line."""
    words = "one two three four five six seven eight nine"
    blocks = [f"<!-- {words} -->", f"[![{words}](x)]", f"| {words} |", f"a {words}\n---|---",
              f"# {words}", "too short"]  # fmt: skip
    (tmp_path / "a.md").write_text("\n\n".join(blocks))
    (tmp_path / "b.md").write_text("# Only\n\n  short words \n")
    documents = build_memory_index(["a.md", "b.md"], root=tmp_path)["documents"]
    assert [document["paragraphs"] for document in documents] == [[], []]
    assert documents[1]["snippet"] == "short words"


def test_titles_come_from_outside_of_fences(tmp_path: Path) -> None:
    """A comment in a shell block is no heading; without one the file's name is the title."""
    (tmp_path / "a.md").write_text("```sh\n# not this\n```\n# Real heading\n")
    (tmp_path / "b.md").write_text("~~~\n# not this ```\n~~~\nwords\n")
    documents = build_memory_index(["a.md", "b.md"], root=tmp_path)["documents"]
    assert [document["title"] for document in documents] == ["Real heading", "b.md"]


def test_private_data_is_in_no_byte_of_the_index(tmp_path: Path) -> None:
    """Home paths and secrets go before anything is kept; placeholders are no terms."""
    token = "gh" + "p_" + "a1B2" * 9
    (tmp_path / "a.md").write_text(f"# In /home/alice/x\n\nuses {token} from /Users/bob/y now\n")
    index = build_memory_index([tmp_path / "a.md"])
    text = json.dumps(index)
    assert "alice" not in text
    assert "bob" not in text
    assert token not in text
    assert {"path", "secret"}.isdisjoint(index["postings"])


def test_root_makes_paths_relative_and_keeps_sources_in(tmp_path: Path) -> None:
    """Relative, absolute and linked names of one tree; what lies outside is left out."""
    root = tmp_path / "root"
    (root / "docs").mkdir(parents=True)
    for path in (root / "docs" / "a.md", root / "b.md", tmp_path / "outside.md"):
        path.write_text("some words")
    (root / "link.md").symlink_to(tmp_path / "outside.md")
    sources = ["docs/a.md", root / "b.md", "../outside.md", tmp_path / "outside.md", "link.md"]
    index = build_memory_index(sources, root=root)
    assert [document["path"] for document in index["documents"]] == ["docs/a.md", "b.md"]
    assert index["source_count"] == 5
    assert not is_index_stale(index, sources, root=root)


def test_a_fresh_index_is_not_stale(notes: list[Path]) -> None:
    """A source without terms, which is not in the index, does not make it stale."""
    index = build_memory_index(notes)
    assert not is_index_stale(index, notes)
    assert not is_index_stale(json.loads(json.dumps(index)), notes)


def test_edits_additions_and_removals_are_seen(notes: list[Path], tmp_path: Path) -> None:
    """By content and by the list, also when modification times look old."""
    index = build_memory_index(notes)
    times = notes[0].stat()
    assert is_index_stale(index, notes[:-1])
    added = tmp_path / "added.md"
    added.write_text("new words")
    os.utime(added, (1, 1))
    assert is_index_stale(index, [*notes, added])
    notes[0].write_text("# Other\n\nwords\n")
    os.utime(notes[0], ns=(times.st_atime_ns, times.st_mtime_ns))
    assert is_index_stale(index, notes)
    notes[0].unlink()
    assert is_index_stale(index, notes)


def test_a_later_modification_is_stale_as_published(notes: list[Path]) -> None:
    """A touch after the build counts, even with the same text."""
    index = build_memory_index(notes)
    later = notes[0].stat().st_mtime + 3600
    os.utime(notes[0], (later, later))
    assert is_index_stale(index, notes)


def test_a_future_modification_time_does_not_loop(notes: list[Path]) -> None:
    """An index built over a file from the future is fresh."""
    later = notes[0].stat().st_mtime + 10**6
    os.utime(notes[0], (later, later))
    assert not is_index_stale(build_memory_index(notes), notes)


def test_an_index_from_before_its_sources_is_stale(notes: list[Path]) -> None:
    """Whatever modification times it recorded: the published rule."""
    index = build_memory_index(notes) | {"built_at": "2001-01-01T00:00:00Z"}
    assert is_index_stale(index, notes)


def test_without_hashes_modification_times_decide(notes: list[Path]) -> None:
    """Schema 1.1 and 1.2."""
    index = build_memory_index(notes)
    for document in index["documents"]:
        del document["source_hash"]
    assert not is_index_stale(index, notes)
    later = notes[2].stat().st_mtime + 3600
    os.utime(notes[2], (later, later))
    assert is_index_stale(index, notes)


@pytest.mark.parametrize("built_at", [None, "", "yesterday", 3])
def test_an_index_without_a_time_is_stale(notes: list[Path], built_at: object) -> None:
    """There is nothing to compare with."""
    assert is_index_stale(build_memory_index(notes) | {"built_at": built_at}, notes)


def test_the_names_are_part_of_the_package() -> None:
    """A caller changes only the import."""
    assert memidx.build_memory_index is build_memory_index
    assert memidx.is_index_stale is is_index_stale
    assert memidx.query_index is query_index
    assert redact_local_paths("see /home/alice/x.md") == "see <path>/x.md"


@pytest.mark.shared
def test_the_published_figures_are_reached(shared: Path, tmp_path: Path) -> None:
    """On the published documents and keyword queries: 9 of 10 first, 10 of 10 in three."""
    folder = shared / "collections" / "agentteams_eval"
    paths = []
    for line in (folder / "corpus.jsonl").read_text().splitlines():
        record = json.loads(line)
        path = tmp_path / record["_id"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(record["text"])
        paths.append(path)
    index = build_memory_index(paths, root=tmp_path)
    rows = (folder / "qrels.tsv").read_text().splitlines()[1:]
    wanted = {row.split("\t")[0]: row.split("\t")[1] for row in rows}
    for strategy in ("lexical", "vector"):
        places = []
        for line in (folder / "queries.jsonl").read_text().splitlines():
            query = json.loads(line)
            hits = query_index(index, query["text"], k=3, strategy=strategy)
            places.append([hit["path"] for hit in hits].index(wanted[query["_id"]]))
        assert sum(place == 0 for place in places) == 9
        assert len(places) == 10


@pytest.mark.shared
def test_scores_on_real_documents_equal_a_naive_scorer(shared: Path) -> None:
    """Every hit of several queries over a corpus of agent-team documents."""
    folder = shared / "corpora" / "agentteams"
    paths = sorted(path for path in folder.rglob("*") if path.is_file())[::4]
    index = build_memory_index(paths)
    texts = [redact(path.read_text(encoding="utf-8")) for path in paths]
    for query in (
        "drift detection baseline",
        "agent agent handoff unknownword",
        "security-gate CI",
    ):
        assert_equal_to_naive(index, texts, query)
