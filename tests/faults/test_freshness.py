"""The next search is right, whoever changed what, and nothing committed moves by searching."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import memidx
from memidx.errors import StoreCorrupt, StoreMissing
from tests.support import write_tree

FILES = {
    "docs/lock.md": "# Locks\n\nThe file lock times out.\n",
    "docs/rank.md": "# Ranking\n\nReciprocal fusion.\n",
    "notes/day.md": "# Day\n\nPicnic weather.\n",
}
CONFIG = """
[[sources]]
name = "docs"
include = ["docs/**"]

[[sources]]
name = "notes"
include = ["notes/**"]
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A built project with two sources, old enough that no signature is racy."""
    root = write_tree(tmp_path / "project", {**FILES, "memidx.toml": CONFIG})
    age(root)
    memidx.build(root=str(root), env={})
    return root


def age(root: Path) -> None:
    """Set every time back, as a checkout of yesterday would have them."""
    past = time.time() - 86_400
    for path in root.rglob("*"):
        os.utime(path, (past, past))


def ids(index: memidx.Index, query: str) -> list[str]:
    """What a query finds, best first."""
    return [hit.doc_id for hit in index.search(query).hits]


def test_an_unchanged_project_is_fresh(project: Path) -> None:
    """Nothing changed, nothing read."""
    with memidx.open(str(project / "store"), env={}) as index:
        assert index.search("lock").freshness == "fresh"
        assert index.refresh().n_parsed == 0


def test_an_edit_by_another_process_is_seen(project: Path) -> None:
    """A file is rewritten between two searches of one open index."""
    with memidx.open(str(project / "store"), env={}) as index:
        index.search("lock")
        command = f"open({str(project / 'docs/lock.md')!r}, 'w').write('zeppelin')"
        subprocess.run([sys.executable, "-c", command], check=True)
        answer = index.search("zeppelin")
        assert ([hit.doc_id for hit in answer.hits], answer.freshness) == (
            ["docs/lock.md"],
            "refreshed",
        )
        assert index.search("zeppelin").freshness == "fresh"
        assert ids(index, "times out") == []


def test_one_edit_makes_one_file_anew(project: Path) -> None:
    """Work is not repeated for the files that did not change."""
    with memidx.open(str(project / "store"), env={}) as index:
        index.refresh()
        (project / "docs/lock.md").write_text("zeppelin")
        assert index.refresh().n_parsed == 1


def test_delete_rename_empty_and_add_are_seen(project: Path) -> None:
    """Each change of the set shows in the next search."""
    with memidx.open(str(project / "store"), env={}) as index:
        (project / "docs/lock.md").unlink()
        assert ids(index, "file lock") == []
        (project / "docs/rank.md").rename(project / "docs/moved.md")
        assert ids(index, "reciprocal") == ["docs/moved.md"]
        (project / "docs/moved.md").write_text("")
        assert ids(index, "reciprocal") == []
        old = write_tree(project, {"docs/old.md": "an old zeppelin"})
        os.utime(old / "docs/old.md", (1, 1))
        assert ids(index, "zeppelin") == ["docs/old.md"]


def test_same_size_and_restored_mtime_is_seen_by_its_ctime(project: Path) -> None:
    """Restoring mtime does not hide an edit where the system keeps a ctime."""
    path = project / "docs/lock.md"
    before = path.stat()
    with memidx.open(str(project / "store"), env={}) as index:
        index.search("lock")
        path.write_text(path.read_text().replace("times", "zebra"))
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert ids(index, "zebra") == ["docs/lock.md"]


def test_an_edit_right_after_a_build_is_seen(tmp_path: Path) -> None:
    """Same size, same tick of the clock: the entry is racy and is read again."""
    root = write_tree(tmp_path / "p", FILES)
    memidx.build([str(root)], store=str(root / "store"), env={})
    with memidx.open(str(root / "store"), env={}) as index:
        for word in ("zebra", "tapir", "moose"):
            path = root / "docs/lock.md"
            before = path.stat()
            path.write_text(f"# Locks\n\nThe file lock {word} out.\n")
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
            assert ids(index, word) == ["docs/lock.md"]


def test_a_future_mtime_is_read_again_and_changes_nothing(project: Path) -> None:
    """No loop, no new index."""
    future = time.time() + 10**6
    os.utime(project / "docs/lock.md", (future, future))
    with memidx.open(str(project / "store"), env={}) as index:
        for _ in range(3):
            answer = index.search("lock")
            assert answer.freshness == "fresh"
            assert index.refresh().n_parsed == 0


def test_a_checkout_that_touches_every_file_makes_no_document_anew(project: Path) -> None:
    """All times move, no content does."""
    for path in project.rglob("*.md"):
        os.utime(path)
    with memidx.open(str(project / "store"), env={}) as index:
        report = index.refresh()
        assert (report.freshness, report.n_parsed) == ("fresh", 0)


def test_a_search_writes_no_committed_byte(project: Path) -> None:
    """After an edit and a search, git sees the edit and nothing else."""
    run = ["git", "-C", str(project), "-c", "user.name=t", "-c", "user.email=t@example.com"]
    subprocess.run([*run, "init", "-q"], check=True)
    subprocess.run([*run, "add", "-A"], check=True)
    subprocess.run([*run, "commit", "-qm", "start"], check=True)
    (project / "docs/lock.md").write_text("zeppelin")
    with memidx.open(str(project / "store"), env={}) as index:
        assert ids(index, "zeppelin") == ["docs/lock.md"]
    status = subprocess.run([*run, "status", "--porcelain"], check=True, capture_output=True)
    assert status.stdout.decode() == " M docs/lock.md\n"


def test_a_committed_store_is_up_to_date(project: Path) -> None:
    """Committing the store does not make it stale."""
    assert not memidx.build(root=str(project), check=True, env={}).behind
    (project / "docs/lock.md").write_text("changed")
    report = memidx.build(root=str(project), check=True, env={})
    assert (report.behind, report.changed) == (True, ("docs/lock.md",))


def test_a_missing_base_folder_fails_its_source(project: Path) -> None:
    """An unmounted folder empties nothing; the answer names it."""
    (project / "notes").rename(project.parent / "unmounted")
    with memidx.open(str(project / "store"), env={}) as index:
        answer = index.search("picnic")
        assert [hit.doc_id for hit in answer.hits] == ["notes/day.md"]
        assert [problem.source for problem in answer.sources_failed] == ["notes"]
    assert memidx.build(root=str(project), env={}).n_docs == 3


def test_an_empty_base_folder_means_gone(project: Path) -> None:
    """All files of a source deleted: no ghosts, and a rebuild equals a clean build."""
    (project / "notes/day.md").unlink()
    with memidx.open(str(project / "store"), env={}) as index:
        assert ids(index, "picnic") == []
    memidx.build(root=str(project), env={})
    shard = (project / "store/docs.jsonl").read_bytes()
    memidx.build(root=str(project), store=str(project / "other"), env={})
    assert (project / "other/docs.jsonl").read_bytes() == shard


def test_a_dropped_source_is_seen_in_an_open_index(project: Path) -> None:
    """The configuration is one of the things that can change between two searches."""
    with memidx.open(str(project / "store"), env={}) as index:
        assert ids(index, "picnic") == ["notes/day.md"]
        (project / "memidx.toml").write_text(CONFIG.split("\n\n")[0] + "\n")
        assert ids(index, "picnic") == []


def test_a_damaged_line_is_healed_from_its_source(project: Path) -> None:
    """The answer is whole, and names the file and line."""
    shard = project / "store/docs.jsonl"
    data = shard.read_bytes()
    shard.write_bytes(data.replace(b"times out", b"tImes out"))
    with memidx.open(str(project / "store"), env={}) as index:
        answer = index.search("file lock")
        assert [hit.doc_id for hit in answer.hits] == ["docs/lock.md"]
        place = answer.skipped[0]
        assert place.path.endswith("docs.jsonl")
        assert place.line is not None
        assert not index.verify().sound
    memidx.build(root=str(project), env={})
    assert shard.read_bytes() == data


def test_a_damaged_manifest_is_healed_from_the_sources(project: Path) -> None:
    """The shards are still the documents; the answer is whole and names the manifest."""
    manifest = project / "store/manifest.json"
    data = manifest.read_bytes()
    manifest.write_bytes(data.replace(b"memidx", b"nemidx", 1))
    with memidx.open(str(project / "store"), env={}) as index:
        answer = index.search("file lock")
        assert [hit.doc_id for hit in answer.hits] == ["docs/lock.md"]
        assert answer.skipped[0].path.endswith("manifest.json")
        assert not index.verify().sound
    memidx.build(root=str(project), env={})
    assert manifest.read_bytes() == data


def test_a_damaged_line_without_sources_is_an_error(project: Path, tmp_path: Path) -> None:
    """Nothing to heal from: named by file and line, never dropped in silence."""
    away = tmp_path / "away"
    away.mkdir()
    (project / "store").rename(away / "store")
    shard = away / "store/docs.jsonl"
    shard.write_bytes(shard.read_bytes().replace(b"times out", b"tImes out"))
    with memidx.open(str(away / "store"), env={}) as index, pytest.raises(StoreCorrupt) as error:
        index.search("lock")
    assert error.value.path == str(shard)
    assert error.value.line is not None


def test_a_moved_store_does_not_take_its_documents_for_deleted(
    project: Path, tmp_path: Path
) -> None:
    """Where its sources are is not known any more: answers say so."""
    away = tmp_path / "away"
    away.mkdir()
    (project / "store").rename(away / "store")
    with memidx.open(str(away / "store"), env={}) as index:
        answer = index.search("picnic")
        assert (answer.freshness, len(answer.hits)) == ("unchecked", 1)


def test_a_copied_checkout_reads_its_own_files(project: Path, tmp_path: Path) -> None:
    """The copy's cache came along; it must not look at the original."""
    import shutil

    copy = tmp_path / "copy"
    shutil.copytree(project, copy)
    (copy / "docs/lock.md").write_text("zeppelin")
    with memidx.open(str(copy / "store"), env={}) as index:
        assert ids(index, "zeppelin") == ["docs/lock.md"]


def test_no_refresh_answers_from_the_last_snapshot(project: Path) -> None:
    """It does not look, and says so."""
    (project / "docs/lock.md").write_text("zeppelin")
    with memidx.open(str(project / "store"), env={}) as index:
        answer = index.search("zeppelin", refresh=False)
        assert (answer.hits, answer.freshness) == ((), "unchecked")


def test_another_analyzer_rebuilds_the_snapshot_and_no_committed_byte(project: Path) -> None:
    """Analysis is part of the snapshot's key, not of the store."""
    before = {p: p.read_bytes() for p in (project / "store").glob("*") if p.is_file()}
    with memidx.open(str(project / "store"), env={}, analyzer="ascii-compat") as index:
        assert index.search("lock").freshness == "fresh"
        assert index.search("of").verdict == "empty_query"
    assert {p: p.read_bytes() for p in before} == before


def test_a_missing_store_is_an_error(tmp_path: Path) -> None:
    """Not an empty answer."""
    with pytest.raises(StoreMissing):
        memidx.open(str(tmp_path / "nowhere"), env={})


def test_memidx_never_indexes_itself(tmp_path: Path) -> None:
    """A glob over everything takes neither the store nor another store inside root."""
    root = write_tree(
        tmp_path / "p",
        {
            "a.jsonl": '{"id": "1", "text": "zeppelin"}\n',
            "memidx.toml": '[[sources]]\nname = "r"\nkind = "records"\ninclude = ["**"]\n',
        },
    )
    memidx.build(root=str(root), env={})
    memidx.build(root=str(root), store=str(root / "second"), env={})
    report = memidx.build(root=str(root), env={})
    assert (report.n_docs, report.n_added) == (1, 0)
