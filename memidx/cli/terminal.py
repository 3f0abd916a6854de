"""How does text reach the person or the program that asked?

Results go to stdout, everything else to stderr. No reader can make a command fail: one that
left (`| head`) is fine, one that cannot show a character gets it escaped.
"""

from __future__ import annotations

import os
import sys
from typing import Any, TextIO

from memidx.errors import FileError

_BOLD, _DIM, _RED, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[0m"

# Text of a document must not steer the terminal that shows it: control characters, and those
# that turn the direction of writing around.
_UNPRINTABLE = dict.fromkeys(
    (*range(32), *range(127, 160), *range(8234, 8239), *range(8294, 8298)), " "
)


def prepare_streams() -> None:
    """Let no character stop an answer, whatever the terminal's encoding."""
    for stream in (sys.stdout, sys.stderr):
        # A test or an embedding program may have put something simpler in its place.
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def write_out(text: str) -> None:
    """Put a result on stdout, as a whole, and hand it over at once.

    Raises:
        FileError: stdout refused it for another reason than that nobody reads on.
    """
    stream = sys.stdout
    if stream is None:  # started with stdout closed
        return
    try:
        stream.write(text if text.endswith("\n") or not text else text + "\n")
        stream.flush()
    except BrokenPipeError:
        _discard(stream)
    except OSError as error:
        _discard(stream)
        raise FileError(f"cannot write: {error.strerror}", path="standard output") from error


def reader_left() -> bool:
    """Whether stdout still holds something that nobody reads; it is thrown away then.

    Python would complain about it after the last line of any program.
    """
    stream = sys.__stdout__  # Typer puts a wrapper in place of `sys.stdout` when a pipe breaks
    try:
        if stream is not None:
            stream.flush()
    except BrokenPipeError:
        _discard(stream)
        return True
    except (OSError, ValueError):
        _discard(stream)
    return False


def tell(text: str) -> None:
    """Say something beside the result, on stderr."""
    stream = sys.stderr
    if stream is None:
        return
    try:
        stream.write(text if text.endswith("\n") else text + "\n")
        stream.flush()
    except OSError:
        # There is nobody left to tell.
        _discard(stream)


def tell_error(message: str, hint: str | None = None) -> None:
    """Say what went wrong, then what can be done, each on its own line."""
    label = styled("Error:", _RED) if wants_colour(sys.stderr) else "Error:"
    tell(f"{label} {printable(message)}")
    if hint:
        tell(f"Hint: {printable(hint)}")


def to_json(value: Any, *, one_line: bool = False) -> str:
    """One JSON text; indented for a person at a terminal, unless it has to be one line."""
    import json  # the table needs none of it

    return json.dumps(
        value,
        # A replacement character for what the stream cannot hold would not be JSON.
        ensure_ascii=not holds_every_character(sys.stdout),
        indent=2 if is_terminal(sys.stdout) and not one_line else None,
        allow_nan=False,
    )


def holds_every_character(stream: TextIO | None) -> bool:
    """Whether a stream's encoding is one of Unicode's."""
    encoding = (getattr(stream, "encoding", None) or "ascii").lower()
    return encoding.replace("_", "-").startswith("utf")


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person is looking."""
    return stream is not None and stream.isatty()


def wants_colour(stream: TextIO | None) -> bool:
    """Whether marks of emphasis are welcome (https://no-color.org)."""
    return is_terminal(stream) and not os.environ.get("NO_COLOR") and _is_capable()


def columns(stream: TextIO | None) -> int:
    """Width to wrap at: the terminal's, but no longer than reads well."""
    if not is_terminal(stream):
        return 100
    from shutil import get_terminal_size

    return max(40, min(100, get_terminal_size().columns))


def bold(text: str, *, colour: bool) -> str:
    """Emphasised, where that can be shown."""
    return styled(text, _BOLD) if colour else text


def dim(text: str, *, colour: bool) -> str:
    """In the background, where that can be shown."""
    return styled(text, _DIM) if colour else text


def styled(text: str, mark: str) -> str:
    """Text between a mark and its end."""
    return f"{mark}{text}{_PLAIN}"


def printable(text: str) -> str:
    """Text of a document on one line, without characters that steer a terminal."""
    return " ".join(text.translate(_UNPRINTABLE).split())


def steerless(text: str) -> str:
    """Text of a document in its lines, for a terminal: without what would steer it."""
    return "\n".join(line.translate(_UNPRINTABLE) for line in text.split("\n"))


def _is_capable() -> bool:
    return os.environ.get("TERM") != "dumb"


def _discard(stream: TextIO | None) -> None:
    """Send what is still to be written nowhere: Python flushes once more when it ends."""
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        if stream is not None:
            os.dup2(null, stream.fileno())
        os.close(null)
    except (OSError, ValueError):
        pass


def heard(text: str) -> str:
    """What was typed: where the locale could not read it, its bytes are UTF-8 as a rule."""
    if text.isascii() or not any("\udc80" <= character <= "\udcff" for character in text):
        return text
    return os.fsencode(text).decode("utf-8", "replace")
