"""Text reaches whoever asked, whatever is at the other end."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from memidx.cli import terminal
from memidx.errors import FileError


def _stream(encoding: str) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="strict", newline="")


def _written(stream: io.TextIOWrapper) -> bytes:
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue()


def test_a_character_the_terminal_lacks_is_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    """A title in Japanese on a cp1252 terminal is shown as escapes."""
    stream = _stream("cp1252")
    monkeypatch.setattr(sys, "stdout", stream)
    terminal.prepare_streams()
    terminal.write_out("é 日")
    assert _written(stream) == b"\xe9 \\u65e5\n"


def test_json_stays_json_on_a_narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Escapes of JSON, not those of Python, stand for what cp1252 lacks."""
    stream = _stream("cp1252")
    monkeypatch.setattr(sys, "stdout", stream)
    terminal.prepare_streams()
    terminal.write_out(terminal.to_json({"title": "é 😀"}))
    assert json.loads(_written(stream)) == {"title": "é 😀"}


def test_json_keeps_characters_and_survives_half_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """UTF-8 output is written as it is; a lone surrogate leaves as an escape of JSON."""
    stream = _stream("utf-8")
    monkeypatch.setattr(sys, "stdout", stream)
    terminal.prepare_streams()
    terminal.write_out(terminal.to_json({"é": "\ud83d"}))
    assert _written(stream) == b'{"\xc3\xa9": "\\ud83d"}\n'


def test_text_of_a_document_does_not_steer_the_terminal() -> None:
    """Escape sequences, line ends and turned writing become spaces."""
    assert terminal.printable("a\x1b[31mb\nc\u202ed\t e\x9b") == "a [31mb c d e"


def test_no_colour_without_a_person(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe gets no colour; a terminal does, unless NO_COLOR or TERM=dumb is set."""

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("TERM", "xterm")
    assert not terminal.wants_colour(io.StringIO())
    assert not terminal.wants_colour(None)
    assert terminal.wants_colour(Terminal())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not terminal.wants_colour(Terminal())
    monkeypatch.setenv("NO_COLOR", "")
    assert terminal.wants_colour(Terminal())
    monkeypatch.setenv("TERM", "dumb")
    assert not terminal.wants_colour(Terminal())


def test_closed_streams_are_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python gives None for a stream that was closed before it started."""
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    terminal.prepare_streams()
    terminal.write_out("x")
    terminal.tell("x")
    assert terminal.to_json("é") == '"\\u00e9"'


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_is_an_error_that_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer that could not be written is not passed off as given."""
    with open("/dev/full", "w", encoding="utf-8") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        with pytest.raises(FileError, match="standard output: cannot write"):
            terminal.write_out("x")


def test_the_hint_stands_on_its_own_line(capsys: pytest.CaptureFixture[str]) -> None:
    """An error is one line, what to do about it the next."""
    terminal.tell_error("no\nstore", "build one")
    assert capsys.readouterr().err == "Error: no store\nHint: build one\n"


def test_one_line_ends_with_one_line_end(capsys: pytest.CaptureFixture[str]) -> None:
    """Text is ended once, and nothing is written for nothing."""
    terminal.write_out("a\n")
    terminal.write_out("b")
    terminal.write_out("")
    assert capsys.readouterr().out == "a\nb\n"
