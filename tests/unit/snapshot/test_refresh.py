"""Which snapshot answers when the lock is held, the cache is gone, or the store is read-only."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

import memidx
import memidx.inspecting  # before a test stands something in for what it imports
from memidx.errors import StoreLocked
from memidx.snapshot import look, updating
from memidx.snapshot.caching import CacheWriter
from memidx.store.lock import store_lock
from tests.support import write_tree

FILES = {"a.md": "# Locks\n\nThe file lock.\n", "b.md": "# Other\n\nTrains.\n"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A built project."""
    root = write_tree(tmp_path / "project", FILES)
    memidx.build([str(root)], store=str(root / "store"), env={})
    return root


def test_a_held_lock_gives_the_last_snapshot_as_stale(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Something is new and cannot be taken in: the answer is there, and says so."""
    monkeypatch.setattr(updating, "LOCK_WAIT_S", 0.05)
    write_tree(project, {"c.md": "zeppelin"})
    store = str(project / "store")
    with store_lock(store, 5.0), memidx.open(store, env={}) as index:
        answer = index.search("zeppelin lock")
        assert (answer.freshness, [hit.doc_id for hit in answer.hits]) == ("stale", ["a.md"])
        assert any("another process" in note for note in answer.notes)
    with memidx.open(store, env={}) as index:
        assert index.search("zeppelin").freshness == "refreshed"


def test_a_held_lock_without_a_snapshot_is_an_error(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is nothing to answer from; the error names the store."""
    monkeypatch.setattr(updating, "LOCK_WAIT_S", 0.05)
    store = project / "store"
    for path in (store / ".cache").glob("snapshot-*"):
        path.unlink()
    (store / ".cache/state.json").unlink()
    with (
        store_lock(str(store), 5.0),
        memidx.open(str(store), env={}) as index,
        pytest.raises(StoreLocked),
    ):
        index.search("lock")


@pytest.mark.parametrize("name", ["state.json", "root", "snapshot"])
def test_any_file_of_the_cache_can_be_deleted_or_damaged(project: Path, name: str) -> None:
    """Everything in the cache is derived again; the answer is the same."""
    cache = project / "store/.cache"
    path = next(p for p in cache.glob(f"{name}*") if p.suffix != ".ok")
    for spoil in (path.unlink, lambda: path.write_bytes(b"{"), lambda: path.write_bytes(b"")):
        spoil()
        with memidx.open(str(project / "store"), env={}) as index:
            answer = index.search("lock")
        assert ([hit.doc_id for hit in answer.hits], answer.freshness) == (["a.md"], "fresh")


@pytest.mark.parametrize("more", [{}, {"b.md": "zeppelin train"}])
def test_what_another_process_took_in_meanwhile_is_not_taken_in_again(
    project: Path, monkeypatch: pytest.MonkeyPatch, more: dict[str, str | bytes]
) -> None:
    """Two that begin after an edit: who waited for the lock compares again, and reads no store."""
    store = str(project / "store")
    write_tree(project, {"a.md": "zeppelin lock"})
    waited = CacheWriter.lock

    def lock(self: CacheWriter, timeout_s: float) -> AbstractContextManager[None]:
        monkeypatch.setattr(CacheWriter, "lock", waited)
        with memidx.open(store, env={}) as other:
            assert other.refresh().n_analysed == 1
        if more:
            write_tree(project, more)
        return waited(self, timeout_s)

    def refuse(*_: object) -> None:
        raise AssertionError("the store is read")

    monkeypatch.setattr(CacheWriter, "lock", lock)
    monkeypatch.setattr(look, "read_content", refuse)
    with memidx.open(store, env={}) as index:
        answer = index.search("zeppelin")
        assert len(answer.hits) == 1 + len(more)
        assert answer.freshness == ("refreshed" if more else "fresh")


def test_a_cache_that_became_read_only_still_follows_edits(project: Path) -> None:
    """What is recorded beside the store stays as it is, and the edits are kept in memory."""
    cache = project / "store/.cache"
    for word in ("zeppelin", "balloon"):
        write_tree(project, {"a.md": word})
        with memidx.open(str(project / "store"), env={}) as index:
            assert index.search(word).hits
    recorded = {path.name: path.read_bytes() for path in cache.iterdir() if path.is_file()}
    for path in (project, *project.parents):
        if path.stat().st_uid == os.getuid() and path != Path("/"):
            path.chmod(path.stat().st_mode | 0o055)
    for path in (project / "store", cache, cache / "tmp"):
        path.chmod(0o555)
    try:
        with _unprivileged(), memidx.open(str(project / "store"), env={}) as index:
            for word in ("kite", "glider"):
                with _privileged():
                    write_tree(project, {"a.md": word})
                answer = index.search(word)
                assert [hit.doc_id for hit in answer.hits] == ["a.md"]
                assert any("memory" in note for note in answer.notes)
                assert index.refresh().n_analysed == 0
    finally:
        for path in (project / "store", cache, cache / "tmp"):
            path.chmod(0o755)
    assert recorded == {path.name: path.read_bytes() for path in cache.iterdir() if path.is_file()}


def test_one_base_and_one_overlay_are_kept(project: Path) -> None:
    """Old segments and what killed builders left go when a new one is derived."""
    cache = project / "store/.cache"
    write_tree(cache / "tmp", {"snapshot-0123-4567.bin.1-1.tmp": "left"})
    for n in range(3):
        write_tree(project, {"a.md": f"lock {n}"})
        with memidx.open(str(project / "store"), env={}) as index:
            index.search("lock")
    assert len(list(cache.glob("snapshot-*.bin"))) == 2
    assert not list((cache / "tmp").iterdir())


@contextmanager
def _unprivileged() -> Iterator[None]:
    """Root may write everywhere: take its rights away for a while."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@contextmanager
def _privileged() -> Iterator[None]:
    """What another user does while root's rights are gone."""
    user = os.geteuid()
    os.seteuid(os.getuid())
    try:
        yield
    finally:
        os.seteuid(user)


@pytest.fixture
def read_only(project: Path) -> Iterator[Path]:
    """A project whose store was committed without a cache and cannot be written."""
    import shutil

    shutil.rmtree(project / "store/.cache")
    for folder in (project, *project.parents):
        if folder.stat().st_uid == os.getuid() and folder != Path("/"):
            folder.chmod(folder.stat().st_mode | 0o055)
    (project / "store").chmod(0o555)
    yield project
    (project / "store").chmod(0o755)


def test_a_read_only_store_is_searched_from_memory(read_only: Path) -> None:
    """Without any cache folder the snapshot is kept in memory, and the answer says so."""
    with _unprivileged(), memidx.open(str(read_only / "store"), env={}) as index:
        answer = index.search("lock")
        assert ([hit.doc_id for hit in answer.hits], answer.freshness) == (["a.md"], "fresh")
        assert any("memory" in note for note in answer.notes)
        assert index.refresh().n_parsed == 0


def test_a_read_only_store_uses_the_cache_folder_it_is_given(
    read_only: Path, tmp_path: Path
) -> None:
    """`MEMIDX_CACHE_DIR` holds the snapshot, and a second process finds it there."""
    cache = tmp_path / "cache"
    cache.mkdir(mode=0o777)
    cache.chmod(0o777)
    env = {"MEMIDX_CACHE_DIR": str(cache)}
    for _ in range(2):
        with _unprivileged(), memidx.open(str(read_only / "store"), env=env) as index:
            answer = index.search("lock")
            assert any(str(cache) in note for note in answer.notes)
    assert len(list(cache.rglob("snapshot-*.bin"))) == 1
    assert not (read_only / "store/.cache").exists()


def test_a_flipped_byte_of_the_snapshot_is_never_searched(project: Path) -> None:
    """Any byte: the file is checked whole when it is not the one that was written."""
    path = next((project / "store/.cache").glob("snapshot-*.bin"))
    data = path.read_bytes()
    with memidx.open(str(project / "store"), env={}) as index:
        expected = [(hit.doc_id, hit.score, hit.snippet) for hit in index.search("lock").hits]
    for place in range(0, len(data), 37):
        path.write_bytes(data[:place] + bytes([data[place] ^ 0x10]) + data[place + 1 :])
        with memidx.open(str(project / "store"), env={}) as index:
            found = [(hit.doc_id, hit.score, hit.snippet) for hit in index.search("lock").hits]
        assert found == expected, place
    assert path.read_bytes() == data


def test_a_full_disk_costs_no_answer(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The snapshot is kept in memory then, and the answer says so."""
    from memidx import files
    from memidx.errors import FileError

    write = files.write_atomic

    def full(path: str, data: object, **options: object) -> int:
        if path.endswith(".bin"):
            raise FileError("cannot write: No space left on device", path=path)
        return write(path, data, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(files, "write_atomic", full)
    write_tree(project, {"c.md": "zeppelin"})
    with memidx.open(str(project / "store"), env={}) as index:
        answer = index.search("zeppelin")
    assert [hit.doc_id for hit in answer.hits] == ["c.md"]
    assert any("No space left" in note for note in answer.notes)


def test_a_stale_answer_is_from_the_newest_snapshot(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The snapshot an open index knew may be gone; another process recorded a newer one."""
    monkeypatch.setattr(updating, "LOCK_WAIT_S", 0.05)
    store = str(project / "store")
    with memidx.open(store, env={}) as mine, memidx.open(store, env={}) as theirs:
        mine.search("lock")
        write_tree(project, {"c.md": "zeppelin"})
        theirs.search("zeppelin")
        write_tree(project, {"d.md": "airship"})
        mine._layers._refreshers[0]._ready = None
        with store_lock(store, 5.0):
            answer = mine.search("zeppelin")
    assert (answer.freshness, [hit.doc_id for hit in answer.hits]) == ("stale", ["c.md"])
