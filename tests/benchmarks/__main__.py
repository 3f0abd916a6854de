"""How fast is memidx, beside what a person would use instead?

`python -m tests.benchmarks` (or `make bench`) prints ratios of medians, measured in turns in one
run. Nothing is asserted: docs/benchmarks.md says what was found, and what it misses.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any
from unittest import mock

from tabulate import tabulate

import memidx
from memidx.analysis.default import DefaultAnalyzer
from tests.benchmarks import corpus, measure, peers

BUILD = (
    "import memidx, os, sys; root, target, jobs = sys.argv[1:]\n"
    "memidx.build(root=root, store=f'{target}/{os.getpid()}', jobs=int(jobs))"
)
ASK = (
    "import memidx, sys; index = memidx.open(sys.argv[1])\n"
    "print([h.doc_id for h in index.search(sys.argv[2], refresh={}).hits])"
)
ASK_FTS5 = (
    "import sqlite3, sys; docs = sqlite3.connect(sys.argv[1])\n"
    "print(docs.execute(sys.argv[3], (sys.argv[2],)).fetchall())"
)
TYPER = (
    "import typer; app = typer.Typer(rich_markup_mode=None)\n"
    "app.command('a')(lambda: None); app.command('b')(lambda: None); app()"
)
CLI = "from memidx.cli.app import run; run()"


class Table:
    """Rows of one contestant's median, its peers' and the ratios."""

    def __init__(self, unit: str) -> None:
        self._unit, self._factor = unit, {"s": 1, "ms": 1e3, "µs": 1e6}[unit]
        self._rows: list[list[object]] = []

    def add(self, what: str, samples: dict[str, measure.Sample], share: int = 1) -> None:
        """The first sample is memidx's; a `share` of the time belongs to each of so many."""
        (_, ours), *others = samples.items()
        for name, theirs in others:
            times = [_figure(s.seconds * self._factor / share) for s in (ours, theirs)]
            peaks = [f"{s.peak_mb:.0f}" if s.peak_mb else "" for s in (ours, theirs)]
            ratio = f"{ours.seconds / theirs.seconds:.2f}"
            self._rows.append([what, times[0], name, times[1], ratio, *peaks])

    def show(self) -> None:
        """Print it."""
        heads = ["what", f"memidx {self._unit}", "peer", f"peer {self._unit}", "ratio"]
        heads += ["memidx peak MB", "peer peak MB"]
        print(tabulate(self._rows, heads, "github", disable_numparse=True), flush=True)
        print()


def _figure(value: float) -> str:
    """Three digits, or all before the point."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def cold(store: Path, database: str, asked: list[str]) -> None:
    """Processes that import, open and ask once; the operating system's caches are warm."""
    asks: measure.Contestants = {
        "memidx": lambda n: ["-c", ASK.format(False), str(store), asked[n]],
        "bare Python": lambda n: ["-c", "pass"],
        "FTS5": lambda n: ["-c", ASK_FTS5, database, peers.match(asked[n]), peers.IDS],
    }
    checked: measure.Contestants = {
        "memidx": lambda n: ["-c", ASK.format(True), str(store), asked[n]],
        "bare Python": asks["bare Python"],
    }
    options = ["--no-refresh", "--format", "json", "--store", str(store)]
    commands: measure.Contestants = {
        "memidx": lambda n: ["-c", CLI, "query", *options, asked[n]],
        "Typer, two empty commands": lambda n: ["-c", TYPER, "a"],
    }
    table = Table("ms")
    table.add("process: import, open, one query", measure.processes(asks, 31))
    table.add("the same, sources compared", measure.processes(checked, 15))
    table.add("memidx query --no-refresh --format json", measure.processes(commands, 31))
    table.show()


def warm(index: memidx.Index, database: Any, bm25s: peers.Bm25s, asked: list[str]) -> None:
    """Queries of an index that is open; query text in, ids or a whole answer out."""
    ids: measure.Contestants = {
        "memidx": lambda query: index.search_ids([query], 10),
        "FTS5": lambda query: database.execute(peers.IDS, (peers.match(query),)).fetchall(),
        "bm25s": lambda query: bm25s.ids([query]),
    }
    batch: measure.Contestants = {
        "memidx": lambda _: index.search_ids(asked, 10),
        "bm25s": lambda _: bm25s.ids(asked),
    }
    full: measure.Contestants = {
        "memidx": lambda query: index.search(query, 5, refresh=False),
        "FTS5 with snippet()": lambda query: database.execute(
            peers.ANSWER, (peers.match(query),)
        ).fetchall(),
    }
    table = Table("µs")
    for what, contestants in (("ten ids", ids), ("answer of 5 hits", full)):
        for cut, samples in zip(
            ("p50", "p95"), measure.queries(contestants, asked, 5), strict=True
        ):
            table.add(f"{what}, one query, {cut}", samples)
    table.add(f"ten ids, per query of {len(asked)}", measure.calls(batch, 5), len(asked))
    table.show()


def freshness(index: memidx.Index, database: Any, root: Path, query: str) -> None:
    """An unchanged project looked at, and the first answer after an edit."""
    edited, known = corpus.markdown_files(root)[100], dict(peers.scan(str(root)))

    def edit(number: int) -> None:
        with edited.open("a", encoding="utf-8") as file:
            file.write(f"\nround {number}\n")

    def ask(number: int) -> None:
        edit(number)
        index.search(query)

    def ask_fts5(number: int) -> None:
        edit(number)
        peers.take_in_edits(database, str(root), known)
        database.execute(peers.ANSWER, (peers.match(query),)).fetchall()

    scans: measure.Contestants = {
        "memidx": lambda _: index.refresh(),
        "scandir + stat": lambda _: peers.scan(str(root)),
    }
    answers: measure.Contestants = {"memidx": ask, "scan + FTS5 update": ask_fts5}
    table = Table("ms")
    table.add("unchanged sources: refresh()", measure.calls(scans, 31))
    table.add("one file edited: next answer", measure.calls(answers, 5))
    table.show()


def count_work(root: Path, store: Path) -> None:
    """What is done again, counted: the same on every machine."""
    rows: list[list[object]] = []

    def count(what: str, work: Any) -> None:
        real = DefaultAnalyzer.document
        with mock.patch.object(
            DefaultAnalyzer, "document", autospec=True, side_effect=real
        ) as seen:
            report = work()
        written = getattr(report, "lines_written", 0)
        rows.append([what, report.n_read, seen.call_count, written])

    count("first build", lambda: memidx.build(root=str(root), store=str(store)))
    count("build again", lambda: memidx.build(root=str(root), store=str(store)))
    with memidx.open(str(store)) as index:
        count("search, nothing changed", index.refresh)
        corpus.markdown_files(root)[200].write_text("# Other\n\nanother text\n", "utf-8")
        count("search, one file edited", index.refresh)
    count("build, one file edited", lambda: memidx.build(root=str(root), store=str(store)))
    heads = ["counted work", "files read", "documents analysed", "lines written"]
    print(tabulate(rows, heads, "github"), "\n", flush=True)


def main() -> None:
    """Prints the tables."""
    if not corpus.CORPUS.is_dir():
        print(f"Nothing is measured: {corpus.CORPUS} is not there, and it is what is indexed.")
        sys.exit(0)
    print(corpus.machine_facts(), "\n", flush=True)
    with tempfile.TemporaryDirectory(prefix="memidx-bench-") as folder:
        root, store, target = (Path(folder, name) for name in ("root", "store", "builds"))
        target.mkdir()
        shutil.copytree(corpus.CORPUS, root)  # with its times, so that no file looks new
        build = ["-m", "tests.benchmarks.peers"]
        builds: measure.Contestants = {
            "jobs=2": lambda _: ["-c", BUILD, str(root), str(target), "2"],
            "jobs=1": lambda _: ["-c", BUILD, str(root), str(target), "1"],
            "FTS5": lambda _: [*build, "fts5", str(root), str(target)],
            "bm25s, in memory": lambda _: [*build, "bm25s", str(root)],
        }
        table = Table("s")
        built = measure.processes(builds, 3)
        for jobs in ("jobs=2", "jobs=1"):
            others = {name: built[name] for name in ("FTS5", "bm25s, in memory")}
            table.add(f"files to an index ready to query, {jobs}", {jobs: built[jobs], **others})
        table.show()
        count_work(root, store)
        asked = corpus.draw_queries(root, 300)
        database = peers.build_fts5(root, f"{folder}/fts5.db")
        cold(store, f"{folder}/fts5.db", asked)
        with memidx.open(str(store)) as index:
            index.refresh()
            warm(index, database, peers.Bm25s(root), asked)
            freshness(index, database, root, asked[0])
        database.close()


if __name__ == "__main__":
    main()
