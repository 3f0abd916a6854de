"""On which line does a TOML file set a key?

`tomllib` gives values without places. This looks for the line a person would point at, so it reads
headers and `key =` lines and leaves multi-line strings and dotted oddities alone.
"""

from __future__ import annotations

import re

_HEADER = re.compile(r"[ \t]*(\[\[?)[ \t]*([\w.\"' -]+?)[ \t]*\]")


def line_of_key(
    text: str, key: str, *, table: str = "", nth: int = 0, prefix: str = ""
) -> int | None:
    """The 1-based line of a key; the line of its table when the key itself is not found.

    Args:
        text: The file.
        key: The key; or the table itself, then its header is meant.
        table: The table it stands in, "" for the top.
        nth: Which of several `[[table]]`, counted from 0.
        prefix: What all tables are below, such as `tool.memidx`.
    """
    wanted = f"{prefix}.{table}".strip(".")
    outer = wanted.removesuffix(".fields").removesuffix(".repos")
    setting = re.compile(rf"[ \t]*[\"']?{re.escape(key)}[\"']?[ \t]*[=.]")
    inline = re.compile(rf"[{{,][ \t]*[\"']?{re.escape(key)}[\"']?[ \t]*=")
    current = ""
    header = None
    count: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        found = _HEADER.match(line)
        if found:
            current = re.sub(r"[\"' ]", "", found[2])
            if found[1] == "[[":
                count[current] = count.get(current, -1) + 1
        here = current in (wanted, outer) and count.get(outer, nth) == nth
        if found:
            if current == f"{prefix}.{key}".strip("."):
                return number
            if here:
                header = header or number
        elif here and key and (setting.match(line) or (wanted != outer and inline.search(line))):
            return number
    return header
