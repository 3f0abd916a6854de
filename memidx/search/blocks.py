"""Which stretches of a document can be shown as one piece?

A *block* is what blank lines separate: a paragraph, a list item, a fenced piece of code. A
heading belongs to the block below it. Badges, HTML comments, bare tables, rules, link
definitions and front matter are blocks too, but nothing a reader would call a passage.

Every step is linear in the text: blank lines are found at line ends only, patterns that take
apart a block are bounded, and long blocks are passages without a closer look.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

_MAX_CLASSIFIED = 4000


class Block(NamedTuple):
    """`text[start:end]`, lines `line_start` to `line_end` (1-based), and whether it is prose."""

    line_start: int
    line_end: int
    start: int
    end: int
    is_passage: bool


def blocks(text: str) -> list[Block]:
    """Blocks in order; together they hold every character that is not white space."""
    found: list[Block] = []
    heading: Block | None = None
    at, line = _first_block(text, found)
    gap, blank = _pattern(r"\n(?:[^\S\n]*+\n)++"), _pattern(r"(?:[^\S\n]*+\n)++")
    size = len(text)
    if match := blank.match(text, at):
        line += text.count("\n", at, match.end())
        at = match.end()
    while at < size:
        match = gap.search(text, at)
        end = match.start() if match else size
        piece = text[at:end]
        if "```" in piece or "~~~" in piece:
            end = _past_fence(text, at, end)
            piece = text[at:end]
        if "<!--" in piece:
            end = _past_comment(text, at, end)
            piece = text[at:end]
        last = line + piece.count("\n")
        kind = _kind(piece) if piece and not piece.isspace() else "blank"
        block = Block(line, last, at, end, kind != "other")
        if heading is not None and kind != "blank":
            if kind == "other":
                found.append(heading)
            else:
                block = block._replace(line_start=heading.line_start, start=heading.start)
            heading = None
        if kind == "heading":
            heading = block
        elif kind != "blank":
            found.append(block)
        following = blank.match(text, end + 1) if end < size else None
        at = following.end() if following else end + 1
        line = last + text.count("\n", end, at)
    if heading is not None:
        found.append(heading)
    return found


def _first_block(text: str, found: list[Block]) -> tuple[int, int]:
    """Takes front matter off the beginning; where the rest begins, and in which line."""
    at = 1 if text.startswith("\ufeff") else 0
    mark = text[at : at + 3]
    if mark not in ("---", "+++"):
        return 0, 1
    match = _pattern(
        r"(?:---[^\S\n]*+\n\s*+(?:[\w\"'-]++[^\S\n]*+:|\#|---|\.\.\.)|\+\+\+[^\S\n]*+\n)"
    ).match(text, at)
    if match is None:  # a letterhead between rules is text
        return 0, 1
    closing = _pattern(r"^(?:---|\.\.\.|\+\+\+)[^\S\n]*+$", re.MULTILINE).search(text, at + 4)
    if closing is None:
        return 0, 1
    end = closing.end()
    last = 1 + text.count("\n", 0, end)
    found.append(Block(1, last, at, end, False))
    return min(end + 1, len(text)), last + 1


def _past_fence(text: str, start: int, end: int) -> int:
    """Where a block ends that may open a fence: after the closing one, blank lines or not."""
    fence = _pattern(r"^[^\S\n]{0,12}(?:[>*+-] {0,4})?(```++|~~~++)([^\n]*+)$", re.MULTILINE)
    at = start
    while match := fence.search(text, at, end):
        mark = match[1]
        if mark[0] == "`" and "`" in match[2]:
            at = match.end()  # inline code that happens to begin a line
            continue
        closing = _pattern(
            rf"^[^\S\n>]{{0,12}}(?:> ?)?{mark[0]}{{{len(mark)},}}[^\S\n]*+$", re.MULTILINE
        ).search(text, match.end())
        if closing is None:
            return len(text)
        at = closing.end()
        if at > end:
            gap = _pattern(r"\n(?:[^\S\n]*+\n)++").search(text, at)
            end = gap.start() if gap else len(text)
    return end


def _past_comment(text: str, start: int, end: int) -> int:
    """Where a block ends that may open a comment: at the end of the line that closes it."""
    opening = text.rfind("<!--", start, end)
    closing = text.find("-->", opening)
    if closing < 0 or closing < end:
        return end
    line_end = text.find("\n", closing)
    return len(text) if line_end < 0 else line_end


def _kind(piece: str) -> str:
    """`heading`, `prose` or `other`."""
    if piece[0].isalnum() and "|" not in piece and piece[-1] not in "=- ":
        return "prose"  # the usual case, at a glance
    if len(piece) > _MAX_CLASSIFIED and not piece.lstrip().startswith("<!--"):
        return "prose"
    body = piece.strip()
    first = body[:1]
    if first == "#" and _pattern(r"(?:#{1,6}(?:[^\S\n][^\n]*+)?(?:\n|\Z))++").fullmatch(body):
        return "heading"
    if first == "<":
        body = _without_comments(body)
        return "prose" if _pattern(r"<[^<>]*+>").sub("", body).strip() else "other"
    if first in ("!", "["):
        return "other" if _is_badges(body) else "prose"
    if first in ("-", "*", "_", "=", "+") and not body.strip("-*_=+ \n\t"):
        return "other"
    if "|" in body:
        return "other" if _is_table(body) else "prose"
    if "\n" in body and _pattern(r"[^\n]++\n[^\S\n]*+(?:=++|-++)").fullmatch(body):
        return "heading"
    return "prose"


def _without_comments(body: str) -> str:
    pieces = []
    at = 0
    while (opening := body.find("<!--", at)) >= 0:
        pieces.append(body[at:opening])
        closing = body.find("-->", opening)
        at = len(body) if closing < 0 else closing + 3
    pieces.append(body[at:])
    return "".join(pieces)


def _is_badges(body: str) -> bool:
    """Nothing but images, linked images and link definitions."""
    image = r"!\[[^\[\]]{0,300}+\](?:\([^()\n]{0,1000}+\)|\[[^\[\]\n]{0,300}+\])?"
    left = _pattern(image).sub("", body)
    left = _pattern(r"\[\s*+\](?:\([^()\n]{0,1000}+\)|\[[^\[\]\n]{0,300}+\])").sub("", left)
    left = _pattern(r"^\[[^\[\]\n]{1,300}+\]:[^\n]*+$", re.MULTILINE).sub("", left)
    return not left.strip()


def _is_table(body: str) -> bool:
    lines = body.split("\n")
    if all(line.lstrip().startswith("|") for line in lines):
        return True
    return len(lines) > 1 and not lines[1].strip("|:- \t") and "|" in lines[1] and "-" in lines[1]


@cache
def _pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    # Compiled when first met: most documents need few of them.
    return re.compile(source, flags)
