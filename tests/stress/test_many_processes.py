"""Builders and readers of one store at once, while its sources change."""

from __future__ import annotations

import json
import os
import random
import time
from collections import Counter
from pathlib import Path

import pytest

import memidx
from memidx.snapshot import publish
from tests.counting import count
from tests.disk import stray_files, temporary_files
from tests.stress.worker import N_NOTES, read_version, start, text_of

LARGE = os.environ.get("MEMIDX_TEST_LARGE") == "1"
# `make stress` runs the large form.
N_WRITERS, N_READERS = 4, 8
N_BUILDS, N_SEARCHES = (400, 800) if LARGE else (10, 20)
MOST_VERSIONS = 60


def replace(path: Path, text: str) -> None:
    """As an editor saves a file: aside, then renamed."""
    aside = path.with_suffix(".aside")
    aside.write_text(text)
    os.replace(aside, path)


def committed(store: Path) -> dict[str, bytes]:
    """Name -> bytes of every committed file."""
    return {path.name: path.read_bytes() for path in sorted(store.iterdir()) if path.is_file()}


@pytest.mark.parametrize("cap", [None, 1500])
def test_four_writers_and_eight_readers(tmp_path: Path, cap: int | None) -> None:
    """No wrong answer, no traceback, nothing left over, and the last build equals a clean one.

    With the cap the notes, which grow, make the store split again and again.
    """
    root = tmp_path / "project"
    root.mkdir()
    now = [0] * N_NOTES
    for note in range(N_NOTES):
        (root / f"n{note}.md").write_text(text_of(note, 0))
    (tmp_path / "versions").write_text(" ".join(map(str, now)))
    chance = random.Random(11)
    n_edits = 0
    with pytest.MonkeyPatch.context() as patch:
        if cap:
            patch.setattr(publish, "SHARD_CAP_BYTES", cap)
        memidx.build(root=str(root), env={})
        results = [tmp_path / f"result{seed}.json" for seed in range(N_WRITERS + N_READERS)]
        running = set()
        for seed, result in enumerate(results):
            role, n = ("writer", N_BUILDS) if seed < N_WRITERS else ("reader", N_SEARCHES)
            running.add(start(role, root, seed, n, result))
        while running:
            note = chance.randrange(N_NOTES)
            now[note] = min(now[note] + 1, MOST_VERSIONS)
            replace(root / f"n{note}.md", text_of(note, now[note]))
            replace(tmp_path / "versions", " ".join(map(str, now)))
            n_edits += 1
            time.sleep(chance.uniform(0, 0.05))
            running -= {child for child in running if os.waitpid(child, os.WNOHANG)[0]}
        done: Counter[str] = Counter()
        for result in results:
            found = json.loads(result.read_text())
            assert "error" not in found, found["error"]
            done.update(found["counts"])

        memidx.build(root=str(root), env={})
        clean = tmp_path / "clean"
        clean.mkdir()
        for path in root.glob("*.md"):
            (clean / path.name).write_bytes(path.read_bytes())
        memidx.build(root=str(clean), env={})
    assert committed(root / "store") == committed(clean / "store")
    assert stray_files(root / "store") == []
    assert temporary_files(root / "store") == []
    with memidx.open(str(root / "store"), env={}) as index:
        index.search("everyone")
        seen = [read_version(text) for _, text in index.texts()]
    assert seen == list(enumerate(now))
    for what, n in done.items():
        count(f"concurrent operations: {what}", n)
    count("edits of sources meanwhile", n_edits)
    assert sum(done.values()) == N_WRITERS * N_BUILDS + N_READERS * N_SEARCHES
    assert done["builds"] >= N_WRITERS * N_BUILDS // 2
    assert done["searches, refreshed"] + done["searches, fresh"] > 0
