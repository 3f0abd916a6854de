"""Whatever a program or a description of an API holds, it is read or reported."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from memidx.config import SourceConfig
from memidx.sources import FILE_KINDS
from memidx.sources.base import Parsed

_SHELL = """f() {|}|(|)|((|))|[[ |]] |case x in |esac|a) |;;|;|'|"|`|$(|${|$((|\\|#| |<<E|E|<<-'E'
&|x|a=(|function g|{|if |then |fi|>|<(|$'|ä|for |do |done|in"""
_PYTHON = """def f():|class a:| |    |pass|import x|@d|if 1:|else:|(|)|'|#c|x()|\\|return|async
|try:|except:|,"""
_KEYS = """get PUT parameters $ref schema allOf properties items name in content responses tags
security enum requestBody type callbacks servers 200 description headers additionalOperations"""


def lines_of(pieces: str) -> st.SearchStrategy[str]:
    """Texts of these pieces, blanks and line ends in any order."""
    parts = [*pieces.replace("\n", "|").split("|"), "\n", "\t", "\f", "|", '"' * 3]
    return st.lists(st.sampled_from(parts), max_size=40).map("".join)


SHELL, PYTHON = lines_of(_SHELL), lines_of(_PYTHON)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["", "a", "#/x", "#/paths/~1a"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(_KEYS.split()), inner, max_size=5)
    ),
    max_leaves=30,
)


def parse(kind: str, path: str, text: str) -> Parsed:
    """The parsed file."""
    return FILE_KINDS[kind].parse(SourceConfig("s", kind=kind), path, text.encode())


@given(SHELL | st.text(max_size=60))
def test_every_word_of_a_script_is_in_a_document(text: str) -> None:
    """Lines are in a function or in the script, whatever the reader makes of them."""
    parsed = parse("code", "a.sh", text)
    if parsed.items:
        every = {line for item in parsed.items for line in item.text.split("\n")}
        lines = text.replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff").split("\n")
        assert {line for line in lines if line.strip() and line[:2] != "#!"} <= every


@given(PYTHON)
def test_pieces_are_the_lines_of_the_file(text: str) -> None:
    """A function's or class's text begins on the line that it names."""
    parsed = parse("code", "a.py", text)
    lines = text.split("\n")
    for item in parsed.items:
        if item.anchor is not None:
            begin = item.text.split("\n")[0].partition("  # uses ")[0]
            assert lines[item.line - 1].startswith(begin)
    assert parsed == parse("code", "a.py", text)


@given(JSON, JSON, JSON)
def test_every_operation_is_an_item_or_a_skip(item: Any, operation: Any, other: Any) -> None:
    """A description of any shape is read without an error, and always alike."""
    value = {"openapi": "3.1", "paths": {"/a": item, "/b": {"get": operation}}, "x": other}
    value["components"] = other
    text = json.dumps(value)
    parsed = parse("openapi", "a.json", text)
    assert parsed == parse("openapi", "a.json", text)
    assert [i.text for i in parsed.items] == [
        i.text for i in parse("openapi", "a.yaml", text).items
    ]
    anchors = [found.anchor for found in parsed.items]
    assert ("GET /b" in anchors) == isinstance(operation, dict)
