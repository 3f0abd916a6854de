"""Whatever is done to the sources, in any order: answers and stores are those of a clean build.

`make stress` tries many histories.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import memidx

CONFIG = """
[[sources]]
name = "docs"
include = ["docs/**"]

[[sources]]
name = "notes"
kind = "records"
include = ["notes.jsonl"]
weight = 0.8
"""
MORE = """
[[sources]]
name = "more"
include = ["more/**"]
weight = 1.3
"""
WORDS = ["lock", "timeout", "store", "naïve", "部署", "file-lock", "v2.1.9", "the"]
QUERIES = ["lock timeout", "store", "naïve 部署", "v2.1.9 file-lock", "nowhere"]
texts = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
names = st.sampled_from(["docs/a.md", "docs/b.md", "docs/c/d.md", "more/e.md", "more/f.md"])


class IndexMachine(RuleBasedStateMachine):
    """Edits by another hand, between searches and builds of one open index and of new ones."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="memidx-machine-"))
        self.root = self.folder / "project"
        self.index: memidx.Index | None = None
        self.is_built = False
        self.is_root_recorded = False
        self.n_records = 0

    def teardown(self) -> None:
        """Leave nothing."""
        if self.index is not None:
            self.index.close()
        shutil.rmtree(self.folder)

    @initialize(text=texts, watch=st.booleans())
    def start(self, text: str, watch: bool) -> None:
        """A project with two sources, one file and a store; the open index may watch it."""
        for name in ("docs", "more"):
            (self.root / name).mkdir(parents=True)
        (self.root / "memidx.toml").write_text(CONFIG)
        (self.root / "docs/a.md").write_text(text)
        (self.root / "notes.jsonl").write_text("")
        memidx.build(root=str(self.root), env={})
        watch = watch and importlib.util.find_spec("inotify_simple") is not None
        self.index = memidx.open(str(self.root / "store"), env={}, watch=watch)
        self.is_built = self.is_root_recorded = True

    @rule(name=names, text=texts)
    def write(self, name: str, text: str) -> None:
        """A file is new, or another one."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {name}\n\n{text}\n")

    @rule(name=names)
    def delete(self, name: str) -> None:
        """A file goes."""
        (self.root / name).unlink(missing_ok=True)

    @rule(name=names)
    def empty(self, name: str) -> None:
        """A file is emptied."""
        if (self.root / name).exists():
            (self.root / name).write_text("")

    @rule(name=names)
    def touch(self, name: str) -> None:
        """A file has another time and the same bytes."""
        if (self.root / name).exists():
            os.utime(self.root / name)

    @rule(old=names, new=names)
    def rename(self, old: str, new: str) -> None:
        """A file has another name, perhaps another's."""
        if (self.root / old).exists():
            (self.root / new).parent.mkdir(parents=True, exist_ok=True)
            (self.root / old).replace(self.root / new)

    @rule(text=texts)
    def append_record(self, text: str) -> None:
        """A record is added; those before it keep their lines."""
        self.n_records += 1
        with (self.root / "notes.jsonl").open("a") as file:
            file.write(f'{{"id": "n{self.n_records}", "text": "{text}"}}\n')

    @rule()
    def prepend_a_line(self) -> None:
        """Every record begins a line later, and says the same."""
        path = self.root / "notes.jsonl"
        path.write_text("\n" + path.read_text())

    @rule()
    def drop_records(self) -> None:
        """The records are gone, and their file is there."""
        (self.root / "notes.jsonl").write_text("")

    @rule(more=st.booleans())
    def configure(self, more: bool) -> None:
        """A source comes or goes."""
        (self.root / "memidx.toml").write_text(CONFIG + (MORE if more else ""))

    @rule()
    def build(self) -> None:
        """The store's bytes are those of a clean build."""
        memidx.build(root=str(self.root), env={})
        self.is_root_recorded = True
        clean = self.clean()
        for path in sorted(clean.glob("*")):
            if path.is_file():
                assert (self.root / "store" / path.name).read_bytes() == path.read_bytes()
        assert memidx.open(str(self.root / "store"), env={}).verify().sound
        again = memidx.build(root=str(self.root), env={})
        assert (again.lines_written, again.n_analysed) == (0, 0)

    @rule()
    def lose_the_cache(self) -> None:
        """Everything derived is deleted, and where root is."""
        shutil.rmtree(self.root / "store/.cache", ignore_errors=True)
        self.is_root_recorded = False

    @rule(anew=st.booleans())
    def search(self, anew: bool) -> None:
        """Answers of an open index and of a new one are those of a clean build."""
        clean = memidx.open(str(self.clean()), root=str(self.root), env={})
        expected = _answers(clean)
        store = str(self.root / "store")
        mine = memidx.open(store, env={}) if anew or self.index is None else self.index
        if mine is not self.index and not (self.is_root_recorded or self.is_among_documents()):
            # It may have been moved away from its sources: decision 0007.
            assert mine.search("lock").freshness == "unchecked"
            return
        self.is_root_recorded |= mine is not self.index
        assert _answers(mine) == expected
        assert mine.refresh().n_analysed == 0
        assert mine.search("lock").freshness == "fresh"

    @precondition(lambda self: self.is_built)
    @invariant()
    def no_stray_file(self) -> None:
        """The cache holds what it should and no more."""
        cache = self.root / "store/.cache"
        if cache.exists():
            found = {path.name.partition("-")[0] for path in cache.iterdir()}
            known = {"snapshot", "state.json", "state", "settings.json", "root", "lock", "tmp"}
            known.add(".gitignore")
            assert found <= known
            assert len(list(cache.glob("snapshot-*.bin"))) <= 2
        tmp = cache / "tmp"
        assert not tmp.exists() or not list(tmp.iterdir())

    def is_among_documents(self) -> bool:
        """Whether any document of the store is where it was."""
        lines = "".join(path.read_text() for path in (self.root / "store").glob("docs*.jsonl"))
        paths = {json.loads(line)["path"] for line in lines.splitlines()}
        return not paths or any((self.root / path).exists() for path in paths)

    def clean(self) -> Path:
        """A store made from nothing, elsewhere."""
        store = self.folder / "clean"
        shutil.rmtree(store, ignore_errors=True)
        memidx.build(root=str(self.root), store=str(store), env={})
        return store


def _answers(index: memidx.Index) -> list[object]:
    found: list[object] = []
    for query in QUERIES:
        for strategy in ("lexical", "hybrid"):
            answer = index.search(query, 20, strategy=strategy, as_of="2026-01-01")
            hits = [
                (h.doc_id, h.score, h.composite, h.confidence, h.title, h.snippet, h.line_start)
                for h in answer.hits
            ]
            found.append((answer.verdict, answer.n_matched, answer.n_docs, answer.build_id, hits))
    return found


TestIndexMachine = IndexMachine.TestCase
TestIndexMachine.settings = settings(
    max_examples=200 if os.environ.get("MEMIDX_TEST_LARGE") else 10,
    stateful_step_count=20,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
