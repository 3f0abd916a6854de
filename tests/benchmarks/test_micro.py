"""How long do the small steps take? `pytest tests/benchmarks --benchmark-only`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from memidx.analysis import get_analyzer
from memidx.search import kernels
from memidx.search.kernels import LexicalParameters
from memidx.search.kernels_batch import score_lexical_batch
from memidx.search.pages import Page
from memidx.search.passages import snippets
from memidx.search.places import Finder
from memidx.snapshot.snapshot import Snapshot
from memidx.sources.survey import survey
from memidx.store.line import decode_line, encode_line
from tests.support import make, snapshot_of

SYLLABLES = ("lo", "ck", "ti", "me", "sto", "re", "in", "dex", "shard", "que", "ry", "ma")


def _text(seed: int, words: int = 600) -> str:
    rng = Random(seed)
    made = ["".join(rng.choices(SYLLABLES, k=rng.randint(1, 3))) for _ in range(words)]
    lines = [" ".join(made[at : at + 12]) + "." for at in range(0, words, 12)]
    return "# Title\n\n" + "\n\n".join(lines)


@pytest.fixture(scope="module")
def snapshot() -> Snapshot:
    """500 documents of 600 words."""
    return snapshot_of([make(f"docs/{n}.md", _text(n)) for n in range(500)])


def test_analyse_a_document(benchmark: BenchmarkFixture) -> None:
    """One analyzer meets 100 documents, new to it."""
    texts = [_text(n) for n in range(100)]

    def analyse() -> int:
        analyzer = get_analyzer("default")
        return sum(len(analyzer.document(title="t", path="p.md", text=text)) for text in texts)

    assert benchmark(analyse) == 200


def test_analyse_a_query(benchmark: BenchmarkFixture) -> None:
    """Four words, one of them a compound."""
    assert len(benchmark(get_analyzer("default").query, "file lock timeoutSeconds store")) == 4


@pytest.mark.parametrize("kernel", [kernels.score_lexical, score_lexical_batch])
def test_score_four_terms(
    benchmark: BenchmarkFixture, snapshot: Snapshot, kernel: Callable[..., dict[int, float]]
) -> None:
    """Each kernel over terms that many documents hold."""
    occurrences = [(term, 1.0) for term in ("lock", "store", "index", "time")]
    terms = kernels.look_up(snapshot, occurrences, ((0, 1.0), (1, 2.0)))
    assert benchmark(kernel, snapshot, terms, LexicalParameters(1.5, 0.75))


def test_find_snippets(benchmark: BenchmarkFixture) -> None:
    """Three snippets of one document."""
    text = _text(1)
    finder = Finder(get_analyzer("default"), {"lock": 2.0, "store": 1.0})
    assert benchmark(lambda: list(snippets(Page(text), finder, "Title")))


def test_survey_a_folder(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    """What every search does with 500 files in 10 folders."""
    for number in range(500):
        path = tmp_path / f"f{number % 10}" / f"{number}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text("text")
    assert len(benchmark(survey, str(tmp_path), [""], [".md"]).files) == 500


def test_write_and_read_a_line(benchmark: BenchmarkFixture) -> None:
    """One document to its line of the store and back."""
    document = make("docs/a.md", _text(1))
    assert benchmark(lambda: decode_line(encode_line(document))) == document
