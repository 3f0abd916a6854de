"""What does a file say about itself before its text begins?

A block of YAML between `---` on the first line and `---` or `...`. Reading it never takes
anything away: the text stays whole, and a block that does not parse is just text.
"""

from __future__ import annotations

import re
from typing import Any

from memidx.text import safe_yaml
from memidx.values import Value, field

_MAX_CHARACTERS = 64 * 1024
_OPEN = re.compile(r"---[ \t]*(?=\n|\Z)")
_CLOSE = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE)
# What most front matter consists of, one line a key. Nearly every file of a large collection is
# read by these three patterns; PyYAML takes about a hundred times as long.
_SIMPLE_LINE = re.compile(
    r"([A-Za-z_][A-Za-z0-9_.-]*+):"
    r"(?:[ ]++(?:"
    r'"([^"\\\n]*+)"|'
    r"'([^'\n]*+)'|"
    r"([A-Za-z0-9][^\n:#\"'\[\]{},&*!|>%@`\\]*+(?::[^\s:#\"'\[\]{},&*!|>%@`\\]++)*)|"
    r'\[((?:[ ]*+"[^"\\\n]*+"[ ]*+,)*[ ]*+"[^"\\\n]*+"[ ]*+)\]'
    r"))?[ ]*+(?=\n|\Z)"
)
# Its groups; what else a value may be is a text in quotes, double or single.
_KEY, _PLAIN, _LIST = 1, 4, 5
# Compiled for what is not ASCII alone: it takes longer than all the others together.
_UNPRINTABLE = (
    "[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
_PRINTABLE_ASCII = bytes((10, *range(0x20, 0x7F)))
# Keys worth saving from a block that is not quite YAML, `title: a: b` above all.
_SALVAGED_LINE = re.compile(r"(title|date|updated|tags)[ \t]*:[ \t]+(\S[^\n]*)", re.IGNORECASE)


class FrontMatter(Value):
    """What the block says.

    Attributes:
        meta: Key -> JSON value, as `memidx.text.safe_yaml` reads it.
        end_line: Number of lines the block takes, both markers included; 0 when there is none.
    """

    meta: dict[str, Any] = field(default_factory=dict)
    end_line: int = 0


_NONE = FrontMatter()


def read_front_matter(text: str) -> FrontMatter:
    """The front matter of a decoded text; an empty one when there is none.

    A block must be a mapping: a letterhead, a list or a rule between two lines of `---` is text.
    Of a block that is not YAML, its lines `title:`, `date:`, `updated:` and `tags:` are still
    understood, the value up to the end of the line.
    """
    if not text.startswith("---"):
        return _NONE
    opened = _OPEN.match(text)
    if not opened or opened.end() == len(text):
        return _NONE
    start = opened.end() + 1
    closed = _closing(text, start)
    # The window's end also counts as `$`, so a longer line may only look closed.
    if not closed or not (closed.end() == len(text) or text[closed.end()] == "\n"):
        return _NONE
    block = text[start : closed.start()]
    meta = _simple(block)
    if meta is None:
        try:
            value = safe_yaml.load(block)
        except safe_yaml.BadYaml:
            value = _salvage(block)
        meta = value if isinstance(value, dict) else None
    if not meta:
        return _NONE
    return FrontMatter(meta, text.count("\n", 0, closed.start()) + 1)


def _closing(text: str, start: int) -> re.Match[str] | None:
    """The line that closes the block which begins at `start`, or what looks like it."""
    end = start + _MAX_CHARACTERS
    at = text.find("\n---", start - 1, end)
    dots = text.find("\n...", start - 1, end if at < 0 else at)
    first = dots if dots >= 0 else at
    # The pattern asks at every character whether a line begins there.
    return _CLOSE.search(text, first + 1, end) if first >= 0 else None


def _simple(block: str) -> dict[str, Any] | None:
    """The values of a block of simple lines; None when any line needs the full reader."""
    if not _is_printable(block):
        return None
    meta: dict[str, Any] = {}
    at, end = 0, len(block)
    while at < end:
        found = _SIMPLE_LINE.match(block, at)
        if not found:
            if block[at] not in "\n#":
                return None
            line_end = block.find("\n", at)
            at = line_end + 1 if line_end >= 0 else end
            continue
        at = found.end() + 1
        kind = found.lastindex or 0
        value = found[kind]
        if kind == _PLAIN:
            value = safe_yaml.scalar(value.rstrip(" "))
        elif kind == _LIST:
            # No text in it holds a quote.
            value = value.split('"')[1::2]
        elif kind == _KEY:
            # A value may follow on deeper lines; those do not match, so here there is none.
            value = None
        meta[found[_KEY]] = value
    return meta


def _is_printable(block: str) -> bool:
    if block.isascii():
        return not block.encode().translate(None, _PRINTABLE_ASCII)
    return re.search(_UNPRINTABLE, block) is None


def _salvage(block: str) -> dict[str, Any]:
    meta: dict[str, Any] = {}
    for line in block.split("\n"):
        found = _SALVAGED_LINE.fullmatch(line)
        if found:
            value = found[2].rstrip()
            if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
                value = value[1:-1]
            meta.setdefault(found[1].lower(), value.strip("[]") if found[1] == "tags" else value)
    return meta
