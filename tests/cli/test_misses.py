"""Why queries fail: each kind of miss, from files to the report, and hints that were checked."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import memidx
from memidx.evals import evaluate, load_suite
from memidx.evals.hints import find_misses
from memidx.evals.missed import KINDS
from tests.cli.conftest import Run
from tests.support import write_tree

_CONFIGURATION = '[[sources]]\nname = "docs"\ninclude = ["docs/**"]\n'
_BIRDS = {
    # `plumage` and `quill` stand nowhere else; the wren page has no heron.
    "docs/heron.md": "# Heron\n\nThe plumage of a heron is grey; one quill was found.\n",
    "docs/wren.md": "# Wren\n\nA wren is small and brown and sings.\n",
    "docs/stock.md": "# Stock\n\nfeathered arrows are sold, feathered darts too.\n",
}


@pytest.fixture
def missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> Callable[..., list[dict[str, Any]]]:
    """`missed(files, query, …)`: the misses in report.json of a suite of these queries."""
    monkeypatch.chdir(tmp_path)

    def make(
        files: dict[str, str],
        *queries: str,
        configuration: str = _CONFIGURATION,
        arguments: tuple[str, ...] = (),
    ) -> list[dict[str, Any]]:
        lines = ["version: 1", "as_of: 2026-11-30", "queries:", *(f"- {{{q}}}" for q in queries)]
        write_tree(tmp_path, {**files, "memidx.toml": configuration})
        (tmp_path / "queries.yaml").write_text("\n".join(lines) + "\n")
        result = run("eval", "queries.yaml", *arguments)
        report = json.loads((tmp_path / "reports/latest/report.json").read_bytes())
        assert report["verdict"] == result.stdout.splitlines()[-1]
        assert report["exit_code"] == result.exit_code
        found: list[dict[str, Any]] = report["misses"]
        return found

    return make


def test_a_word_the_document_lacks_is_a_vocabulary_gap(missed: Callable[..., Any]) -> None:
    """`feathered` is not in the heron page; an alias to a word of it is tried on the suite."""
    (miss,) = missed(
        _BIRDS, "id: f, query: feathered, k: 1, expect_paths: [docs/heron.md]",
        "id: wren, query: wren, k: 1, expect_paths: [docs/wren.md]",
    )  # fmt: skip
    assert (miss["kind"], miss["missing"], miss["written"]) == ("vocabulary_gap", ["feathered"], [])
    assert (miss["document"], miss["rank"], miss["winner"]) == (
        "docs/heron.md", None, "docs/stock.md",
    )  # fmt: skip
    assert miss["detail"].startswith("docs/heron.md has no term of feathered; docs/stock.md takes")
    (share,) = miss["shares"]
    assert share["word"] == "feathered"
    assert share["expected"] == 0.0 < share["winner"]


def test_a_hint_holds_when_it_is_followed(
    missed: Callable[..., Any], tmp_path: Path, run: Run
) -> None:
    """The alias that is said to fix one and break none does so when it is configured.

    Two words of the query are unknown to the page, so that an alias of one of them has to beat
    a rival that holds one of them twice.
    """
    queries = (
        "id: f, query: feathered waders, k: 1, expect_paths: [docs/heron.md]",
        "id: wren, query: wren, k: 1, expect_paths: [docs/wren.md]",
        "id: s, query: arrows, k: 1, expect_paths: [docs/stock.md]",
    )
    files = {**_BIRDS, "docs/stock.md": "# Stock\n\narrows and darts are sold to waders.\n"}
    for n in range(6):
        files[f"docs/filler{n}.md"] = f"# Filler {n}\n\nwaders walk in mud number {n}.\n"
    (miss,) = missed(files, *queries)
    assert miss["kind"] == "vocabulary_gap"
    hint = miss["hint"]
    assert (hint["n_fixed"], hint["n_broken"], hint["n_reached"]) == (1, 0, 1)
    words = hint["change"].removeprefix("alias ")
    (tmp_path / "aliases.txt").write_text(f"{words}\n")
    aliased = '[analysis]\naliases = "aliases.txt"\n' + _CONFIGURATION
    assert missed(files, *queries, configuration=aliased) == []


def test_a_hint_says_what_it_breaks(missed: Callable[..., Any]) -> None:
    """An alias that mends one query and turns another: fixes 1, breaks 1, of the 2 it reaches.

    The only word of the heron page that could stand for `grebe` is `heron`; with it both queries
    find the page among the first two, which the other one must not.
    """
    files = {
        "docs/heron.md": "# Heron\n\nheron heron heron heron\n",
        "docs/mud.md": "# Mud\n\nThe mud of a long river that winds through the wide flat land.\n",
    }
    for n in range(8):
        files[f"docs/other{n}.md"] = f"# Other {n}\n\nNothing of note here on day {n}.\n"
    misses = missed(
        files,
        "id: a, query: grebe mud, k: 2, expect_paths: [docs/heron.md]",
        "id: b, query: mud grebe, k: 2, must_not: [docs/heron.md]",
    )
    (miss,) = [miss for miss in misses if miss["query_id"] == "a"]
    assert (miss["hint"]["n_fixed"], miss["hint"]["n_broken"], miss["hint"]["n_reached"]) == (
        1, 1, 2,
    )  # fmt: skip
    assert miss["hint"]["change"] == "alias grebe = heron"


def test_a_word_that_is_written_otherwise_is_an_analysis_gap(missed: Callable[..., Any]) -> None:
    """`frob` stands at the front of `frobnicator`, which is another term."""
    (miss,) = missed(
        {**_BIRDS, "docs/tool.md": "# Tool\n\nThe frobnicator turns left.\n"},
        "id: f, query: frob, k: 1, expect_paths: [docs/tool.md]",
    )
    assert (miss["kind"], miss["written"]) == ("analysis_gap", ["frob"])
    assert miss["detail"] == (
        "docs/tool.md has it written, but under other terms: frob (as frobnicator)"
    )
    assert miss["hint"]["change"].startswith("alias frob = ")


def test_a_document_with_all_words_loses_the_ranking(missed: Callable[..., Any]) -> None:
    """Both pages hold `ferry` and `pier`; the shorter one with more of them wins by both."""
    (miss,) = missed(
        {
            **_BIRDS,
            "docs/long.md": "# Harbour\n\n" + "water and wind and stone " * 20 + "ferry pier\n",
            "docs/short.md": "# Ferry pier\n\nferry pier ferry pier\n",
        },
        "id: p, query: ferry pier, k: 1, expect_paths: [docs/long.md]",
    )
    assert (miss["kind"], miss["rank"], miss["winner"]) == ("ranking_loss", 2, "docs/short.md")
    assert miss["missing"] == []
    assert {share["word"] for share in miss["shares"]} == {"ferry", "pier"}
    assert all(share["winner"] > share["expected"] > 0 for share in miss["shares"])
    assert miss["hint"] is None
    assert miss["detail"].startswith("docs/short.md takes place 1 by ")


def test_shares_are_those_of_explain(missed: Callable[..., Any], tmp_path: Path) -> None:
    """The shares of a document add up to its lexical score."""
    (miss,) = missed(
        {
            **_BIRDS,
            "docs/long.md": "# Harbour\n\n" + "water and wind and stone " * 20 + "ferry pier\n",
            "docs/short.md": "# Ferry pier\n\nferry pier ferry pier\n",
        },
        "id: p, query: the ferry pier, k: 1, expect_paths: [docs/long.md]",
    )
    with memidx.open(str(tmp_path / "store")) as index:
        for name, of in (("docs/long.md", "expected"), ("docs/short.md", "winner")):
            whole = index.explain("the ferry pier", name).score
            assert sum(share[of] for share in miss["shares"]) == pytest.approx(whole)


def test_a_weight_that_wins_is_said(missed: Callable[..., Any]) -> None:
    """Where the words are worth no more, the weight of the source is what wins."""
    configuration = (
        '[[sources]]\nname = "docs"\ninclude = ["docs/**"]\nweight = 0.1\n'
        '[[sources]]\nname = "notes"\ninclude = ["notes/**"]\n'
    )
    (miss,) = missed(
        {
            "docs/a.md": "# Ferry\n\nferry ferry\n",
            "notes/b.md": "# Note\n\nA ferry, seen from far away on a long grey day.\n",
            **{f"docs/other{n}.md": f"# Other\n\nNothing on day {n}.\n" for n in range(30)},
        },
        "id: p, query: ferry, k: 1, expect_paths: [docs/a.md]",
        configuration=configuration,
    )
    assert miss["kind"] == "ranking_loss"
    assert "weight and age of its source are (factor 1.000 to 0.100)" in miss["detail"]


def test_an_order_that_is_not_the_lexical_one_is_said(missed: Callable[..., Any]) -> None:
    """Of three documents none is above weak, so the vector ranks: the shares are lexical still."""
    (miss,) = missed(
        {
            "docs/a.md": "# Ferry\n\nferry ferry\n",
            "docs/b.md": "# Note\n\nA ferry, seen from far away on a long grey day.\n",
        },
        "id: p, query: ferry, k: 1, expect_paths: [docs/b.md]",
    )
    assert miss["kind"] == "ranking_loss"
    assert "; the order is not the lexical one" in miss["detail"]


@pytest.mark.parametrize(
    ("query", "clause"),
    [
        ("heron -quill", "-quill"),
        ("heron source:notes", "source:notes"),
        ('heron \\"grey heron\\"', '"grey heron"'),
        ('heron -quill \\"grey heron\\"', '"grey heron" with -quill'),
        ('heron -\\"one quill\\"', '-"one quill"'),
    ],
)
def test_a_clause_that_shuts_out_is_filtered(
    missed: Callable[..., Any], query: str, clause: str
) -> None:
    """An exclusion, a source, a phrase: the query is asked again without it."""
    configuration = _CONFIGURATION + '[[sources]]\nname = "notes"\ninclude = ["notes/**"]\n'
    (miss,) = missed(
        {**_BIRDS, "notes/n.md": "# Note\n\nGrey day.\n"},
        f'id: h, query: "{query}", k: 3, expect_paths: [docs/heron.md]',
        configuration=configuration,
    )
    assert miss["kind"] == "filtered"
    assert miss["detail"] == (f"docs/heron.md is shut out by {clause}: without it, it is at rank 1")


def test_a_relevance_below_the_threshold_is_said(missed: Callable[..., Any]) -> None:
    """One word of four gives less than min_score; without it the page is first."""
    (miss,) = missed(
        _BIRDS,
        "id: h, query: heron zzqa zzqb zzqc, k: 3, expect_paths: [docs/heron.md]",
        configuration="[search]\nmin_score = 0.9\n" + _CONFIGURATION,
    )
    assert miss["kind"] == "below_threshold"
    assert miss["detail"].startswith("docs/heron.md has relevance 0.")
    assert miss["detail"].endswith("below min_score 0.9: without it, it is at rank 1")


def test_a_stale_label_is_one_with_the_nearest_name_tried(missed: Callable[..., Any]) -> None:
    """A misspelt path matches nothing; with the nearest name the query passes."""
    (miss,) = missed(_BIRDS, "id: h, query: heron, k: 3, expect_paths: [docs/herons.md]")
    assert (miss["kind"], miss["target"][:20]) == ("stale_label", "matches nothing: doc")
    assert miss["hint"]["change"] == "label docs/herons.md -> docs/heron.md"
    assert (miss["hint"]["n_fixed"], miss["hint"]["n_broken"]) == (1, 0)


def test_a_label_without_a_near_name_has_no_hint(missed: Callable[..., Any]) -> None:
    """Nothing is invented: neither a name that is far, nor one with which the query fails."""
    far, wrong = missed(
        _BIRDS,
        "id: a, query: heron, k: 3, expect_paths: [plans/2031-roadmap.txt]",
        "id: b, query: grey heron, k: 3, expect_paths: [docs/wrens.md]",
    )
    assert (far["kind"], far["hint"]) == ("stale_label", None)
    assert (wrong["kind"], wrong["hint"]) == ("stale_label", None)


def test_a_label_that_is_wrong_otherwise_is_bad(missed: Callable[..., Any]) -> None:
    """A query that stands twice is neither stale nor a failure of the search."""
    misses = missed(
        _BIRDS,
        "id: a, query: heron, k: 3, expect_paths: [docs/heron.md]",
        "id: b, query: heron, k: 3, expect_paths: [docs/heron.md]",
    )
    assert [(m["query_id"], m["kind"]) for m in misses] == [("b", "bad_label")]


def test_a_failed_source_is_said(missed: Callable[..., Any], tmp_path: Path, run: Run) -> None:
    """A base folder that is gone: its query is open because of the source."""
    query = "id: h, query: heron, k: 3, expect_paths: [docs/heron.md]"
    assert missed(_BIRDS, query) == []
    (tmp_path / "docs").rename(tmp_path / "moved")
    result = run("eval", "queries.yaml", "--format", "json")
    assert result.exit_code == 3
    (miss,) = json.loads(result.stdout)["misses"]
    assert (miss["kind"], miss["target"]) == ("source_failed", "docs")


def test_what_should_not_have_come_is_a_false_positive(missed: Callable[..., Any]) -> None:
    """A banned hit, and a hit above weak where nothing was expected, each with its words."""
    banned, empty = missed(
        _BIRDS,
        "id: b, query: heron plumage, k: 3, must_not: [docs/heron.md]",
        "id: e, query: heron plumage quill, category: no-answer, expect_empty: true",
    )
    assert (banned["kind"], banned["target"]) == ("false_positive", "docs/heron.md")
    assert banned["detail"].startswith("docs/heron.md is ")
    assert "at rank 1 by " in banned["detail"]
    assert (empty["kind"], empty["winner"]) == ("false_positive", "docs/heron.md")


def test_a_missing_source_and_a_top1_are_looked_into(missed: Callable[..., Any]) -> None:
    """The nearest document of the source stands for it; top1 is judged at place 1."""
    configuration = _CONFIGURATION + '[[sources]]\nname = "notes"\ninclude = ["notes/**"]\n'
    misses = missed(
        {**_BIRDS, "notes/n.md": "# Note\n\nA grey day by the long wide brown river, a heron.\n"},
        "id: s, query: heron, k: 1, expect_sources: [notes]",
        "id: t, query: one heron, k: 3, top1: notes/n.md",
        "id: w, query: wren sings, k: 1, expect_sources: [notes]",
        configuration=configuration,
    )
    found = [(m["query_id"], m["kind"], m["target"], m["document"], m["rank"]) for m in misses]
    assert found == [
        ("s", "ranking_loss", "source notes", "notes/n.md", 2),
        ("t", "ranking_loss", "notes/n.md", "notes/n.md", 2),
        ("w", "vocabulary_gap", "source notes", "notes/n.md", None),
    ]


def test_no_hints_tries_nothing(missed: Callable[..., Any]) -> None:
    """The kinds stay; nothing is tried."""
    (miss,) = missed(
        _BIRDS,
        "id: f, query: feathered, k: 1, expect_paths: [docs/heron.md]",
        arguments=("--no-hints",),
    )
    assert (miss["kind"], miss["hint"], miss["n_tried"]) == ("vocabulary_gap", None, 0)


def test_misses_stand_in_every_form(missed: Callable[..., Any], tmp_path: Path, run: Run) -> None:
    """Table and Markdown name the kind, what was missed, and what was checked."""
    missed(_BIRDS, "id: h, query: heron, k: 3, expect_paths: [docs/herons.md]")
    table = run("eval", "queries.yaml").stdout
    assert "\nWhy not\n" in table
    said = "label docs/herons.md -> docs/heron.md fixes 1 and breaks 0 of the suite (reaches 1)"
    assert said in table
    text = (tmp_path / "reports/latest/report.md").read_text()
    row = next(line for line in text.splitlines() if line.startswith("| h | stale label |"))
    assert said.replace(">", "&gt;") in row


def test_a_stale_index_is_said(tmp_path: Path) -> None:
    """A reason that the run gives is a kind of its own; every kind is reached by these tests."""
    from memidx.evals.miss_words import kind_of_doubt

    assert kind_of_doubt("the index is stale") == "stale_index"
    assert kind_of_doubt("source docs failed") == "source_failed"
    assert kind_of_doubt("dangling (line 3): matches nothing: a.md") == "stale_label"
    assert kind_of_doubt("unwinnable (line 3): is there but not indexed: a.md") == "stale_label"
    assert kind_of_doubt("duplicate-id (line 3): the id 'a' stands there") == "bad_label"
    source = Path(__file__).read_text(encoding="utf-8")
    assert [kind for kind in KINDS if f'"{kind}"' not in source] == []


def test_a_run_that_passes_has_no_misses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is looked into where nothing failed."""
    monkeypatch.chdir(tmp_path)
    write_tree(tmp_path, {**_BIRDS, "memidx.toml": _CONFIGURATION})
    (tmp_path / "queries.yaml").write_text(
        "version: 1\nqueries:\n- {id: a, query: heron, expect_paths: [docs/heron.md]}\n"
    )
    memidx.build(root=str(tmp_path))
    suite = load_suite("queries.yaml")
    with memidx.open("store") as index:
        assert find_misses(suite, index, evaluate(suite, index)) == ()
