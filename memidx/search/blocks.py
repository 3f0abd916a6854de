"""Which stretches of a document can be shown as one piece?

A *block* is what blank lines separate: a paragraph, a list item, a fenced piece of code. A
heading belongs to the block below it. Badges, HTML comments, bare tables, rules, link
definitions and front matter are blocks too, but nothing a reader would call a passage.

A text is divided in one pass, by operations that run over all of it at once; what a block is, is
looked at only where it is asked for: an answer needs three of a document's hundred. Every step is
linear in the text: blank lines are found at line ends only, patterns that take apart a block are
bounded, and long blocks are passages without a closer look.
"""

from __future__ import annotations

from memidx.light import bisect_left, bisect_right, pattern

_MAX_CLASSIFIED = 4000
# What `str.isspace` says of one character.
SPACES = (
    "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007"
    "\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
_HEAD_BEGINS, _HEAD_ENDS = frozenset("#" + SPACES), frozenset("=-" + SPACES)


class Outline:
    """A text and its blocks; what a block is, is looked at when it is asked for.

    Attributes:
        text: The whole text.
        starts: Where each block begins, ascending.
        ends: Where each ends. Together the blocks hold every character but white space.
    """

    __slots__ = ("_heads", "_kinds", "_spans", "ends", "starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._kinds: dict[int, str] = {}
        self._spans: dict[int, tuple[int, int]] = {}
        self._heads: frozenset[int] | None = None
        matter = _front_matter(text)
        at = min(matter[1] + 1, len(text)) if matter else 0
        starts, ends = _divide(text, at)
        if matter:
            starts.insert(0, matter[0])
            ends.insert(0, matter[1])
            self._kinds[0] = "other"
        self.starts, self.ends = starts, ends

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
        if number not in self.heads and number - 1 not in self.heads:
            return number, number  # the usual case
        span = self._spans.get(number)
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

    @property
    def heads(self) -> frozenset[int]:
        """Blocks whose first and last characters are such as headings have.

        Every other block begins a passage, unless it stands behind one of these.
        """
        if self._heads is None:
            text = self.text
            self._heads = frozenset(
                [
                    number
                    for number, (start, end) in enumerate(zip(self.starts, self.ends, strict=True))
                    if text[start] in _HEAD_BEGINS or text[end - 1] in _HEAD_ENDS
                ]
            )
        return self._heads


def _front_matter(text: str) -> tuple[int, int] | None:
    """Where front matter begins and ends, or None when there is none."""
    at = 1 if text.startswith("\ufeff") else 0
    if not text.startswith(("---", "+++"), at):
        return None
    if not _opens(text, at):  # a letterhead between rules is text
        return None
    line = text.find("\n", at + 3)
    while line >= 0:
        end = text.find("\n", line + 1)
        stop = len(text) if end < 0 else end
        if text.startswith(_RULES, line + 1) and not text[line + 4 : stop].strip():
            return at, stop
        line = end
    return None


_RULES = ("---", "...", "+++")


def _opens(text: str, at: int) -> bool:
    """Whether front matter begins at the rule that stands at `at`."""
    end = text.find("\n", at)
    if end < 0 or text[at + 3 : end].strip():
        return False
    if text[at] == "+":
        return True
    while text[end : end + 1].isspace():
        end += 1
    if text.startswith(("#", "---", "..."), end):
        return True
    name = end
    while text[end : end + 1].isalnum() or text[end : end + 1] in ("_", '"', "'", "-"):
        end += 1
    if end == name:
        return False
    while text[end : end + 1].isspace() and text[end] != "\n":
        end += 1
    return text[end : end + 1] == ":"


def _divide(text: str, at: int) -> tuple[list[int], list[int]]:
    """Where the blocks begin that stand at `at` or later, and where they end."""
    while (end := text.find("\n", at)) >= 0 and not text[at:end].strip():
        at = end + 1
    starts, ends = _between_lines(text, at) if _has_spaces(text) else _between_feeds(text, at)
    if "```" in text or "~~~" in text or "<!--" in text:
        starts, ends = _without(_regions(text, at), starts, ends)
    ends[-1] = len(text.rstrip())
    if ends[-1] <= starts[-1]:
        del starts[-1], ends[-1]
    return starts, ends


def _between_feeds(text: str, at: int) -> tuple[list[int], list[int]]:
    """What blank lines divide, where none of them holds a space."""
    starts, ends = [at], []
    gap = text.find("\n\n", at)
    while gap >= 0:
        behind = gap + 2
        while text.startswith("\n", behind):
            behind += 1
        ends.append(gap)
        starts.append(behind)
        gap = text.find("\n\n", behind)
    ends.append(len(text))
    return starts, ends


def _between_lines(text: str, at: int) -> tuple[list[int], list[int]]:
    """What blank lines divide, whatever they hold."""
    starts, ends = [at], []
    is_in_gap = False
    *lines, _ = text[at:].split("\n")
    for line in lines:
        is_blank = not line.strip()
        if is_blank and not is_in_gap:
            ends.append(at - 1)
        elif is_in_gap and not is_blank:
            starts.append(at)
        is_in_gap = is_blank
        at += len(line) + 1
    if is_in_gap:
        starts.append(at)
    ends.append(len(text))
    return starts, ends


def _has_spaces(text: str) -> bool:
    """Whether a blank line may hold a space, of whatever kind."""
    if not text.isascii():
        return True
    for space in _SPACES:
        end = text.find(space + "\n") if space in text else -1
        while end >= 0:
            if not text[text.rfind("\n", 0, end) + 1 : end].strip():
                return True
            end = text.find(space + "\n", end + 2)
    return False


_SPACES = " \t\r\v\f\x1c\x1d\x1e\x1f"


def _without(
    regions: list[tuple[int, int]], starts: list[int], ends: list[int]
) -> tuple[list[int], list[int]]:
    """The division without the gaps that begin inside a region."""
    n_gaps = len(ends) - 1
    kept_starts, kept_ends = starts[:1], []
    passed = 0
    for begin, end in regions:
        first = bisect_right(ends, begin, passed, n_gaps)
        kept_ends += ends[passed:first]
        kept_starts += starts[passed + 1 : first + 1]
        passed = bisect_left(ends, end, first, n_gaps)
    return kept_starts + starts[passed + 1 :], kept_ends + ends[passed:]


def _regions(text: str, at: int) -> list[tuple[int, int]]:
    """Fenced code and comments, in order: blank lines inside them divide nothing."""
    found: list[tuple[int, int]] = []
    nexts = {mark: n for mark in ("```", "~~~", "<!--") if (n := text.find(mark, at)) >= 0}
    while nexts:
        mark = min(nexts, key=nexts.__getitem__)
        begin = nexts[mark]
        end = _comment_end(text, begin) if mark == "<!--" else _fence_end(text, begin, mark)
        if end >= 0:
            found.append((begin, end))
        elif mark == "<!--":  # never closed, nor is any later one
            del nexts[mark]
            continue
        else:  # three backticks inside a line
            line_end = text.find("\n", begin)
            end = begin + len(mark) if line_end < 0 else line_end
        for other in list(nexts):
            if nexts[other] < end:
                nexts[other] = text.find(other, end)
                if nexts[other] < 0:
                    del nexts[other]
    return found


def _comment_end(text: str, begin: int) -> int:
    end = text.find("-->", begin)
    return end if end < 0 else end + 3


def _fence_end(text: str, begin: int, mark: str) -> int:
    """Where the fence that opens at `begin` ends; -1 when none opens there."""
    if begin and text[begin - 1] != "\n":
        line_start = text.rfind("\n", 0, begin) + 1
        if begin - line_start > 16 or text[line_start:begin].strip(" \t>*+-"):
            return -1
    line_end = text.find("\n", begin)
    if line_end < 0:
        line_end = len(text)
    opening = text[begin:line_end]
    info = opening.lstrip(mark[0])
    if mark[0] == "`" and "`" in info:
        return -1
    fence = opening[: len(opening) - len(info)]
    at = line_end
    while (at := text.find(fence, at)) >= 0:
        line_start = text.rfind("\n", 0, at) + 1
        line_end = text.find("\n", at)
        if line_end < 0:
            line_end = len(text)
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
    if first == "#" and all(map(_is_heading, body.split("\n"))):
        return "heading"
    if first == "<":
        body = _without_comments(body)
        return "prose" if _without_tags(body).strip() else "other"
    if first in ("!", "["):
        return "other" if _is_badges(body) else "prose"
    if first in ("-", "*", "_", "=", "+") and not body.strip("-*_=+ \n\t"):
        return "other"
    if "|" in body:
        return "other" if _is_table(body) else "prose"
    line, feed, rule = body.partition("\n")
    if feed and line and "\n" not in rule and rule.lstrip().strip(rule[-1]) == "":
        return "heading" if rule[-1] in "=-" else "prose"
    return "prose"


def _is_heading(line: str) -> bool:
    text = line.lstrip("#")
    return 0 < len(line) - len(text) < 7 and (not text or text[0].isspace())


def _without_comments(body: str) -> str:
    pieces = []
    at = 0
    while (opening := body.find("<!--", at)) >= 0:
        pieces.append(body[at:opening])
        closing = body.find("-->", opening)
        at = len(body) if closing < 0 else closing + 3
    pieces.append(body[at:])
    return "".join(pieces)


def _without_tags(body: str) -> str:
    """What is left without `<...>`, which holds no further bracket."""
    pieces = body.split("<")
    for place in range(1, len(pieces)):
        _, closing, behind = pieces[place].partition(">")
        pieces[place] = behind if closing else "<" + pieces[place]
    return "".join(pieces)


def _is_badges(body: str) -> bool:
    """Nothing but images, linked images and link definitions."""
    if (
        "![" not in body
        and "]:" not in body
        and not ("][" in body and "):" in body)
        and not body[1:].lstrip().startswith("]")
    ):
        return False  # as nearly always: the first bracket is none of these
    if _is_image(body):
        return True
    if body[body.rfind("]") :].partition("\n")[2].strip():
        return False  # there is a line behind that of the last bracket, as below an image
    image = r"!\[[^\[\]]{0,300}+\](?:\([^()\n]{0,1000}+\)|\[[^\[\]\n]{0,300}+\])?"
    left = pattern(image).sub("", body)
    left = pattern(r"\[\s*+\](?:\([^()\n]{0,1000}+\)|\[[^\[\]\n]{0,300}+\])").sub("", left)
    left = pattern(r"(?m)^\[[^\[\]\n]{1,300}+\]:[^\n]*+$").sub("", left)
    return not left.strip()


def _is_image(body: str) -> bool:
    """Whether a line is one image and nothing else; no image is wrongly found."""
    alternative, between, target = body[2:-1].partition("](")
    return (
        body.startswith("![")
        and body.endswith(")")
        and bool(between)
        and len(alternative) <= 300
        and len(target) <= 1000
        and _BRACKETS.isdisjoint(alternative)
        and _NOT_IN_TARGETS.isdisjoint(target)
    )


_BRACKETS, _NOT_IN_TARGETS = frozenset("[]"), frozenset("()\n")


def _is_table(body: str) -> bool:
    lines = body.split("\n")
    if all(line.lstrip().startswith("|") for line in lines):
        return True
    return len(lines) > 1 and not lines[1].strip("|:- \t") and "|" in lines[1] and "-" in lines[1]
