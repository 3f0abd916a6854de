"""What files are called, and where patterns begin."""

from __future__ import annotations

import pytest

from memidx.text.paths import glob_base, identity, is_utf8, is_within, printable


def test_identity_is_posix_and_composed() -> None:
    """A decomposed name and its composed form are one identity; case and odd characters stay."""
    assert identity("cafe\u0301.md") == "caf\u00e9.md"
    assert identity("docs/./A b/[x]%_.md") == "docs/A b/[x]%_.md"


def test_raw_bytes_of_a_name_are_seen_and_shown() -> None:
    """A name that is not UTF-8 is told from text, and can be printed."""
    name = b"caf\xe9.md".decode("utf-8", "surrogateescape")
    assert not is_utf8(name)
    assert is_utf8("caf\u00e9.md")
    assert printable(name) == "caf\\xe9.md"
    assert printable("a\nb\x1b.md") == "a\\nb\\x1b.md"


def test_within_is_by_whole_parts() -> None:
    """`/a/bc` is not below `/a/b`."""
    assert is_within("/a/b/c", "/a/b")
    assert is_within("/a/b", "/a/b")
    assert is_within("/a", "/")
    assert not is_within("/a/bc", "/a/b")


@pytest.mark.parametrize(
    ("pattern", "base"),
    [
        ("**", ""),
        ("*.md", ""),
        ("docs", ""),
        ("docs/", ""),
        ("/docs/", "docs"),
        ("docs/**", "docs"),
        ("docs/decisions/**", "docs/decisions"),
        ("/docs/decisions/**", "docs/decisions"),
        ("docs/*/x.md", "docs"),
        ("docs/a.md", "docs"),
        ("docs/decisions", "docs/decisions"),
        ("docs/\\[x\\]/**", "docs/[x]"),
        ("docs/[ab]/**", "docs"),
        ("**/docs/x.md", ""),
        ("docs/../notes/**", "notes"),
        ("../**", ".."),
        ("docs/../../x/**", "../x"),
        ("./docs/**", "docs"),
        ("a.md", ""),
        ("/a.md", ""),
    ],
)
def test_the_base_is_what_stands_before_the_first_wildcard(pattern: str, base: str) -> None:
    """The folder a pattern cannot leave is known without looking at the disk."""
    assert glob_base(pattern) == base
