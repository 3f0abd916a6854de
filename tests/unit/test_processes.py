"""Other programs: what they say, and how they fail."""

from __future__ import annotations

import sys

import pytest

from memidx import processes
from memidx.errors import ProgramError


def output(code: str) -> bytes:
    """What a piece of Python prints."""
    return b"".join(processes.read_output([sys.executable, "-c", code], env={}))


def test_output_of_any_size_comes_whole() -> None:
    """Much on both streams at once, more than a pipe holds, stops neither side."""
    code = "import sys\nfor n in range(300): sys.stdout.write('a'*4096); sys.stderr.write('b'*4096)"
    assert output(code) == b"a" * 300 * 4096


def test_a_failure_says_what_the_program_said() -> None:
    """The line that is marked as the reason, without the mark; else the first, else the code."""
    for said, reason in {
        "warning: w\\nfatal: no such thing\\nhint: h": "no such thing",
        "went wrong\\n": "went wrong",
        "": f"{sys.executable} failed (3)",
    }.items():
        with pytest.raises(ProgramError) as failed:
            output(f"import sys; sys.stderr.write('{said}'); sys.exit(3)")
        assert failed.value.what == reason


def test_a_program_that_is_not_there() -> None:
    """It is named."""
    with pytest.raises(ProgramError, match="no-such-program is not installed"):
        list(processes.read_output(["no-such-program"], env={"PATH": ""}))
    with pytest.raises(ProgramError, match="cannot be started"):
        list(processes.read_output([sys.executable, "nul\0"], env={}))


def test_who_stops_reading_ends_the_program() -> None:
    """It does not go on for nobody, and it is not waited for."""
    endless = "import sys\nwhile True: print('y' * 4096)"
    pieces = processes.read_output([sys.executable, "-c", endless], env={})
    assert next(pieces).startswith(b"y")
    pieces.close()  # type: ignore[attr-defined]


def test_there_is_no_input_and_no_inherited_environment() -> None:
    """A program that asks is told nothing."""
    code = "import os, sys; print(repr(sys.stdin.read()), 'HOME' in os.environ)"
    assert output(code).split() == [b"''", b"False"]
