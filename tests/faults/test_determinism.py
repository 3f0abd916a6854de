"""The same documents give the same bytes, wherever, whenever and by whomever they are built."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import memidx
from memidx.errors import InputError
from memidx.snapshot import publish
from memidx.store.layout import SHARD_CAP_BYTES
from tests.support import write_tree

FILES = {
    f"docs/{n:03}.md": f"# Note {n}\n\n" + f"Words {n} and mötör 部署 {n * 7}. " * (n % 9 + 1)
    for n in range(60)
}
BUILD = "import sys, memidx; memidx.build([sys.argv[1]], store=sys.argv[2], env={})"


def committed(store: Path) -> dict[str, bytes]:
    """Every file of a store that is committed."""
    return {path.name: path.read_bytes() for path in store.iterdir() if path.is_file()}


def test_folder_hash_seed_and_locale_do_not_matter(tmp_path: Path) -> None:
    """Three processes that differ in everything but the documents write the same bytes."""
    stores = []
    for number, (seed, locale, zone) in enumerate(
        [("0", "C", "UTC"), ("1", "C.UTF-8", "Asia/Tokyo"), ("77", "POSIX", "America/Lima")]
    ):
        root = write_tree(tmp_path / f"{number}" / ("x" * number) / "project", FILES)
        store = tmp_path / f"store{number}"
        env = {**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": locale, "TZ": zone}
        env["HOME"] = str(tmp_path / f"home{number}")
        subprocess.run([sys.executable, "-c", BUILD, str(root), str(store)], check=True, env=env)
        stores.append(committed(store))
    assert stores[0] == stores[1] == stores[2]


def test_one_edited_file_changes_one_line_of_one_shard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eight shards and more; one line of one of them is another after an edit."""
    monkeypatch.setattr(publish, "SHARD_CAP_BYTES", 4096)
    root = write_tree(tmp_path / "project", FILES)
    store = tmp_path / "store"
    memidx.build([str(root)], store=str(store), env={})
    before = committed(store)
    assert len(before) > 8
    (root / "docs/007.md").write_text("# Note 7\n\nAnother text.\n")
    report = memidx.build([str(root)], store=str(store), env={})
    after = committed(store)
    changed = [name for name in before if before[name] != after[name]]
    old, new = (stores[changed[0]].split(b"\n") for stores in (before, after))
    assert (len(changed), sum(a != b for a, b in zip(old, new, strict=True))) == (1, 1)
    assert (report.shards_written, report.lines_written) == (1, 1)


def test_processes_change_no_byte(tmp_path: Path) -> None:
    """Store and snapshot are the same for any number of processes."""
    root = write_tree(tmp_path / "project", FILES)
    snapshots = []
    for jobs in (1, 2):
        store = tmp_path / f"store{jobs}"
        memidx.build([str(root)], store=str(store), jobs=jobs, env={})
        snapshots.append(next((store / ".cache").glob("snapshot-*.bin")).read_bytes())
    assert snapshots[0] == snapshots[1]
    assert committed(tmp_path / "store1") == committed(tmp_path / "store2")


def test_shards_change_no_score(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Statistics are global: one shard or many, the same scores."""
    root = write_tree(tmp_path / "project", FILES)
    scores = []
    for cap in (SHARD_CAP_BYTES, 4096):
        monkeypatch.setattr(publish, "SHARD_CAP_BYTES", cap)
        store = tmp_path / f"store{cap}"
        memidx.build([str(root)], store=str(store), env={})
        with memidx.open(str(store), root=str(root), env={}) as index:
            hits = index.search("words mötör 部署 14", k=60).hits
        scores.append([(hit.doc_id, hit.score, hit.composite) for hit in hits])
    assert scores[0] == scores[1]


def test_one_shard_too_small_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`shard=False` above the cap is the caller's mistake; nothing is written."""
    monkeypatch.setattr(publish, "SHARD_CAP_BYTES", 4096)
    root = write_tree(tmp_path / "project", FILES)
    with pytest.raises(InputError):
        memidx.build([str(root)], store=str(tmp_path / "store"), shard=False, env={})
    assert not list((tmp_path / "store").glob("*.jsonl"))


edits = st.lists(
    st.tuples(
        st.sampled_from(["a.md", "b.md", "d/c.md", "d/e.md", "ü.md"]),
        st.sampled_from([None, "", "one", "two words", "# T\n\n---\nx"]),
    ),
    max_size=8,
)


@settings(max_examples=25)
@given(edits)
def test_any_sequence_of_edits_and_builds_equals_a_clean_build(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str | None]]
) -> None:
    """Incremental, full and clean builds give the same committed bytes."""
    base = tmp_path_factory.mktemp("edits")
    root = write_tree(base / "project", {"keep.md": "always here"})
    for name, content in steps:
        if content is None:
            (root / name).unlink(missing_ok=True)
        else:
            write_tree(root, {name: content})
        memidx.build([str(root)], store=str(base / "store"), env={})
    memidx.build([str(root)], store=str(base / "store"), env={})
    memidx.build([str(root)], store=str(base / "clean"), env={})
    assert committed(base / "store") == committed(base / "clean")
    memidx.build([str(root)], store=str(base / "store"), full=True, env={})
    assert committed(base / "store") == committed(base / "clean")


def test_a_query_imports_the_standard_library_and_the_stemmer_only(tmp_path: Path) -> None:
    """`open` and `search` on a ready snapshot and unchanged sources stay lean."""
    root = write_tree(tmp_path / "project", FILES)
    memidx.build([str(root)], store=str(root / "store"), env={})
    program = (
        "import json, sys\n"
        "import memidx\n"
        f"answer = memidx.open({str(root / 'store')!r}, env={{}}).search('words mötör')\n"
        "assert answer.hits and answer.freshness == 'fresh', answer\n"
        "roots = {name.partition('.')[0] for name in sys.modules}\n"
        "print(json.dumps(sorted(roots - set(sys.stdlib_module_names))))\n"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", _with_site(program)], check=True, capture_output=True
    )
    found = set(json.loads(done.stdout))
    # PyStemmer is written in Cython, which registers modules of its own beside it.
    found = {name for name in found if "cython" not in name}
    assert found - {"__main__", "__mp_main__"} <= {"memidx", "Stemmer"}


def _with_site(program: str) -> str:
    """The program with this process's import path, and without what `.pth` files import."""
    return f"import sys; sys.path[:] = {sys.path!r}\n{program}"
