"""A script of one form, written and run as any sed runs it."""

from __future__ import annotations

import pytest

from memidx.store.sed import SedError, find_line, run_script, write_script


def test_a_script_doubles_backslashes_and_nothing_else() -> None:
    """Quotes, ampersands, slashes, white space and bytes beyond ASCII are themselves."""
    line = '{"text":"a\\n\\\\ & / \'é\\"\t "}  \n'.encode()
    assert write_script("docs-3f.jsonl", 12, line) == (
        '# docs-3f.jsonl\n12c\\\n{"text":"a\\\\n\\\\\\\\ & / \'é\\\\"\t "}  \n'.encode()
    )


@pytest.mark.parametrize("number", [1, 2, 3])
def test_running_a_script_changes_one_line(number: int) -> None:
    """The first, a middle and the last line; running it again changes nothing more."""
    data = b"one\ntwo\nthree\n"
    expected = data.splitlines(keepends=True)
    expected[number - 1] = b"{a\\b\\\\}\n"
    script = write_script("docs.jsonl", number, b"{a\\b\\\\}\n")
    assert run_script(script, data) == b"".join(expected)
    assert run_script(script, run_script(script, data)) == b"".join(expected)


@pytest.mark.parametrize(
    ("script", "what"),
    [
        (b"4c\\\nx\n", "no line 4"),
        (b"0c\\\nx\n", "not a script"),
        (b"c\\\nx\n", "not a script"),
        (b"1c x\n", "not a script"),
        (b"1c\\\nx", "not a script"),
        (b"1c\\\na\\tb\n", "not a script"),
        (b"1c\\\nx\\\n", "not a script"),
        (b"1c\\\nx\ny\n", "not a script"),
        (b"1c\\\nx\n2c\\\ny\n", "not a script"),
        (b"#n\n1c\\\nx\n", "not a script"),
        (b"", "not a script"),
    ],
)
def test_what_is_not_of_the_form_is_refused(script: bytes, what: str) -> None:
    """Nothing is guessed: another command, a lone backslash, a second line, a cut."""
    with pytest.raises(SedError, match=what):
        run_script(script, b"one\ntwo\nthree\n")


def test_long_lines_are_lines() -> None:
    """A megabyte of backslashes, there and back."""
    line = b"{" + b"\\" * 2**20 + b"}\n"
    script = write_script("docs.jsonl", 2, line)
    assert len(script) == len(b"# docs.jsonl\n2c\\\n{}\n") + 2 * 2**20
    assert run_script(script, b"a\nb\nc\n") == b"a\n" + line + b"c\n"


def test_lines_are_found_by_number() -> None:
    """Offsets of the line with its LF; a line without one is none."""
    data = b"a\n\r\x0b\xc2\x85x\n\nlast"
    assert [find_line(data, n) for n in (1, 2, 3, 4, 5)] == [(0, 2), (2, 8), (8, 9), None, None]
    assert find_line(b"", 1) is None
