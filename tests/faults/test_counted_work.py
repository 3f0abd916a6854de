"""How much work is done again? Counted in files read, documents analysed and lines written.

And in calls to the disk, entries of records unpacked, bytes written and texts divided.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections import Counter
from pathlib import Path

import pytest

import memidx
from memidx.indexing.packing import KnownFile, PackedFiles
from memidx.search.blocks import Outline
from tests.disk import Disk
from tests.support import write_tree


def _age(root: Path) -> None:
    """Make every file old enough that its signature proves it unchanged."""
    then = time.time_ns() - 10**11
    for path in root.rglob("*"):
        os.utime(path, ns=(then, then))


def _check_work(root: Path, edited: Path, touched: Path) -> None:
    """Nothing, an edit, a touch: in searches of an open index, of a new one, and in builds."""
    store = str(root / "store")
    first = memidx.build(root=str(root), store=store, env={})
    assert first.n_analysed == first.n_docs == first.lines_written
    time.sleep(2.1)  # what is younger than two seconds when it is recorded is read again
    memidx.build(root=str(root), store=store, env={})
    with memidx.open(store, env={}) as index:
        again = index.refresh()
        assert (again.n_read, again.n_analysed, again.freshness) == (0, 0, "fresh")
        edited.write_text(f"{edited.read_text(encoding='utf-8')}\nzeppelin\n", encoding="utf-8")
        once = index.refresh()
        assert (once.n_read, once.n_analysed, once.freshness) == (1, 1, "refreshed")
        path = edited.relative_to(root).as_posix()
        assert [hit.path for hit in index.search("zeppelin").hits] == [path]
    with memidx.open(store, env={}) as index:
        assert index.refresh().n_analysed == 0
    built = memidx.build(root=str(root), store=store, env={})
    assert (built.lines_written, built.n_analysed, built.n_changed) == (1, 0, 1)
    assert built.n_read <= 2  # once to prove that it is as it was, once for its line
    time.sleep(2.1)
    memidx.build(root=str(root), store=store, env={})
    touched.write_bytes(touched.read_bytes())
    with memidx.open(store, env={}) as index:
        seen = index.refresh()
        assert (seen.n_read, seen.n_analysed, seen.freshness) == (1, 0, "fresh")
    edited.write_text(f"{edited.read_text(encoding='utf-8')}\nballoon\n", encoding="utf-8")
    built = memidx.build(root=str(root), store=store, env={})
    assert (built.lines_written, built.n_analysed) == (1, 1)
    assert built.n_read <= 2  # the edited one, and the touched one as long as it is racy


def test_work_of_a_small_project(tmp_path: Path) -> None:
    """Forty files, one of them edited and one touched."""
    files: dict[str, str | bytes] = {f"n/{n}.md": f"# {n}\n\nlock {n}\n" for n in range(40)}
    root = write_tree(tmp_path / "project", files)
    _age(root)
    _check_work(root, root / "n/7.md", root / "n/9.md")


@pytest.mark.shared
def test_work_of_thousands_of_files(shared: Path, tmp_path: Path) -> None:
    """The corpus of the speed benchmark: 4,728 files."""
    root = tmp_path / "cpp-docs"
    shutil.copytree(shared / "corpora/cpp-docs", root, copy_function=shutil.copyfile)
    _age(root)
    paths = sorted(root.rglob("*.md"))
    _check_work(root, paths[1000], paths[2000])


N_FILES = 300


@pytest.fixture
def settled(tmp_path: Path) -> Path:
    """A built project of many files in a few folders, recorded when it was at rest."""
    files: dict[str, str | bytes] = {
        f"n{n % 7}/{n}.md": f"# {n}\n\nlock {n}\n\n" + f"word{n} " * 50 for n in range(N_FILES)
    }
    root = write_tree(tmp_path / "project", files)
    _age(root)
    memidx.build(root=str(root), store=str(root / "store"), env={})
    time.sleep(2.1)  # see above
    memidx.build(root=str(root), store=str(root / "store"), env={})
    return root


def _edit(path: Path, word: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(f"\n{word}\n")


def _calls(disk: Disk, root: Path) -> Counter[tuple[str, str]]:
    """Kind and root-relative path of what was asked of the sources, and how often."""
    below = [(call.kind, os.path.relpath(call.path, root)) for call in disk.calls if call.path]
    return Counter((kind, path) for kind, path in below if path.startswith("n"))


def test_a_search_asks_for_each_file_once(settled: Path) -> None:
    """A `stat` each and a listing a folder, in a new process and again, after an edit too."""
    once = Counter({("stat", f"n{n % 7}/{n}.md"): 1 for n in range(N_FILES)})
    once += Counter({("scandir", f"n{n}"): 1 for n in range(7)})
    with memidx.open(str(settled / "store"), env={}) as index:
        for _ in range(3):
            with Disk().under() as disk:
                assert index.search("lock").freshness == "fresh"
            assert _calls(disk, settled) == once
        for word, path in (("kite", "n1/1.md"), ("glider", "n1/8.md"), ("blimp", "n1/1.md")):
            _edit(settled / path, word)
            with Disk().under() as disk:
                answer = index.search(word)
            assert (answer.freshness, [hit.path for hit in answer.hits]) == ("refreshed", [path])
            calls = _calls(disk, settled)
            # What is read again: the edited file, and those that were edited just before it.
            reads = {path for kind, path in calls if kind in ("open", "fstat", "read")}
            assert reads <= {"n1/1.md", "n1/8.md"}
            asked = {key: n for key, n in calls.items() if key[0] in ("stat", "scandir")}
            assert asked == once


def test_a_watching_index_looks_at_what_changed_alone(settled: Path) -> None:
    """No listing and no `stat` while nothing changes; after an edit, those of one folder."""
    pytest.importorskip("inotify_simple")
    with memidx.open(str(settled / "store"), env={}, watch=True) as index:
        index.search("lock")  # everything is looked at, and the watch begins
        for _ in range(3):
            with Disk().under() as disk:
                assert index.search("lock").freshness == "fresh"
            assert _calls(disk, settled) == Counter()
        for word, path in (("kite", "n1/1.md"), ("glider", "n2/9.md"), ("blimp", "n1/1.md")):
            _edit(settled / path, word)
            with Disk().under() as disk:
                answer = index.search(word)
            assert (answer.freshness, [hit.path for hit in answer.hits]) == ("refreshed", [path])
            folder = path.partition("/")[0]
            calls = _calls(disk, settled)
            asked = {key: n for key, n in calls.items() if key[0] in ("stat", "scandir")}
            names = [path.name for path in (settled / folder).iterdir()]
            once = {("scandir", folder): 1} | {("stat", f"{folder}/{n}"): 1 for n in names}
            assert asked == once | {("stat", path): 2}  # what changed, also for its names


def test_an_edit_unpacks_and_writes_what_it_changed(
    settled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the record one entry, of the disk about the document: in any process, again and again."""
    unpacked: list[str] = []

    def count(self: PackedFiles, path: str, real: object = PackedFiles.__getitem__) -> KnownFile:
        unpacked.append(path)
        return real(self, path)  # type: ignore[operator]  # the method it stands for

    monkeypatch.setattr(PackedFiles, "__getitem__", count)
    store = settled / "store"
    with memidx.open(str(store), env={}) as index:
        index.search("lock")
        for pair in (("kite", "glider"), ("blimp", "balloon"), ("rotor", "wing")):
            with memidx.open(str(store), env={}) as another:
                for one, word in zip((index, another), pair, strict=True):
                    _edit(settled / "n2/2.md", word)
                    unpacked.clear()
                    with Disk().under() as disk:
                        assert [hit.path for hit in one.search(word).hits] == ["n2/2.md"]
                    assert set(unpacked) == {"n2/2.md"} or not unpacked
                    written = sum(len(c.arguments[1]) for c in disk.calls if c.kind == "write")
                    size = (settled / "n2/2.md").stat().st_size
                    assert size < written < 4 * size + 8000
                    assert not [c for c in disk.calls if c.kind == "fsync"]
    size = (settled / "n2/2.md").stat().st_size
    with Disk().under() as disk:
        memidx.build(root=str(settled), store=str(store), env={})
    written = sum(len(call.arguments[1]) for call in disk.calls if call.kind == "write")
    # The one shard, and what was edited since the look that is recorded whole.
    assert written < (store / "docs.jsonl").stat().st_size + size + 4000
    record = json.loads((store / ".cache/state-edit.json").read_bytes().partition(b"\n")[0])
    assert [*record["files"]] == [*record["watched"]] == ["n2/2.md"]


def test_after_an_edit_no_other_text_is_divided_again(
    settled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an open index knows of the texts it showed is kept for those that stay."""
    divided: list[str] = []

    def count(self: Outline, text: str, real: object = Outline.__init__) -> None:
        divided.append(text)
        real(self, text)  # type: ignore[operator]  # the method it stands for

    monkeypatch.setattr(Outline, "__init__", count)
    with memidx.open(str(settled / "store"), env={}) as index:
        first = index.search("word7 lock 14", k=20)
        _edit(settled / first.hits[0].path, "zeppelin")
        divided.clear()
        second = index.search("word7 lock 14", k=20)
        changed = {hit.path for hit in second.hits} - {hit.path for hit in first.hits}
        assert len(divided) <= 1 + len(changed) < 10
        assert "zeppelin" in (settled / first.hits[0].path).read_text(encoding="utf-8")
    with memidx.open(str(settled / "store"), env={}) as anew:
        shown = [(hit.doc_id, hit.snippets) for hit in anew.search("word7 lock 14", k=20).hits]
    assert shown == [(hit.doc_id, hit.snippets) for hit in second.hits]
