"""What does a text file say, and what is it called?

One item a file. Its text is the whole decoded file, front matter included; the title is the first
heading of level one outside fences, comments and front matter, else the front matter's title (for a
heading underlined with `=`, as in reStructuredText, there is no better name either).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from memidx.config import SourceConfig
from memidx.sources.base import SUFFIXES, FileKind, Item, Parsed, Skip
from memidx.text.dates import date_in_name, parse_time, time_from_number
from memidx.text.decode import Undecodable, decode
from memidx.text.front_matter import read_front_matter

# Lines that can begin a heading, a fence or a comment; everything else is passed over in C.
_LANDMARK = re.compile(r"^ {0,3}(#[ \t]+|`{3,}+|~{3,}+|<!--)", re.MULTILINE)
_UNDERLINED = re.compile(r"^ {0,3}(\S[^\n]{0,300})\n {0,3}={3,}[ \t]*$", re.MULTILINE)
_CLOSING_HASHES = re.compile(r"(?:^|[ \t]+)#+[ \t]*$")
_COMMENT = re.compile(r"<!--[^<>]*-->")
_LONGEST_HEADING = 1000
# Keys of front matter that become fields of the document; the others are its `meta`.
_FIELDS = frozenset(("title", "date", "updated", "tags"))
_TOP_CHARACTERS = 4000


class _Markdown:
    """The `markdown` kind: Markdown, MDX, reStructuredText and plain text."""

    name = "markdown"
    suffixes = SUFFIXES["markdown"]

    def parse(self, source: SourceConfig, path: str, data: bytes) -> Parsed:
        """One item, or a skip that says why there is none."""
        try:
            text = decode(data)
        except Undecodable as error:
            return Parsed(skips=(Skip(path, error.reason, source=source.name),))
        if not text or text.isspace():
            return Parsed(skips=(Skip(path, "is empty", source=source.name),))
        front = read_front_matter(text)
        facts: dict[str, Any] = {}
        meta: dict[str, Any] = {}
        for key, value in front.meta.items():
            name = key.casefold()
            facts[name] = value
            if name not in _FIELDS:
                meta[key] = value
        time = (
            time_of(facts.get("date"))
            or time_of(facts.get("updated"))
            or date_in_name(path.rpartition("/")[2])
        )
        # All fields in their order: to bind names takes longer than to find the title.
        title = title_of(text, front.end_line, facts.get("title"))
        item = Item(path, None, text, title, time, tags_of(facts.get("tags")), meta, 1, ())
        return Parsed((item,), ())


KIND: FileKind = _Markdown()


def title_of(text: str, front_lines: int, stated: Any = None) -> str | None:
    """The title of a text whose first `front_lines` lines are front matter; None for none."""
    start = 0
    for _ in range(front_lines):
        start = text.find("\n", start) + 1
        if not start:
            start = len(text)
            break
    heading = _first_heading(text, start)
    if heading:
        return heading
    if isinstance(stated, str | int | float) and str(stated).strip():
        return str(stated).strip()
    underlined = _UNDERLINED.search(text, start, start + _TOP_CHARACTERS)
    if underlined and not set(underlined[1].strip()) <= set("=-~#*+^"):
        return underlined[1].strip()
    return None


def time_of(value: Any) -> str | None:
    """The time a field states: text in any form of `parse_time`, or a Unix time."""
    if isinstance(value, str):
        return parse_time(value)
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return parse_time(str(value)) or time_from_number(value)
    return time_from_number(value) if isinstance(value, float) else None


def tags_of(value: Any) -> tuple[str, ...]:
    """Tags of a list, or of a text with commas (else blanks) between them, without repeats."""
    if isinstance(value, str):
        value = value.split(",") if "," in value else value.split()
    elif isinstance(value, Mapping) or not isinstance(value, list | tuple):
        return ()
    found = (str(tag).strip().lstrip("#").strip() for tag in value if _is_word(tag))
    return tuple(dict.fromkeys(tag for tag in found if tag))


def _is_word(value: Any) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _first_heading(text: str, start: int) -> str | None:
    if "# " not in text and "#\t" not in text:
        return None
    found = _LANDMARK.search(text, start)
    while found:
        mark = found[1]
        if mark[0] == "#":
            end = text.find("\n", found.end())
            line = text[found.end() : end if end >= 0 else len(text)][:_LONGEST_HEADING]
            if "<" in line:
                line = _COMMENT.sub("", line)
            if "#" in line:
                line = _CLOSING_HASHES.sub("", line.rstrip())
            heading = line.strip()
            if heading:
                return heading
            after = found.end()
        elif mark == "<!--":
            close = text.find("-->", found.end())
            # An unclosed comment hides nothing but itself.
            after = close + 3 if close >= 0 else found.end()
        else:
            after = _after_fence(text, found.end(), mark)
        found = _LANDMARK.search(text, after)
    return None


def _after_fence(text: str, opened: int, mark: str) -> int:
    """Where the text goes on after a fence; an unclosed one reaches to the end."""
    line_end = text.find("\n", opened)
    if mark[0] == "`" and "`" in text[opened : line_end if line_end >= 0 else len(text)]:
        return opened  # code within a line, not a fence
    close = re.compile(rf"^ {{0,3}}{re.escape(mark[0])}{{{len(mark)},}}[ \t]*$", re.MULTILINE)
    closed = close.search(text, line_end if line_end >= 0 else len(text))
    return closed.end() if closed else len(text)
