"""What does each release of a changelog bring?

An item a release: its section from the heading on, named by the version. What stands outside of
every section (an introduction, the heading of a second product) is an item of its own, so that no
word of the file is lost.

A release heading is `## [1.2.0] - 2026-01-02` and what people write for it: with or without
brackets, link, `v`, product name, `Version`; the date in brackets, after a dash, slash or comma, in
figures or with the month's name; underlined instead of `##`; or just `Unreleased`, or just a date.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from memidx.config import SourceConfig
from memidx.sources.base import SUFFIXES, FileKind, Item, Parsed, Skip
from memidx.text.dates import parse_time
from memidx.text.decode import Undecodable, decode
from memidx.text.front_matter import read_front_matter

_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?")
_UNDERLINE = re.compile(r" {0,3}(={3,}|-{3,}|~{3,}|\^{3,}|\*{3,}|\+{3,}|\"{3,})[ \t]*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_NO_HEADING = ("- ", "* ", "+ ", ">", "|", "---", "===")
_LONGEST_HEADING = 1000
# A heading deeper than this tells about a change, not of a release.
_DEEPEST = 4

_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])?")
_MARKUP = re.compile(
    r"<[^<>]*>|\{#[^{}]*\}|(?<![\w*_`])[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}(?![\w*_`])"
)
_CLOSING_HASHES = re.compile(r"[ \t]#+[ \t]*\Z")
_UNRELEASED = re.compile(
    r"(unreleased|upcoming|next(?: release| version)?|in development|development|head)"
    r"(?: changes)?(?=\Z|[ ]?[-–—:/,(])",
    re.IGNORECASE,
)
_DATE = re.compile(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}"
    r"(?:[T ]\d{1,2}:\d{2}(?::\d{2})?(?: ?(?:Z\b|UTC|GMT|[+-]\d{2}:?\d{2}))?)?"
    r"|\d{4}-\d{2}(?![\d-])"
    r"|\d{1,2}(?:st|nd|rd|th)?[ -][a-z]{3,9}\.?,?[ -]\d{4}"
    r"|[a-z]{3,9}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4}"
    r"|[a-z]{3,9}\.? \d{4}",
    re.IGNORECASE,
)
_VERSION = re.compile(
    # The product's name, or a word for it; `foo@1.2.0` and `foo-1.2.0` too.
    r"(?P<name>(?:(?!\d)[^\s:@]{1,60}[ ]){0,3}?(?:@?[A-Za-z][\w./-]{0,80}?[@-])?)"
    r"(?P<v>v\.? ?)?"
    r"(?P<version>\d{1,8}(?:\.(?:\d{1,8}|x)){0,5}"
    r"(?:[-+._~]?(?:alpha|beta|rc|pre|preview|dev|post|snapshot|final|build|a|b|p|r|m)"
    r"[-.]?\d{0,8}|[-+][0-9A-Za-z.+-]{1,40})*)"
    r"(?![\w.]*[\w])",
    re.IGNORECASE,
)
_BARE_NAMES = frozenset(("version", "release", "ver", "ver.", "rel", "released"))
_SEPARATORS = " \t-–—:/|,;()[]"
_NOTES = re.compile(
    r"(?:released?|yanked|unreleased|date|on|of|tbd|tba|pre-?release|latest|draft|stable|lts)\b",
    re.IGNORECASE,
)


class _Heading(NamedTuple):
    """A heading of the file.

    Attributes:
        line: 0-based line where it begins.
        n_lines: 1, or 2 where it is underlined.
        level: 1 is the highest.
        text: Without marks.
    """

    line: int
    n_lines: int
    level: int
    text: str


class _Release(NamedTuple):
    """What a release heading says.

    Attributes:
        version: Without `v`; `Unreleased` or a date where that stands for it.
        name: Of the product, where the heading says it.
        plain: Whether it says no more than that and a date.
        sure: Whether it can hardly be anything else.
    """

    version: str
    name: str
    time: str | None
    plain: bool
    sure: bool


class _Changelog:
    """The `changelog` kind: Keep a Changelog and its relatives."""

    name = "changelog"
    suffixes = SUFFIXES["changelog"]

    def parse(self, source: SourceConfig, path: str, data: bytes) -> Parsed:
        """An item a release; the whole file where no heading names one, and a skip that says so."""
        try:
            text = decode(data)
        except Undecodable as error:
            return Parsed(skips=(Skip(path, error.reason, source=source.name),))
        if not text.strip():
            return Parsed(skips=(Skip(path, "is empty", source=source.name),))
        lines = text.split("\n")
        front_lines = read_front_matter(text).end_line
        rst = path.lower().endswith(".rst")
        headings = list(_headings(lines, front_lines, rst=rst))
        releases = _releases(headings)
        if not releases:
            title = next((heading.text for heading in headings if heading.text), None)
            reason = "has no heading of a release: the file is one document"
            return Parsed(
                (Item(path=path, anchor=None, text=text, title=title),),
                (Skip(path, reason, source=source.name),),
            )
        return Parsed(tuple(_items(path, lines, headings, releases)))


KIND: FileKind = _Changelog()


def _items(
    path: str, lines: list[str], headings: list[_Heading], releases: dict[int, _Release]
) -> Iterator[Item]:
    """What stands before the releases, then the sections, each from its heading to the next one."""
    begin = min(releases)
    top = min(heading.level for heading in headings if heading.line in releases)
    before = [heading for heading in headings if heading.line < begin]
    names = [heading for heading in before if heading.level < top or heading.level == 1]
    if _says_more(lines, 0, begin, names):
        title = before[0].text if before else None
        yield Item(path=path, anchor=None, text=_section(lines, 0, begin), title=title)
    name = names[-1].text if names else ""
    # A heading above the releases begins another product, or what is about all of them.
    breaks = [
        heading
        for heading in headings
        if heading.line in releases or (heading.line > begin and heading.level < top)
    ]
    for heading, following in zip(breaks, [*breaks[1:], None], strict=True):
        end = following.line if following else len(lines)
        release = releases.get(heading.line)
        if release is None:
            name = heading.text
            if not _says_more(lines, heading.line, end, [heading]):
                continue  # its words are in the titles of what follows
            anchor, title, time = name, name, None
        else:
            product = release.name or name or path.rpartition("/")[2].rpartition(".")[0]
            anchor, title = release.version, f"{product} {release.version}"
            time = release.time or _time_below(lines, heading.line + heading.n_lines, end)
        yield Item(
            path=path,
            anchor=anchor,
            text=_section(lines, heading.line, end),
            title=title,
            time=time,
            line=heading.line + 1,
        )


def _says_more(lines: list[str], start: int, end: int, headings: list[_Heading]) -> bool:
    """Whether there is any word beside these headings."""
    own = {heading.line + n for heading in headings for n in range(heading.n_lines)}
    return any(lines[n].strip() for n in range(start, end) if n not in own)


def _section(lines: list[str], start: int, end: int) -> str:
    while end > start and not lines[end - 1].strip():
        end -= 1
    return "\n".join(lines[start:end]) + "\n"


def _headings(lines: list[str], front_lines: int, *, rst: bool) -> Iterator[_Heading]:
    """Headings outside front matter, fences and comments.

    Args:
        lines: The file.
        front_lines: How many of them are front matter.
        rst: Whether further characters underline a heading, and fences are none.
    """
    last_close = max((n for n, line in enumerate(lines) if "-->" in line), default=-1)
    fence = ""
    comment = False
    for number in range(front_lines, len(lines)):
        line = lines[number]
        if comment:
            comment = "-->" not in line
        elif fence:
            mark = line.strip()
            if len(mark) >= len(fence) and set(mark) == {fence[0]}:
                fence = ""
        elif not rst and (opened := _fence(line)):
            fence = opened
        elif line.lstrip(" ").startswith("<!--"):
            # One that is never closed hides nothing.
            comment = "-->" not in line and last_close > number
        elif len(line) > _LONGEST_HEADING:
            continue
        elif found := _ATX.fullmatch(line):
            yield _Heading(number, 1, len(found[1]), _plain(found[2] or ""))
        elif level := _underlined(lines, number, front_lines, rst=rst):
            yield _Heading(number, 2, level, _plain(line))


def _fence(line: str) -> str:
    """The mark that opens a fence; empty where none is opened."""
    opened = _FENCE.fullmatch(line)
    # Backticks further on are code within a line.
    return "" if opened is None or (opened[1][0] == "`" and "`" in opened[2]) else opened[1]


def _underlined(lines: list[str], number: int, front_lines: int, *, rst: bool) -> int:
    """The level of the heading that the next line makes of this one; 0 for none."""
    line = lines[number]
    if not line.strip() or number + 1 == len(lines) or line.startswith(("    ", *_NO_HEADING)):
        return 0
    under = _UNDERLINE.fullmatch(lines[number + 1])
    if under is None or not (rst or under[1][0] in "=-"):
        return 0
    above = lines[number - 1] if number > front_lines else ""
    if above.strip() and not (_ATX.fullmatch(above) or _UNDERLINE.fullmatch(above)):
        return 0  # the last line of a paragraph
    return {"=": 1, "-": 2}.get(under[1][0], 3)


def _plain(heading: str) -> str:
    """A heading without links, emphasis and closing marks."""
    text = _CLOSING_HASHES.sub("", " " + heading.strip())
    text = _LINK.sub(r"[\1]", _LINK.sub(r"[\1]", text))
    return " ".join(_MARKUP.sub("", text).split())


def _releases(headings: list[_Heading]) -> dict[int, _Release]:
    """Line of a heading -> the release it names.

    They stand at the level at which most headings say no more than a version and a date. Some tools
    set the level by how big a release is, so one with a date counts at every level, and one without
    above that level, unless it names a product: that is the title of the file.
    """
    read = [(heading, _release(heading.text)) for heading in headings if heading.level <= _DEEPEST]
    found = [(heading, release) for heading, release in read if release is not None]
    numbered = [pair for pair in found if pair[1].version[0].isdigit()]
    counts = (
        Counter(heading.level for heading, release in numbered if release.sure)
        or Counter(heading.level for heading, release in numbered if release.plain)
        or Counter(heading.level for heading, release in found)
    )
    usual = min(counts, key=lambda level: (-counts[level], level), default=0)
    return {
        heading.line: release
        for heading, release in found
        if heading.level == usual
        or release.sure
        or (heading.level < usual and release.plain and not release.name)
    }


def _release(heading: str) -> _Release | None:
    """The release a heading names, or None."""
    marked = heading.startswith("[")
    text = heading.replace("[", " ").replace("]", " ").strip()
    text = " ".join(text.lstrip("".join(c for c in text if not c.isascii()) + " ").split())
    day = parse_time(text)
    if day is not None and not re.fullmatch(r"\d+\.\d+\.\d+", text):
        return _Release(day, "", day, True, True)
    if unreleased := _UNRELEASED.match(text):
        rest = text[unreleased.end() :]
        plain = not _rest(rest)[1]
        return _Release(unreleased[1], "", None, plain, plain)
    found = _VERSION.match(text)
    if found is None:
        return None
    name = found["name"].strip().rstrip("@-")
    words = [word for word in name.split() if word.casefold() not in _BARE_NAMES]
    time, rest = _rest(text[found.end() :])
    version = found["version"]
    dotted = "." in version
    named = bool(found["v"]) or len(words) < len(name.split()) or marked
    if not dotted and not (named or time):
        return None  # `3 things to know`
    plain = not rest and len(words) <= 1 and (dotted or named)
    if len(words) > 1 and time is None:
        return None
    return _Release(version, " ".join(words), time, plain, plain and time is not None)


def _rest(text: str) -> tuple[str | None, str]:
    """The first date of what follows a version, and what else is said there."""
    time = None
    for found in _DATE.finditer(text):
        time = _time(found[0])
        if time is not None:
            text = text[: found.start()] + " " + text[found.end() :]
            break
    words = text.strip(_SEPARATORS)
    while note := _NOTES.match(words):
        words = words[note.end() :].strip(_SEPARATORS)
    return time, words


def _time(text: str) -> str | None:
    if re.fullmatch(r"[A-Za-z]{3,9}\.? \d{4}", text):
        return parse_time(f"1 {text}")  # a month counts as its first day
    return parse_time(text)


def _time_below(lines: list[str], start: int, end: int) -> str | None:
    """The date that stands alone, but for a word for it, right below a heading."""
    line = next((line for line in lines[start:end] if line.strip()), "")[:_LONGEST_HEADING]
    text = _plain(line.lstrip(" >*-_")).replace("[", " ").replace("]", " ")
    while note := _NOTES.match(text.strip(_SEPARATORS)):
        text = text.strip(_SEPARATORS)[note.end() :]
    time, rest = _rest(text)
    return time if not rest.strip("._* ") else None
