"""One process of the stress test: builds, or searches, so many times.

A search has to find, for each note, one of its versions that was there while the search ran. The
versions are numbered and only grow, and a file beside the project says how far each note is: read
before and after a search it gives the range that is right.
"""

from __future__ import annotations

import json
import os
import traceback
from pathlib import Path

import memidx
from memidx.errors import StoreLocked

N_NOTES = 6


def text_of(note: int, version: int) -> str:
    """A note: `everyone` finds it, and it says which note and which version it is."""
    return f"# Note {note}\n\neveryone note{note} version {version}\n" + "filler words " * version


def read_version(text: str) -> tuple[int, int]:
    """The note and the version a text is; a mix of two would not be what `text_of` gives."""
    words = text.split()
    note, version = int(words[2]), int(words[words.index("version") + 1])
    assert text == text_of(note, version), text
    return note, version


def versions(root: Path) -> list[int]:
    """How far the notes are: `VERSIONS` is replaced whole, after a note was."""
    return list(map(int, (root.parent / "versions").read_text().split()))


def search_once(index: memidx.Index, root: Path, *, refresh: bool) -> str:
    """One search and everything that must hold of it; the freshness it claims."""
    before = versions(root)
    answer = index.search("everyone", k=50, refresh=refresh)
    texts = dict(index.texts())
    after = versions(root)
    assert sorted(texts) == [f"n{note}.md" for note in range(N_NOTES)], sorted(texts)
    assert sorted(hit.doc_id for hit in answer.hits) == sorted(texts)
    for doc_id, text in texts.items():
        note, version = read_version(text)
        assert doc_id == f"n{note}.md"
        # A note is written before its number: the newest may be one further than the number.
        newest = after[note] + 1
        oldest = before[note] if answer.freshness in ("fresh", "refreshed") else 0
        assert oldest <= version <= newest, (doc_id, oldest, version, newest, answer.freshness)
    assert not answer.sources_failed, answer.sources_failed
    assert not answer.skipped, answer.skipped
    return answer.freshness


def work(role: str, root: Path, seed: int, n_operations: int) -> dict[str, int]:
    """Build or search again and again; what was done how often."""
    counts: dict[str, int] = {}
    index = None
    for n in range(n_operations):
        try:
            if role == "writer":
                report = memidx.build(root=str(root), env={}, full=n % 5 == seed % 5)
                assert not report.sources_failed, report.sources_failed
                assert report.n_docs == N_NOTES
                what = "builds"
            else:
                # Some readers keep their index open, some begin anew, some do not look.
                if index is None or n % 3 == 0:
                    index = memidx.open(str(root / "store"), env={})
                freshness = search_once(index, root, refresh=(n + seed) % 4 != 0)
                what = f"searches, {freshness}"
        except StoreLocked:
            what = "locked"
        counts[what] = counts.get(what, 0) + 1
    return counts


def start(role: str, root: Path, seed: int, n_operations: int, result: Path) -> int:
    """Fork a process that works and leaves its counts, or its traceback, in a file; its id."""
    child = os.fork()
    if child:
        return child
    found: dict[str, object] = {}
    try:
        found = {"counts": work(role, root, seed, n_operations)}
    except BaseException:  # noqa: BLE001 - a child of pytest must not go on as pytest
        found = {"error": traceback.format_exc()}
    finally:
        result.write_text(json.dumps(found))
        os._exit(0)
