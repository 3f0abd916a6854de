"""Which values does a file of records hold, and on which line is each?

A reader for each format. All of them hand out what is sound and go on after what is not as far as
the format lets them: lines are independent, a CSV row can be given up, and of a JSON or YAML list
everything before the break is good.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from memidx.text import safe_yaml
from memidx.text.decode import Undecodable, decode

_Located = Iterator[tuple[int | None, Any]]
# Quotes that are never closed swallow the rest of a file; so often it is begun anew after one.
_CSV_RESTARTS = 100
_CSV_FIELD_LIMIT = 1 << 27


@dataclass(frozen=True, slots=True)
class BadRecord:
    """A record that could not be read, and why."""

    reason: str


def read_records(path: str, data: bytes) -> _Located:
    """`(line, value)` for each record; the value is a `BadRecord` where it cannot be read.

    Args:
        path: Its suffix tells the format.
        data: The file's bytes.
    """
    suffix = path[path.rfind(".") :].lower()
    try:
        text = decode(data)
    except Undecodable as error:
        if suffix in (".jsonl", ".ndjson") and b"\n" in data.strip():
            yield from _decoded_lines(data, error)
        else:
            yield None, BadRecord(error.reason)
        return
    if not text.strip():
        yield None, BadRecord("is empty")
    elif suffix in (".jsonl", ".ndjson"):
        yield from _json_lines(enumerate(text.split("\n"), 1))
    elif suffix == ".json":
        yield from _json_list(text)
    elif suffix in (".yaml", ".yml"):
        yield from _yaml_list(text)
    else:
        yield from _csv_rows(text, "\t" if suffix == ".tsv" else "")


# JSON


def _decoded_lines(data: bytes, whole: Undecodable) -> _Located:
    """Lines of a file that is not text as a whole: the broken ones do not cost the others."""
    found: list[tuple[int | None, Any]] = []
    good = False
    for number, line in enumerate(data.split(b"\n"), 1):
        try:
            values = list(_json_lines([(number, decode(line))]))
        except Undecodable as error:
            values = [(number, BadRecord(error.reason))]
        good = good or any(not isinstance(value, BadRecord) for _, value in values)
        found += values
    if good:
        yield from found
    else:
        yield None, BadRecord(whole.reason)


def _json_lines(lines: Any) -> _Located:
    decoder = _decoder()
    for number, line in lines:
        if not line.strip():
            continue
        yield number, _parsed(partial(decoder.decode, line))


def _json_list(text: str) -> _Located:
    """Elements of a list one by one, so that each has its line and a break costs only the rest.

    A file of JSON lines is often called `.json` (MongoDB's exports are): it is read as such.
    """
    position = _skip_space(text, 0)
    if text[position] != "[":
        lines = [line for line in text.split("\n") if line.strip()]
        if text[position] == "{" and len(lines) > 1 and lines[0].rstrip().endswith("}"):
            yield from _json_lines(enumerate(text.split("\n"), 1))
        else:
            value = _parsed(lambda: _decoder().decode(text))
            problem = (
                value if isinstance(value, BadRecord) else BadRecord("is not a list of records")
            )
            yield None, problem
        return
    decoder = _decoder()
    line, counted = 1, 0
    position = _skip_space(text, position + 1)
    if text[position : position + 1] == "]":
        if _skip_space(text, position + 1) < len(text):
            yield None, BadRecord("text follows after the end of the list")
        return
    while True:
        line, counted = line + text.count("\n", counted, position), position
        end: list[int] = []

        def element(at: int = position, end: list[int] = end) -> Any:
            value, stop = decoder.raw_decode(text, at)
            end.append(stop)
            return value

        value = _parsed(element)
        if not end:
            yield line, value if isinstance(value, BadRecord) else BadRecord("is not JSON")
            return
        yield line, value
        position = _skip_space(text, end[0])
        mark = text[position : position + 1]
        if mark == ",":
            position = _skip_space(text, position + 1)
            continue
        line += text.count("\n", counted, position)
        if mark != "]":
            yield line, BadRecord("the list ends here without `]`" if not mark else _NO_COMMA)
        elif _skip_space(text, position + 1) < len(text):
            yield line, BadRecord("text follows after the end of the list")
        return


_NO_COMMA = "is not JSON: `,` or `]` expected; the rest of the list is left out"


def _skip_space(text: str, position: int) -> int:
    while position < len(text) and text[position] in " \t\n\r":
        position += 1
    return position


def _decoder() -> json.JSONDecoder:
    return json.JSONDecoder(parse_float=_finite, parse_constant=_no_constant)


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"the number {_short(text)} is too large")
    return value


def _no_constant(text: str) -> Any:
    raise ValueError(f"{text} is not JSON")


def _parsed(parse: Callable[[], Any]) -> Any:
    try:
        return parse()
    except json.JSONDecodeError as error:
        return BadRecord(f"is not JSON: {error.msg} (column {error.colno})")
    except RecursionError:
        return BadRecord("is nested too deep")
    except ValueError as error:
        # A number with more digits than Python converts, too.
        return BadRecord(f"is not JSON: {_short(str(error))}")


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}…"


# YAML


def _yaml_list(text: str) -> _Located:
    try:
        yield from safe_yaml.load_list(text)
    except safe_yaml.BadYaml as error:
        yield error.line, BadRecord(error.reason)


# CSV


def _csv_rows(text: str, delimiter: str) -> _Located:
    # The csv module is loaded only for such files; its limit for a field is the whole process's.
    import csv

    lines = text.split("\n")
    if not delimiter:
        head = next(line for line in lines if line.strip())
        delimiter = max((",", ";", "\t"), key=head.count)
    before = csv.field_size_limit(_CSV_FIELD_LIMIT)
    try:
        yield from _csv_values(lines, delimiter)
    finally:
        csv.field_size_limit(before)


def _csv_values(lines: list[str], delimiter: str) -> _Located:
    import csv

    header: list[str] | None = None
    start, restarts = 0, 0
    while start < len(lines):
        reader = csv.reader(
            (f"{line}\n" for line in lines[start:]), delimiter=delimiter, strict=True
        )
        first = start
        while True:
            begin = first + reader.line_num
            try:
                row = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                yield begin + 1, BadRecord(f"is not CSV: {error}")
                restarts += 1
                if restarts > _CSV_RESTARTS:
                    yield begin + 1, BadRecord("too many broken rows: the rest is left out")
                    return
                start = begin + 1
                break
            if not any(cell.strip() for cell in row):
                continue
            if header is None:
                header = [cell.strip() for cell in row]
                names = [name for name in header if name]
                if len(set(names)) < len(names):
                    yield begin + 1, BadRecord("the header names a column twice")
                    return
            elif len(row) != len(header):
                yield (
                    begin + 1,
                    BadRecord(f"the row has {len(row)} cells, the header has {len(header)}"),
                )
            else:
                yield begin + 1, {k: v for k, v in zip(header, row, strict=True) if k}
