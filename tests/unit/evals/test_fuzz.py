"""Other ways to write a question, and what is said of those that find something else."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memidx.analysis import get_analyzer
from memidx.config import SearchConfig
from memidx.evals import Suite
from memidx.evals.fuzz import fuzz, render_fuzz
from memidx.evals.variations import VARIATIONS, vary
from memidx.frozen import FrozenIndex, freeze
from memidx.search.ranking import RankSettings
from tests.cli.conftest import Run, run  # noqa: F401 - the fixture
from tests.support import make, write_tree

Make = Callable[..., Any]


def _of(text: str, kind: str) -> list[str]:
    return [written for found, written in vary(text) if found == kind]


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("upper case", "file lock", ["FILE LOCK"]),
        ("lower case", "File lock", ["file lock"]),
        ("hyphens", "a-b -x c-d", ["a\u2010b c\u2010d -x", "a\u2011b c\u2011d -x"]),
        ("hyphens apart", "file-lock", ["file lock"]),
        ("hyphens apart", "file lock", []),
        ("quotes", "file's lock", [
            "\u201cfile's\u201d lock", "\u2018file's\u2019 lock", "file\u2019s lock",
        ]),
        ("NFD", "caf\u00e9", ["cafe\u0301"]),
        ("NFD", "cafe", []),
        ("NFC", "cafe\u0301", ["caf\u00e9"]),
        ("plural", "file lock", ["file locks"]),
        ("plural", "the last box", []),
        ("plural", "small branch", ["small branches"]),
        ("plural", "who has a library?", ["who has a libraries?"]),
        ("plural", "old keys", []),
        ("plural", "what for", []),
        ("plural", "lock timeout2", []),
        ("stop words", "lock", ["the lock", "it is lock of the"]),
        ("question words", "lock", ["what is the lock", "where is the lock"]),
        ("question words", "why lock?", []),
        ("leading dashes", "lock time", ["-- lock time", "--lock time"]),
        ("leading dashes", "--lock", ["-- --lock"]),
        ("word order", "a b c", ["c b a"]),
        ("word order", "lock", []),
        ("CJK spacing", "部署方案", ["部 署 方 案"]),
        ("CJK spacing", "部署 方案", ["部 署 方 案", "部署方案"]),
        ("CJK spacing", "lock file", []),
    ],
)  # fmt: skip
def test_each_kind_writes_what_is_meant(kind: str, text: str, expected: list[str]) -> None:
    """Kinds that change nothing give nothing; others what a person could have typed."""
    assert _of(text, kind) == expected


def test_clauses_stay_as_they_are() -> None:
    """Phrases, exclusions, sources and titles are never rewritten, and come last."""
    text = 'file "Exact Phrase" -Race source:Docs title:"Some Thing" lock'
    variations = list(vary(text))
    assert variations
    for _, written in variations:
        assert written.endswith('"Exact Phrase" -Race source:Docs title:"Some Thing"')
    assert list(vary('"only a phrase"')) == []
    assert list(vary("")) == []


def test_every_kind_has_an_input() -> None:
    """No kind is dead: each changes one of these."""
    texts = ["File-lock café cafe\u0301 time", "部署 方案", "file's lock"]
    reached = {kind for text in texts for kind, _ in vary(text)}
    assert reached == set(VARIATIONS)


def test_no_variation_is_the_query_or_comes_twice() -> None:
    """What is tried differs from the query and from everything tried before."""
    for text in ("lock", "LOCK time-out", "部署方案", unicodedata.normalize("NFD", "naïve plan")):
        written = [other for _, other in vary(text)]
        assert len(written) == len(set(written))
        assert text not in written


def _index(**texts: str) -> FrozenIndex:
    analyzer = get_analyzer("default")
    documents = [make(f"{name}.md", text, title=name) for name, text in texts.items()]
    documents += [make(f"filler{n}.md", f"nothing on day {n}", title="x") for n in range(20)]
    return FrozenIndex(freeze(documents, analyzer, "test"), analyzer, RankSettings(SearchConfig()))


def test_a_sound_index_keeps_every_first_hit(make_suite: Callable[..., Suite]) -> None:
    """A distinctive document stays first however its words are written."""
    index = _index(heron="the grey heron nests by the water-mill near the café")
    suite = make_suite(
        "id: a, query: heron water-mill café, expect_paths: [heron.md]",
        "id: none, query: sourdough, expect_paths: [heron.md]",
    )
    report = fuzz(suite, index)
    assert report.broken == ()
    assert report.left_out == ("none",)
    assert (report.outcome.value, report.n_queries) == ("passed", 1)
    assert report.verdict.startswith("PASSED (exit 0): ")
    tried = {kind.kind: kind.n_tried for kind in report.kinds}
    assert tried["upper case"] == tried["word order"] == tried["NFD"] == 1
    assert tried["CJK spacing"] == 0


def test_a_broken_kind_is_named_with_its_count(make_suite: Callable[..., Suite]) -> None:
    """A query that depends on a function word: question words turn it, and only they do."""
    index = _index(
        # `what` in the one, once more `heron` in the other, by a hair ahead without it.
        a="heron heron mill and stone and wood and water and sand",
        b="what heron heron mill and stone what wood what water and sand",
    )
    suite = make_suite("id: q, query: heron mill, expect_paths: [a.md]")
    report = fuzz(suite, index)
    broken = [(kind.kind, kind.n_tried, kind.n_broken) for kind in report.kinds if kind.n_broken]
    assert broken == [("question words", 2, 1)]
    (found,) = report.broken
    assert (found.text, found.expected, found.found, found.rank) == (
        "what is the heron mill", "a.md", "b.md", 2,
    )  # fmt: skip
    assert report.verdict.startswith("FAILED (exit 1): ")
    assert report.verdict.endswith("question words 1 of 2 broken")
    shown = render_fuzz(report)
    assert [line.split() for line in shown.splitlines() if line.startswith("question")] == [
        ["question", "words", "2", "1"]
    ]
    assert shown.splitlines()[-1] == report.verdict


def test_equal_scores_keep(make_suite: Callable[..., Suite]) -> None:
    """Of two documents that score the same, either may come first."""
    index = _index(a="heron mill", b="heron mill")
    report = fuzz(make_suite("id: q, query: heron mill, expect_paths: [a.md]"), index)
    assert report.broken == ()


def test_nothing_to_keep_is_inconclusive(make_suite: Callable[..., Suite]) -> None:
    """A suite whose queries find nothing cannot be held against itself."""
    report = fuzz(make_suite("id: q, query: zebra, expect_paths: [a.md]"), _index(a="heron"))
    assert report.verdict == "INCONCLUSIVE (exit 3): 0 variations of 0 queries"


def test_from_the_command_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    run: Run,  # noqa: F811 - the fixture
) -> None:
    """Every form ends with the verdict's code; labels, even stale ones, have no say."""
    monkeypatch.chdir(tmp_path)
    files = {f"docs/f{n}.md": f"# Filler\n\nnothing on day {n}\n" for n in range(20)}
    write_tree(tmp_path, {**files, "docs/heron.md": "# Heron\n\nThe grey heron nests here.\n"})
    (tmp_path / "queries.yaml").write_text(
        "version: 1\nqueries:\n- {id: h, query: grey heron, expect_paths: [docs/gone.md]}\n"
    )
    table = run("eval", "queries.yaml", "--fuzz")
    assert table.exit_code == 0
    assert table.stdout.splitlines()[-1].startswith("PASSED (exit 0): ")
    found = json.loads(run("eval", "queries.yaml", "--fuzz", "--format", "json").stdout)
    assert (found["schema"], found["exit_code"], found["broken"]) == ("memidx.fuzz/1", 0, [])
    lines = run("eval", "queries.yaml", "--fuzz", "--format", "jsonl").stdout.splitlines()
    assert [json.loads(line)["outcome"] for line in lines] == ["passed"]
    for flag in ("--lint", "--bless", "--record", "--hints", "--no-why"):
        assert run("eval", "queries.yaml", "--fuzz", flag).exit_code == 2
    assert run("eval", "--beir", "docs", "--fuzz").exit_code == 2
    assert run("eval", "absent.yaml", "--fuzz").exit_code == 2
