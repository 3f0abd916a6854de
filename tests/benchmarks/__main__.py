"""How fast is memidx, beside what a person would use instead?

    python -m tests.benchmarks [--only build,cold,warm,fresh,growth] [--sizes N,N]
                               [--small] [--record]

Every engine indexes the same files, shows that it did, and is then timed in turns with the others;
the tables give ratios of medians of one run. No figure fails a run: what was aimed at and missed is
said beside it (docs/benchmarks.md). An engine that does not find its documents does (exit code 1).
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from contextlib import closing

from tabulate import tabulate

from tests.benchmarks import corpus, equality, growth, known_items, parts
from tests.benchmarks.engines import ENGINES, load, why_not
from tests.benchmarks.tables import Comparisons

PARTS = ("build", "cold", "warm", "fresh", "growth")
RECORD = corpus.REPOSITORY / "reports" / "benchmarks.md"


def main() -> None:
    """Prints the tables, and records them where that was asked for."""
    options = _options()
    if not corpus.CORPUS.is_dir():
        print(f"Nothing is measured: {corpus.CORPUS} is not there, and it is what is indexed.")
        sys.exit(0)
    began = time.monotonic()
    try:
        report = _measured(options)
    except known_items.WrongIndexError as wrong:
        print(f"Nothing counts: {wrong}", file=sys.stderr)
        sys.exit(1)
    report += f"\nThe run took {time.monotonic() - began:,.0f} s.\n"
    print(report, end="")
    if options.record:
        RECORD.parent.mkdir(exist_ok=True)
        RECORD.write_text(report, encoding="utf-8")
        _note(f"recorded in {RECORD.relative_to(corpus.REPOSITORY)}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks")
    parser.add_argument("--only", default=",".join(PARTS), help="parts, with commas between")
    parser.add_argument(
        "--sizes", type=_sizes, metavar="N,N", help="documents of the growth table, ascending"
    )
    parser.add_argument("--small", action="store_true", help="fewer files, queries and rounds")
    parser.add_argument("--record", action="store_true", help="write reports/benchmarks.md")
    options = parser.parse_args()
    options.only = options.only.split(",")
    if unknown := sorted(set(options.only) - set(PARTS)):
        parser.error(f"no part {', '.join(unknown)} (expected some of {', '.join(PARTS)})")
    return options


def _sizes(text: str) -> tuple[int, ...]:
    """Numbers with commas between, in order."""
    return tuple(sorted({int(part) for part in text.split(",") if int(part) > 0}))


def _measured(options: argparse.Namespace) -> str:
    """The whole report, Markdown."""
    small, only = options.small, options.only
    reasons = {name: why_not(name) for name in ENGINES}
    names = [name for name, reason in reasons.items() if reason is None]
    lines = ["# Benchmarks", "", corpus.machine_facts(), ""]
    lines += [f"- {reason}." for reason in reasons.values() if reason]
    table = Comparisons()
    with tempfile.TemporaryDirectory(prefix="memidx-bench-") as folder:
        root = os.path.join(folder, "root")
        n_files = corpus.copy(root, 400 if small else None)
        checks = []
        if only != ["growth"]:
            rounds = {"build": 7, "cold": 61, "warm": 5, "fresh": 31}
            rounds = dict.fromkeys(rounds, 3) if small else rounds
            asked = corpus.draw_queries(root, 60 if small else 300)
            timed = "build" in only
            _note(f"build: {', '.join(names)} over {n_files:,} files")
            targets = parts.build(
                table if timed else None, root, folder, names, rounds["build"] if timed else 1
            )
            new = corpus.draw_queries(root, 2 * len(asked), corpus.SEED + 1)
            world = parts.World(root, targets, asked, new)
            checks += _checked(world, folder, n_files, small)
            for name, part in (
                ("cold", parts.cold),
                ("warm", parts.warm),
                ("fresh", parts.freshness),
            ):
                if name in only:
                    _note(name)
                    part(table, world, rounds[name])
            if table:
                sizes = f"{n_files:,} files, {parts.size_bytes(root) / 1e6:.0f} MB"
                lines += [f"## Beside the peers: {sizes}, {len(asked)} queries", ""]
                lines += [table.text()]
            if "fresh" in only:
                heads = ["counted work", "files read", "documents analysed", "lines written"]
                work = parts.count_work(root, os.path.join(folder, "counted"))
                lines += [tabulate(work, heads, "github"), ""]
        if "growth" in only:
            grown = options.sizes or ((200, 1000) if small else (1000, 10_000, 100_000))
            text, more = growth.table(root, os.path.join(folder, "growth"), grown, _note)
            checks += more
            lines += ["## Growth: paragraphs of the same files, recombined", "", text]
        lines += ["## What every figure rests on", "", *(f"- {check}." for check in checks)]
    return "\n".join(lines) + "\n"


def _checked(world: parts.World, folder: str, n_files: int, small: bool) -> list[str]:
    """What was shown before any time counts."""
    _note("known items, and equality with the reference")
    items = known_items.draw(world.root, 20 if small else 50, corpus.SEED)
    passed = []
    for name, target in world.targets.items():
        with closing(load(name).Engine(target)) as engine:
            passed.append(known_items.check(name, engine, n_files, items))
    few = os.path.join(folder, "few")
    shutil.rmtree(few, ignore_errors=True)
    corpus.copy(few, 100 if small else 500)
    asked = world.asked[: 20 if small else 100]
    passed.append(equality.check(few, os.path.join(folder, "few-store"), asked))
    return passed


def _note(what: str) -> None:
    """Progress, apart from the report."""
    print(f"… {what}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
