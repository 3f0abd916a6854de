"""Which characters does memidx work with, and which must it never keep?

Pure functions on bytes and strings: decoding, front matter, redaction, paths, dates. Here is what
every search needs of it: how texts came from their files, and how many days a moment is away.
"""

from __future__ import annotations

RULES_VERSION = 4
"""Raise it whenever a file's bytes could give another document than before (a parser's rule, a
redaction, a title): what was recorded of files under earlier rules is then read anew."""

# Kinds whose texts are told in other words than the file's, so that lines of one are not the
# other's.
TOLD_KINDS = frozenset(("openapi",))
# A line of its own where lines of the file were taken out of a text: a page break.
CUT = "\f"
# Kinds that have no files.
FEEDS = frozenset(("git",))

DAY_SECONDS = 86_400
# `YYYY-MM-DD`, and with `THH:MM:SSZ`, and with up to six digits of a second.
_NORMAL_LENGTHS = frozenset((10, 20, *range(22, 28)))


def days_since_epoch(iso: str) -> float:
    """Days from 1970-01-01T00:00Z to a time in normal form; a day counts from its midnight.

    Raises:
        ValueError: When `iso` is not in the normal form of `parse_time`.
    """
    is_normal = len(iso) in _NORMAL_LENGTHS and iso[:4].isdecimal()
    if not is_normal or (len(iso) > 10 and iso[-1] != "Z"):
        from memidx.text.dates import parse_time  # what is kept is in its normal form

        iso = parse_time(iso) or ""
    try:
        days = days_of(int(iso[:4]), int(iso[5:7]), int(iso[8:10]))
        if len(iso) == 10:
            return float(days)
        seconds = int(iso[11:13]) * 3600 + int(iso[14:16]) * 60 + float(iso[17:-1])
    except ValueError:
        raise ValueError(f"not a date or time: {iso!r}") from None
    return days + seconds / DAY_SECONDS


def days_of(year: int, month: int, day: int) -> int:
    """Days from 1970-01-01, proleptic Gregorian.

    Years are counted from March, so that the leap day is the last of its year.
    """
    year -= month <= 2
    era, year_of_era = divmod(year, 400)
    day_of_year = (153 * (month - 3 if month > 2 else month + 9) + 2) // 5 + day - 1
    return (
        era * 146_097 + year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year
    ) - 719_468
