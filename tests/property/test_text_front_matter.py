"""The quick reader of front matter agrees with the full one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memidx.text import front_matter, safe_yaml

VALUES = st.one_of(
    st.text(st.sampled_from(list("abz019 .:-#'\"[],{}/\\&*!|>%@`~=_?\u00e9")), max_size=12),
    st.sampled_from(["true", "null", "~", "2024-01-05", "1.10", "007", "12:30", "a: b", "a #b"]),
    st.lists(st.sampled_from(['"a"', '"b c"', "d"]), max_size=3).map(lambda v: f"[{', '.join(v)}]"),
)
LINES = st.tuples(st.sampled_from(["k", "a.b", "x-y", "_z"]), VALUES).map(
    lambda p: f"{p[0]}: {p[1]}"
)


@given(st.lists(LINES, min_size=1, max_size=4))
def test_the_quick_reader_says_the_same_or_nothing(lines: list[str]) -> None:
    """Where simple lines are read without a YAML parser, the parser would read the same."""
    block = "\n".join(lines) + "\n"
    quick = front_matter._simple(block)
    if quick is not None:
        assert quick == safe_yaml.load(block)
