"""Suggestions: from what was asked and from titles, each with its provenance, none accepted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memidx.evals import lint_suite, parse_suite
from memidx.evals.lint import leaks_title, normal
from memidx.evals.suggesting import Suggestion, suggest
from memidx.evals.suggestion_text import render_suggestions
from memidx.querylog import LoggedHit, LoggedOpening, LoggedQuery

DAY = "2026-11-30"
Make = Callable[..., Any]


def asked(text: str, *hits: str, day: str = DAY, **more: Any) -> LoggedQuery:
    """A query that got these hits, `doc_id` or `doc_id~confidence`."""
    logged = []
    for rank, name in enumerate(hits, 1):
        doc_id, _, confidence = name.partition("~")
        logged.append(LoggedHit(rank, doc_id, confidence or "reliable"))
    return LoggedQuery(day, text, "hits" if hits else "no_match", len(hits), tuple(logged), **more)


def opened(doc_id: str, day: str = DAY) -> LoggedOpening:
    """A document that was opened."""
    return LoggedOpening(day, doc_id)


@pytest.fixture
def rows(make_row: Make) -> list[Any]:
    """Three documents whose titles are too short to ask for."""
    return [make_row(name, title=name) for name in ("a.md", "b.md", "c.md")]


def _brief(found: list[Suggestion]) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(one.text, one.provenance, one.expect_paths) for one in found]


def test_what_was_opened_is_the_label(rows: list[Any]) -> None:
    """The document that was opened counts, not the first hit."""
    found = suggest([asked("lock timeout", "a.md", "b.md"), opened("b.md")], rows)
    assert _brief(found) == [("lock timeout", "log", ("b.md",))]
    assert found[0].query_id == "log-lock-timeout"


def test_an_opening_belongs_to_the_latest_query_that_showed_it(rows: list[Any]) -> None:
    """A query in between that showed something else is passed over; another day is too far."""
    log = [asked("one", "a.md"), asked("two", "b.md"), asked("three", "c.md"), opened("b.md")]
    assert _brief(suggest(log, rows)) == [("two", "log", ("b.md",))]
    log = [asked("one", "a.md", day="2026-11-29"), opened("a.md")]
    assert suggest(log, rows) == []


def test_an_opening_after_many_queries_belongs_to_none(rows: list[Any]) -> None:
    """Five queries later nobody can tell why a document was opened."""
    others = [asked(word, "c.md") for word in ("alpha", "beta", "gamma", "delta", "epsilon")]
    assert _brief(suggest([asked("one", "a.md"), *others[:4], opened("a.md")], rows)) == [
        ("one", "log", ("a.md",))
    ]
    assert suggest([asked("one", "a.md"), *others, opened("a.md")], rows) == []


def test_other_words_that_found_it_give_the_label(rows: list[Any]) -> None:
    """The query that failed is proposed with what the later one found, as a paraphrase."""
    log = [asked("mutex timeout", "c.md~weak"), asked("lock timeout", "a.md")]
    (found,) = suggest(log, rows)
    assert (found.text, found.category) == ("mutex timeout", "paraphrase")
    assert (found.provenance, found.expect_paths) == ("retriever", ("a.md",))
    assert "'lock timeout'" in found.why


def test_other_words_and_an_opening_are_no_guess_of_the_retriever(rows: list[Any]) -> None:
    """Where the later query's document was opened, people said so."""
    log = [asked("mutex timeout"), asked("lock timeout", "a.md", "b.md"), opened("b.md")]
    assert _brief(suggest(log, rows)) == [
        ("lock timeout", "log", ("b.md",)),
        ("mutex timeout", "log", ("b.md",)),
    ]


def test_words_that_have_nothing_in_common_are_no_rephrasing(rows: list[Any]) -> None:
    """The next question is another question: a shared stop word does not join them."""
    log = [asked("how is the mutex kept"), asked("how is the wren heard", "a.md")]
    (found,) = suggest(log, rows)
    assert (found.category, found.expect_paths) == ("no-answer", ())


def test_what_found_nothing_is_proposed_once(rows: list[Any]) -> None:
    """However often it was asked, in whatever order; expecting nothing is the guess."""
    log = [asked("scuba places"), asked("places scuba", "a.md~weak"), asked("Scuba places?")]
    (found,) = suggest(log, rows)
    assert found.text == "Scuba places?"
    assert (found.category, found.expect_paths) == ("no-answer", ())
    assert found.why.startswith("asked 3 times and found nothing")


def test_what_found_something_in_the_end_is_no_gap(rows: list[Any]) -> None:
    """The latest answer counts: the document has been written since."""
    found = suggest([asked("lock"), asked("lock", "a.md")], rows)
    assert _brief(found) == [("lock", "retriever", ("a.md",))]


def test_an_answered_query_is_proposed_when_it_is_asked_again(rows: list[Any]) -> None:
    """Once is no evidence; twice is, and its first hit is the retriever's own guess."""
    assert suggest([asked("lock timeout", "a.md", "b.md")], rows) == []
    again = [asked("lock timeout", "a.md", "b.md")] * 2
    assert _brief(suggest(again, rows)) == [("lock timeout", "retriever", ("a.md",))]


def test_the_best_evidence_comes_first(rows: list[Any]) -> None:
    """Opened, put in other words, found nothing, asked often; then by how often; then by age."""
    log = [
        *[asked("often", "a.md")] * 2,
        *[asked("oftener", "a.md")] * 3,
        asked("nothing"),
        asked("mutex wait"),
        asked("lock wait", "b.md"),
        asked("seen", "c.md"),
        opened("c.md"),
    ]
    texts = [one.text for one in suggest(log, rows)]
    assert texts == ["seen", "mutex wait", "nothing", "oftener", "often"]
    assert [one.text for one in suggest(log, rows, limit=2)] == texts[:2]


@pytest.mark.parametrize(
    "entry",
    [
        asked("lock", filters={"source": ["docs"]}),
        asked("lock in <path>/a.py"),
        asked("token <secret>"),
        asked("caf\udce9"),
        asked("???"),
        asked(""),
    ],
)
def test_what_a_suite_cannot_ask_is_not_proposed(rows: list[Any], entry: LoggedQuery) -> None:
    """A suite has no filters, and a query is made of words and characters, as it was asked."""
    assert suggest([entry, entry], rows) == []


def test_a_label_that_is_gone_is_none(rows: list[Any]) -> None:
    """What was opened and is not indexed any more would be a dangling label."""
    assert (
        suggest([asked("lock", "gone.md"), opened("gone.md"), asked("lock", "gone.md")], rows) == []
    )


@pytest.mark.parametrize(
    ("text", "proposed"),
    [
        ("Lock TIMEOUT?", False),
        ("what is the timeout of the lock", False),
        ("lock timeout seconds", True),
        ("lock -timeout", True),
    ],
)
def test_what_the_suite_has_is_left_out(
    rows: list[Any], make_suite: Make, text: str, proposed: bool
) -> None:
    """Nearly the same words are the same query; one word in three more is another."""
    suite = make_suite("id: log-lock, query: lock timeout, expect_paths: [c.md]")
    found = suggest([asked(text, "a.md"), opened("a.md")], rows, suite)
    assert [one.text for one in found] == ([text] if proposed else [])


def test_four_words_in_five_are_the_same_query(rows: list[Any], make_suite: Make) -> None:
    """4 of 5 words in common are 0.8, 4 of 6 are not."""
    suite = make_suite("id: q, query: alpha beta gamma delta, expect_paths: [c.md]")
    assert suggest([asked("alpha beta gamma delta epsilon")], rows, suite) == []
    assert len(suggest([asked("alpha beta gamma delta epsilon zeta")], rows, suite)) == 1


def test_an_id_of_the_suite_is_not_taken(rows: list[Any], make_suite: Make) -> None:
    """A second query with the same first words gets a number."""
    suite = make_suite("id: log-lock, query: something else, expect_paths: [c.md]")
    (found,) = suggest([asked("lock", "a.md"), opened("a.md")], rows, suite)
    assert found.query_id == "log-lock-2"


# Titles


def test_a_title_becomes_a_query_that_does_not_hold_it(make_row: Make) -> None:
    """Stop words, numbers, letters and the commonest word go: `store` is in two titles."""
    found = suggest(
        [],
        [
            make_row("a.md", title="0017 The store's lock is given up after a crash"),
            make_row("b.md", title="A store merges by document identity"),
        ],
    )
    assert {one.expect_paths: one.text for one in found} == {
        ("a.md",): "lock given crash",
        ("b.md",): "merges document identity",
    }
    assert {one.provenance for one in found} == {"title"}


def test_no_title_query_leaks_its_title(make_row: Make) -> None:
    """Not even where the title is nothing but telling words."""
    titles = ["alpha beta gamma delta", "Lock Timeout Crash Safety", "one1 two2 three3 four4 five5"]
    rows = [make_row(f"{n}.md", title=title) for n, title in enumerate(titles)]
    found = suggest([], rows)
    assert len(found) == 3
    for one in found:
        (doc_id,) = one.expect_paths
        assert not leaks_title(normal(one.text), normal(titles[int(doc_id[0])]))


def test_titles_of_what_the_suite_expects_are_left_out(make_row: Make, make_suite: Make) -> None:
    """So are titles that two documents have, and those that say too little."""
    rows = [
        make_row("docs/a.md", title="alpha beta gamma delta"),
        make_row("b.md", title="one word other places"),
        make_row("c.md", title="same telling title twice"),
        make_row("d.md", title="Same telling title, twice"),
        make_row("e.md", title="epsilon zeta eta theta"),
    ]
    suite = make_suite('id: q, query: words, expect_paths: ["docs/*.md"]')
    assert [one.expect_paths for one in suggest([], rows, suite)] == [("e.md",)]


def test_sources_take_turns(make_row: Make) -> None:
    """A source of many documents does not take all places."""
    many = [make_row(f"m{n}.md", "many", title=f"w{n}a w{n}b w{n}c w{n}d") for n in range(20)]
    few = [make_row("f.md", "few", title="alpha beta gamma delta")]
    found = suggest([], [*many, *few], limit=2)
    assert ("f.md",) in [one.expect_paths for one in found]


# The text


def test_the_text_is_a_suite_that_the_lint_refuses(make_row: Make) -> None:
    """Every entry reads back as it was, is watched only, and is an error until it is confirmed."""
    rows = [
        make_row("a.md", title="x"),
        make_row("[b] #1: é😀.md", title="x"),
        make_row("t.md", title="alpha beta gamma delta"),
    ]
    log = [
        asked("1e5", "a.md"),
        opened("a.md"),
        asked("no: 'q' \"x\" # \t\x85 \u2028 é😀", "[b] #1: é😀.md"),
        opened("[b] #1: é😀.md"),
        asked("scuba"),
    ]
    found = suggest(log, rows)
    suite = parse_suite(render_suggestions(found), "new.yaml")
    assert [(q.query_id, q.text, q.category, q.why, q.provenance) for q in suite.queries] == [
        (s.query_id, s.text, s.category, s.why, s.provenance) for s in found
    ]
    assert [
        tuple(path for entry in q.expect_paths for path in entry.any_of) for q in suite.queries
    ] == [s.expect_paths for s in found]
    assert {q.severity for q in suite.queries} == {"should"}
    assert {s.provenance for s in found} == {"log", "retriever", "title"}
    findings = lint_suite(suite, rows)
    assert [f.query_id for f in findings if f.rule == "self-provenance"] == [
        s.query_id for s in found
    ]
    assert {f.rule for f in findings if f.severity == "error"} == {"self-provenance"}


def test_a_confirmed_suggestion_passes_the_lint(rows: list[Any]) -> None:
    """Who confirmed it is written in place of `log`."""
    text = render_suggestions(suggest([asked("lock", "a.md"), opened("a.md")], rows))
    confirmed = text.replace("provenance: log", "provenance: confirmed by Ana, from the log")
    assert lint_suite(parse_suite(confirmed, "new.yaml"), rows) == []
