"""Was anything written to a store since?"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import memidx
from memidx.store import StoreFolder
from tests.support import write_tree

NOW_NS = 1_700_000_000_000_000_000
LONG_AGO_S = 1_600_000_000


def test_a_folder_is_as_seen_until_a_file_comes_or_goes(tmp_path: Path) -> None:
    """A file renamed into it shows, and so does one that is removed."""
    folder = StoreFolder(str(tmp_path))
    for change in (lambda: (tmp_path / "a").write_text("x"), lambda: (tmp_path / "a").unlink()):
        os.utime(tmp_path, (LONG_AGO_S, LONG_AGO_S))
        folder.look(NOW_NS)
        assert folder.is_as_seen()
        change()
        assert not folder.is_as_seen()


def test_a_folder_just_written_is_not_relied_on(tmp_path: Path) -> None:
    """Within two seconds another change may leave the same time; one to come says even less."""
    folder = StoreFolder(str(tmp_path))
    for seconds in (NOW_NS // 10**9 - 1, NOW_NS // 10**9 + 100):
        os.utime(tmp_path, (seconds, seconds))
        folder.look(NOW_NS)
        assert not folder.is_as_seen()


def test_a_store_that_is_gone_is_not_as_seen(tmp_path: Path) -> None:
    """Neither before it was looked at nor after."""
    folder = StoreFolder(str(tmp_path / "none"))
    assert not folder.is_as_seen()
    folder.look(NOW_NS)
    assert not folder.is_as_seen()


def test_an_unchecked_search_follows_a_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It looks at the store's folder alone while nothing is written, and sees the next build."""
    write_tree(tmp_path, {"docs/a.md": "# A\n\nalpha\n"})
    memidx.build(root=str(tmp_path), env={})
    store = tmp_path / "store"
    os.utime(store, (LONG_AGO_S, LONG_AGO_S))
    listed: list[str] = []
    from memidx.snapshot import refresh

    look = refresh.store_signature
    monkeypatch.setattr(refresh, "store_signature", lambda path: listed.append(path) or look(path))
    with memidx.open(str(store), env={}) as index:
        first = index.search("alpha", refresh=False)
        n_listed = len(listed)
        again = index.search("alpha", refresh=False)
        assert len(listed) == n_listed
        assert (again.freshness, again.hits) == (first.freshness, first.hits)
        assert again.freshness == "unchecked"
        write_tree(tmp_path, {"docs/b.md": "# B\n\nalpha beta\n"})
        memidx.build(root=str(tmp_path), env={})
        assert len(index.search("alpha", refresh=False).hits) == 2
        assert index.search("alpha").freshness in ("fresh", "refreshed")
        assert index.search("alpha", refresh=False).freshness == "unchecked"
