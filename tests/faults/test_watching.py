"""What may a watcher miss, and what happens then?

Whatever the system does not tell, or cannot, an answer of an index that watches its sources is the
one of an index that looks at all of them.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import memidx
from memidx.errors import InputError
from memidx.files import events
from memidx.sources import watch as watching
from tests.support import write_tree

pytest.importorskip("inotify_simple", reason="the extra `watch` is not installed")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A built project of a few notes in two folders."""
    notes: dict[str, str | bytes] = {
        f"{d}/{n}.md": f"# {d}{n}\n\nlock\n" for d in "ab" for n in "xyz"
    }
    root = write_tree(tmp_path / "project", notes)
    memidx.build(root=str(root), env={})
    return root


@pytest.fixture
def index(root: Path) -> Iterator[memidx.Index]:
    """An index of it that watches, and has begun to."""
    with memidx.open(str(root / "store"), env={}, watch=True) as index:
        index.search("lock")
        yield index


def _found(index: memidx.Index, word: str) -> list[str]:
    return [hit.path for hit in index.search(word).hits]


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_a_file_replaced_by_another(root: Path, index: memidx.Index) -> None:
    """As editors save: under another name first, which then takes the file's place."""
    _write(root / "a/.x.md.swp", "kite")
    (root / "a/.x.md.swp").replace(root / "a/x.md")
    assert _found(index, "kite") == ["a/x.md"]


def test_folders_that_come_and_go(root: Path, index: memidx.Index) -> None:
    """New ones are watched from then on, at any depth; what is gone is not found."""
    _write(root / "new/deep/n.md", "kite")
    assert _found(index, "kite") == ["new/deep/n.md"]
    _write(root / "new/deep/n.md", "glider")
    assert _found(index, "glider") == ["new/deep/n.md"]
    (root / "new").rename(root / "other")
    assert _found(index, "glider") == ["other/deep/n.md"]
    _write(root / "other/deep/n.md", "blimp")
    assert _found(index, "blimp") == ["other/deep/n.md"]
    (root / "other/deep/n.md").unlink()
    assert _found(index, "blimp") == []


def test_a_folder_takes_the_place_of_another(
    root: Path, index: memidx.Index, tmp_path: Path
) -> None:
    """All names are as they were, and none of the files is."""
    _write(tmp_path / "elsewhere/x.md", "kite")
    (root / "a").rename(tmp_path / "away")
    (tmp_path / "elsewhere").rename(root / "a")
    assert _found(index, "kite") == ["a/x.md"]
    _write(root / "a/x.md", "glider")
    assert _found(index, "glider") == ["a/x.md"]


def test_the_root_takes_the_place_of_another(root: Path, index: memidx.Index) -> None:
    """As when a folder of releases is switched."""
    shutil.copytree(root, root.with_name("copy"))
    _write(root.with_name("copy") / "a/x.md", "kite")
    root.rename(root.with_name("old"))
    root.with_name("copy").rename(root)
    assert _found(index, "kite") == ["a/x.md"]


def test_links(root: Path, index: memidx.Index, tmp_path: Path) -> None:
    """To a file, over a folder that is not among the sources, and to another one later."""
    for name in ("one", "two"):
        _write(root / f".venv/{name}/t.txt", name)
    (root / ".venv/now").symlink_to("one")
    (root / "a/x.md").unlink()
    _write(root / "b/real.md", "kite")
    (root / "a/x.md").symlink_to("../b/real.md")
    assert set(_found(index, "kite")) == {"a/x.md", "b/real.md"}
    _write(root / "b/real.md", "glider")
    assert set(_found(index, "glider")) == {"a/x.md", "b/real.md"}
    (root / "a/x.md").unlink()
    (root / "a/x.md").symlink_to(tmp_path / "secret.md")
    _write(tmp_path / "secret.md", "blimp")
    assert _found(index, "blimp") == []


def test_ignore_files(root: Path, index: memidx.Index) -> None:
    """A list of what is ignored comes, changes and goes."""
    (root / ".memidxignore").write_text("a/\n")
    assert set(_found(index, "lock")) == {"b/x.md", "b/y.md", "b/z.md"}
    (root / ".memidxignore").write_text("b/\n")
    assert set(_found(index, "lock")) == {"a/x.md", "a/y.md", "a/z.md"}
    (root / ".memidxignore").unlink()
    assert len(_found(index, "lock")) == 5


def test_more_events_than_the_system_keeps(root: Path, index: memidx.Index) -> None:
    """The last change is among those that were lost."""
    most = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    with (root / "a/x.md").open("w") as one, (root / "a/y.md").open("w") as other:
        for _ in range(most // 2 + 10):
            for file in (one, other):
                file.write("l")
                file.flush()
    _write(root / "b/z.md", "kite")
    assert _found(index, "kite") == ["b/z.md"]
    _write(root / "b/z.md", "glider")
    assert _found(index, "glider") == ["b/z.md"]


def test_a_fork_takes_no_event_away(root: Path, index: memidx.Index) -> None:
    """Parent and child share the queue; both see the edit."""
    _write(root / "a/x.md", "kite")
    child = os.fork()
    if not child:
        os._exit(0 if _found(index, "kite") == ["a/x.md"] else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert _found(index, "kite") == ["a/x.md"]


def test_what_no_event_tells_of_is_seen_later(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hard link outside the sources: everything is looked at when the time is over."""
    os.link(root / "a/x.md", root.parent / "link")
    time.sleep(2.1)  # the bytes of younger files are compared at each search
    with memidx.open(str(root / "store"), env={}, watch=True) as index:
        assert _found(index, "kite") == []
        _write(root.parent / "link", "kite")
        assert _found(index, "kite") == []
        monkeypatch.setattr(watching, "TRUSTED_NS", 0)
        assert _found(index, "kite") == ["a/x.md"]


def test_file_systems_of_others_are_not_believed(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The index looks at everything, and says so."""
    monkeypatch.setattr(events, "_kinds_of_systems", lambda: {"/": "nfs4"})
    with memidx.open(str(root / "store"), env={}, watch=True) as index:
        notes = index.search("lock").notes
        assert [note for note in notes if "nfs4" in note and "each search looks at all" in note]
        _write(root / "a/x.md", "kite")
        assert _found(index, "kite") == ["a/x.md"]


def test_mounts_are_told_apart() -> None:
    """The nearest mount above a path decides; names may hold spaces."""
    kinds = {"/": "ext4", "/home/me": "nfs", "/home/me/my disk": "xfs"}
    assert events._kind_at("/home/me/my disk/notes", kinds) == "xfs"
    assert events._kind_at("/home/me/notes", kinds) == "nfs"
    assert events._kind_at("/home/you", kinds) == "ext4"
    assert events._kinds_of_systems()["/"]


def test_a_limit_of_the_system(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No more folders may be watched: the index looks at everything, and says so."""
    from inotify_simple import INotify

    def refuse(self: INotify, path: str, mask: int) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(INotify, "add_watch", refuse)
    with memidx.open(str(root / "store"), env={}, watch=True) as index:
        assert [note for note in index.search("lock").notes if "cannot watch" in note]
        _write(root / "a/x.md", "kite")
        assert _found(index, "kite") == ["a/x.md"]


def test_where_nothing_can_be_watched(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another system, or no package: an error that says what to do."""
    monkeypatch.setitem(sys.modules, "inotify_simple", None)
    with pytest.raises(InputError, match="inotify-simple"):
        memidx.open(str(root / "store"), env={}, watch=True)
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(InputError, match="Linux only"):
        memidx.open(str(root / "store"), env={}, watch=True)
    with memidx.open(str(root / "store"), env={}) as index:
        assert len(_found(index, "lock")) == 5
