"""The query language, clause by clause."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memidx.search.parse import MAX_CHARACTERS, MAX_CLAUSES, ParsedQuery, parse


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("file lock", ParsedQuery("", words="file lock")),
        ('"file lock" x', ParsedQuery("", words="file lock x", phrases=("file lock",))),
        ("go test -race", ParsedQuery("", words="go test", excluded=("race",))),
        ('a -"b c"', ParsedQuery("", words="a", excluded=("b c",))),
        ("title:lock", ParsedQuery("", title_words="lock")),
        ('title:"file lock" x', ParsedQuery("", words="x", title_words="file lock")),
        ("source:docs x", ParsedQuery("", words="x", sources=("docs",))),
        ("-- --limit 5", ParsedQuery("", words="-- --limit 5")),
        ("status: done", ParsedQuery("", words="status: done")),
        ("title: x", ParsedQuery("", words="title: x")),
        ("a - b -> c", ParsedQuery("", words="a - b -> c")),
        ("-5 degrees", ParsedQuery("", words="-5 degrees")),
        ('"', ParsedQuery("", words='"')),
        ('say "hello', ParsedQuery("", words='say "hello')),
        ('""', ParsedQuery("")),
        ('5"x"', ParsedQuery("", words='5"x"')),
        ("-foo", ParsedQuery("", excluded=("foo",))),
        ("lock -source:notes", ParsedQuery("", words="lock", excluded_sources=("notes",))),
        ("lock -title:door", ParsedQuery("", words="lock", excluded_titles=("door",))),
        ('x -title:"old door"', ParsedQuery("", words="x", excluded_titles=("old door",))),
        ('x -source:"my notes"', ParsedQuery("", words="x", excluded_sources=("my notes",))),
        ("-title:door", ParsedQuery("", excluded_titles=("door",))),
        ("--title:door", ParsedQuery("", words="--title:door")),
        ("source:a source:a x", ParsedQuery("", words="x", sources=("a",))),
        ("-a -a x", ParsedQuery("", words="x", excluded=("a",))),
        ("read-only", ParsedQuery("", words="read-only")),
        ("https://x/y", ParsedQuery("", words="https://x/y")),
        ("   ", ParsedQuery("")),
    ],
)
def test_clauses(text: str, expected: ParsedQuery) -> None:
    """Each form means what the language says, and everything else is text."""
    assert replace(parse(text), text="") == expected


@given(st.text())
def test_no_input_raises(text: str) -> None:
    """Every string is a query, and keeps its own text."""
    assert parse(text).text == text


@given(st.text(alphabet='ab "-:titlesource', max_size=40))
def test_no_plain_word_is_lost(text: str) -> None:
    """Words without syntax in them are searched as they are."""
    plain = [w for w in text.split() if w.isalnum()]
    if '"' not in text:
        kept = parse(text).words.split()
        assert all(word in kept for word in plain)


def test_exclusions_are_listed_as_they_are_written() -> None:
    """Words, then titles, then sources, each with its prefix."""
    parsed = parse("x -source:notes -door -title:old")
    assert parsed.exclusions == ("door", "title:old", "source:notes")


def test_a_long_query_is_read_up_to_a_word() -> None:
    """A word is searched whole or not at all, and what is left out is counted."""
    text = "abcdefg " * 1000
    parsed = parse(text[:8000])
    assert len(parsed.words) <= MAX_CHARACTERS
    assert set(parsed.words.split()) == {"abcdefg"}
    assert parsed.n_left_out == 8000 - len(parsed.text) > 0
    assert text.startswith(parsed.text)


def test_one_endless_word_is_cut() -> None:
    """There is no place to cut before it."""
    parsed = parse("a" * 100_000)
    assert (len(parsed.words), parsed.n_left_out) == (MAX_CHARACTERS, 100_000 - MAX_CHARACTERS)


def test_a_query_has_so_many_clauses() -> None:
    """Short words are bounded by their number."""
    parsed = parse(" ".join(str(n % 10) for n in range(MAX_CLAUSES + 5)))
    assert len(parsed.words.split()) == MAX_CLAUSES
    assert parsed.n_left_out == len("2 3 4 5 6")


@given(st.text(max_size=60), st.integers(1, 400))
def test_any_input_is_bounded(text: str, times: int) -> None:
    """However long, the query keeps its beginning and loses a counted rest."""
    whole = text * times
    parsed = parse(whole)
    assert whole.startswith(parsed.text)
    assert len(parsed.text) <= MAX_CHARACTERS
    assert len(parsed.text) + parsed.n_left_out == len(whole)
