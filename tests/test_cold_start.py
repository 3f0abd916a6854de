"""What does a process load and read that asks one question?

Names and numbers stand here so that they cannot grow unseen: each module of the standard library,
and each of memidx, costs a question part of a millisecond.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import memidx
from tests.disk import Disk

REPOSITORY = Path(__file__).resolve().parents[1]

# Beside what Python itself loads to start, and what PyStemmer brings.
LIBRARY = {
    "__future__", "_bisect", "_blake2", "_collections", "_heapq", "_json", "errno", "gc",
    "itertools", "math", "mmap", "unicodedata", "zlib",
}  # fmt: skip
MOST_MODULES = 52
MOST_MODULES_OF_THE_COMMAND = 62
# Whatever was skipped or edited, a question of thousands of files reads no more of the last look.
MOST_BYTES = 1 << 15

SEARCH = """
import memidx
answer = memidx.open('store').search('lock times, std::mutex', refresh=False)
assert answer.hits and answer.hits[0].snippets, answer
"""
COMMAND = """
import sys
sys.argv = ["memidx", "query", "lock times", "--no-refresh", "--format", "json"]
from memidx.cli.start import run
try:
    run()
except SystemExit as ended:
    assert not ended.code, ended
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of plain notes with a store and a ready snapshot."""
    folder = tmp_path_factory.mktemp("cold")
    for n in range(300):
        (folder / f"note-{n}.md").write_text(f"# Note {n}\n\nOn the subject of {n}.\n")
    text = "# Locks\n\nA `std::mutex` lock times out.  \n\n- **Bold**: see [this](a/b.md#c).\n"
    (folder / "locks.md").write_text(text)
    memidx.build(root=str(folder), store=str(folder / "store"), env={})
    return folder


def loaded(code: str, folder: Path) -> set[str]:
    """Every module that a piece of code loads in a process of its own."""
    program = (
        f"import sys\nbefore = set(sys.modules)\n{code}\n"
        "names = sorted(set(sys.modules) - before)\n"
        "import json\nprint(json.dumps(names), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        check=True,
        capture_output=True,
        text=True,
    )
    names: list[str] = json.loads(done.stderr.splitlines()[-1])
    return set(names)


def test_a_cold_search_loads_little(project: Path) -> None:
    """Of the standard library what is named here; neither `typing` nor `re` nor `json`."""
    names = loaded(SEARCH, project)
    ours = {name for name in names if name.partition(".")[0] == "memidx"}
    others = {name for name in names - ours if "ython" not in name}
    assert others - LIBRARY <= {"Stemmer"}
    assert len(ours) <= MOST_MODULES, sorted(ours)


def test_a_cold_search_loads_nothing_that_looks_at_sources(project: Path) -> None:
    """What compares, builds, filters by dates or explains is loaded by who asks for it."""
    names = loaded(SEARCH, project)
    packages = ("memidx.sources", "memidx.store.line", "memidx.store.reader", "memidx.documents")
    assert [name for name in names if name.startswith(packages)] == []
    assert names.isdisjoint(
        {
            "memidx.config.parsing",
            "memidx.indexing.packing",
            "memidx.opening_builds",
            "memidx.search.batch",
            "memidx.search.cosine",
            "memidx.search.cursor",
            "memidx.search.filters",
            "memidx.search.kernels_batch",
            "memidx.search.listing",
            "memidx.search.nearest",
            "memidx.search.phrases",
            "memidx.search.rephrasing",
            "memidx.search.suggestions",
            "memidx.snapshot.caching",
            "memidx.snapshot.look",
            "memidx.store.layout",
            "memidx.text.dates",
        }
    )


def test_a_cold_command_adds_the_command_line_alone(project: Path) -> None:
    """`memidx query` loads its own command, and no other one's."""
    ours = {name for name in loaded(COMMAND, project) if name.partition(".")[0] == "memidx"}
    commands = [name for name in ours if name.endswith("_command")]
    assert commands == ["memidx.cli.query_command"]
    assert len(ours) <= MOST_MODULES_OF_THE_COMMAND, sorted(ours)


def test_a_search_that_compares_nothing_reads_little(project: Path) -> None:
    """It reads a few small files, and of the last look the beginning; no source, no shard."""
    disk = Disk()
    with disk.under():
        answer = memidx.open(str(project / "store"), env={}).search("lock", refresh=False)
    assert answer.freshness == "unchecked"
    kinds = [call.kind for call in disk.calls]
    opened = [Path(call.path).name for call in disk.calls if call.kind == "open"]
    assert "locks.md" not in opened
    assert not any(name.startswith("docs") for name in opened)
    assert kinds.count("map") == 1
    assert kinds.count("scandir") <= 2
    assert len(opened) <= 8, opened
    of_look = [c.arguments[1] for c in disk.calls if c.kind == "read" and "state.json" in c.path]
    assert sum(of_look) <= MOST_BYTES
