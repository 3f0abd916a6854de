"""Published JSON indexes of schema 1.1, 1.2 and 1.3 are searched like a store."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

import pytest

import memidx
from memidx.errors import InputError, StoreVersion
from tests.published_support import FIXTURES, SOURCES, VERSIONS, fixture, save
from tests.support import write_tree


def opened(path: Path | str, root: Path | None = None) -> memidx.Index:
    """The index in a file, whatever the environment says."""
    return memidx.open(str(path), root=None if root is None else str(root), env={})


@pytest.mark.parametrize("version", VERSIONS)
def test_every_version_is_searched(version: str) -> None:
    """One word in one of three notes: the score by hand, and a whole answer round it.

    `kiln` stands 3 times in the first note: df = 1 of 3, idf = ln(1 + 2.5/1.5) = ln(8/3); the
    lengths are 13, 13 and 11.
    """
    path = FIXTURES / f"memory-index-{version}.json"
    with opened(path) as index:
        answer = index.search("kiln")
    (hit,) = answer.hits
    norm = 1.5 * (0.25 + 0.75 * 13 / (37 / 3))
    assert hit.score == pytest.approx(math.log(8 / 3) * 3 * 2.5 / (3 + norm), abs=1e-12)
    assert (hit.doc_id, hit.path, hit.anchor) == ("notes/kiln.md", "notes/kiln.md", None)
    assert (hit.title, hit.confidence, hit.time) == ("Kiln log", "candidate", "2026-01-01")
    assert hit.snippet.startswith("kiln fired cone six")
    assert (answer.verdict, answer.freshness, answer.strategy) == ("hits", "unchecked", "lexical")
    assert (answer.n_docs, answer.fingerprint) == (3, "ascii-compat-1")
    assert hit.store == str(path)
    assert any("first paragraphs" in note for note in answer.notes)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("query", ["glaze celadon", "before kiln kiln", "april market zebra"])
@pytest.mark.parametrize("strategy", ["lexical", "vector"])
def test_scores_are_those_of_the_published_function(
    version: str, query: str, strategy: str
) -> None:
    """`query_index` of the same dict, hit by hit; where the vector stood in, it is asked for."""
    with opened(FIXTURES / f"memory-index-{version}.json") as index:
        answer = index.search(query, strategy=strategy)
    expected = memidx.query_index(fixture(version), query, strategy=answer.strategy)
    assert [(hit.path, round(hit.score, 6)) for hit in answer.hits] == [
        (hit["path"], hit["score"]) for hit in expected
    ]


@pytest.mark.parametrize("query", ["zebra", "", "the", "kiln -glaze", 'kiln "no such phrase"'])
def test_empty_answers_have_their_verdicts(query: str) -> None:
    """As over a store: unknown word, no query, excluded, no such phrase."""
    with opened(FIXTURES / "memory-index-1.3.json") as index:
        answer = index.search(query)
    assert answer.hits == ()
    assert answer.verdict == {
        "zebra": "no_terms_in_index",
        "": "empty_query",
        "the": "empty_query",
        "kiln -glaze": "filtered_out",
    }.get(query, "no_match")


def test_an_index_is_known_by_what_it_says(tmp_path: Path) -> None:
    """Another name, a byte order mark, keys in another order: still an index."""
    index = dict(reversed(fixture().items()))
    path = tmp_path / "memory.dat"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(index).encode())
    assert [hit.path for hit in opened(path).search("kiln").hits] == ["notes/kiln.md"]


def test_a_configured_store_may_be_an_index(tmp_path: Path) -> None:
    """`store = "index.json"` in memidx.toml is found from `root`."""
    save(tmp_path, fixture())
    (tmp_path / "memidx.toml").write_text('store = "index.json"\n')
    with memidx.open(root=str(tmp_path), env={}) as index:
        assert index.n_docs == 3


@pytest.mark.parametrize("version", ["1.4", "1.10", "1.3.1"])
def test_a_later_minor_is_read_and_named(tmp_path: Path, version: str) -> None:
    """Keys nobody knows are passed over; the answer says so where there may be some."""
    index = fixture() | {"memory_index_schema_version": version, "news": [1]}
    index["documents"][0]["news"] = {"a": 1}
    answer = opened(save(tmp_path, index)).search("kiln")
    assert answer.verdict == "hits"
    assert any(version in note for note in answer.notes) == (version != "1.3.1")


@pytest.mark.parametrize("version", ["0.9", "1.0", "2.0", "2.7", "3.0", "10.4"])
def test_another_major_is_refused_by_name(tmp_path: Path, version: str) -> None:
    """Too old, a part of a store, or newer: with what to do about it."""
    path = save(tmp_path, fixture() | {"memory_index_schema_version": version})
    with pytest.raises(StoreVersion) as caught:
        opened(path)
    assert (caught.value.found, caught.value.path) == (version, path)
    assert version in caught.value.what
    assert caught.value.hint


def test_another_kind_of_file_is_the_callers_mistake(tmp_path: Path) -> None:
    """A note in place of a store."""
    (tmp_path / "a.md").write_text("# Kiln\n")
    with pytest.raises(InputError, match="not a store"):
        opened(tmp_path / "a.md")


def test_another_analyzer_is_refused() -> None:
    """The file has its own terms; they cannot be had in another way."""
    path = str(FIXTURES / "memory-index-1.3.json")
    with pytest.raises(InputError, match="ascii-compat alone") as caught:
        memidx.open(path, env={}, analyzer="default")
    assert "memidx import" in str(caught.value.hint)
    assert memidx.open(path, env={}, analyzer="ascii-compat").n_docs == 3


def test_ids_need_not_be_places(tmp_path: Path) -> None:
    """Strings, and numbers in another order, name documents as well, for `query_index` too."""
    expected = memidx.query_index(fixture(), "glaze kiln", strategy="vector")
    for ids in (["k", "g", "o"], [7, 2, 5]):
        index = fixture()
        for document, doc_id in zip(index["documents"], ids, strict=True):
            document["doc_id"] = doc_id
        for postings in index["postings"].values():
            for posting in postings:
                posting["doc_id"] = ids[posting["doc_id"]]
        hits = opened(save(tmp_path, index)).search("glaze kiln", strategy="vector").hits
        found = memidx.query_index(index, "glaze kiln", strategy="vector")
        for scored in (
            [(hit.path, round(hit.score, 6)) for hit in hits],
            [(hit["path"], hit["score"]) for hit in found],
        ):
            assert scored == [(hit["path"], hit["score"]) for hit in expected]


def test_a_path_that_comes_again_is_another_document(tmp_path: Path) -> None:
    """The published functions index a file that is named twice twice."""
    index = fixture()
    index["documents"][1]["path"] = "notes/kiln.md"
    with opened(save(tmp_path, index)) as found:
        assert found.doc_ids() == ["notes/kiln.md", "notes/kiln.md-2", "notes/orders.md"]
        assert found.search("sieve").hits[0].doc_id == "notes/kiln.md-2"


@pytest.mark.parametrize(
    ("name", "path", "anchor"),
    [
        ("a.jsonl#7", "a.jsonl", "7"),
        ("CHANGELOG.md#1.2.0", "CHANGELOG.md", "1.2.0"),
        ("git:app#0a1b2c", "git:app", "0a1b2c"),
        ("c#.md", "c#.md", None),
        ("issue #12.md", "issue #12.md", None),
        ("a.md#", "a.md#", None),
    ],
)
def test_parts_of_files_keep_their_anchor(
    tmp_path: Path, name: str, path: str, anchor: str | None
) -> None:
    """After a suffix that memidx reads, or a repository, `#` begins an anchor; else a name."""
    index = fixture()
    index["documents"][0]["path"] = name
    (hit,) = opened(save(tmp_path, index)).search("kiln").hits
    assert (hit.doc_id, hit.path, hit.anchor) == (name, path, anchor)


def test_documents_without_terms_count_in_no_figure(tmp_path: Path) -> None:
    """N may count them or not; the scores are those of the documents with terms."""
    expected = [(h.path, h.score) for h in opened(save(tmp_path, fixture())).search("kiln").hits]
    empty = {
        "doc_id": 3,
        "path": "e.md",
        "title": "E",
        "length": 0,
        "snippet": "",
        "paragraphs": [],
    }
    for n_docs in (3, 4):
        index = fixture()
        index["documents"].append(empty)
        index |= {"N": n_docs, "avgdl": 37 / n_docs}
        answer = opened(save(tmp_path, index)).search("kiln")
        assert [(hit.path, hit.score) for hit in answer.hits] == expected
        assert any("1 of its documents" in note for note in answer.notes)


def test_the_next_search_reads_a_file_that_was_replaced(tmp_path: Path) -> None:
    """An index may stay open while another program writes the file anew."""
    path = save(tmp_path, fixture())
    with opened(path) as index:
        assert index.search("kiln").n_docs == 3
        save(tmp_path, memidx.build_memory_index([]))
        answer = index.search("kiln")
        assert (answer.n_docs, answer.verdict) == (0, "empty_index")


def test_nothing_is_written(tmp_path: Path) -> None:
    """Neither beside the file nor anywhere else below its folder."""
    path = save(tmp_path, fixture())
    with opened(path, tmp_path) as index:
        index.search("kiln")
        index.status()
        index.verify()
    assert os.listdir(tmp_path) == ["index.json"]


class TestFreshness:
    """What is said of the sources where `root` is known."""

    @pytest.fixture
    def root(self, tmp_path: Path) -> Path:
        """The three notes as they were indexed."""
        return write_tree(tmp_path / "root", SOURCES)

    def ask(self, root: Path | None, version: str = "1.3", **options: Any) -> memidx.Answer:
        """One search."""
        path = FIXTURES / f"memory-index-{version}.json"
        with opened(path, root) as index:
            return index.search("kiln", **options)

    def test_equal_sources_are_fresh(self, root: Path) -> None:
        """Whatever their times; with a note of what this cannot see."""
        answer = self.ask(root)
        assert answer.freshness == "fresh"
        assert any("added since is not seen" in note for note in answer.notes)

    def test_without_root_or_refresh_nothing_is_claimed(self, root: Path) -> None:
        """`unchecked`."""
        assert self.ask(None).freshness == "unchecked"
        assert self.ask(root, refresh=False).freshness == "unchecked"

    def test_an_edited_and_a_deleted_source_are_stale_and_named(self, root: Path) -> None:
        """The answer lists both with what became of them."""
        (root / "notes/kiln.md").write_text("# Kiln log\n\nrelined\n")
        (root / "notes/orders.md").unlink()
        answer = self.ask(root)
        assert answer.freshness == "stale"
        assert [(skip.path, skip.reason) for skip in answer.skipped] == [
            ("notes/kiln.md", "changed since it was indexed"),
            ("notes/orders.md", "is gone"),
        ]

    def test_an_open_index_sees_the_edit(self, root: Path) -> None:
        """Between two searches, and that it was taken back."""
        path = FIXTURES / "memory-index-1.3.json"
        with opened(path, root) as index:
            note, before = root / "notes/kiln.md", SOURCES["notes/kiln.md"]
            seen = [index.search("kiln").freshness]
            for text in ("other", before):
                note.write_text(text)
                seen.append(index.search("kiln").freshness)
        assert seen == ["fresh", "stale", "fresh"]

    @pytest.mark.parametrize("version", ["1.1", "1.2"])
    def test_without_hashes_modification_times_decide(self, root: Path, version: str) -> None:
        """The indexed time is the same file; one after `built_at` is another; older ones pass."""
        times = {d["path"]: d["source_mtime"] for d in fixture(version)["documents"]}
        for path, time in times.items():
            os.utime(root / path, (time, time))
        assert self.ask(root, version).freshness == "fresh"
        os.utime(root / "notes/kiln.md", (1, 1))
        assert self.ask(root, version).freshness == "fresh"
        os.utime(root / "notes/kiln.md", (1_800_000_000, 1_800_000_000))
        assert self.ask(root, version).freshness == "stale"

    @pytest.mark.parametrize("path", ["../out.md", "/etc/hostname", "a.jsonl#7", "link/out.md"])
    def test_what_cannot_be_compared_is_unchecked(
        self, root: Path, tmp_path: Path, path: str
    ) -> None:
        """Outside of root, also through a link, and parts of files."""
        (tmp_path / "out.md").write_text("x")
        (root / "link").symlink_to(tmp_path)
        index = fixture()
        index["documents"][2]["path"] = path
        answer = opened(save(tmp_path, index), root).search("kiln")
        assert (answer.freshness, answer.skipped) == ("unchecked", ())


class TestAboutItself:
    """`status` and `verify`."""

    def test_status_names_the_file(self) -> None:
        """Its figures are those of the file."""
        path = FIXTURES / "memory-index-1.3.json"
        status = opened(path).status()
        assert status["schema"] == "memidx.status/1"
        assert (status["store"], status["n_docs"]) == (str(path), 3)
        assert status["memory_index_schema_version"] == "1.3"
        assert (status["project_name"], status["framework"]) == ("pottery", "none")
        assert status["size_bytes"] == path.stat().st_size
        assert status["source_fingerprint"] == fixture()["source_fingerprint"]
        assert (status["built_at"], status["source_count"]) == ("2026-01-05T00:00:00Z", 3)

    @pytest.mark.parametrize("version", VERSIONS)
    def test_a_kept_index_is_sound(self, version: str) -> None:
        """Unchecked, for nobody said where its sources are."""
        report = opened(FIXTURES / f"memory-index-{version}.json").verify()
        assert (report.sound, report.unchecked, report.n_docs) == (True, True, 3)

    def test_verify_compares_the_sources(self, tmp_path: Path) -> None:
        """Sound with equal sources; behind with another one."""
        root = write_tree(tmp_path / "root", SOURCES)
        with opened(FIXTURES / "memory-index-1.3.json", root) as index:
            report = index.verify()
            assert (report.sound, report.unchecked, report.behind) == (True, False, ())
            (root / "notes/kiln.md").write_text("x")
            report = index.verify()
            assert (report.sound, report.behind) == (False, ("notes/kiln.md",))

    @pytest.mark.parametrize(
        ("change", "reason"),
        [
            (lambda i: i["postings"]["cone"][0].update(tf=2), "its length is 13"),
            (lambda i: i.update(source_fingerprint="0"), "source_fingerprint"),
            (lambda i: i["documents"][0].update(vector_norm_sq=1.0), "vector_norm_sq is 1"),
            (lambda i: i.pop("built_at"), "has no built_at"),
        ],
    )
    def test_figures_that_do_not_fit_are_damage(
        self, tmp_path: Path, change: Any, reason: str
    ) -> None:
        """A search needs none of them; verify names what does not fit."""
        index = fixture()
        change(index)
        report = opened(save(tmp_path, index)).verify()
        assert not report.sound
        assert any(reason in problem.reason for problem in report.damage)
