"""Where a TOML file sets a key."""

from __future__ import annotations

from memidx.text.toml_lines import line_of_key

TEXT = """\
store = "s"

[search]
k1 = 1.2

[[sources]]
name = "a"

[[sources]]
name = "b"
fields = {id = "x", text = "y"}

[[sources]]
[sources.fields]
text = "z"
"""


def test_a_key_is_found_in_its_own_table() -> None:
    """The same key in another table, or in another of several tables, is passed over."""
    assert line_of_key(TEXT, "store") == 1
    assert line_of_key(TEXT, "k1", table="search") == 4
    assert line_of_key(TEXT, "name", table="sources", nth=0) == 7
    assert line_of_key(TEXT, "name", table="sources", nth=1) == 10
    assert line_of_key(TEXT, "text", table="sources.fields", nth=1) == 11
    assert line_of_key(TEXT, "text", table="sources.fields", nth=2) == 15


def test_a_key_that_is_not_found_points_at_its_table() -> None:
    """A missing name is reported where the table begins."""
    assert line_of_key(TEXT, "", table="sources", nth=1) == 9
    assert line_of_key(TEXT, "nothing") is None


def test_tables_below_a_prefix_are_found() -> None:
    """In `pyproject.toml` the tables of others do not count."""
    text = '[project]\nstore = "no"\n[tool.memidx]\nstore = "s"\n[tool.memidx.search]\nb = 2\n'
    assert line_of_key(text, "store", prefix="tool.memidx") == 4
    assert line_of_key(text, "b", table="search", prefix="tool.memidx") == 6
