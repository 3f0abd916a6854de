"""What front matter says, and that nothing of a file is lost to it."""

from __future__ import annotations

import pytest

from memidx.text.front_matter import read_front_matter


def test_a_mapping_between_two_rules_is_front_matter() -> None:
    """Keys and values are read, and the block's length in lines is known."""
    found = read_front_matter("---\ntitle: A b\ntags: [x, y]\ncount: 3\n---\n# Text\n")
    assert found.meta == {"title": "A b", "tags": ["x", "y"], "count": 3}
    assert found.end_line == 5


@pytest.mark.parametrize(
    "text",
    [
        "---\ntitle: A\n---",
        "---\ntitle: A\n...\ntext",
        "---  \ntitle: A\n---\t\ntext",
        "---\ntitle: A\n---\n",
    ],
)
def test_the_end_may_be_dots_blanks_or_the_end_of_the_file(text: str) -> None:
    """A block may be closed by `...`, and need no line end after it."""
    found = read_front_matter(text)
    assert found.meta == {"title": "A"}
    assert found.end_line == 3


@pytest.mark.parametrize(
    "text",
    [
        "",
        "---",
        "---\n",
        "---\n---\n",
        "---\ntitle: A\n",
        "---\n- a\n- list\n---\n",
        "---\nACME Ltd.\n1 Main Street\n---\nDear reader\n",
        "---\n\tkey: tab\n---\n",
        "---\nkey: {unclosed\n---\n",
        "---\n# only a comment\n---\n",
        "--- title: A\n---\n",
        "----\ntitle: A\n----\n",
        " ---\ntitle: A\n---\n",
        "+++\ntitle = 'A'\n+++\n",
        "---\n{{ template }}: x\n---\n",
        "---\n? [a, b]\n: c\n---\n",
        "---\n!!python/object/apply:os.system ['true']\n---\n",
        "---\n" + "- " * 5000 + "x\n---\n",
        "---\nk: " + "[" * 5000 + "\n---\n",
        "---\na: &a [*a]\n---\n",
        "---\nk: |\n" + "  x" * 40_000 + "\n---\n",
    ],
)
def test_what_is_no_mapping_is_text(text: str) -> None:
    """Lists, letterheads, tabs, broken or hostile YAML and unclosed blocks are not front matter."""
    found = read_front_matter(text)
    assert found.meta == {}
    assert found.end_line == 0


def test_an_alias_bomb_is_text() -> None:
    """Nine levels of nine aliases stand for 387 million values and cost nothing here."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9)]
    assert read_front_matter("---\n" + "\n".join(lines) + "\n---\n").meta == {}


def test_values_are_json_and_read_as_they_were_written() -> None:
    """Dates are text in ISO form, and a number that would lose a digit stays text."""
    block = (
        "date: 2024-1-5\nat: 2024-01-05 10:00:00 +02:00\nday: 2024-01-05\nversion: 1.10\nid: 007\n"
        "time: 12:30\nyes: yes\non: on\nflag: true\nnone: null\nempty:\nbig: 1e999\n"
        "infinite: .inf\nfloat: 2.5\nnested: {a: [1, b]}\n2024: year\n'quoted': '5'\n"
    )
    meta = read_front_matter(f"---\n{block}---\n").meta
    assert meta == {
        "date": "2024-01-05",
        "at": "2024-01-05T08:00:00Z",
        "day": "2024-01-05",
        "version": "1.10",
        "id": "007",
        "time": "12:30",
        "yes": "yes",
        "on": "on",
        "flag": True,
        "none": None,
        "empty": None,
        "big": "1e999",
        "infinite": ".inf",
        "float": 2.5,
        "nested": {"a": [1, "b"]},
        "2024": "year",
        "quoted": "5",
    }


def test_aliases_and_merges_are_written_out() -> None:
    """Ordinary anchors work, and a merged mapping gives way to the keys beside it."""
    text = "---\nbase: &b {x: 1, y: 2}\nown:\n  <<: *b\n  y: 3\nagain: *b\n---\n"
    assert read_front_matter(text).meta == {
        "base": {"x": 1, "y": 2},
        "own": {"x": 1, "y": 3},
        "again": {"x": 1, "y": 2},
    }


def test_the_known_keys_of_a_broken_block_are_saved() -> None:
    """`title: a: b` is the commonest mistake; its title and date still count."""
    text = '---\ntitle: ADR 12: use a lock\ndate: "2024-01-05"\nowner: [\n---\n# Other\n'
    found = read_front_matter(text)
    assert found.meta == {"title": "ADR 12: use a lock", "date": "2024-01-05"}
    assert found.end_line == 5


@pytest.mark.parametrize("end", ["", "\n", "\n\n", "\n# a: b", "\n#"])
def test_comments_and_empty_lines_say_nothing(end: str) -> None:
    """Wherever they stand, and however the last of them ends."""
    lines = "# first\n\ntitle: A b # c\ncount: 3\n# more\nempty:"
    assert read_front_matter(f"---\n{lines}{end}\n---\n").meta == {
        "title": "A b",
        "count": 3,
        "empty": None,
    }


def test_control_characters_are_no_front_matter() -> None:
    """A block that YAML forbids is text, among plain letters and among others."""
    for letter in ("a", "é"):
        assert not read_front_matter(f"---\nnote: {letter}\x7f\n---\n").meta
