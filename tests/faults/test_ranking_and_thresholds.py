"""Kinds of faults with order, thresholds and labels, end to end: written, built, opened, asked."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import memidx
from memidx.errors import ConfigError, InputError
from tests.support import write_tree

Open = Callable[..., memidx.Index]

FILLER = {f"filler/{n:02}.md": f"# Note {n}\n\nPlain words about nothing.\n" for n in range(20)}
AS_OF = "2026-12-01"


@pytest.fixture
def opened(tmp_path: Path) -> Open:
    """Write a project, build it and open it."""

    def make(
        files: Mapping[str, str], config: str = "", name: str = "project", **fill: str
    ) -> memidx.Index:
        tree: dict[str, str | bytes] = {**FILLER, **fill, **files}
        if config:
            tree["memidx.toml"] = config
        root = write_tree(tmp_path / name, tree)
        memidx.build(root=str(root), store=str(root / "store"), env={})
        return memidx.open(str(root / "store"), env={})

    return make


def ids(answer: memidx.Answer) -> list[str]:
    """Ids of the hits, in order."""
    return [hit.doc_id for hit in answer.hits]


SOURCES = """
[[sources]]
name = "daily"
include = ["daily/**"]
decay = 0.012
decay_floor = 0.3
[[sources]]
name = "decisions"
include = ["decisions/**"]
weight = 1.4
[[sources]]
name = "rest"
"""


def test_an_absent_channel_is_no_zero(opened: Open) -> None:
    """A match in a title alone has no cosine; hybrid with a threshold returns it all the same."""
    config = '[search]\nstrategy = "hybrid"\nmin_score = 0.06\n'
    index = opened({"zeppelin.md": "# Airships\n\nOther words.\n"}, config)
    assert ids(index.search("zeppelin")) == ["zeppelin.md"]


@pytest.mark.parametrize("age", [45, 60, 400])
@pytest.mark.parametrize("strategy", ["lexical", "vector", "hybrid"])
def test_age_lowers_and_never_deletes(opened: Open, age: int, strategy: str) -> None:
    """An exact hit in a daily note that old is returned, by its decay below a fresh one."""
    import datetime

    old = (datetime.date(2026, 12, 1) - datetime.timedelta(days=age)).isoformat()
    index = opened(
        {
            f"daily/{old}.md": "# Old\n\nThe zeppelin landed.\n",
            "daily/2026-12-01.md": "# New\n\nThe zeppelin landed.\n",
        },
        SOURCES,
    )
    answer = index.search("zeppelin", as_of=AS_OF, strategy=strategy, min_score=0.05)
    assert ids(answer) == ["daily/2026-12-01.md", f"daily/{old}.md"]
    new, aged = answer.hits
    factor = 0.3 + 0.7 * math.exp(-0.012 * age)
    assert aged.composite / aged.relevance == pytest.approx(factor, rel=1e-12)
    assert new.composite == new.relevance


def test_a_weight_near_zero_never_deletes(opened: Open) -> None:
    """The lightest source falls to the end of the answer."""
    config = '[[sources]]\nname = "light"\ninclude = ["light/**"]\nweight = 1e-9\n'
    config += '[[sources]]\nname = "rest"\n'
    index = opened({"light/a.md": "zeppelin zeppelin", "b.md": "a zeppelin " + "x " * 50}, config)
    assert ids(index.search("zeppelin", min_score=0.01)) == ["b.md", "light/a.md"]


def test_filters_come_before_the_best_are_chosen(opened: Open) -> None:
    """One decision among five thousand better commits."""
    log = "\n".join(f'{{"id": "{n}", "text": "zeppelin zeppelin"}}' for n in range(5000))
    config = """
[[sources]]
name = "decisions"
include = ["decisions/**"]
[[sources]]
name = "commits"
kind = "records"
include = ["log.jsonl"]
"""
    long = "A zeppelin. " + "Other words. " * 200
    index = opened({"log.jsonl": log, "decisions/0001.md": long}, config)
    answer = index.search("zeppelin", k=5, sources=["decisions"])
    assert (ids(answer), answer.n_matched) == (["decisions/0001.md"], 1)
    # A cap does not look at the first k alone, either.
    capped = index.search("zeppelin", k=5, per_source=1)
    assert {hit.source for hit in capped.hits} == {"decisions", "commits"}


def test_the_first_k_are_a_prefix(opened: Open) -> None:
    """Whatever is asked for beside them, and page by page."""
    notes = {f"n{n:02}.md": "zeppelin " * (n % 7 + 1) + "word " * (n % 11) for n in range(60)}
    index = opened(notes)
    for options in ({}, {"also": ["word"]}, {"per_path": 1}, {"dedupe": "content"}):
        whole = ids(index.search("zeppelin", k=50, **options))  # type: ignore[arg-type]
        for k in (1, 5, 20):
            assert ids(index.search("zeppelin", k=k, **options)) == whole[:k]  # type: ignore[arg-type]
        first = index.search("zeppelin", k=20, **options)  # type: ignore[arg-type]
        second = index.search("zeppelin", k=30, cursor=first.cursor, **options)  # type: ignore[arg-type]
        assert ids(first) + ids(second) == whole
        assert [hit.rank for hit in second.hits[:1]] == [21][: len(second.hits)]


def test_a_cursor_holds_while_the_documents_do(opened: Open, tmp_path: Path) -> None:
    """Pages of one answer count ages from one day; after an edit the next page is refused."""
    index = opened({f"daily/2026-11-{n:02}.md": "zeppelin " * n for n in range(1, 20)}, SOURCES)
    first = index.search("zeppelin", k=5, as_of=AS_OF)
    assert first.cursor is not None
    assert index.search("zeppelin", k=5, cursor=first.cursor).as_of == AS_OF
    with pytest.raises(InputError, match="another question"):
        index.search("airship", cursor=first.cursor)
    with pytest.raises(InputError, match="another question"):
        index.search("zeppelin", cursor=first.cursor, min_score=0.01)
    last = index.search("zeppelin", k=50, as_of=AS_OF)
    assert last.cursor is None
    (tmp_path / "project/daily/2026-11-30.md").write_text("zeppelin")
    with pytest.raises(InputError, match="documents changed"):
        index.search("zeppelin", cursor=first.cursor)


def test_stores_do_not_change_scores(opened: Open, tmp_path: Path) -> None:
    """The same documents in one store and in three."""
    notes = {f"n{n}.md": "zeppelin " * (n + 1) + "word " * n for n in range(9)}
    whole = opened(notes).search("zeppelin word", k=50)
    stores = []
    for number in range(3):
        part = {name: text for n, (name, text) in enumerate(notes.items()) if n % 3 == number}
        filler = {name: text for n, (name, text) in enumerate(FILLER.items()) if n % 3 == number}
        root = write_tree(tmp_path / f"part{number}", {**part, **filler})
        memidx.build(root=str(root), store=str(root / "store"), env={})
        stores.append(str(root / "store"))
    with memidx.open(stores, env={}) as index:
        spread = index.search("zeppelin word", k=50)
    figures = {hit.doc_id: (hit.score, hit.composite, hit.confidence) for hit in whole.hits}
    assert {h.doc_id: (h.score, h.composite, h.confidence) for h in spread.hits} == figures


def test_shards_do_not_change_scores(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same documents in one shard and in eight or more."""
    notes = {f"n{n}.md": "zeppelin " * (n + 1) + "word " * n for n in range(30)}
    found = []
    for name, cap in (("one", 20 * 2**20), ("many", 1500)):
        monkeypatch.setattr("memidx.snapshot.publish.SHARD_CAP_BYTES", cap)
        index = opened(notes, name=name)
        found.append(
            [
                (hit.doc_id, hit.score, hit.composite, hit.confidence)
                for hit in index.search("zeppelin word", k=60).hits
            ]
        )
        n_shards = index.status()["n_shards"]
        assert n_shards == 1 if name == "one" else n_shards >= 8
    assert found[0] == found[1]
    assert len(found[0]) >= 30


@pytest.mark.parametrize(("n_docs", "label"), [(10, "candidate"), (1000, "reliable")])
def test_a_label_follows_the_size_of_the_corpus(opened: Open, n_docs: int, label: str) -> None:
    """One rare word: idf is ln(22/3) = 1.99 among ten and ln(2002/3) = 6.50 among a thousand; the
    dependence is documented (docs/scoring.md, "Labels").
    """
    records = "\n".join(f'{{"id": "{n}", "text": "common words"}}' for n in range(n_docs - 1))
    config = '[[sources]]\nname = "r"\nkind = "records"\ninclude = ["r.jsonl"]\n'
    config += '[[sources]]\nname = "n"\ninclude = ["n.md"]\n'
    index = opened({"r.jsonl": records, "n.md": "rareword words"}, config)
    answer = index.search("rareword")
    assert (answer.n_docs, answer.hits[0].confidence) == (n_docs, label)


def test_one_document_does_not_fill_the_list(opened: Open) -> None:
    """An essay of fourteen sections is one place; a changelog's sections are capped on request."""
    essay = "# Essay\n" + "".join(f"\n## Part {n}\n\nzeppelin again\n" for n in range(14))
    log = "# Changelog\n" + "".join(
        f"\n## [1.{n}.0] - 2026-01-{n + 1:02}\n\n- zeppelin flies\n" for n in range(9)
    )
    config = '[[sources]]\nname = "changes"\nkind = "changelog"\ninclude = ["CHANGELOG.md"]\n'
    config += '[[sources]]\nname = "notes"\n'
    notes = {"essay.md": essay, "CHANGELOG.md": log, "short.md": "a zeppelin"}
    index = opened(notes, config)
    everything = index.search("zeppelin", k=50)
    assert ids(everything).count("essay.md") == 1
    assert len(everything.hits) == 11
    capped = index.search("zeppelin", k=50, per_path=2)
    assert sum(hit.path == "CHANGELOG.md" for hit in capped.hits) == 2
    assert {"essay.md", "short.md"} <= set(ids(capped))
    # What is not listed still matched, and the counts say so.
    assert capped.n_matched == 11


def test_the_top_hit_of_anything_is_not_sure(opened: Open) -> None:
    """An off-topic question has no reliable hit, also when it is put in several ways."""
    index = opened({"a.md": "music lessons in winter"})
    query = "quantum chromodynamics lattice simulation music"
    others = ["gluon field theory of music", "hadron spectra computed numerically, music"]
    alone = [index.search(text).hits[0].relevance for text in (query, *others)]
    for also in ([], others):
        answer = index.search(query, also=also)
        assert {hit.confidence for hit in answer.hits} == {"weak"}
        assert answer.hits[0].relevance <= max(alone) < 1.0


def test_a_fallback_has_its_own_score_and_label(opened: Open) -> None:
    """Common words have no lexical label; the cosine is the score, and the answer says so."""
    answer = opened({}).search("plain words")
    assert answer.strategy == "vector"
    assert any("vector" in note for note in answer.notes)
    assert all(hit.score == hit.relevance for hit in answer.hits)
    cosine = {hit.doc_id: hit.confidence for hit in answer.hits}
    by_vector = opened({}).search("plain words", strategy="vector").hits
    assert {hit.doc_id: hit.confidence for hit in by_vector} == cosine


def test_identical_files_are_separate_until_asked(opened: Open) -> None:
    """Three copies are three hits; `dedupe` shows the first."""
    index = opened({f"{n}.md": "the zeppelin" for n in "abc"})
    assert ids(index.search("zeppelin")) == ["a.md", "b.md", "c.md"]
    assert ids(index.search("zeppelin", dedupe="content")) == ["a.md"]


def test_time_alone_moves_nothing(opened: Open) -> None:
    """The same question with the same `as_of` has the same figures; another day has others."""
    index = opened({"daily/2026-11-01.md": "zeppelin"}, SOURCES)
    first, again, later = (
        index.search("zeppelin", as_of=day).hits[0].composite
        for day in (AS_OF, AS_OF, "2027-12-01")
    )
    assert first == again > later


def test_undated_gets_the_floor(opened: Open) -> None:
    """Beside a fresh dated note of the same decaying source it comes second."""
    text = "# Note\n\nThe zeppelin.\n"
    index = opened({"daily/undated.md": text, "daily/2026-11-30.md": text}, SOURCES)
    answer = index.search("zeppelin", as_of=AS_OF)
    assert ids(answer) == ["daily/2026-11-30.md", "daily/undated.md"]
    undated = answer.hits[1]
    assert undated.composite == pytest.approx(0.3 * undated.relevance, rel=1e-12)


@pytest.mark.parametrize(
    ("config", "inequality"),
    [
        ('strategy = "vector"\nmin_score = 0.25', "0.2 < 0.25"),
        ('strategy = "hybrid"\nmin_score = 0.1', r"0.3 \* 0.2 / 1.0 < 0.1"),
        ('strategy = "hybrid"\nfusion = "rrf"\nmin_score = 0.5', "0.2 < 0.5"),
    ],
)
def test_a_threshold_out_of_reach_is_refused_on_opening(
    opened: Open, config: str, inequality: str
) -> None:
    """The inequality is in the message."""
    with pytest.raises(ConfigError, match=inequality):
        opened({"a.md": "zeppelin"}, f"[search]\n{config}\n")


def test_a_threshold_of_one_call_is_held_against_its_strategy(opened: Open) -> None:
    """What would be refused in the configuration is refused in a call, and the rest is fine."""
    index = opened({"a.md": "zeppelin"})
    assert ids(index.search("zeppelin", min_score=0.3)) == ["a.md"]
    with pytest.raises(InputError, match=r"0\.2 < 0\.3"):
        index.search("zeppelin", min_score=0.3, strategy="vector")
    with pytest.raises(InputError, match="<"):
        index.search("zeppelin", min_score=0.3, strategy="hybrid")
    assert ids(index.search("zeppelin", min_score=0.2, strategy="vector")) == ["a.md"]


def test_a_page_behind_the_end_is_no_weak_answer(opened: Open) -> None:
    """It says that the ranking ends before it, and gives no advice about the question."""
    answer = opened({"a.md": "zeppelin"}).search("zeppelin", offset=7)
    assert (answer.verdict, answer.hits, answer.nearest, answer.cursor) == ("hits", (), (), None)
    assert any("ends before" in note for note in answer.notes)
