"""What does each record of a file say?

JSON lines, a JSON list, a YAML list, or CSV with a header. A record is a mapping; each becomes an
item named by its id, or by its place in the file. One bad record costs that record alone.

Which field is what is configured (`fields`), else taken by these names, the first that is there:
`id` or `_id`; `title`; `text`; `time`, `date`, `timestamp` or `created_at`; `tags`.
A record without text gets one from all its other text values, a line `name: value` each, nested
names joined by dots. Short scalars that are none of these become `meta`.
People ask for a task by its number: an id that is a name (`TG-117`) and stands neither in title nor
text is the text's last line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from memidx.config import SourceConfig
from memidx.sources.base import SUFFIXES, FileKind, Item, Parsed, Skip
from memidx.sources.markdown import tags_of, time_of
from memidx.sources.record_files import BadRecord, read_records

_NAMES: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "_id"),
    "title": ("title",),
    "text": ("text",),
    "time": ("time", "date", "timestamp", "created_at"),
    "tags": ("tags",),
}
# Names are asked for; mere numbers, and what a database makes up, are not.
_NAME = re.compile(r"(?=.*[^\W\d_])(?!(?:[0-9a-fA-F]{4,}-)*[0-9a-fA-F]{4,}\Z).{2,80}")
_MAX_DEPTH = 64
_LONGEST_ANCHOR = 200
_LONGEST_META = 500


class _Records:
    """The `records` kind."""

    name = "records"
    suffixes = SUFFIXES["records"]

    def parse(self, source: SourceConfig, path: str, data: bytes) -> Parsed:
        """An item a record, and a skip for each record that cannot be read."""
        items: list[Item] = []
        skips: list[Skip] = []
        place = 0
        for line, value in read_records(path, data):
            place += 1
            reason = value.reason if isinstance(value, BadRecord) else _objection(value)
            if reason is None:
                item = _item(source, path, line or 1, place, value)
                if item is not None:
                    items.append(item)
                    continue
                reason = "the record holds no text"
            skips.append(Skip(path, reason, line, source.name))
        return Parsed(tuple(items), tuple(skips))


KIND: FileKind = _Records()


def _objection(value: Any) -> str | None:
    """Why a value is no record; None when it is one."""
    if not isinstance(value, dict):
        return f"the record is {_kind_of(value)}, not an object"
    return _unfit(value, 0)


def _unfit(value: Any, depth: int) -> str | None:
    """Why a value cannot be kept: what JSON or UTF-8 cannot hold, or nested out of all reason."""
    if depth > _MAX_DEPTH:
        return f"the record is nested deeper than {_MAX_DEPTH}"
    if isinstance(value, str):
        if "\0" in value:
            return "the record holds NUL"
        if not value.isascii() and any("\ud800" <= c <= "\udfff" for c in value):
            return "the record holds half a surrogate pair"
        return None
    parts: Iterator[Any]
    if isinstance(value, dict):
        parts = (part for pair in value.items() for part in pair)
    elif isinstance(value, list):
        parts = iter(value)
    else:
        return None
    return next((reason for part in parts if (reason := _unfit(part, depth + 1))), None)


def _item(
    source: SourceConfig, path: str, line: int, place: int, record: dict[str, Any]
) -> Item | None:
    used = {part: _field(source, part, record) for part in _NAMES}
    title_key, text_key = used["title"], used["text"]
    title = _line_of_text(record[title_key]) if title_key is not None else None
    text = _text(record[text_key]) if text_key is not None else ""
    apart = {key for key in used.values() if key is not None}
    if not text.strip():
        apart.discard(text_key or "")
        text = "\n".join(_described(record, apart))
        if not text.strip():
            if not title:
                return None
            text = title
    identifier = _scalar(record[used["id"]]) if used["id"] is not None else None
    anchor = _anchor(identifier)
    if anchor and _NAME.fullmatch(anchor) and anchor not in f"{title}\n{text}":
        text = f"{text}\n\n{used['id']}: {anchor}"
    tags_key, time_key = used["tags"], used["time"]
    return Item(
        path=path,
        anchor=anchor or str(place),
        text=text.replace("\r\n", "\n").replace("\r", "\n"),
        title=title,
        time=_time(record[time_key]) if time_key is not None else None,
        tags=tags_of(record[tags_key]) if tags_key is not None else (),
        meta={
            key: value
            for key, value in record.items()
            if key not in apart and _is_short_scalar(value)
        },
        line=line,
    )


def _field(source: SourceConfig, part: str, record: Mapping[str, Any]) -> str | None:
    """The record's key for a part, where it holds something."""
    chosen = source.fields.get(part)
    names = (chosen,) if chosen else _NAMES[part]
    return next((name for name in names if record.get(name) not in (None, "")), None)


def _scalar(value: Any) -> str | None:
    """A scalar as text; of `{"$oid": …}` and its like (MongoDB's exports) what is inside."""
    if isinstance(value, dict) and len(value) == 1:
        ((key, inner),) = value.items()
        return _scalar(inner) if key.startswith("$") else None
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int | float) else None


def _time(value: Any) -> str | None:
    if isinstance(value, dict):
        inner = _scalar(value)
        # `{"$date": {"$numberLong": "1700000000000"}}`
        return time_of(int(inner) if inner and inner.lstrip("-").isdecimal() else inner)
    if isinstance(value, str) and value.isdecimal() and len(value) >= 10:
        return time_of(value) or time_of(int(value[:18]))
    return time_of(value)


def _text(value: Any) -> str:
    """Text of a text field: a list is its parts, a line each (chat messages are lists)."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict | list):
        return "\n".join(_described({"": value}, set()))
    return _scalar(value) or ""


def _described(record: Mapping[str, Any], without: set[str]) -> Iterator[str]:
    """A line `name: value` for each text a record holds, in its order."""
    for key, value in record.items():
        if key not in without:
            yield from _lines(key, value)


def _lines(name: str, value: Any) -> Iterator[str]:
    if isinstance(value, str):
        if value.strip():
            yield f"{name}: {value}" if name else value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _lines(f"{name}.{key}" if name else key, inner)
    elif isinstance(value, list):
        if all(isinstance(part, str) for part in value):
            if name and value:
                yield f"{name}: {', '.join(value)}"
            else:
                yield from value
        else:
            for part in value:
                yield from _lines(name, part)


def _line_of_text(value: Any) -> str | None:
    text = _scalar(value)
    return " ".join(text.split()) or None if text is not None else None


def _anchor(identifier: str | None) -> str | None:
    """An id fit to be part of a `doc_id`: one line, and not longer than a file name."""
    if identifier is None:
        return None
    anchor = " ".join(identifier.split())
    anchor = "".join(c for c in anchor if c.isprintable())
    if len(anchor) > _LONGEST_ANCHOR:
        # Loaded only for the rare id that is a text.
        import hashlib

        digest = hashlib.sha256(anchor.encode()).hexdigest()[:12]
        anchor = f"{anchor[:_LONGEST_ANCHOR]}…{digest}"
    return anchor or None


def _is_short_scalar(value: Any) -> bool:
    if isinstance(value, str):
        return 0 < len(value) <= _LONGEST_META
    return isinstance(value, bool | int | float)


def _kind_of(value: Any) -> str:
    names = {list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")
