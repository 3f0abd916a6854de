"""The next search is right, whoever changed what, and nothing committed moves by searching."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import memidx
from memidx.errors import ConfigError, InputError, StoreCorrupt, StoreMissing
from memidx.indexing import state
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


_SETTINGS_AND_CACHE = shutil.ignore_patterns(".*", "memidx.toml")


def test_a_checkout_of_another_store_with_its_sources_is_seen(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Store and sources change together, and no look at them was recorded: both are read."""
    monkeypatch.setattr(state, "RACY_NS", 0)  # nobody waits until the files are older
    earlier = shutil.copytree(project, tmp_path / "earlier", ignore=_SETTINGS_AND_CACHE)
    (project / "docs/lock.md").write_text("zeppelin")
    memidx.build(root=str(project), env={})
    with memidx.open(str(project / "store"), env={}) as index:
        assert ids(index, "zeppelin") == ["docs/lock.md"]
        shutil.copytree(earlier, project, dirs_exist_ok=True)
        assert ids(index, "zeppelin") == []
        assert ids(index, "times out") == ["docs/lock.md"]


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


def test_a_store_built_from_other_folders_is_seen_in_an_open_index(tmp_path: Path) -> None:
    """Without a configuration the store says what its sources are."""
    root = write_tree(tmp_path / "project", FILES)
    store = str(root / "store")
    memidx.build([str(root / "docs")], root=str(root), store=store, env={})
    with memidx.open(store, env={}) as index:
        assert ids(index, "picnic") == []
        both = [str(root / "docs"), str(root / "notes")]
        memidx.build(both, root=str(root), store=store, env={})
        assert ids(index, "picnic") == ["notes/day.md"]
        memidx.build([str(root / "notes")], root=str(root), store=store, env={})
        assert ids(index, "lock") == []


def test_an_open_index_keeps_its_root_where_nothing_tells_it_any_more(tmp_path: Path) -> None:
    """Its cache is deleted, its settings are read anew, and every document has another name."""
    settings = tmp_path / "memidx.toml"
    settings.write_text('[[sources]]\nname = "docs"\ninclude = ["docs/**"]\n')
    write_tree(tmp_path, {"docs/old.md": "The lock times out.\n"})
    memidx.build(root=str(tmp_path), store=str(tmp_path / "store"), env={})
    with memidx.open(str(tmp_path / "store"), env={}) as index:
        assert [hit.path for hit in index.search("lock").hits] == ["docs/old.md"]
        shutil.rmtree(tmp_path / "store" / ".cache")
        settings.write_text(settings.read_text() + "weight = 1.5\n")
        (tmp_path / "docs" / "old.md").rename(tmp_path / "docs" / "new.md")
        answer = index.search("lock")
        assert [hit.path for hit in answer.hits] == ["docs/new.md"]
        assert answer.freshness == "refreshed"


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


def test_a_build_without_paths_goes_by_what_the_store_was_built_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From another folder, and without paths, no document is taken for deleted."""
    root = write_tree(tmp_path / "p", {**FILES, "other.md": "not asked for"})
    store = str(tmp_path / "store")
    memidx.build([str(root / "docs")], root=str(root), store=store, env={})
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert not memidx.build(store=store, check=True, env={}).behind
    report = memidx.build(store=store, env={})
    assert (report.n_docs, report.n_removed, report.root) == (2, 0, str(root))


def test_a_path_outside_root_is_refused(tmp_path: Path) -> None:
    """It could never be read; nothing is written."""
    root = write_tree(tmp_path / "p", FILES)
    outside = write_tree(tmp_path / "q", FILES)
    with pytest.raises(InputError, match="outside root"):
        memidx.build([str(outside)], root=str(root), env={})
    assert not (root / "store").exists()


def test_aliases_widen_a_query_and_are_followed(project: Path) -> None:
    """The alias file is read, and an edit of it is seen by an open index."""
    (project / "memidx.toml").write_text(f'[analysis]\naliases = "aliases.txt"\n{CONFIG}')
    (project / "aliases.txt").write_text("# ours\nmutex = lock\n")
    with memidx.open(str(project / "store"), env={}) as index:
        assert ids(index, "mutex") == ["docs/lock.md"]
        (project / "aliases.txt").write_text("outing = picnic, weather\n")
        assert ids(index, "outing") == ["notes/day.md"]
        assert ids(index, "mutex") == []
        (project / "aliases.txt").write_text("no sign\n")
        with pytest.raises(ConfigError, match=r"aliases.txt:1: this is no alias"):
            index.search("lock")


def test_a_misspelt_source_in_a_query_is_named(project: Path) -> None:
    """No query raises; the note says which sources there are."""
    with memidx.open(str(project / "store"), env={}) as index:
        answer = index.search("lock source:doc")
    assert answer.verdict == "filtered_out"
    assert any("no source is named doc; there are: docs, notes" in n for n in answer.notes)


@pytest.mark.parametrize("damage", ["missing", "flipped"])
def test_a_lost_manifest_and_a_failed_source_lose_no_document(project: Path, damage: str) -> None:
    """The shards hold what the source cannot give now: refused, and nothing is written."""
    manifest, shard = project / "store/manifest.json", project / "store/docs.jsonl"
    data, lines = manifest.read_bytes(), shard.read_bytes()
    if damage == "missing":
        manifest.unlink()
    else:
        manifest.write_bytes(data.replace(b"memidx", b"nemidx", 1))
    (project / "notes").rename(project.parent / "unmounted")
    with pytest.raises(StoreCorrupt):
        memidx.build(root=str(project), env={})
    assert shard.read_bytes() == lines
    (project.parent / "unmounted").rename(project / "notes")
    with memidx.open(str(project / "store"), env={}) as index:
        assert len(index.search("lock picnic").hits) == 2
    memidx.build(root=str(project), env={})
    assert (manifest.read_bytes(), shard.read_bytes()) == (data, lines)


def test_a_layout_that_a_merge_made_is_behind(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A shard past the cap, or a shard file nobody names: `--check` and `verify` see it."""
    from memidx.snapshot import publish

    assert not memidx.build(root=str(project), check=True, env={}).behind
    stray = project / "store/docs-a.jsonl"
    stray.write_bytes(b"")
    assert memidx.build(root=str(project), check=True, env={}).behind
    stray.unlink()
    monkeypatch.setattr(publish, "SHARD_CAP_BYTES", 300)
    assert memidx.build(root=str(project), check=True, env={}).behind
    with memidx.open(str(project / "store"), env={}) as index:
        assert not index.verify().sound


def test_new_rules_read_every_file_anew(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was recorded under earlier rules must not stand in for what a file gives now."""
    from memidx import snapshot
    from memidx.text import redact as redaction

    def redact(text: str, _seen: object = None) -> str:
        return text.replace("lock", "<secret>")

    monkeypatch.setattr(redaction, "redact", redact)
    monkeypatch.setattr(snapshot, "RULES_VERSION", 99)
    report = memidx.build(root=str(project), env={})
    assert report.changed == ("docs/lock.md",)


def test_paths_alone_leave_the_store_where_the_caller_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`memidx build docs`, then `memidx query` in the same folder."""
    write_tree(tmp_path, FILES)
    monkeypatch.chdir(tmp_path)
    memidx.build(["docs"], env={})
    with memidx.open(env={}) as index:
        assert (index.store, ids(index, "file lock")) == (str(tmp_path / "store"), ["lock.md"])


def test_a_build_that_would_take_everything_for_deleted_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No cache, no configuration, none of the documents beside the store: root is not known."""
    import shutil

    root = write_tree(tmp_path / "p", FILES)
    memidx.build([str(root)], store=str(root / "store"), env={})
    shutil.rmtree(root / "docs")
    shutil.rmtree(root / "notes")
    shutil.rmtree(root / "store/.cache")
    monkeypatch.chdir(root)
    with pytest.raises(InputError, match="does not say where its documents are"):
        memidx.build(env={})
    assert memidx.build(root=str(root), env={}).n_removed == 3


def test_private_names_in_the_configuration_stay_out_of_the_manifest(tmp_path: Path) -> None:
    """The manifest is committed too."""
    secret = "ghp_" + "a1B2c3D4e5" * 4
    root = write_tree(tmp_path / "p", FILES)
    (root / "memidx.toml").write_text(
        f'project_name = "{secret} in /home/zelda/p"\n[[sources]]\nname = "docs"\n'
        f'exclude = ["{secret}/**"]\n'
    )
    memidx.build(root=str(root), env={})
    manifest = (root / "store/manifest.json").read_text()
    assert "zelda" not in manifest
    assert secret not in manifest
    assert not memidx.build(root=str(root), check=True, env={}).behind


def test_a_folder_renamed_between_listing_and_reading_loses_nothing(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files that were listed and are not there to be read are looked for again, then kept."""
    from memidx.indexing import scan

    for path in project.rglob("*.md"):
        os.utime(path)  # so that every file is read
    listed = scan.list_files

    def renamed_away(*arguments: object) -> object:
        listing = listed(*arguments)  # type: ignore[arg-type]
        if (project / "docs").exists():
            (project / "docs").rename(project / "docs.away")
        else:
            (project / "docs.away").rename(project / "docs")
        return listing

    monkeypatch.setattr(scan, "list_files", renamed_away)
    memidx.build(root=str(project), env={})
    lines = (project / "store/docs.jsonl").read_text().splitlines()
    assert len(lines) == 3
