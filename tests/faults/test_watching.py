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
from memidx.indexing import state
from memidx.snapshot import watching as looking
from memidx.sources import watch as watching
from tests.support import write_tree

inotify_simple = pytest.importorskip("inotify_simple", reason="the extra `watch` is not installed")


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


@pytest.fixture
def linked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose sources are read over links, from folders that are not looked into."""
    monkeypatch.setattr(state, "RACY_NS", 0)  # nobody waits until the files are older
    config = '[[sources]]\nname = "s"\ninclude = ["now/**", "d/**", "way/in/deep/**"]\n'
    root = write_tree(tmp_path / "project", {"memidx.toml": config, "d/a.md": "lock"})
    for n in (1, 2):
        write_tree(root / f"p{n}/q", {"t/x.md": f"lock p{n}", "in/deep/y.md": f"deep p{n}"})
    (root / "now").symlink_to("p1/q/t")
    (root / "d/there").symlink_to("../p1/q/t")
    (root / "way").symlink_to("p1/q")
    (root / "d/.memidxignore").symlink_to("../p1/q/none")
    (root / ".memidxignore").symlink_to("p1/rules")
    memidx.build(root=str(root), env={})
    return root


def _same_as_anew(root: Path, index: memidx.Index, *words: str) -> None:
    """The index finds and says what one does that has just been opened."""
    answers = [index.search(word) for word in words]
    with memidx.open(str(root / "store"), env={}) as anew:
        for answer, word in zip(answers, words, strict=True):
            right = anew.search(word)
            assert [(hit.path, hit.snippet) for hit in answer.hits] == [
                (hit.path, hit.snippet) for hit in right.hits
            ]
            assert answer.skipped == right.skipped


def test_links_to_folders_that_are_not_looked_into(linked: Path) -> None:
    """They lead to another folder, or a folder far above has taken another one's place."""
    with memidx.open(str(linked / "store"), env={}, watch=True) as index:
        index.search("lock")
        for link, target in (("now", "p2/q/t"), ("d/there", "../p2/q/t"), ("way", "p2/q")):
            (linked / link).unlink()
            (linked / link).symlink_to(target)
        _same_as_anew(linked, index, "p1", "p2")
        _write(linked / "p2/q/t/x.md", "kite")
        _same_as_anew(linked, index, "kite", "p2")
        (linked / "p2").rename(linked / "p3")
        _same_as_anew(linked, index, "kite", "p2")
        (linked / "p1").rename(linked / "p2")
        _same_as_anew(linked, index, "kite", "p2", "p1")
        _write(linked / "p2/q/in/deep/y.md", "glider")
        _same_as_anew(linked, index, "glider", "p1")


def test_ignore_files_over_links_that_lead_nowhere(linked: Path) -> None:
    """What is there at last counts."""
    with memidx.open(str(linked / "store"), env={}, watch=True) as index:
        assert "d/a.md" in _found(index, "lock")
        _write(linked / "p1/rules", "a.md\n")
        assert "d/a.md" not in _found(index, "lock")


def test_the_folder_above_root_is_exchanged_and_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the system tells of the one says nothing of the other."""
    monkeypatch.setattr(state, "RACY_NS", 0)
    root = write_tree(tmp_path / "now/project", {"x.md": "kite", "y.md": "lock"})
    write_tree(tmp_path / "then/project", {"x.md": "glider", "y.md": "lock"})
    store = str(tmp_path / "store")
    memidx.build(root=str(root), store=store, env={})
    with memidx.open(store, env={}, watch=True) as index:
        assert _found(index, "kite") == ["x.md"]
        for away, back, word in (("one", "then", "glider"), ("then", "one", "kite")):
            (tmp_path / "now").rename(tmp_path / away)
            (tmp_path / back).rename(tmp_path / "now")
            assert _found(index, word) == ["x.md"]
        assert _found(index, "glider") == []


def test_a_link_to_what_becomes_a_file_of_a_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The manifest that makes it one lies in a folder that is not looked into."""
    monkeypatch.setattr(state, "RACY_NS", 0)
    config = '[[sources]]\nname = "s"\nkind = "records"\ninclude = ["d/**"]\n'
    records = {"d/a.jsonl": '{"text": "lock"}\n', "o/docs.jsonl": '{"text": "kite"}\n'}
    root = write_tree(tmp_path / "project", {"memidx.toml": config, **records})
    (root / "d/b.jsonl").symlink_to("../o/docs.jsonl")
    memidx.build(root=str(root), env={})
    with memidx.open(str(root / "store"), env={}, watch=True) as index:
        assert _found(index, "kite") == ["d/b.jsonl"]
        _write(root / "o/manifest.json", '{"artifact_type": "memory-index"}')
        assert _found(index, "kite") == []


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


def test_a_file_with_two_names(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is written under the one, and found under both."""
    monkeypatch.setattr(state, "RACY_NS", 0)
    os.link(root / "a/x.md", root / "b/h.md")
    with memidx.open(str(root / "store"), env={}, watch=True) as index:
        index.search("lock")
        _write(root / "b/h.md", "kite")
        assert set(_found(index, "kite")) == {"a/x.md", "b/h.md"}


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


@pytest.mark.parametrize(
    ("owner", "call", "error"),
    [
        (inotify_simple.INotify, "add_watch", OSError(28, "No space left on device")),
        (inotify_simple, "_libc_call", OSError(24, "Too many open files")),
    ],
    ids=["folders of the system", "queues of the user"],
)
def test_limits(
    root: Path, monkeypatch: pytest.MonkeyPatch, owner: object, call: str, error: OSError
) -> None:
    """No more may be watched: the index looks at everything, and says so."""

    def refuse(*_: object) -> int:
        raise error

    monkeypatch.setattr(owner, call, refuse)
    with memidx.open(str(root / "store"), env={}, watch=True) as index:
        notes = [note for note in index.search("lock").notes if "cannot watch" in note]
        assert len(notes) == 1
        assert str(error.strerror) in notes[0]
        _write(root / "a/x.md", "kite")
        assert _found(index, "kite") == ["a/x.md"]


def test_a_search_that_is_broken_off(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was asked of the system for it is not lost for the next one."""
    monkeypatch.setattr(state, "RACY_NS", 0)
    with memidx.open(str(root / "store"), env={}, watch=True) as index:
        index.search("lock")
        index.search("lock")
        _write(root / "a/x.md", "kite")

        def stop(*_: object) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as broken:
            broken.setattr(looking, "_Seen", stop)
            with pytest.raises(KeyboardInterrupt):
                index.search("kite")
        assert _found(index, "kite") == ["a/x.md"]


def test_mounts_of_any_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What ends a line elsewhere does not in this list."""
    name = "/mnt/a\x0b\x1cb\u2028c\r"
    listed = f"1 0 8:1 / / rw - ext4 /dev/a rw\n2 1 8:2 / {name} rw - nfs4 host:/ rw\n"
    (tmp_path / "mounts").write_bytes(listed.encode())
    monkeypatch.setattr(events, "_MOUNTS", str(tmp_path / "mounts"))
    assert events._kinds_of_systems() == {"/": "ext4", name: "nfs4"}


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
