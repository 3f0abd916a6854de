"""Export gives the published bytes, import gives a store, and neither takes anything unasked."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import memidx
from memidx.errors import InputError, StoreCorrupt, StoreMissing
from memidx.exchange import ImportReport, export_store, import_index, write_export
from tests.git_support import ENV, Git
from tests.published_support import FIXTURES, SOURCES, VERSIONS, fixture, save
from tests.support import write_tree
from tests.unit.store.helpers import committed

LONG = "\n\n".join(
    f"paragraph number {n} with quite some words in it {'x' * 600}" for n in range(30)
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The sources of the kept indexes."""
    return write_tree(tmp_path / "root", SOURCES)


@pytest.fixture
def store(root: Path, tmp_path: Path) -> Path:
    """A store over them."""
    memidx.build(root=str(root), store=str(tmp_path / "store"), env={})
    return tmp_path / "store"


def take_in(index: Path | str, store: Path, root: Path | None = None, **more: Any) -> ImportReport:
    """Import, whatever the environment says."""
    where = None if root is None else str(root)
    return import_index(str(index), store=str(store), root=where, env={}, **more)


class TestExport:
    """`memidx export`."""

    def test_it_has_the_published_keys_and_no_others(self, store: Path, repository: Path) -> None:
        """In their order, and by the published JSON Schema."""
        index = export_store(str(store), env={}).index
        assert list(index) == [
            "artifact_type", "memory_index_schema_version", "index_format_version",
            "index_build_id", "index_write_owner", "vector_runtime_mode", "vector_model_id",
            "vector_dim", "fallback_policy", "source_fingerprint", "project_name", "framework",
            "built_at", "source_count", "documents", "postings", "avgdl", "N",
        ]  # fmt: skip
        assert list(index["documents"][0]) == [
            "doc_id", "path", "title", "length", "snippet", "paragraphs", "source_hash",
            "source_mtime", "vector_norm_sq",
        ]  # fmt: skip
        schema = json.loads((repository / "docs/memory-index.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.validate(index, schema)
        for version in VERSIONS:
            jsonschema.validate(fixture(version), schema)

    def test_figures_are_those_of_the_sources(self, store: Path) -> None:
        """Numbered by path; lengths and frequencies as counted by hand in the kept index."""
        index, kept = export_store(str(store), env={}).index, fixture()
        by_path = sorted(kept["documents"], key=lambda document: document["path"])
        for number, (document, expected) in enumerate(
            zip(index["documents"], by_path, strict=True)
        ):
            for key in ("path", "title", "length", "snippet", "paragraphs", "source_hash"):
                assert document[key] == expected[key]
            assert document["doc_id"] == number
        new = {document["path"]: document["doc_id"] for document in index["documents"]}
        places = [new[document["path"]] for document in kept["documents"]]
        assert index["postings"] == {
            term: sorted(
                ({"doc_id": places[p["doc_id"]], "tf": p["tf"]} for p in postings),
                key=lambda posting: posting["doc_id"],
            )
            for term, postings in kept["postings"].items()
        }
        assert (index["N"], index["avgdl"], index["source_count"]) == (3, 37 / 3, 3)
        assert index["source_fingerprint"] == kept["source_fingerprint"]

    def test_paragraphs_are_cut(self, tmp_path: Path) -> None:
        """20 of 480 characters at most, and a snippet of 240."""
        root = write_tree(tmp_path / "p", {"a.md": LONG})
        memidx.build(root=str(root), store=str(tmp_path / "s"), env={})
        (document,) = export_store(str(tmp_path / "s"), env={}).index["documents"]
        assert [len(paragraph) for paragraph in document["paragraphs"]] == [480] * 20
        assert document["snippet"] == document["paragraphs"][0][:240]

    def test_times_come_from_content_or_the_environment(self, tmp_path: Path) -> None:
        """Never from a clock or a file."""
        root = write_tree(tmp_path / "p", {"2026-01-02.md": "lock", "b.md": "lock"})
        memidx.build(root=str(root), store=str(tmp_path / "s"), env={})
        day = 1767312000.0
        for env, built_at, undated in (
            ({}, "2026-01-02T00:00:00Z", 0.0),
            ({"SOURCE_DATE_EPOCH": "1767225600"}, "2026-01-01T00:00:00Z", 1767225600.0),
        ):
            index = export_store(str(tmp_path / "s"), env=env).index
            assert index["built_at"] == built_at
            assert [d["source_mtime"] for d in index["documents"]] == [day, undated]

    @pytest.mark.parametrize("given", ["now", "-1", "1.5", "9" * 13, "٣"])
    def test_an_impossible_epoch_is_refused(self, store: Path, given: str) -> None:
        """It is named; nothing is guessed."""
        with pytest.raises(InputError, match="SOURCE_DATE_EPOCH"):
            export_store(str(store), env={"SOURCE_DATE_EPOCH": given})

    def test_bytes_depend_on_the_documents_alone(self, root: Path, tmp_path: Path) -> None:
        """Another folder, other times, built in steps: the same file."""
        exports = []
        for name in ("one", "two"):
            copy = write_tree(tmp_path / name, SOURCES if name == "one" else {"z.md": "gone"})
            memidx.build(root=str(copy), store=str(copy / "store"), env={})
            if name == "two":
                (copy / "z.md").unlink()
                write_tree(copy, dict(reversed(SOURCES.items())))
                memidx.build(root=str(copy), store=str(copy / "store"), env={})
            exports.append(export_store(str(copy / "store"), env={}).to_bytes())
        assert exports[0] == exports[1]

    def test_documents_without_a_term_are_left_out_by_name(self, tmp_path: Path) -> None:
        """The published reference leaves them out as well; here it is said."""
        root = write_tree(tmp_path / "p", {"a.md": "lock", "zh.md": "检索", "n.md": "12 of 3"})
        memidx.build(root=str(root), store=str(tmp_path / "s"), env={})
        exported = export_store(str(tmp_path / "s"), env={})
        assert exported.left_out == ("n.md", "zh.md")
        assert (exported.index["N"], exported.index["source_count"]) == (1, 3)

    def test_an_empty_store_gives_a_valid_empty_index(self, tmp_path: Path) -> None:
        """Which opens, and answers that it is empty."""
        (tmp_path / "p").mkdir()
        memidx.build(root=str(tmp_path / "p"), store=str(tmp_path / "s"), env={})
        index = export_store(str(tmp_path / "s"), env={}).index
        path = save(tmp_path, index)
        assert memidx.open(path, env={}).search("lock").verdict == "empty_index"

    def test_a_damaged_store_is_not_exported(self, store: Path) -> None:
        """A file that lacks a document would look whole."""
        shard = store / "docs.jsonl"
        shard.write_bytes(shard.read_bytes().replace(b"kiln fired", b"kiln FIRED"))
        with pytest.raises(StoreCorrupt, match="an export would lack documents") as caught:
            export_store(str(store), env={})
        assert caught.value.line is not None

    def test_only_a_store_is_exported(self, tmp_path: Path) -> None:
        """A file is one already; a folder without a store has nothing."""
        with pytest.raises(InputError, match="one file already"):
            export_store(save(tmp_path, fixture()), env={})
        with pytest.raises(StoreMissing):
            export_store(str(tmp_path / "none"), env={})

    def test_other_files_are_left_alone(self, store: Path, root: Path, tmp_path: Path) -> None:
        """A note and the store's own files are refused; an earlier export is replaced."""
        exported = export_store(str(store), env={})
        for path in (root / "notes/kiln.md", store / "docs.jsonl", store / "new.json"):
            before = path.read_bytes() if path.exists() else None
            with pytest.raises(InputError):
                write_export(exported, str(path), str(store), {})
            assert (path.read_bytes() if path.exists() else None) == before
        out = tmp_path / "out" / "index.json"
        save(out.parent, fixture())
        assert write_export(exported, str(out), str(store), {}) == out.stat().st_size
        assert out.read_bytes() == exported.to_bytes()
        assert os.listdir(out.parent) == ["index.json"]


class TestImport:
    """`memidx import`."""

    @pytest.mark.parametrize("version", VERSIONS)
    def test_equal_sources_give_the_store_a_build_gives(
        self, version: str, root: Path, store: Path, tmp_path: Path
    ) -> None:
        """To the byte: by hash, and before 1.3 by the terms."""
        report = take_in(FIXTURES / f"memory-index-{version}.json", tmp_path / "new", root)
        assert (report.n_docs, report.n_whole, report.partial, report.skipped) == (3, 3, (), ())
        assert report.root_recorded
        assert committed(tmp_path / "new") == committed(store)
        assert not memidx.build(root=str(root), store=str(tmp_path / "new"), check=True,
                                env={}).behind  # fmt: skip

    @pytest.mark.parametrize("version", VERSIONS)
    def test_without_sources_the_paragraphs_are_kept_and_flagged(
        self, version: str, tmp_path: Path
    ) -> None:
        """Each document is reported, says so in its meta, and is found."""
        (tmp_path / "empty").mkdir()
        report = take_in(
            FIXTURES / f"memory-index-{version}.json", tmp_path / "s", tmp_path / "empty"
        )
        held = "a snippet" if version == "1.1" else "1 paragraph"
        assert [(problem.path, problem.reason) for problem in report.partial] == [
            (path, f"only {held} of it: its source is not below root") for path in sorted(SOURCES)
        ]
        assert (report.n_whole, report.root_recorded) == (0, False)
        lines = map(json.loads, (tmp_path / "s/docs.jsonl").read_text().splitlines())
        kiln = next(line for line in lines if line["path"] == "notes/kiln.md")
        assert kiln["meta"] == {"imported": {"from": f"memory-index {version}", "partial": True}}
        assert kiln["text"] == SOURCES["notes/kiln.md"].partition("\n\n")[2]
        assert kiln["title"] == "Kiln log"
        if version == "1.3":
            assert kiln["source_hash"] == fixture()["documents"][0]["source_hash"]
        with memidx.open(str(tmp_path / "s"), env={}) as index:
            answer = index.search("kiln")
            assert (answer.freshness, answer.hits[0].title) == ("unchecked", "Kiln log")

    def test_a_changed_source_is_not_taken_for_the_indexed_one(
        self, root: Path, tmp_path: Path
    ) -> None:
        """Its paragraphs are kept; the others come whole."""
        (root / "notes/kiln.md").write_text("# Kiln log\n\nrelined\n")
        report = take_in(FIXTURES / "memory-index-1.3.json", tmp_path / "s", root)
        assert [problem.path for problem in report.partial] == ["notes/kiln.md"]
        assert "changed since it was indexed" in report.partial[0].reason
        assert (report.n_docs, report.n_whole) == (3, 2)

    def test_records_releases_and_commits_come_back(self, tmp_path: Path) -> None:
        """What an export holds of parts of files and of repositories, from their sources."""
        repo = Git(tmp_path / "p")
        files = {
            "memidx.toml": '[[sources]]\nname="r"\nkind="records"\ninclude=["*.jsonl"]\n'
            '[[sources]]\nname="c"\nkind="changelog"\ninclude=["CHANGELOG.md"]\n'
            '[[sources]]\nname="g"\nkind="git"\nrepos=[{name="app", path="."}]\n',
            "r.jsonl": '{"id":"1","title":"One","text":"lock"}\n{"id":"2","text":"file lock"}\n',
            "CHANGELOG.md": "# Changelog\n\n## 1.1.0 - 2026-02-01\n\n- a lock\n\n## 1.0.0\n\n- b\n",
        }
        repo.commit("Take the lock\n\nIt waits for two seconds.", files)
        folder = str(repo.folder)
        memidx.build(root=folder, store=str(tmp_path / "one"), env=ENV)
        exported = export_store(str(tmp_path / "one"), env=ENV)
        write_export(exported, str(tmp_path / "i.json"), str(tmp_path / "one"), ENV)
        report = import_index(
            str(tmp_path / "i.json"), store=str(tmp_path / "two"), root=folder, env=ENV
        )
        assert (report.partial, report.skipped) == ((), ())
        assert report.n_docs == exported.index["N"] == 5 - len(exported.left_out)
        one = set((tmp_path / "one/docs.jsonl").read_text().splitlines())
        two = set((tmp_path / "two/docs.jsonl").read_text().splitlines())
        assert two <= one
        assert len(one - two) == len(exported.left_out)

    def test_a_file_no_source_takes_is_taken_by_its_hash(self, root: Path, tmp_path: Path) -> None:
        """The published functions index any file that is named."""
        (root / "x.org").write_text("* org lock\n")
        built = memidx.build_memory_index(["x.org"], root=root)
        report = take_in(save(tmp_path, built), tmp_path / "s", root)
        assert (report.n_whole, report.partial) == (1, ())
        assert '"text":"* org lock\\n"' in (tmp_path / "s/docs.jsonl").read_text()

    @pytest.mark.parametrize("path", ["../out.md", "/srv/../srv/out.md", "link/out.md"])
    def test_nothing_outside_of_root_is_read(self, root: Path, tmp_path: Path, path: str) -> None:
        """Not even with the right hash; and no name in the store leads out."""
        (tmp_path / "out.md").write_text(SOURCES["notes/kiln.md"])
        (root / "link").symlink_to(tmp_path)
        index = fixture()
        index["documents"][0]["path"] = path
        report = take_in(save(tmp_path, index), tmp_path / "s", root)
        (problem,) = report.partial
        assert not problem.path.startswith(("/", ".."))
        assert "its source is not below root" in problem.reason

    def test_private_data_does_not_get_into_the_store(self, root: Path, tmp_path: Path) -> None:
        """Another program's index may hold what memidx would have taken out."""
        index = fixture()
        index["documents"][0].update(
            path="notes/gone.md",
            title="of /home/alice/kiln",
            paragraphs=[f"log in with ghp_{'q7Zx' * 9} in /home/alice/x of the kiln"],
        )
        index["documents"][1]["path"] = "/home/alice/notes.md"
        index["documents"][2]["path"] = f"orders/ghp_{'a1B2' * 9}.md"
        report = take_in(save(tmp_path, index), tmp_path / "s", root)
        text = (tmp_path / "s/docs.jsonl").read_text()
        assert "alice" not in text
        assert "q7Zx" not in text
        assert "a1B2" not in text
        assert [problem.reason for problem in report.skipped] == ["its path holds a secret"]
        assert "a1B2" not in report.skipped[0].path
        assert '"path":"<path>/notes.md"' in text
        assert all("alice" not in problem.path for problem in (*report.skipped, *report.partial))

    def test_a_store_that_is_there_stays(self, store: Path, root: Path) -> None:
        """Until it is said that it may go."""
        before = committed(store)
        index = FIXTURES / "memory-index-1.3.json"
        (root / "new.md").write_text("# New\n\nnews of the day\n")
        memidx.build(root=str(root), store=str(store), env={})
        with pytest.raises(InputError, match="there is a store already") as caught:
            take_in(index, store, root)
        assert "--replace" in str(caught.value.hint)
        assert committed(store) != before
        assert take_in(index, store, root, replace=True).n_docs == 3
        assert committed(store) == before

    @pytest.mark.parametrize(
        ("spoil", "error"),
        [
            (lambda path: path.write_text("{"), StoreCorrupt),
            (lambda path: path.unlink(), InputError),
        ],
    )
    def test_a_bad_index_writes_nothing(
        self, tmp_path: Path, spoil: Callable[[Path], object], error: type[Exception]
    ) -> None:
        """Neither a store nor a folder for one."""
        path = Path(save(tmp_path / "i", fixture()))
        spoil(path)
        with pytest.raises(error):
            take_in(path, tmp_path / "s", tmp_path)
        assert not (tmp_path / "s").exists()

    def test_a_file_is_no_place_for_a_store(self, root: Path, tmp_path: Path) -> None:
        """A published index is not built over, nor imported over."""
        path = Path(save(tmp_path, fixture()))
        before = path.read_bytes()
        with pytest.raises(InputError, match="the store is a file"):
            memidx.build(root=str(root), store=str(path), env={})
        with pytest.raises(InputError, match="the store is a file"):
            take_in(path, path, root, replace=True)
        assert path.read_bytes() == before
