"""Which bytes are text, and what becomes of them."""

from __future__ import annotations

import codecs

import pytest

from memidx.text.decode import Undecodable, decode


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        (b"plain", "plain"),
        ("caf\u00e9 \U0001f418".encode(), "caf\u00e9 \U0001f418"),
        (b"\xef\xbb\xbf# Title", "# Title"),
        (b"\xef\xbb\xbf\xef\xbb\xbf---\n", "---\n"),
        (codecs.BOM_UTF16_LE + "h\u00e9\n".encode("utf-16-le"), "h\u00e9\n"),
        (codecs.BOM_UTF16_BE + "h\u00e9\n".encode("utf-16-be"), "h\u00e9\n"),
        (codecs.BOM_UTF32_LE + "h\u00e9".encode("utf-32-le"), "h\u00e9"),
        (codecs.BOM_UTF32_BE + "h\u00e9".encode("utf-32-be"), "h\u00e9"),
    ],
)
def test_unicode_with_or_without_a_mark_is_text(data: bytes, text: str) -> None:
    """UTF-8 needs no byte order mark, UTF-16 and UTF-32 do, and no mark stays in the text."""
    assert decode(data) == text


def test_every_line_end_becomes_a_line_feed() -> None:
    """Windows' and old Mac's line ends do not change what a line is."""
    assert decode(b"a\r\nb\rc\n\r\nd") == "a\nb\nc\n\nd"


def test_other_line_separators_are_left_alone() -> None:
    """Only CR and LF end lines; form feeds and Unicode separators are the file's own words."""
    text = "a\x0cb\x0bc\u2028d\x85e"
    assert decode(text.encode()) == text


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ("caf\u00e9".encode("latin-1"), "byte 0xe9 at offset 3, line 1"),
        (b"one\ntwo \x93quoted\x94", "byte 0x93 at offset 8, line 2"),
        ("\u8a00\u8a9e".encode("shift-jis"), "is not UTF-8"),
        ("\ud55c\uad6d".encode("euc-kr"), "is not UTF-8"),
        (b"a\x00b", "NUL"),
        ("plain".encode("utf-16-le"), "NUL"),
        ("plain".encode("utf-16-be"), "NUL"),
        (b"\xed\xa0\x80", "is not UTF-8"),
        (codecs.BOM_UTF16_LE + b"a\x00b", "starts as UTF-16"),
        (codecs.BOM_UTF16_LE + b"\x00\xd8a\x00", "starts as UTF-16"),
        (codecs.BOM_UTF32_BE + b"\x00\x11\x00\x00", "starts as UTF-32"),
        (b"\xff\xd8\xff\xe0JFIF", "is not UTF-8"),
    ],
)
def test_anything_else_is_refused_with_what_was_seen(data: bytes, reason: str) -> None:
    """Other encodings, binary and NUL are never indexed as noise."""
    with pytest.raises(Undecodable) as refused:
        decode(data)
    assert reason in refused.value.reason


@pytest.mark.parametrize("codec", ["iso2022_jp", "iso2022_jp_2", "iso2022_kr"])
def test_iso_2022_is_refused_by_name(codec: str) -> None:
    """ISO-2022 is valid ASCII whose words would never be found, so it is refused and named."""
    sample = "\ud55c\uad6d\uc5b4" if codec.endswith("kr") else "\u65e5\u672c\u8a9e"
    with pytest.raises(Undecodable, match="ISO-2022"):
        decode(sample.encode(codec))


def test_terminal_escapes_are_not_iso_2022() -> None:
    """A coloured log holds escape characters and is text all the same."""
    log = "\x1b[31mred\x1b[0m \x1b(B\x1b[m \x1b(0lqk\x1b(B"
    assert decode(log.encode()) == log
