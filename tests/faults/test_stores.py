"""Several stores answer as one: a run's own, its ancestor's, the shared root's."""

from __future__ import annotations

from pathlib import Path

import pytest

import memidx
from memidx.errors import InputError, StoreMissing
from tests.support import write_tree


@pytest.fixture
def stores(tmp_path: Path) -> list[str]:
    """Three projects, the nearest first; the farthest weighs its notes less."""
    trees: dict[str, dict[str, str | bytes]] = {
        "run": {"notes/a.md": "# Run\n\nThe file lock of this run.\n"},
        "parent": {
            "notes/a.md": "# Older\n\nThe file lock as it was.\n",
            "notes/b.md": "# B\n\nlock\n",
        },
        "shared": {
            "notes/c.md": "# C\n\nlock\n",
            "memidx.toml": '[[sources]]\nname = "docs"\nweight = 0.5\n',
        },
    }
    made = []
    for name, files in trees.items():
        root = write_tree(tmp_path / name, files)
        memidx.build(root=str(root), store=str(root / "store"), env={})
        made.append(str(root / "store"))
    return made


def test_a_hit_names_its_store_and_the_nearer_masks(stores: list[str]) -> None:
    """`notes/a.md` of the parent is not there beside the run's own."""
    with memidx.open(stores, env={}) as index:
        answer = index.search("lock", as_of="2026-01-01")
    assert {(hit.doc_id, hit.store) for hit in answer.hits} == {
        ("notes/a.md", stores[0]),
        ("notes/b.md", stores[1]),
        ("notes/c.md", stores[2]),
    }
    assert (answer.n_docs, answer.n_by_source, answer.freshness) == (3, {"docs": 3}, "fresh")
    weights = {hit.doc_id: hit.composite / hit.relevance for hit in answer.hits}
    assert weights == {"notes/a.md": 1.0, "notes/b.md": 1.0, "notes/c.md": 0.5}


def test_an_edit_of_any_of_them_is_seen(stores: list[str]) -> None:
    """Each store is kept in step with its own sources; the answer says the least fresh."""
    with memidx.open(stores, env={}) as index:
        index.search("lock")
        write_tree(Path(stores[1]).parent, {"notes/d.md": "# D\n\nzeppelin\n"})
        answer = index.search("zeppelin")
        assert [(hit.doc_id, hit.store) for hit in answer.hits] == [("notes/d.md", stores[1])]
        assert answer.freshness == "refreshed"
        (Path(stores[0]).parent / "notes/a.md").unlink()
        hits = {hit.doc_id: hit.store for hit in index.search("lock").hits}
        assert hits["notes/a.md"] == stores[1]
        (Path(stores[2]).parent / "memidx.toml").write_text('[[sources]]\nname = "docs"\n')
        assert len({hit.composite for hit in index.search("lock").hits if hit.doc_id > "b"}) == 2


def test_one_that_is_missing_is_named(stores: list[str], tmp_path: Path) -> None:
    """A store that is not there must not look like one without hits."""
    with pytest.raises(StoreMissing) as error:
        memidx.open([stores[0], str(tmp_path / "nowhere")], env={})
    assert error.value.path == str(tmp_path / "nowhere")


def test_a_failed_source_of_a_farther_store_is_named(stores: list[str]) -> None:
    """Its folder is gone: its documents stay, and the answer says so."""
    root = Path(stores[2]).parent
    (root / "memidx.toml").write_text('[[sources]]\nname = "docs"\ninclude = ["notes/**"]\n')
    memidx.build(root=str(root), store=stores[2], env={})
    for path in (root / "notes").iterdir():
        path.unlink()
    (root / "notes").rmdir()
    with memidx.open(stores, env={}) as index:
        answer = index.search("lock")
    assert [problem.source for problem in answer.sources_failed] == ["docs"]
    assert "notes/c.md" in {hit.doc_id for hit in answer.hits}


def test_root_belongs_to_one_store(stores: list[str], tmp_path: Path) -> None:
    """Paths of several stores are relative to several folders."""
    with pytest.raises(InputError, match="several stores"):
        memidx.open(stores, root=str(tmp_path), env={})


def test_the_same_store_twice_counts_once(stores: list[str]) -> None:
    """Named by another path, too."""
    with memidx.open([stores[0], f"{stores[0]}/."], env={}) as index:
        assert index.search("lock").n_docs == 1
