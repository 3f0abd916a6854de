"""What the operations of an API become, and what is said of the bad ones."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memidx.config import SourceConfig
from memidx.sources.base import Item, Parsed
from memidx.sources.openapi import KIND

SOURCE = SourceConfig("api", kind="openapi")
PETS = """\
openapi: 3.0.3
info: {title: Pets, version: 1.0.0}
servers: [{url: https://api.example.com/v1}]
security: [{key: []}]
paths:
  /pets/{petId}:
    parameters:
      - {name: petId, in: path, required: true, schema: {type: string}, description: of the route}
      - $ref: '#/components/parameters/Trace'
    get:
      summary: Show one
        pet
      description: |
        Reads a pet.

        Slowly.
      operationId: showPet
      tags: [pets, reading]
      deprecated: true
      parameters:
        - {name: petId, in: path, required: true, schema: {type: string, format: uuid},
           description: of the operation}
      responses:
        200:
          description: ok
          content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}
        default: {$ref: 'errors.yaml#/Error'}
    post:
      security: [{oauth: [write, read]}, {}]
      requestBody:
        required: true
        description: The new one.
        content: {application/json: {schema: {type: array, items: {type: integer}}}}
components:
  securitySchemes: {oauth: {type: oauth2}}
  parameters:
    Trace: {name: X-Trace, in: header, schema: {type: string}}
  schemas:
    Pet:
      description: A pet.
      required: [name]
      properties:
        name: {type: string, description: How it is called}
        sort: {type: string, enum: [cat, dog]}
        parent: {$ref: '#/components/schemas/Pet'}
        toys: {type: array, items: {type: object, properties: {colour: {type: string}}}}
"""


def parse(data: Any, path: str = "api.yaml") -> Parsed:
    """The parsed file; what is no text is written as JSON."""
    text = data if isinstance(data, str | bytes) else json.dumps(data)
    return KIND.parse(SOURCE, path, text.encode() if isinstance(text, str) else text)


def only(data: Any, path: str = "api.yaml") -> Item:
    """The one item of a file that is read without complaint."""
    parsed = parse(data, path)
    assert not parsed.skips
    (item,) = parsed.items
    return item


def problems(parsed: Parsed) -> list[tuple[int | None, str]]:
    """Line and reason of each skip."""
    return [(skip.line, skip.reason) for skip in parsed.skips]


def described(**operation: Any) -> dict[str, Any]:
    """A file with one operation, and schemas A and B that name each other."""
    schemas = {
        "A": {"properties": {"b": {"$ref": "#/components/schemas/B"}}},
        "B": {"properties": {"a": {"$ref": "#/components/schemas/A"}, "leaf": {"type": "number"}}},
    }
    paths = {"/a": {"get": operation}}
    return {"openapi": "3.1.0", "paths": paths, "components": {"schemas": schemas}}


def test_an_operation_is_told_in_words() -> None:
    """Everything somebody may search for is in the text, in the order of the description."""
    first, second = parse(PETS).items
    assert first.text == (
        "GET /pets/{petId}\n\n"
        "Show one pet\n\n"
        "Reads a pet.\n\nSlowly.\n\n"
        "Operation id: showPet\n"
        "Tags: pets, reading\n"
        "Deprecated: this operation should not be used any more\n"
        "Security: key\n"
        "Servers: https://api.example.com/v1\n\n"
        "Parameters:\n"
        "- petId (path, string (uuid), required): of the operation\n"
        "- X-Trace (header, string)\n\n"
        "Responses:\n"
        "200: ok\n"
        "application/json: Pet\n"
        "Pet: A pet.\n"
        "- name (string, required): How it is called\n"
        "- sort (string)\n"
        "  one of: cat, dog\n"
        "- parent (Pet)\n"
        "- toys (array of object)\n"
        "  - colour (string)\n"
        "default: errors.yaml#/Error"
    )
    assert second.text == (
        "POST /pets/{petId}\n\n"
        "Security: oauth (oauth2: write, read) or none\n"
        "Servers: https://api.example.com/v1\n\n"
        "Parameters:\n"
        "- petId (path, string, required): of the route\n"
        "- X-Trace (header, string)\n\n"
        "Request body (required): The new one.\n"
        "application/json: array of integer"
    )


def test_facts_of_an_operation() -> None:
    """Anchor, title, tags, meta and the line of its key; without a summary, the anchor is title."""
    first, second = parse(PETS).items
    assert (first.anchor, first.title, first.line) == ("GET /pets/{petId}", "Show one pet", 10)
    assert first.tags == ("pets", "reading")
    assert first.meta == {
        "method": "GET",
        "route": "/pets/{petId}",
        "operation_id": "showPet",
        "deprecated": True,
        "api": "Pets",
    }
    assert (second.anchor, second.title, second.line) == (
        "POST /pets/{petId}",
        "POST /pets/{petId}",
        28,
    )


def test_json_and_yaml_say_the_same() -> None:
    """The same description gives the same items, but for the lines."""
    import yaml

    value = json.dumps(yaml.safe_load(PETS), indent=1)
    left, right = parse(PETS).items, parse(value, "api.json").items
    assert [(item.anchor, item.text, item.meta) for item in left] == [
        (item.anchor, item.text, item.meta) for item in right
    ]
    lines = value.split("\n")
    assert [lines[item.line - 1].strip() for item in right] == ['"get": {', '"post": {']
    assert [item.text for item in parse(value).items] == [item.text for item in left]


def test_swagger_2() -> None:
    """Body parameters are the request body, responses have schemas, the base path is shown."""
    item = only(
        """\
swagger: "2.0"
host: example.com
basePath: /v2
paths:
  /pet:
    post:
      parameters:
        - {in: body, name: pet, required: true, schema: {$ref: "#/definitions/Pet"}}
        - {in: query, name: dry, type: boolean}
      responses:
        201: {description: made, schema: {type: array, items: {$ref: "#/definitions/Pet"}}}
definitions:
  Pet: {properties: {name: {type: string}}}
"""
    )
    assert item.text == (
        "POST /pet\n\nServers: example.com/v2\n\n"
        "Parameters:\n- dry (query, boolean)\n\n"
        "Request body:\n- pet (body, Pet, required)\n  - name (string)\n\n"
        "Responses:\n201: made\narray of Pet"
    )


def test_references_end() -> None:
    """Two schemas that hold each other are told once each; a loop of references is nothing."""
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/A"}}}
    item = only(described(responses={"200": {"description": "d", "content": content}}))
    assert item.text.endswith("application/json: A\n- b (B)\n  - a (A)\n  - leaf (number)")
    looping = described(requestBody={"$ref": "#/x"})
    looping["x"] = {"$ref": "#/y"}
    looping["y"] = {"$ref": "#/x"}
    assert only(looping).text.startswith("GET /a\n\nRequest body: ")


def test_schemas_of_one_last_name_are_both_told() -> None:
    """What was told is known by the whole reference."""
    value = described(
        parameters=[
            {"name": "p", "in": "query", "schema": {"$ref": "#/one/S"}},
            {"name": "q", "in": "query", "schema": {"$ref": "#/two/S"}},
        ]
    )
    value["one"] = {"S": {"properties": {"first": {"type": "string"}}}}
    value["two"] = {"S": {"properties": {"second": {"type": "string"}}}}
    assert "- first (string)" in only(value).text
    assert "- second (string)" in only(value).text


def test_composed_schemas_are_searchable() -> None:
    """Properties of allOf, oneOf and additionalProperties are in the text, headers too."""
    schema = {
        "allOf": [{"properties": {"one": {"type": ["string", "null"]}}}],
        "oneOf": [{"properties": {"two": {"const": 5}}}],
        "additionalProperties": {"type": "integer", "format": "int64"},
    }
    response = {
        "description": "d",
        "headers": {"X-Rate": {"description": "left", "schema": {"type": "integer"}}},
        "content": {"text/plain": {"schema": schema}},
    }
    text = only(described(responses={"200": response})).text
    for line in (
        "- one (string or null)",
        "- two\n  one of: 5",
        "- * (integer (int64))",
        "- X-Rate (header, integer): left",
    ):
        assert line in text


def test_webhooks_callbacks_and_new_methods() -> None:
    """Webhooks are operations; callbacks belong to theirs; OpenAPI 3.2 names further methods."""
    value: dict[str, Any] = {
        "openapi": "3.2.0",
        "webhooks": {"newPet": {"post": {"summary": "A pet came"}}},
        "paths": {
            "/a": {
                "query": {
                    "callbacks": {"done": {"{$url}": {"post": {"summary": "It is done"}}}},
                },
                "additionalOperations": {"LINK": {"summary": "Link"}},
            }
        },
    }
    hook, query, link = parse(value).items
    assert (hook.anchor, hook.meta["webhook"]) == ("POST newPet", True)
    assert query.text.endswith("Callbacks:\n- done: POST {$url}: It is done")
    assert (query.anchor, link.anchor) == ("QUERY /a", "LINK /a")


def test_a_bad_operation_costs_itself_alone() -> None:
    """Each is named with its line; the good ones are there."""
    parsed = parse(
        """\
openapi: 3.0.0
paths:
  /good:
    get: {summary: fine, parameters: 5, tags: {a: b}}
    x-note: 1
    summary: ignored here
  /list: [1]
  /other:
    put: text
    gett: {}
  /away:
    $ref: other.yaml#/a
  /lost:
    $ref: '#/nowhere'
  x-extension: 1
webhooks: 7
"""
    )
    assert [item.anchor for item in parsed.items] == ["GET /good"]
    assert problems(parsed) == [
        (4, "GET /good: tags that are not a list are left out"),
        (4, "GET /good: parameters that are not a list are left out"),
        (7, "paths: /list: is a list, not an object"),
        (9, "paths: /other: PUT is a text, not an object"),
        (10, "paths: /other: gett is no method"),
        (12, "paths: /away: is described in another file, other.yaml#/a"),
        (14, "paths: /lost: its $ref leads nowhere: #/nowhere"),
        (None, "webhooks is not an object"),
    ]


@pytest.mark.parametrize(
    ("text", "path", "line", "reason"),
    [
        ("", "a.yaml", None, "is empty"),
        (b"\xff\xfea", "a.yaml", None, "starts as UTF-16"),
        ("a: 1\n", "a.yaml", None, "neither `openapi` nor `swagger`"),
        ("- 1\n", "a.yaml", None, "the file is not an object"),
        ("openapi: 4.0.0\n", "a.yaml", None, "'4.0.0', not 2 or 3"),
        ("swagger: 1.2\n", "a.yaml", None, "'1.2', not 2 or 3"),
        ("openapi: 3.0.0\n", "a.yaml", None, "describes no operation"),
        ("openapi: 3.0.0\na: [\n", "a.yaml", 3, "is not YAML"),
        ("openapi: !!python/name:os.system 3\n", "a.yaml", 1, "not a plain value"),
        ('{"openapi": "3.0.0",\n"paths": {"/a":\n{"get": }}}', "a.json", 3, "is not JSON"),
        ('{"openapi": "3.0.0",\n"paths": {}', "a.json", 2, "`,` or `}` expected"),
        ('{"openapi": "3.0.0"\n"paths": {}}', "a.json", 2, "`,` or `}` expected"),
        ('{"openapi": "3.0.0"}\nx', "a.json", 2, "text follows"),
        ("{1: 2}", "a.json", 1, "a key in quotes"),
        ('{"a" 1}', "a.json", 1, "`:` expected"),
    ],
)
def test_what_is_no_description_is_reported(
    text: str | bytes, path: str, line: int | None, reason: str
) -> None:
    """A file that cannot be read gives no item, and one reason with its line."""
    parsed = parse(text, path)
    assert not parsed.items
    ((found, said),) = problems(parsed)
    assert found == line
    assert reason in said


def test_an_operation_may_stand_there_twice() -> None:
    """By a repeated key, or a method in capitals: both are items, in the file's order."""
    text = """\
{"openapi": "3.0.0", "paths": {
 "/a": {"get": {"summary": "one"},
        "GET": {"summary": "two"}},
 "/a": {"get": {"summary": "three"}}}}"""
    for path in ("a.json", "a.yaml"):
        items = parse(text, path).items
        assert [(item.anchor, item.title, item.line) for item in items] == [
            ("GET /a", "one", 2),
            ("GET /a", "two", 3),
            ("GET /a", "three", 4),
        ]


def test_path_items_by_alias_merge_and_reference() -> None:
    """Wherever its operations stand, a route has them, on the line of the route."""
    parsed = parse(
        """\
openapi: 3.1.0
x-common: &common
  get: {summary: g}
components: {pathItems: {P: {patch: {summary: p}}}}
paths:
  /merged:
    <<: *common
    put: {summary: u}
  /alias: *common
  /named: {$ref: '#/components/pathItems/P'}
"""
    )
    assert not parsed.skips
    assert [(item.anchor, item.line) for item in parsed.items] == [
        ("PUT /merged", 8),
        ("GET /merged", 6),
        ("GET /alias", 9),
        ("PATCH /named", 10),
    ]


def test_aliases_do_not_explode() -> None:
    """Kilobytes that stand for gigabytes of schemas or of text are cut, and that is said."""
    schemas, before = "x-a: &a {type: object}\n", "a"
    for name in "bcdefgh":
        schemas += f"x-{name}: &{name} {{allOf: [{', '.join([f'*{before}'] * 6)}]}}\n"
        before = name
    body = "content: {j: {schema: *h}}"
    parsed = parse(
        f"{schemas}openapi: 3.0.0\npaths: {{/a: {{get: {{requestBody: {{{body}}}}}}}}}\n"
    )
    assert [item.anchor for item in parsed.items] == ["GET /a"]
    assert [reason for _, reason in problems(parsed)] == [
        "GET /a: its schemas are too long: a part of them is left out"
    ]
    long = "w " * 500_000
    statuses = ", ".join(f"{n}: {{description: *d}}" for n in range(300))
    parsed = parse(
        f"x: &d '{long}'\nopenapi: 3.0.0\npaths: {{/a: {{get: {{responses: {{{statuses}}}}}}}}}\n"
    )
    assert len(parsed.items[0].text) < 3_000_000
    assert len(parsed.skips) == 1


def test_a_file_nested_without_end_is_refused() -> None:
    """Neither format takes the process down."""
    for text, path in (
        ('{"openapi":"3.0.0","paths":{"/a":{"get":' + "[" * 100_000, "a.json"),
        ("openapi: 3.0.0\na: " + "[" * 5_000, "a.yaml"),
    ):
        parsed = parse(text, path)
        assert not parsed.items
        assert "nest" in parsed.skips[0].reason
