"""How is a difference told from the noise of a busy machine?

Contestants take turns, forwards in one round and backwards in the next, so that what slows the
machine down slows all of them; medians over rounds are compared, as ratios.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from statistics import median, quantiles
from typing import Any, NamedTuple

from tests.benchmarks.corpus import REPOSITORY

Contestants = Mapping[str, Callable[[Any], Any]]

# Peak memory of a child counts from its fork: it is started by a process that is itself small.
_LAUNCHER = """
import os, sys, time
quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
commands = []
for word in sys.argv[1:]:
    commands.append([]) if word == "+" else commands[-1].append(word)
for command in commands:
    os.sync()  # nobody waits for what the one before wrote
    began = time.perf_counter()
    child = os.posix_spawn(command[0], command, os.environ, file_actions=quiet)
    _, status, usage = os.wait4(child, 0)
    print(time.perf_counter() - began, usage.ru_maxrss, status, flush=True)
"""


class Sample(NamedTuple):
    """Medians of one contestant: of whole processes with the peak memory, MB of the largest."""

    seconds: float
    peak_mb: float = 0.0


def processes(contestants: Contestants, rounds: int, *, warm_up: bool = False) -> dict[str, Sample]:
    """Wall time and peak memory of Python processes; a contestant gives a round's arguments.

    Args:
        contestants: By name.
        rounds: Processes of each.
        warm_up: Whether a round before them is not counted: in it bytecode is written, and files
            get into memory.
    """
    order = _turns(contestants, rounds + warm_up)
    words = [w for n, name in order for w in ("+", sys.executable, *contestants[name](n))]
    # Python's own defaults: a process that may not keep bytecode would measure the compiler.
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("MEMIDX_", "PYTHON"))}
    done = subprocess.run(
        [sys.executable, "-S", "-c", _LAUNCHER, *words],
        env={**environment, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        check=True,
    )
    seen: dict[str, list[Sample]] = {name: [] for name in contestants}
    for (number, name), line in zip(order, done.stdout.splitlines(), strict=True):
        seconds, peak_kb, status = line.split()
        if status != "0":
            raise RuntimeError(f"{name} failed:\n{done.stderr[-2000:]}")
        if number or not warm_up:
            seen[name].append(Sample(float(seconds), int(peak_kb) * 1024 / 1e6))
    return {name: Sample(*map(median, zip(*s, strict=True))) for name, s in seen.items()}


def calls(contestants: Contestants, rounds: int) -> dict[str, Sample]:
    """Wall time of calls in this process; each is given the number of the round."""
    seen: dict[str, list[float]] = {name: [] for name in contestants}
    for number, name in _turns(contestants, rounds):
        seen[name].append(_timed(contestants[name], number))
    return {name: Sample(median(times)) for name, times in seen.items()}


def queries(
    contestants: Contestants, texts: Sequence[str], rounds: int
) -> tuple[dict[str, Sample], dict[str, Sample]]:
    """p50 and p95 over queries asked one by one, of each query's median over rounds.

    What interrupts one round then makes no query slow. A round before them is not counted.
    """
    seen: dict[str, list[list[float]]] = {name: [] for name in contestants}
    for number, name in _turns(contestants, rounds + 1):
        times = [_timed(contestants[name], text) for text in texts]
        if number:
            seen[name].append(times)
    cuts = {
        name: quantiles([median(times) for times in zip(*passes, strict=True)], n=20)
        for name, passes in seen.items()
    }
    first, second = ({n: Sample(cut[at]) for n, cut in cuts.items()} for at in (9, 18))
    return first, second


def once(contestants: Contestants, texts: Sequence[str]) -> dict[str, tuple[Sample, Sample]]:
    """p50 and p95 over queries that were never asked before, each asked once.

    Contestants take turns query by query: nothing that is slow once is left out.
    """
    seen: dict[str, list[float]] = {name: [] for name in contestants}
    names = list(contestants)
    for number, text in enumerate(texts):
        for name in names[::-1] if number % 2 else names:
            seen[name].append(_timed(contestants[name], text))
    cuts = {name: quantiles(times, n=20) for name, times in seen.items()}
    return {name: (Sample(cut[9]), Sample(cut[18])) for name, cut in cuts.items()}


def _turns(names: Contestants, rounds: int) -> list[tuple[int, str]]:
    order = list(names)
    return [(n, name) for n in range(rounds) for name in (order[::-1] if n % 2 else order)]


def _timed(call: Callable[[Any], Any], argument: object) -> float:
    began = time.perf_counter()
    call(argument)
    return time.perf_counter() - began
