"""What is a piece of a program, whatever its language?

A function or a class with its lines, and the script: what is left of a file when those are taken
out.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from memidx.text import CUT

_HEADER = re.compile(r"#!|#.*?coding[:=]")


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece.

    Attributes:
        name: Qualified name; None for the script.
        sort: `function`, `class` or `script`.
        text: Its lines, as they stand in the file.
        line: 1-based line of the file where they begin.
        summary: What it says of itself in one line, may be empty.
        imports: Modules, in order of first use.
        calls: What it calls, by full name where that is known; in order of first use.
    """

    name: str | None
    sort: str
    text: str
    line: int
    summary: str = ""
    imports: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TakenApart:
    """The pieces of a file in its order, and what could not be read: line and reason."""

    pieces: tuple[Piece, ...]
    problems: tuple[tuple[int | None, str], ...] = ()


class NotTakenApart(ValueError):  # noqa: N818 - named for what it is, like Undecodable
    """A file that is no program of its language, as far as this reader can tell.

    Args:
        reason: Why, fit to be shown after the file's path.
        line: 1-based line where it was seen, if known.
    """

    def __init__(self, reason: str, line: int | None) -> None:
        self.reason = reason
        self.line = line
        super().__init__(reason)


def with_comment_above(lines: Sequence[str], first: int, taken: int) -> int:
    """Where a piece begins that has its comment directly above it.

    Args:
        lines: Of the file.
        first: 0-based line of the piece itself.
        taken: Lines before this one belong to something else.
    """
    indent = len(lines[first]) - len(lines[first].lstrip())
    while first > taken:
        line = lines[first - 1]
        body = line.lstrip()
        if not body.startswith("#") or len(line) - len(body) != indent:
            break
        if first - 1 < 2 and is_header(line):
            break
        first -= 1
    return first


def is_header(line: str) -> bool:
    """Whether a line says how the file is to be run or read, and nothing else."""
    return _HEADER.match(line.lstrip()) is not None


def left_over(lines: Sequence[str], taken: Collection[int]) -> tuple[str, int]:
    """The lines that no piece took, and the 1-based line of the file where they begin.

    Where pieces stood there is one line `CUT`, however long they were, so that an edit inside of a
    piece changes the piece's document alone.
    """
    kept: list[str] = []
    begin = 0
    for number, line in enumerate(lines):
        if number in taken:
            if kept and kept[-1] != CUT:
                kept.append(CUT)
        elif kept or line.strip():
            begin = begin if kept else number
            kept.append(line)
    while kept and not kept[-1].strip():
        kept.pop()
    return "\n".join(kept), begin + 1
