"""What does each function, class and script of a program do?

Python by its syntax tree, shell by a small reader of its own; nothing is imported and nothing runs.
An item a top-level function or class, with what belongs to it (decorators, the comment above it),
named `qualified.name`; what is left of the file is the script, named by the file alone.

Modules that a piece imports and calls that it makes are in `meta`. Those whose full name does not
stand in its source, such as the `subprocess.run` behind a bare `run(…)`, are added to the text as a
comment on its last line, so that they are found, and lines are still those of the file.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import Any

from memidx.config import SourceConfig
from memidx.sources.base import SUFFIXES, FileKind, Item, Parsed, Skip
from memidx.sources.code_pieces import NotTakenApart, Piece, TakenApart
from memidx.text.decode import Undecodable, decode

# PEP 263: in the first or second line, and only comments before it.
_CODING = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_SHEBANG = re.compile(
    r"#![ \t]*(?:\S*/)?(?:env[ \t]+(?:-\S+[ \t]+)*(?:\S+=\S*[ \t]+)*)?"
    r"(?:\S*/)?(python|sh|bash|dash|ash|ksh|zsh)[\d.]*(?![\w-])"
)
_UTF_8 = frozenset(("utf-8", "utf-8-sig", "ascii"))
_MOST_NAMES = 200
_LONGEST_NAME = 200
_LONGEST_SUMMARY = 200


class _Code:
    """The `code` kind."""

    name = "code"
    suffixes = SUFFIXES["code"]

    def parse(self, source: SourceConfig, path: str, data: bytes) -> Parsed:
        """An item a function, class and script; the whole file where it cannot be taken apart."""

        def skip(reason: str, line: int | None = None) -> Skip:
            return Skip(path, reason, line, source.name)

        language = _language(path, data)
        if language is None:
            return Parsed()  # no program: a licence, a Makefile
        try:
            text = _decoded(data) if language == "python" else decode(data)
        except Undecodable as error:
            return Parsed(skips=(skip(error.reason),))
        if not text.strip():
            # Python's way to say that a folder is a package.
            is_marker = path.rpartition("/")[2] == "__init__.py"
            return Parsed(skips=() if is_marker else (skip("is empty"),))
        try:
            taken = _take_apart(text, language)
        except NotTakenApart as error:
            reason = f"{error.reason}: the file is one document"
            whole = Item(path=path, anchor=None, text=text, tags=(language, "script"))
            return Parsed((whole,), (skip(reason, error.line),))
        return Parsed(
            tuple(_item(path, language, piece) for piece in taken.pieces),
            tuple(skip(reason, line) for line, reason in taken.problems),
        )


KIND: FileKind = _Code()


def _language(path: str, data: bytes) -> str | None:
    """`python` or `shell`, by the suffix or by the first line."""
    name = path.rpartition("/")[2].lower()
    if name.endswith((".py", ".pyi")):
        return "python"
    if name.endswith((".sh", ".bash")):
        return "shell"
    found = _SHEBANG.match(data[:200].decode("latin-1"))
    if found is None:
        return None
    return "python" if found[1] == "python" else "shell"


def _decoded(data: bytes) -> str:
    """The text of a Python file, in the encoding that it declares.

    Raises:
        Undecodable: An encoding that is not known, or bytes that do not fit it.
    """
    name = _declared(data)
    if name is None or data.startswith(codecs.BOM_UTF8):
        return decode(data)
    try:
        codec = codecs.lookup(name)
    except (LookupError, ValueError) as error:
        raise Undecodable(f"declares an encoding that is not known: {name}") from error
    if codec.name in _UTF_8:
        return decode(data)
    if not codec._is_text_encoding:
        raise Undecodable(f"declares an encoding that is none of a text: {name}")
    try:
        text = codec.decode(data, "strict")[0]
    except (ValueError, MemoryError) as error:
        raise Undecodable(f"is not {name}, the encoding that it declares") from error
    return decode(text.encode("utf-8", "replace"))


def _declared(data: bytes) -> str | None:
    for line in data.split(b"\n", 2)[:2]:
        found = _CODING.match(line[:1000])
        if found is not None:
            return found[1].decode("ascii", "replace")
        if line.strip() and not line.lstrip().startswith(b"#"):
            break
    return None


def _take_apart(text: str, language: str) -> TakenApart:
    # One of them is enough for most files.
    if language == "python":
        from memidx.sources.code_python import take_apart
    else:
        from memidx.sources.code_shell import take_apart
    return take_apart(text)


def _item(path: str, language: str, piece: Piece) -> Item:
    imports, calls = _names(piece.imports), _names(piece.calls)
    meta: dict[str, Any] = {}
    if imports:
        meta["imports"] = imports
    if calls:
        meta["calls"] = calls
    name = piece.name or path.rpartition("/")[2]
    summary = piece.summary[:_LONGEST_SUMMARY].strip()
    return Item(
        path=path,
        anchor=piece.name,
        text=_with_hidden_names(piece.text, [*imports, *calls]),
        title=f"{name}: {summary}" if summary else name,
        tags=(language, piece.sort),
        meta=meta,
        line=piece.line,
    )


def _with_hidden_names(text: str, names: list[str]) -> str:
    """The text with the names that do not stand in it as a comment on its last line."""
    hidden = [name for name in dict.fromkeys(names) if name not in text]
    if not hidden:
        return text
    body = text.rstrip("\n")
    return f"{body}  # uses {', '.join(hidden)}{text[len(body) :]}"


def _names(names: Iterator[str] | tuple[str, ...]) -> list[str]:
    """The first of the distinct names; one that nobody would look for is left out."""
    found = dict.fromkeys(name for name in names if 0 < len(name) <= _LONGEST_NAME)
    return list(found)[:_MOST_NAMES]
