"""How far is it? A line on a terminal, and nothing anywhere else."""

from __future__ import annotations

import sys
from types import TracebackType

from memidx.cli.terminal import is_terminal

_WIDTH = 30


class Progress:
    """A bar on stderr while its block runs; call it with how much is done, and of how much.

    Where stderr is no terminal it writes nothing, so that logs hold no bars.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._stream = sys.stderr if is_terminal(sys.stderr) else None
        self._shown = ""

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # What comes next begins on a clean line.
        self._write("\r" + " " * len(self._shown) + "\r" if self._shown else "")

    def __call__(self, done: int, of: int) -> None:
        """Show how far it is, when that looks different from before."""
        filled = _WIDTH * done // max(1, of)
        bar = "#" * filled + "." * (_WIDTH - filled)
        text = f"{self._what} [{bar}] {100 * done // max(1, of)} %"
        if text != self._shown:
            self._shown = text
            self._write(f"\r{text}")

    def _write(self, text: str) -> None:
        if self._stream is None or not text:
            return
        try:
            self._stream.write(text)
            self._stream.flush()
        except OSError:
            self._stream = None  # nobody is looking any more
