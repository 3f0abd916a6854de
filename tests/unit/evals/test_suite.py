"""Reading suites, and what is refused where."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, FormatChecker

from memidx.errors import SuiteError
from memidx.evals import Suite, load_suite, parse_suite
from memidx.evals.suite import Expectation, Floor
from memidx.evals.validate import suite_from

EXAMPLE = """\
version: 1
as_of: 2026-12-01
floors:
  overall: {nDCG@10: 0.5}
  keyword:
    Success@3: 0.75
queries:
- {id: lock, query: "lock timeout", category: keyword, severity: must, k: 5, why: "…",
   expect_paths: [{path: docs/a.md, grade: 3}, {any_of: [b.md, "c/*.md"]}],
   expect_sources: [decisions], must_not: [x.md], top1: docs/a.md}
- {id: none, query: "scuba locations", category: no-answer, severity: must, expect_empty: true}
"""


def test_the_example_of_the_design_is_read() -> None:
    """Every field of the design's example lands in its place, with its line."""
    suite = parse_suite(EXAMPLE, "queries.yaml")
    lock, none = suite.queries
    assert (suite.as_of, suite.file) == ("2026-12-01", "queries.yaml")
    assert suite.floors == (
        Floor("overall", "nDCG@10", 0.5, 4),
        Floor("keyword", "Success@3", 0.75, 6),
    )
    assert (lock.query_id, lock.text, lock.category, lock.severity, lock.k) == (
        "lock",
        "lock timeout",
        "keyword",
        "must",
        5,
    )
    assert lock.expect_paths == (
        Expectation(("docs/a.md",), 3, 9),
        Expectation(("b.md", "c/*.md"), 1, 9),
    )
    assert (lock.expect_sources, lock.must_not, lock.top1) == (
        ("decisions",),
        ("x.md",),
        "docs/a.md",
    )
    assert (lock.line, lock.line_of("why"), lock.line_of("top1")) == (8, 8, 10)
    assert (none.expect_empty, none.category, none.line) == (True, "no-answer", 11)


def test_only_id_query_and_one_expectation_are_needed(make_suite: Callable[..., Suite]) -> None:
    """What is left out has a documented default."""
    suite = make_suite(
        "id: a, query: x, expect_paths: [a.md]", "id: b, query: y, expect_empty: true"
    )
    first, second = suite.queries
    assert (first.category, first.severity, first.k) == ("keyword", "must", 5)
    assert first.expect_paths == (Expectation(("a.md",), 1, 3),)
    assert second.category == "no-answer"


def test_a_suite_provenance_is_each_querys_own(make_suite: Callable[..., Suite]) -> None:
    """A query that says nothing has the suite's provenance."""
    suite = make_suite(
        "id: a, query: x, top1: a.md",
        "id: b, query: y, top1: a.md, provenance: support log",
        head="provenance: written by hand",
    )
    assert [q.provenance for q in suite.queries] == ["written by hand", "support log"]


def test_top1_is_a_relevant_item_unless_an_expectation_names_it(
    make_suite: Callable[..., Suite],
) -> None:
    """`top1` alone, or beside other paths, counts once, with the best grade of its query."""
    alone, named, beside = make_suite(
        "id: a, query: x, top1: a.md",
        "id: b, query: y, top1: a.md, expect_paths: [{path: a.md, grade: 2}]",
        "id: c, query: z, top1: a.md, expect_paths: [{path: b.md, grade: 2}]",
    ).queries
    assert [(e.any_of, e.grade) for e in alone.expectations] == [(("a.md",), 1)]
    assert [(e.any_of, e.grade) for e in named.expectations] == [(("a.md",), 2)]
    assert [(e.any_of, e.grade) for e in beside.expectations] == [(("b.md",), 2), (("a.md",), 2)]


def test_the_digest_follows_what_the_suite_says() -> None:
    """Comments and layout leave the digest alone, any value moves it."""
    same = json.dumps(
        {
            "queries": [{"query": "x", "id": "a", "top1": "a.md"}],
            "version": 1,
        }
    )
    text = "# a comment\nversion: 1\nqueries:\n- id: a\n  query: x\n  top1: a.md\n"
    digest = parse_suite(text, "f").digest
    assert parse_suite(same, "f").digest == digest
    assert parse_suite(text.replace("a.md", "b.md"), "f").digest != digest


GOOD: dict[str, Any] = {
    "version": 1,
    "queries": [{"id": "a", "query": "x", "expect_paths": ["a.md"]}],
}


def _with(**changes: Any) -> dict[str, Any]:
    """The good suite with other keys in its query; None takes a key out."""
    query = {**GOOD["queries"][0], **changes}
    return {"version": 1, "queries": [{k: v for k, v in query.items() if v is not None}]}


GOOD_SUITES = [
    GOOD,
    {**GOOD, "as_of": "2026-02-28"},
    {**GOOD, "version": 1.0},
    {**GOOD, "floors": {}},
    {**GOOD, "floors": {"overall": {"AP": 1, "nDCG@1000": 0, "RR": 0.5, "P@5": 0.1}}},
    {**GOOD, "provenance": "by hand"},
    _with(k=1000),
    _with(k=5.0),
    _with(severity="known_gap", why="synonyms"),
    _with(expect_paths=[{"path": "a.md", "grade": 99}]),
    _with(expect_paths=[{"any_of": ["a.md", "b.md"], "grade": 0}]),
    _with(expect_paths=None, must_not=["a.md"]),
    _with(expect_paths=None, expect_sources=["docs"]),
    _with(expect_paths=None, top1="a.md"),
    _with(expect_paths=None, expect_empty=True),
    _with(expect_empty=False),
]
BAD_SUITES = [
    None,
    [],
    "text",
    {},
    {"version": 1},
    {"queries": GOOD["queries"]},
    {"version": 2, "queries": GOOD["queries"]},
    {"version": "1", "queries": GOOD["queries"]},
    {"version": True, "queries": GOOD["queries"]},
    {"version": 1, "queries": []},
    {"version": 1, "queries": {}},
    {"version": 1, "queries": ["x"]},
    {"version": 1, "queries": None},
    {**GOOD, "as_of": "2026-02-31"},
    {**GOOD, "as_of": "1.12.2026"},
    {**GOOD, "as_of": "2026-12-01T10:00:00Z"},
    {**GOOD, "as_of": None},
    {**GOOD, "as_of": 20261201},
    {**GOOD, "querys": []},
    {**GOOD, "provenance": ""},
    {**GOOD, "floors": []},
    {**GOOD, "floors": {"overall": {}}},
    {**GOOD, "floors": {"overall": 0.5}},
    {**GOOD, "floors": {"everything": {"AP": 0.5}}},
    {**GOOD, "floors": {"overall": {"MRR": 0.5}}},
    {**GOOD, "floors": {"overall": {"R": 0.5}}},
    {**GOOD, "floors": {"overall": {"nDCG@0": 0.5}}},
    {**GOOD, "floors": {"overall": {"nDCG@1001": 0.5}}},
    {**GOOD, "floors": {"overall": {"nDCG@10 ": 0.5}}},
    {**GOOD, "floors": {"overall": {"AP": 1.5}}},
    {**GOOD, "floors": {"overall": {"AP": -0.1}}},
    {**GOOD, "floors": {"overall": {"AP": "0.5"}}},
    {**GOOD, "floors": {"overall": {"AP": True}}},
    _with(id=None),
    _with(id=5),
    _with(id=""),
    _with(query=None),
    _with(query=2.1),
    _with(query="  \t"),
    _with(why=5),
    _with(provenance=["x"]),
    _with(category="keywords"),
    _with(category=5),
    _with(severity="may"),
    _with(severity="known_gap"),
    _with(k=0),
    _with(k=1001),
    _with(k=2.5),
    _with(k="5"),
    _with(k=True),
    _with(expect_path=["a.md"]),
    _with(expect_paths="a.md"),
    _with(expect_paths=[]),
    _with(expect_paths=[""]),
    _with(expect_paths=[5]),
    _with(expect_paths=[None]),
    _with(expect_paths=[["a.md"]]),
    _with(expect_paths=[{}]),
    _with(expect_paths=[{"grade": 1}]),
    _with(expect_paths=[{"path": "a.md", "any_of": ["b.md"]}]),
    _with(expect_paths=[{"path": ["a.md"]}]),
    _with(expect_paths=[{"path": "a.md", "weight": 2}]),
    _with(expect_paths=[{"path": "a.md", "grade": 1.5}]),
    _with(expect_paths=[{"path": "a.md", "grade": "3"}]),
    _with(expect_paths=[{"path": "a.md", "grade": True}]),
    _with(expect_paths=[{"path": "a.md", "grade": None}]),
    _with(expect_paths=[{"any_of": []}]),
    _with(expect_paths=[{"any_of": "a.md"}]),
    _with(expect_paths=[{"any_of": [{"path": "a.md"}]}]),
    _with(expect_sources="docs"),
    _with(expect_sources=[]),
    _with(must_not=[5]),
    _with(top1=["a.md"]),
    _with(top1=""),
    _with(expect_empty="yes"),
    _with(expect_paths=None),
    _with(expect_paths=None, expect_empty=False),
    _with(expect_paths=None, expect_empty=1),
]


def _accepts(data: Any) -> bool:
    try:
        suite_from(data, {}, "f")
    except SuiteError:
        return False
    return True


@pytest.fixture(scope="module")
def schema(request: pytest.FixtureRequest) -> Draft202012Validator:
    """The published schema."""
    path = Path(request.config.rootpath) / "docs" / "suite.schema.json"
    loaded = json.loads(path.read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(loaded)
    return Draft202012Validator(loaded, format_checker=FormatChecker(["date"]))


@pytest.mark.parametrize("data", GOOD_SUITES, ids=repr)
def test_good_suites_are_accepted_by_code_and_schema(
    schema: Draft202012Validator, data: Any
) -> None:
    """What is a suite is one for both."""
    assert _accepts(data)
    assert schema.is_valid(data)


@pytest.mark.parametrize("data", BAD_SUITES, ids=repr)
def test_bad_suites_are_refused_by_code_and_schema(schema: Draft202012Validator, data: Any) -> None:
    """What is no suite is none for either."""
    assert not _accepts(data)
    assert not schema.is_valid(data)


_ODD: st.SearchStrategy[Any] = st.sampled_from(
    [
        *(None, True, False, 0, 1, 5, 1.0, 2.5, [], {}),
        *("", " ", "a.md", "must", "known_gap", "keyword", "2026-12-01"),
        *(["a.md"], [""], [5], [{"path": "a.md"}], [{"any_of": ["a.md"]}]),
        [{"path": "a.md", "grade": 3}],
        *({"overall": {"AP": 0.5}}, {"overall": {"AP": 2}}, {"keyword": {"R": 0}}),
    ]
)
_HEAD_KEYS = ["version", "as_of", "floors", "provenance", "other"]
_QUERY_KEYS = [
    *("id", "query", "category", "severity", "k", "why", "provenance", "expect_paths"),
    *("expect_sources", "must_not", "top1", "expect_empty", "other"),
]
_QUERY = st.dictionaries(st.sampled_from(_QUERY_KEYS), _ODD, max_size=3)


@given(
    query=_QUERY,
    head=st.dictionaries(st.sampled_from(_HEAD_KEYS), _ODD, max_size=2),
)
def test_code_and_schema_agree_on_any_mix(
    schema: Draft202012Validator, query: dict[str, Any], head: dict[str, Any]
) -> None:
    """The rules written out in code are those of the published schema."""
    data = {**GOOD, **head, "queries": [{**GOOD["queries"][0], **query}]}
    assert _accepts(data) == schema.is_valid(data)


def test_the_package_ships_the_published_schema(repository: Path) -> None:
    """The file in docs and the one beside the code are the same bytes."""
    published = (repository / "docs" / "suite.schema.json").read_bytes()
    assert (repository / "memidx" / "evals" / "suite.schema.json").read_bytes() == published


def test_messages_name_file_line_and_the_nearest_word() -> None:
    """A misspelt value is named with its line and what it was probably meant to be."""
    text = "version: 1\nqueries:\n- id: a\n  query: x\n  category: keywrod\n  top1: a.md\n"
    with pytest.raises(SuiteError) as caught:
        parse_suite(text, "q.yaml")
    assert caught.value.message.startswith("q.yaml:5: an unknown category (expected keyword")
    assert caught.value.found == "'keywrod'"


def test_everything_wrong_is_named_at_once() -> None:
    """The first problem is the message, the others are in the hint, by line."""
    text = "version: 1\nqueries:\n- {id: a, query: 5, top1: x}\n- {id: b, query: y}\n- {query: z}\n"
    with pytest.raises(SuiteError) as caught:
        parse_suite(text, "q.yaml")
    assert caught.value.message.startswith("q.yaml:3: query is not text")
    hint = str(caught.value.hint).splitlines()
    assert hint[0].startswith("q.yaml:4: a query that expects nothing")
    assert hint[1].startswith("q.yaml:5: id is missing")


@pytest.fixture
def suite_file(tmp_path: Path) -> Path:
    """A suite on disk."""
    path = tmp_path / "queries.yaml"
    path.write_text(EXAMPLE, encoding="utf-8")
    return path


def test_load_suite_reads_a_file(suite_file: Path) -> None:
    """A file gives what its text gives."""
    assert load_suite(str(suite_file)).queries == parse_suite(EXAMPLE, str(suite_file)).queries


def test_a_file_that_is_not_text_is_a_suite_error(suite_file: Path) -> None:
    """Bytes that are no text are the caller's mistake."""
    suite_file.write_bytes(b"\x00\xff\x00\x01")
    with pytest.raises(SuiteError, match="not a text file"):
        load_suite(str(suite_file))


@pytest.mark.parametrize("text", ["", "# only a comment\n", "version: 1\n"])
def test_an_empty_suite_is_refused(text: str) -> None:
    """A suite without queries must not pass."""
    with pytest.raises(SuiteError):
        parse_suite(text, "q.yaml")
