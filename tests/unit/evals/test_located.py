"""YAML with lines."""

from __future__ import annotations

import pytest

from memidx.errors import SuiteError
from memidx.evals.located import read_located


def test_values_come_with_their_lines() -> None:
    """A key's line is the key's own, a list entry's the entry's."""
    data, lines = read_located("# note\na:\n  - x\n  - {b: 1}\nc: y\n", "f.yaml")
    assert data == {"a": ["x", {"b": 1}], "c": "y"}
    assert lines[("a",)] == 2
    assert lines[("a", 0)] == 3
    assert lines[("a", 1)] == 4
    assert lines[("a", 1, "b")] == 4
    assert lines[("c",)] == 5


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no", "no"),
        ("on", "on"),
        ("12:30", "12:30"),
        ("2026-12-01", "2026-12-01"),
        ("1_000", "1_000"),
        ("0x1F", "0x1F"),
        ("2.1.9", "2.1.9"),
        ("true", True),
        ("-3", -3),
        ("2.5", 2.5),
        ("1e3", 1000.0),
        ("~", None),
        ('"5"', "5"),
        ("<<", "<<"),
    ],
)
def test_plain_words_have_yaml_12_core_types(text: str, value: object) -> None:
    """Only what looks like a JSON value is one; YAML 1.1's surprises are words."""
    assert read_located(f"k: {text}", "f.yaml")[0] == {"k": value}


def test_json_is_read() -> None:
    """A suite may be written as JSON."""
    assert read_located('{"a": [1, "x", null]}', "f.json")[0] == {"a": [1, "x", None]}


def test_repeated_key_is_refused_with_both_lines() -> None:
    """A key that is there twice would silently lose one value."""
    with pytest.raises(SuiteError) as caught:
        read_located("a: 1\nb: 2\na: 3\n", "f.yaml")
    assert (caught.value.path, caught.value.line) == ("f.yaml", 3)
    assert "'a' is there twice" in caught.value.message
    assert "line 1" in str(caught.value.hint)


@pytest.mark.parametrize(
    "text",
    [
        "a: !!python/object/apply:os.system [echo]",
        "a: !!python/name:os.system",
        "!!set {a, b}",
        "a: !!binary aGk=",
        "a: !mine x",
        "? [a]\n: 1",
        "1: a",
    ],
)
def test_tags_and_odd_keys_are_refused(text: str) -> None:
    """Nothing but text, numbers, lists and mappings comes out of a suite."""
    with pytest.raises(SuiteError) as caught:
        read_located(text, "f.yaml")
    assert caught.value.line == 1


@pytest.mark.parametrize(
    "text",
    [
        "&a [*a]",
        "[" * 5000,
        "a: [1",
        "a: 'x",
        "a: b: c",
        "\tx",
        "a: *nowhere",
        "a: 1\n---\nb: 2\n",
        "a: " + "9" * 5000,
        "a: \x07",
    ],
)
def test_what_is_not_finite_yaml_is_a_suite_error(text: str) -> None:
    """Broken and endless files are the caller's mistake, never a crash."""
    with pytest.raises(SuiteError) as caught:
        read_located(text, "f.yaml")
    assert caught.value.path == "f.yaml"


def test_aliases_that_explode_are_refused() -> None:
    """Ten levels of ten aliases would be ten thousand million values."""
    levels = ["a0: &a0 [x]"]
    for i in range(1, 11):
        levels.append(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]")
    with pytest.raises(SuiteError, match="endless"):
        read_located("\n".join(levels), "f.yaml")
