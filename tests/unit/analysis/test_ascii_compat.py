"""The analyzer that reproduces the published reference."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memidx.analysis import get_analyzer
from memidx.analysis.ascii_compat import STOP_WORDS
from memidx.errors import ConfigError

ANALYZER = get_analyzer("ascii-compat")


def test_terms_by_hand() -> None:
    """Lower-cased ASCII words of three characters or more, without the 49 stop words."""
    (words,) = ANALYZER.document(
        title="not looked at", path="nor.md", text="The Lock-file: a C3PO x 2nd time_out, lock-file"
    )
    # "2nd": the pattern begins at the letter, and "nd" is too short.
    assert dict(words.tf) == {"lock-file": 2, "c3po": 1, "time_out": 1}
    assert words.length == 4


def test_stop_words_are_the_published_49() -> None:
    """The list has 49 different words."""
    assert len(STOP_WORDS) == 49


def test_query_keeps_repeats_at_full_weight() -> None:
    """Repeated words of a query add up, so they are kept; all weigh 1 and are content."""
    words = ANALYZER.query("Beta the beta")
    assert [(word.surface, word.terms) for word in words] == [
        ("Beta", (("beta", 1.0),)),
        ("beta", (("beta", 1.0),)),
    ]
    assert all(word.content for word in words)


def test_placeholders_yield_no_terms() -> None:
    """What redaction left behind is not text."""
    (words,) = ANALYZER.document(title="", path="", text="<path>/notes <secret> path")
    assert dict(words.tf) == {"notes": 1, "path": 1}


@given(st.text())
def test_equals_the_published_pattern(text: str) -> None:
    """Terms are those of the pattern, written down once more here."""
    bare = text.replace("<path>", " ").replace("<secret>", " ")
    expected = Counter(
        word.lower()
        for word in re.findall(r"[A-Za-z][A-Za-z0-9_-]{2,}", bare)
        if word.lower() not in STOP_WORDS
    )
    (words,) = ANALYZER.document(title="", path="", text=text)
    assert dict(words.tf) == dict(expected)
    assert Counter(t for span in ANALYZER.spans(text) for t in span.terms) == expected


def test_unknown_analyzer_is_named() -> None:
    """A wrong name is the caller's mistake, and the message lists the right ones."""
    with pytest.raises(ConfigError, match="default or ascii-compat"):
        get_analyzer("german")
