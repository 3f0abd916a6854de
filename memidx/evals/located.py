"""What does a YAML file hold, and on which line does each value stand?

Suites are read as YAML 1.2 core types (so `no` is a word and `12:30` is not a number, and JSON
is YAML), never as objects. The values come back as plain `dict`, `list`, `str`, `int`, `float`,
`bool` and None, beside a table from the path of a value to its line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from memidx.errors import SuiteError

if TYPE_CHECKING:
    from yaml.nodes import Node

Path = tuple[str | int, ...]
Lines = Mapping[Path, int]

# A suite is five levels deep; aliases could make a small file endless.
_MAX_DEPTH = 32
_MAX_VALUES = 300_000
_CORE_TYPES = (
    ("tag:yaml.org,2002:bool", r"(?:true|True|TRUE|false|False|FALSE)", "tTfF"),
    ("tag:yaml.org,2002:int", r"[-+]?[0-9]+", "-+0123456789"),
    (
        "tag:yaml.org,2002:float",
        r"(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
        r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))",
        "-+.0123456789",
    ),
    ("tag:yaml.org,2002:null", r"(?:~|null|Null|NULL|)", ["~", "n", "N", ""]),
)


def read_located(text: str, file: str) -> tuple[Any, Lines]:
    """Values of a YAML text, and the 1-based line of each.

    Args:
        text: The file's text.
        file: Its name, for messages.

    Returns:
        The value, and `lines[path]` for every value in it; `path` is the keys and positions
        that lead to it, `()` the whole file.

    Raises:
        SuiteError: When it is not YAML, repeats a key, has a key that is not text, a tag, or
            is endless.
    """
    # PyYAML is only needed when a suite is read.
    import yaml

    try:
        node = _loader(text).get_single_node()
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise _not_yaml(error, file) from error
    lines: dict[Path, int] = {}
    return _value(node, (), lines, file) if node is not None else None, lines


def _loader(text: str) -> Any:
    import yaml

    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class CoreLoader(base):  # type: ignore[misc]  # the base is picked at run time
        yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 - PyYAML's own attribute

    for tag, pattern, first in _CORE_TYPES:
        CoreLoader.add_implicit_resolver(tag, re.compile(rf"{pattern}\Z"), list(first))
    return CoreLoader(text)


def _value(node: Node, path: Path, lines: dict[Path, int], file: str) -> Any:
    import yaml

    line = node.start_mark.line + 1
    lines[path] = line
    if len(path) > _MAX_DEPTH or len(lines) > _MAX_VALUES:
        raise SuiteError("nested too deeply, or endless through an alias", path=file, line=line)
    if isinstance(node, yaml.MappingNode):
        return _mapping(node, path, lines, file)
    if isinstance(node, yaml.SequenceNode):
        _plain_tag(node, "tag:yaml.org,2002:seq", file)
        return [_value(child, (*path, i), lines, file) for i, child in enumerate(node.value)]
    return _scalar(node, file)


def _mapping(node: Any, path: Path, lines: dict[Path, int], file: str) -> dict[str, Any]:
    _plain_tag(node, "tag:yaml.org,2002:map", file)
    values: dict[str, Any] = {}
    for key_node, child in node.value:
        line = key_node.start_mark.line + 1
        key = _scalar(key_node, file) if isinstance(key_node.value, str) else None
        if not isinstance(key, str):
            raise SuiteError(
                "a key is not text", path=file, line=line, hint="put the key in quotes"
            )
        if key in values:
            raise SuiteError(
                f"the key {key!r} is there twice",
                path=file,
                line=line,
                hint=f"it first stands on line {lines[(*path, key)]}; keep one of them",
            )
        values[key] = _value(child, (*path, key), lines, file)
        # The key's own line is where a person looks, even when its value begins below.
        lines[(*path, key)] = line
    return values


def _scalar(node: Any, file: str) -> Any:
    text: str = node.value
    kind = node.tag.removeprefix("tag:yaml.org,2002:")
    if kind == "str":
        return text
    if kind == "bool":
        return text.lower() == "true"
    if kind == "null":
        return None
    try:
        if kind == "int":
            return int(text)
        if kind == "float":
            return float(text.lower().replace(".inf", "inf").replace(".nan", "nan"))
    except ValueError as error:
        raise SuiteError(
            f"not a usable number: {error}", path=file, line=node.start_mark.line + 1
        ) from error
    raise _tag_refused(node, file)


def _plain_tag(node: Any, tag: str, file: str) -> None:
    if node.tag != tag:
        raise _tag_refused(node, file)


def _tag_refused(node: Any, file: str) -> SuiteError:
    return SuiteError(
        f"the tag {node.tag!r} is not allowed",
        path=file,
        line=node.start_mark.line + 1,
        expected="plain text, numbers, lists and mappings",
    )


def _not_yaml(error: Exception, file: str) -> SuiteError:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or str(error).splitlines()[0]
    return SuiteError(
        f"not valid YAML: {problem}", path=file, line=mark.line + 1 if mark is not None else None
    )
