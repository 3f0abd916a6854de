"""How is another program run, and what does it say?

The only module that starts a process. A program gets no input and no terminal, its output is read
as it comes, and it never outlives the reading; a failure is a `ProgramError` that carries what the
program said about it.
"""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import IO

from memidx.errors import ProgramError

_CHUNK_BYTES = 1 << 18
_MOST_SAID = 1 << 14

# Tests count and forbid processes here.
_start = subprocess.Popen


def read_output(command: Sequence[str], *, env: Mapping[str, str]) -> Iterator[bytes]:
    """What a program writes, in pieces as they come.

    Args:
        command: The program and its arguments; no shell takes part.
        env: The program's whole environment; its `PATH` finds the program.

    Raises:
        ProgramError: It cannot be started, or ends with a failure; then, after the pieces.
    """
    try:
        process = _start(
            list(command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(env),
            bufsize=0,
        )
    except FileNotFoundError as error:
        raise ProgramError(f"{command[0]} is not installed") from error
    except (OSError, ValueError) as error:
        reason = (isinstance(error, OSError) and error.strerror) or str(error)
        raise ProgramError(f"{command[0]} cannot be started: {reason}") from error
    with process:
        output, errors = process.stdout, process.stderr
        if output is None or errors is None:  # pragma: no cover - both are pipes
            raise ProgramError(f"{command[0]} has no output")
        said: list[bytes] = []
        # Both pipes are emptied at once: a program that fills one nobody reads waits for ever.
        listener = threading.Thread(target=_listen, args=(errors, said), daemon=True)
        listener.start()
        try:
            while piece := output.read(_CHUNK_BYTES):
                yield piece
        except BaseException:
            process.kill()
            raise
        finally:
            # Whoever stops reading early has no more use for the program.
            if process.poll() is None:
                output.close()
            listener.join()
    if process.returncode != 0:
        text = b"".join(said).decode("utf-8", "backslashreplace")
        raise ProgramError(_complaint(text) or f"{command[0]} failed ({process.returncode})")


def _listen(stream: IO[bytes], said: list[bytes]) -> None:
    """Keep the beginning of what a program says, and let the rest go."""
    size = 0
    while piece := stream.read(_CHUNK_BYTES):
        if size < _MOST_SAID:
            said.append(piece[: _MOST_SAID - size])
            size += len(piece)


def _complaint(text: str) -> str:
    """The line that says what went wrong."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    marked = [line for line in lines if line.startswith(("fatal: ", "error: "))]
    line = (marked or lines or [""])[0]
    return line.removeprefix("fatal: ").removeprefix("error: ")
