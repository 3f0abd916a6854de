"""Exact phrases, whatever the punctuation between their words."""

from __future__ import annotations

import unicodedata

import pytest

from memidx.search.phrases import fold, holds_phrase


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("Grade 4: Week 1", "grade 4 week 1"),
        ("v2.1.9-9-g3bf04290 fixes 1.0.21", "1.0.21"),
        ("v2.1.9-9-g3bf04290", "2.1.9"),
        ("see ADR-0017 and uteke-cloud-dev", "ADR-0017"),
        ("see ADR-0017 and uteke-cloud-dev", "uteke-cloud-dev"),
        ("a café here", "cafe"),
        (unicodedata.normalize("NFD", "학점인정"), "학점인정"),
        ("把部署方案写好", "部署方案"),
        ("call atomic_write_json now", "atomic write json"),
        ("``max_retries``", "max_retries"),
    ],
)
def test_phrase_is_found(text: str, phrase: str) -> None:
    """Case, accents, forms and punctuation do not hide a phrase."""
    assert holds_phrase(fold(text), fold(phrase))


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("the filelocks hold", "file lock"),
        ("lock the file", "file lock"),
        ("weekend 1", "week"),
        ("release 12.1.90", "2.1.9"),
    ],
)
def test_phrase_is_not_found_inside_other_words(text: str, phrase: str) -> None:
    """A phrase is whole words in their order, and numbers are whole numbers."""
    assert not holds_phrase(fold(text), fold(phrase))
