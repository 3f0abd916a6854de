"""What is one document, in bytes?

A line of compact JSON, keys in fixed order, the checksum last, so that a line can be checked
and its `doc_id` and `source_hash` read without parsing it. The line is a pure function of
the document. Bytes: docs/store-format.md, section "A line".
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from hashlib import blake2b
from math import isfinite
from typing import Any

from memidx.documents import Document
from memidx.errors import InputError

SUM_DIGITS = 16
_SUM_HEAD = b',"sum":"'
_SUM_TAIL = b'"}\n'
_TAIL_BYTES = len(_SUM_HEAD) + SUM_DIGITS + len(_SUM_TAIL)
_HEAD = re.compile(rb'\{"doc_id":"((?:[^"\\]|\\.)*)"', re.DOTALL)
_MARKER = re.compile(rb"(<<<<<<<|=======|>>>>>>>|\|\|\|\|\|\|\|)(?: [^\n]*)?\r?\n?\Z")
_MAX_META_DEPTH = 128
# Python reads no more than 4,300 digits back.
_INT_LIMIT = 10**4300
# Control characters but for line feed and tab.
_RARE_CONTROLS = bytes({*range(32)} - {9, 10})
_STRINGS = ("doc_id", "source", "kind", "path", "title", "source_hash", "text")
_SCALARS = (str, bool, type(None))
_OBJECTS = (dict, Mapping)  # an abstract class takes longer to ask
_PLAIN = frozenset((str, type(None)))
quoted = json.encoder.encode_basestring
"""A text as JSON."""
_encoder = json.JSONEncoder(
    ensure_ascii=False, separators=(",", ":"), sort_keys=True, allow_nan=False
)
# What the encoder makes anew for each value, kept: that takes longer than to write a small one.
_make_pieces: Any = getattr(json.encoder, "c_make_encoder", None)  # CPython's own
_pieces = _make_pieces and _make_pieces(
    None, _encoder.default, quoted, None, ":", ",", True, False, False
)


class DamagedLine(ValueError):
    """A line that is not what was written.

    Attributes:
        reason: For a person to read.
        lost: Whether it was a document's; a conflict marker stands between documents.
    """

    def __init__(self, reason: str, *, lost: bool = True) -> None:
        self.reason = reason
        self.lost = lost
        super().__init__(reason)


def encode_line(document: Document) -> bytes:
    """The document's line, with the LF that ends it.

    Raises:
        InputError: The document cannot be stored: lone surrogates anywhere, or `meta` holds
            something that JSON has no spelling for (infinities among them).
    """
    if document.meta:
        _check_meta(document.meta, "meta", document)
    head = (
        f'{{"doc_id":{quoted(document.doc_id)},"source":{quoted(document.source)}'
        f',"kind":{quoted(document.kind)},"path":{quoted(document.path)}'
        f',"title":{quoted(document.title)},"time":{compact(document.time)}'
        f',"tags":{compact(document.tags)},"meta":{compact(dict(document.meta))}'
        f',"source_hash":{quoted(document.source_hash)},"text":"'
    )
    try:
        parts = (head.encode("utf-8"), _escaped(document.text), b'"')
    except UnicodeEncodeError as error:
        raise InputError(
            f"cannot be stored: a lone surrogate (U+{ord(error.object[error.start]):04X}) in its "
            f"{_field_with_surrogate(document)}",
            path=_printable(document.doc_id),
            hint="the source file is damaged, or was decoded with the wrong encoding",
        ) from error
    return b"".join((*parts, _SUM_HEAD, _digest(*parts), _SUM_TAIL))


def compact(value: Any) -> str:
    """A value, nowhere inside itself, as compact JSON with its keys in order."""
    return "".join(_pieces(value, 0)) if _pieces else _encoder.encode(value)


def decode_line(line: bytes) -> Document:
    """The document of a line.

    Raises:
        DamagedLine: The checksum does not match, or what it covers is not a document.
    """
    check_line(line)
    try:
        values = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise DamagedLine(f"not JSON: {error}") from error
    if not isinstance(values, dict):
        raise DamagedLine("not a JSON object")
    for name in _STRINGS:
        if not isinstance(values.get(name), str):
            raise DamagedLine(f"{name} is not a string")
    time, tags, meta = values.get("time"), values.get("tags"), values.get("meta")
    if time is not None and not isinstance(time, str):
        raise DamagedLine("time is neither null nor a string")
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise DamagedLine("tags is not a list of strings")
    if not isinstance(meta, dict):
        raise DamagedLine("meta is not an object")
    # Bytes that memidx wrote hold no such escape; a foreign writer's could.
    if rb"\ud" in line and _holds_surrogate(values):
        raise DamagedLine("holds a lone surrogate")
    return Document(time=time, tags=tuple(tags), meta=meta, **{n: values[n] for n in _STRINGS})


def check_line(line: bytes) -> None:
    """Verifies the checksum, without parsing.

    Raises:
        DamagedLine: With what is wrong, a conflict marker by name.
    """
    sum_start = len(line) - SUM_DIGITS - len(_SUM_TAIL)
    body_end = sum_start - len(_SUM_HEAD)
    if (
        body_end <= 0
        or line[body_end:sum_start] != _SUM_HEAD
        or line[-len(_SUM_TAIL) :] != _SUM_TAIL
    ):
        raise DamagedLine(_what_is_wrong(line), lost=_MARKER.match(line) is None)
    if _digest(memoryview(line)[:body_end]) != line[sum_start : -len(_SUM_TAIL)]:
        raise DamagedLine("its checksum does not match")


def line_sum(line: bytes) -> str:
    """The checksum a sound line carries: 16 hex digits that change whenever the line does."""
    return line[-SUM_DIGITS - len(_SUM_TAIL) : -len(_SUM_TAIL)].decode("ascii")


def line_doc_id(line: bytes) -> str:
    """The `doc_id` of a sound line, read from its head.

    Raises:
        DamagedLine: The line does not begin with one.
    """
    match = _HEAD.match(line)
    if match is None:
        raise DamagedLine("does not begin with a doc_id")
    try:
        if b"\\" in match[1]:
            return str(json.loads(b'"%s"' % match[1]))
        return match[1].decode("utf-8")
    except ValueError as error:
        raise DamagedLine(f"its doc_id is not a string: {error}") from error


def _escaped(text: str) -> bytes:
    """What stands between the quotes of a text as JSON, in UTF-8.

    As the encoder writes it, but by searches instead of by character.
    """
    data = text.encode("utf-8")
    if len(data.translate(None, _RARE_CONTROLS)) != len(data):
        return quoted(text)[1:-1].encode("utf-8")
    data = data.replace(b"\\", b"\\\\").replace(b'"', b'\\"')
    return data.replace(b"\n", b"\\n").replace(b"\t", b"\\t")


def _digest(*parts: bytes | memoryview) -> bytes:
    digest = blake2b(digest_size=SUM_DIGITS // 2)
    for part in parts:
        digest.update(part)
    return digest.hexdigest().encode("ascii")


def _what_is_wrong(line: bytes) -> str:
    """Names the damage of a line that does not end as a line must."""
    marker = _MARKER.match(line)
    if marker is not None:
        return f"conflict marker {marker[1].decode('ascii')} of an unfinished merge"
    if not line.strip():
        return "an empty line"
    if not line.endswith(b"\n"):
        return "the line is cut short: no line end"
    if line.endswith(b"\r\n"):
        return "its line end was changed to CRLF (git's core.autocrlf does that)"
    return "not a whole line: no checksum at its end"


def _check_meta(value: Any, where: str, document: Document, depth: int = 0) -> None:
    """Refuses what has no one spelling in JSON, so that equal documents are equal bytes.

    A finite float has one: the shortest decimal that reads back as the same number.
    """
    if isinstance(value, _SCALARS):
        return
    if isinstance(value, int):
        if abs(value) >= _INT_LIMIT:
            raise _refused(document, where, "is too large a number")
        return
    if isinstance(value, float):
        if not isfinite(value):
            raise _refused(document, where, f"is {value}")
        return
    if depth > _MAX_META_DEPTH:
        raise _refused(document, where, f"is nested deeper than {_MAX_META_DEPTH} levels")
    if isinstance(value, _OBJECTS):
        for key, inner in value.items():
            if not isinstance(key, str):
                raise _refused(document, where, f"has a key of type {type(key).__name__}")
            # Most are plain, or lists of what is, and need no place named.
            kind = type(inner)
            if kind is str:
                continue
            if kind is list and depth < _MAX_META_DEPTH and _PLAIN.issuperset(map(type, inner)):
                continue
            _check_meta(inner, f"{where}.{key}", document, depth + 1)
    elif isinstance(value, list | tuple):
        for place, inner in enumerate(value):
            if type(inner) is not str:
                _check_meta(inner, f"{where}[{place}]", document, depth + 1)
    else:
        raise _refused(document, where, f"is of type {type(value).__name__}")


def _refused(document: Document, where: str, why: str) -> InputError:
    return InputError(
        f"cannot be stored: {_printable(where)} {why}",
        path=_printable(document.doc_id),
        expected="null, true, false, finite numbers, strings, lists and objects of them",
    )


def _holds_surrogate(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


def _field_with_surrogate(document: Document) -> str:
    fields = (*_STRINGS, "time", "tags", "meta")
    return next(name for name in fields if _holds_surrogate(getattr(document, name)))


def _printable(text: str) -> str:
    """The text with lone surrogates spelt out: an error message must itself be printable."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
