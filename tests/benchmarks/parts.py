"""Which comparisons are made? One function a part; each adds rows to the one table.

The bars are those the project set itself (docs/benchmarks.md, "What is aimed at").
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, NamedTuple

import memidx
from tests.benchmarks import measure
from tests.benchmarks.engines import ENGINES, list_files, load
from tests.benchmarks.tables import AHEAD, Bar, Comparisons, at_most, plus_ms, times

MB = 1e6
ONE_PROCESS = "memidx, one process"
WHOLE = "memidx, as JSON"

_BUILD = (
    "import sys; from tests.benchmarks.engines import {} as engine\n"
    "engine.build(sys.argv[1], sys.argv[2]{})"
)
_ASK = (
    "import sys; from tests.benchmarks.engines.{} import Engine\n"
    "print(Engine(sys.argv[1]).answer(sys.argv[2], 5))"
)
_ASK_CHECKED = (
    "import sys, memidx; index = memidx.open(sys.argv[1])\n"
    "print([(hit.doc_id, hit.snippet) for hit in index.search(sys.argv[2]).hits])"
)
_TYPER = (
    "import typer; app = typer.Typer(rich_markup_mode=None)\n"
    "app.command('a')(lambda: None); app.command('b')(lambda: None); app()"
)
_CLI = "from memidx.cli.start import run; run()"


class World(NamedTuple):
    """Files, the index of each engine over them, and what is asked.

    Attributes:
        root: Folder of the files; it may be edited.
        targets: Engine -> folder of its index.
        asked: Queries.
        new: Others, for what is asked for the first time.
    """

    root: str
    targets: dict[str, str]
    asked: list[str]
    new: list[str]

    def peers(self) -> list[str]:
        """Every engine but memidx."""
        return [name for name in self.targets if name != "memidx"]


def build(
    table: Comparisons | None, root: str, folder: str, names: Sequence[str], rounds: int
) -> dict[str, str]:
    """Files to an index ready to query, each time in a process of its own; where the last ones are.

    Args:
        table: None builds and reports nothing.
        folder: Below it, a folder for each index.
        names: Engines.
        rounds: Builds of each engine.
    """
    targets = {name: os.path.join(folder, load(name).__name__.rpartition(".")[2]) for name in names}

    def builder(name: str, jobs: str = "") -> Callable[[int], list[str]]:
        def arguments(number: int) -> list[str]:
            target = f"{targets[name]}{'-one' if jobs else ''}-{number}"
            os.makedirs(target)
            return ["-c", _BUILD.format(ENGINES[name][0], jobs), root, target]

        return arguments

    builders = {name: builder(name) for name in names}
    if table is not None:
        builders[ONE_PROCESS] = builder("memidx", ", jobs=1")
    built = measure.processes(builders, rounds)
    targets = {name: f"{target}-{rounds - 1}" for name, target in targets.items()}
    if table is None:
        return targets
    ours, alone = built["memidx"], built[ONE_PROCESS]
    sizes = {name: size_bytes(target) for name, target in targets.items()}
    bars: dict[str, dict[str, Bar]] = {
        "reference": {"must": times(0.5)},
        "tantivy": {"reach": times(1)},
    }
    peers = [name for name in names if name != "memidx"]
    for name in peers:
        what = "build, two processes"
        table.add(what, ours.seconds, name, built[name].seconds, **bars.get(name, {}))
    table.add("build, two processes", ours.seconds, ONE_PROCESS, alone.seconds)
    for name in peers:
        what = "build, peak memory, one process"
        table.add(what, alone.peak_mb * MB, name, built[name].peak_mb * MB, "B")
    source = sum(os.path.getsize(os.path.join(root, file)) for file in list_files(root))
    for name, theirs in [*((name, sizes[name]) for name in peers), ("the files", source)]:
        table.add("disk, store and snapshot", sizes["memidx"], name, theirs, "B")
    return targets


def cold(table: Comparisons, world: World, rounds: int) -> None:
    """Processes that import, open and answer once; the operating system's caches are warm."""

    def asker(name: str) -> Callable[[int], list[str]]:
        code = _ASK.format(ENGINES[name][0])
        return lambda n: ["-c", code, world.targets[name], world.asked[n % len(world.asked)]]

    store = world.targets["memidx"]
    # Those that read everything at the start take long, and differ by far more than the noise.
    slow = [name for name in world.peers() if name not in ("tantivy", "FTS5")]
    fast = [name for name in world.targets if name not in slow]
    quick: measure.Contestants = {
        **{name: asker(name) for name in fast},
        "bare Python": lambda _: ["-c", "pass"],
    }
    found = measure.processes(quick, rounds, warm_up=True)
    ours = found["memidx"]
    if slow:
        again = {name: asker(name) for name in ("memidx", *slow)}
        found = {**measure.processes(again, max(3, rounds // 6)), **found}
    bars: dict[str, dict[str, Bar]] = {
        "tantivy": {"must": AHEAD},
        "FTS5": {"must": AHEAD},
        "bare Python": {"reach": times(2)},
    }
    peers = [*world.peers(), "bare Python"]
    for name in peers:
        what = "cold process, not compared: import, open, one answer"
        table.add(what, ours.seconds, name, found[name].seconds, **bars.get(name, {}))
    limits = {"must": at_most(40 * MB, "B"), "reach": at_most(30 * MB, "B")}
    for name in peers:
        what = "cold process, peak memory"
        bar = limits if name == "bare Python" else {}
        table.add(what, ours.peak_mb * MB, name, found[name].peak_mb * MB, "B", **bar)
    checked: measure.Contestants = {
        "checked": lambda n: ["-c", _ASK_CHECKED, store, world.asked[n % len(world.asked)]],
        "unchecked": asker("memidx"),
    }
    pair = measure.processes(checked, max(3, rounds // 2), warm_up=True)
    what = "cold process, sources compared"
    table.add(what, pair["checked"].seconds, "the same, not compared", pair["unchecked"].seconds)
    options = ["--no-refresh", "--format", "json", "--store", store]
    commands: measure.Contestants = {
        "memidx": lambda n: ["-c", _CLI, "query", *options, world.asked[n % len(world.asked)]],
        "Typer, two empty commands": lambda _: ["-c", _TYPER, "a"],
    }
    (ours, empty) = measure.processes(commands, rounds, warm_up=True).values()
    what, peer = "memidx query --no-refresh --format json", "Typer, two empty commands"
    limits = {"must": plus_ms(25), "reach": plus_ms(15)}
    table.add(what, ours.seconds, peer, empty.seconds, **limits)


def warm(table: Comparisons, world: World, rounds: int) -> None:
    """Queries of open indexes, one by one; query text in, ids or a whole answer out.

    The same questions in rounds, and then, of the indexes that are warm from those, others that
    are asked once each.
    """
    with ExitStack() as stack:
        engines = {
            name: stack.enter_context(closing(load(name).Engine(target)))
            for name, target in world.targets.items()
        }
        words = stack.enter_context(
            closing(load("memidx").Engine(world.targets["memidx"], words_only=True))
        )
        both: Any = {"words": words, **engines}
        ids: measure.Contestants = {
            name: (lambda query, ids=engine.ids: ids(query, 10)) for name, engine in both.items()
        }
        # One snippet a hit, as the peers make; memidx shows up to three, on request.
        whole = stack.enter_context(closing(load("memidx").Engine(world.targets["memidx"])))
        answers: measure.Contestants = {
            WHOLE: lambda query: whole.index.search(query, 5, refresh=False).to_dict(),
            **{
                name: (lambda query, answer=engine.answer: answer(query, 5))
                for name, engine in engines.items()
                if name not in ("bm25s", "rank_bm25")  # they make no snippets
            },
        }
        p50, p95 = measure.queries(ids, world.asked, rounds)
        full50, full95 = measure.queries(answers, world.asked, rounds)
        half = len(world.new) // 2
        new_ids = measure.once(ids, world.new[:half])
        new_full = measure.once(answers, world.new[half:])
        if "bm25s" in engines:
            # Each its own way of many at once.
            batch: measure.Contestants = {
                "memidx": lambda _: engines["memidx"].index.search_ids(world.asked, 10),
                "bm25s": lambda _: engines["bm25s"].batch(world.asked, 10),
            }
            together = measure.calls(batch, rounds)
    # As it comes, memidx scores words and title: more than the peers do.
    must = ("tantivy", "FTS5", "rank_bm25", "reference")
    for name in world.peers():
        bar = {"must" if name in must else "reach": AHEAD}
        table.add("warm ids, p50", p50["memidx"].seconds, name, p50[name].seconds, **bar)
    for name in world.peers():
        table.add("warm ids, p95", p95["memidx"].seconds, name, p95[name].seconds)
    for at, name in enumerate(("p50", "p95")):
        _add_peers(table, f"warm ids, each question new, {name}", new_ids, at)
    what, peer = "warm ids, words field alone, p50", "memidx as it comes"
    table.add(what, p50["words"].seconds, peer, p50["memidx"].seconds)
    if "bm25s" in engines:
        shares = [together[name].seconds / len(world.asked) for name in ("memidx", "bm25s")]
        table.add(f"warm ids, {len(world.asked)} at once, each", shares[0], "bm25s", shares[1])
    limits = {"must": at_most(1e-3, "s"), "reach": at_most(0.3e-3, "s")}
    for name in [name for name in full50 if name not in ("memidx", WHOLE)]:
        what = "warm full answer, 5 hits, p50"
        bar = limits if name == "reference" else {}
        table.add(what, full50["memidx"].seconds, name, full50[name].seconds, **bar)
    for name in [name for name in full95 if name not in ("memidx", WHOLE)]:
        what = "warm full answer, 5 hits, p95"
        table.add(what, full95["memidx"].seconds, name, full95[name].seconds)
    for at, name in enumerate(("p50", "p95")):
        _add_peers(table, f"warm full answer, each question new, {name}", new_full, at)
    peer = "one snippet a hit"
    what = "warm full answer as JSON, p50"
    table.add(what, full50[WHOLE].seconds, peer, full50["memidx"].seconds)
    what = "warm full answer as JSON, each question new, p50"
    table.add(what, new_full[WHOLE][0].seconds, peer, new_full["memidx"][0].seconds)


def _add_peers(
    table: Comparisons,
    what: str,
    found: Mapping[str, tuple[measure.Sample, measure.Sample]],
    at: int,
) -> None:
    for name in found:
        if name not in ("memidx", "words", WHOLE):
            table.add(what, found["memidx"][at].seconds, name, found[name][at].seconds)


def freshness(table: Comparisons, world: World, rounds: int) -> None:
    """An unchanged project looked at, and the first answer after an edit, on open indexes."""
    edited = Path(world.root, list_files(world.root)[100 % len(list_files(world.root))])
    query = world.asked[0]
    with ExitStack() as stack:
        index = stack.enter_context(memidx.open(world.targets["memidx"]))
        index.refresh()
        scans: measure.Contestants = {
            "memidx": lambda _: index.refresh(),
            "scandir + stat": lambda _: scan(world.root),
        }
        found = measure.calls(scans, rounds)
        ours, bare = found["memidx"].seconds, found["scandir + stat"].seconds
        what = "unchanged sources, the freshness scan"
        table.add(what, ours, "scandir + stat", bare, must=times(1.5))

        def edit(number: int) -> None:
            with edited.open("a", encoding="utf-8") as file:
                file.write(f"\nround {number}\n")

        def ask(number: int) -> None:
            edit(number)
            read(index.search(query))

        def asker(engine: Any) -> Callable[[int], Any]:
            known = dict(scan(world.root))

            def ask_peer(number: int) -> None:
                edit(number)
                now = scan(world.root)
                engine.update(world.root, [n for n, s in now.items() if known.get(n) != s])
                known.update(now)
                engine.answer(query, 5)

            return ask_peer

        contestants: dict[str, Callable[[int], Any]] = {"memidx": ask}
        for name in [name for name in ("FTS5", "tantivy") if name in world.targets]:
            engine = stack.enter_context(closing(load(name).Engine(world.targets[name])))
            contestants[name] = asker(engine)
        answered = measure.calls(contestants, max(3, rounds // 3))
        ours = answered["memidx"].seconds
        limits = {"must": at_most(40e-3, "s"), "reach": at_most(25e-3, "s")}
        what = "one file edited, next answer"
        table.add(what, ours, "scandir + stat", bare, **limits)
        for name in contestants:
            if name != "memidx":
                table.add(what, ours, f"scan + {name} update", answered[name].seconds)
        watching = _watching(world, edit, rounds)
        if watching is not None:
            unchanged, answered_in = watching
            what = "unchanged sources, watched"
            table.add(what, unchanged, "scandir + stat", bare, reach=times(0.1))
            what = "one file edited, next answer, watched"
            table.add(what, answered_in, "scandir + stat", bare, **limits)


def read(answer: memidx.Answer) -> list[str]:
    """One snippet of each hit, which is found when it is asked for."""
    return [hit.snippet for hit in answer.hits]


def _watching(world: World, edit: Callable[[int], None], rounds: int) -> tuple[float, float] | None:
    """Seconds that watched sources take to be looked at, and from an edit to an answer.

    None where that is not possible.
    """
    try:
        index = memidx.open(world.targets["memidx"], watch=True)
    except memidx.InputError:
        return None

    def ask(number: int) -> None:
        edit(number)
        read(index.search(world.asked[0]))

    with index:
        index.refresh()
        if index.search(world.asked[0]).notes:
            return None  # it says that it cannot
        unchanged = measure.calls({"memidx": lambda _: index.refresh()}, rounds)["memidx"]
        edited = measure.calls({"memidx": ask}, max(3, rounds // 3))["memidx"]
    return unchanged.seconds, edited.seconds


def count_work(root: str, store: str) -> list[list[object]]:
    """What is done again, counted: the same on every machine."""
    rows: list[list[object]] = []

    def count(what: str, report: Any) -> None:
        written = getattr(report, "lines_written", 0)
        rows.append([what, report.n_read, report.n_analysed, written])

    edited = Path(root, list_files(root)[-1])
    count("first build", memidx.build(root=root, store=store))
    count("build again", memidx.build(root=root, store=store))
    with memidx.open(store) as index:
        count("search, nothing changed", index.refresh())
        edited.write_text("# Other\n\nanother text\n", "utf-8")
        count("search, one file edited", index.refresh())
    count("build, one file edited", memidx.build(root=root, store=store))
    return rows


def scan(root: str) -> dict[str, tuple[int, int, int, int]]:
    """The bare loop: list every folder, stat every file; signature by relative path."""
    found, waiting, cut = {}, [root], len(root) + 1
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                elif entry.name.endswith(".md"):
                    s = entry.stat()
                    found[entry.path[cut:]] = (s.st_size, s.st_mtime_ns, s.st_ctime_ns, s.st_ino)
    return found


def size_bytes(folder: str) -> int:
    """Bytes of all files below a folder."""
    return sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
