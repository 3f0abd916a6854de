"""What does each operation of an API do?

OpenAPI 3 and Swagger 2, as YAML or JSON; an item an operation, named by method and route. Nothing
is fetched: what a file takes from another one is named.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from memidx.config import SourceConfig
from memidx.sources.base import SUFFIXES, FileKind, Item, Parsed, Skip
from memidx.sources.openapi_files import SECTIONS, Found, Unreadable, entries, read_values
from memidx.sources.openapi_schema import References, plain
from memidx.sources.openapi_text import Operation, external_name
from memidx.text.decode import Undecodable, decode

_METHODS = frozenset(("get", "put", "post", "delete", "options", "head", "patch", "trace", "query"))
# The other keys that a path item may have.
_OTHER_KEYS = frozenset(("$ref", "summary", "description", "servers", "parameters"))
_MORE_METHODS = "additionalOperations"
_LONGEST_ROUTE = 1000
# All texts of a file together; a few kilobytes of aliases can stand for gigabytes of them.
_MOST_CHARACTERS = 1 << 28


class _OpenApi:
    """The `openapi` kind."""

    name = "openapi"
    suffixes = SUFFIXES["openapi"]

    def parse(self, source: SourceConfig, path: str, data: bytes) -> Parsed:
        """An item an operation, and a skip for each that cannot be read."""

        def refused(reason: str, line: int | None = None) -> Parsed:
            return Parsed(skips=(Skip(path, reason, line, source.name),))

        try:
            text = decode(data)
        except Undecodable as error:
            return refused(error.reason)
        if not text.strip():
            return refused("is empty")
        try:
            document, places = read_values(path, text)
        except Unreadable as error:
            return refused(error.reason, error.line)
        reason = _objection(document)
        if reason is not None:
            return refused(reason)
        items: list[Item] = []
        skips: list[Skip] = []
        left = _MOST_CHARACTERS
        for found in _operations(document, entries(document, places)):
            if isinstance(found, _Bad):
                skips.append(Skip(path, found.reason, found.line, source.name))
                continue
            item, problems = _item(document, path, found)
            left -= len(item.text)
            if left < 0:
                skips.append(Skip(path, "is too much text from here on", found.line, source.name))
                break
            items.append(item)
            skips += (Skip(path, reason, item.line, source.name) for reason in problems)
        for section in SECTIONS:
            if not isinstance(document.get(section, {}), dict):
                skips.append(Skip(path, f"{section} is not an object", source=source.name))
        if not items and not skips:
            return refused("describes no operation")
        return Parsed(tuple(items), tuple(skips))


KIND: FileKind = _OpenApi()


class _Bad:
    """What should be an operation and is none."""

    def __init__(self, reason: str, line: int) -> None:
        self.reason = reason
        self.line = line


def _objection(document: Any) -> str | None:
    """Why a value describes no API; None when it does."""
    if not isinstance(document, dict):
        return "is not OpenAPI: the file is not an object"
    version = plain(document.get("openapi", document.get("swagger")))
    if not version:
        return "is not OpenAPI: it has neither `openapi` nor `swagger` with a version"
    wanted = "3" if "openapi" in document else "2"
    if version.partition(".")[0] != wanted:
        return f"is OpenAPI of a version that is not read: {version[:40]!r}, not 2 or 3"
    return None


def _operations(document: Mapping[str, Any], found: Iterator[Found]) -> Iterator[Found | _Bad]:
    """The operations among the entries, path items described elsewhere in the file included."""
    references = References(document)
    for entry in found:
        where = f"{entry.section}: {_short(entry.route)}"
        if entry.route.startswith("x-"):
            continue
        if entry.method is None:
            yield _Bad(f"{where}: is {_kind_of(entry.value)}, not an object", entry.line)
        elif len(entry.route) > _LONGEST_ROUTE:
            yield _Bad(f"{where}: the route is longer than {_LONGEST_ROUTE}", entry.line)
        elif entry.method == "$ref":
            yield from _referenced(references, entry, where)
        elif entry.method == _MORE_METHODS and isinstance(entry.value, dict):
            for method, value in entry.value.items():
                yield _checked(entry._replace(method=method, value=value), where)
        elif entry.method.lower() in _METHODS:
            yield _checked(entry, where)
        elif entry.method not in _OTHER_KEYS and not entry.method.startswith("x-"):
            yield _Bad(f"{where}: {_short(entry.method)} is no method", entry.line)


def _referenced(references: References, entry: Found, where: str) -> Iterator[Found | _Bad]:
    """What a path item takes from another place of the file."""
    name = external_name(entry.item)
    if name is not None:
        yield _Bad(f"{where}: is described in another file, {_short(name)}", entry.line)
        return
    item = references.follow({"$ref": entry.value}).value
    if not isinstance(item, dict):
        yield _Bad(f"{where}: its $ref leads nowhere: {_short(plain(entry.value))}", entry.line)
        return
    for method, value in item.items():
        if method.lower() in _METHODS and method not in entry.item:
            merged = {**item, **entry.item}
            yield _checked(entry._replace(method=method, value=value, item=merged), where)


def _checked(entry: Found, where: str) -> Found | _Bad:
    if isinstance(entry.value, dict):
        return entry
    what = f"{where}: {_short((entry.method or '').upper())} is {_kind_of(entry.value)}"
    return _Bad(f"{what}, not an object", entry.line)


def _item(document: Mapping[str, Any], path: str, found: Found) -> tuple[Item, list[str]]:
    method = (found.method or "").upper()
    operation = Operation(document, found.item, method, found.route, found.value)
    info = document.get("info")
    meta: dict[str, Any] = {"method": method, "route": found.route}
    if operation.operation_id:
        meta["operation_id"] = operation.operation_id
    if operation.is_deprecated:
        meta["deprecated"] = True
    if isinstance(info, dict) and (api := plain(info.get("title"))):
        meta["api"] = api
    if found.section == "webhooks":
        meta["webhook"] = True
    anchor = f"{method} {found.route}"
    item = Item(
        path=path,
        anchor=anchor,
        text=operation.text.replace("\r\n", "\n").replace("\r", "\n"),
        title=operation.summary or anchor,
        tags=operation.tags,
        meta=meta,
        line=found.line,
    )
    return item, [f"{anchor}: {problem}" for problem in operation.problems]


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:77]}…"


def _kind_of(value: Any) -> str:
    names = {list: "a list", str: "a text", bool: "true or false", type(None): "empty"}
    return names.get(type(value), "a number")
