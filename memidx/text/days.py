"""How many days is a moment away from another?

Of moments in the normal form of `memidx.text.dates`, which a search need not load to count days.
"""

from __future__ import annotations

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
