"""Which snapshot answers when the lock is held, the cache is gone, or the store is read-only."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import memidx
from memidx.errors import StoreLocked
from memidx.snapshot import refresh
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
    monkeypatch.setattr(refresh, "LOCK_WAIT_S", 0.05)
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
    monkeypatch.setattr(refresh, "LOCK_WAIT_S", 0.05)
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
    path = next(cache.glob(f"{name}*"))
    for spoil in (path.unlink, lambda: path.write_bytes(b"{"), lambda: path.write_bytes(b"")):
        spoil()
        with memidx.open(str(project / "store"), env={}) as index:
            answer = index.search("lock")
        assert ([hit.doc_id for hit in answer.hits], answer.freshness) == (["a.md"], "fresh")


def test_one_snapshot_is_kept(project: Path) -> None:
    """Old snapshots and what killed builders left go when a new one is derived."""
    cache = project / "store/.cache"
    write_tree(cache / "tmp", {"snapshot-0123-4567.bin.1-1.tmp": "left"})
    for n in range(3):
        write_tree(project, {"a.md": f"lock {n}"})
        with memidx.open(str(project / "store"), env={}) as index:
            index.search("lock")
    assert len(list(cache.glob("snapshot-*"))) == 1
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
    assert len(list(cache.rglob("snapshot-*"))) == 1
    assert not (read_only / "store/.cache").exists()
