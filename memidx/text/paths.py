"""What is a file called, and does it lie where it may?

Identity is the POSIX, NFC, root-relative path; how a disk spells a name is local knowledge.
Pure string work: nothing here looks at a disk.
"""

from __future__ import annotations

import os
import posixpath
import unicodedata

_GLOB_CHARACTERS = frozenset("*?[")


def identity(path: str) -> str:
    """The stable name of a root-relative path: `/` between parts, NFC, no `.` parts."""
    if os.sep != "/":  # pragma: no cover - Windows only
        path = path.replace(os.sep, "/")
    if not path.isascii():
        path = unicodedata.normalize("NFC", path)
    return posixpath.normpath(path) if path else path


def is_utf8(path: str) -> bool:
    """Whether a name from the disk is text; otherwise it holds surrogates for raw bytes."""
    if path.isascii():
        return True
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def printable(path: str) -> str:
    """A path fit for a message: raw bytes and control characters written out in hexadecimal."""
    text = path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text
    )


def is_within(path: str, root: str) -> bool:
    """Whether `path` is `root` or lies below it; both absolute and resolved."""
    return path == root or path.startswith(root if root.endswith(os.sep) else root + os.sep)


def relative_to(path: str, root: str) -> str:
    """`path` below `root` with `/` between parts, "" for the root itself; see `is_within`."""
    return path[len(root) :].lstrip(os.sep).replace(os.sep, "/")


def glob_base(pattern: str) -> str:
    """The folder below which every match of a pattern lies, as far as the pattern tells.

    `docs/decisions/**` gives `docs/decisions`, `*.md` gives "", `docs/a.md` gives `docs`. A last
    part without wildcard counts as a file when it has a suffix, else as a folder. As in
    gitignore, a pattern without a `/` before its end matches at every depth, so its base is "".
    A base may begin with `..`: who uses it must check where it leads.
    """
    body = pattern.lstrip("/")
    if "/" not in body.rstrip("/") and not pattern.startswith("/"):
        return ""
    parts: list[str] = []
    pieces = body.split("/")
    for index, part in enumerate(pieces):
        literal = _literal(part)
        if literal is None:
            break
        if index == len(pieces) - 1 and ("." in literal.strip(".") or not literal):
            break
        parts.append(literal)
    base = posixpath.normpath("/".join(parts)) if parts else ""
    return "" if base == "." else base


def _literal(part: str) -> str | None:
    """A pattern's part without its escapes, or None when it holds a wildcard."""
    if not _GLOB_CHARACTERS.intersection(part) and "\\" not in part:
        return part
    plain: list[str] = []
    escaped = False
    for character in part:
        if escaped:
            plain.append(character)
            escaped = False
        elif character == "\\":
            escaped = True
        elif character in _GLOB_CHARACTERS:
            return None
        else:
            plain.append(character)
    return "".join(plain)
