"""What a text file becomes."""

from __future__ import annotations

from pathlib import Path

import pytest

from memidx.config import SourceConfig
from memidx.sources import FILE_KINDS
from memidx.sources.base import Item, Parsed
from memidx.sources.markdown import KIND

SOURCE = SourceConfig("docs")


def parse(text: str | bytes, path: str = "a.md") -> Parsed:
    """The parsed file."""
    return KIND.parse(SOURCE, path, text.encode() if isinstance(text, str) else text)


def item(text: str, path: str = "a.md") -> Item:
    """The one item of a file that is read without complaint."""
    parsed = parse(text, path)
    assert not parsed.skips
    (only,) = parsed.items
    return only


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# Title\ntext", "Title"),
        ("text\n\n   # Later #\n", "Later"),
        ("#\tTab\n", "Tab"),
        ("# \n# Second\n", "Second"),
        ("## Two\n# One\n", "One"),
        ("#hashtag\n# Real\n", "Real"),
        ("    # code\n# Real\n", "Real"),
        ("```\n# comment\n```\n# Real\n", "Real"),
        ("~~~sh\n# comment\n```\n~~~\n# Real\n", "Real"),
        ("````\n```\n# inner\n```\n# inner\n````\n# Real\n", "Real"),
        ("```a`b\n# Real\n", "Real"),
        ("```\n# never closed\n", None),
        ("<!--\n# hidden\n-->\n# Real\n", "Real"),
        ("<!-- never closed\n# Real\n", "Real"),
        ("# Real <!-- note -->\n", "Real"),
        ("---\ntitle: Stated\n---\n# Real\n", "Real"),
        ("---\n# comment\ntitle: Stated\n---\ntext\n", "Stated"),
        ("---\nTitle: Stated\n---\n", "Stated"),
        ("---\ntitle: 2024\n---\n", "2024"),
        ("---\ntitle: [a, b]\n---\n", None),
        ("---\ntitle: ''\n---\n", None),
        ("Title\n=====\n\ntext\n", "Title"),
        ("=====\nTitle\n=====\n", "Title"),
        ("text\n", None),
    ],
)
def test_the_title_is_the_first_heading_that_is_one(text: str, title: str | None) -> None:
    """Headings in fences, comments and front matter do not count; front matter is next."""
    assert item(text).title == title


def test_the_text_stays_whole() -> None:
    """Front matter, markup and odd characters all stay in the text; only line ends change."""
    assert (
        item("---\r\ntitle: A\r\n---\r\nB\u2028C\f\r\n").text == "---\ntitle: A\n---\nB\u2028C\f\n"
    )


@pytest.mark.parametrize(
    ("path", "front", "time"),
    [
        ("a.md", "date: 2024-01-05", "2024-01-05"),
        ("a.md", "updated: 2024-02-06T10:00:00+02:00", "2024-02-06T08:00:00Z"),
        ("a.md", "date: 2024-01-05\nupdated: 2024-02-06", "2024-01-05"),
        ("a.md", "date: soon\nupdated: 2024-02-06", "2024-02-06"),
        ("a.md", "Date: 20240105", "2024-01-05"),
        ("a.md", "date: 1700000000", "2023-11-14T22:13:20Z"),
        ("a.md", "date: [2024-01-05]", None),
        ("a.md", "date:", None),
        ("log/2024-03-07-x.md", "date: soon", "2024-03-07"),
        ("log/2024-03-07-x.md", "date: 2024-01-05", "2024-01-05"),
        ("2024-03-07/x.md", "k: v", None),
    ],
)
def test_the_time_comes_from_front_matter_else_the_name(
    path: str, front: str, time: str | None
) -> None:
    """`date` goes before `updated`, both before a date in the file name."""
    assert item(f"---\n{front}\n---\ntext\n", path).time == time


@pytest.mark.parametrize(
    ("front", "tags"),
    [
        ("tags: [a, B, a, 3]", ("a", "B", "3")),
        ("tags: a, b c", ("a", "b c")),
        ("tags: a b", ("a", "b")),
        ("tags:\n  - '#x'\n  - y", ("x", "y")),
        ("tags: {a: 1}", ()),
        ("tags: 7", ()),
        ("tags: [[a], null, true, '']", ()),
        ("tags:", ()),
    ],
)
def test_tags_are_read_as_people_write_them(front: str, tags: tuple[str, ...]) -> None:
    """Lists, commas, blanks and hash signs all work; other types are left aside."""
    assert item(f"---\n{front}\n---\ntext\n").tags == tags


def test_other_front_matter_is_meta() -> None:
    """Whatever has no field of its own is kept as a further fact."""
    found = item("---\ntitle: T\nstatus: done\nsuperseded_by: b.md\ndate: 2024-01-05\n---\n")
    assert found.meta == {"status": "done", "superseded_by": "b.md"}


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "is empty"),
        (b" \r\n\t\n", "is empty"),
        (b"\xef\xbb\xbf", "is empty"),
        (b"caf\xe9", "is not UTF-8: byte 0xe9 at offset 3, line 1"),
        (b"a\x00b", "holds NUL: binary, or UTF-16 without a byte order mark"),
    ],
)
def test_what_cannot_be_read_is_skipped_with_a_reason(data: bytes, reason: str) -> None:
    """No file makes parsing fail."""
    parsed = parse(data)
    assert not parsed.items
    assert [skip.reason for skip in parsed.skips] == [reason]
    assert parsed.skips[0].source == "docs"


def test_one_long_line_is_read() -> None:
    """A file of five megabytes without a line end is text; its title is still short work."""
    text = "# " + "word " * 1_000_000
    found = item(text)
    assert found.text == text
    assert found.title is not None
    assert len(found.title) <= 1000


@pytest.mark.parametrize(
    "piece", ["#", "# ", "```\n", "~~~", "<!--", "<!--\n", "a\n=", "\n ", "=\n"]
)
def test_no_text_makes_the_title_slow(piece: str) -> None:
    """A megabyte of landmarks is passed over in one go."""
    parse(piece * (2**20 // len(piece)))


@pytest.mark.shared
def test_every_odd_file_is_read_or_skipped_with_a_reason(shared: Path) -> None:
    """Each file of the zoo comes out as items or as skips, through every kind that takes it."""
    for path in sorted((shared / "zoo").iterdir()):
        for name, kind in FILE_KINDS.items():
            if not path.name.endswith(tuple(kind.suffixes)):
                continue
            parsed = kind.parse(SourceConfig("zoo", kind=name), path.name, path.read_bytes())
            assert parsed.items or parsed.skips, path.name
            assert all(skip.reason for skip in parsed.skips)
            for found in parsed.items:
                assert found.text.strip()
                found.text.encode()


@pytest.mark.shared
def test_odd_encodings_of_the_zoo_are_named(shared: Path) -> None:
    """The reason says which encoding it was, where that can be told."""
    expected = {
        "nonutf8--iso-2022-jp.txt": "ISO-2022",
        "nonutf8--euc-kr.txt": "is not UTF-8",
        "nonutf8--shift-jis.txt": "is not UTF-8",
        "nonutf8--cp1252-small.txt": "is not UTF-8",
        "utf16--utf16le-nobom.txt": "NUL",
        "empty--empty.md": "is empty",
    }
    for name, reason in expected.items():
        (skip,) = parse((shared / "zoo" / name).read_bytes(), name).skips
        assert reason in skip.reason
