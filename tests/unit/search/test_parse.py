"""The query language, clause by clause."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memidx.search.parse import ParsedQuery, parse


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
        ("read-only", ParsedQuery("", words="read-only")),
        ("https://x/y", ParsedQuery("", words="https://x/y")),
        ("   ", ParsedQuery("")),
    ],
)
def test_clauses(text: str, expected: ParsedQuery) -> None:
    """Each form means what the language says, and everything else is text."""
    found = parse(text)
    assert (found.words, found.title_words, found.phrases, found.excluded, found.sources) == (
        expected.words,
        expected.title_words,
        expected.phrases,
        expected.excluded,
        expected.sources,
    )


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
