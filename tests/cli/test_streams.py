"""The command line meets pipes, narrow terminals and closed streams without a crash."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Start = Callable[..., "subprocess.Popen[bytes]"]


def test_a_reader_that_has_enough_is_no_failure(start: Start) -> None:
    """`| head -1` gets its line, and nothing is said about a broken pipe."""
    process = start(
        "query", "lock", "-k", "5000", "--format", "jsonl", "--max-bytes", "0", hits=5000
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 0


def test_help_can_be_cut_short(start: Start) -> None:
    """A reader that left before the help came is told nothing about it."""
    reading, writing = os.pipe()
    os.close(reading)
    process = start("query", "--help", stdout=writing)
    os.close(writing)
    _, errors = process.communicate()
    assert errors == b""


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "utf-8"])
@pytest.mark.parametrize("form", ["table", "json", "jsonl", "md", "files"])
def test_every_form_fits_every_terminal(start: Start, encoding: str, form: str) -> None:
    """Japanese and emoji are escaped where the encoding lacks them; JSON stays JSON."""
    process = start("query", "lock", "--format", form, env={"PYTHONIOENCODING": encoding})
    out, errors = process.communicate()
    assert process.returncode == 0, errors
    text = out.decode(encoding)
    if form == "json":
        assert json.loads(text)["hits"][0]["title"] == "café 日 😀"
    elif form == "table" and encoding == "cp1252":
        assert "café \\u65e5 \\U0001f600" in text


def test_no_colour_and_one_line_in_a_pipe(start: Start) -> None:
    """Without a terminal there are no escape sequences, and JSON is one line."""
    out, _ = start("query", "lock").communicate()
    assert b"\x1b" not in out
    out, _ = start("query", "lock", "--format", "json").communicate()
    assert out.count(b"\n") == 1


@pytest.mark.parametrize(("no_color", "coloured"), [("", True), ("1", False)])
def test_colour_on_a_terminal_unless_it_is_unwanted(
    start: Start, no_color: str, coloured: bool
) -> None:
    """A terminal gets emphasis; NO_COLOR takes it away."""
    ours, theirs = pty.openpty()
    process = start("query", "lock", stdout=theirs, env={"TERM": "xterm", "NO_COLOR": no_color})
    os.close(theirs)
    seen = b""
    # Linux answers with an error, others with nothing, when the other side is closed.
    try:
        while piece := os.read(ours, 4096):
            seen += piece
    except OSError:
        pass
    os.close(ours)
    process.communicate()
    assert process.returncode == 0
    assert b"hits: 1 shown" in seen
    assert (b"\x1b[" in seen) is coloured


def test_a_closed_stdout_is_no_crash(start: Start) -> None:
    """Started with `>&-`, a query still ends with its own code."""
    process = start("query", "lock", preexec_fn=lambda: os.close(1))
    _, errors = process.communicate()
    assert b"Traceback" not in errors
    assert process.returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_ends_with_3(start: Start) -> None:
    """An answer that could not be written is an error, said on stderr."""
    with open("/dev/full", "wb") as full:
        process = start("query", "lock", stdout=full)
        _, errors = process.communicate()
    assert process.returncode == 3
    assert errors.startswith(b"Error: standard output: cannot write")
    assert b"Traceback" not in errors


def test_a_query_that_is_not_utf8_is_a_query(start: Start) -> None:
    """Bytes of an argument that are no text do not stop the search or its answer."""
    process = start("query", os.fsdecode(b"caf\xe9"), "--format", "json")
    out, errors = process.communicate()
    assert process.returncode == 0, errors
    json.loads(out)


def test_ctrl_c_ends_with_130_and_no_traceback(repository: Path) -> None:
    """An interrupt in the middle of a search leaves one word behind."""
    code = (
        "import sys, time, memidx\n"
        "from memidx.cli.app import run\n"
        "def slow(*a, **k):\n"
        "    print('searching', flush=True)\n"
        "    time.sleep(60)\n"
        "memidx.open = slow\n"
        "sys.argv = ['memidx', 'query', 'lock']\n"
        "run()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(repository)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"searching\n"
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    assert process.returncode == 130
    assert errors == b"Interrupted.\n"
