"""A changelog, release by release."""

from __future__ import annotations

import pytest

from memidx.config import SourceConfig
from memidx.sources.base import Item, Parsed
from memidx.sources.changelog import KIND

SOURCE = SourceConfig("changes", kind="changelog")


def parse(text: str | bytes, path: str = "CHANGELOG.md") -> Parsed:
    """What a changelog with this text becomes."""
    return KIND.parse(SOURCE, path, text.encode() if isinstance(text, str) else text)


def releases(text: str, path: str = "CHANGELOG.md") -> list[tuple[str | None, str | None]]:
    """Version and date of each item."""
    return [(item.anchor, item.time) for item in parse(text, path).items]


def test_keep_a_changelog() -> None:
    """The introduction and each release are items; lines and sections are those of the file."""
    text = (
        "# Changelog\n\nAll notable changes.\n\n"
        "## [Unreleased]\n\n### Added\n\n- Soon.\n\n"
        "## [1.2.0] - 2026-01-02\n\n### Fixed\n\n- A bug.\n\n\n"
        "## [1.1.0] - 2025-12-31 [YANKED]\n\n- First.\n\n"
        "[1.2.0]: https://example.org/1.2.0\n"
    )
    assert parse(text).items == (
        Item("CHANGELOG.md", None, "# Changelog\n\nAll notable changes.\n", "Changelog"),
        Item(
            "CHANGELOG.md",
            "Unreleased",
            "## [Unreleased]\n\n### Added\n\n- Soon.\n",
            "Changelog Unreleased",
            line=5,
        ),
        Item(
            "CHANGELOG.md",
            "1.2.0",
            "## [1.2.0] - 2026-01-02\n\n### Fixed\n\n- A bug.\n",
            "Changelog 1.2.0",
            "2026-01-02",
            line=11,
        ),
        Item(
            "CHANGELOG.md",
            "1.1.0",
            "## [1.1.0] - 2025-12-31 [YANKED]\n\n- First.\n\n[1.2.0]: https://example.org/1.2.0\n",
            "Changelog 1.1.0",
            "2025-12-31",
            line=18,
        ),
    )
    assert parse(text).skips == ()


@pytest.mark.parametrize(
    ("heading", "version", "time"),
    [
        ("[1.2.0] - 2026-01-02", "1.2.0", "2026-01-02"),
        ("1.2.0 (2026-01-02)", "1.2.0", "2026-01-02"),
        ("v1.2.0 / 2026-01-02", "1.2.0", "2026-01-02"),
        ("1.2.0 — January 2, 2026", "1.2.0", "2026-01-02"),
        ("1.2.0 (2 Jan 2026)", "1.2.0", "2026-01-02"),
        ("1.2.0 - Jan 2nd, 2026", "1.2.0", "2026-01-02"),
        ("1.2.0, 2026/01/02", "1.2.0", "2026-01-02"),
        ("1.2.0: released on 2026-01-02", "1.2.0", "2026-01-02"),
        ("1.2.0 [2026-01-02]", "1.2.0", "2026-01-02"),
        ("1.2.0 (January 2026)", "1.2.0", "2026-01-01"),
        ("1.2.0 / 2026-01-02 18:00:00 +0100", "1.2.0", "2026-01-02T17:00:00Z"),
        ("[1.2.0](https://example.org/v1.1.0...v1.2.0) (2026-01-02)", "1.2.0", "2026-01-02"),
        ("[1.2.0][] - 2026-01-02", "1.2.0", "2026-01-02"),
        ("[v1.2.0]", "1.2.0", None),
        ("Version 1.2.0", "1.2.0", None),
        ("Release v1.2.0", "1.2.0", None),
        ("**1.2.0** *(2026-01-02)*", "1.2.0", "2026-01-02"),
        ('<a name="1.2.0"></a>1.2.0 (2026-01-02)', "1.2.0", "2026-01-02"),
        ("1.2.0 {#v120}", "1.2.0", None),
        ("1.2.0 ##", "1.2.0", None),
        ("🎉 1.2.0", "1.2.0", None),
        ("1.2.0-beta.1+build.5 (2026-01-02)", "1.2.0-beta.1+build.5", "2026-01-02"),
        ("2.0rc1", "2.0rc1", None),
        ("1.0.0beta2 / 2010-07-23", "1.0.0beta2", "2010-07-23"),
        ("2.1.9-9-g3bf04290", "2.1.9-9-g3bf04290", None),
        ("1.2.x", "1.2.x", None),
        ("24.04", "24.04", None),
        ("v5", "5", None),
        ("1.2.23 superficial-malady (2014-08-22)", "1.2.23", "2014-08-22"),
        ("2026-01-02", "2026-01-02", "2026-01-02"),
        ("January 2, 2026", "2026-01-02", "2026-01-02"),
        ("Unreleased", "Unreleased", None),
        ("[Unreleased] - 2026-xx-xx", "Unreleased", None),
        ("1.2.0 (unreleased)", "1.2.0", None),
        ("1.2.0 (03/04/2026)", "1.2.0", None),  # could be two days
    ],
)
def test_headings_of_releases(heading: str, version: str, time: str | None) -> None:
    """However a release is written down, it has its version and the date of its heading."""
    assert releases(f"## {heading}\n\n- A change.\n") == [(version, time)]


@pytest.mark.parametrize(
    "heading",
    [
        "Added",
        "3 things to know",
        "Next steps",
        "401 errors are retried",
        "Upgrade from 1.0 to 2.0",
    ],
)
def test_other_headings_are_no_releases(heading: str) -> None:
    """A changelog without a release is one document of the whole file, and that is reported."""
    text = f"# History\n\n## {heading}\n\n- A change.\n"
    parsed = parse(text)
    assert parsed.items == (Item("CHANGELOG.md", None, text, "History"),)
    (skip,) = parsed.skips
    assert (skip.path, skip.source) == ("CHANGELOG.md", "changes")
    assert "no heading of a release" in skip.reason


def test_underlined_headings() -> None:
    """Setext headings, as old changelogs have them, with and without a blank line above."""
    text = (
        "1.1.0 / 2010-10-14 \n==================\n\n  * Added\n\n1.0.0 / 2010-09-20\n=====\n\n* x\n"
    )
    assert releases(text) == [("1.1.0", "2010-10-14"), ("1.0.0", "2010-09-20")]
    rst = "Changes\n=======\n\nVersion 2.2.0\n~~~~~~~~~~~~~\n\nReleased 2022-08-01\n\n- x\n"
    assert [(i.anchor, i.title, i.time) for i in parse(rst, "CHANGES.rst").items] == [
        ("2.2.0", "Changes 2.2.0", "2022-08-01")
    ]


def test_a_date_alone_below_the_heading_counts() -> None:
    """`_Released 2026-01-02_` is a date; a sentence with a date in it is a sentence."""
    assert releases("## 1.0\n\n_Released 2026-01-02_\n\n- x\n") == [("1.0", "2026-01-02")]
    assert releases("## 1.0\n\nThe API of 2026-01-02 is gone.\n") == [("1.0", None)]


def test_levels_by_the_size_of_a_release() -> None:
    """Some tools write `#` for a major and `###` for a patch release; notes stay in theirs."""
    text = (
        "# Change Log\n\n# [2.0.0](u) (2026-01-03)\n\n### Bug Fixes\n\n* a\n\n"
        "## [1.1.0](u) (2026-01-02)\n\n### 1.0 is gone\n\n### Python 3.12\n\n* b\n\n"
        "### [1.0.1](u) (2026-01-01)\n\n* c\n"
    )
    assert releases(text) == [
        ("2.0.0", "2026-01-03"),
        ("1.1.0", "2026-01-02"),
        ("1.0.1", "2026-01-01"),
    ]
    assert parse(text).items[0].title == "Change Log 2.0.0"


def test_a_version_of_something_else_is_no_release() -> None:
    """A deeper heading with a version in it is part of its release, and so is the file's title."""
    text = "# Django 4.2\n\n## 4.2.1\n\n### Python 3.12\n\n- x\n\n## 4.2\n\n- y\n"
    assert [(i.anchor, i.title) for i in parse(text).items] == [
        ("4.2.1", "Django 4.2 4.2.1"),
        ("4.2", "Django 4.2 4.2"),
    ]


def test_releases_without_dates_are_seen_beside_dates() -> None:
    """A date below a release does not hide the releases, nor does `Unreleased` above them."""
    assert [anchor for anchor, _ in releases("## 1.1\n\n### 2026-01-02\n\n- x\n\n## 1.0\n")] == [
        "1.1",
        "2026-01-02",
        "1.0",
    ]
    assert [anchor for anchor, _ in releases("# Unreleased\n\n- x\n\n## 1.0\n\n- y\n")] == [
        "Unreleased",
        "1.0",
    ]


def test_several_products_in_one_file() -> None:
    """A heading above the releases names what follows; what it says itself is not lost."""
    text = (
        "# Core\n\n## 1.0\n\n- a\n\n# Tools\n\nSmall helpers.\n\n## 1.0\n\n- b\n\n"
        "## web@2.0.0\n\n- c\n\n# Thanks\n\nTo all.\n"
    )
    assert [(i.anchor, i.title, i.line) for i in parse(text).items] == [
        ("1.0", "Core 1.0", 3),
        ("Tools", "Tools", 7),
        ("1.0", "Tools 1.0", 11),
        ("2.0.0", "web 2.0.0", 15),
        ("Thanks", "Thanks", 19),
    ]


def test_fences_comments_and_front_matter_hold_no_releases() -> None:
    """A heading in a fence, a comment, code or front matter is the text it stands in."""
    text = (
        "---\ntitle: 9.0\n---\n# Changelog\n\n<!--\n## 8.0.0\n-->\n\n## 1.0.0\n\n"
        "```\n## 0.9.0\n```\n\n~~~ md\n## 0.8.0\n~~~\n\n    ## 0.7.0\n\n<!-- ## 0.6.0 -->\n- x\n"
    )
    assert [anchor for anchor, _ in releases(text)] == [None, "1.0.0"]
    assert [anchor for anchor, _ in releases("## 1.0\n\n<!-- never closed\n\n## 0.9\n\n- x\n")] == [
        "1.0",
        "0.9",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "intro\n\n## 1.0\n- a\n# Other\nwords\n## 0.9\n- b\nend",
        "## 1.0\r\n- a\r\n\r\n## 0.9\r\n- b\r\n",
        "badge\n# Log\n\nsaid\n\n1.0\n---\n\n- a\n0.9\n---\n- b\n",
        "---\na: 1\n---\n\n## 1.0\n",
    ],
)
def test_no_word_is_lost(text: str) -> None:
    """Every line with a word in it is in the text, or is a heading that is in the titles."""
    items = parse(text).items
    kept = "\n".join(part for item in items for part in (item.title or "", item.text))
    for line in text.splitlines():
        assert line.strip("# ") in kept


def test_what_cannot_be_read_is_skipped() -> None:
    """Bytes that are no text, and files without any, are reported."""
    assert "is not UTF-8" in parse(b"\xff\xff").skips[0].reason
    assert [skip.reason for skip in parse(" \n").skips] == ["is empty"]


def test_time_is_linear() -> None:
    """Marks that open something over and over do not make it look ahead over and over."""
    text = "## 1.0\n" + "<!-- a\n" * 20_000 + "## [[" * 20_000 + "\n" + "```\n" * 20_001
    assert releases(text) == [("1.0", None)]
