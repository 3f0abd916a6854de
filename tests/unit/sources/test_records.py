"""What records become, and what is said of the bad ones."""

from __future__ import annotations

import json

import pytest

from memidx.config import SourceConfig
from memidx.sources.base import Item, Parsed
from memidx.sources.records import KIND

SOURCE = SourceConfig("notes", kind="records")


def parse(data: str | bytes, path: str = "n.jsonl", **fields: str) -> Parsed:
    """The parsed file."""
    source = SourceConfig("notes", kind="records", fields=fields) if fields else SOURCE
    return KIND.parse(source, path, data.encode() if isinstance(data, str) else data)


def facts(parsed: Parsed) -> list[tuple[str | None, str, int]]:
    """Anchor, text and line of each item."""
    return [(item.anchor, item.text, item.line) for item in parsed.items]


def problems(parsed: Parsed) -> list[tuple[int | None, str]]:
    """Line and reason of each skip."""
    return [(skip.line, skip.reason) for skip in parsed.skips]


def only(data: str, path: str = "n.jsonl", **fields: str) -> Item:
    """The one item of a file that is read without complaint."""
    parsed = parse(data, path, **fields)
    assert not parsed.skips
    (item,) = parsed.items
    return item


@pytest.mark.parametrize(
    ("record", "text"),
    [
        ({"id": "TG-117", "title": "Draw", "text": "the fairway"}, "the fairway\n\nid: TG-117"),
        ({"_id": "café", "text": "x"}, "x\n\n_id: café"),
        ({"id": "TG-117", "title": "TG-117: draw", "text": "x"}, "x"),
        ({"id": "TG-117", "text": "TG-117 is open"}, "TG-117 is open"),
        ({"id": 117, "text": "x"}, "x"),
        ({"id": "12345678", "text": "x"}, "x"),
        ({"_id": {"$oid": "65a1b2c3d4e5f60718293a4b"}, "text": "x"}, "x"),
        ({"id": "550e8400-e29b-41d4-a716-446655440000", "text": "x"}, "x"),
        ({"id": "a", "text": "x"}, "x"),
    ],
)
def test_a_name_can_be_asked_for(record: dict[str, object], text: str) -> None:
    """An id that is a name is part of the text; numbers and what a database made up are not."""
    assert only(json.dumps(record)).text == text


def test_every_format_gives_the_same_records() -> None:
    """JSON lines, a JSON list, a YAML list and CSV say the same in their own ways."""
    expected = [("a", "one"), ("b", "two words")]
    files = {
        "n.jsonl": '{"id":"a","text":"one"}\n{"id":"b","text":"two words"}\n',
        "n.ndjson": '{"id":"a","text":"one"}\r\n{"id":"b","text":"two words"}',
        "n.json": '[{"id":"a","text":"one"},\n {"id":"b","text":"two words"}]',
        "n.yaml": "- id: a\n  text: one\n- {id: b, text: two words}\n",
        "n.YML": "---\n- {id: a, text: one}\n- id: b\n  text: >-\n    two\n    words\n",
        "n.csv": 'id,text\na,one\nb,"two words"\n',
        "n.tsv": "id\ttext\na\tone\nb\ttwo words\n",
        "semi.csv": "id;text\na;one\nb;two words\n",
    }
    for path, text in files.items():
        parsed = parse(text, path)
        assert [(item.anchor, item.text) for item in parsed.items] == expected, path
        assert not parsed.skips


def test_fields_have_their_usual_names() -> None:
    """Identity, title, time and tags are found, the rest that is short becomes meta."""
    item = only(
        '{"_id": 7, "title": " A\\n b ", "text": "t", "date": "2024-01-05", "tags": "x,y",'
        '"status": "done", "n": 3, "ok": true, "none": null, "deep": {"a": 1}, "list": [1]}'
    )
    assert (item.anchor, item.title, item.time, item.tags) == ("7", "A b", "2024-01-05", ("x", "y"))
    assert item.meta == {"status": "done", "n": 3, "ok": True}


def test_fields_can_be_named() -> None:
    """A configured name is the only one that counts for its part."""
    item = only(
        '{"id": "no", "key": "k", "body": "b", "text": "other", "when": 1700000000}',
        id="key",
        text="body",
        time="when",
    )
    assert (item.anchor, item.text, item.time) == ("k", "b", "2023-11-14T22:13:20Z")
    assert item.meta == {"id": "no", "text": "other"}


def test_a_record_without_text_is_described() -> None:
    """All its text values are joined, a line each, nested names with dots."""
    item = only(
        '{"id":"x","query":"how much?","notes":["a","b"],"by":{"name":"Al","age":3},'
        '"parts":[{"type":"text","t":"hello"}],"n":5}'
    )
    assert item.text == (
        "query: how much?\nnotes: a, b\nby.name: Al\nparts.type: text\nparts.t: hello"
    )
    assert item.meta == {"query": "how much?", "n": 5}


def test_text_may_be_parts() -> None:
    """Chat messages hold a list of parts; each is a line."""
    item = only('{"text": ["one", {"type": "text", "text": "two"}]}')
    assert item.text == "one\ntype: text\ntext: two"
    assert only('{"title": "only a title"}').text == "only a title"


def test_mongo_exports_are_read() -> None:
    """`mongoexport` wraps ids and dates, and calls its JSON lines `.json`."""
    lines = (
        '{"_id":{"$oid":"65a0"},"text":"a","date":{"$date":"2024-01-05T00:00:00Z"}}\n'
        '{"_id":{"$oid":"65a1"},"text":"b","date":{"$date":{"$numberLong":"1700000000000"}}}\n'
    )
    for path in ("m.json", "m.jsonl"):
        parsed = parse(lines, path)
        assert [(item.anchor, item.time) for item in parsed.items] == [
            ("65a0", "2024-01-05T00:00:00Z"),
            ("65a1", "2023-11-14T22:13:20Z"),
        ]


def test_a_missing_id_is_the_place_in_the_file() -> None:
    """Places count records from 1, bad ones too, so that mending one renames no other."""
    text = '{"text":"a"}\n\n{"id":"","text":"b"}\n[1]\n{"id":null,"text":"c"}\n'
    assert facts(parse(text)) == [("1", "a", 1), ("2", "b", 3), ("4", "c", 5)]


def test_bad_lines_are_named_and_good_ones_kept() -> None:
    """Each bad record has its real line; a mark on line 1 and blank lines are no trouble."""
    text = (
        '\ufeff{"id":"a","text":"one"}\n'
        "\n"
        "[1]\n"
        '{"id":"b","text":"two"}\n'
        '"word"\n'
        "null\n"
        '{"id":"c","text":"x\\u0000"}\n'
        '{"id":"d","text":"\\ud800"}\n'
        '{"id":"e","text":NaN}\n'
        '{"id":"f","n":1e999}\n'
        "{}\n"
        f'{{"id":"g","n":{"9" * 5000}}}\n'
        f'{{"id":"h","deep":{"[" * 500}{"]" * 500}}}\n'
        f'{{"id":"i","deep":{"[" * 100_000}\n'
        '{"id":"j","text":"last'
    )
    parsed = parse(text)
    assert facts(parsed) == [("a", "one", 1), ("b", "two", 4)]
    assert [line for line, _ in problems(parsed)] == [3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
    said = dict(problems(parsed))
    assert said[3] == "the record is a list, not an object"
    assert said[5] == "the record is a text, not an object"
    assert said[6] == "the record is null, not an object"
    assert said[7] == "the record holds NUL"
    assert said[8] == "the record holds half a surrogate pair"
    assert said[9] == "is not JSON: NaN is not JSON"
    assert said[10] == "is not JSON: the number 1e999 is too large"
    assert said[11] == "the record holds no text"
    assert said[13] == "the record is nested deeper than 64"
    assert said[14] == "is nested too deep"
    assert said[15].startswith("is not JSON: Unterminated string")


def test_one_line_in_another_encoding_costs_only_itself() -> None:
    """The other lines are read; a file that is no text at all is one skip."""
    data = b'{"id":"a","text":"x"}\n{"id":"b","text":"caf\xe9"}\r\n{"id":"c","text":"y"}\n'
    parsed = parse(data)
    assert facts(parsed) == [("a", "x", 1), ("c", "y", 3)]
    ((line, reason),) = problems(parsed)
    assert line == 2
    assert "is not UTF-8" in reason
    whole = "\n".join('{"text":"x"}' for _ in range(3)).encode("utf-16-le")
    assert len(parse(whole).skips) == 1


def test_a_broken_list_keeps_what_stands_before_the_break() -> None:
    """A truncated JSON list gives its whole records, and the line of the break."""
    text = '[\n {"id":"a","text":"one"},\n [1],\n {"id":"b","text":"two"},\n {"id":"c","te'
    parsed = parse(text, "n.json")
    assert facts(parsed) == [("a", "one", 2), ("b", "two", 4)]
    assert [line for line, _ in problems(parsed)] == [3, 5]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{"a": [1]}', None),
        ("3", None),
        ('"x"', None),
        ("[1", 1),
        ('[{"text":"a"} {"text":"b"}]', 1),
        ('[{"text":"a"}] x', 1),
        ("[] x", None),
        ('[{"text":"a"},]', 1),
        ("[" * 100_000, 1),
        ("[" * 500 + "]" * 500, 1),
        ("[1e999]", 1),
        ("var x = 1;", None),
        ("", None),
        ("\x00", None),
    ],
)
def test_what_is_no_list_of_records_is_reported(text: str, line: int | None) -> None:
    """Objects, scalars, broken and monstrous JSON give a reason, never a crash."""
    skips = parse(text, "n.json").skips
    assert skips
    assert skips[-1].reason
    assert skips[-1].line == line


def test_an_empty_list_is_simply_empty() -> None:
    """A list without records is neither an item nor a problem."""
    assert parse("[ ]", "n.json") == Parsed()


@pytest.mark.parametrize(
    ("text", "good", "line"),
    [
        ("- {id: a, text: x}\n- [1]\n- {id: b, text: y}\n", ["a", "b"], 2),
        ("- {id: a, text: x}\n- {id: b, text: [}\n", ["a"], 2),
        ("a: 1\n", [], 1),
        ("- &a {id: a, text: x}\n- *a\n- *b\n", ["a", "a"], 3),
        ("- {id: a, text: x}\n- !!python/name:os.system x\n", ["a"], 2),
        ("- {id: a, text: x}\n- ? [a]\n  : b\n", ["a"], 2),
        ("- " * 5000 + "x", [], 1),
        ("[" * 100_000, [], 1),
    ],
)
def test_yaml_lists_are_read_as_far_as_they_are_sound(
    text: str, good: list[str], line: int
) -> None:
    """Bad items, tags, keys and nesting are named with their line."""
    parsed = parse(text, "n.yaml")
    assert [item.anchor for item in parsed.items] == good
    assert [number for number, _ in problems(parsed)] == [line]


def test_yaml_values_stay_as_written() -> None:
    """Dates and ids are text, not objects of Python."""
    item = only("- {id: 007, text: x, date: 2024-01-05, version: 1.10, day: 2024-01-06}\n", "n.yml")
    assert (item.anchor, item.time) == ("007", "2024-01-05")
    assert item.meta == {"version": "1.10", "day": "2024-01-06"}
    json.dumps(dict(item.meta))


def test_csv_rows_have_their_first_line() -> None:
    """Cells may span lines; a row with the wrong number of cells is named, blank rows are not."""
    text = 'id,text,extra\na,"one\ntwo",1\n\nb,short\nc,three,3\nd,four,4,5\n'
    parsed = parse(text, "n.csv")
    assert facts(parsed) == [("a", "one\ntwo", 2), ("c", "three", 6)]
    assert problems(parsed) == [
        (5, "the row has 2 cells, the header has 3"),
        (7, "the row has 4 cells, the header has 3"),
    ]
    assert parsed.items[0].meta == {"extra": "1"}


def test_an_open_quote_costs_one_row() -> None:
    """The rows after a quote that is never closed are not swallowed."""
    parsed = parse('id,text\na,one\nb,"two\nc,three\n', "n.csv")
    assert facts(parsed) == [("a", "one", 2), ("c", "three", 4)]
    ((line, reason),) = problems(parsed)
    assert line == 3
    assert reason.startswith("is not CSV")


def test_a_long_cell_is_read() -> None:
    """The csv module's limit of 128 KiB a cell is not ours."""
    assert len(only(f"id,text\na,{'x' * 200_000}\n", "n.csv").text) == 200_000


def test_a_header_that_names_a_column_twice_is_refused() -> None:
    """Which cell would be the id? A blank name only means that its cells do not count."""
    assert problems(parse("id,id\na,b\n", "n.csv")) == [(1, "the header names a column twice")]
    item = only(",\nid,text,,\na,one,two,three\n", "n.csv")
    assert (item.anchor, item.text, item.meta) == ("a", "one", {})


def test_ids_are_fit_for_an_identity() -> None:
    """Blanks and control characters are joined, and a text for an id is cut with its hash."""
    assert only('{"id":" a\\n b\\u0007","text":"x"}').anchor == "a b"
    long = only(json.dumps({"id": "w" * 5000, "text": "x"})).anchor
    other = only(json.dumps({"id": "w" * 5001, "text": "x"})).anchor
    assert long is not None
    assert len(long) < 250
    assert long != other


@pytest.mark.parametrize("path", ["a.jsonl", "a.json", "a.yaml", "a.csv", "a.tsv"])
def test_empty_files_are_said_to_be_empty(path: str) -> None:
    """A record file with nothing in it is a skip, with a reason."""
    assert problems(parse("", path)) == [(None, "is empty")]
    assert problems(parse(" \n\n", path)) == [(None, "is empty")]
