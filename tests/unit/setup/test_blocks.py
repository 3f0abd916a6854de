"""A block of ours in a file of somebody else's: theirs stays byte for byte."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memidx.errors import InputError
from memidx.setup.blocks import HASH, HTML, with_block

BEGIN, END = (marker.encode() for marker in HASH)
OWNERS = st.lists(st.sampled_from(["*.pyc", "", "# mine", "caf\xe9", "a\rb"])).map(
    lambda lines: "\n".join(lines).encode()
)


def test_a_new_file_is_the_block() -> None:
    """Marker, lines, marker, and nothing else."""
    assert with_block(b"", "a\nb\n", HASH, "f") == BEGIN + b"\na\nb\n" + END + b"\n"


def test_a_block_is_appended_after_an_empty_line() -> None:
    """A last line without its end gets one, so that no line is joined to ours."""
    assert with_block(b"x", "a", HASH, "f") == b"x\n\n" + BEGIN + b"\na\n" + END + b"\n"
    assert with_block(b"x\n", "a", HASH, "f") == b"x\n\n" + BEGIN + b"\na\n" + END + b"\n"


@given(OWNERS, OWNERS)
def test_renewing_changes_the_block_alone(before: bytes, after: bytes) -> None:
    """What stands around it is the same to the byte, and a second time nothing changes."""
    head = before + b"\n" if before else b""
    old = head + BEGIN + b"\nold\n" + END + b"\n" + after
    new = with_block(old, "new\nlines", HASH, "f")
    newline = b"\n"
    assert new == head + newline.join((BEGIN, b"new", b"lines", END, b"")) + after
    assert with_block(new, "new\nlines", HASH, "f") == new


@given(OWNERS)
def test_appending_keeps_the_owners_bytes(owners: bytes) -> None:
    """The file begins as it was, and the block can be renewed from then on."""
    first = with_block(owners, "a", HASH, "f")
    assert first.startswith(owners)
    assert with_block(first, "a", HASH, "f") == first


def test_line_ends_follow_the_file() -> None:
    """A file with CRLF gets a block with CRLF; a byte order mark stays the first."""
    assert with_block(b"x\r\n", "a", HASH, "f").count(b"\r\n") == 5
    old = b"\xef\xbb\xbf" + with_block(b"", "a", HASH, "f")
    assert with_block(old, "b", HASH, "f") == b"\xef\xbb\xbf" + with_block(b"", "b", HASH, "f")


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (BEGIN + b"\na\n", 1),
        (b"x\n" + END + b"\n", 2),
        (END + b"\n" + BEGIN + b"\n", 2),
        ((BEGIN + b"\na\n" + END + b"\n") * 2, 4),
    ],
    ids=["no end", "no beginning", "turned round", "twice"],
)
def test_markers_that_are_no_pair_are_refused(data: bytes, line: int) -> None:
    """What is ours can no longer be told, so nothing is written, and the line is named."""
    with pytest.raises(InputError, match="not a pair") as error:
        with_block(data, "a", HASH, "f")
    assert (error.value.path, error.value.line) == ("f", line)


def test_markdown_has_markers_that_are_not_shown() -> None:
    """Comments of HTML, in a file that people read."""
    text = with_block(b"# Agents\n", "Ask first.", HTML, "AGENTS.md").decode()
    assert text.splitlines()[2].startswith("<!--")
    assert text.splitlines()[4].endswith("-->")
