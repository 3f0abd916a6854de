"""Which moments texts and file names state."""

from __future__ import annotations

import pytest

from memidx.text import days_since_epoch
from memidx.text.dates import date_in_name, parse_time, time_from_number


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("2024-01-05", "2024-01-05"),
        ("2024-1-5", "2024-01-05"),
        ("2024/01/05", "2024-01-05"),
        ("2024.01.05", "2024-01-05"),
        ("20240105", "2024-01-05"),
        ("2024-03", "2024-03-01"),
        ("  2024-01-05 ", "2024-01-05"),
        ("2024-02-29", "2024-02-29"),
        ("2024-01-05T10:20:30Z", "2024-01-05T10:20:30Z"),
        ("2024-01-05T10:20", "2024-01-05T10:20:00Z"),
        ("2024-01-05 10:20:30", "2024-01-05T10:20:30Z"),
        ("2024-01-05T10:20:30.250Z", "2024-01-05T10:20:30.25Z"),
        ("2024-01-05T10:20:30+02:00", "2024-01-05T08:20:30Z"),
        ("2024-01-05T01:00:00+02:00", "2024-01-04T23:00:00Z"),
        ("2023-12-31 23:30:00 -0100", "2024-01-01T00:30:00Z"),
        ("2016-12-31T23:59:60Z", "2016-12-31T23:59:59Z"),
        ("5 March 2024", "2024-03-05"),
        ("March 5, 2024", "2024-03-05"),
        ("Mar 5th 2024", "2024-03-05"),
        ("5-Mar-2024", "2024-03-05"),
        ("Fri, 05 Jan 2024 10:00:00 +0000", "2024-01-05T10:00:00Z"),
        ("Sept. 1, 2023", "2023-09-01"),
    ],
)
def test_dates_have_one_normal_form(text: str, normal: str) -> None:
    """The ways people and programs write a date all come out alike, instants in UTC."""
    assert parse_time(text) == normal


@pytest.mark.parametrize(
    "text",
    [
        "",
        "soon",
        "2024",
        "03/04/2024",
        "2023-02-29",
        "2024-13-01",
        "2024-00-10",
        "0000-01-01",
        "2024-01-05T24:00",
        "2024-01-05T10:60",
        "2024-01-05T10:00+99:00",
        "0001-01-01T00:00+02:00",
        "9999-12-31T23:00-02:00",
        "2024-01-05-draft",
        "1.2.3",
        "5 Brumaire 2024",
        "x" * 1000,
        "\u0662\u0660\u0662\u0664-01-05",
    ],
)
def test_what_is_no_date_or_could_be_two_is_none(text: str) -> None:
    """A guess would move a document in the ranking, so nothing is guessed."""
    assert parse_time(text) is None


@pytest.mark.parametrize(
    ("name", "day"),
    [
        ("2024-01-05-standup.md", "2024-01-05"),
        ("notes_2024_01_05.md", "2024-01-05"),
        ("2024.01.05.md", "2024-01-05"),
        ("20240105-standup.md", "2024-01-05"),
        ("2024-99-99 then 2024-01-05.md", "2024-01-05"),
        ("adr-0017.md", None),
        ("12345678.md", None),
        ("99990101.md", None),
        ("120240105.md", None),
        ("2024-01.md", None),
    ],
)
def test_a_day_in_a_file_name_is_found(name: str, day: str | None) -> None:
    """Journals carry their day in the name; other numbers are not taken for one."""
    assert date_in_name(name) == day


@pytest.mark.parametrize(
    ("number", "normal"),
    [
        (1700000000, "2023-11-14T22:13:20Z"),
        (1700000000000, "2023-11-14T22:13:20Z"),
        (1700000000000000, "2023-11-14T22:13:20Z"),
        (1700000000.5, "2023-11-14T22:13:20.5Z"),
        (2024, None),
        (-5, None),
        (1e300, None),
        (float("nan"), None),
    ],
)
def test_unix_times_are_read_in_their_usual_units(number: float, normal: str | None) -> None:
    """Logs count seconds, milliseconds or microseconds; small numbers are no times."""
    assert time_from_number(number) == normal


def test_days_are_counted_from_the_epoch() -> None:
    """1970-01-01 is day 0; 2000-03-01 is day 11017, the day after a leap day; noon is a half."""
    assert days_since_epoch("1970-01-01") == 0
    assert days_since_epoch("1969-12-31") == -1
    assert days_since_epoch("2000-03-01") == 11017
    assert days_since_epoch("1970-01-02T12:00:00Z") == 1.5
    with pytest.raises(ValueError, match="not a date"):
        days_since_epoch("yesterday")


def test_a_time_with_an_offset_counts_in_utc() -> None:
    """Its length is that of a time with a fraction, which must not pass for the normal form."""
    assert days_since_epoch("2026-03-01T00:30:00+02:00") == 20512 + 22.5 / 24
