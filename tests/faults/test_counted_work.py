"""How much work is done again? Counted in files read, documents analysed and lines written."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest

import memidx
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
