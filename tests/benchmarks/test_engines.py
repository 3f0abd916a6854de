"""How long does each engine take, over 300 made documents?

`pytest tests/benchmarks --benchmark-only`, and `-k NAME` for one engine: for looking at one while
working on it. `make bench` compares them on real files, in turns.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from tests.benchmarks import growth, parts
from tests.benchmarks.engines import ENGINES, load, why_not

SYLLABLES = ("lo", "ck", "ti", "me", "sto", "re", "in", "dex", "shard", "que", "ry", "ma")
N_DOCS = 300


@pytest.fixture(scope="module")
def words() -> list[str]:
    """500 made words, the first of them commoner."""
    rng = Random(1)
    return ["".join(rng.choices(SYLLABLES, k=rng.randint(1, 3))) for _ in range(500)]


@pytest.fixture(scope="module")
def root(words: list[str], tmp_path_factory: pytest.TempPathFactory) -> str:
    """The files."""
    rng, weights = Random(2), [1 / (n + 1) for n in range(len(words))]
    made = [" ".join(rng.choices(words, weights, k=40)) + "." for _ in range(400)]
    folder = tmp_path_factory.mktemp("root")
    growth.write(str(folder), made, N_DOCS)
    return str(folder)


@pytest.fixture(scope="module", params=ENGINES)
def name(request: pytest.FixtureRequest) -> str:
    """An engine that is installed."""
    if reason := why_not(request.param):
        pytest.skip(reason)
    return str(request.param)


@pytest.fixture(scope="module")
def engine(name: str, root: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """It, opened over the files."""
    target = str(tmp_path_factory.mktemp("target"))
    load(name).build(root, target, **({"jobs": 1} if name == "memidx" else {}))
    with closing(load(name).Engine(target)) as opened:
        yield opened


@pytest.fixture
def query(words: list[str]) -> Iterator[str]:
    """Queries in turn: four words, the same for every engine."""
    rng = Random(3)
    return itertools.cycle([" ".join(rng.sample(words, 4)) for _ in range(50)])


def test_build(benchmark: BenchmarkFixture, name: str, root: str, tmp_path: Path) -> None:
    """Files to an index, in this process."""
    benchmark.group = "build"
    numbers = itertools.count()

    def fresh() -> tuple[tuple[str, str], dict[str, int]]:
        target = tmp_path / str(next(numbers))
        target.mkdir()
        return (root, str(target)), {"jobs": 1} if name == "memidx" else {}

    benchmark.pedantic(load(name).build, setup=fresh, rounds=3)
    assert parts.size_bytes(str(tmp_path / "0")) > 0


def test_ids(benchmark: BenchmarkFixture, engine: Any, query: Iterator[str]) -> None:
    """Ten ids."""
    benchmark.group = "ids"
    assert benchmark(lambda: engine.ids(next(query), 10))


def test_answer(benchmark: BenchmarkFixture, engine: Any, query: Iterator[str]) -> None:
    """Five hits with snippets, where the engine makes any."""
    benchmark.group = "answer"
    assert benchmark(lambda: engine.answer(next(query), 5))


@pytest.mark.parametrize("words_only", [True, False])
def test_fields(
    benchmark: BenchmarkFixture, root: str, tmp_path: Path, query: Iterator[str], words_only: bool
) -> None:
    """What the second field costs."""
    benchmark.group = "fields"
    memidx = load("memidx")
    memidx.build(root, str(tmp_path), jobs=1)
    with closing(memidx.Engine(str(tmp_path), words_only=words_only)) as opened:
        assert benchmark(lambda: opened.ids(next(query), 10))


def test_scan(benchmark: BenchmarkFixture, root: str) -> None:
    """The bare loop that a freshness scan is held against."""
    benchmark.group = "scan"
    assert len(benchmark(parts.scan, root)) == N_DOCS


def test_unchanged(benchmark: BenchmarkFixture, root: str, tmp_path: Path) -> None:
    """memidx looks at sources in which nothing changed."""
    benchmark.group = "scan"
    memidx = load("memidx")
    memidx.build(root, str(tmp_path), jobs=1)
    with closing(memidx.Engine(str(tmp_path))) as opened:
        opened.index.refresh()
        assert benchmark(opened.index.refresh).freshness in ("fresh", "refreshed")
