"""A line is a pure function of its document, checkable without parsing."""

from __future__ import annotations

import json
from dataclasses import replace
from enum import Enum
from hashlib import blake2b

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memidx.documents import Document
from memidx.errors import InputError
from memidx.store.line import (
    DamagedLine,
    check_line,
    compact,
    decode_line,
    encode_line,
    line_doc_id,
    line_sum,
)
from tests.unit.store.helpers import make_doc

FULL = Document(
    doc_id="a b.md#x",
    source="docs",
    kind="records",
    path="a b.md",
    title='The "title"',
    time="2026-01-02",
    tags=("b", "a"),
    meta={"z": 1, "a": {"y": None, "b": [True, "é"]}},
    source_hash="0" * 64,
    text="one\ntwo\ttab \\ end",
)


_TEXTS = st.one_of(st.text(), st.text('a"\\\n\t\0\x1f\x7f\u2028é/', max_size=5))
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | _TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXTS, inner, max_size=4),
    max_leaves=12,
).filter(lambda value: "inf" not in repr(value).lower())


@given(value=_VALUES)
def test_a_value_is_spelt_as_the_encoder_spells_it(value: object) -> None:
    """Compact, keys in order, and nothing escaped that need not be."""
    expected = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    assert compact(value) == expected


def test_a_line_has_the_documented_bytes() -> None:
    """Keys stand in fixed order, meta sorted, compact, and the checksum last."""
    body = (
        '{"doc_id":"a b.md#x","source":"docs","kind":"records","path":"a b.md",'
        '"title":"The \\"title\\"","time":"2026-01-02","tags":["b","a"],'
        '"meta":{"a":{"b":[true,"é"],"y":null},"z":1},'
        f'"source_hash":"{"0" * 64}","text":"one\\ntwo\\ttab \\\\ end"'
    ).encode()
    total = blake2b(body, digest_size=8).hexdigest()
    assert encode_line(FULL) == body + f',"sum":"{total}"}}\n'.encode()


def test_a_line_is_json_that_other_programs_read() -> None:
    """Standard JSON, with the keys in the documented order."""
    values = json.loads(encode_line(FULL))
    assert " ".join(values) == ("doc_id source kind path title time tags meta source_hash text sum")
    assert values["text"] == FULL.text


def test_the_round_trip_gives_the_same_document() -> None:
    """Decoding an encoded document loses nothing."""
    assert decode_line(encode_line(FULL)) == FULL


def test_the_order_of_meta_does_not_show() -> None:
    """Equal documents are equal bytes, however their meta was built up."""
    one = make_doc("a.md", "t", meta={"a": 1, "b": {"c": 2, "d": 3}})
    two = make_doc("a.md", "t", meta={"b": {"d": 3, "c": 2}, "a": 1})
    assert encode_line(one) == encode_line(two)


@pytest.mark.parametrize(
    "text",
    [
        "\u2028 \u2029 \x85 \x0b \x0c \x1c \r \x00 \x7f",
        "🐘 \U0010ffff",
        '","text":"',
        '\\","text":"',
    ],
)
def test_no_character_of_a_text_ends_its_line(text: str) -> None:
    """The only LF of a line is its last byte, whatever other programs take for a line end."""
    line = encode_line(make_doc("a.md", text, source_hash="beef"))
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert decode_line(line).text == text


@pytest.mark.parametrize("doc_id", ["a.md", 'q"u\\o.md', "tab\t.md", "é🐘.md", "x\\", "[x].md"])
def test_the_doc_id_is_read_from_the_head(doc_id: str) -> None:
    """`line_doc_id` sees through JSON's escapes without parsing the line."""
    line = encode_line(make_doc(doc_id, "t"))
    assert line_doc_id(line) == doc_id


def test_meta_cannot_pass_for_other_keys() -> None:
    """Keys of meta that are named like keys of the line mislead none of the quick readers."""
    meta = {"doc_id": "x", "source_hash": "x", "text": "x", "sum": "x"}
    line = encode_line(make_doc("a.md", "t", meta=meta, source_hash="beef"))
    assert line_doc_id(line) == "a.md"
    assert line_sum(line) == json.loads(line)["sum"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("text", "a\ud800b"),
        ("title", "\udfff"),
        ("doc_id", "a\udcff.md"),
        ("tags", ("\udc80",)),
        ("meta", {"k": "\ud801"}),
        ("meta", {"\ud801": "v"}),
    ],
)
def test_lone_surrogates_never_reach_the_disk(field: str, value: object) -> None:
    """They are refused by name of the field, in a message that can itself be printed."""
    document = replace(make_doc("a.md", "t"), **{field: value})
    with pytest.raises(InputError, match=f"surrogate .* in its {field}") as caught:
        encode_line(document)
    assert caught.value.message.encode("utf-8")


class _Colour(Enum):
    RED = "red"


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(10**4300, id="huge"),
        float("inf"),
        float("-inf"),
        float("nan"),
        b"x",
        {1},
        {1: 2},
        object(),
        _Colour.RED,
    ],
)
def test_meta_holds_only_what_has_one_spelling(value: object) -> None:
    """Infinities and what is not JSON are refused, also deep inside."""
    for meta in ({"k": value}, {"k": [value]}, {"k": {"l": value}}):
        with pytest.raises(InputError, match=r"meta\.k"):
            encode_line(make_doc("a.md", "t", meta=meta))


def test_finite_numbers_come_back_as_they_are() -> None:
    """Each has one spelling: integers all digits, floats the shortest that reads back."""
    meta = {"a": 0.1, "b": 1.0, "c": 1, "d": -1e300, "e": 5e-324, "f": 10**4000, "g": -0.0}
    line = encode_line(make_doc("a.md", "t", meta=meta))
    assert b'"a":0.1,"b":1.0,"c":1,"d":-1e+300,"e":5e-324,"f":1000' in line
    assert repr(decode_line(line).meta) == repr(meta)


def test_meta_nested_without_end_is_refused() -> None:
    """A structure that holds itself ends in a message, not in a RecursionError."""
    loop: dict[str, object] = {}
    loop["k"] = loop
    with pytest.raises(InputError, match="nested deeper"):
        encode_line(make_doc("a.md", "t", meta=loop))


@pytest.mark.parametrize("inner", [[], ["x"], [None], [["x"]], {}, {"k": "x"}])
def test_meta_is_nested_as_deep_as_may_be(inner: object) -> None:
    """The deepest list or object is the last level, whatever it holds."""
    levels = 128 - (inner == [["x"]])
    for _ in range(levels):
        inner = {"k": inner}
    assert decode_line(encode_line(make_doc("a.md", "t", meta=inner))).meta == inner
    with pytest.raises(InputError, match="nested deeper"):
        encode_line(make_doc("a.md", "t", meta={"k": inner}))


LINE = encode_line(FULL)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"", "empty"),
        (b"\n", "empty"),
        (b"   \n", "empty"),
        (LINE[:-1], "no line end"),
        (LINE[:40], "no line end"),
        (LINE[:40] + b"\n", "no checksum"),
        (LINE[:-1] + b"\r\n", "CRLF"),
        (LINE.replace(b"two", b"2wo"), "does not match"),
        (LINE.replace(b'"sum":"', b'"sum":"0')[:-4] + b'"}\n', "does not match"),
        (b"<<<<<<< HEAD\n", "conflict marker <<<<<<<"),
        (b"||||||| 1234abc\n", r"conflict marker \|\|\|\|\|\|\|"),
        (b"=======\n", "conflict marker ======="),
        (b"=======\r\n", "conflict marker ======="),
        (b">>>>>>> branch", "conflict marker >>>>>>>"),
        (b',"sum":"0123456789abcdef"}\n', "no checksum"),
    ],
)
def test_damage_is_named(line: bytes, reason: str) -> None:
    """Each kind of damage has its own words."""
    with pytest.raises(DamagedLine, match=reason):
        check_line(line)


def _signed(body: bytes) -> bytes:
    return body + b',"sum":"%s"}\n' % blake2b(body, digest_size=8).hexdigest().encode()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"time":"2026-01-02"', b'"time":3'),
        (b'"tags":["b","a"]', b'"tags":[1]'),
        (b'"tags":["b","a"]', b'"tags":"b"'),
        (b'"meta":{', b'"meta":3,"more":{'),
        (b'"title":', b'"titel":'),
        (b'"kind":"records"', b'"kind":null'),
        (b'"text":"one', rb'"text":"\ud800'),
        (b'"text":"one', b'"text":"\xff'),
        (b'{"doc_id"', b'["doc_id"'),
    ],
)
def test_a_rightly_summed_line_that_is_no_document_is_damage(old: bytes, new: bytes) -> None:
    """The checksum does not make a document of something else."""
    body = LINE[: LINE.rindex(b',"sum"')]
    assert old in body
    with pytest.raises(DamagedLine):
        decode_line(_signed(body.replace(old, new)))


def test_a_text_that_spells_an_escape_is_no_surrogate() -> None:
    """The six characters of an escape in a document are a text like any other."""
    document = make_doc("a.md", "regex: \\ud800")
    assert decode_line(encode_line(document)) == document
