"""Cursors name a place in one answer."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memidx.errors import InputError
from memidx.search.cursor import check_cursor, cursor_of, read_cursor


def test_a_cursor_comes_back_as_it_was() -> None:
    """Also with a time in `as_of`, and as one word for a shell."""
    for day in ("2026-11-30", "2026-11-30T10:00:00.25Z"):
        cursor = cursor_of("sha256:abcdef0123456789", ("q", 1), 25, day)
        assert read_cursor(str(cursor)) == cursor
        assert not set(str(cursor)) & set(" '\"$&|;<>()*?!")


def test_another_index_or_question_is_refused() -> None:
    """A page of something else would be silently wrong."""
    cursor = cursor_of("one", "question", 5, "2026-11-30")
    check_cursor(cursor, cursor_of("one", "question", 0, "2026-12-24"))
    with pytest.raises(InputError, match="documents changed"):
        check_cursor(cursor, cursor_of("two", "question", 0, "2026-11-30"))
    with pytest.raises(InputError, match="another question"):
        check_cursor(cursor, cursor_of("one", "other", 0, "2026-11-30"))


@given(st.text())
def test_what_is_no_cursor_is_refused_or_read(text: str) -> None:
    """Nothing else is raised."""
    with suppress(InputError):
        assert read_cursor(text).offset >= 0


@pytest.mark.parametrize("text", ["", "1", "1.x.a.b.c", "2.5.a.b.c", "1.-5.a.b.c", "1.².a.b.c"])
def test_broken_cursors_are_named(text: str) -> None:
    """The message says what was given."""
    with pytest.raises(InputError, match="not a cursor"):
        read_cursor(text)
