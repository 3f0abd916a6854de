"""Decoding and redaction hold for any text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memidx.text import days_since_epoch
from memidx.text.dates import parse_time
from memidx.text.decode import Undecodable, decode
from memidx.text.front_matter import read_front_matter
from memidx.text.redact import redact

WORDS = r"""
/home/ /Users/ alice bob /root C:\Users\ \ / : = " ' ` token secret password: api_key= sk- eyJ
a1B2c3D4e5F6g7H8 <path> <secret> file:// https:// user:pw@ ~ _ - . ( ) | %2F home Users Jane Doe and
-Users-
"""
PIECES = st.sampled_from([*WORDS.split(), "AKIA" + "IOSFODNN7EXAMPLE", " ", "\n", "\n\n", "\t"])


@given(st.binary(max_size=200))
def test_bytes_are_text_or_refused(data: bytes) -> None:
    """No bytes make decoding fail in another way, and no text holds NUL or CR."""
    try:
        text = decode(data)
    except Undecodable:
        return
    assert "\0" not in text
    assert "\r" not in text


@given(st.text(st.characters(exclude_characters="\r\0\ufeff\x1b", exclude_categories=["Cs"])))
def test_utf_8_comes_back_as_it_was(text: str) -> None:
    """Encoding and decoding is the identity for text with LF line ends."""
    assert decode(text.encode()) == text


@given(st.lists(PIECES, max_size=30).map("".join))
def test_redaction_is_done_once(text: str) -> None:
    """However shapes meet, a second redaction changes nothing."""
    once = redact(text)
    assert redact(once) == once


@given(st.text(max_size=60))
def test_ordinary_characters_survive_redaction(text: str) -> None:
    """A text without the words that begin private data comes back unchanged."""
    marked = ("home", "user", "root", "settings", "://", "key", "secret", "token", "pass", "pwd")
    if len(text) < 16 and not any(mark in text.lower() for mark in marked):
        assert redact(text) == text


@given(st.lists(st.sampled_from(list("---\n:ab [],{}'\"#&*!|>%@`\t-.0")), max_size=60).map("".join))
def test_no_front_matter_makes_reading_fail(body: str) -> None:
    """Whatever stands between the rules, it is read or it is text."""
    found = read_front_matter(f"---\n{body}\n---\ntext")
    assert found.end_line >= 0
    assert all(isinstance(key, str) for key in found.meta)


@given(st.datetimes())
def test_dates_agree_with_the_standard_library(moment: object) -> None:
    """The arithmetic here gives what `datetime` gives, for every day there is."""
    from datetime import UTC, datetime

    assert isinstance(moment, datetime)
    iso = moment.isoformat()
    normal = parse_time(iso)
    assert normal is not None
    assert datetime.fromisoformat(normal) == moment.replace(tzinfo=UTC)
    expected = (moment.replace(tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()
    assert abs(days_since_epoch(normal) - expected / 86_400) < 1e-6
