"""What is measured, and on which machine?

A copy of `../shared/corpora/cpp-docs`, so that a file can be edited, and queries drawn from it:
from a document picked at random (fixed seed), 2 to 6 neighbouring words that are not among the
published reference's stop words. No index decides which words are asked for.
"""

from __future__ import annotations

import os
import platform
import random
import re
import shutil
import sqlite3
import subprocess
import time
from importlib.metadata import distributions
from pathlib import Path

from memidx.analysis.ascii_compat import STOP_WORDS
from tests.benchmarks.engines import list_files, read_text

REPOSITORY = Path(__file__).resolve().parents[2]
CORPUS = REPOSITORY.parent / "shared" / "corpora" / "cpp-docs"
SEED = 20261130

_WORD = re.compile(r"[A-Za-z_]{3,}")
_PEERS = ("tantivy", "bm25s", "numba", "rank-bm25", "numpy", "PyStemmer", "typer")


def markdown_files(root: Path) -> list[Path]:
    """Every markdown file, in order of path."""
    return sorted(root.rglob("*.md"))


def copy(root: str, count: int | None) -> int:
    """Copy the corpus, or `count` files spread over it; how many there are.

    Files keep their times, so that none looks as if it had just been written.
    """
    paths = markdown_files(CORPUS)
    chosen = paths if count is None else paths[:: max(1, len(paths) // count)][:count]
    for path in chosen:
        target = Path(root, path.relative_to(CORPUS))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)
    return len(chosen)


def draw_queries(root: str, count: int, seed: int = SEED) -> list[str]:
    """The same `count` queries for the same files and seed."""
    rng = random.Random(seed)
    names = list_files(root)
    queries: list[str] = []
    while len(queries) < count:
        text = read_text(root, rng.choice(names))
        words = [word for word in _WORD.findall(text) if word.lower() not in STOP_WORDS]
        size = rng.randint(2, 6)
        if len(words) > size:
            start = rng.randrange(len(words) - size)
            queries.append(" ".join(words[start : start + size]))
    return queries


def machine_facts() -> str:
    """When and what, where, beside whom."""
    describe = ["git", "-C", str(REPOSITORY), "describe", "--always", "--dirty"]
    revision = subprocess.run(describe, capture_output=True, text=True, check=False).stdout.strip()
    processor = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists() and (named := re.search(r"model name\s*: (.*)", info.read_text("utf-8"))):
        processor = named[1]
    load = " ".join(f"{value:.1f}" for value in os.getloadavg())
    versions = {found.name: found.version for found in distributions()}
    peers = ", ".join(f"{name} {versions.get(name, 'not installed')}" for name in _PEERS)
    lines = (
        f"{time.strftime('%Y-%m-%d', time.gmtime())}, memidx {revision or 'of no repository'}",
        f"{processor}, {os.cpu_count()} cores, load {load} before the first measurement",
        f"{platform.platform()}, Python {platform.python_version()}",
        f"SQLite {sqlite3.sqlite_version}, {peers}",
    )
    return "\n".join(f"- {line}" for line in lines)
