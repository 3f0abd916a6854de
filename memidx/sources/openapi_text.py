"""How is one operation told in words?

A text a person can read, with every name and description in it that somebody may search for:
method and route, summary, description, operation id, tags, security, parameters, request body and
responses. Its order is the description's own, so the same operation gives the same text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from memidx.sources.openapi_schema import (
    MOST_PARTS,
    References,
    Writer,
    about,
    described,
    name_of,
    plain,
)

_BODY_PLACES = ("body", "formData")


class Operation:
    """One operation, told.

    Args:
        document: The whole file.
        path_item: What the route's key has, references followed.
        method: As it is written in a request: `GET`.
        route: Route, or name of a webhook.
        value: What the method's key has.

    Attributes:
        summary: On one line, may be empty.
        tags: In the file's order.
        is_deprecated: Whether it says so.
        problems: What of it could not be read, a sentence each.
        text: All of it.
    """

    def __init__(
        self,
        document: Mapping[str, Any],
        path_item: Mapping[str, Any],
        method: str,
        route: str,
        value: Mapping[str, Any],
    ) -> None:
        self._document = document
        self._references = References(document)
        self._writer = Writer(self._references)
        self._value = value
        self.problems: list[str] = []
        self.summary = " ".join(plain(value.get("summary")).split())
        self.tags = tuple(tag for part in self._list(value, "tags") if (tag := plain(part)))
        self.is_deprecated = value.get("deprecated") is True
        self.operation_id = plain(value.get("operationId"))
        blocks = [f"{method} {route}", self.summary, plain(value.get("description")).strip()]
        shared = [plain(path_item.get(key)).strip() for key in ("summary", "description")]
        blocks += [block for block in shared if block not in blocks]
        blocks.append("\n".join(self._facts(path_item)))
        parameters = self._parameters(path_item)
        in_body = [each for each in parameters if each.get("in") in _BODY_PLACES]
        outside = [each for each in parameters if each not in in_body]
        blocks.append(self._titled("Parameters:", self._parameter_lines(outside)))
        blocks.append("\n".join(self._writer.bounded(self._request_body(in_body))))
        blocks.append(self._titled("Responses:", self._responses()))
        blocks.append(self._titled("Callbacks:", self._callbacks()))
        if self._writer.is_cut:
            self.problems.append("its schemas are too long: a part of them is left out")
        self.text = "\n\n".join(block for block in blocks if block)

    def _facts(self, path_item: Mapping[str, Any]) -> Iterator[str]:
        if self.operation_id:
            yield f"Operation id: {self.operation_id}"
        if self.tags:
            yield f"Tags: {', '.join(self.tags)}"
        if self.is_deprecated:
            yield "Deprecated: this operation should not be used any more"
        if security := self._security():
            yield f"Security: {security}"
        if servers := self._servers(path_item):
            yield f"Servers: {', '.join(servers)}"
        docs = self._value.get("externalDocs")
        if isinstance(docs, dict):
            yield " ".join(part for part in ("See:", about(docs), plain(docs.get("url"))) if part)

    def _security(self) -> str:
        stated = self._value.get("security", self._document.get("security"))
        if not isinstance(stated, list):
            return ""
        ways = []
        for way in stated[:MOST_PARTS]:
            if isinstance(way, dict):
                names = [self._scheme(name, scopes) for name, scopes in way.items()]
                ways.append(" and ".join(names) or "none")
        return " or ".join(ways) or "none"

    def _scheme(self, name: str, scopes: Any) -> str:
        components = self._document.get("components")
        held = components.get("securitySchemes") if isinstance(components, dict) else None
        held = held if isinstance(held, dict) else self._document.get("securityDefinitions")
        scheme = self._references.follow(held.get(name)).value if isinstance(held, dict) else None
        kind = plain(scheme.get("type")) if isinstance(scheme, dict) else ""
        names = scopes[:MOST_PARTS] if isinstance(scopes, list) else []
        listed = ", ".join(plain(scope) for scope in names)
        inside = ": ".join(part for part in (kind, listed) if part)
        return f"{name} ({inside})" if inside else name

    def _servers(self, path_item: Mapping[str, Any]) -> list[str]:
        for holder in (self._value, path_item, self._document):
            servers = holder.get("servers")
            if isinstance(servers, list) and servers:
                found = [plain(s.get("url")) for s in servers[:MOST_PARTS] if isinstance(s, dict)]
                return [url for url in found if url]
        host, base = plain(self._document.get("host")), plain(self._document.get("basePath"))
        return [f"{host}{base}"] if host or base else []

    def _parameters(self, path_item: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        """Those of the route and of the operation; of two with one name, the operation's counts."""
        found: dict[tuple[str, str], Mapping[str, Any]] = {}
        for holder in (path_item, self._value):
            for part in self._list(holder, "parameters"):
                target = self._references.follow(part)
                parameter = target.value
                if parameter is None and target.name:
                    parameter = {"name": target.name}
                if isinstance(parameter, dict):
                    key = (plain(parameter.get("name")), plain(parameter.get("in")))
                    found[key] = parameter
                else:
                    self.problems.append("a parameter that is not an object is left out")
        return list(found.values())

    def _parameter_lines(self, parameters: list[Mapping[str, Any]]) -> Iterator[str]:
        for parameter in parameters:
            schema = parameter.get("schema", parameter)
            for media in _mapping(parameter, "content").values():
                schema = media.get("schema") if isinstance(media, dict) else None
            facts = [plain(parameter.get("in"))]
            facts += self._writer.facts(schema, required=parameter.get("required") is True)
            if parameter.get("deprecated") is True and "deprecated" not in facts:
                facts.append("deprecated")
            name = plain(parameter.get("name")) or "?"
            yield f"- {described(name, [fact for fact in facts if fact], parameter)}"
            yield from self._writer.lines(schema, "  ")

    def _request_body(self, in_body: list[Mapping[str, Any]]) -> Iterator[str]:
        if in_body:
            yield "Request body:"
            yield from self._parameter_lines(in_body)
        target = self._references.follow(self._value.get("requestBody"))
        body = target.value
        if isinstance(body, dict):
            facts = ["required"] if body.get("required") is True else []
            yield described("Request body", facts, body)
            yield from self._content(body)
        elif target.name:
            yield f"Request body: {target.name}"
        elif body is not None:
            self.problems.append("a request body that is not an object is left out")

    def _responses(self) -> Iterator[str]:
        responses = self._value.get("responses")
        if responses is not None and not isinstance(responses, dict):
            self.problems.append("responses that are not an object are left out")
        for status, value in list(_mapping(self._value, "responses").items())[:MOST_PARTS]:
            target = self._references.follow(value)
            if not isinstance(target.value, dict):
                if not str(status).startswith("x-"):
                    yield f"{status}: {target.name}" if target.name else f"{status}"
                continue
            yield described(str(status), [], target.value)
            if "schema" in target.value:  # Swagger 2
                yield from self._typed("", target.value["schema"])
            yield from self._content(target.value)
            for name, header in list(_mapping(target.value, "headers").items())[:MOST_PARTS]:
                header = self._references.follow(header).value
                schema = header.get("schema", header) if isinstance(header, dict) else None
                facts = ["header", *self._writer.facts(schema, required=False)]
                yield f"- {described(str(name), facts, header)}"

    def _content(self, holder: Mapping[str, Any]) -> Iterator[str]:
        for media_type, media in list(_mapping(holder, "content").items())[:MOST_PARTS]:
            schema = media.get("schema") if isinstance(media, dict) else None
            yield from self._typed(str(media_type), schema)

    def _typed(self, media_type: str, schema: Any) -> Iterator[str]:
        kind = self._writer.kind(schema)
        if media_type or kind:
            yield ": ".join(part for part in (media_type, kind) if part)
        yield from self._writer.lines(schema)

    def _callbacks(self) -> Iterator[str]:
        for name, value in list(_mapping(self._value, "callbacks").items())[:MOST_PARTS]:
            target = self._references.follow(value)
            if not isinstance(target.value, dict):
                yield f"- {name}" + (f" ({target.name})" if target.name else "")
                continue
            for route, item in list(target.value.items())[:MOST_PARTS]:
                for method, operation in list(item.items())[:20] if isinstance(item, dict) else ():
                    if isinstance(operation, dict):
                        said = plain(operation.get("summary")) or about(operation)
                        yield f"- {name}: {method.upper()} {route}" + (f": {said}" if said else "")

    def _titled(self, title: str, lines: Iterator[str]) -> str:
        """The lines below a title; nothing where there are none."""
        body = "\n".join(self._writer.bounded(lines))
        return f"{title}\n{body}" if body else ""

    def _list(self, holder: Mapping[str, Any], key: str) -> list[Any]:
        value = holder.get(key)
        if isinstance(value, list):
            return value[:MOST_PARTS]
        if value is not None:
            self.problems.append(f"{key} that are not a list are left out")
        return []


def external_name(value: Any) -> str | None:
    """The reference by which a path item is described in another file, or None."""
    reference = value.get("$ref") if isinstance(value, dict) else None
    if isinstance(reference, str) and not reference.startswith("#"):
        return name_of(reference)
    return None


def _mapping(holder: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = holder.get(key)
    return value if isinstance(value, dict) else {}
