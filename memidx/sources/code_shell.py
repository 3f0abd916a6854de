"""Which functions does a shell script define, and which commands do they run?

A function whose end is not found is left in the script, and that is reported.
"""

from __future__ import annotations

from memidx.sources.code_pieces import Piece, TakenApart, is_header, left_over, with_comment_above
from memidx.sources.shell_reader import read_script


def take_apart(text: str) -> TakenApart:
    """The pieces of a shell script."""
    found = read_script(text)
    lines = text.split("\n")
    pieces: list[Piece] = []
    taken: set[int] = set()
    end = 0
    # Functions may share a line, so each takes whole lines, whoever else has them.
    for name, begin_at, end_at in found.functions:
        first, last = text.count("\n", 0, begin_at), text.count("\n", 0, end_at - 1)
        begin = with_comment_above(lines, first, end)
        end = last + 1
        taken.update(range(begin, end))
        pieces.append(
            Piece(
                name=name,
                sort="function",
                text="\n".join(lines[begin:end]),
                line=begin + 1,
                summary=_summary(lines[begin:first]),
                imports=_within(found.sourced, begin_at, end_at),
                calls=_within(found.commands, begin_at, end_at),
            )
        )
    rest, line = left_over(lines, taken)
    says = any(
        n not in taken and line.strip() and not is_header(line) for n, line in enumerate(lines)
    )
    if says or not pieces:
        inside = [(begin_at, end_at) for _, begin_at, end_at in found.functions]
        head = rest.split("\n")
        comment = [line for line in head[: _n_comments(head)] if not is_header(line)]
        imports, calls = _without(found.sourced, inside), _without(found.commands, inside)
        pieces.insert(0, Piece(None, "script", rest, line, _summary(comment), imports, calls))
    problems = tuple((text.count("\n", 0, at) + 1, reason) for at, reason in found.problems)
    return TakenApart(tuple(pieces), problems)


def _n_comments(lines: list[str]) -> int:
    """How many lines at the beginning are comments or blank."""
    number = 0
    while number < len(lines) and (not lines[number].strip() or lines[number].startswith("#")):
        number += 1
    return number


def _summary(comment: list[str]) -> str:
    """The first words of a comment."""
    words = (line.strip().lstrip("#").strip() for line in comment)
    return next((line for line in words if any(c.isalnum() for c in line)), "")


def _within(names: list[tuple[int, str]], begin: int, end: int) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for at, name in names if begin <= at < end))


def _without(names: list[tuple[int, str]], spans: list[tuple[int, int]]) -> tuple[str, ...]:
    """The names outside of the ascending spans."""
    found: dict[str, None] = {}
    number = 0
    for at, name in names:
        while number < len(spans) and spans[number][1] <= at:
            number += 1
        if number == len(spans) or at < spans[number][0]:
            found[name] = None
    return tuple(found)
