"""A bar is for a person at a terminal."""

from __future__ import annotations

import io
import sys

import pytest

from memidx.cli.progress import Progress


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        """A person is looking."""
        return True


def test_a_terminal_shows_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """15 of 30 marks at half; the line is clean at the end, also after an error."""
    stream = _Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with pytest.raises(KeyError):
        _fail_at_half()
    half = "Ranking [" + "#" * 15 + "." * 15 + "] 50 %"
    assert stream.getvalue() == f"\r{half}\r{' ' * len(half)}\r"


def test_what_looks_the_same_is_not_written_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """10,000 steps are about a hundred lines."""
    stream = _Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with Progress("Ranking") as progress:
        for done in range(10_001):
            progress(done, 10_000)
    assert 100 <= stream.getvalue().count("\rRanking") <= 140


def test_no_terminal_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does a closed stderr."""
    stream = io.StringIO()
    for there in (stream, None):
        monkeypatch.setattr(sys, "stderr", there)
        with Progress("Ranking") as progress:
            progress(1, 2)
    assert stream.getvalue() == ""


def test_a_terminal_that_went_away_stops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The work goes on without a bar."""

    class Gone(_Terminal):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    monkeypatch.setattr(sys, "stderr", Gone())
    with Progress("Ranking") as progress:
        progress(1, 2)
        progress(2, 2)


def _fail_at_half() -> None:
    with Progress("Ranking") as progress:
        progress(1, 2)
        raise KeyError
