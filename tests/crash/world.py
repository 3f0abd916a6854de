"""A small project, its changes, and what must hold whatever happened to it."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import memidx
from memidx import files
from memidx.errors import MemidxError, StoreMissing
from memidx.indexing.state import read_state
from memidx.snapshot import cache, caching, publish
from memidx.snapshot.cache import SMALL_BYTES
from memidx.store.reader import read_store
from tests.disk import stray_files, temporary_files
from tests.support import little_memory, write_tree

LARGE = os.environ.get("MEMIDX_TEST_LARGE") == "1"

SETTINGS = """
[[sources]]
name = "notes"
include = ["notes/**"]
[[sources]]
name = "records"
kind = "records"
include = ["records.jsonl"]
"""


def note(name: str, version: str) -> str:
    """A note that `everyone` finds, and the word of its version."""
    return f"# Note {name}\n\neveryone reads {name}, which is {version}.\n"


BEFORE = {
    "memidx.toml": SETTINGS,
    **{f"notes/{name}.md": note(name, "early") for name in "abcdef"},
    "records.jsonl": '{"id": "1", "text": "everyone record early"}\n'
    '{"id": "2", "text": "everyone kept"}\n',
}
# Edited, added, removed, renamed, and one record of a file edited.
AFTER = {
    **{name: text for name, text in BEFORE.items() if name not in ("notes/b.md", "notes/c.md")},
    "notes/a.md": note("a", "late"),
    "notes/new.md": note("new", "late"),
    "notes/renamed.md": BEFORE["notes/c.md"],
    "records.jsonl": '{"id": "1", "text": "everyone record late"}\n'
    '{"id": "2", "text": "everyone kept"}\n',
}
FEW = {"memidx.toml": SETTINGS, "records.jsonl": '{"id": "1", "text": "everyone"}\n'} | {
    f"notes/{name}.md": note(name, "early") for name in "abc"
}
MORE = FEW | {"notes/a.md": note("a", "late"), "notes/more.md": note("more", "late")}
FEWER = {name: text for name, text in MORE.items() if name != "notes/b.md"}
FEWER["notes/c.md"] = note("c", "late")
# What three documents fit and four do not.
CAP = 1100


def build(root: Path) -> object:
    """`memidx build`."""
    return memidx.build(root=str(root), env={})


def patch(root: Path) -> object:
    """`memidx build` that may patch the one line that changed."""
    return memidx.build(root=str(root), env={"MEMIDX_INCREMENTAL_SED": "1"})


def search(root: Path) -> object:
    """A search that takes in what changed."""
    with memidx.open(str(root / "store"), env={}) as index:
        return index.search("everyone", k=50)


def verify(root: Path) -> object:
    """`memidx verify`."""
    with memidx.open(str(root / "store"), env={}) as index:
        return index.verify()


@dataclass(frozen=True)
class Scenario:
    """Sources as they were built (None: never), as they are now, and what is then done."""

    before: dict[str, str] | None
    after: dict[str, str]
    run: Callable[[Path], object]
    cap: int | None = None
    # As if every snapshot file were a large one; the small ones of a real project are not synced.
    small_bytes: int = 0
    # A few bytes, lines and postings are put aside in files.
    is_cramped: bool = False

    @property
    def share(self) -> int:
        """For each so many calls of the others it makes one."""
        return 3 if self.small_bytes or self.is_cramped else 1


SCENARIOS = {
    "first build": Scenario(None, BEFORE, build),
    "build after edits": Scenario(BEFORE, AFTER, build),
    "build after one edit": Scenario(BEFORE, BEFORE | {"notes/a.md": note("a", "late")}, patch),
    "build that splits": Scenario(FEW, MORE, build, CAP),
    "build that joins": Scenario(MORE, FEWER, build, CAP),
    "search that refreshes": Scenario(BEFORE, AFTER, search),
    "search after one edit": Scenario(BEFORE, BEFORE | {"notes/a.md": note("a", "late")}, search),
    "small build after edits": Scenario(BEFORE, AFTER, build, None, SMALL_BYTES),
    "small search after one edit": Scenario(
        BEFORE, BEFORE | {"notes/a.md": note("a", "late")}, search, None, SMALL_BYTES
    ),
    "cramped build after edits": Scenario(BEFORE, AFTER, build, is_cramped=True),
    "cramped first build": Scenario(None, BEFORE, build, is_cramped=True),
    "verify": Scenario(BEFORE, AFTER, verify),
}
WRITES_STORE = [name for name, scenario in SCENARIOS.items() if scenario.run in (build, patch)]


def change_tree(root: Path, files: dict[str, str], before: dict[str, str] | None) -> None:
    """Make the sources what `files` says."""
    for name in before or {}:
        if name not in files:
            (root / name).unlink()
    write_tree(root, {n: text for n, text in files.items() if (before or {}).get(n) != text})


class World:
    """One scenario, made again and again from the same beginning.

    Attributes:
        old: `doc_id` -> line, before; empty where nothing was built.
        new: The same of a clean build of the sources as they are now.
        clean: Name -> bytes of that clean build's committed files.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self.scenario = SCENARIOS[name]
        self._checked: set[frozenset[tuple[str, bytes]]] = set()
        with self.capped():
            # Built where it is used, for a store knows where it was.
            self._start, self._project = folder / "start", folder / "project"
            self.old: dict[str, bytes] = {}
            self.before: dict[str, bytes] = {}
            if self.scenario.before is not None:
                write_tree(self._project, self.scenario.before)
                build(self._project)
                self._project.rename(self._start)
                self.old = read_store(str(self._start / "store")).lines
                self.before = committed(self._start / "store")
            else:
                self._start.mkdir(parents=True)
            clean = write_tree(folder / "clean", self.scenario.after)
            build(clean)
            self.new = read_store(str(clean / "store")).lines
            self.clean = committed(clean / "store")
        change_tree(self._start, self.scenario.after, self.scenario.before)

    @contextlib.contextmanager
    def capped(self) -> Iterator[None]:
        """The scenario's cap of a shard's size is in force, and what it takes for a small file."""
        cramped = little_memory() if self.scenario.is_cramped else contextlib.nullcontext()
        with cramped, pytest.MonkeyPatch.context() as monkeypatch:
            # Tens of thousands of files are written: the calls count, not what the disk does.
            monkeypatch.setattr(os, "fsync", lambda descriptor: None)
            monkeypatch.setattr(files, "_fsync", os.fsync)
            if self.scenario.cap is not None:
                monkeypatch.setattr(publish, "SHARD_CAP_BYTES", self.scenario.cap)
            for module in (cache, caching):
                monkeypatch.setattr(module, "SMALL_BYTES", self.scenario.small_bytes)
            yield

    @contextlib.contextmanager
    def project(self) -> Iterator[Path]:
        """The project before the run, in a folder of its own."""
        shutil.copytree(self._start, self._project)
        with self.capped():
            yield self._project
        shutil.rmtree(self._project)

    def check_all(self, root: Path) -> None:
        """Everything that must hold after a run that did not end well.

        What the runs leave is often the same, but for times and numbers of processes, and then
        checked once.
        """
        seen = frozenset(_without_times(root, path) for path in (root / "store").rglob("*"))
        if seen in self._checked:
            return
        self._checked.add(seen)
        self.check_old_or_new(root)
        self.check_answer(root)
        self.check_next_build(root)

    def check_old_or_new(self, root: Path) -> None:
        """In the store, and in an answer from it alone, each document is old or new."""
        store = root / "store"
        try:
            stored = read_store(str(store))
        except StoreMissing:
            assert not self.old
            return
        assert stored.damage == ()
        self._check_lines(stored.lines)
        if self.scenario.run not in (build, patch):
            assert committed(store) == self.before
        with memidx.open(str(store), env={}) as index:
            answer = index.search("everyone", k=50, refresh=False)
            texts = dict(index.texts())
        assert {hit.doc_id for hit in answer.hits} == set(texts)
        self._check_texts(texts)

    def check_answer(self, root: Path) -> None:
        """The next search, whatever happened before, answers from the sources as they are."""
        if not self.old and not (root / "store" / "manifest.json").exists():
            return
        for path in root.rglob("*"):
            # Whoever gives back the right to read a file changes its entry.
            if path.is_file() and "store" not in path.parts:
                path.chmod(0o644)
        with memidx.open(str(root / "store"), env={}) as index:
            answer = index.search("everyone", k=50)
            late = index.search("late", k=50)
            early = index.search("early", k=50)
            texts = dict(index.texts())
        assert answer.freshness in ("fresh", "refreshed")
        assert not answer.sources_failed
        assert not answer.skipped
        assert texts == {doc_id: _text(line) for doc_id, line in self.new.items()}
        for word, found in (("everyone", answer), ("late", late), ("early", early)):
            wanted = {doc_id for doc_id, text in texts.items() if word in text}
            assert {hit.doc_id for hit in found.hits} == wanted

    def check_next_build(self, root: Path) -> None:
        """The next build gives the bytes of a clean one, and leaves nothing to clean."""
        build(root)
        store = root / "store"
        assert committed(store) == self.clean
        assert stray_files(store) == []
        assert temporary_files(store) == []

    def check_nothing_left(self, root: Path, outcome: object) -> None:
        """A run that met a refusal and could go on to clean, has."""
        assert temporary_files(root / "store") == []
        if isinstance(outcome, MemidxError) and self.old:
            # Old shards stay where the manifest without them is perhaps not durable.
            assert set(stray_files(root / "store")) <= set(self.before)

    def check_outcome(self, outcome: object) -> None:
        """What a run says that met a fault and finished: right, or with the fault named."""
        if isinstance(outcome, MemidxError):
            assert outcome.path
        hits = getattr(outcome, "hits", None)
        if hits is None:
            return
        named = outcome.sources_failed or outcome.skipped or outcome.freshness == "stale"  # type: ignore[attr-defined]
        found = {hit.doc_id for hit in hits}
        if not named:
            assert found == set(self.new)
        assert found <= set(self.old) | set(self.new)

    def _check_lines(self, lines: dict[str, bytes]) -> None:
        for doc_id, line in lines.items():
            assert line in (self.old.get(doc_id), self.new.get(doc_id))
        assert set(self.old) & set(self.new) <= set(lines)

    def _check_texts(self, texts: dict[str, str]) -> None:
        for doc_id, text in texts.items():
            assert text in [
                _text(lines[doc_id]) for lines in (self.old, self.new) if doc_id in lines
            ]
        assert set(self.old) & set(self.new) <= set(texts)


def attempt(run: Callable[[Path], object], root: Path) -> object:
    """What a run gives: a report, or the error it raises on purpose; anything else is a fault."""
    try:
        return run(root)
    except MemidxError as error:
        return error


def committed(store: Path) -> dict[str, bytes]:
    """Name -> bytes of every committed file; nothing of a store that is not there."""
    if not store.is_dir():
        return {}
    return {path.name: path.read_bytes() for path in sorted(store.iterdir()) if path.is_file()}


def _without_times(root: Path, path: Path) -> tuple[str, bytes]:
    """Name and bytes of a file as they would be in another run."""
    name = re.sub(r"\.\d+-\d+\.tmp$", ".tmp", path.relative_to(root).as_posix())
    if not path.is_file():
        return name, b""
    data = path.read_bytes()
    if path.name == "state.json" and read_state(data) is not None:
        data = data.rpartition(b"\n")[0]
    elif path.suffix != ".ok":
        return name, data
    # Times and inodes; sizes are smaller here.
    return name, re.sub(rb"\d{5,}", b"N", data)


def _text(line: bytes) -> str:
    from memidx.store.line import decode_line

    return decode_line(line).text
