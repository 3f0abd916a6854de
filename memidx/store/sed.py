r"""What does a line-addressed sed script say, and what does it make of a file?

One form is written and read: a comment that names the shard, then `c`, which changes one line
into another. It is the form POSIX gives, so any sed does the same to the file:

    # docs.jsonl
    12c\
    {"doc_id":"a.md",...}

Pure: bytes in, bytes out. The form: docs/store-format.md, section "One line by sed".
"""

from __future__ import annotations

import re

# Address, `c`, a backslash, LF; the text, in which backslashes come in pairs, LF.
_SCRIPT = re.compile(rb"(?:# [^\n]*\n)*([1-9][0-9]{0,17})c\\\n((?:[^\\\n]++|\\\\)*)\n")


class SedError(ValueError):
    """A script that is not of the form that is written here, or an address that is not there."""


def write_script(shard: str, number: int, line: bytes) -> bytes:
    r"""The script that makes `line` the line with this number.

    Only a backslash is special in a text: it takes the special meaning off what follows, or, as
    GNU sed reads it, gives one (`\t`). Doubled, it is itself. White space is special at the
    beginning of a text alone, and a line of a store begins with a brace.

    Args:
        shard: Name of the shard, told to a person who reads the script.
        number: 1-based.
        line: With the LF that ends it, and no other.
    """
    text = line.removesuffix(b"\n").replace(b"\\", rb"\\")
    return b"# %s\n%dc\\\n%s\n" % (shard.encode("ascii"), number, text)


def run_script(script: bytes, data: bytes) -> bytes:
    """What `sed -f` makes of `data`, whose lines each end in LF.

    Raises:
        SedError: The script is of another form, or `data` has no such line (where sed would
            change nothing and say nothing).
    """
    match = _SCRIPT.fullmatch(script)
    if match is None:
        raise SedError("not a script that changes one line")
    number = int(match[1])
    span = find_line(data, number)
    if span is None:
        raise SedError(f"there is no line {number}")
    start, end = span
    return b"".join((data[:start], match[2].replace(rb"\\", b"\\"), b"\n", data[end:]))


def find_line(data: bytes, number: int) -> tuple[int, int] | None:
    """Offsets of a line's first byte and of the byte after its LF; None when it is not there."""
    start = 0
    for _ in range(number - 1):
        start = data.find(b"\n", start) + 1
        if not start:
            return None
    end = data.find(b"\n", start) + 1
    return (start, end) if end else None
