"""Which stretches of a document can be shown as one piece?

A *block* is what blank lines separate: a paragraph, a list item, a fenced piece of code. A
heading belongs to the block below it. Badges, HTML comments, bare tables, rules, link
definitions and front matter are blocks too, but nothing a reader would call a passage.

Only blocks that are shown are looked at closely: an answer needs three of a document's hundred.
Every step is linear in the text: blank lines are found at line ends only, patterns that take
apart a block are bounded, and long blocks are passages without a closer look.
"""

from __future__ import annotations

import re
from functools import cache

_MAX_CLASSIFIED = 4000


class Outline:
    """A text and its blocks; what a block is, is looked at when it is asked for.

    Attributes:
        text: The whole text.
        starts: Where each block begins, ascending.
        ends: Where each ends. Together the blocks hold every character but white space.
    """

    __slots__ = ("_kinds", "_spans", "ends", "starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts: list[int] = []
        self.ends: list[int] = []
        self._kinds: dict[int, str] = {}
        self._spans: dict[int, tuple[int, int]] = {}
        self._divide()

    def is_passage(self, number: int) -> bool:
        """Whether a block is prose, code or a heading."""
        return self.kind(number) != "other"

    def kind(self, number: int) -> str:
        """`heading`, `prose` or `other`."""
        kind = self._kinds.get(number)
        if kind is None:
            piece = self.text[self.starts[number] : self.ends[number]]
            kind = self._kinds[number] = _kind(piece)
        return kind

    def span(self, number: int) -> tuple[int, int]:
        """First and last block of the passage that a block belongs to.

        Headings go with the prose below them; a heading with none below stands alone.
        """
        span = self._spans.get(number)
        if (
            span is None
            and self.kind(number) != "heading"
            and (number == 0 or self.kind(number - 1) != "heading")
        ):
            return number, number  # the usual case
        if span is None:
            first = last = number
            if self.kind(number) != "other":
                while last + 1 < len(self.starts) and self.kind(last) == "heading":
                    if self.kind(last + 1) == "other":
                        break
                    last += 1
                while first > 0 and self.kind(first - 1) == "heading":
                    first -= 1
            span = first, last
            for block in range(first, last + 1):
                self._spans[block] = span
        return span

    def _divide(self) -> None:
        text = self.text
        at = self._front_matter()
        if blank := _pattern(r"(?:[^\S\n]*+\n)++").match(text, at):
            at = blank.end()
        regions = _regions(text, at) if "```" in text or "~~~" in text or "<!--" in text else []
        n_passed = 0
        for gap in _pattern(r"\n(?:[^\S\n]*+\n)++").finditer(text, at):
            begin, end = gap.span()
            while n_passed < len(regions) and regions[n_passed][1] <= begin:
                n_passed += 1
            if n_passed < len(regions) and regions[n_passed][0] < begin:
                continue
            self.starts.append(at)
            self.ends.append(begin)
            at = end
        end = len(text.rstrip())
        if at < end:
            self.starts.append(at)
            self.ends.append(end)

    def _front_matter(self) -> int:
        """Takes front matter off the beginning; where the rest begins."""
        text = self.text
        at = 1 if text.startswith("\ufeff") else 0
        if not text.startswith(("---", "+++"), at):
            return 0
        opening = _pattern(
            r"(?:---[^\S\n]*+\n\s*+(?:[\w\"'-]++[^\S\n]*+:|\#|---|\.\.\.)|\+\+\+[^\S\n]*+\n)"
        ).match(text, at)
        if opening is None:  # a letterhead between rules is text
            return 0
        closing = _pattern(r"^(?:---|\.\.\.|\+\+\+)[^\S\n]*+$", re.MULTILINE).search(text, at + 4)
        if closing is None:
            return 0
        self.starts.append(at)
        self.ends.append(closing.end())
        self._kinds[0] = "other"
        return min(closing.end() + 1, len(text))


def _regions(text: str, at: int) -> list[tuple[int, int]]:
    """Fenced code and comments, in order: blank lines inside them divide nothing."""
    found: list[tuple[int, int]] = []
    nexts = {mark: text.find(mark, at) for mark in ("```", "~~~", "<!--")}
    while True:
        begin, mark = min(((n, mark) for mark, n in nexts.items() if n >= 0), default=(-1, ""))
        if begin < 0:
            return found
        if mark == "<!--":
            end = text.find("-->", begin)
            end = -1 if end < 0 else end + 3
        else:
            end = _fence_end(text, begin, mark)
        if end < 0:  # a comment never closed, or three backticks inside a line
            line_end = text.find("\n", begin)
            end = begin + len(mark) if line_end < 0 or mark == "<!--" else line_end
        else:
            found.append((begin, end))
        for other, n in nexts.items():
            if 0 <= n < end:
                nexts[other] = text.find(other, end)
        if mark == "<!--" and (not found or found[-1][0] != begin):
            nexts[mark] = -1


def _fence_end(text: str, begin: int, mark: str) -> int:
    """Where the fence that opens at `begin` ends; -1 when none opens there."""
    line_start = text.rfind("\n", 0, begin) + 1
    if begin - line_start > 16 or text[line_start:begin].strip(" \t>*+-"):
        return -1
    line_end = text.find("\n", begin)
    line_end = len(text) if line_end < 0 else line_end
    info = text[begin:line_end].lstrip(mark[0])
    if mark[0] == "`" and "`" in info:
        return -1
    fence = mark[0] * (line_end - begin - len(info))
    at = line_end
    while (at := text.find("\n", at)) >= 0:
        at = text.find(fence, at)
        if at < 0:
            break
        line_start = text.rfind("\n", 0, at) + 1
        line_end = text.find("\n", at)
        line_end = len(text) if line_end < 0 else line_end
        if line_end - line_start < 200 and not text[line_start:line_end].strip(mark[0] + " \t>"):
            return line_end
        at = line_end
    return len(text)


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
