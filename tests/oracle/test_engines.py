"""Do the engines of `make bench` index the same files, over a corpus small enough for every test?

No time is looked at. An engine that is not installed is skipped with the reason.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest

import memidx
from memidx.exchange import export_store
from tests.benchmarks import __main__ as program
from tests.benchmarks import corpus, engines, equality, growth, known_items, parts
from tests.benchmarks.engines import ENGINES, list_files, load, read_text, reference, why_not
from tests.benchmarks.tables import AHEAD, Comparisons, at_most, plus_ms, show, times
from tests.support import write_tree

SYLLABLES = ("lo", "ck", "ti", "me", "sto", "re", "in", "dex", "shard", "que", "ry", "ma", "ven")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> str:
    """60 documents of made words in three folders, each with a word of its own."""
    rng = Random(7)
    words = ["".join(rng.choices(SYLLABLES, k=3)) for _ in range(300)]
    files = {
        f"f{n % 3}/{n:02}.md": f"# Note {n}\n\n{growth.own_word(n)} "
        f"{' '.join(rng.choices(words, k=80))}\n\nlast paragraph\n"
        for n in range(60)
    }
    return str(write_tree(tmp_path_factory.mktemp("files"), files))


@pytest.fixture(scope="module", params=ENGINES)
def name(request: pytest.FixtureRequest) -> str:
    """An engine that is installed."""
    reason = why_not(request.param)
    if reason is not None:
        pytest.skip(reason)
    return str(request.param)


@pytest.fixture
def engine(name: str, root: str, tmp_path: Path) -> Iterator[Any]:
    """It, opened over the files."""
    target = tmp_path / "target"
    target.mkdir()
    options = {"jobs": 1} if name == "memidx" else {}
    load(name).build(root, str(target), **options)
    with closing(load(name).Engine(str(target))) as opened:
        yield opened


def test_every_engine_finds_known_items(name: str, engine: Any, root: str) -> None:
    """Each holds all 60 files and finds 20 of them by words of theirs."""
    items = known_items.draw(root, 20, seed=3)
    assert len(items) == 20
    said = known_items.check(name, engine, 60, items)
    assert said.startswith(f"{name}: 60 documents, 20 of 20 known items")


def test_an_own_word_finds_one_document(engine: Any) -> None:
    """The word that one document has finds that one and no other."""
    for number in (0, 17, 59):
        assert engine.ids(growth.own_word(number), 10) == [f"f{number % 3}/{number:02}.md"]


def test_words_are_ored(engine: Any) -> None:
    """A query of two documents' own words finds both, whatever else it says."""
    query = f"{growth.own_word(3)} {growth.own_word(4)} zzzunknownk"
    assert sorted(engine.ids(query, 10)) == ["f0/03.md", "f1/04.md"]


def test_answers_name_documents(name: str, engine: Any) -> None:
    """An answer has the same documents, and where an engine makes snippets, one with the word."""
    word = growth.own_word(8)
    ((path, snippet),) = engine.answer(word, 5)
    assert path == "f2/08.md"
    if name not in ("bm25s", "rank_bm25"):
        assert word in snippet


@pytest.mark.parametrize("name", ["FTS5", "tantivy"], scope="module")
def test_an_update_is_seen(name: str, root: str, tmp_path: Path) -> None:
    """Engines that take in an edit find what it brought, and no more what it took."""
    if reason := why_not(name):
        pytest.skip(reason)
    copy = write_tree(tmp_path / "files", {n: read_text(root, n) for n in list_files(root)})
    target = tmp_path / "target"
    target.mkdir()
    load(name).build(str(copy), str(target))
    with closing(load(name).Engine(str(target))) as opened:
        (copy / "f0/00.md").write_text("# Other\n\nbrandnewword\n", "utf-8")
        opened.update(str(copy), ["f0/00.md"])
        assert opened.ids("brandnewword", 5) == ["f0/00.md"]
        assert opened.ids(growth.own_word(0), 5) == []
        assert opened.n_docs == 60


def test_memidx_equals_the_reference(root: str, tmp_path: Path) -> None:
    """Hits, order and scores of `ascii-compat` are the stand-in's, for words of the corpus."""
    words = sorted({word for n in list_files(root) for word in reference.terms(read_text(root, n))})
    queries = [" ".join(Random(n).sample(words, 1 + n % 4)) for n in range(30)]
    said = equality.check(root, str(tmp_path / "store"), queries)
    assert int(said.split("queries")[0].split()[-1]) > 10


def test_the_reference_counts_as_worked_out_by_hand() -> None:
    """Two documents of two and one terms: ln 2 * 2.5 / (1 + 1.5 * (0.25 + 0.75 * 2/1.5))."""
    index = reference.make([("a", "lock index"), ("b", "The index"), ("c", "of a")])
    assert (index["N"], index["avgdl"]) == (2, 1.5)
    assert index["postings"] == {
        "lock": [{"doc_id": 0, "tf": 1}],
        "index": [{"doc_id": 0, "tf": 1}, {"doc_id": 1, "tf": 1}],
    }
    # ln 2 = 0.693147; 0.693147 * 2.5 / 2.875 = 0.602737
    assert [(doc, round(score, 6)) for doc, score in reference.scores(index, "lock")] == [
        (0, 0.602737)
    ]
    # ln 1.2 = 0.182322; times 2.5 / 2.875 and, for the shorter one, 2.5 / 2.125
    assert [(doc, round(score, 4)) for doc, score in reference.scores(index, "index")] == [
        (1, 0.2145),
        (0, 0.1585),
    ]


def test_the_reference_writes_what_is_published_of_it(root: str, tmp_path: Path) -> None:
    """Every key that `memidx export` writes of a document and of its terms, with the same value."""
    text = (
        "intro line\n\n# A `title`\n\nSeven words are not enough to stay.\n\n"
        "## Head\nThese are the eight words that stay here.\n\n| a table | of more | than | eight "
        "| words | in | all | here |\n\n<!-- a comment of more than eight words stays out too -->"
        f"\n\n{'long ' * 200}\n"
    )
    write_tree(Path(root), {"f0/99.md": text})
    try:
        target = tmp_path / "reference"
        reference.build(root, str(target))
        ours = json.loads((target / "index.json").read_text("utf-8"))
        memidx.build(root=root, store=str(tmp_path / "store"), env={})
        theirs = export_store(str(tmp_path / "store"), env={}).index
    finally:
        (Path(root) / "f0/99.md").unlink()
    assert ours["documents"][20]["paragraphs"] == [
        "These are the eight words that stay here.",
        ("long " * 200)[:480],
    ]
    for key in ("postings", "N", "avgdl", "source_fingerprint"):
        assert ours[key] == theirs[key]
    for document, expected in zip(ours["documents"], theirs["documents"], strict=True):
        assert document.keys() == expected.keys()
        norm, expected_norm = document["vector_norm_sq"], expected["vector_norm_sq"]
        assert norm == pytest.approx(expected_norm, rel=1e-12)
        # When a file was changed is local: an export takes times from contents.
        own = {"vector_norm_sq": norm, "source_mtime": document["source_mtime"]}
        assert document == {**expected, **own}


def test_words_of_a_query_need_no_pattern() -> None:
    """What `re` calls words, so that no peer has to load it for a question."""
    rng = Random(5)
    marks = "ab9_-+. \t\n'\"/\\:;é\u0301ß中\u0e01\u200b²½٣"
    for _ in range(2000):
        query = "".join(rng.choices(marks, k=rng.randint(0, 12)))
        assert engines.words(query) == re.findall(r"\w+", query)


class _Broken:
    """An engine that lost some of its documents, or never finds any."""

    def __init__(self, n_docs: int) -> None:
        self.n_docs = n_docs

    def ids(self, query: str, k: int) -> list[str]:
        """Nothing."""
        return []


@pytest.mark.parametrize(("n_docs", "said"), [(30, "holds 30 documents"), (60, "finds 0 of 5")])
def test_a_wrong_index_is_told(root: str, n_docs: int, said: str) -> None:
    """An engine with half the documents, or without hits, stops the run."""
    with pytest.raises(known_items.WrongIndexError, match=said):
        known_items.check("broken", _Broken(n_docs), 60, known_items.draw(root, 5, seed=3))


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that is not installed says what to install."""
    monkeypatch.setitem(ENGINES, "none", ("with_none", "no_such_package"))
    assert "no_such_package is not installed" in (why_not("none") or "")


def test_grown_documents_are_the_same_again(root: str) -> None:
    """The first documents of a larger corpus are those of a smaller one; own words differ."""
    made = ["a paragraph about locks", "another one about indexes"]
    small, large = (list(growth.documents(made, count)) for count in (5, 1500))
    assert large[:5] == small
    assert large[1000][0] == "001/001000.md"
    assert len({growth.own_word(n) for n in range(5000)}) == 5000


def test_work_is_counted(tmp_path: Path) -> None:
    """A first build analyses everything, the next nothing, a search after one edit one document."""
    files = {f"{n}.md": f"# T{n}\n\nword{n}\n" for n in range(4)}
    root = write_tree(tmp_path / "p", files)
    for path in root.iterdir():
        os.utime(path, ns=(10**18, 10**18))
    rows = parts.count_work(str(root), str(tmp_path / "store"))
    analysed = {what: n_analysed for what, _, n_analysed, _ in rows}
    assert analysed["first build"] == 4
    assert analysed["build again"] == analysed["search, nothing changed"] == 0
    assert analysed["search, one file edited"] == 1


def test_every_part_fills_the_table(root: str, tmp_path: Path) -> None:
    """Each part runs over a few files with the engines every Python has, and adds its rows."""
    files = write_tree(tmp_path / "p", {n: read_text(root, n) for n in list_files(root)})
    names = [n for n in ("memidx", "FTS5", "reference") if why_not(n) is None]
    table = Comparisons()
    targets = parts.build(table, str(files), str(tmp_path), names, rounds=1)
    asked = corpus.draw_queries(str(files), 10)
    world = parts.World(str(files), targets, asked[:5], asked[5:])
    parts.cold(table, world, rounds=1)
    parts.warm(table, world, rounds=1)
    parts.freshness(table, world, rounds=3)
    text = table.text()
    for what in (
        "build, two processes",
        "build, peak memory",
        "disk, store and snapshot",
        "cold process, not compared: import, open, one answer",
        "cold process, peak memory",
        "memidx query --no-refresh",
        "warm ids, p50",
        "warm full answer",
        "unchanged sources",
        "one file edited, next answer",
    ):
        assert f"| {what}" in text


def test_growth_is_tabled(tmp_path: Path) -> None:
    """Two small sizes give a row for each engine that is there, and what a further one costs."""
    rng = Random(5)
    sentences = [" ".join("".join(rng.choices(SYLLABLES, k=3)) for _ in range(20)) for _ in "12345"]
    source = write_tree(tmp_path / "source", {"a.md": "\n\n".join(sentences)})
    text, checks = growth.table(str(source), str(tmp_path), (30, 60), lambda _: None)
    n_engines = sum(why_not(name) is None for name in growth.CONTESTANTS)
    assert len(checks) == text.count("from 30 to 60") * 2 == n_engines * 2
    assert "memidx: 60 documents, 20 of 20 known items among the first 3, 20 first" in checks


def test_a_wrong_index_prints_no_figure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The run says what is wrong, ends with 1, and prints no table."""

    def fail(_: object) -> str:
        raise known_items.WrongIndexError("x holds 3 documents")

    monkeypatch.setattr(program, "_measured", fail)
    monkeypatch.setattr(corpus, "CORPUS", Path(__file__).parent)
    monkeypatch.setattr("sys.argv", ["benchmarks", "--small"])
    with pytest.raises(SystemExit) as ended:
        program.main()
    assert ended.value.code == 1
    assert capsys.readouterr() == ("", "Nothing counts: x holds 3 documents\n")


def test_an_unknown_part_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A part that is none is a mistake of the caller, and the message lists those there are."""
    monkeypatch.setattr("sys.argv", ["benchmarks", "--only", "warm,tepid"])
    with pytest.raises(SystemExit) as ended:
        program.main()
    assert ended.value.code == 2
    assert "no part tepid (expected some of build, cold, warm, fresh, growth)" in (
        capsys.readouterr().err
    )


def test_bars_are_worked_out_from_the_peer() -> None:
    """A share of the peer, ahead of it, so much above it, a plain limit: met up to the line."""
    table = Comparisons()
    table.add("half", 0.5, "p", 1.0, must=times(0.5))
    table.add("half missed", 0.51, "p", 1.0, must=times(0.5))
    table.add("ahead missed", 1.0, "p", 1.0, reach=AHEAD)
    table.add("above", 0.125, "p", 0.1, must=plus_ms(25))
    table.add("size", 41e6, "p", 9e6, "B", must=at_most(40e6, "B"))
    text = table.text()
    assert "`must`: 2 of 4 met." in text
    assert "`reach for`: 0 of 1 met." in text
    assert "- missed: half missed: 510 ms (`≤ 0.5`; p: 1 s)" in text
    assert "- missed: size: 41 MB (`≤ 40 MB`; p: 9 MB)" in text


@pytest.mark.parametrize(
    ("figure", "unit", "text"),
    [
        (0.9999, "s", "1 s"),
        (0.0123456, "s", "12.3 ms"),
        (0.00000042, "s", "0.42 µs"),
        (1234567890, "B", "1,235 MB"),
        (999, "B", "999 B"),
        (99.96, "", "100"),
    ],
)
def test_figures_read_well(figure: float, unit: str, text: str) -> None:
    """Three digits, in the largest unit that leaves something before the point."""
    assert show(figure, unit) == text
