"""A build that may keep next to nothing in memory writes what any other one writes."""

from __future__ import annotations

from pathlib import Path

import pytest

import memidx
from tests.support import little_memory


def _write(root: Path, day: int) -> None:
    """40 notes, of which each day some are new, some others, and some gone."""
    for number in range(40):
        path = root / "notes" / f"{number:02}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        if (number + day) % 7 == 0:
            path.unlink(missing_ok=True)
        elif day == 0 or (number + day) % 3 == 0 or not path.exists():
            path.write_text(f"# Note {number}\n\nWhat lock{number} did on day {day}, naïve 部署.\n")


def _files(store: Path) -> dict[str, bytes]:
    """Bytes of what is committed and of the snapshot."""
    found = [*store.glob("*.json*"), *store.glob(".cache/snapshot-*.bin")]
    return {path.name: path.read_bytes() for path in found}


@pytest.mark.parametrize("full", [False, True])
def testlittle_memory_gives_the_same_bytes(tmp_path: Path, full: bool) -> None:
    """Every day, from nothing and from the day before; nothing is left aside."""
    few, many = tmp_path / "few", tmp_path / "many"
    for day in range(3):
        for root in (few, many):
            _write(root, day)
        memidx.build(root=str(many), store=str(many / "store"), full=full)
        with little_memory():
            memidx.build(root=str(few), store=str(few / "store"), full=full)
            check = memidx.build(root=str(few), store=str(few / "store"), check=True)
        assert not check.behind
        assert _files(few / "store") == _files(many / "store")
        assert list((few / "store" / ".cache" / "tmp").iterdir()) == []


def test_a_search_withlittle_memory_takes_in_what_changed(tmp_path: Path) -> None:
    """More than edits of known files: all is compared, and the store is not written."""
    _write(tmp_path, 0)
    store = tmp_path / "store"
    memidx.build(root=str(tmp_path), store=str(store))
    before = {path.name: path.read_bytes() for path in store.glob("*.json*")}
    _write(tmp_path, 1)
    with little_memory(), memidx.open(str(store), env={}) as index:
        answer = index.search("lock2", k=3)
        texts = dict(index.texts())
    assert answer.freshness == "refreshed"
    assert answer.hits[0].doc_id == "notes/02.md"
    assert texts == {
        path.relative_to(tmp_path).as_posix(): path.read_text()
        for path in (tmp_path / "notes").glob("*.md")
    }
    assert {path.name: path.read_bytes() for path in store.glob("*.json*")} == before
